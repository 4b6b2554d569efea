"""The score table: scores that are linear in the counts of a row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..tally.features import gather_rows

__all__ = ["LinearScores"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LinearScores:
    """The score table: scores linear in a row's counts (natural log).

    Attributes
    ----------
    base, scale, unit : ndarray of float64, shape (K,)
    feature : ndarray of float64, shape (V,) or (0,)
        The part of a feature that all classes share; empty when it is zero everywhere.
    gain : ndarray of float64, shape (V,) or (0,)
        x_i is multiplied by it (idf); empty means 1.
    indptr : ndarray of int64, shape (V + 1,)
    class_index : ndarray of int32, shape (nnz,)
    delta : ndarray of float64, shape (nnz,)
    unknown : bool
        Whether features outside the table count in |x|.
    value : {"count", "binary", "log"}
        What a row's counts are turned into first.
    zeros : LinearScores or None
        The companion table: its score is the number of factors that are exactly zero, to be taken on binary rows. A
        positive number makes the class impossible, a negative one (complement) certain.
    log_prior : ndarray of float64, shape (K,)
        The prior as read, given to rows that are impossible under every class.
    """

    base: Floats
    scale: Floats
    unit: Floats
    feature: Floats
    gain: Floats
    indptr: Integers
    class_index: npt.NDArray[np.int32]
    delta: Floats
    unknown: bool = False
    value: Literal["count", "binary", "log"] = "count"
    zeros: LinearScores | None = None
    log_prior: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def n_features(self) -> int:
        """V, the number of features in the table."""
        return len(self.indptr) - 1

    def select(self, rows: npt.NDArray[np.integer]) -> LinearScores:
        """Return the table of some features only, in the order of `rows`; their scores are the same numbers."""
        sizes = self.indptr[rows + 1] - self.indptr[rows]
        picked = gather_rows(self.indptr[rows], sizes)
        return replace(
            self,
            feature=self.feature[rows] if self.feature.size else self.feature,
            gain=self.gain[rows] if self.gain.size else self.gain,
            indptr=np.concatenate(([0], np.cumsum(sizes))),
            class_index=self.class_index[picked],
            delta=self.delta[picked],
            zeros=None if self.zeros is None else self.zeros.select(rows),
        )

    def weights(self, row: int) -> Floats:
        """Return what one occurrence of a feature adds to each class's score, shape (K,), natural log."""
        weights = self.unit + (self.feature[row] if self.feature.size else 0.0)
        cells = slice(self.indptr[row], self.indptr[row + 1])
        weights[self.class_index[cells]] += self.delta[cells]
        gain = self.gain[row] if self.gain.size else 1.0
        weights = weights * self.scale * gain
        if self.zeros is not None:
            counted = self.zeros.weights(row)
            weights = np.where(counted > 0, -np.inf, np.where(counted < 0, np.inf, weights))
        return weights

    def laid_out(self, *, dense: bool = True) -> _kernel.ScoreTable:
        """Lay the table out for the kernel; `dense`: with dense rows where they are read faster than lists."""
        parts = (self.base, self.scale, self.unit, self.feature, self.gain, self.indptr, self.class_index, self.delta)
        return _kernel.ScoreTable(*parts, dense=dense)

    def finish(self, joint: Floats, counted_zeros: Floats | None) -> Floats:
        """Put in the factors that are exactly zero: `joint` (n, K), changed in place, and the companion's scores."""
        if counted_zeros is not None:
            joint[counted_zeros < 0] = np.inf
            joint[counted_zeros > 0] = -np.inf
        joint[:, np.isneginf(self.base)] = -np.inf
        return joint
