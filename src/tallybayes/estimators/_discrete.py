"""What the four estimators on counts have in common: scikit-learn's alpha and prior."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from ..counters import CountCounter, threads
from ..errors import ParameterError
from ..readings import Floats, Reading
from ._columns import ColumnClassifier

__all__ = ["CountClassifier", "DiscreteClassifier"]

_LEAST_ALPHA = 1e-10


class DiscreteClassifier(ColumnClassifier):
    """Base of the estimators on counts."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    prior_alpha: float

    def _checked_alpha(self) -> Any:
        """Check alpha and, unless forced, lift it to 1e-10."""
        for name in ("force_alpha", "fit_prior"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ParameterError(f"{name} must be True or False; got {getattr(self, name)!r}")
        if isinstance(self.alpha, (bool, str)) or self.alpha is None:
            raise ParameterError(f"alpha must be a number of at least 0 or one per feature; got {self.alpha!r}")
        try:
            alpha = np.asarray(self.alpha, np.float64)
        except (TypeError, ValueError):
            raise ParameterError(
                f"alpha must be a number of at least 0 or one per feature; got {self.alpha!r}"
            ) from None
        if alpha.size and (alpha < 0).any():
            raise ParameterError(f"All values in alpha must be greater than 0.; got {self.alpha!r}")
        if not self.force_alpha and alpha.size and alpha.min() < _LEAST_ALPHA:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_LEAST_ALPHA:.1e}. Use "
                "`force_alpha=True` to keep alpha unchanged.",
                UserWarning,
                stacklevel=4,
            )
            alpha = np.maximum(alpha, _LEAST_ALPHA)
        return float(alpha) if alpha.ndim == 0 else alpha

    def _checked_prior(self) -> Any:
        """Return the prior in our terms, whichever way it was said."""
        self._one_prior(class_prior=self.class_prior is not None, fit_prior=not self.fit_prior)
        if self.prior is not None:
            return self.prior
        if self.class_prior is not None:
            if isinstance(self.class_prior, str):
                raise ParameterError(f"class_prior must be probabilities; got {self.class_prior!r}")
            return self.class_prior
        return None if self.fit_prior else "uniform"

    @property
    def class_log_prior_(self) -> Floats:
        """Log prior of each class, natural log, shape (K,); -inf for a class that has no rows."""
        model = self._attribute("class_log_prior")
        return model.reading.log_prior(model.tally)


class CountClassifier(DiscreteClassifier):
    """Base of the estimators on columns of counts; a subclass names its event model and what it counts."""

    _event_model: ClassVar[str]
    _channel: ClassVar[str] = "occurrences"

    def _counter(self) -> CountCounter:
        return CountCounter((self._channel,), reader=type(self).__name__)

    def _reading(self) -> Reading:
        threads(self.n_jobs)
        prior = self._checked_prior()
        return Reading.of(self._event_model, alpha=self._checked_alpha(), prior=prior, prior_alpha=self.prior_alpha)

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        if counter.kind != "counts" or reading.event_model != cls._event_model:
            return None
        return {"alpha": reading.alpha, "prior": reading.prior, "prior_alpha": reading.prior_alpha}

    @property
    def feature_count_(self) -> Floats:
        """What was counted of each class and column, shape (K, d): laid out densely when asked for."""
        tally, _ = self._read("feature_count")
        return np.asarray(tally.dense(self._channel), np.float64)

    def _alpha(self) -> Floats:
        """Return alpha as of the last fit, of shape () or (d,)."""
        _, reading = self._read("alpha")
        return np.asarray(reading.alpha, np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._channel == "occurrences"
        tags.classifier_tags.poor_score = True
        return tags
