"""The multinomial event model: every occurrence of a feature is drawn by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError
from ..tally import CountTally
from .base import check_number
from .linear import LinearReading, LinearScores, LinearTable, companion
from .logs import in_blocks, log1p_ratio, per_cell, safe_log
from .terms import Floats

__all__ = ["MultinomialReading"]


@dataclass(frozen=True, kw_only=True)
class MultinomialReading(LinearReading):
    """Read counts as draws: P(w | c) = (W_wc + α) / (W_c + α V).

    Parameters
    ----------
    smoothing : {"additive", "floor"}
        "floor": seen features are left unsmoothed; any other one, never seen ones included, has probability
        floor / (1 + W_c).
    floor : float
        The m of "floor", > 0.
    alpha, weighting, min_df, max_df, max_features
        As in `tallybayes.readings.linear.LinearReading`.
    prior, prior_alpha
        As in `Reading`.

    Examples
    --------
    >>> MultinomialReading(alpha=0.5).channel
    'occurrences'
    """

    smoothing: Literal["additive", "floor"] = "additive"
    floor: float = 0.1

    event_model = "multinomial"
    derivation = "multinomial"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smoothing not in ("additive", "floor"):
            raise ParameterError(f"smoothing must be one of 'additive', 'floor'; got {self.smoothing!r}")
        object.__setattr__(self, "floor", check_number("floor", self.floor))
        if self.smoothing == "floor" and self.floor == 0:
            raise ParameterError("floor must be above 0; for maximum likelihood use smoothing='additive' with alpha=0")

    @property
    def unknown(self) -> bool:
        return self.smoothing == "floor"

    def derivation_settings(self, scores: LinearScores) -> dict[str, Any]:
        return {"smoothing": self.smoothing, "floor": self.floor}

    def _table(self, tally: CountTally, cells: Floats, alpha: Floats) -> LinearTable:
        n_classes, n_features = len(tally.classes), len(tally.features)
        if self.smoothing == "floor":
            class_totals = np.bincount(tally.class_index, cells, n_classes)
            each = np.log(self.floor / (1.0 + class_totals))
            delta = np.log(cells / class_totals[tally.class_index]) - each[tally.class_index]
            return LinearTable.over(tally, base=np.zeros(n_classes), each=each, delta=delta)
        mass = alpha.sum() if alpha.ndim else alpha * n_features
        each = -safe_log(np.bincount(tally.class_index, cells, n_classes) + mass)
        if alpha.ndim:
            shared: dict[str, Any] = {"feature": safe_log(alpha)}
        else:
            shared, each = {}, each + safe_log(alpha)
        cell_alpha = per_cell(tally, alpha)
        zeros = None
        if (alpha == 0).any():
            never = np.broadcast_to(np.asarray(alpha == 0, np.float64), (n_features,)).copy()
            given = np.broadcast_to(np.where(cell_alpha == 0, -1.0, 0.0), cells.shape).copy()
            zeros = companion(tally, np.zeros(n_classes), never, given)
        delta = in_blocks(log1p_ratio, cells, cell_alpha)
        return LinearTable.over(tally, base=np.zeros(n_classes), each=each, delta=delta, zeros=zeros, **shared)
