"""What the estimators on columns have in common: scikit-learn's checks of rows and labels, and its attributes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _num_samples, validate_data

from ..counters import CategoryCounter, Counter, LabelledRows
from ..counters.frames import names_of
from ..errors import InputError, ParameterError
from ..labels import Labels
from ..model import Model
from ..tally import Tally
from ._base import NaiveBayes

__all__ = ["ColumnClassifier"]

# How scikit-learn is to look at rows of each kind. Values are left to the kernel, which names the first bad one.
_CHECKS: dict[str, dict[str, Any]] = {
    "counts": {"accept_sparse": "csr", "ensure_all_finite": False},
    "numbers": {
        "accept_sparse": "csr",
        "dtype": [np.float64, np.float32],
        "order": "C",
        "ensure_all_finite": False,
    },
    "categories": {"dtype": None, "order": "C", "ensure_all_finite": False},
}


class ColumnClassifier(NaiveBayes):
    """Base of the estimators on columns."""

    prior: Any

    def _learned(self, X: Any, y: Any, sample_weight: Any, classes: Labels | None) -> Model:
        counter, reading = self._counter(), self._reading()  # as scikit-learn: parameters first
        rows, labelled, names = self._given(counter, X, y, sample_weight, classes, reset=True)
        return Model(counter.named(names), reading, n_jobs=self.n_jobs).learned(rows, labelled).checked()

    def _counted(self, fitted: Model, X: Any, y: Any, sample_weight: Any, classes: Labels | None) -> Tally:
        rows, labelled, _ = self._given(fitted.counter, X, y, sample_weight, classes, reset=False)
        return fitted.count(rows, labelled)

    def _given(
        self, counter: Counter, X: Any, y: Any, sample_weight: Any, classes: Labels | None, *, reset: bool
    ) -> tuple[Any, LabelledRows, tuple[str, ...] | None]:
        """Check rows, labels and weights in the order in which scikit-learn does."""
        if y is None:
            _encode(y, 0)
        rows, names = self._validated(counter, X, reset=reset)
        return rows, _labelled(y, _num_samples(rows), classes, sample_weight), names

    def _rows(self, counter: Counter, X: Any) -> Any:
        return self._validated(counter, X, reset=False)[0]

    def _validated(self, counter: Counter, X: Any, *, reset: bool) -> tuple[Any, tuple[str, ...] | None]:
        """Let scikit-learn check rows and the names of their columns; what fails leaves no trace in the estimator."""
        names = names_of(X)  # refuses two columns of one name
        seen = _stand_in(type(self).__name__)()
        seen.tags = self.__sklearn_tags__()
        if not reset:
            seen.n_features_in_ = counter.n_columns
            if counter.columns is not None:
                seen.feature_names_in_ = np.asarray(counter.columns, object)
        if isinstance(counter, CategoryCounter) and (names is not None or not counter.takes_codes(X)):
            # Values, and columns that may be of several types of numbers: an array of one type would not hold all.
            validate_data(seen, X, reset=reset, skip_check_array=True)
            rows = X
        else:
            rows = validate_data(seen, X, reset=reset, **_CHECKS[counter.kind])
        names = getattr(seen, "feature_names_in_", None)
        return rows, None if names is None else tuple(names)

    def _one_prior(self, **theirs: bool) -> None:
        """Refuse a prior given twice, scikit-learn's way and ours."""
        given = [name for name, is_given in theirs.items() if is_given]
        if self.prior is not None and given:
            raise ParameterError(f"prior and {given[0]} both say what the prior is: give one of them")

    @property
    def n_features_in_(self) -> int:
        """The number of columns, d."""
        return self._attribute("n_features_in").counter.n_columns or 0

    @property
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """The names of the columns, shape (d,); only where X had names."""
        columns = self._attribute("feature_names_in").counter.columns
        if columns is None:
            raise AttributeError("the columns that were learnt have no names")
        return np.asarray(columns, object)

    def _read(self, name: str) -> tuple[Any, Any]:
        """The tally and the reading of the fitted model, of this estimator's kind, for an attribute made of them."""
        model = self._attribute(name)
        return model.tally, model.reading

    def _scores(self, name: str) -> Any:
        """Return the scores of the fitted model, for an attribute that is read off them."""
        return self._attribute(name).answers.scores


@cache
def _stand_in(name: str) -> Any:
    """What scikit-learn's checks may write to, of the estimator's name for their messages."""
    return type(name, (BaseEstimator,), {"__sklearn_tags__": lambda self: self.tags})


def _labelled(y: Any, n_rows: int, known: Labels | None, sample_weight: Any) -> LabelledRows:
    """Check labels and weights; where classes are known, others are refused."""
    labels, codes = _encode(y, n_rows)
    if known is None:
        return LabelledRows.coded(labels, codes, sample_weight)
    try:
        codes = known.numbered(labels, codes)
    except InputError as error:  # with the words that scikit-learn has for it
        raise InputError(f"The target label(s) in y do not exist in the initial classes: {error}") from None
    return LabelledRows.coded(known, codes, sample_weight)


def _encode(y: Any, n_rows: int) -> tuple[Labels, npt.NDArray[np.int32]]:
    """Number the labels of n rows.

    Raises
    ------
    InputError
        If labels are missing, mixed, of another number than the rows, or measurements rather than classes.
    """
    if y is None:
        raise InputError("This estimator requires y to be passed, but the target y is None: give one label per row")
    if hasattr(y, "__array__") and not hasattr(y, "__iter__"):
        y = np.asarray(y)
    labels, codes = Labels.of(y)
    if len(codes) != n_rows:
        check_consistent_length(np.empty((n_rows, 0)), codes)
    if labels.kind == "float":
        fraction = next((value for value in labels if value != int(value)), None)  # type: ignore[arg-type]
        if fraction is not None:
            raise InputError(
                f"Unknown label type: continuous. Labels are classes, and {fraction!r} is a measurement; make classes "
                "of the numbers first"
            )
    return labels, codes
