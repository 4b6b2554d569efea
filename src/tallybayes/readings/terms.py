"""What each entry of a row adds to the score of each class: the terms of the sum that the kernel computes."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Terms"]

Floats: TypeAlias = npt.NDArray[np.float64]


class Terms(NamedTuple):
    """The terms of a row's scores, natural log; their sum is the row's joint log scores.

    Attributes
    ----------
    prior : ndarray of float64, shape (K,)
        -inf for a class that cannot be.
    bias : ndarray of float64, shape (K,)
        What the absent features add (Bernoulli); -inf where one of them had to be there.
    features : ndarray of float64, shape (n, K)
        What each entry of the row adds; -inf where it is impossible in the class, inf where only that class has it
        (complement without smoothing).
    known : ndarray of bool, shape (n,)
        Whether each was seen in training.
    """

    prior: Floats
    bias: Floats
    features: Floats
    known: npt.NDArray[np.bool_]
