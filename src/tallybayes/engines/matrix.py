"""Counting and scoring the rows of a matrix, sparse or dense, on this machine.

A sparse matrix is known by its attributes (``indptr``, ``indices``, ``data``, or ``tocsr()``): scipy is not imported.
Its values are read where they lie, whatever number type they have; dense rows are handed over as sparse ones in blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..errors import InputError, InputTypeError
from ..labels import Labels
from ..tally.count import CountTally
from ..tally.features import ColumnFeatures
from ..text.space import Space
from .local import LabelledRows, labelled_rows, tally_from, threads

__all__ = ["count_matrix", "score_matrix"]

BLOCK = 1 << 22  # values of dense rows that are handed over at a time: 16 MB of column numbers beside them


class Csr(NamedTuple):
    """Some rows, as the kernel takes them, and the number of the first."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[Any]
    data: npt.NDArray[Any]
    first: int


class Rows:
    """The rows of a matrix in blocks of CSR; values are never converted as a whole where the kernel can read them.

    Parameters
    ----------
    X : sparse matrix or array of any format, or array-like of shape (n, n_columns)

    Raises
    ------
    InputError
        If X is not two-dimensional.
    InputTypeError
        If its values are no real numbers.
    """

    def __init__(self, X: Any) -> None:
        sparse = X.tocsr() if hasattr(X, "tocsr") else X
        self._csr = sparse if all(hasattr(sparse, name) for name in ("indptr", "indices", "data", "shape")) else None
        self._dense: npt.NDArray[Any] = np.zeros((0, 0))
        if self._csr is None:
            self._dense = _numbers(np.asarray(X))
            if self._dense.ndim != 2:
                raise InputError(
                    f"Expected 2D array, a table of rows and columns; got {self._dense.ndim} dimension(s). "
                    "Reshape your data: a single row is X.reshape(1, -1)"
                )
        self.n_rows, self.n_columns = map(int, (self._dense if self._csr is None else self._csr).shape)

    def __iter__(self) -> Iterator[Csr]:
        if self._csr is not None:
            indices = np.ascontiguousarray(self._csr.indices)
            if indices.dtype not in (np.int32, np.int64):
                indices = indices.astype(np.int64)
            yield Csr(self._csr.indptr.astype(np.int64, copy=False), indices, _numbers(self._csr.data), 0)
            return
        step = max(1, BLOCK // max(1, self.n_columns))
        columns = np.tile(np.arange(self.n_columns, dtype=np.int32), min(step, self.n_rows))
        for first in range(0, self.n_rows, step):
            block = self._dense[first : first + step]
            ends = np.arange(len(block) + 1, dtype=np.int64) * self.n_columns
            yield Csr(ends, columns[: block.size], np.ascontiguousarray(block).reshape(-1), first)


def count_matrix(
    X: Any,
    labels: Any,
    *,
    weights: Any = None,
    channels: Iterable[str] = ("occurrences",),
    threshold: float = 0.0,
    negative: bool = False,
    n_jobs: int | None = None,
    classes: Labels | None = None,
    space: Space | None = None,
    reader: str = "",
) -> CountTally:
    """Count the columns of labelled rows.

    Parameters
    ----------
    X : sparse matrix or array, or array-like, of shape (n, n_columns)
        Counts. Never changed; duplicate entries of a sparse row are one entry, their sum.
    labels : sequence, length n, or LabelledRows
        LabelledRows hold weights and classes already.
    weights : array-like of shape (n,), optional
        A row of weight w counts as w rows; whole weights keep the tally exact.
    channels : iterable of {"occurrences", "documents"}
        Sums of the values, and/or the number of rows whose value is above `threshold`.
    threshold : float
    negative : bool
        Let values below 0 pass. Only where nothing but `documents` is counted.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.
    classes : Labels, optional
        The classes of the tally, seen in `labels` or not.
    space : Space, optional
        By default columns without names.
    reader : str
        Who the data was passed to, for messages.

    Returns
    -------
    CountTally
        Exact where all values and weights are whole and their sums below 2**53.

    Raises
    ------
    InputError, InputTypeError
        If a value, label or weight cannot be used; the message names the first.

    Examples
    --------
    >>> tally = count_matrix([[2, 0, 1], [0, 3, 0]], ["a", "b"])
    >>> tally.dense("occurrences").tolist()
    [[2, 0, 1], [0, 3, 0]]
    """
    matrix, wanted = Rows(X), sorted(set(channels))
    if negative and wanted != ["documents"]:
        raise ValueError("negative values pass only where nothing but documents is counted")
    rows = labels if isinstance(labels, LabelledRows) else labelled_rows(labels, weights, matrix.n_rows, classes)
    space = Space("columns") if space is None else space
    weight_of_rows = None if rows.weights is None else rows.weights.astype(np.float64)
    parts: list[CountTally] = []
    for block in matrix:
        own = slice(block.first, block.first + len(block.indptr) - 1)
        counts = _kernel.count_csr(
            block.indptr,
            block.indices,
            block.data,
            matrix.n_columns,
            rows.codes[own],
            max(len(rows.classes), 1),
            weights=None if weight_of_rows is None else weight_of_rows[own],
            whole_weights=rows.exact,
            occurrences="occurrences" in wanted,
            documents="documents" in wanted,
            threshold=threshold,
            negative=negative,
            spare=None,
            n_jobs=threads(n_jobs),
        )
        refuse(counts["bad"], block.first, reader)
        exact = counts[wanted[0]].dtype == np.int64
        here = rows._replace(class_count=_class_count(rows.codes[own], weight_of_rows, own, len(rows.classes)))
        features = ColumnFeatures(counts["columns"], matrix.n_columns)
        parts.append(tally_from(counts, here, features, space, wanted, exact=exact))
    if not parts:
        return CountTally.empty(space, wanted, classes=rows.classes, n_columns=matrix.n_columns)
    tally: CountTally = CountTally.sum(parts)
    return tally


def score_matrix(
    X: Any,
    table: _kernel.ScoreTable,
    *,
    value: Literal["count", "binary", "log"] = "count",
    threshold: float = 0.0,
    negative: bool = False,
    n_jobs: int | None = None,
    out: npt.NDArray[np.float64] | None = None,
    first_row: int = 0,
    reader: str = "",
) -> npt.NDArray[np.float64]:
    """Score the rows of a matrix.

    Parameters
    ----------
    X : sparse matrix or array, or array-like, of shape (n, n_columns)
    table : ScoreTable
        Its features are the columns of X.
    value : {"count", "binary", "log"}
        What a value x counts as: x, 1 where x > `threshold`, or 1 + ln(x) where x > 0.
    threshold : float
    negative : bool
        Let values below 0 pass.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores. A row's scores are the same bits in any batch, for any number of threads.
    out : float64 array of shape (n, K), optional
    first_row : int
        What messages call the first row.
    reader : str
        Who the data was passed to, for messages.

    Returns
    -------
    ndarray of float64, shape (n, K)
        Natural log.

    Raises
    ------
    InputError, InputTypeError
        If X has another number of columns than the table, or a value cannot be used.
    """
    matrix = Rows(X)
    if matrix.n_columns != table.n_features:
        raise InputError(f"X has {matrix.n_columns} features, but the model is expecting {table.n_features} features")
    out = np.empty((matrix.n_rows, table.n_classes)) if out is None else out
    for block in matrix:
        own = out[block.first : block.first + len(block.indptr) - 1]
        bad = _kernel.score_csr(
            block.indptr,
            block.indices,
            block.data,
            table,
            own,
            value=value,
            threshold=threshold,
            negative=negative,
            unknown=None,
            n_jobs=threads(n_jobs),
        )
        refuse(bad, first_row + block.first, reader)
    return out


def refuse(bad: tuple[int, int, float] | None, first: int = 0, reader: str = "") -> None:
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


def _numbers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give values in a type that the kernel reads: any but half and long floats stay as they are."""
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


def _class_count(codes: npt.NDArray[np.int32], weights: Any, own: slice, n_classes: int) -> npt.NDArray[Any]:
    return _kernel.count_classes(codes, n_classes) if weights is None else np.bincount(codes, weights[own], n_classes)
