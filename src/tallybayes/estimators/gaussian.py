"""Gaussian naive Bayes: a normal distribution per class and column."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse

import tallybayes._kernel as _kernel

from ..derive import Derivation, derive_gaussian
from ..errors import ParameterError
from ..scores.contributions import Terms
from ..scores.gaussian import GaussianReading, GaussianScores, check_squares, gaussian_terms, refuse_value
from ..scores.table import Floats
from ..tally.moments import MomentTally
from ._base import Batch, TallyClassifier
from ._reasons import Entry, given_or_named

__all__ = ["GaussianNB"]


class GaussianNB(TallyClassifier):
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

    def _settings(self) -> GaussianReading:
        self._one_prior(priors=self.priors is not None)
        self._threads()
        prior = self.prior if self.priors is None else self.priors
        if isinstance(self.priors, str):
            raise ParameterError(f"priors must be probabilities; got {self.priors!r}; use prior={self.priors!r}")
        return GaussianReading(self.var_smoothing, self.ddof, prior, self.prior_alpha, self.missing)

    def _check_rows(self, X: Any, columns: Any, settings: GaussianReading, reset: bool) -> Any:
        rows = self._validated(
            X, columns, reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite=False
        )
        if sparse.issparse(rows) and settings.missing == "skip" and not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return rows

    def _count(self, batch: Batch, settings: GaussianReading) -> MomentTally:
        X, shape = batch.rows, (len(batch.labels), batch.rows.shape[1])
        more: dict[str, Any] = {
            "weights": batch.weights,
            "missing": settings.missing == "skip",
            "n_jobs": self._threads(),
        }
        if sparse.issparse(X):
            found = _kernel.moments_csr(
                X.indptr.astype(np.int64), X.indices, X.data, shape[1], batch.codes, shape[0], **more
            )
        else:
            found = _kernel.moments(X, batch.codes, shape[0], **more)
        if found["bad"] is not None:
            refuse_value(X, *found["bad"])
        weight, mean, m2 = (found[name].reshape(shape) for name in ("weight", "mean", "m2"))
        if found["overflow"]:
            check_squares(m2)
        # Without gaps every column weighs what its class weighs.
        gaps = settings.missing == "skip"
        class_count = np.bincount(batch.codes, batch.weights, shape[0]) if gaps else weight[:, 0]
        return MomentTally(batch.labels, class_count, weight, mean, m2, batch.names)

    def _check_reading(self, tally: MomentTally, settings: GaussianReading) -> GaussianScores:
        return self._read(tally, settings)

    def _read(self, tally: MomentTally, settings: GaussianReading) -> GaussianScores:
        return GaussianScores.read(tally, settings)

    def _joint(self, table: GaussianScores, X: Any, out: Floats, first_row: int) -> None:
        table.joint(X, self._threads(), out, first_row)

    def _terms(self, table: GaussianScores, rows: Any) -> tuple[Terms, list[Entry]]:
        x, names = _values(rows), self._column_names()
        there = np.flatnonzero(~np.isnan(x))
        terms = gaussian_terms(table, x)
        texts = [f"{names[j]} = {x[j]:g}" for j in there.tolist()]
        return terms._replace(features=terms.features[there]), [Entry(text, text) for text in texts]

    def _derived(self, table: GaussianScores, rows: Any, columns: int, classes: int) -> Derivation:
        x, settings, names = _values(rows), self._fitted_settings, self._column_names()
        there = np.flatnonzero(~np.isnan(x)).tolist()
        labels, count = self.tally_.classes.array.tolist(), self.tally_.class_count.tolist()
        return derive_gaussian(
            labels,
            [int(n) for n in count] if all(n.is_integer() for n in count) else count,
            [names[j] for j in there],
            x[there].tolist(),
            table.mean[:, there].tolist(),
            table.variance[:, there].tolist(),
            prior=given_or_named(settings.prior, labels),
            prior_alpha=settings.prior_alpha,
            left_out=[name for j, name in enumerate(names) if np.isnan(x[j])],
            text=", ".join(entry.text for entry in self._terms(table, rows)[1]),
            shown_columns=columns,
            shown_classes=classes,
        )

    def _holds(self, tally: Any) -> bool:
        return isinstance(tally, MomentTally)

    def _width(self, tally: MomentTally) -> int:
        return tally.n_columns

    def _names(self, tally: MomentTally) -> Any:
        return tally.columns

    @property
    def theta_(self) -> Floats:
        """Mean of each class and column, shape (K, d)."""
        return self._read_off().mean

    @property
    def var_(self) -> Floats:
        """Variance of each class and column, `epsilon_` included, shape (K, d)."""
        return self._read_off().variance

    @property
    def epsilon_(self) -> float:
        """What is added to each variance, in squared units of the data."""
        return self._read_off().epsilon

    @property
    def class_prior_(self) -> Floats:
        """Prior probability of each class, shape (K,)."""
        return np.exp(self._read_off().log_prior)

    def _read_off(self) -> GaussianScores:
        self._fitted("tally_")
        table = self._scores()
        assert isinstance(table, GaussianScores)
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "skip"
        return tags


def _values(rows: Any) -> Floats:
    """The values of one row, in float64."""
    values: Floats = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, np.float64)[0]
    return values
