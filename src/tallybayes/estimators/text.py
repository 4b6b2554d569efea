"""`TextClassifier`: naive Bayes on raw documents, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from ..counters import Counter
from ..errors import InputError
from ..model import Model
from ..model.text import text_counter, text_reading
from ..readings import Reading
from ..tally import CHANNELS, CountTally
from ..text.analyzer import Analyzer
from ._base import NaiveBayes

__all__ = ["TextClassifier"]

# Parameters that are the analyzer's, and the reading's.
_ANALYZED = ("tokens", "ngrams", "cjk", "hash", "lowercase", "normalize", "stop_words", "min_length")
_SELECTED = ("weighting", "min_df", "max_df", "max_features")
_READ = ("alpha", "norm", "prior", "prior_alpha", "smoothing", "floor", *_SELECTED)


class TextClassifier(NaiveBayes):
    """Naive Bayes on raw documents, in any script, without a vectorizer.

    The defaults (complement naive Bayes on words, word pairs and, inside runs of Chinese and the like, one to four
    characters) are a good first model for Chinese and English alike; whole counts, so the tally is exact.

    Parameters
    ----------
    event_model : {"complement", "multinomial", "bernoulli"}
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
        See `Analyzer`, as for all parameters up to `min_length`.
    ngrams, cjk : tuple of int (min, max)
    hash : int, (str, int) or None
        None: an exact vocabulary that grows; 2**k: that many hash columns.
    lowercase : bool
    normalize : {"auto", "nfkc", None}
    stop_words : collection of str or None
    min_length : int
    channels : sequence of {"occurrences", "documents"}
        What is counted. Both by default, so that `reread` may choose any event model and prune; one alone takes
        about a tenth less time and space.
    min_df, max_df, max_features
        Pruning when reading, as in scikit-learn's vectorizers.
    new_classes : bool
        Whether `partial_fit` may bring classes that were not named before.
    n_jobs : int or None
        Threads; None is 1, -1 all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    vocabulary_ : dict
        Feature → number, as scikit-learn's vectorizers have it.
    n_features_in_ : int
        How many features are read.
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
        event_model: str = "complement",
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
        hash: Any = None,
        lowercase: bool = True,
        normalize: str | None = "auto",
        stop_words: Any = None,
        min_length: int = 1,
        channels: Any = CHANNELS,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        new_classes: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.event_model = event_model
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
        self.hash = hash
        self.lowercase = lowercase
        self.normalize = normalize
        self.stop_words = stop_words
        self.min_length = min_length
        self.channels = channels
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

    def _analyzer(self) -> Analyzer:
        return Analyzer(**self._chosen(_ANALYZED))

    def _counter(self) -> Counter:
        return text_counter(self._analyzer(), channels=self.channels, **self._chosen(_SELECTED))

    def _reading(self) -> Reading:
        return text_reading(self.event_model, **self._chosen(_READ))

    def _chosen(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}

    @classmethod
    def _parameters(cls, counter: Any, reading: Any) -> dict[str, Any] | None:
        if counter.kind not in ("text", "tfidf"):
            return None
        found = {name: getattr(counter.analyzer, name) for name in _ANALYZED}
        found |= {name: getattr(reading, name) for name in _READ if hasattr(reading, name)}
        if counter.kind == "tfidf":
            kept = counter.selection
            found |= {"weighting": "tfidf", "min_df": kept.min_df, "max_df": kept.max_df}
            found["max_features"] = kept.max_features
        else:
            found["channels"] = counter.channels
            if counter.value == "log":
                found["weighting"] = "log"
        return {"event_model": reading.event_model, **found}

    # Attributes

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the features that are read, in the order of the tally, as text, shape (n_features_in_,).

        Parameters
        ----------
        input_features : any
            Not looked at, as in scikit-learn's vectorizers.

        Examples
        --------
        >>> from tallybayes import TextClassifier
        >>> classifier = TextClassifier(ngrams=(1, 1)).fit(["buy now", "see you"], ["spam", "ham"])
        >>> classifier.get_feature_names_out().tolist(), classifier.vocabulary_["now"]
        (['buy', 'now', 'see', 'you'], 1)
        """
        return np.array([str(name) for name in self._fitted().answers.features], object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Feature → its number in `get_feature_names_out`; not where features are hashed."""
        model = self._attribute("vocabulary")
        if self.hash is not None:
            raise AttributeError("hashed features have no vocabulary")
        return {str(name): number for number, name in enumerate(model.answers.features)}

    @property
    def n_features_in_(self) -> int:
        """The number of features that are read: after pruning, if there is any."""
        return len(self._attribute("n_features_in").answers.features)

    def _require_evidence(self, model: Model) -> None:
        tally = model.tally
        if isinstance(tally, CountTally) and len(tally.features) == 0:
            raise InputError(
                f"not one feature in {int(np.asarray(tally.class_count).sum())} documents: they are empty, or "
                f"tokens={self.tokens!r}, stop_words and n-grams removed everything; "
                "pass a list of documents, and look at Analyzer(...).features(document)"
            )
