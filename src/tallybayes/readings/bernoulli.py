"""The Bernoulli event model: every feature of the vocabulary is there or not, and what is absent counts too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..tally import CountTally
from .linear import (
    LinearReading,
    LinearTable,
    companion,
    in_blocks,
    log1p_of_rest,
    log1p_ratio,
    per_cell,
    safe_log,
)
from .terms import Floats

__all__ = ["BernoulliReading"]


@dataclass(frozen=True, kw_only=True)
class BernoulliReading(LinearReading):
    """Read documents that hold a feature: P(w | c) = (N_wc + α) / (N_c + 2α), and 1 - P for what is absent.

    Parameters
    ----------
    weighting : {"count", "binary"}
        Both ask only whether a feature is there.
    alpha, min_df, max_df, max_features
        As in `tallybayes.readings.linear.LinearReading`.
    prior, prior_alpha
        As in `Reading`.

    Examples
    --------
    >>> BernoulliReading().channel
    'documents'
    """

    event_model = "bernoulli"
    derivation = "bernoulli"
    absent_enters = True
    weightings = ("count", "binary")

    @property
    def value(self) -> Literal["count", "binary"]:
        return "binary"

    def _table(self, tally: CountTally, cells: Floats, alpha: Floats) -> LinearTable:
        n_classes, n_features = len(tally.classes), len(tally.features)
        documents = np.asarray(tally.class_count, np.float64)
        layout: dict[str, Any] = {}
        if alpha.ndim:
            # log α_i - log(N_c + α_i) does not split into a part per feature and one per class: every cell is stored.
            layout, cells = _all_cells(tally, cells)
            class_index, cell_alpha = layout["class_index"], np.repeat(alpha, n_classes)
        else:
            class_index, cell_alpha = tally.class_index, per_cell(tally, alpha)
        absent = documents[class_index]
        absent -= cells  # before alpha is added: whole numbers cancel exactly
        absent += cell_alpha
        always = absent <= 0
        if alpha.ndim:
            each = np.zeros(n_classes)
            log_all = safe_log(documents[class_index] + 2 * cell_alpha)
            log_absent = np.where(always, 0.0, safe_log(absent) - log_all)
            base = np.bincount(class_index, log_absent, n_classes).astype(np.float64, copy=False)
            delta = safe_log(cells + cell_alpha) - log_all - log_absent
        else:
            each = safe_log(alpha) - safe_log(documents + alpha)
            empty_cell = safe_log(documents + alpha) - safe_log(documents + 2 * alpha)
            delta = in_blocks(log1p_of_rest, cells, absent)
            base = n_features * empty_cell - np.bincount(class_index, delta, n_classes)
            delta += in_blocks(log1p_ratio, cells, alpha)
            # A feature that every document of a class has: log 1 if it is there, and nothing in the base.
            of = class_index[always]
            base -= np.bincount(of, empty_cell[of], n_classes)
            delta[always] = safe_log(cells[always] + alpha) - safe_log(documents[of] + 2 * alpha) - each[of]
        # Zero factors: 1 for a present feature with p = 0, and 1 for an absent one with p = 1; the latter stays in the
        # base until a row shows the feature.
        base_zeros = np.bincount(class_index[always], minlength=n_classes).astype(np.float64)
        zeros = None
        if alpha.ndim:
            never = cells + cell_alpha == 0
            given = np.where(always, -1.0, np.where(never, 1.0, 0.0))
            zeros = companion(tally, base_zeros, np.zeros(n_features), given)
            zeros = None if zeros is None else replace(zeros, **layout)
        elif alpha == 0 or base_zeros.any():
            unsmoothed = np.full(n_features, float(alpha == 0))
            zeros = companion(tally, base_zeros, unsmoothed, np.where(always, -1.0, 0.0) - float(alpha == 0))
        return LinearTable.over(tally, base=base, each=each, delta=delta, zeros=zeros, **layout)


def _all_cells(tally: CountTally, cells: Floats) -> tuple[dict[str, Any], Floats]:
    """Lay the counts out with every class in every feature."""
    n_classes, n_features = len(tally.classes), len(tally.features)
    full = np.zeros((n_features, n_classes))
    full[np.repeat(np.arange(n_features), np.diff(tally.indptr)), tally.class_index] = cells
    indptr = np.arange(n_features + 1, dtype=np.int64) * n_classes
    class_index = np.tile(np.arange(n_classes, dtype=np.int32), n_features)
    return {"indptr": indptr, "class_index": class_index}, full.ravel()
