"""Columns of categories: whole numbers that are codes, or values of any kind."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import InputError, InputTypeError, ParameterError
from ..labels import Labels
from ..space import Space
from ..store import Blocks
from ..tally import CountTally, Tally, TextFeatures
from ..tally.values import Value, decode_value, encode_value, is_missing, plain_value, read_value
from .base import Counter
from .frames import names_of, one_row
from .rows import LabelledRows
from .text import counted

__all__ = ["CategoryCounter", "CategoryRows", "CategoryTable", "holds_codes"]

Codes = npt.NDArray[Any]

TABLE = 1 << 24  # cells of classes × codes up to which codes are counted in a dense table


class CategoryTable(Protocol):
    """What rows of values ask of a score table."""

    def positions(self, column: int, values: list[tuple[type, Value] | None], first_row: int) -> npt.NDArray[np.int64]:
        """Number values of a column as the table does; None is missing."""


@dataclass(frozen=True)
class CategoryCounter(Counter):
    """Counts the values of columns.

    Parameters
    ----------
    domain : {"auto", "codes", "values"}
        What rows hold: codes 0 … n - 1 (arrays and frames of numbers), or values (everything else).
    missing : {"error", "skip"}
        "skip" leaves NaN and None out.
    columns : sequence of str, optional
        Names of the columns.
    n_columns : int, optional
        By default that of the first rows.

    Examples
    --------
    >>> counter = CategoryCounter()
    >>> rows = counter.check([("red", "round"), ("green", "long")])
    >>> labelled = LabelledRows.of(["apple", "melon"], None, 2)
    >>> counter.settled(rows, labelled, 1).count(rows, labelled, 1).features.labels()
    ['0000000sgreen', '0000000sred', '0000001slong', '0000001sround']
    """

    domain: Literal["auto", "codes", "values"] = "auto"
    missing: Literal["error", "skip"] = "error"
    columns: tuple[str, ...] | None = None
    n_columns: int | None = None

    kind = "categories"

    def __post_init__(self) -> None:
        if self.domain not in ("auto", "codes", "values"):
            raise ParameterError(f"domain must be 'auto', 'codes' or 'values'; got {self.domain!r}")
        if self.missing not in ("error", "skip"):
            raise ParameterError(f"missing must be 'error' or 'skip'; got {self.missing!r}")

    @property
    def skips(self) -> bool:
        """Whether gaps are left out."""
        return self.missing == "skip"

    @property
    def space(self) -> Space:
        return Space("values", {"domain": self.domain, "n_columns": self.n_columns})

    @property
    def ready(self) -> bool:
        return self.n_columns is not None and self.domain != "auto"

    def settled(self, rows: CategoryRows, labelled: LabelledRows, n_jobs: int) -> CategoryCounter:
        if self.ready:
            return self
        domain: Literal["codes", "values"] = "codes" if rows.values is None else "values"
        return replace(self, domain=domain, n_columns=rows.n_columns, columns=rows.names or self.columns)

    def settled_for(self, tally: Tally) -> CategoryCounter:
        rules = tally.space.rules
        if tally.space.kind != "values":
            return replace(self, domain="values", n_columns=0)
        return replace(self, domain=rules["domain"], n_columns=rules["n_columns"], columns=tally.columns)

    def named(self, columns: tuple[str, ...] | None) -> CategoryCounter:
        return self if columns == self.columns else replace(self, columns=columns)

    def takes_codes(self, X: Any) -> bool:
        """Whether X is read as codes."""
        return self.domain == "codes" or (self.domain == "auto" and holds_codes(X))

    def check(self, X: Any) -> CategoryRows:
        names = names_of(X)
        if self.takes_codes(X):
            codes = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
            if codes.ndim != 2:
                raise InputError(
                    f"Expected 2D array, a table of rows and columns; got {codes.ndim} dimension(s). Reshape your "
                    "data: a single row is X.reshape(1, -1)"
                )
            rows = CategoryRows(np.ascontiguousarray(code_rows(codes, self.skips)), None, names, self.skips)
        else:
            rows = raw_rows(X, self.skips, names)
        self.require_columns(rows.n_columns, names)
        return rows

    def check_one(self, row: Any) -> CategoryRows:
        return self.check(one_row(row))

    def count(self, rows: CategoryRows, labelled: LabelledRows, n_jobs: int) -> CountTally:
        rows = labelled.spread(rows)
        codes, values = rows.numbered()
        slots, counts, named = self._cells(codes, values, labelled, n_jobs)
        order = sorted(range(len(slots)), key=named.__getitem__)  # as bytes: UTF-8 keeps the order of code points
        sizes = np.diff(counts["indptr"])[order]
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        cells = np.arange(ends[-1]) + np.repeat(counts["indptr"][:-1][order] - ends[:-1], sizes)
        counts = {
            "indptr": ends,
            "class_index": counts["class_index"][cells],
            "documents": counts["documents"][cells],
        }
        exact = counts["documents"].dtype == np.int64
        features = TextFeatures.of(named[i] for i in order)
        return counted(counts, labelled, features, self.space, ("documents",), exact=exact, columns=self.columns)

    def _cells(
        self, codes: Codes, values: list[list[Value]] | None, labelled: LabelledRows, n_jobs: int
    ) -> tuple[Any, dict[str, npt.NDArray[Any]], list[str]]:
        """Count codes: the features with a cell, their cells by class, and their names."""
        n_classes, n_columns = len(labelled.classes), codes.shape[1]
        gaps = codes.dtype != np.uint8 and self.skips
        found = _kernel.count_codes(
            codes, labelled.codes, n_classes, labelled.weights, gaps, limit=TABLE, n_jobs=n_jobs
        )
        if found["negative"] is not None:
            row, column = found["negative"]
            refuse_negative(int(codes[row, column]), row, column)
        counts: dict[str, npt.NDArray[Any]]
        if not found["too_wide"]:
            sizes = found["size"]
            table = found["cells"].reshape(n_classes, -1).T
            filled = np.flatnonzero(table.any(axis=1))
            column_of = np.repeat(np.arange(n_columns), sizes)
            code_of = np.arange(len(column_of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            table = table[filled]
            feature, class_index = np.nonzero(table)
            counts = {
                "indptr": np.concatenate([[0], np.cumsum(np.bincount(feature, minlength=len(filled)))]),
                "class_index": class_index,
                "documents": table[feature, class_index],
            }
            column_of, code_of = column_of[filled], code_of[filled]
        else:
            # Few of very many codes, or very many classes: cells only where something was counted.
            distinct = [np.unique(codes[:, j], return_inverse=True) for j in range(n_columns)]
            starts = np.cumsum([0] + [len(each) for each, _ in distinct])
            numbered = np.stack(
                [numbers + start for (_, numbers), start in zip(distinct, starts, strict=False)], axis=1
            )
            there = codes >= 0
            counts = _kernel.count_csr(
                np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64),
                numbered[there].astype(np.int64),
                np.ones(int(there.sum()), np.uint8),
                int(starts[-1]),
                labelled.codes,
                n_classes,
                weights=None if labelled.weights is None else labelled.weights.astype(np.float64),
                whole_weights=labelled.exact,
                occurrences=False,
                documents=True,
                threshold=0.0,
                negative=False,
                spare=None,
                n_jobs=n_jobs,
            )
            filled = counts["columns"]
            column_of = np.searchsorted(starts, filled, side="right") - 1
            code_of = np.concatenate([each for each, _ in distinct])[filled]
        pairs = zip(column_of.tolist(), code_of.tolist(), strict=True)
        return filled, counts, [encode_value(j, code if values is None else values[j][code]) for j, code in pairs]

    def describe(self, rows: CategoryRows, i: int) -> Described:
        row, names = rows.row(i), self.column_names()
        there = [j for j, value in enumerate(row) if value is not None]
        texts = [f"{names[j]} = {row[j]}" for j in there]
        left_out = [name for j, name in enumerate(names) if row[j] is None]
        keys = [(j, row[j]) for j in there]
        return Described.of_columns(texts, texts, keys, [1] * len(there), np.ones(len(there)), left_out)

    def empty(self, classes: Labels) -> CountTally:
        return CountTally(
            classes,
            np.zeros(len(classes)),
            TextFeatures.of([]),
            [0],
            [],
            {"documents": []},
            self.space,
            columns=self.columns,
        )

    def from_cells(self, rows: Sequence[Sequence[Any]], where: Callable[[int], str], tally: Tally) -> Any:
        names = self.column_names()
        types: list[set[type]] = [set() for _ in names]
        for feature in tally.features.labels() if isinstance(tally, CountTally) else ():
            column, value = decode_value(str(feature))
            types[column].add(type(value))
        read = []
        for i, row in enumerate(rows):
            if len(row) != len(names):
                raise InputError(f"{where(i)}: {len(row)} columns, the model is expecting {len(names)}")
            cells: list[Any] = []
            for name, kinds, cell in zip(names, types, row, strict=True):
                if cell is None or cell == "":
                    cells.append(None)
                elif not isinstance(cell, str) or str in kinds or len(kinds) != 1:
                    cells.append(cell)
                else:
                    (kind,) = kinds
                    try:
                        cells.append(read_value(kind, cell))
                    except ValueError:
                        raise InputError(
                            f"{where(i)}: {name} is {cell!r:.40}; the model knows {kind.__name__} there"
                        ) from None
            read.append(cells)
        return read

    def to_json(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "missing": self.missing,
            "columns": None if self.columns is None else list(self.columns),
            "n_columns": self.n_columns,
        }

    @classmethod
    def from_json(cls, said: Mapping[str, Any], arrays: Blocks, prefix: str) -> CategoryCounter:
        names = said["columns"]
        return cls(said["domain"], said["missing"], None if names is None else tuple(names), said["n_columns"])


class CategoryRows:
    """Rows of categories.

    Attributes
    ----------
    codes : array of shape (n, d), or None
        Where rows hold codes; a gap is -1.
    values : list of d lists of n (type, value), or None
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
        values: list[list[tuple[type, Value] | None]] | None,
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
            index: dict[tuple[type, Value] | None, int] = {None: -1}
            codes[:, j] = [index.setdefault(value, len(index) - 1) for value in column]
            found.append([value[1] for value in index if value is not None])
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
        cells = [column[i] for column in self.values or ()]
        return [None if cell is None else cell[1] for cell in cells]


def holds_codes(X: Any) -> bool:
    """Whether X holds numbers (and gaps) only, which are codes then."""
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
    InputError
        For fractions, infinity, negative numbers, and for gaps unless they are skipped: each with its place.
    """
    if rows.dtype == bool:
        return rows.view(np.uint8)
    if rows.dtype in (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.uint8)):
        if rows.dtype != np.uint8 and skip and rows.size and rows.min() < 0:
            row, column = (int(each) for each in np.argwhere(rows < 0)[0])
            refuse_negative(int(rows[row, column]), row, column)
        return rows
    if rows.dtype.kind in "iu":
        if rows.dtype == np.uint64 and rows.size and rows.max() > np.iinfo(np.int64).max:
            _refuse(rows, rows > np.iinfo(np.int64).max, "a category code is too large", "number the categories")
        return rows.astype(np.int64)
    if rows.dtype.kind == "c":
        raise InputTypeError("Complex data not supported: category codes are whole numbers")
    rows = rows.astype(np.float64)
    gaps = np.isnan(rows)
    if gaps.any() and not skip:
        _refuse(rows, gaps, "Input X contains NaN", "fill the gaps, or use missing='skip' to leave them out")
    _refuse(rows, np.isinf(rows), "Input X contains infinity", "category codes are whole numbers")
    codes = np.where(gaps, 0.0, rows)
    _refuse(rows, codes < 0, NEGATIVE, "codes start at 0")
    _refuse(rows, codes != np.floor(codes), "a code that is no whole number", "cut the column into categories first")
    _refuse(rows, codes >= 2.0**63, "a category code is too large", "number the categories")
    codes[gaps] = -1
    return codes.astype(np.int64)


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
        known: dict[tuple[type, Any], tuple[type, Value] | None] = {}
        typed: list[tuple[type, Value] | None] = []
        for i, value in enumerate(column):
            try:
                key = (type(value), value)
                if key not in known:
                    known[key] = _typed(value, i, j, skip)
                typed.append(known[key])
            except TypeError as error:
                if isinstance(error, InputTypeError):
                    raise
                raise InputTypeError(
                    f"{value!r} at row {i}, column {j} is {type(value).__name__}: categories are text, numbers, "
                    "booleans, bytes or dates"
                ) from None
        columns.append(typed)
    return CategoryRows(None, columns, names, skip, len(rows))


def _typed(value: Any, row: int, column: int, skip: bool) -> tuple[type, Value] | None:
    if is_missing(value):
        if not skip:
            raise InputError(
                f"Input X contains NaN or None: the first in column {column} at row {row}; fill the gaps, or use "
                "missing='skip' to leave them out"
            )
        return None
    try:
        plain = plain_value(value)
    except InputTypeError as error:
        raise InputTypeError(f"row {row}, column {column}: {error}") from None
    if is_missing(plain):
        return _typed(plain, row, column, skip)
    return type(plain), plain


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


NEGATIVE = "Negative values in data passed to CategoricalNB (input X)"


def refuse_negative(code: int, row: int, column: int) -> None:
    """Raise the error for a code below 0.

    Raises
    ------
    InputError
    """
    raise InputError(f"{NEGATIVE}: {code} at row {row}, column {column}; codes start at 0")
