"""Columns of counts: the rows of a matrix, sparse or dense.

A sparse matrix is known by its attributes (``indptr``, ``indices``, ``data``, or ``tocsr()``): scipy is not imported.
Its values are read where they lie, whatever number type they have; dense rows are handed over as sparse ones in blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import InputError, InputTypeError, ParameterError
from ..labels import Labels
from ..space import Space
from ..tally import ColumnFeatures, CountTally, Tally
from .columns import ColumnCounter
from .frames import names_of, number_cells, table
from .rows import LabelledRows
from .text import LinearTable, checked_channels, counted

__all__ = ["CountCounter", "MatrixRows", "real_numbers"]

Floats = npt.NDArray[np.float64]

BLOCK = 1 << 22  # values of dense rows that are handed over at a time: 16 MB of column numbers beside them


class Csr(NamedTuple):
    """Some rows, as the kernel takes them, and the number of the first."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[Any]
    data: npt.NDArray[Any]
    first: int


@dataclass(frozen=True)
class CountCounter(ColumnCounter):
    """Sums up columns of counts.

    Parameters
    ----------
    channels : sequence of {"occurrences", "documents"}
        Sums of the values, and/or the number of rows whose value is above `threshold`.
    threshold : float or None
        A row holds a column where its value is above this; None: where it is not 0, and values other than 0 and 1 are
        refused. Only for `documents` alone; else 0.
    columns, n_columns
        As in `tallybayes.counters.columns.ColumnCounter`.
    reader : str
        Who the data was passed to, for messages.

    Examples
    --------
    >>> counter = CountCounter()
    >>> rows = counter.check([[2, 0, 1], [0, 3, 0]])
    >>> labelled = LabelledRows.of(["a", "b"], None, 2)
    >>> counter.settled(rows, labelled, 1).count(rows, labelled, 1).dense("occurrences").tolist()
    [[2, 0, 1], [0, 3, 0]]
    """

    channels: tuple[str, ...] = ("occurrences",)
    threshold: float | None = 0.0
    reader: str = ""

    kind = "counts"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "channels", checked_channels(self.channels))
        if not isinstance(self.reader, str):
            raise ParameterError(f"reader must be a name; got {self.reader!r}")
        threshold = self.threshold
        if threshold is not None:
            number = isinstance(threshold, (int, float, np.integer, np.floating)) and not isinstance(threshold, bool)
            if not (number and np.isfinite(threshold)):
                raise ParameterError(f"binarize must be a finite number or None; got {threshold!r}")
            object.__setattr__(self, "threshold", float(threshold))
        if self.threshold != 0 and self.present != self.channels:
            raise ParameterError("a threshold says which columns a row holds: it goes with channels='documents' only")

    @property
    def present(self) -> tuple[str, ...]:
        """The channels of a counter that asks only whether a column is there."""
        return ("documents",)

    @property
    def negative(self) -> bool:
        """Whether values below 0 can be used."""
        return self.channels == self.present

    @cached_property
    def space(self) -> Space:
        return Space("columns", {"binarize": self.threshold or 0.0} if self.negative else {})

    def check(self, X: Any) -> MatrixRows:
        rows = MatrixRows.of(self, X)
        self.require_columns(rows.n_columns, rows.names)
        if self.negative:
            rows.check_presence(self.threshold)
        return rows

    def count(self, rows: MatrixRows, labelled: LabelledRows, n_jobs: int) -> CountTally:
        rows = labelled.spread(rows)
        parts: list[CountTally] = []
        for block in rows.blocks():
            own = labelled.part(block.first, block.first + len(block.indptr) - 1)
            counts = _kernel.count_csr(
                block.indptr,
                block.indices,
                block.data,
                rows.n_columns,
                own.codes,
                max(len(labelled.classes), 1),
                weights=None if own.weights is None else own.weights.astype(np.float64),
                whole_weights=labelled.exact,
                occurrences="occurrences" in self.channels,
                documents="documents" in self.channels,
                threshold=self.threshold or 0.0,
                negative=self.negative,
                spare=None,
                n_jobs=n_jobs,
            )
            if counts["bad"] is not None:
                row, *found = counts["bad"]
                refuse((labelled.row(block.first + row), *found), rows.first, self.reader)
            parts.append(
                counted(
                    counts,
                    own,
                    ColumnFeatures(counts["columns"], rows.n_columns),
                    self.space,
                    self.channels,
                    exact=counts[self.channels[0]].dtype == np.int64,
                    columns=self.columns,
                )
            )
        tally: CountTally = CountTally.sum(parts) if parts else self.empty(labelled.classes)
        return tally

    def describe(self, rows: MatrixRows, i: int) -> Described:
        x = rows.dense(i)
        columns = np.flatnonzero(x > (self.threshold or 0.0))
        names = [self.column_names()[j] for j in columns.tolist()]
        if self.negative:
            return Described.of_columns(names, names, columns.tolist(), [1] * len(names), np.ones(len(names)))
        amounts = [int(value) if value.is_integer() else value for value in x[columns].tolist()]
        pieces = [f"{name} = {amount}" for name, amount in zip(names, amounts, strict=True)]
        return Described.of_columns(names, pieces, columns.tolist(), amounts, x[columns])

    def empty(self, classes: Labels) -> CountTally:
        return CountTally(
            classes,
            np.zeros(len(classes)),
            ColumnFeatures(np.zeros(0, np.int64), self.n_columns or 0),
            [0],
            [],
            {channel: [] for channel in self.channels},
            self.space,
            columns=self.columns,
        )

    def from_cells(self, rows: Sequence[Sequence[Any]], where: Callable[[int], str], tally: Tally | None = None) -> Any:
        return number_cells(rows, where, self.column_names(), missing=False)


class MatrixRows:
    """The rows of a matrix; values are never converted as a whole where the kernel can read them.

    Attributes
    ----------
    counter : CountCounter
    n_columns : int
    names : tuple of str, or None
    first : int
        What messages call the first row.
    """

    def __init__(self, counter: CountCounter, rows: Any, names: tuple[str, ...] | None, first: int = 0) -> None:
        self.counter, self._rows, self.names, self.first = counter, rows, names, first
        self._sparse = isinstance(rows, Csr)
        self.n_columns: int = counter.n_columns or 0

    @classmethod
    def of(cls, counter: CountCounter, X: Any) -> MatrixRows:
        """Take rows out of what holds them.

        Raises
        ------
        InputError
            If X is not two-dimensional.
        InputTypeError
            If its values are no real numbers.
        """
        matrix = X.tocsr() if hasattr(X, "tocsr") else X
        if all(hasattr(matrix, name) for name in ("indptr", "indices", "data", "shape")):
            indices = np.ascontiguousarray(matrix.indices)
            if indices.dtype not in (np.int32, np.int64):
                indices = indices.astype(np.int64)
            rows: Any = Csr(matrix.indptr.astype(np.int64, copy=False), indices, real_numbers(matrix.data), 0)
            made, width = cls(counter, rows, None), int(matrix.shape[1])
        else:
            rows = real_numbers(table(X))
            made, width = cls(counter, rows, names_of(X)), int(rows.shape[1])
        made.n_columns = width
        return made

    def __len__(self) -> int:
        return len(self._rows.indptr) - 1 if self._sparse else len(self._rows)

    def _like(self, rows: Any, first: int) -> MatrixRows:
        made = MatrixRows(self.counter, rows, self.names, first)
        made.n_columns = self.n_columns
        return made

    def part(self, begin: int, end: int) -> MatrixRows:
        if not self._sparse:
            return self._like(self._rows[begin:end], self.first + begin)
        first, last = self._rows.indptr[begin], self._rows.indptr[end]
        indptr = self._rows.indptr[begin : end + 1] - first
        part = Csr(indptr, self._rows.indices[first:last], self._rows.data[first:last], 0)
        return self._like(part, self.first + begin)

    def take(self, positions: npt.NDArray[np.int64]) -> MatrixRows:
        if not self._sparse:
            return self._like(self._rows[positions], 0)
        starts = self._rows.indptr[positions]
        sizes = self._rows.indptr[positions + 1] - starts
        ends = np.concatenate(([0], np.cumsum(sizes)))
        at = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes)
        return self._like(Csr(ends, self._rows.indices[at], self._rows.data[at], 0), 0)

    def blocks(self) -> Iterator[Csr]:
        """Yield the rows in blocks of CSR."""
        if self._sparse:
            yield self._rows
            return
        step = max(1, BLOCK // max(1, self.n_columns))
        columns = np.tile(np.arange(self.n_columns, dtype=np.int32), min(step, len(self)))
        for first in range(0, len(self), step):
            block = self._rows[first : first + step]
            ends = np.arange(len(block) + 1, dtype=np.int64) * self.n_columns
            yield Csr(ends, columns[: block.size], np.ascontiguousarray(block).reshape(-1), first)

    def dense(self, i: int) -> Floats:
        """Lay one row out, shape (d,); what a sparse row stores twice adds up."""
        if not self._sparse:
            return np.asarray(self._rows[i], np.float64)
        own = slice(self._rows.indptr[i], self._rows.indptr[i + 1])
        x = np.zeros(self.n_columns)
        np.add.at(x, self._rows.indices[own], self._rows.data[own])
        return x

    def check_presence(self, threshold: float | None) -> None:
        """Refuse rows of which no threshold tells what they hold."""
        if self._sparse and threshold is not None and threshold < 0:
            raise InputError("Cannot binarize a sparse matrix with threshold < 0: its zeros would all be present")
        if threshold is None:
            values = self._rows.data if self._sparse else self._rows
            strange = values[(values != 0) & (values != 1)]
            if strange.size:
                raise InputError(
                    f"with binarize=None all values must be 0 or 1, and {strange.flat[0]} is among them; give binarize "
                    "a threshold"
                )

    def lookup(self, table: LinearTable) -> MatrixLookup:
        """Return what scores rows of a matrix by a table."""
        return MatrixLookup(self.counter, table)


class MatrixLookup:
    """A score table over all columns, as the kernel reads it."""

    def __init__(self, counter: CountCounter, table: LinearTable) -> None:
        self._counter, self._table = counter, table
        self._dense = table.laid_out()

    def score(self, rows: MatrixRows, out: Floats, n_jobs: int) -> Floats | None:
        """Fill in the scores of rows, shape (n, K); return how many zero factors they have, if any can be."""
        self._score(rows, self._dense, self._table.value, out, n_jobs)
        zeros = self._table.zeros
        return None if zeros is None else self._score(rows, zeros, "binary", np.empty_like(out), n_jobs)

    def _score(self, rows: MatrixRows, table: _kernel.ScoreTable, value: str, out: Floats, n_jobs: int) -> Floats:
        for block in rows.blocks():
            own = out[block.first : block.first + len(block.indptr) - 1]
            bad = _kernel.score_csr(
                block.indptr,
                block.indices,
                block.data,
                table,
                own,
                value=value,
                threshold=self._counter.threshold or 0.0,
                negative=self._counter.negative,
                unknown=None,
                n_jobs=n_jobs,
            )
            refuse(bad, rows.first + block.first, self._counter.reader)
        return out


def refuse(bad: tuple[int, int, float] | None, first: int, reader: str) -> None:
    """Raise the error for the first value that the kernel refused, if there was one.

    Raises
    ------
    InputError
    """
    if bad is None:
        return
    row, column, value = bad
    place = f"row {first + row}, column {column}"
    if np.isnan(value):
        raise InputError(f"Input X contains NaN: {place}. Counts must be known; leave such rows out or fill the gaps")
    if np.isinf(value):
        raise InputError(f"Input X contains infinity: {place}. Counts must be finite")
    whom = f" passed to {reader} (input X)" if reader else ""
    raise InputError(
        f"Negative values in data{whom}: {place} is {value:g}. Counts must be at least 0; was the data scaled, or "
        "hashed with signs (alternate_sign=True)?"
    )


def real_numbers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values in a type that the kernel reads: any but half and long floats stay as they are.

    Raises
    ------
    InputTypeError
        If they are no real numbers.
    """
    if values.dtype == object:
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputTypeError(f"X must hold numbers: {error}") from None
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
    if values.dtype.kind not in "biuf":
        raise InputTypeError(
            f"X must hold real numbers, not {values.dtype}: text goes to TextClassifier or a vectorizer"
        )
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values if values.ndim != 1 else np.ascontiguousarray(values)
