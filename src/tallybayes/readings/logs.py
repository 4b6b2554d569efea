"""Logarithms of smoothed counts, cell by cell: what event models build their tables from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..tally import CountTally
from .terms import Floats

__all__ = ["in_blocks", "log1p_of_rest", "log1p_ratio", "per_cell", "safe_log"]

# Below this alpha n/α may overflow, so log(1 + n/α) is taken as log(n + α) - log α, which loses nothing there.
TINY_ALPHA = 1e-200
BLOCK = 1 << 20  # cells worked on at a time: 8 MB for each temporary


def safe_log(values: Floats) -> Floats:
    """Return the log, with log 0 taken as 0: the zero factors are counted by the companion table."""
    return np.log(np.where(values > 0, values, 1.0))


def per_cell(tally: CountTally, per_feature: Floats) -> Floats:
    """Return a number per feature spread over the cells; one number for all stays one."""
    return np.repeat(per_feature, np.diff(tally.indptr)) if per_feature.ndim else per_feature


def log1p_ratio(counts: Floats, alpha: Floats) -> Floats:
    """Return log(1 + n/α), and log n where α is 0."""
    with np.errstate(over="ignore", divide="ignore"):
        plain = np.log1p(counts / alpha)
    if (alpha > TINY_ALPHA).all():
        return plain
    return np.where(alpha > TINY_ALPHA, plain, np.log(counts + alpha) - safe_log(alpha))


def log1p_of_rest(counts: Floats, rest: Floats) -> Floats:
    """Return log(1 + n/rest), and 0 where nothing is left: the companion table counts those."""
    return np.where(rest > 0, log1p_ratio(counts, np.where(rest > 0, rest, 1.0)), 0.0)


def in_blocks(function: Callable[..., Floats], cells: Floats, other: Floats) -> Floats:
    """Apply a function of two numbers per cell (or one for all) block by block, so that its temporaries stay small."""
    result = np.empty(len(cells))
    for start in range(0, len(cells), BLOCK):
        part = slice(start, start + BLOCK)
        result[part] = function(cells[part], other[part] if other.ndim else other)
    return result
