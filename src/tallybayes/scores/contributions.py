"""What each feature of a row adds to the score of each class: the terms of the sum that the kernel computes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .table import Floats, LinearScores

__all__ = ["Terms", "contributions"]


class Terms(NamedTuple):
    """The terms of a row's scores, natural log; their sum is the row's joint log scores.

    Attributes
    ----------
    prior : ndarray of float64, shape (K,)
        -inf for a class that cannot be.
    bias : ndarray of float64, shape (K,)
        What the absent features add (Bernoulli); -inf where one of them had to be there.
    features : ndarray of float64, shape (n, K)
        What each feature of the row adds; -inf where it is impossible in the class, inf where only that class has it
        (complement without smoothing).
    """

    prior: Floats
    bias: Floats
    features: Floats


def contributions(
    table: LinearScores, rows: npt.NDArray[np.integer], amounts: Floats, *, with_prior: bool = True
) -> Terms:
    """Take the scores of one row apart.

    Parameters
    ----------
    table : LinearScores
        V features, K classes.
    rows : ndarray of integers, shape (n,)
        Where the row's features stand in the table; -1 for a feature that is not in it.
    amounts : ndarray of float64, shape (n,)
        x_i, what the row has of each feature, after ``table.value`` and before the gain.
    with_prior : bool
        Whether ``table.log_prior`` is part of ``table.base`` (it is not for complement unless asked for).

    Returns
    -------
    Terms
    """
    n_classes = len(table.base)
    prior = table.log_prior.copy() if with_prior else np.zeros(n_classes)
    prior[np.isneginf(table.base)] = -np.inf
    bias = np.where(np.isfinite(prior), table.base - np.where(np.isfinite(prior), prior, 0.0), 0.0)

    known = rows >= 0
    features = np.zeros((len(rows), n_classes))
    features[known] = _weights(table, rows[known])
    if table.unknown:
        features[~known] = table.scale * table.unit
    features *= amounts[:, np.newaxis]
    if table.zeros is not None:
        zeros = np.zeros_like(features)
        zeros[known] = _weights(table.zeros, rows[known])
        # Bernoulli counts a feature that every document of a class has as missing, until the row shows it.
        missing = table.zeros.base + np.minimum(zeros, 0.0).sum(axis=0)
        bias[missing > 0] = -np.inf
        features[zeros > 0] = -np.inf
        features[(zeros < 0) & (table.zeros.base == 0)] = np.inf
    return Terms(prior, bias, features)


def _weights(table: LinearScores, rows: npt.NDArray[np.integer]) -> Floats:
    """Return what one unit of each feature adds to each class, shape (n, K)."""
    chosen = table.select(rows)
    weights = np.tile(chosen.unit, (len(rows), 1))
    weights[np.repeat(np.arange(len(rows)), np.diff(chosen.indptr)), chosen.class_index] += chosen.delta
    if chosen.feature.size:
        weights += chosen.feature[:, np.newaxis]
    weights *= chosen.scale
    if chosen.gain.size:
        weights *= chosen.gain[:, np.newaxis]
    return weights
