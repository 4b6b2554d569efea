"""What the three estimators on columns of counts have in common: multinomial, complement, Bernoulli."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

import tallybayes._kernel as _kernel

from ..errors import InputError, ParameterError
from ..scores import LinearScores, Reading, given_prior, read
from ..scores.table import Floats
from ..tally.count import CountTally
from ..tally.features import ColumnFeatures
from ..text.space import Space
from ._base import Batch
from ._csr import Csr
from ._discrete import DiscreteClassifier
from ._input import class_weight, whole_weights

__all__ = ["CountClassifier", "CountScores", "CountSettings", "every_column"]


@dataclass(frozen=True)
class CountSettings:
    """The settings of a fit.

    Attributes
    ----------
    reading : Reading
        How the tally is read.
    prior, prior_alpha
        What `class_log_prior_` shows; complement naive Bayes shows a prior that it does not use.
    threshold : float
        Values above it are present (Bernoulli).
    """

    reading: Reading
    prior: Any
    prior_alpha: float
    threshold: float = 0.0


class CountScores:
    """The score table of a count model over all columns, as the kernel reads it."""

    def __init__(self, table: LinearScores) -> None:
        self.table = table
        self.log_prior = table.log_prior

    @cached_property
    def _laid_out(self) -> list[_kernel.ScoreTable]:
        return [each.laid_out() for each in (self.table, self.table.zeros) if each is not None]

    def joint(self, X: Csr, out: Floats, *, threshold: float, negative: bool, n_jobs: int) -> Any:
        """Fill in joint log scores (n, K); give (row, column, value) of the first value refused, or None."""
        counted = None
        for table, layout in zip((self.table, self.table.zeros), self._laid_out, strict=False):
            assert table is not None
            target = out if table is self.table else np.empty_like(out)
            bad = _kernel.score_csr(
                X.indptr, X.indices, X.data, layout, target, value=table.value, threshold=threshold, negative=negative,
                n_jobs=n_jobs,
            )  # fmt: skip
            if bad is not None:
                return bad
            counted = None if table is self.table else target
        self.table.finish(out, counted)
        return None


class CountClassifier(DiscreteClassifier):
    """Base of the estimators on columns of counts; a subclass names its model and its channel."""

    _model: ClassVar[Literal["multinomial", "complement", "bernoulli"]]
    _channel: ClassVar[Literal["occurrences", "documents"]]

    def _settings(self) -> CountSettings:
        self._threads()
        prior = self._checked_prior()
        reading = Reading(self._model, alpha=self._checked_alpha(), prior=prior, prior_alpha=self.prior_alpha)
        return CountSettings(reading, prior, self.prior_alpha)

    def _check_rows(self, X: Any, columns: Any, settings: CountSettings, reset: bool) -> Csr:
        return Csr.of(self._validated(X, columns, reset, accept_sparse="csr", ensure_all_finite=False))

    def _rules(self, settings: CountSettings) -> dict[str, Any]:
        """What else decides how a matrix becomes counts."""
        return {}

    def _count(self, batch: Batch, settings: CountSettings) -> CountTally:
        X, whole = batch.rows, whole_weights(batch.weights)
        counts = _kernel.count_csr(
            X.indptr, X.indices, X.data, X.shape[1], batch.codes, len(batch.labels), batch.weights, whole,
            occurrences=self._channel == "occurrences", documents=self._channel == "documents",
            threshold=settings.threshold, negative=self._model == "bernoulli", n_jobs=self._threads(),
        )  # fmt: skip
        if counts["bad"] is not None:
            self._refuse(*counts["bad"])
        cells, rows = counts[self._channel], class_weight(batch.codes, len(batch.labels), batch.weights)
        exact = cells.dtype == np.int64 and rows.dtype == np.int64
        number = np.int64 if exact else np.float64
        rules = self._rules(settings)
        if batch.names is not None:
            rules["names"] = batch.names
        return CountTally(
            batch.labels,
            rows.astype(number),
            ColumnFeatures(counts["columns"], X.shape[1]),
            counts["indptr"],
            counts["class_index"],
            {self._channel: cells.astype(number, copy=False)},
            Space("columns", rules),
            exact,
        )

    def _check_reading(self, tally: CountTally, settings: CountSettings) -> None:
        alpha, width = settings.reading.alpha, tally.features.width
        if isinstance(alpha, tuple) and len(alpha) != width:
            raise ParameterError(
                f"When alpha is an array, it should contains `n_features`. Got {len(alpha)} elements instead of {width}."
            )
        for prior in (settings.prior, settings.reading.prior):
            if prior is not None and not isinstance(prior, str):
                given_prior(prior, list(tally.classes))
        if self._channel not in tally.channels:
            raise ParameterError(
                f"{type(self).__name__} reads {self._channel}, and this tally holds {' and '.join(tally.channels)}"
            )

    def _read(self, tally: CountTally, settings: CountSettings) -> CountScores:
        return CountScores(read(every_column(tally), settings.reading))

    def _joint(self, table: CountScores, X: Csr, out: Floats, first_row: int) -> None:
        bad = table.joint(
            X,
            out,
            threshold=self._fitted_settings.threshold,
            negative=self._model == "bernoulli",
            n_jobs=self._threads(),
        )
        if bad is not None:
            row, column, value = bad
            self._refuse(first_row + row, column, value)

    def _refuse(self, row: int, column: int, value: float) -> None:
        """Raise the error for a value that cannot be counted."""
        if np.isfinite(value):
            raise InputError(
                f"Negative values in data passed to {type(self).__name__} (input X): {value:g} at row {row}, column "
                f"{column}; counts are at least 0 — was the data scaled, or hashed with signs (alternate_sign=True)?"
            )
        what = "NaN" if np.isnan(value) else "infinity"
        raise InputError(f"Input X contains {what}: the first at row {row}, column {column}; fill or remove such values")

    def _width(self, tally: CountTally) -> int:
        return tally.features.width

    def _names(self, tally: CountTally) -> Any:
        return tally.space.rules.get("names")

    @property
    def feature_count_(self) -> Floats:
        """What was counted of each class and column, shape (K, d): laid out densely when asked for."""
        return np.asarray(self._fitted("tally_").dense(self._channel), np.float64)

    def _alpha(self) -> Any:
        """Alpha as of the last fit: a number, or an array of shape (d,)."""
        return np.asarray(self._fitted("_fitted_settings").reading.alpha, np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._model != "bernoulli"
        tags.classifier_tags.poor_score = True
        return tags


def every_column(tally: CountTally) -> CountTally:
    """Give the tally with every column as a feature, those never seen too: smoothing is over all columns."""
    features = tally.features
    if not isinstance(features, ColumnFeatures) or len(features) == features.n_columns:
        return tally
    sizes = np.zeros(features.n_columns, np.int64)
    sizes[features.columns] = np.diff(tally.indptr)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    every = ColumnFeatures(np.arange(features.n_columns), features.n_columns)
    return CountTally(
        tally.classes,
        tally.class_count,
        every,
        indptr,
        tally.class_index,
        tally.channels,
        tally.space,
        tally.exact,
        tally.unit,
    )
