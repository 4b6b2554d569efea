"""From probabilities to a decision: least expected loss, and the right to be unsure."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from .terms import Floats

__all__ = ["best_classes", "chosen_labels", "decide"]

FEW = 16  # classes that are found faster one by one than by sorting all


def decide(probabilities: Floats, loss: Any = None, abstain: float | None = None) -> npt.NDArray[np.intp]:
    """Choose the class of least expected loss for every row.

    Parameters
    ----------
    probabilities : ndarray of float64, shape (n, K)
    loss : array-like of shape (K, K), optional
        ``loss[answer][truth]``, finite; the default is 0 for a right and 1 for a wrong answer, whose least expected
        loss is the class of largest probability.
    abstain : float, optional
        The loss of answering nothing; a row whose least expected loss is larger is left undecided.

    Returns
    -------
    ndarray of intp, shape (n,)
        The number of the class; -1 where undecided. The first class wins an exact tie.

    Raises
    ------
    ParameterError
        If `loss` is not a finite K × K table or `abstain` is negative or NaN.

    Examples
    --------
    >>> decide(np.array([[0.6, 0.4]]), loss=[[0, 10], [1, 0]])
    array([1])
    >>> decide(np.array([[0.6, 0.4], [0.99, 0.01]]), abstain=0.1)
    array([-1,  0])
    """
    if abstain is not None and not abstain >= 0:
        raise ParameterError(f"abstain must be a loss of at least 0; got {abstain!r}")
    n_rows, n_classes = probabilities.shape
    every_row = np.arange(n_rows)
    choice: npt.NDArray[np.intp]
    if loss is None:
        # The answer is the argmax to the last bit, ties included; what it loses is the share of all other classes.
        choice = probabilities.argmax(axis=1)
        others = probabilities.copy()
        others[every_row, choice] = 0.0
        least = others.sum(axis=1)
    else:
        table = np.asarray(loss, np.float64)
        if table.shape != (n_classes, n_classes) or not np.isfinite(table).all():
            raise ParameterError(
                f"loss must be a finite table of {n_classes} answers by {n_classes} true classes; got shape "
                f"{table.shape}"
            )
        expected = probabilities @ table.T
        choice = expected.argmin(axis=1)
        least = expected[every_row, choice]
    if abstain is not None:
        choice[least > abstain] = -1
    return choice


def best_classes(probabilities: Floats, k: int) -> npt.NDArray[np.intp]:
    """Return the numbers of the k most probable classes of each row, the best first, shape (n, k).

    The first of two equally probable classes comes first, as in `predict`.

    Examples
    --------
    >>> best_classes(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]]), 2).tolist()
    [[1, 2], [0, 2]]
    """
    n_rows, n_classes = probabilities.shape
    k = min(k, n_classes)
    if k > FEW:
        return np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
    left, rows = probabilities.copy(), np.arange(n_rows)
    best = np.empty((n_rows, k), np.intp)
    for place in range(k):
        best[:, place] = left.argmax(axis=1)
        left[rows, best[:, place]] = -1.0
    return best


def chosen_labels(classes: npt.NDArray[Any], choice: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Turn class numbers into labels; -1 becomes None, in an object array if there is any."""
    if (choice >= 0).all():
        labels: npt.NDArray[Any] = classes[choice]
        return labels
    out = np.empty(len(choice), object)
    known = classes.tolist()
    out[:] = [None if number < 0 else known[number] for number in choice.tolist()]
    return out
