"""Multinomial naive Bayes on columns of counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..readings import Floats
from ._discrete import CountClassifier

__all__ = ["MultinomialNB"]


class MultinomialNB(CountClassifier):
    """Multinomial naive Bayes over a sparse tally of counts.

    The numbers of scikit-learn's class of this name; the work of a fit follows the non-zeros, whatever the number of
    classes, and so does the memory.

    Parameters
    ----------
    alpha : float or array-like of shape (d,), default=1.0
        Smoothing; 0 is maximum likelihood: what was never seen with a class is impossible in it.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is set to 1e-10.
    fit_prior : bool, default=True
        If False, the prior is uniform.
    class_prior : array-like of shape (K,) or mapping of label to float, optional
        Prior probabilities, in the order of the *sorted* classes or by label.
    prior : {"documents", "words", "uniform"}, array-like or mapping, optional
        Our way to give a prior; "words" is the share of all counts.
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
        Laid out when asked for.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only where X had names of columns.

    Examples
    --------
    >>> from tallybayes import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sport", "stage"])
    >>> model.predict([[0, 5, 1]]).tolist()
    ['sport']
    """

    _event_model = "multinomial"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        prior: Any = None,
        prior_alpha: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.n_jobs = n_jobs

    @property
    def feature_log_prob_(self) -> Floats:
        """Log P(column given class), natural log, shape (K, d)."""
        smoothed = self.feature_count_ + self._alpha()
        total = smoothed.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(smoothed) - np.log(np.where(total > 0, total, 1.0))
        return logs
