"""What every counter takes: labelled rows, and rows to score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..errors import InputError, ParameterError
from ..labels import Labels

__all__ = ["THREADS", "LabelledRows", "Rows", "threads"]


class Rows(Protocol):
    """Rows that were checked and laid out for the kernel; how, their counter and the scores of its tallies know."""

    def __len__(self) -> int: ...

    def part(self, begin: int, end: int) -> Self:
        """Return the rows from `begin` to before `end`, without a copy of what they hold."""

    def take(self, positions: npt.NDArray[np.int64]) -> Self:
        """Return the rows at some positions, which may repeat."""


@dataclass(frozen=True)
class LabelledRows:
    """The labels and weights of some rows, checked.

    Attributes
    ----------
    classes : Labels
        K classes.
    codes : ndarray of int32, shape (m,)
        The class of each row.
    weights : ndarray of int64 or float64, shape (m,), or None
        None: every row weighs 1.
    positions : ndarray of int64, shape (m,), or None
        The row that each of the m codes and weights is about, where a row may belong to several classes; None where
        there is one for each row.
    n_rows : int
        The number of rows, n; by default m.

    Examples
    --------
    >>> rows = LabelledRows.of(["spam", "ham", "spam"], None, 3)
    >>> rows.codes.tolist(), rows.class_count.tolist()
    ([1, 0, 1], [1, 2])
    >>> soft = LabelledRows.soft(rows.classes, [[0.25, 0.75], [1.0, 0.0]])
    >>> soft.positions.tolist(), soft.codes.tolist(), soft.weights.tolist()
    ([0, 0, 1], [0, 1, 0], [0.25, 0.75, 1.0])
    """

    classes: Labels
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any] | None
    positions: npt.NDArray[np.int64] | None = None
    n_rows: int = -1

    def __post_init__(self) -> None:
        if self.n_rows < 0:
            object.__setattr__(self, "n_rows", len(self.codes))

    @classmethod
    def of(cls, labels: Any, weights: Any, n_rows: int, classes: Labels | None = None) -> LabelledRows:
        """Return the labels and weights of n rows, checked.

        Parameters
        ----------
        labels : sequence, length n; or LabelledRows, which are what they are
        weights : array-like of shape (n,), or None
            Finite, not negative, not all zero. If all are whole, sums stay exact.
        n_rows : int
        classes : Labels, optional
            The classes there are; any other label is refused. By default those of `labels`.

        Raises
        ------
        InputError
            If a label is missing, of mixed kinds or unknown, if a weight cannot be used, or if the lengths differ.
        """
        if isinstance(labels, LabelledRows):
            if labels.n_rows != n_rows:
                raise InputError(f"every row needs a label: {n_rows} rows came with labels of {labels.n_rows}")
            return labels
        if classes is None:
            classes, codes = Labels.of(labels)
        else:
            codes = classes.codes(labels)
        if len(codes) != n_rows:
            raise InputError(f"every row needs a label: {n_rows} rows came with {len(codes)} labels")
        return cls.coded(classes, codes, weights)

    @classmethod
    def coded(cls, classes: Labels, codes: npt.NDArray[np.int32], weights: Any = None) -> LabelledRows:
        """Return rows whose classes are known by number, `codes`, with their weights checked; see `of`."""
        return cls(classes, codes, None if weights is None else _checked_weights(weights, len(codes)))

    @classmethod
    def soft(cls, classes: Labels, weights: Any) -> LabelledRows:
        """Return rows that may belong to several classes each.

        Parameters
        ----------
        classes : Labels
            K classes.
        weights : array-like of shape (n, K)
            How much each row counts for each class.

        Raises
        ------
        InputError
            If a weight is negative or not finite, or there is another number of columns than of classes.
        """
        table = np.asarray(weights, np.float64)
        if table.ndim != 2 or table.shape[1] != len(classes):
            raise InputError(f"soft labels are a table of rows by {len(classes)} classes; got shape {table.shape}")
        bad = np.argwhere(~(np.isfinite(table) & (table >= 0)))
        if bad.size:
            row, column = bad[0].tolist()
            raise InputError(
                f"soft labels are finite and at least 0; got {table[row, column]} at row {row}, class "
                f"{classes[column]!r}"
            )
        positions, codes = np.nonzero(table)
        chosen = cls.coded(classes, codes.astype(np.int32), table[positions, codes])
        return replace(chosen, positions=positions.astype(np.int64), n_rows=len(table))

    @cached_property
    def class_count(self) -> npt.NDArray[Any]:
        """Rows of each class, or the sum of their weights: int64 or float64, shape (K,)."""
        if self.weights is None:
            return _kernel.count_classes(self.codes, len(self.classes))
        return np.bincount(self.codes, self.weights, len(self.classes)).astype(self.weights.dtype)

    @property
    def exact(self) -> bool:
        """Whether all weights are whole."""
        return self.weights is None or self.weights.dtype == np.int64

    def part(self, begin: int, end: int) -> LabelledRows:
        """Return the codes and weights from `begin` to before `end`; all weights of a part may be zero."""
        if end - begin == len(self.codes):
            return self
        weights = None if self.weights is None else self.weights[begin:end]
        return LabelledRows(self.classes, self.codes[begin:end], weights)

    def row(self, i: int) -> int:
        """Return the number of the row that code `i` is about."""
        return i if self.positions is None else int(self.positions[i])

    def spread(self, rows: Any) -> Any:
        """Return the rows that the codes are about: the same, or repeated where they have several classes."""
        return rows if self.positions is None else rows.take(self.positions)


def _checked_weights(weights: Any, n_rows: int) -> npt.NDArray[Any]:
    if isinstance(weights, np.ma.MaskedArray) and np.ma.getmaskarray(weights).any():
        row = int(np.ma.getmaskarray(weights).argmax())
        raise InputError(f"sample_weight is masked at row {row}: fill it in, or leave the row out")
    try:
        values = np.asarray(weights, np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"sample_weight must be numbers, one per row; got {weights!r:.80}") from None
    if values.ndim == 0:
        values = np.full(n_rows, values)
    if values.shape != (n_rows,):
        raise InputError(
            f"sample_weight must be one number per row: {n_rows} rows, weights of shape {values.shape}"
            + ("; Sample weights must be 1D array or scalar" if values.ndim > 1 else "")
        )
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        trouble = "Negative values" if values[bad[0]] < 0 else "NaN or infinity"
        raise InputError(
            f"{trouble} in data passed to `sample_weight`: weights are finite and at least 0, got {values[bad[0]]} at "
            f"row {bad[0]}"
        )
    if n_rows and not values.any():
        raise InputError(
            "Sample weights must contain at least one non-zero number: with all of them zero there is nothing to learn"
        )
    whole = (values == np.floor(values)).all() and values.sum() < 2**53
    return values.astype(np.int64) if whole else values


THREADS = 1024  # the most that the kernel starts


def threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for: None is 1, -1 all cores.

    Raises
    ------
    ParameterError
        If it is 0, below -1, above `THREADS`, or no whole number.
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0 or n_jobs < -1:
        raise ParameterError(f"n_jobs must be None (1 thread), -1 (all cores) or a number of threads; got {n_jobs!r}")
    if n_jobs == -1:
        import os

        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, THREADS)
    if n_jobs > THREADS:
        raise ParameterError(f"n_jobs must be at most {THREADS} threads; got {n_jobs!r}")
    return int(n_jobs)
