"""The count models: what multinomial, complement and Bernoulli put into the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..tally.count import CountTally
from .prior import log_prior
from .reading import Reading
from .table import Floats, LinearScores
from .trace import trace_reading
from .weighting import by_feature, require, smooth_idf, values_of

__all__ = ["check", "read"]

# Below this alpha n/α may overflow, so log(1 + n/α) is taken as log(n + α) - log α, which loses nothing there.
TINY_ALPHA = 1e-200
BLOCK = 1 << 20  # cells worked on at a time: 8 MB for each temporary


def check(tally: CountTally, reading: Reading) -> Floats:
    """Refuse a reading that does not fit a tally (already pruned), without building its table; return its log prior.

    Raises
    ------
    ParameterError
        If `alpha` has another length than V, if a given prior does not fit the classes, or if a channel that the
        reading needs was not counted.
    """
    n_features, n_alphas = len(tally.indptr) - 1, np.size(reading.alpha)
    if isinstance(reading.alpha, tuple) and n_alphas != n_features:
        raise ParameterError(
            f"alpha should be a scalar or one number per feature: {n_alphas} numbers for {n_features} features"
        )
    for channel in reading.channels:
        require(tally, channel)
    return log_prior(tally, reading)


def read(tally: CountTally, reading: Reading) -> LinearScores:
    """Read a tally (already pruned) with a prior and a smoothing.

    Parameters
    ----------
    tally : CountTally
        K classes, V features.
    reading : Reading

    Returns
    -------
    LinearScores
        Natural logarithms; -inf in `base` is a class that cannot be.

    Raises
    ------
    ParameterError
        As `check`.
    """
    prior = check(tally, reading)
    alpha = np.asarray(reading.alpha, np.float64)
    cells = values_of(tally, "documents" if reading.value == "binary" else "occurrences")
    gain = np.zeros(0)
    if reading.weighting == "idf":
        documents = by_feature(tally, values_of(tally, "documents"))
        gain = smooth_idf(documents, float(np.asarray(tally.class_count, np.float64).sum()))
        cells = cells * np.repeat(gain, np.diff(tally.indptr))
    make = {"multinomial": _multinomial, "complement": _complement, "bernoulli": _bernoulli}[reading.model]
    if reading.smoothing == "floor":
        make = _floored
    table = replace(
        make(tally, reading, cells, alpha, prior),
        gain=gain,
        unknown=reading.unknown,
        value=reading.value,
        log_prior=prior,
    )
    trace_reading(tally, reading, table)
    return table


def _table(tally: CountTally, base: Floats, unit: Floats, delta: Floats, **more: Any) -> LinearScores:
    return LinearScores(
        base=base,
        scale=more.pop("scale", np.ones(len(base))),
        unit=unit,
        feature=more.pop("feature", np.zeros(0)),
        gain=np.zeros(0),
        indptr=more.pop("indptr", tally.indptr),
        class_index=more.pop("class_index", tally.class_index),
        delta=delta,
        **more,
    )


def _safe_log(values: Floats) -> Floats:
    """Log with log 0 taken as 0: the zero factors are counted by the companion table."""
    return np.log(np.where(values > 0, values, 1.0))


def _per_cell(tally: CountTally, per_feature: Floats) -> Floats:
    """Spread a number per feature over the cells; one number for all stays one."""
    return np.repeat(per_feature, np.diff(tally.indptr)) if per_feature.ndim else per_feature


def _log1p_ratio(counts: Floats, alpha: Floats) -> Floats:
    """log(1 + n/α), and log n where α is 0."""
    with np.errstate(over="ignore", divide="ignore"):
        plain = np.log1p(counts / alpha)
    if (alpha > TINY_ALPHA).all():
        return plain
    return np.where(alpha > TINY_ALPHA, plain, np.log(counts + alpha) - _safe_log(alpha))


def _in_blocks(function: Callable[..., Floats], cells: Floats, other: Floats) -> Floats:
    """Apply a function of two numbers per cell (or one for all) block by block, so that its temporaries stay small."""
    result = np.empty(len(cells))
    for start in range(0, len(cells), BLOCK):
        part = slice(start, start + BLOCK)
        result[part] = function(cells[part], other[part] if other.ndim else other)
    return result


def _log1p_of_rest(counts: Floats, rest: Floats) -> Floats:
    """log(1 + n/rest), and 0 where nothing is left: the companion table counts those."""
    return np.where(rest > 0, _log1p_ratio(counts, np.where(rest > 0, rest, 1.0)), 0.0)


def _companion(tally: CountTally, base: Floats, feature: Floats, delta: Floats) -> LinearScores | None:
    if not (feature.any() or base.any() or delta.any()):
        return None
    return replace(_table(tally, base, np.zeros(len(base)), delta, feature=feature), value="binary")


def _multinomial(tally: CountTally, reading: Reading, cells: Floats, alpha: Floats, prior: Floats) -> LinearScores:
    n_classes, n_features = len(tally.classes), len(tally.indptr) - 1
    mass = alpha.sum() if alpha.ndim else alpha * n_features
    unit = -_safe_log(np.bincount(tally.class_index, cells, n_classes) + mass)
    if alpha.ndim:
        shared: dict[str, Any] = {"feature": _safe_log(alpha)}
    else:
        shared, unit = {}, unit + _safe_log(alpha)
    cell_alpha = _per_cell(tally, alpha)
    zeros = None
    if (alpha == 0).any():
        never = np.broadcast_to(np.asarray(alpha == 0, np.float64), (n_features,)).copy()
        given = np.broadcast_to(np.where(cell_alpha == 0, -1.0, 0.0), cells.shape).copy()
        zeros = _companion(tally, np.zeros(n_classes), never, given)
    return _table(tally, prior, unit, _in_blocks(_log1p_ratio, cells, cell_alpha), zeros=zeros, **shared)


def _floored(tally: CountTally, reading: Reading, cells: Floats, alpha: Floats, prior: Floats) -> LinearScores:
    class_totals = np.bincount(tally.class_index, cells, len(tally.classes))
    unit = np.log(reading.floor / (1.0 + class_totals))
    delta = np.log(cells / class_totals[tally.class_index]) - unit[tally.class_index]
    return _table(tally, prior, unit, delta)


def _complement(tally: CountTally, reading: Reading, cells: Floats, alpha: Floats, prior: Floats) -> LinearScores:
    n_classes, n_features = len(tally.classes), len(tally.indptr) - 1
    feature_totals = by_feature(tally, cells)
    class_totals = np.bincount(tally.class_index, cells, n_classes)
    mass = alpha.sum() if alpha.ndim else alpha * n_features
    # Rest of the classes, per cell: exact for whole counts, so nothing is lost where a feature lives in one class only.
    rest = np.repeat(feature_totals, np.diff(tally.indptr))
    rest -= cells
    rest += _per_cell(tally, alpha)
    feature = -_safe_log(feature_totals + alpha)
    unit = _safe_log(class_totals.sum() - class_totals + mass)
    certain = rest <= 0
    delta = _in_blocks(_log1p_of_rest, cells, rest)
    scale = np.ones(n_classes)
    if reading.norm:
        sums = feature.sum() + n_features * unit + np.bincount(tally.class_index, delta, n_classes)
        # A sum of zero (one column, say) carries no information: such weights are zero, not NaN.
        scale = np.divide(1.0, sums, out=np.zeros(n_classes), where=np.abs(sums) > 1e-12 * max(1, n_features))
    # Weights of the complement are no likelihoods: no prior enters unless asked for (or there is one class only).
    base = prior.copy() if reading.prior is not None or n_classes == 1 else np.zeros(n_classes)
    base[np.asarray(tally.class_count) == 0] = -np.inf
    zeros = None
    if n_classes > 1 and certain.any():
        zeros = _companion(tally, np.zeros(n_classes), np.zeros(n_features), np.where(certain, -1.0, 0.0))
    return _table(tally, base, unit, delta, feature=feature, scale=scale, zeros=zeros)


def _bernoulli(tally: CountTally, reading: Reading, cells: Floats, alpha: Floats, prior: Floats) -> LinearScores:
    n_classes, n_features = len(tally.classes), len(tally.indptr) - 1
    documents = np.asarray(tally.class_count, np.float64)
    layout: dict[str, Any] = {}
    if alpha.ndim:
        # log α_i - log(N_c + α_i) does not split into a part per feature and one per class: every cell is stored.
        layout, cells = _all_cells(tally, cells)
        class_index, cell_alpha = layout["class_index"], np.repeat(alpha, n_classes)
    else:
        class_index, cell_alpha = tally.class_index, _per_cell(tally, alpha)
    absent = documents[class_index]
    absent -= cells  # before alpha is added: whole numbers cancel exactly
    absent += cell_alpha
    always = absent <= 0
    if alpha.ndim:
        unit = np.zeros(n_classes)
        log_all = _safe_log(documents[class_index] + 2 * cell_alpha)
        log_absent = np.where(always, 0.0, _safe_log(absent) - log_all)
        base = prior + np.bincount(class_index, log_absent, n_classes)
        delta = _safe_log(cells + cell_alpha) - log_all - log_absent
    else:
        unit = _safe_log(alpha) - _safe_log(documents + alpha)
        empty_cell = _safe_log(documents + alpha) - _safe_log(documents + 2 * alpha)
        delta = _in_blocks(_log1p_of_rest, cells, absent)
        base = prior + n_features * empty_cell - np.bincount(class_index, delta, n_classes)
        delta += _in_blocks(_log1p_ratio, cells, alpha)
        # A feature that every document of a class has: log 1 if it is there, and nothing in the base.
        of = class_index[always]
        base -= np.bincount(of, empty_cell[of], n_classes)
        delta[always] = _safe_log(cells[always] + alpha) - _safe_log(documents[of] + 2 * alpha) - unit[of]
    # Zero factors: 1 for a present feature with p = 0; 1 for an absent one with p = 1 (in the base, back if present).
    base_zeros = np.bincount(class_index[always], minlength=n_classes).astype(np.float64)
    zeros = None
    if alpha.ndim:
        never = cells + cell_alpha == 0
        zeros = _companion(tally, base_zeros, np.zeros(n_features), np.where(always, -1.0, np.where(never, 1.0, 0.0)))
        zeros = None if zeros is None else replace(zeros, indptr=layout["indptr"], class_index=class_index)
    elif alpha == 0 or base_zeros.any():
        unsmoothed = np.full(n_features, float(alpha == 0))
        zeros = _companion(tally, base_zeros, unsmoothed, np.where(always, -1.0, 0.0) - float(alpha == 0))
    return _table(tally, base, unit, delta, zeros=zeros, **layout)


def _all_cells(tally: CountTally, cells: Floats) -> tuple[dict[str, Any], Floats]:
    """Lay the counts out with every class in every feature."""
    n_classes, n_features = len(tally.classes), len(tally.indptr) - 1
    full = np.zeros((n_features, n_classes))
    full[np.repeat(np.arange(n_features), np.diff(tally.indptr)), tally.class_index] = cells
    indptr = np.arange(n_features + 1, dtype=np.int64) * n_classes
    class_index = np.tile(np.arange(n_classes, dtype=np.int32), n_features)
    return {"indptr": indptr, "class_index": class_index}, full.ravel()
