"""Categorical naive Bayes: a distribution over the values of each column, on codes or on the values themselves."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..counters import CategoryCounter, threads
from ..readings import CategoricalReading, Floats
from ..readings.categorical import CategoryCounts, log_shares
from ._discrete import DiscreteClassifier

__all__ = ["CategoricalNB"]

_READ = ("alpha", "unseen", "min_categories", "prior", "prior_alpha")  # parameters that are the reading's


class CategoricalNB(DiscreteClassifier):
    """Categorical naive Bayes over a tally of values.

    The numbers of scikit-learn's class of this name on codes; besides, it takes rows of any values (text, numbers,
    mixed) without encoding them first, scores values it has never seen, and leaves gaps out.

    A number is a category by its value, whatever type it comes in: 4, 4.0, float32(4) and Int64(4) are one, and True is
    1. Whole numbers keep all their digits; floats from 2^53 on, which do not, are refused. Dates are days.

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing; 0 is maximum likelihood.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is set to 1e-10.
    fit_prior : bool, default=True
        If False, the prior is uniform.
    class_prior : array-like of shape (K,) or mapping of label to float, optional
        Prior probabilities, in the order of the *sorted* classes or by label.
    min_categories : int or array-like of shape (d,), optional
        The least number of categories of a column, or of each.
    domain : {"auto", "codes", "values"}, default="auto"
        What X holds: codes 0 … n - 1 (arrays and frames of numbers), or values (everything else).
    unseen : {"smooth", "ignore", "error"}, default="smooth"
        What a value never seen in training is: α / (N + α S) under every class, a factor left out, or an error.
    missing : {"error", "skip"}, default="error"
        "skip" leaves NaN and None out, in fitting and predicting.
    prior : {"documents", "uniform"}, array-like or mapping, optional
        Our way to give a prior.
    prior_alpha : float, default=0
        Smooths the prior, (N_c + λ) / (N + Kλ).
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.

    Attributes
    ----------
    tally_ : CountTally
        All that was learnt; its features name a column and a value.
    classes_, class_count_, class_log_prior_ : ndarray of shape (K,)
    categories_ : list of d arrays
        The values of each column in the order of the tables below.
    category_count_, feature_log_prob_ : list of d arrays of shape (K, S)
    n_categories_ : ndarray of shape (d,)
        S: for codes the largest one seen + 1, for values the number of distinct ones.
    n_features_in_ : int

    Examples
    --------
    >>> from tallybayes import CategoricalNB
    >>> fruit = [("round", "red"), ("round", "green"), ("long", "green"), ("long", "yellow")]
    >>> model = CategoricalNB(alpha=0).fit(fruit, ["apple", "apple", "melon", "banana"])
    >>> model.predict([("round", "green"), ("long", "yellow")]).tolist()
    ['apple', 'banana']
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        domain: Literal["auto", "codes", "values"] = "auto",
        unseen: Literal["smooth", "ignore", "error"] = "smooth",
        missing: Literal["error", "skip"] = "error",
        prior: Any = None,
        prior_alpha: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.domain = domain
        self.unseen = unseen
        self.missing = missing
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.n_jobs = n_jobs

    def _counter(self) -> CategoryCounter:
        return CategoryCounter(self.domain, self.missing)

    def _reading(self) -> CategoricalReading:
        threads(self.n_jobs)
        return CategoricalReading(
            alpha=self._checked_alpha(),
            unseen=self.unseen,
            min_categories=self.min_categories,
            prior=self._checked_prior(),
            prior_alpha=self.prior_alpha,
        )

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        if counter.kind != "categories" or reading.event_model != "categorical":
            return None
        read = {name: getattr(reading, name) for name in _READ}
        return {"domain": counter.domain, "missing": counter.missing, **read}

    # Attributes

    @property
    def n_categories_(self) -> npt.NDArray[np.int64]:
        """S, the number of values of each column, shape (d,)."""
        tally, reading = self._read("n_categories")
        return CategoryCounts.of(tally).sizes(reading.min_categories)

    @property
    def categories_(self) -> list[npt.NDArray[Any]]:
        """The values of each column, in the order of `category_count_`."""
        laid_out = CategoryCounts.of(self._read("categories")[0])
        if laid_out.codes:
            return [np.arange(size) for size in self.n_categories_]
        out = []
        for values in laid_out.values:
            each = np.empty(len(values), object)
            each[:] = values
            out.append(each)
        return out

    @property
    def category_count_(self) -> list[Floats]:
        """Rows of each class with each value, a table of shape (K, S) per column."""
        laid_out = CategoryCounts.of(self._read("category_count")[0])
        tables = []
        for values, counts, size in zip(laid_out.values, laid_out.counts, self.n_categories_, strict=True):
            table = np.zeros((len(counts), size))
            table[:, np.array(values, np.int64) if laid_out.codes else slice(len(values))] = counts
            tables.append(table)
        return tables

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """Log P(value given class), natural log, a table of shape (K, S) per column."""
        alpha = self._read("feature_log_prob")[1].alpha
        return [
            np.ascontiguousarray(log_shares(counts.T, counts.sum(axis=1), alpha, counts.shape[1]).T)
            for counts in self.category_count_
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing == "skip"
        return tags
