"""Gaussian naive Bayes: a normal distribution per class and column."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..counters import NumberCounter, threads
from ..errors import ParameterError
from ..readings import Floats, GaussianReading
from ._columns import ColumnClassifier

__all__ = ["GaussianNB"]

_READ = ("var_smoothing", "ddof", "prior", "prior_alpha")  # parameters that are the reading's


class GaussianNB(ColumnClassifier):
    """Gaussian naive Bayes over a tally of means and squared deviations.

    The numbers of scikit-learn's class of this name, with streaming that equals one fit: what is added to the variances
    is a share of the largest variance of all rows so far, whatever batches they came in.

    Parameters
    ----------
    priors : array-like of shape (K,) or mapping of label to float, optional
        Prior probabilities, in the order of the *sorted* classes or by label.
    var_smoothing : float, default=1e-9
        This share of the largest variance of all columns is added to every variance.
    ddof : {0, 1}, default=0
        Variance by n (as scikit-learn) or by n - 1.
    prior : {"documents", "uniform"}, array-like or mapping, optional
        Our way to give a prior; default is the share of the rows.
    prior_alpha : float, default=0
        Smooths the prior, (N_c + λ) / (N + Kλ).
    missing : {"error", "skip"}, default="error"
        "skip" leaves NaN out, in fitting and predicting: exact, no imputation.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.

    Attributes
    ----------
    tally_ : MomentTally
        All that was learnt.
    classes_, class_count_, class_prior_ : ndarray of shape (K,)
    theta_, var_ : ndarray of shape (K, d)
        Means, and variances with `epsilon_` in them, in float64 whatever came in.
    epsilon_ : float
        What is added to the variances, in squared units of the data.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only where X had names of columns.

    Notes
    -----
    A class without any variance in a column (possible with ``var_smoothing=0`` or if nothing varies at all) makes its
    own value certain there and any other one impossible; nothing is divided by zero. CSR, CSC and COO matrices are
    read without laying out their zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from tallybayes import GaussianNB
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]])
    array([1])
    """

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        ddof: int = 0,
        prior: Any = None,
        prior_alpha: float = 0.0,
        missing: Literal["error", "skip"] = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.ddof = ddof
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.missing = missing
        self.n_jobs = n_jobs

    def _counter(self) -> NumberCounter:
        return NumberCounter(self.missing)

    def _reading(self) -> GaussianReading:
        self._one_prior(priors=self.priors is not None)
        threads(self.n_jobs)
        if isinstance(self.priors, str):
            raise ParameterError(f"priors must be probabilities; got {self.priors!r}; use prior={self.priors!r}")
        return GaussianReading(
            var_smoothing=self.var_smoothing,
            ddof=self.ddof,
            prior=self.prior if self.priors is None else self.priors,
            prior_alpha=self.prior_alpha,
        )

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        if counter.kind != "numbers" or reading.event_model != "gaussian":
            return None
        return {"missing": counter.missing, **{name: getattr(reading, name) for name in _READ}}

    @property
    def theta_(self) -> Floats:
        """Mean of each class and column, shape (K, d)."""
        mean: Floats = self._scores("theta").mean
        return mean

    @property
    def var_(self) -> Floats:
        """Variance of each class and column, `epsilon_` included, shape (K, d)."""
        variance: Floats = self._scores("var").variance
        return variance

    @property
    def epsilon_(self) -> float:
        """What is added to each variance, in squared units of the data."""
        return float(self._scores("epsilon").epsilon)

    @property
    def class_prior_(self) -> Floats:
        """Prior probability of each class, shape (K,)."""
        prior: Floats = np.exp(self._scores("class_prior").log_prior)
        return prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "skip"
        return tags
