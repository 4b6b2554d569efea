"""Class labels with their types: sorted, hashable, given back in the caller's dtype.

All labels of one set are of one kind: bool, bytes, date, float, int or str. ``1``, ``'1'``, ``1.0`` and ``True`` are
different labels, and a mixture of them is refused rather than guessed at. Where the classes are known already, though,
numbers are matched with them by value, as scikit-learn does: 1.0 is the class 1. Dates are days, whatever unit or type
they come in; what has a time of day is refused.
"""

from __future__ import annotations

import datetime
import itertools
import math
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import tallybayes._kernel as _kernel
from tallybayes.errors import InputError, InputTypeError

__all__ = ["Label", "Labels", "is_missing", "one_column", "plain_label"]

Label: TypeAlias = str | int | float | bool | bytes | datetime.date
Codes: TypeAlias = NDArray[np.int32]

_KINDS: dict[type, str] = {
    bool: "bool",
    bytes: "bytes",
    datetime.date: "date",
    float: "float",
    int: "int",
    str: "str",
}
_SAID = {"str": "text", "bytes": "bytes", "bool": "booleans", "date": "dates", "float": "floats", "int": "numbers"}
_NUMPY_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "U": "str", "S": "bytes", "M": "date"}
_NUMBERS = {"float", "int"}
_SHOWN = 10  # labels named in an error message
_WIDEST = 256  # characters (bytes) of a label up to which arrays of labels have a fixed width


class Labels:
    """A sorted set of class labels of one kind.

    Built by `Labels.of` from what a caller has; immutable. Two sets are equal if their kind and values are, whatever
    the dtype they came in.

    Parameters
    ----------
    kind : str
        "bool", "bytes", "date", "float", "int" or "str"; "" for the empty set.
    values : sequence of label
        Distinct and ascending.
    dtype : str
        NumPy dtype in which `array` gives them back; "str" and "bytes" fit the width to the longest label, and give
        objects if that is above 256, so that one long label does not widen every answer.

    Examples
    --------
    >>> labels, codes = Labels.of(["spam", "ham", "spam"])
    >>> labels
    Labels('ham', 'spam')
    >>> codes.tolist()
    [1, 0, 1]
    """

    __slots__ = ("_array", "_dtype", "_index", "_kind", "_values")

    def __init__(self, kind: str = "", values: Sequence[Label] = (), dtype: str = "object") -> None:
        self._kind = kind
        self._values = tuple(values)
        self._dtype = dtype
        self._index = {value: position for position, value in enumerate(self._values)}
        self._array: NDArray[Any] | None = None

    @classmethod
    def of(cls, values: Any) -> tuple[Labels, Codes]:
        """Sort the distinct labels of `values` and number each value by them.

        Parameters
        ----------
        values : sequence of n labels
            A list, a tuple, a NumPy array, or a pandas, polars, Arrow or narwhals column.

        Returns
        -------
        labels : Labels
        codes : int32 array of shape (n,)
            Position of each value in `labels`.

        Raises
        ------
        InputError
            If labels are missing, not finite, or of several kinds.
        InputTypeError
            If `values` is no one-dimensional sequence, or holds things that cannot be labels.
        """
        column = _column(values)
        given_as_object = False
        if isinstance(column, np.ndarray):
            given_as_object = column.dtype == object
            if not given_as_object:
                return _of_array(column)
            column = column.tolist()
        if not column:
            return cls(), np.zeros(0, np.int32)
        found = _kernel.encode_objects(column) if type(column[0]) in _KINDS else None
        if found is None:
            column = _plain(column)
            found = _kernel.encode_objects(column)
            assert found is not None  # _plain leaves one type
        distinct, codes = found
        kind = _KINDS[type(distinct[0])]
        if kind == "float":
            distinct = _finite(distinct, column)
        return cls._sorted(kind, distinct, codes, "object" if given_as_object else _dtype_of(kind, distinct))

    @classmethod
    def _sorted(cls, kind: str, distinct: Sequence[Label], codes: Codes, dtype: str) -> tuple[Labels, Codes]:
        order = sorted(range(len(distinct)), key=distinct.__getitem__)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return cls(kind, [distinct[position] for position in order], dtype), rank[codes]

    @property
    def kind(self) -> str:
        """The kind of all labels: bool, bytes, date, float, int or str; "" while there are none."""
        return self._kind

    @property
    def values(self) -> tuple[Label, ...]:
        """The labels, ascending, as plain Python values."""
        return self._values

    @property
    def array(self) -> NDArray[Any]:
        """The labels, ascending, as a read-only NumPy array of the caller's dtype."""
        if self._array is None:
            array = np.empty(len(self._values), object)
            array[:] = self._values
            wide = self._dtype in ("str", "bytes") and any(len(value) > _WIDEST for value in self._values)  # type: ignore[arg-type]
            if self._dtype != "object" and not wide:
                array = array.astype(self._dtype)
            array.flags.writeable = False
            self._array = array
        return self._array

    def index(self, value: Label) -> int:
        """Return the position of one label.

        Raises
        ------
        InputError
            If it is none of these labels; the message names those that are.
        """
        plain = plain_label(value)
        if not (self._meets(_KINDS.get(type(plain), "")) and plain in self._index):
            raise InputError(f"unknown label {plain!r}; the known classes are {self.named()}")
        return self._index[plain]

    def codes(self, values: Any) -> Codes:
        """Return the number of each of n values among these labels, shape (n,).

        Raises
        ------
        InputError
            If a value is none of these labels, as in `of` besides.
        """
        return self.numbered(*Labels.of(values))

    def numbered(self, labels: Labels, codes: Codes) -> Codes:
        """Number by these labels what other `labels` number by `codes`.

        Returns
        -------
        int32 array of shape (n,)

        Raises
        ------
        InputError
            If one of them is none of these labels; the message names it and its row.
        """
        if labels == self:
            return codes
        known = self._index if self._meets(labels.kind) else {}
        place = np.array([known.get(value, -1) for value in labels.values], np.int32)
        found = place[codes]
        if len(found) and found.min() < 0:
            row = int(np.argmin(found >= 0))
            stranger = labels.values[codes[row]]
            raise InputError(f"unknown label {stranger!r} at row {row}; the known classes are {self.named()}")
        return found

    def _meets(self, kind: str) -> bool:
        """Return whether labels of a kind may be among these."""
        return kind == self.kind or {kind, self.kind} == _NUMBERS

    def holds(self, other: Labels) -> bool:
        """Return whether all labels of another set are among these, numbers by value."""
        return not len(other) or (self._meets(other.kind) and all(value in self._index for value in other))

    def remark(self) -> str:
        """Return a sentence on labels that are likely to be meant as one, or "" if there are none.

        Examples
        --------
        >>> Labels.of(["spam", "Spam", " ham", "ham", "tea"])[0].remark()
        "classes that differ only in letter case, spaces or stray marks are learnt apart: ' ham', 'ham'; 'Spam', 'spam'"
        """
        if self.kind != "str":
            return ""
        groups: dict[str, list[str]] = {}
        for value in self._values:
            groups.setdefault(_bare(str(value)), []).append(repr(value))
        # Single letters may well be classes of their own, as in a set of handwritten ones.
        twins = [", ".join(group) for bare, group in groups.items() if len(group) > 1 and len(bare) > 1]
        if not twins:
            return ""
        more = f" and {len(twins) - _SHOWN} more such groups" if len(twins) > _SHOWN else ""
        return (
            "classes that differ only in letter case, spaces or stray marks are learnt apart: "
            + "; ".join(twins[:_SHOWN])
            + more
        )

    def named(self) -> str:
        """Return the labels as part of a sentence; of many only the first ten."""
        if len(self) > _SHOWN:
            return ", ".join(map(repr, self._values[:_SHOWN])) + f" and {len(self) - _SHOWN} more"
        return " and ".join(filter(None, [", ".join(map(repr, self._values[:-1])), *map(repr, self._values[-1:])]))

    def union(self, other: Labels) -> tuple[Labels, Codes, Codes]:
        """Unite two sets of labels.

        Returns
        -------
        labels : Labels
        mine, theirs : int32 arrays
            Where each label of the two sets is in the union; both ascend.

        Raises
        ------
        InputError
            If the two are of different kinds.
        """
        if self == other or not len(other):
            same = np.arange(len(self), dtype=np.int32)
            return self, same, same[: len(other)]
        if not len(self):
            return other, np.zeros(0, np.int32), np.arange(len(other), dtype=np.int32)
        self.require_same_kind(other)
        dtype = _common(self.kind, self._dtype, other._dtype)
        united = Labels(self.kind, sorted({**self._index, **other._index}), dtype)
        mine, theirs = (
            np.fromiter((united._index[value] for value in labels), np.int32, len(labels)) for labels in (self, other)
        )
        return united, mine, theirs

    def require_same_kind(self, other: Labels) -> None:
        """Refuse labels that cannot be united with these.

        Raises
        ------
        InputError
            If the two sets are of different kinds.
        """
        if self.kind != other.kind and len(self) and len(other):
            raise InputError(
                f"labels mix {_SAID[self.kind]} and {_SAID[other.kind]}: {self._values[0]!r} is {self.kind}, "
                f"{other._values[0]!r} is {other.kind}; make them one type"
            )

    def take(self, positions: Iterable[int]) -> Labels:
        """Return the labels at some positions, which must ascend."""
        kept = [self._values[position] for position in positions]
        return Labels(self.kind if kept else "", kept, self._dtype)

    def to_json(self) -> dict[str, Any]:
        """Return the labels as plain JSON values: bytes as hex, dates as ISO 8601."""
        values: list[Any] = list(self._values)
        if self.kind == "bytes":
            values = [value.hex() for value in values]
        elif self.kind == "date":
            values = [value.isoformat() for value in values]
        return {"kind": self.kind, "dtype": self._dtype, "values": values}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Labels:
        """Return the labels rebuilt from `to_json`.

        Raises
        ------
        ValueError
            If the data does not describe sorted labels of one kind.
        """
        try:
            kind, dtype, values = data["kind"], data["dtype"], data["values"]
            read = _FROM_JSON.get(kind)
            labels = [read(value) for value in values] if read else values
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"class labels that cannot be read: {error}") from None
        if not isinstance(values, list) or any(_KINDS.get(type(label)) != kind for label in labels):
            raise ValueError(f"class labels that are not all of kind {kind!r}")
        if (not labels and kind) or any(a >= b for a, b in itertools.pairwise(labels)):
            raise ValueError("class labels that are not strictly ascending")
        if kind == "float" and not all(map(math.isfinite, labels)):
            raise ValueError("class labels that are not finite")
        if dtype not in _DTYPES.get(kind, ("object",)):
            raise ValueError(f"class labels of kind {kind!r} with the dtype {dtype!r}")
        rebuilt = cls(kind, labels, dtype)
        try:
            same = [plain_label(value) for value in rebuilt.array] == labels
        except (OverflowError, ValueError):
            same = False
        if not same:
            raise ValueError(f"class labels that do not fit the dtype {dtype!r}")
        return rebuilt

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, position: int) -> Label:
        return self._values[position]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._values)

    def __contains__(self, value: object) -> bool:
        return _KINDS.get(type(value)) == self.kind and value in self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        return self._kind == other._kind and self._values == other._values

    def __hash__(self) -> int:
        return hash((self._kind, self._values))

    def __repr__(self) -> str:
        return f"Labels({', '.join(map(repr, self._values))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Labels, (self._kind, self._values, self._dtype)


_FROM_JSON: dict[str, Callable[[str], Label]] = {"bytes": bytes.fromhex, "date": datetime.date.fromisoformat}

# The dtypes a set of labels may come back in, by kind. Dates of any unit keep it but are whole days.
_DTYPES: dict[str, tuple[str, ...]] = {
    "bool": ("bool", "object"),
    "bytes": ("bytes", "object"),
    "date": ("object", *map("datetime64[{}]".format, (*"YMWDhms", "ms", "us", "ns", "ps", "fs", "as"))),
    "float": ("float16", "float32", "float64", "object"),
    "int": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "object"),
    "str": ("str", "object"),
}


def _column(values: Any) -> NDArray[Any] | list[Any] | tuple[Any, ...]:
    """Take a column out of whatever holds it; what other libraries hold is known by what it can do, not by name."""
    if type(values) in (list, tuple):
        return _unpacked(values) if values and isinstance(values[0], (list, tuple, np.ndarray)) else values
    values = one_column(values)
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise InputTypeError(f"labels must be a sequence with one label per row, not {type(values).__name__}")
    if isinstance(values, (set, frozenset)):
        raise InputTypeError(
            f"labels must be a sequence with one label per row; a {type(values).__name__} has no order"
        )
    if callable(getattr(values, "null_count", None)):  # polars
        return _column(values.to_numpy() if values.dtype.is_numeric() else values.to_list())
    if hasattr(values, "null_count"):  # Arrow
        array = values.to_numpy(zero_copy_only=False)
        return array.tolist() if array.dtype == object else array  # type: ignore[no-any-return]
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):  # pandas
        if values.isna().any():
            return [None if gone else value for value, gone in zip(values, values.isna(), strict=True)]
        # Nullable columns give objects unless asked for the dtype they stand for.
        values = values.to_numpy(dtype=getattr(values.dtype, "numpy_dtype", None))
    if not isinstance(values, np.ndarray):
        values = np.asarray(values) if hasattr(values, "__array__") else list(values)
    if isinstance(values, list):
        return values
    if values.ndim != 1:
        raise InputTypeError(f"labels must be one-dimensional, not of shape {values.shape}")
    if values.dtype.kind == "T":
        return values.tolist()  # type: ignore[no-any-return]
    if values.dtype.kind not in _NUMPY_KINDS and values.dtype != object:
        raise InputTypeError(f"labels of dtype {values.dtype} cannot be used: make them text, numbers or booleans")
    return values  # type: ignore[no-any-return]


def one_column(values: Any, what: str = "labels") -> Any:
    """Return the column of a table of one column; what has one dimension stays as it is.

    Parameters
    ----------
    values : anything
        A frame of pandas, polars, Arrow or narwhals, an array of shape (n, 1), a masked array; or a column.
    what : str
        What the column holds, for messages.

    Raises
    ------
    InputError
        If there are more columns than one, or something is masked.
    InputTypeError
        If it is a sparse matrix or a query that was not run yet.

    Examples
    --------
    >>> one_column(np.array([["a"], ["b"]])).tolist()
    ['a', 'b']
    """
    if hasattr(values, "to_native"):  # narwhals
        values = values.to_native()
    if hasattr(values, "collect_schema") and not hasattr(values, "__len__"):
        raise InputTypeError(f"{what} must be at hand, not a {type(values).__name__}: collect() it first")
    if isinstance(values, np.ma.MaskedArray):
        gone = np.flatnonzero(np.ma.getmaskarray(values))
        if gone.size:
            raise _missing(gone.size, int(gone[0]), what)
        values = values.data
    shape = getattr(values, "shape", ())
    if not isinstance(shape, tuple) or len(shape) != 2:
        return values
    if hasattr(values, "tocsr"):
        raise InputTypeError(f"Sparse data was passed for the {what}, but dense data is required: use toarray()")
    if shape[1] != 1:
        raise _several(shape, what)
    if hasattr(values, "iloc"):  # pandas
        return values.iloc[:, 0]
    if hasattr(values, "to_series"):  # polars
        return values.to_series(0)
    return values.column(0) if hasattr(values, "column") else np.asarray(values)[:, 0]  # Arrow, NumPy


def _unpacked(rows: Sequence[Any]) -> list[Any]:
    """Take the labels out of rows that hold one each."""
    wide = next((row for row in rows if not isinstance(row, (list, tuple, np.ndarray)) or np.size(row) != 1), None)
    if wide is not None:
        raise _several((len(rows), np.size(wide)), "labels")
    return [row.item() if isinstance(row, np.ndarray) else row[0] for row in rows]


def _several(shape: tuple[int, ...], what: str) -> InputError:
    return InputError(
        f"y should be a 1d array, got an array of shape {shape} instead: give one column of labels"
        if what == "labels"
        else f"wanted one column of {what}, got a table of shape {shape}: choose the column"
    )


def _bare(text: str) -> str:
    """Return a label without what people do not see, or do not mean, when they read it."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if unicodedata.category(c)[0] not in "ZC").strip("'\"`")


def _of_array(array: NDArray[Any]) -> tuple[Labels, Codes]:
    kind = _NUMPY_KINDS[array.dtype.kind]
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    dtype = {"str": "str", "bytes": "bytes"}.get(kind, array.dtype.name)
    if kind == "float":
        if array.dtype.itemsize > 8:
            array, dtype = array.astype(np.float64), "float64"
        array = array + array.dtype.type(0)  # -0.0 is 0.0
    if kind == "date":
        unit, step = np.datetime_data(array.dtype)
        if step != 1:  # of seven days, say: dates all the same
            array = array.astype(f"datetime64[{unit}]")
            dtype = array.dtype.name
    missing = np.isnan(array) if kind == "float" else np.isnat(array) if kind == "date" else None
    if missing is not None and missing.any():
        raise _missing(int(missing.sum()), int(missing.argmax()))
    if kind == "int" and len(array):
        found = _of_small_range(array)
        if found is not None:
            return Labels(kind, found[0], dtype), found[1]
    width = array.dtype.itemsize
    if width == 0 or not len(array):  # only empty text, or nothing
        first, codes = np.zeros(min(len(array), 1), np.int64), np.zeros(len(array), np.int32)
    else:
        rows = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), width)
        first, codes = _kernel.encode_rows(rows, secrets.randbits(64))
    distinct = array[first]
    if kind == "float":
        _finite(distinct.tolist(), array.tolist() if not np.isfinite(distinct).all() else [])
    if kind == "date":
        days = distinct.astype("datetime64[D]")
        if dtype not in _DTYPES["date"] or (days != distinct).any():
            raise InputTypeError(f"labels of dtype {dtype} that are not whole days: make them dates or text")
        distinct = days
        if len(days) and not (np.datetime64("0001-01-01") <= days.min() and days.max() <= np.datetime64("9999-12-31")):
            raise InputError("labels are dates of the years 1 to 9999; make text of others")
    if not len(first):
        return Labels(), codes
    return Labels._sorted(kind, distinct.tolist(), codes, dtype)


def _of_small_range(array: NDArray[Any]) -> tuple[list[int], Codes] | None:
    """Number whole numbers that lie close together by a table instead of a hash."""
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        return None
    values = np.ascontiguousarray(array, np.int64)
    found = _kernel.encode_range(values, min(len(array), 1 << 16))
    return None if found is None else (found[0].tolist(), found[1])


def _dtype_of(kind: str, values: Sequence[Any]) -> str:
    """Choose the dtype for labels that came as Python objects, as NumPy would, where it can hold them."""
    if kind == "int":
        low, high = min(values), max(values)
        return "int64" if low >= -(2**63) and high < 2**63 else "uint64" if low >= 0 and high < 2**64 else "object"
    if kind in ("str", "bytes"):
        nul = "\0" if kind == "str" else b"\0"
        # NumPy drops trailing NULs, which would make two labels one.
        return "object" if kind == "bytes" or any(value.endswith(nul) for value in values) else "str"
    return {"bool": "bool", "float": "float64", "date": "object"}[kind]


def _common(kind: str, mine: str, theirs: str) -> str:
    """Find the dtype that holds the labels of two."""
    if mine == theirs:
        return mine
    if "object" in (mine, theirs):
        return "object"
    common = np.result_type(np.dtype(mine), np.dtype(theirs))
    return common.name if _NUMPY_KINDS[common.kind] == kind else "object"  # int64 and uint64 meet in float64


def _plain(values: Sequence[Any]) -> list[Any]:
    """Turn NumPy scalars and subclasses into plain values, or say what is missing, mixed or no label at all."""
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing:
        raise _missing(len(missing), missing[0])
    plain = [plain_label(value) for value in values]
    first: dict[type, int] = {}
    for row, value in enumerate(plain):
        if type(value) not in _KINDS:
            raise InputTypeError(
                f"label {value!r} at row {row} is {type(value).__name__}: labels are text, numbers, booleans or dates"
            )
        first.setdefault(type(value), row)
    if len(first) > 1:
        (one, row), (other, other_row) = list(first.items())[:2]
        raise InputError(
            f"labels mix {_SAID[_KINDS[one]]} and {_SAID[_KINDS[other]]}: {plain[row]!r} at row {row} is "
            f"{one.__name__}, {plain[other_row]!r} at row {other_row} is {other.__name__}; make them one type"
        )
    return plain


def plain_label(value: Any) -> Any:
    """Return the plain Python value that a scalar of NumPy, a subclass or a midnight stands for.

    Examples
    --------
    >>> plain_label(np.int8(4)), plain_label(np.datetime64("2024-01-01T00", "ns"))
    (4, datetime.date(2024, 1, 1))
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime.datetime) and value.time() == datetime.time() and value.tzinfo is None:
        return value.date()
    if type(value) in _KINDS:
        return value
    for kind, plain in _PLAIN.items():  # an enum of text is text
        if isinstance(value, kind):
            return plain(value)
    return value


_PLAIN: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    bytes: lambda value: bytes(memoryview(value)),
    int: int.__int__,
    float: float.__float__,
}


def is_missing(value: Any) -> bool:
    """Return whether a value stands for none: None, NaN, NaT, pandas.NA, a masked one."""
    # pandas.NA and NaT answer == with NA or False; they are known by name, so that pandas need not be imported.
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)


def _missing(count: int, row: int, what: str = "labels") -> InputError:
    return InputError(f"{count} {what if count != 1 else what.removesuffix('s')} missing, first at row {row}")


def _finite(distinct: Sequence[float], values: Sequence[float]) -> list[float]:
    if not all(map(math.isfinite, distinct)):
        missing = [row for row, value in enumerate(values) if math.isnan(value)]
        if missing:
            raise _missing(len(missing), missing[0])
        row = next(row for row, value in enumerate(values) if math.isinf(value))
        raise InputError(f"label {values[row]!r} at row {row} is not finite")
    return [value + 0.0 for value in distinct]  # -0.0 is 0.0
