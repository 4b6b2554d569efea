"""Some features of a count tally laid out, without laying out the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .count import CountTally
from .features import gather_rows

__all__ = ["cell_histograms", "cells_of"]


def cells_of(tally: CountTally, cells: npt.NDArray[Any], positions: npt.NDArray[np.int64]) -> list[list[Any]]:
    """Return the cells of some features for every class; zeros for a feature at -1, which is not in the tally.

    Parameters
    ----------
    tally : CountTally
        K classes.
    cells : ndarray, shape (nnz,)
        Of all features, as ``tally.values`` gives them.
    positions : ndarray of int64, shape (n,)

    Returns
    -------
    list of n lists of K numbers
    """
    known = np.flatnonzero(positions >= 0)
    sizes, picked = _rows(tally, positions[known])
    dense = np.zeros((len(positions), len(tally.classes)), cells.dtype)
    dense[np.repeat(known, sizes), tally.class_index[picked]] = cells[picked]
    table: list[list[Any]] = dense.tolist()
    return table


def cell_histograms(
    tally: CountTally, cells: npt.NDArray[Any], positions: npt.NDArray[np.int64]
) -> Sequence[Mapping[Any, int]]:
    """Return for each class how many of some features have which cell; parameters as of `cells_of`."""
    _, picked = _rows(tally, positions)
    classes, values = tally.class_index[picked], cells[picked]
    histograms = []
    for c in range(len(tally.classes)):
        found, times = np.unique(values[classes == c], return_counts=True)
        counted: dict[Any, int] = dict(zip(found.tolist(), times.tolist(), strict=True))
        counted[0] = len(positions) - int(times.sum())
        histograms.append(counted)
    return histograms


def _rows(tally: CountTally, positions: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """How many cells each of some features has, and where they are."""
    starts = tally.indptr[positions]
    sizes = tally.indptr[positions + 1] - starts
    return sizes, gather_rows(starts, sizes)
