"""Complement naive Bayes on columns of counts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..readings import ComplementReading, Floats
from ._discrete import CountClassifier

__all__ = ["ComplementNB"]


class ComplementNB(CountClassifier):
    """Complement naive Bayes (Rennie et al. 2003) over a sparse tally of counts.

    The numbers of scikit-learn's class of this name. Its weights come from all *other* classes and are no likelihoods:
    no prior enters the scores unless one is asked for by `prior`.

    Parameters
    ----------
    alpha : float or array-like of shape (d,), default=1.0
        Smoothing.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is set to 1e-10.
    fit_prior : bool, default=True
    class_prior : array-like of shape (K,) or mapping of label to float, optional
        As in scikit-learn these only show in `class_log_prior_`; a given `class_prior` warns of that.
    norm : bool, default=False
        Whether the weights of a class are divided by their sum.
    prior : {"documents", "words", "uniform"}, array-like or mapping, optional
        A prior to be added to the scores.
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
        Counts, and the weights of the classes; laid out when asked for.
    feature_all_ : ndarray of shape (d,)
        Counts over all classes.
    n_features_in_ : int

    Examples
    --------
    >>> from tallybayes import ComplementNB
    >>> model = ComplementNB().fit([[2, 1, 0], [0, 3, 1], [1, 0, 4]], ["a", "b", "c"])
    >>> model.predict_proba([[1, 2, 0]]).round(9).tolist()
    [[0.358754325, 0.55266436, 0.088581315]]
    """

    _event_model = "complement"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        prior: Any = None,
        prior_alpha: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.n_jobs = n_jobs

    def _reading(self) -> ComplementReading:
        # As in scikit-learn fit_prior and class_prior only show: they are read, and do not enter.
        shown = self._checked_prior()
        reading = ComplementReading(
            alpha=self._checked_alpha(),
            norm=self.norm,
            prior=shown,
            with_prior=self.prior is not None,
            prior_alpha=self.prior_alpha,
        )
        if self.class_prior is not None:
            warnings.warn(
                "ComplementNB shows class_prior in class_log_prior_ but does not use it, as in scikit-learn; give "
                "prior= to add a prior to the scores",
                UserWarning,
                stacklevel=3,
            )
        return reading

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        found = super()._parameters(counter, reading)
        if found is None:
            return None
        if not reading.with_prior and reading.prior is not None:
            shown = {"fit_prior": False} if reading.prior == "uniform" else {"class_prior": reading.prior}
            found = {**found, "prior": None, **shown}
        return {**found, "norm": reading.norm}

    @property
    def feature_all_(self) -> Floats:
        """Counts over all classes, shape (d,)."""
        total: Floats = self.feature_count_.sum(axis=0)
        return total

    @property
    def feature_log_prob_(self) -> Floats:
        """The weights of each class and column: minus the log of the share in all other classes, or normalised."""
        counts = self.feature_count_
        rest = counts.sum(axis=0) + self._alpha() - counts
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(rest) - np.log(rest.sum(axis=1, keepdims=True))
        if not self._read("feature_log_prob")[1].norm:
            return np.negative(logs)
        total = logs.sum(axis=1, keepdims=True)
        return logs / np.where(total == 0, 1.0, total)
