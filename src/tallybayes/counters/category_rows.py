"""Rows of categories as callers have them: whole numbers that are codes, or values of any kind."""

from __future__ import annotations

import math
import numbers
from contextlib import suppress
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InputError, InputTypeError
from ..labels import is_missing
from ..tally.values import INEXACT, Value, plain_value, read_value
from .frames import table

__all__ = [
    "LARGEST",
    "CategoryRows",
    "CategoryTable",
    "Codes",
    "code_rows",
    "code_table",
    "holds_codes",
    "raw_rows",
    "refuse_large",
    "refuse_negative",
]

Codes = npt.NDArray[Any]

LARGEST = 2**63 - 2  # there are as many codes as the largest one and 1, counted in int64
NEGATIVE = "Negative values in data passed to CategoricalNB (input X)"


class CategoryTable(Protocol):
    """What rows of values ask of a score table."""

    def positions(self, column: int, values: list[Value | None], first_row: int) -> npt.NDArray[np.int64]:
        """Number values of a column as the table does; None is missing."""


class CategoryRows:
    """Rows of categories.

    Attributes
    ----------
    codes : array of shape (n, d), or None
        Where rows hold codes; a gap is -1.
    values : list of d lists of n values, or None
        Where they hold values; None is a gap.
    n_columns : int
    names : tuple of str, or None
    skips : bool
        Whether gaps are left out.
    first : int
        What messages call the first row.
    """

    def __init__(
        self,
        codes: Codes | None,
        values: list[list[Value | None]] | None,
        names: tuple[str, ...] | None,
        skips: bool,
        n_rows: int = 0,
        first: int = 0,
    ) -> None:
        self.codes, self.values, self.names, self.skips, self.first = codes, values, names, skips, first
        self.n_columns = len(values or ()) if codes is None else int(codes.shape[1])
        self._n_rows = n_rows if codes is None else len(codes)

    def __len__(self) -> int:
        return self._n_rows

    def part(self, begin: int, end: int) -> CategoryRows:
        if self.codes is not None:
            return CategoryRows(self.codes[begin:end], None, self.names, self.skips, first=self.first + begin)
        values = [column[begin:end] for column in self.values or ()]
        return CategoryRows(None, values, self.names, self.skips, end - begin, self.first + begin)

    def take(self, positions: npt.NDArray[np.int64]) -> CategoryRows:
        if self.codes is not None:
            return CategoryRows(np.ascontiguousarray(self.codes[positions]), None, self.names, self.skips)
        values = [[column[i] for i in positions.tolist()] for column in self.values or ()]
        return CategoryRows(None, values, self.names, self.skips, len(positions))

    def refuse_negative(self, row: int, column: int) -> None:
        """Raise the error for a code below 0."""
        assert self.codes is not None  # values are never negative codes
        refuse_negative(int(self.codes[row, column]), self.first + row, column)

    def numbered(self) -> tuple[Codes, list[list[Value]] | None]:
        """Number the values of each column by first appearance, gaps -1, and return both; codes stay as they are."""
        if self.codes is not None:
            return self.codes, None
        codes = np.empty((len(self), self.n_columns), np.int64)
        found: list[list[Value]] = []
        for j, column in enumerate(self.values or ()):
            index: dict[Value | None, int] = {None: -1}
            codes[:, j] = [index.setdefault(value, len(index) - 1) for value in column]
            found.append([value for value in index if value is not None])
        return codes, found

    def numbered_by(self, table: CategoryTable) -> Codes:
        """Number the values as a score table does; codes stay as they are."""
        if self.codes is not None:
            return self.codes
        codes = np.empty((len(self), self.n_columns), np.int64)
        for j, column in enumerate(self.values or ()):
            codes[:, j] = table.positions(j, column, self.first)
        return codes

    def row(self, i: int) -> list[Any]:
        """Return the values (or codes) of one row; None is a gap."""
        if self.codes is not None:
            return [None if code < 0 else code for code in self.codes[i].tolist()]
        return [column[i] for column in self.values or ()]


def holds_codes(X: Any) -> bool:
    """Return whether X holds numbers (and gaps) only, which are codes then."""
    if hasattr(X, "tocsr"):
        return True
    frame = _frame(X)
    if frame is not None:
        return all(kind.is_numeric() or str(kind) == "Boolean" for kind in frame.schema.values())
    if hasattr(X, "dtype") and X.dtype != object:
        return np.dtype(X.dtype).kind in "biufc"
    if not isinstance(X, (list, tuple, np.ndarray)):
        return True
    rows = X.tolist() if isinstance(X, np.ndarray) else X
    return all(
        _is_number(value) for row in rows for value in (row if isinstance(row, (list, tuple)) else np.ravel(row))
    )


def code_rows(rows: npt.NDArray[Any], skip: bool) -> npt.NDArray[Any]:
    """Turn an array of numbers into codes the kernel counts; a gap is -1.

    Raises
    ------
    InputError, InputTypeError
        For fractions, infinity, negative numbers, what is no number, and for gaps unless they are skipped: each with
        its place.
    """
    if rows.dtype == bool:
        return rows.view(np.uint8)
    if rows.dtype in (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.uint8)):
        if rows.dtype != np.uint8 and skip and rows.size and rows.min() < 0:
            row, column = (int(each) for each in np.argwhere(rows < 0)[0])
            refuse_negative(int(rows[row, column]), row, column)
        return rows
    if rows.dtype.kind in "iu":
        if rows.dtype == np.uint64:
            _refuse(rows, rows > LARGEST, "a category code is too large", "number the categories")
        return rows.astype(np.int64)
    if rows.dtype.kind == "c":
        raise InputTypeError("Complex data not supported: category codes are whole numbers")
    if rows.dtype.kind != "f":
        return _object_codes(rows.astype(object), skip)
    rows = rows.astype(np.float64)
    gaps = np.isnan(rows)
    if gaps.any() and not skip:
        _refuse(rows, gaps, "Input X contains NaN", "fill the gaps, or use missing='skip' to leave them out")
    _refuse(rows, np.isinf(rows), "Input X contains infinity", "category codes are whole numbers")
    codes = np.where(gaps, 0.0, rows)
    _refuse(rows, codes < 0, NEGATIVE, "codes start at 0")
    _refuse(rows, codes != np.floor(codes), "a code that is no whole number", "cut the column into categories first")
    _refuse(
        rows,
        codes >= INEXACT,
        "a category code is too large for a float, which tells whole numbers apart up to 2^53",
        "give int64, or Int64 where there are gaps",
    )
    codes[gaps] = -1
    return codes.astype(np.int64)


def _object_codes(rows: npt.NDArray[Any], skip: bool) -> npt.NDArray[np.int64]:
    """Give codes that came as Python objects as int64, each by its value; a gap is -1."""
    codes = np.empty(rows.shape, np.int64)
    for (row, column), value in np.ndenumerate(rows):
        code = _plain(value, row, column, skip)
        if code is None:
            codes[row, column] = -1
            continue
        if isinstance(code, str):
            with suppress(ValueError):
                code = read_value(int, code)
        if isinstance(code, float):
            wrong = (
                ("a code that is no whole number", "cut the column into categories first")
                if math.isfinite(code)
                else ("Input X contains infinity", "category codes are whole numbers")
            )
            raise InputError(f"{wrong[0]}: {code} at row {row}, column {column}; {wrong[1]}")
        if not isinstance(code, int):
            raise InputTypeError(
                f"row {row}, column {column}: {value!r:.40} is no category code; codes are whole numbers, and "
                "other values are learnt with domain='values'"
            )
        if code < 0:
            refuse_negative(code, row, column)
        if code > LARGEST:
            refuse_large(code, row, column)
        codes[row, column] = code
    return codes


def code_table(X: Any) -> npt.NDArray[Any]:
    """Return rows of codes as one array; columns of a frame that are not of one type keep each number as it is."""
    frame = _frame(X)
    if frame is None or len(set(frame.schema.values())) == 1:
        return table(X.toarray() if hasattr(X, "toarray") else X)
    cells = np.empty(frame.shape, object)
    for j, column in enumerate(frame.iter_columns()):
        cells[:, j] = column.to_list()
    return cells


def raw_rows(X: Any, skip: bool, names: tuple[str, ...] | None) -> CategoryRows:
    """Take rows of values out of whatever holds them.

    Raises
    ------
    InputError, InputTypeError
        For rows of unequal length, gaps unless they are skipped, and things that are no values: each with its place.
    """
    rows = _rows(X)
    if not rows:
        raise InputError("Found array with 0 sample(s): X has no rows")
    for i, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
            raise InputTypeError(f"row {i} is {type(row).__name__}: each row is a sequence of values, one per column")
        if len(row) != len(rows[0]):
            raise InputError(f"row {i} has {len(row)} values, expected {len(rows[0])}")
    columns = []
    for j, column in enumerate(zip(*rows, strict=True)):
        known: dict[tuple[type, Any], Value | None] = {}
        plain: list[Value | None] = []
        for i, value in enumerate(column):
            try:
                key = (type(value), value)
                if key not in known:
                    known[key] = _plain(value, i, j, skip)
                plain.append(known[key])
            except TypeError as error:
                if isinstance(error, InputTypeError):
                    raise
                raise InputTypeError(
                    f"{value!r} at row {i}, column {j} is {type(value).__name__}: categories are text, numbers, "
                    "booleans, bytes or dates"
                ) from None
        columns.append(plain)
    return CategoryRows(None, columns, names, skip, len(rows))


def _plain(value: Any, row: int, column: int, skip: bool) -> Value | None:
    if is_missing(value):
        if not skip:
            raise InputError(
                f"Input X contains NaN or None: the first in column {column} at row {row}; fill the gaps, or use "
                "missing='skip' to leave them out"
            )
        return None
    try:
        return plain_value(value)
    except (InputError, InputTypeError) as error:
        raise type(error)(f"row {row}, column {column}: {error}") from None


def _rows(X: Any) -> list[Any]:
    frame = _frame(X)
    if frame is not None:
        return list(frame.rows())
    if hasattr(X, "tocsr"):
        raise InputTypeError(
            "Sparse data was passed, but values of categories come in rows: give a list, array or frame"
        )
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise InputError(f"Expected 2D array, got {X.ndim}D array instead: give one row of values per sample")
        if X.dtype.kind == "M":  # nanoseconds would come as numbers
            X = X.astype("datetime64[us]")
        return list(X.tolist())
    return list(X)


def _frame(X: Any) -> Any:
    if isinstance(X, (list, tuple, np.ndarray)) or hasattr(X, "tocsr"):
        return None
    import narwhals as nw  # 60 ms that rows of values should not cost

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, (numbers.Number, np.bool_)) or is_missing(value)


def _refuse(rows: npt.NDArray[Any], wrong: npt.NDArray[np.bool_], what: str, advice: str) -> None:
    if wrong.any():
        row, column = (int(each) for each in np.argwhere(wrong)[0])
        raise InputError(f"{what}: {rows[row, column]} at row {row}, column {column}; {advice}")


def refuse_large(code: int, row: int, column: int) -> None:
    """Raise the error for a code that there can be no table for.

    Raises
    ------
    InputError
    """
    raise InputError(f"a category code is too large: {code} at row {row}, column {column}; number the categories")


def refuse_negative(code: int, row: int, column: int) -> None:
    """Raise the error for a code below 0.

    Raises
    ------
    InputError
    """
    raise InputError(f"{NEGATIVE}: {code} at row {row}, column {column}; codes start at 0")
