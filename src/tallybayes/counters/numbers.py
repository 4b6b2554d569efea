"""Columns of numbers: rows → means and deviations of each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import InputError, InputTypeError
from ..labels import Labels
from ..space import Space
from ..tally import MomentTally, Tally
from .columns import ColumnCounter, check_missing
from .counts import real_numbers
from .frames import names_of, number_cells, table
from .rows import LabelledRows

__all__ = ["NumberCounter", "NumberRows"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NumberCounter(ColumnCounter):
    """Sums up columns of numbers: weight, mean and squared deviations.

    Parameters
    ----------
    missing : {"error", "skip"}
        What NaN is: an error, or a value left out.
    columns, n_columns
        As in `tallybayes.counters.columns.ColumnCounter`.

    Examples
    --------
    >>> counter = NumberCounter()
    >>> rows = counter.check([[1.0], [3.0], [7.0]])
    >>> labelled = LabelledRows.of(["low", "low", "high"], None, 3)
    >>> counter.settled(rows, labelled, 1).count(rows, labelled, 1).mean.tolist()
    [[7.0], [2.0]]
    """

    missing: Literal["error", "skip"] = "error"

    kind = "numbers"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_missing(self.missing)

    @property
    def skips(self) -> bool:
        """Whether NaN is left out."""
        return self.missing == "skip"

    @cached_property
    def space(self) -> Space:
        return Space("columns")

    def check(self, X: Any) -> NumberRows:
        rows = NumberRows.of(X, self.skips)
        self.require_columns(rows.n_columns, rows.names)
        return rows

    def count(self, rows: NumberRows, labelled: LabelledRows, n_jobs: int) -> MomentTally:
        whole, rows = rows, labelled.spread(rows)
        n_classes, weights = len(labelled.classes), labelled.weights
        given = (
            labelled.codes,
            n_classes,
            None if weights is None else weights.astype(np.float64, copy=False),
            self.skips,
        )
        if rows.csr is None:
            found = _kernel.moments(rows.data, *given, n_jobs=n_jobs)
        else:
            indptr, indices, data = rows.csr
            found = _kernel.moments_csr(indptr, indices, data, rows.n_columns, *given, n_jobs=n_jobs)
        if found["bad"] is not None:
            row, column = found["bad"]
            whole.refuse(labelled.row(row), column)
        shape = (n_classes, rows.n_columns)
        weight, mean, m2 = (found[name].reshape(shape) for name in ("weight", "mean", "m2"))
        if found["overflow"]:
            _check_squares(m2)
        # Without gaps every column weighs what its class weighs.
        class_count = labelled.class_count if self.skips or not rows.n_columns else weight[:, 0]
        low = found["low"].reshape(4, *shape)
        return MomentTally(labelled.classes, class_count, weight, mean, m2, self.columns, self.space, low)

    def describe(self, rows: NumberRows, i: int) -> Described:
        x, names = rows.dense(i), self.column_names()
        there = np.flatnonzero(~np.isnan(x)).tolist()
        texts = [f"{names[j]} = {x[j]:g}" for j in there]
        left_out = [name for j, name in enumerate(names) if np.isnan(x[j])]
        return Described.of_columns(texts, texts, there, [1] * len(there), x[there], left_out)

    def empty(self, classes: Labels) -> MomentTally:
        return MomentTally.empty(self.n_columns or 0, classes=classes, columns=self.columns, space=self.space)

    def from_cells(self, rows: Sequence[Sequence[Any]], where: Callable[[int], str], tally: Tally | None = None) -> Any:
        return number_cells(rows, where, self.column_names(), missing=self.skips)


class NumberRows:
    """Rows of numbers, dense or CSR.

    Attributes
    ----------
    data : float64 or float32 array in C order, of shape (n, d); for CSR rows their stored values
    csr : tuple of arrays, or None
        indptr, indices and data.
    n_columns : int
    names : tuple of str, or None
    skips : bool
        Whether NaN is left out.
    first : int
        What messages call the first row.
    """

    def __init__(
        self, data: Any, csr: Any, n_columns: int, names: tuple[str, ...] | None, skips: bool, first: int = 0
    ) -> None:
        self.data, self.csr, self.n_columns, self.names = data, csr, n_columns, names
        self.skips, self.first = skips, first

    @classmethod
    def of(cls, X: Any, skips: bool) -> NumberRows:
        """Take rows out of what holds them.

        Raises
        ------
        InputError, InputTypeError
            If X is not two-dimensional, or its values are no real numbers.
        """
        if hasattr(X, "tocsr"):
            matrix = X.tocsr()
            if skips and not matrix.has_canonical_format:
                matrix = matrix.copy()
                matrix.sum_duplicates()
            csr = (matrix.indptr.astype(np.int64, copy=False), matrix.indices, _floats(matrix.data))
            return cls(csr[2], csr, int(matrix.shape[1]), None, skips)
        values = table(X)
        if values.dtype.kind in "USO" or values.dtype.kind == "c":
            try:
                values = values.astype(np.float64) if values.dtype.kind != "c" else real_numbers(values)
            except (TypeError, ValueError) as error:
                raise InputTypeError(f"X must hold numbers: {error}") from None
        return cls(np.ascontiguousarray(_floats(values)), None, int(values.shape[1]), names_of(X), skips)

    def __len__(self) -> int:
        return len(self.data) if self.csr is None else len(self.csr[0]) - 1

    def part(self, begin: int, end: int) -> NumberRows:
        if self.csr is None:
            return NumberRows(self.data[begin:end], None, self.n_columns, self.names, self.skips, self.first + begin)
        indptr, indices, data = self.csr
        first, last = indptr[begin], indptr[end]
        csr = (indptr[begin : end + 1] - first, indices[first:last], data[first:last])
        return NumberRows(csr[2], csr, self.n_columns, self.names, self.skips, self.first + begin)

    def take(self, positions: npt.NDArray[np.int64]) -> NumberRows:
        if self.csr is None:
            return NumberRows(np.ascontiguousarray(self.data[positions]), None, self.n_columns, self.names, self.skips)
        indptr, indices, data = self.csr
        sizes = indptr[positions + 1] - indptr[positions]
        ends = np.concatenate(([0], np.cumsum(sizes)))
        at = np.arange(ends[-1]) + np.repeat(indptr[positions] - ends[:-1], sizes)
        csr = (ends, indices[at], data[at])
        return NumberRows(csr[2], csr, self.n_columns, self.names, self.skips)

    def column(self, j: int) -> npt.NDArray[Any]:
        """Return one column, shape (n,); what is stored twice adds up."""
        if self.csr is None:
            return self.data[:, j]  # type: ignore[no-any-return]
        indptr, indices, data = self.csr
        at = indices == j
        rows = np.repeat(np.arange(len(self)), np.diff(indptr))[at]
        return np.bincount(rows, data[at].astype(np.float64), len(self)).astype(np.float64, copy=False)

    def dense(self, i: int) -> Floats:
        """Return one row, shape (d,)."""
        part = self.part(i, i + 1)
        if part.csr is None:
            return np.asarray(part.data[0], np.float64)
        x = np.zeros(self.n_columns)
        np.add.at(x, part.csr[1], part.csr[2])
        return x

    def refuse(self, row: int, column: int) -> None:
        """Raise the error for a value that is not finite.

        Raises
        ------
        InputError
        """
        value, row = self.column(column)[row], row + self.first
        if np.isnan(value):
            raise InputError(
                f"Input X contains NaN: the first at row {row}, column {column}; fill the gaps, or use missing='skip' "
                "to leave them out"
            )
        raise InputError(
            f"Input X contains infinity: {value} at row {row}, column {column}; clip or remove such values"
        )


def _floats(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values as float64 or float32 in the byte order of this machine."""
    if values.dtype in (np.dtype(np.float64), np.dtype(np.float32)):
        return values
    return values.astype(np.float64)


def _check_squares(m2: Floats) -> None:
    """Refuse sums of squares that left the range of float64."""
    wrong = ~np.isfinite(m2)
    if wrong.any():
        column = int(wrong.any(axis=0).argmax())
        raise InputError(
            f"column {column} holds values whose squares are beyond float64 (about 1e308); divide the column first"
        )
