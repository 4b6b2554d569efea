"""What the five estimators have in common: everything but how rows are counted, read and scored.

An estimator holds a tally (`tally_`) and the settings of its last fit; all else is read off the two when asked for.
Whatever a call does is worked out aside and put in place at its end, so a call that fails or is interrupted changes
nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..engines.local import LabelledRows, threads
from ..errors import InputError, ParameterError, SpaceError
from ..labels import Labels
from ..scores.table import Floats
from ._answers import Cache, Table
from ._file import load_estimator, save_estimator
from ._input import (
    Codes,
    Weights,
    check_weights,
    class_weight,
    encode,
    encode_known,
    refuse_duplicate_names,
    whole_weights,
)
from ._reasons import Reasons

__all__ = ["Batch", "TallyClassifier"]


class _Columns:
    """What is known of the columns, where no rows were seen."""

    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]


@dataclass(frozen=True)
class Batch:
    """Rows to count: laid out for the kernel, with the class of each row by number."""

    rows: Any
    labels: Labels
    codes: Codes
    weights: Weights
    columns: Any  # knows n_features_in_ and, where X had them, feature_names_in_

    @property
    def labelled(self) -> LabelledRows:
        """The classes and weights as the engines take them; whole weights as int64."""
        weights: Any = self.weights
        if weights is not None and whole_weights(weights):
            weights = weights.astype(np.int64)
        class_count = class_weight(self.codes, len(self.labels), self.weights)
        return LabelledRows(self.labels, self.codes, weights, class_count)

    @property
    def names(self) -> list[str] | None:
        """The names of the columns, where there are any."""
        names = getattr(self.columns, "feature_names_in_", None)
        return None if names is None else list(names)


class TallyClassifier(Reasons, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators; see the module's text.

    A subclass says how its parameters become settings (`_settings`), how rows are checked (`_check_rows`) and counted
    (`_count`), and how a tally is read (`_read`) and rows are scored (`_joint`).
    """

    n_jobs: int | None
    prior: Any
    n_features_in_: int

    # What a subclass provides

    def _settings(self) -> Any:
        """Check the parameters and freeze what reading the tally needs."""
        raise NotImplementedError

    def _count(self, batch: Batch, settings: Any) -> Any:
        """Count rows into a tally."""
        raise NotImplementedError

    def _check_reading(self, tally: Any, settings: Any) -> Table | None:
        """Refuse settings that do not fit the tally; give the score table if it had to be made for that."""
        raise NotImplementedError

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows, and from these alone.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)
        y : sequence of n labels
        sample_weight : array of shape (n,), optional
            Weight w counts like w copies of the row.

        Returns
        -------
        self

        Raises
        ------
        ValueError or TypeError
            For parameters or input that cannot be used. The estimator is then as it was before the call.
        """
        settings = self._settings()
        return self._learn(X, y, sample_weight, settings, None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; any cutting into batches, in any order, gives what one `fit` gives.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)
        y : sequence of n labels
        classes : sequence of labels
            All classes there will be; needed at the first call, later the same or None.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError or TypeError
            Also for a label that is none of the classes. The estimator is then as it was before the call.

        Notes
        -----
        A call after the first one uses the parameters as they were at the last fit.
        """
        if self._is_fitted():
            if classes is not None:
                self._require_same(classes)
            return self._learn(X, y, sample_weight, self._fitted_settings, self.tally_)
        if classes is None:
            raise InputError("classes must be passed on the first call to partial_fit.")
        settings = self._settings()
        return self._learn(X, y, sample_weight, settings, Labels.of(classes)[0])

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out again that were learnt before: what is left is what never seeing them would have given.

        Parameters
        ----------
        X, y, sample_weight
            As they were given to `fit` or `partial_fit`.

        Returns
        -------
        self

        Raises
        ------
        ForgetError
            If that would take out more than is in. The estimator is then as it was before the call.
        """
        check_is_fitted(self)
        settings = self._fitted_settings
        batch = self._batch(X, y, sample_weight, settings, self.tally_.classes, reset=False)
        tally = self.tally_ - self._count(batch, settings)
        self._put(tally, settings, batch.columns, self._check_reading(tally, settings))
        return self

    def _require_same(self, classes: Any) -> None:
        labels, codes = Labels.of(classes)
        if labels != self.tally_.classes or len(codes) != len(labels):
            raise InputError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )

    def _learn(self, X: Any, y: Any, sample_weight: Any, settings: Any, known: Any) -> Self:
        """Learn rows: known is None (a new start), the classes (a first batch) or the tally so far."""
        labels = known if isinstance(known, Labels) or known is None else known.classes
        resumed = labels is not known
        batch = self._batch(X, y, sample_weight, settings, labels, reset=not resumed)
        tally = self._count(batch, settings)
        if resumed:
            tally = known + tally
        self._put(tally, settings, batch.columns, self._check_reading(tally, settings))
        return self

    def _batch(self, X: Any, y: Any, sample_weight: Any, settings: Any, labels: Labels | None, *, reset: bool) -> Batch:
        """Check what came, in the order in which scikit-learn does; `labels` are the classes known already."""
        if y is None:
            encode(y, 0)
        columns = self._columns()
        refuse_duplicate_names(X)
        rows = self._check_rows(X, columns, settings, reset)
        n_rows = rows.shape[0]
        if labels is None:
            labels, codes = encode(y, n_rows)
        else:
            codes = encode_known(y, n_rows, labels)
        return Batch(rows, labels, codes, check_weights(sample_weight, rows), columns)

    def _put(self, tally: Any, settings: Any, columns: Any, table: Table | None) -> None:
        """Put a finished result in place."""
        self.n_features_in_ = columns.n_features_in_
        if hasattr(columns, "feature_names_in_"):
            self.feature_names_in_ = columns.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if settings is not getattr(self, "_fitted_settings", None):
            self._fitted_parameters = self.get_params(deep=False)
        self.tally_ = tally
        self._fitted_settings = settings
        self._cache = Cache(table)

    def _columns(self) -> Self:
        """Give a stand-in that scikit-learn's checks may write to: what fails then leaves no trace in the estimator."""
        columns = object.__new__(type(self))
        columns.__dict__ = dict(vars(self))
        return columns

    # Adding, reading otherwise, keeping

    def __add__(self, other: object) -> Self:
        """Give what learning both sides' rows in one fit would give, with the parameters of the left."""
        if not isinstance(other, type(self)):
            return NotImplemented
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = getattr(self, "feature_names_in_", None), getattr(other, "feature_names_in_", None)
        if mine is not None and theirs is not None and list(mine) != list(theirs):
            raise SpaceError(f"the two were fitted on different columns: {list(mine)} and {list(theirs)}")
        added: Self = clone(self).set_params(**self._fitted_parameters)
        tally = self.tally_ + other.tally_
        table = added._check_reading(tally, self._fitted_settings)
        added._put(tally, self._fitted_settings, self if mine is not None else other, table)
        return added

    @classmethod
    def from_tally(cls, tally: Any, **parameters: Any) -> Self:
        """Make a fitted estimator of a tally and parameters, without any data.

        Raises
        ------
        SpaceError
            If the tally is of another type, or of something else than columns.
        ParameterError
            If the parameters do not fit it.

        Examples
        --------
        >>> from tallybayes import GaussianNB
        >>> a = GaussianNB().fit([[1.0], [2.0], [7.0]], ["low", "low", "high"])
        >>> GaussianNB.from_tally(a.tally_, var_smoothing=0.1).predict([[6.0]]).tolist()
        ['high']
        """
        made = cls(**parameters)
        if not made._holds(tally):
            raise SpaceError(f"no {cls.__name__} counts such a tally: {tally!r}; give the tally_ of one")
        settings = made._settings()
        table = made._check_reading(tally, settings)
        columns = _Columns()
        columns.n_features_in_ = made._width(tally)
        names = made._names(tally)
        if names is not None:
            columns.feature_names_in_ = np.asarray(names, object)
        made._put(tally, settings, columns, table)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tally and the parameters of the last fit to a `.tally` file: data only, nothing that runs.

        Raises
        ------
        ParameterError
            If a parameter is no plain value.
        """
        check_is_fitted(self)
        save_estimator(path, type(self).__name__, self.tally_, self._fitted_parameters)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, verify: Literal["all", "structure"] = "all") -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        path : path-like
        verify : {"all", "structure"}
            "structure" skips the checksum and maps the file.

        Raises
        ------
        ModelFileError
            If the file is damaged, or holds something else.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from tallybayes import MultinomialNB
        >>> model = MultinomialNB(alpha=0.5).fit([[3, 0], [0, 2]], ["sport", "stage"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(pathlib.Path(folder) / "model.tally")
        ...     again = MultinomialNB.load(pathlib.Path(folder) / "model.tally")
        >>> again.alpha, again.predict([[0, 1]]).tolist()
        (0.5, ['stage'])
        """
        return load_estimator(path, cls.__name__, cls.from_tally, verify)

    def _holds(self, tally: Any) -> bool:
        """Whether a tally is of the type that is counted here."""
        raise NotImplementedError

    def _width(self, tally: Any) -> int:
        """The number of columns that a tally was counted over."""
        raise NotImplementedError

    def _names(self, tally: Any) -> Any:
        return None

    def reread(self, **parameters: Any) -> Self:
        """Give an estimator with other parameters on the same tally: no data is needed.

        Examples
        --------
        >>> from tallybayes import GaussianNB
        >>> a = GaussianNB().fit([[1.0], [2.0], [7.0], [9.0]], ["low", "low", "high", "high"])
        >>> a.reread(ddof=1).var_.round(6).tolist()
        [[2.0], [0.5]]
        """
        check_is_fitted(self)
        other: Self = clone(self).set_params(**parameters)
        settings = other._settings()
        other._put(self.tally_, settings, self, other._check_reading(self.tally_, settings))
        return other

    # Attributes

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, sorted, in the dtype they came in, shape (K,)."""
        return cast(npt.NDArray[Any], self._fitted("tally_").classes.array)

    @property
    def class_count_(self) -> Floats:
        """Rows of each class, or the sum of their weights, shape (K,)."""
        return np.asarray(self._fitted("tally_").class_count, np.float64)

    def _fitted(self, name: str) -> Any:
        """Read what only a fitted estimator has; else it has no such attribute."""
        try:
            return vars(self)[name]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} instance is not fitted yet") from None

    def _is_fitted(self) -> bool:
        return "tally_" in vars(self)

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def _threads(self) -> int:
        return threads(self.n_jobs)

    def _validated(self, X: Any, columns: Any, reset: bool, **checks: Any) -> Any:
        return validate_data(columns, X, reset=reset, **checks)

    def _one_prior(self, **theirs: bool) -> None:
        """Refuse a prior given twice, scikit-learn's way and ours."""
        given = [name for name, is_given in theirs.items() if is_given]
        if self.prior is not None and given:
            raise ParameterError(f"prior and {given[0]} both say what the prior is: give one of them")
