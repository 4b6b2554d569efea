"""The complement event model: a feature speaks for a class by how rare it is in all other classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..tally import CountTally
from ..tally.selection import by_feature
from .linear import LinearReading, LinearScores, LinearTable, companion
from .logs import in_blocks, log1p_of_rest, per_cell, safe_log
from .terms import Floats

__all__ = ["ComplementReading"]


@dataclass(frozen=True, kw_only=True)
class ComplementReading(LinearReading):
    """Read counts by what the other classes hold (Rennie et al. 2003).

    The weights are no likelihoods: no prior enters the scores unless one is asked for.

    Parameters
    ----------
    norm : bool
        Divide each class's weights by their sum.
    with_prior : bool or None
        Whether the prior enters; None: if one is given.
    alpha, weighting, min_df, max_df, max_features
        As in `tallybayes.readings.linear.LinearReading`.
    prior, prior_alpha
        As in `Reading`.

    Examples
    --------
    >>> ComplementReading(alpha=0.1).prior is None
    True
    """

    norm: bool = False
    with_prior: bool | None = None

    event_model = "complement"
    derivation = "complement"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.norm, (bool, np.bool_)):
            raise ParameterError(f"norm must be True or False; got {self.norm!r}")
        object.__setattr__(self, "norm", bool(self.norm))
        if self.with_prior is not None and not isinstance(self.with_prior, bool):
            raise ParameterError(f"with_prior must be None, True or False; got {self.with_prior!r}")

    def _enters(self, n_classes: int) -> bool:
        # With one class only the prior is all there is.
        return n_classes == 1 or (self.prior is not None if self.with_prior is None else self.with_prior)

    def derivation_settings(self, scores: LinearScores) -> dict[str, Any]:
        if not self.norm:
            return {}
        scale = scores.table.scale
        return {"norm_sums": np.divide(1.0, scale, out=np.zeros_like(scale), where=scale != 0).tolist()}

    def _table(self, tally: CountTally, cells: Floats, alpha: Floats) -> LinearTable:
        n_classes, n_features = len(tally.classes), len(tally.features)
        feature_totals = by_feature(tally, cells)
        class_totals = np.bincount(tally.class_index, cells, n_classes)
        mass = alpha.sum() if alpha.ndim else alpha * n_features
        # Rest of the classes, per cell: exact for whole counts, so nothing is lost where only one class has a feature.
        rest = np.repeat(feature_totals, np.diff(tally.indptr))
        rest -= cells
        rest += per_cell(tally, alpha)
        feature = -safe_log(feature_totals + alpha)
        each = safe_log(class_totals.sum() - class_totals + mass)
        certain = rest <= 0
        delta = in_blocks(log1p_of_rest, cells, rest)
        if n_features == 1:
            # The only feature is all there is of every class: it tells nothing, and no rounding may say otherwise.
            feature, each, delta = np.zeros(1), np.zeros(n_classes), np.zeros_like(delta)
        scale = np.ones(n_classes)
        if self.norm:
            sums = feature.sum() + n_features * each + np.bincount(tally.class_index, delta, n_classes)
            # A sum of zero (one column, say) carries no information: such weights are zero, not NaN.
            scale = np.divide(1.0, sums, out=np.zeros(n_classes), where=np.abs(sums) > 1e-12 * max(1, n_features))
        base, zeros = np.zeros(n_classes), None
        if n_classes > 1 and certain.any():
            zeros = companion(tally, np.zeros(n_classes), np.zeros(n_features), np.where(certain, -1.0, 0.0))
        return LinearTable.over(tally, base=base, each=each, delta=delta, feature=feature, scale=scale, zeros=zeros)
