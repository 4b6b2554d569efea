"""Joint log scores → probabilities and answers, row by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from .terms import Floats
from .trace import trace_answers

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
    trace_answers(joint, shares)
    return shares


def predicted(joint: Floats, prior: Floats, n_jobs: int = 1) -> npt.NDArray[np.intp]:
    """Return the most probable class per row, shape (n,): the argmax of `posterior`, the first on an exact tie."""
    choice = np.zeros(len(joint), np.int64)
    # Rounding of the probabilities may make two of them equal that are not in the joint scores: those rows in full.
    close = _kernel.largest(np.ascontiguousarray(joint, np.float64), 1e-9, choice, n_jobs)
    if len(close):
        choice[close] = posterior(joint[close], prior).argmax(axis=1)
    return choice.astype(np.intp, copy=False)
