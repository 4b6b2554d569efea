"""`TextClassifier`: naive Bayes on raw documents, with scikit-learn's interface."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from ..errors import InputError, ParameterError
from ..labels import Labels
from ..model import Model
from ..scores import Reading, check, prune
from ..tally.count import CountTally
from ..text.analyzer import Analyzer

if TYPE_CHECKING:
    from ..derive import Derivation
    from ..model.explain import Explanation

__all__ = ["TextClassifier"]

Floats = npt.NDArray[np.float64]


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes on raw documents, in any script, without a vectorizer.

    The defaults (complement naive Bayes on words, word pairs and, inside runs of Chinese and the like, one to four
    characters) are a good first model for Chinese and English alike; whole counts, so the tally is exact.

    Parameters
    ----------
    model : {"complement", "multinomial", "bernoulli"}
    alpha : float or sequence of float
        Additive smoothing, ≥ 0.
    norm : bool
        Complement only: normalise the weights.
    prior : None, "documents", "words", "uniform", sequence or mapping
        None: documents for multinomial and Bernoulli, no prior for complement. A sequence is in the order of the sorted
        classes; a mapping label → probability cannot be misread.
    prior_alpha : float
        Smoothing of a counted prior.
    smoothing : {"additive", "floor"}
    floor : float
        The m of "floor": every word not seen in a class has probability m / (1 + W_c).
    weighting : {"count", "binary", "log", "idf", "tfidf"}
    tokens : {"words", "sklearn", "space", "chars", "chars_in_words", "jieba", "rjieba"}, "regex:…" or callable
        See `Analyzer`, as for all parameters up to `stop_words`.
    ngrams, cjk : tuple of int (min, max)
    features : int or None
        None: an exact vocabulary that grows; 2**k: that many hash columns.
    lowercase : bool
    normalize : {"auto", "nfkc", None}
    stop_words : collection of str or None
    min_df, max_df, max_features
        Pruning when reading, as in scikit-learn's vectorizers.
    new_classes : bool
        Whether `partial_fit` may bring classes that were not named before.
    n_jobs : int or None
        Threads; None is 1, -1 all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    tally_ : CountTally
        All that was learnt; ``tally_.digest()`` names it.
    model_ : Model
        The same model without scikit-learn.

    Examples
    --------
    >>> from tallybayes import TextClassifier
    >>> classifier = TextClassifier().fit(["买 彩票 发财", "cheap pills", "明天 开会", "lunch at noon"], [1, 1, 0, 0])
    >>> classifier.predict(["彩票", "noon"]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        *,
        model: str = "complement",
        alpha: Any = 0.1,
        norm: bool = False,
        prior: Any = None,
        prior_alpha: float = 0.0,
        smoothing: str = "additive",
        floor: float = 0.1,
        weighting: str = "count",
        tokens: Any = "words",
        ngrams: tuple[int, int] = (1, 2),
        cjk: tuple[int, int] = (1, 4),
        features: int | None = None,
        lowercase: bool = True,
        normalize: str | None = "auto",
        stop_words: Any = None,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        new_classes: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.norm = norm
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.smoothing = smoothing
        self.floor = floor
        self.weighting = weighting
        self.tokens = tokens
        self.ngrams = ngrams
        self.cjk = cjk
        self.features = features
        self.lowercase = lowercase
        self.normalize = normalize
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.new_classes = new_classes
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _new_model(self) -> Model:
        """Validate the parameters, untouched until now, and start an empty model."""
        analyzer = Analyzer(
            tokens=self.tokens,
            ngrams=self.ngrams,
            cjk=self.cjk,
            features=self.features,
            lowercase=self.lowercase,
            normalize=self.normalize,
            stop_words=self.stop_words,
        )
        reading = Reading(
            model=self.model,  # type: ignore[arg-type]  # checked by Reading itself
            alpha=self.alpha,
            norm=self.norm,
            prior=self.prior,
            prior_alpha=self.prior_alpha,
            smoothing=self.smoothing,  # type: ignore[arg-type]
            floor=self.floor,
            weighting=self.weighting,  # type: ignore[arg-type]
            min_df=self.min_df,
            max_df=self.max_df,
            max_features=self.max_features,
        )
        return Model(analyzer, reading, n_jobs=self.n_jobs)

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        model: Model = self.model_
        return model

    # -------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TextClassifier:
        """Learn from documents; what was learnt before is dropped, unless this fails: then it stays.

        Parameters
        ----------
        X : sequence of str, or a column of a frame, length n
        y : sequence of labels, length n
        sample_weight : array-like of shape (n,), optional
            Whole numbers keep the tally exact.

        Returns
        -------
        TextClassifier
            This object.

        Raises
        ------
        InputError, InputTypeError
            If a document, label or weight cannot be used; the message names the first.
        ParameterError
            If a parameter is out of range.
        """
        model = self._new_model()
        model.learn(X, y, weights=sample_weight)
        # An unusable reading (alpha of a wrong length, a prior for other classes) must fail here, not at an answer.
        check(prune(model.tally, model.reading), model.reading)
        self._check_vocabulary(model)
        self.model_ = model
        return self

    def _check_vocabulary(self, model: Model) -> None:
        if len(model.tally.features) == 0:
            raise InputError(
                f"not one feature in {int(np.asarray(model.tally.class_count).sum())} documents: they are empty, or "
                f"tokens={self.tokens!r}, stop_words and n-grams removed everything; "
                "pass a list of documents, and look at Analyzer(...).features(document)"
            )

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> TextClassifier:
        """Learn more documents; new words may come at any time, new classes if `new_classes`.

        Any cutting into batches, in any order, gives the model of one `fit`. Parameters changed since the last `fit`
        take effect at the next `fit`.

        Parameters
        ----------
        X : sequence of str, length n
        y : sequence of labels, length n
        classes : sequence of labels, optional
            All classes that may come; needed at the first call unless `new_classes`.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        TextClassifier
            This object.

        Raises
        ------
        InputError
            If a label is not among the classes; nothing is learnt then.
        """
        first = not hasattr(self, "model_")
        if first and classes is None and not self.new_classes:
            raise ParameterError("classes must be passed on the first call to partial_fit.")
        model = self._new_model() if first else self.model_._with_tally(self.model_.tally)
        named = None if classes is None else Labels.of(classes)[0]
        if not first:
            have = model.tally.classes
            if named is not None and named != have and not self.new_classes:
                raise ParameterError(
                    f"`classes={list(classes)!r}` is not the same as on last call to partial_fit, "
                    f"was: {have.array.tolist()!r}"
                )
            named = have if named is None else have.union(named)[0]
        if named is not None and self.new_classes:
            named = named.union(Labels.of(y)[0])[0]
        model.learn(X, y, weights=sample_weight, classes=named)
        self.model_ = model
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> TextClassifier:
        """Take documents back out; the tally is then bit for bit that of a model that never saw them.

        Parameters
        ----------
        X, y, sample_weight
            Documents, labels and weights as they were learnt.

        Returns
        -------
        TextClassifier
            This object.

        Raises
        ------
        ForgetError
            If that would take out more than is in; nothing is changed.
        """
        self._fitted().forget(X, y, weights=sample_weight)
        return self

    def __add__(self, other: TextClassifier) -> TextClassifier:
        """Return the classifier that learnt what both learnt."""
        if not isinstance(other, TextClassifier):
            return NotImplemented
        return self._with_model(self._fitted() + other._fitted())

    def _with_model(self, model: Model) -> TextClassifier:
        result = type(self)(**self.get_params(deep=False))
        result.model_ = model
        return result

    def reread(self, **changes: Any) -> TextClassifier:
        """Return a classifier that reads the same tally in another way; no data is needed. See `Model.reread`."""
        result = self._with_model(self._fitted().reread(**changes))
        return result.set_params(**changes)  # type: ignore[no-any-return]

    @classmethod
    def from_tally(cls, tally: CountTally, **params: Any) -> TextClassifier:
        """Build a fitted classifier from a `tally`; `params` must describe the feature space it was counted in.

        Raises
        ------
        SpaceError
            If they describe another one; the message names the part that differs.
        """
        result = cls(**params)
        model = result._new_model()
        model.add(tally)
        result.model_ = model
        return result

    # -------------------------------------------------------------- answers

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The class labels in order, shape (K,)."""
        return self._attribute("classes")  # type: ignore[no-any-return]

    @property
    def tally_(self) -> CountTally:
        """All that was learnt."""
        return self._attribute("tally")  # type: ignore[no-any-return]

    def _attribute(self, name: str) -> Any:
        # AttributeError, not NotFittedError: hasattr and scikit-learn's own checks ask before fitting.
        if not hasattr(self, "model_"):
            raise AttributeError(f"this {type(self).__name__} has no fitted {name} yet: call fit first")
        return getattr(self.model_, name)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each document, shape (n,)."""
        return self._fitted().predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities, shape (n, K)."""
        return self._fitted().predict_proba(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log probabilities, shape (n, K), natural log."""
        return self._fitted().predict_log_proba(X)

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return joint log scores, shape (n, K), natural log."""
        return self._fitted().predict_joint_log_proba(X)

    def decide(self, X: Any, loss: Any = None, abstain: float | None = None) -> npt.NDArray[Any]:
        """Return the class of least expected loss of each document, None where unsure. See `Model.decide`."""
        return self._fitted().decide(X, loss, abstain)

    def explain(self, document: str, of: Any = None, against: Any = None) -> Explanation:
        """Explain one decision. See `Model.explain`."""
        return self._fitted().explain(document, of, against)

    def derive(self, document: str, *, features: int = 20, classes: int = 6) -> Derivation:
        """Derive one answer step by step. See `Model.derive`."""
        return self._fitted().derive(document, features=features, classes=classes)

    # -------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write a `.tally` file. See `Model.save`."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: Literal["all", "structure"] = "all") -> TextClassifier:
        """Read a `.tally` file; the parameters are those it was made with. See `Model.load`."""
        model = Model.load(path, verify=verify)
        analyzer, reading = model.analyzer, model.reading
        params = {name: getattr(reading, name) for name in cls._get_param_names() if hasattr(reading, name)}
        params |= {name: getattr(analyzer, name) for name in cls._get_param_names() if hasattr(analyzer, name)}
        result = cls(**{**params, "features": analyzer.hash, "model": reading.model})
        result.model_ = model
        return result
