"""Bernoulli naive Bayes on columns that are there or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..counters import CountCounter
from ..readings import Floats
from ._discrete import CountClassifier

__all__ = ["BernoulliNB"]


class BernoulliNB(CountClassifier):
    """Bernoulli naive Bayes over a sparse tally of rows that hold a column: what is absent counts too.

    The numbers of scikit-learn's class of this name.

    Parameters
    ----------
    alpha : float or array-like of shape (d,), default=1.0
        Smoothing; 0 is maximum likelihood.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is set to 1e-10.
    binarize : float or None, default=0.0
        A column is there where its value is above this; None: the values are 0 and 1 already, and anything else is
        refused. Below 0 it is defined for dense input only.
    fit_prior : bool, default=True
        If False, the prior is uniform.
    class_prior : array-like of shape (K,) or mapping of label to float, optional
        Prior probabilities, in the order of the *sorted* classes or by label.
    prior : {"documents", "uniform"}, array-like or mapping, optional
        Our way to give a prior.
    prior_alpha : float, default=0
        Smooths the prior, (N_c + λ) / (N + Kλ).
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.

    Attributes
    ----------
    tally_ : CountTally
        All that was learnt.
    classes_, class_count_, class_log_prior_ : ndarray of shape (K,)
    feature_count_, feature_log_prob_ : ndarray of shape (K, d)
        Rows with the column, and log P(column present given class); laid out when asked for.
    n_features_in_ : int

    Examples
    --------
    >>> from tallybayes import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1], [0, 0, 1]], ["x", "x", "y"])
    >>> model.predict([[0, 1, 0]]).tolist()
    ['x']
    """

    _event_model = "bernoulli"
    _channel = "documents"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        prior: Any = None,
        prior_alpha: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.n_jobs = n_jobs

    def _counter(self) -> CountCounter:
        return CountCounter(("documents",), self.binarize, reader=type(self).__name__)

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        found = super()._parameters(counter, reading)
        return None if found is None else {**found, "binarize": counter.threshold}

    @property
    def feature_log_prob_(self) -> Floats:
        """Log P(column present given class), natural log, shape (K, d)."""
        alpha, counts = self._alpha(), self.feature_count_
        with np.errstate(divide="ignore"):
            below = np.log(self.class_count_[:, None] + 2 * alpha)
            logs = np.log(counts + alpha) - np.where(np.isneginf(below), 0.0, below)
        return np.broadcast_to(logs, counts.shape)
