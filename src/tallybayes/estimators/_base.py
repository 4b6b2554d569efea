"""The face that all estimators share: scikit-learn's verbs over one immutable model.

All that an estimator knows is its parameters and, once fitted, `model_`; everything else is read off the model. What a
call learns is worked out aside and put in place at its end, so a call that fails or is interrupted changes nothing, and
threads that learn at the same time lose nothing.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from ..counters import Counter
from ..errors import InputError, ModelFileError, ParameterError, SpaceError
from ..labels import Labels, one_column
from ..model import Model, load
from ..readings import Floats, Reading
from ..tally import Tally

if TYPE_CHECKING:
    from ..derive import Derivation
    from ..model.explain import Explanation

__all__ = ["NaiveBayes"]

_EXCHANGE = threading.Lock()  # held for a comparison and an assignment only


# What a notebook shows of a fitted estimator: nothing that has to be laid out first.
_SHOWN = ("classes_", "class_count_", "n_features_in_", "feature_names_in_", "model_")


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators.

    An estimator says three things: how its parameters become a counter (`_counter`) and a reading (`_reading`), and
    which parameters a model was made with (`_parameters`).
    """

    n_jobs: int | None
    model_: Model
    new_classes: bool = False

    # What an estimator provides

    def _counter(self) -> Counter:
        """Check the parameters that say how rows become sums."""
        raise NotImplementedError

    def _reading(self) -> Reading:
        """Check the parameters that say how the sums are read."""
        raise NotImplementedError

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        """Return the parameters that give this counter and reading; None if none do."""
        raise NotImplementedError

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows, and from these alone; what was learnt before is dropped, unless this fails: then it stays.

        Parameters
        ----------
        X : n rows
            Documents; or an array, sparse matrix or frame of shape (n, d).
        y : sequence of n labels
        sample_weight : array-like of shape (n,), optional
            Weight w counts like w copies of the row; whole numbers keep counts exact.

        Returns
        -------
        self

        Raises
        ------
        InputError, InputTypeError
            If a row, label or weight cannot be used; the message names the first.
        ParameterError
            If a parameter is out of range.
        """
        model = self._learned(X, _one_column(y), sample_weight, None)
        self._require_evidence(model)
        _remark(model.labels)
        self.model_ = model
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; any cutting into batches, in any order, gives what one `fit` gives.

        Parameters
        ----------
        X : n rows
            As for `fit`.
        y : sequence of n labels
        classes : sequence of labels, optional
            All classes that may come; needed at the first call, later the same or None.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self

        Raises
        ------
        InputError
            If a label is not among the classes, or the rows cannot be added to what was learnt; nothing is learnt then.

        Notes
        -----
        A call after the first one uses the parameters as they were at the last `fit`.
        """
        fitted, y = vars(self).get("model_"), _one_column(y)
        if fitted is None and classes is None and not self.new_classes:
            raise InputError("classes must be passed on the first call to partial_fit.")
        named = None if classes is None else Labels.of(classes)[0]
        if fitted is not None:
            have = fitted.labels
            if named is not None and not self.new_classes and (not _same(named, have) or len(classes) != len(have)):
                raise InputError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
                )
            named = have if named is None or _same(named, have) else have.union(named)[0]
        if self.new_classes:
            own = Labels.of(y)[0]
            named = own if named is None else named if named.holds(own) else named.union(own)[0]
        if fitted is None:
            first = self._learned(X, y, sample_weight, named)
            _remark(first.labels)
            self._exchange(lambda current: first if current is None else (current + first.tally).checked())
        else:
            part = self._counted(fitted, X, y, sample_weight, named)
            self._exchange(lambda current: ((current or fitted) + part).checked())
        return self

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
            If that would take out more than is in; nothing is changed.
        """
        fitted = self._fitted()
        gone = self._counted(fitted, X, _one_column(y), sample_weight, fitted.labels)
        self._exchange(lambda current: ((current or fitted) - gone).checked())
        return self

    def _learned(self, X: Any, y: Any, sample_weight: Any, classes: Labels | None) -> Model:
        """Return a model of these rows, by the parameters as they are now."""
        model = Model(self._counter(), self._reading(), n_jobs=self.n_jobs)
        return model.learned(X, y, weights=sample_weight, classes=classes).checked()

    def _counted(self, fitted: Model, X: Any, y: Any, sample_weight: Any, classes: Labels | None) -> Tally:
        """Count more rows as a fitted model does."""
        return fitted.count(X, y, weights=sample_weight, classes=classes)

    def _require_evidence(self, model: Model) -> None:
        """Refuse to be fitted to rows that hold nothing to learn from."""

    def _exchange(self, change: Callable[[Model | None], Model]) -> None:
        """Put a changed model in place; if another thread was faster, change the one that it put there."""
        while True:
            current = vars(self).get("model_")
            changed = change(current)
            with _EXCHANGE:
                if vars(self).get("model_") is current:
                    self.model_ = changed
                    return

    # Adding, reading otherwise, keeping

    def __add__(self, other: object) -> Self:
        """Return the estimator that learnt what both learnt, read as the left one is."""
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._with(self._fitted() + other._fitted())

    def __radd__(self, other: object) -> Self:
        # sum() starts with the number 0.
        return self if type(other) is int and other == 0 else NotImplemented

    def __sub__(self, other: object) -> Self:
        """Return the estimator without what the other learnt."""
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._with(self._fitted() - other._fitted())

    def _with(self, model: Model, **parameters: Any) -> Self:
        made: Self = clone(self).set_params(**parameters)
        made.model_ = model.checked()
        return made

    def reread(self, **parameters: Any) -> Self:
        """Return an estimator with other parameters on the same tally: no data is needed.

        Parameters
        ----------
        **parameters
            Those of the estimator that say how the sums are read.

        Returns
        -------
        estimator

        Raises
        ------
        ParameterError
            If there is no such parameter, it says how rows are counted, or the tally does not hold what it needs.

        Examples
        --------
        >>> from tallybayes import GaussianNB
        >>> a = GaussianNB().fit([[1.0], [2.0], [7.0], [9.0]], ["low", "low", "high", "high"])
        >>> a.reread(ddof=1).var_.round(6).tolist()
        [[2.0], [0.5]]
        """
        fitted = self._fitted()
        for name in parameters:
            if name not in self._get_param_names():
                raise ParameterError(f"{type(self).__name__} has no parameter {name!r}")
        other: Self = clone(self).set_params(**parameters)
        if other._counter() != self._counter():
            raise ParameterError(
                f"{', '.join(parameters)}: what says how rows are counted cannot be read otherwise; learn again"
            )
        other.model_ = fitted.read_by(other._reading())
        return other

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Make a fitted estimator of a model.

        Parameters
        ----------
        model : Model

        Returns
        -------
        estimator
            Its parameters are those that would give such a model.

        Raises
        ------
        SpaceError
            If the model is of another kind.

        Examples
        --------
        >>> from tallybayes import Model, Reading, TextClassifier
        >>> model = Model(reading=Reading.of("multinomial")).learned(["buy now", "see you"], ["spam", "ham"])
        >>> TextClassifier.from_model(model).event_model
        'multinomial'
        """
        parameters = cls._parameters(model.counter, model.reading)
        if parameters is None:
            raise SpaceError(
                f"no {cls.__name__}: a model of {model.counter.kind} read as {model.reading.event_model}; use it as it "
                "is, or from_model of the estimator that it came from"
            )
        made = cls(**parameters, n_jobs=model.n_jobs)
        made.model_ = model
        return made

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Make a fitted estimator of a tally and parameters, without any data.

        Parameters
        ----------
        tally : Tally
        **parameters
            Those of the estimator; they must describe how the tally was counted.

        Returns
        -------
        estimator

        Raises
        ------
        SpaceError
            If they describe another feature space; the message names the part that differs.
        ParameterError
            If the reading does not fit the tally.

        Examples
        --------
        >>> from tallybayes import GaussianNB
        >>> a = GaussianNB().fit([[1.0], [2.0], [7.0]], ["low", "low", "high"])
        >>> GaussianNB.from_tally(a.tally_, var_smoothing=0.1).predict([[6.0]]).tolist()
        ['high']
        """
        made = cls(**parameters)
        made.model_ = Model(made._counter().settled_for(tally), made._reading(), tally, n_jobs=made.n_jobs)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file: data only, nothing that runs. See `Model.save`."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, verify: Literal["all", "structure"] = "all") -> Self:
        """Read what `save` wrote; `tallybayes.load` reads a model of any kind.

        Parameters
        ----------
        path : path-like
        verify : {"all", "structure"}
            "structure" skips the checksum and maps the file.

        Returns
        -------
        estimator

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
        model = load(path, verify=verify)
        try:
            return cls.from_model(model)
        except SpaceError as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from None

    # Answers

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row, shape (n,): the first in order on an exact tie."""
        model = self._fitted()
        return model.predict(self._rows(model.counter, X))

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class given row), shape (n, K); a row that is impossible under every class gets the prior."""
        model = self._fitted()
        return model.predict_proba(self._rows(model.counter, X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class given row), shape (n, K), natural log."""
        model = self._fitted()
        return model.predict_log_proba(self._rows(model.counter, X))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log P(class, row), shape (n, K), natural log; for complement, the sum of its weights."""
        model = self._fitted()
        return model.predict_joint_log_proba(self._rows(model.counter, X))

    def decide(self, X: Any, loss: Any = None, abstain: float | None = None) -> npt.NDArray[Any]:
        """Return the class of least expected loss of each row, None where it is unsure, shape (n,).

        Parameters
        ----------
        X : n rows
        loss : array-like of shape (K, K), optional
            ``loss[answer][truth]``; by default 1 for a wrong answer.
        abstain : float, optional
            The loss of giving no answer.

        Returns
        -------
        ndarray of shape (n,)
        """
        model = self._fitted()
        return model.decide(self._rows(model.counter, X), loss, abstain)

    def explain(self, row: Any, of: Any = None, against: Any = None) -> Explanation:
        """Return the explanation of one decision; see `Model.explain`."""
        return self._fitted().explain(row, of, against)

    def inspect(self, top: int = 10) -> dict[str, Any]:
        """Return what was learnt, in plain values; see `Model.inspect`."""
        return self._fitted().inspect(top)

    def derive(self, row: Any, *, features: int = 20, classes: int = 6) -> Derivation:
        """Return the derivation of one answer, step by step; see `Model.derive`."""
        return self._fitted().derive(row, features=features, classes=classes)

    def _rows(self, counter: Counter, X: Any) -> Any:
        """Check what scikit-learn would check of rows that are asked about."""
        return X

    # Attributes

    @property
    def tally_(self) -> Any:
        """All that was learnt."""
        return self._attribute("tally").tally

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, sorted, in the dtype they came in, shape (K,)."""
        return self._attribute("classes").classes

    @property
    def class_count_(self) -> Floats:
        """Rows of each class, or the sum of their weights, shape (K,)."""
        return np.asarray(self._attribute("class_count").tally.class_count, np.float64)

    def _attribute(self, name: str) -> Model:
        """Return the model, for an attribute that only a fitted estimator has."""
        # AttributeError, not NotFittedError: hasattr and scikit-learn's own checks ask before fitting.
        model: Model | None = vars(self).get("model_")
        if model is None:
            raise AttributeError(f"this {type(self).__name__} instance is not fitted yet and has no {name}_")
        return model

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        # scikit-learn's page in a notebook asks every attribute for its value: tables would be laid out for it whole.
        shown = type(type(self).__name__, (), {"__doc__": type(self).__doc__})()
        for name in _SHOWN:
            if (value := getattr(self, name, None)) is not None:
                setattr(shown, name, value)
        return BaseEstimator._get_fitted_attr_html(shown, doc_link)

    def _fitted(self) -> Model:
        model: Model | None = vars(self).get("model_")
        if model is None:
            check_is_fitted(self)  # which raises the error that scikit-learn's tools know
            raise AssertionError("unreachable")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)


def _one_column(y: Any) -> Any:
    """Take labels out of a table of one column, with the warning that scikit-learn has for it."""
    listed = isinstance(y, (list, tuple)) and len(y) > 0 and isinstance(y[0], (list, tuple, np.ndarray))
    if listed or len(getattr(y, "shape", ())) == 2:
        y = y if listed else one_column(y)
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), "
            "for example using ravel().",
            DataConversionWarning,
            stacklevel=3,
        )
    return y


def _same(named: Labels, have: Labels) -> bool:
    """Whether two sets of labels are one, numbers by value."""
    return len(named) == len(have) and have.holds(named)


def _remark(labels: Labels) -> None:
    if remark := labels.remark():
        warnings.warn(remark, UserWarning, stacklevel=3)
