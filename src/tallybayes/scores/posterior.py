"""Joint log scores → probabilities and answers, row by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .table import Floats

__all__ = ["log_posterior", "posterior", "predicted"]


def log_posterior(joint: Floats, prior: Floats) -> Floats:
    """Normalise joint log scores row by row.

    Parameters
    ----------
    joint : ndarray of float64, shape (n, K)
        Natural log; -inf is exactly zero.
    prior : ndarray of float64, shape (K,)
        Log prior, the answer for a row that is impossible under every class (uniform where the prior is empty too).

    Returns
    -------
    ndarray of float64, shape (n, K)
        Log probabilities, never NaN; each row's exponentials sum to 1.
    """
    joint = np.array(joint, np.float64)
    top = joint.max(axis=1, keepdims=True)
    certain = np.isposinf(top[:, 0])
    if certain.any():
        joint[certain] = np.where(np.isposinf(joint[certain]), 0.0, -np.inf)
    impossible = np.isneginf(top[:, 0])
    if impossible.any():
        joint[impossible] = prior if np.isfinite(prior).any() else 0.0
    joint -= joint.max(axis=1, keepdims=True)
    logs: Floats = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
    return logs


def posterior(joint: Floats, prior: Floats) -> Floats:
    """Return the probabilities, shape (n, K); each row sums to 1 within 1e-12 and does not depend on other rows."""
    shares: Floats = np.exp(log_posterior(joint, prior))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def predicted(joint: Floats, prior: Floats) -> npt.NDArray[np.intp]:
    """Return the most probable class per row, shape (n,): the argmax of `posterior`, the first on an exact tie."""
    top = joint.max(axis=1, keepdims=True)
    choice: npt.NDArray[np.intp] = joint.argmax(axis=1)
    with np.errstate(invalid="ignore"):  # inf - inf: such rows are close calls, and settled below
        close = np.flatnonzero(((joint > top - 1e-9).sum(axis=1) != 1) | ~np.isfinite(top[:, 0]))
    if close.size:
        choice[close] = posterior(joint[close], prior).argmax(axis=1)
    return choice
