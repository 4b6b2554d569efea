"""A text model: a tally, how to read it, and how raw documents become counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ..engines.local import count, threads
from ..errors import NotLearnedError, ParameterError, SpaceError
from ..labels import Labels
from ..scores import Reading, chosen_labels, decide, log_posterior, posterior, predicted, prune
from ..tally.count import CHANNELS, CountTally
from ..text.analyzer import Analyzer
from ..text.space import Space
from .idf import FrozenIdf, space_of
from .scorer import TextScorer

if TYPE_CHECKING:
    from os import PathLike

    from ..derive import Derivation
    from .explain import Explanation


__all__ = ["Model"]

Floats = npt.NDArray[np.float64]


class Model:
    """Naive Bayes on raw documents: learn, forget, add, read again, predict, explain, save.

    Needs NumPy and the kernel only. `tallybayes.TextClassifier` is the same with scikit-learn's interface.

    Parameters
    ----------
    analyzer : Analyzer, optional
        How a document becomes features; words of all scripts by default.
    reading : Reading, optional
        How the tally is read; complement naive Bayes with alpha 0.1 by default.
    channels : sequence of {"occurrences", "documents"}, optional
        What to count; by default what `reading` needs. Ask for both to be free to read in any way later.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.

    Raises
    ------
    ParameterError
        If `channels` lack something that `reading` needs.

    Examples
    --------
    >>> model = Model(reading=Reading(model="multinomial", alpha=1.0))
    >>> model.learn(["Chinese Beijing Chinese", "Chinese Shanghai", "Tokyo Japan Chinese"], ["yes", "yes", "no"])
    >>> model.predict(["Beijing"]).tolist()
    ['yes']
    """

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        reading: Reading | None = None,
        *,
        channels: Sequence[str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.analyzer = Analyzer() if analyzer is None else analyzer
        self.reading = Reading(model="complement", alpha=0.1) if reading is None else reading
        self.channels = tuple(sorted(set(channels or self.reading.channels)))
        if self.reading.weighting == "tfidf" and self.analyzer.hash is not None:
            raise ParameterError("weighting='tfidf' needs an exact vocabulary (features=None); with hashing use 'idf'")
        missing = set(self.reading.channels) - set(self.channels)
        if missing:
            raise ParameterError(f"this reading needs channels={self.reading.channels!r}; got {self.channels!r}")
        self.n_jobs = n_jobs
        self.producer = "this process"
        self.idf: FrozenIdf | None = None
        self._parts: tuple[CountTally, ...] = ()
        self._scorer: TextScorer | None = None

    # -------------------------------------------------------------- the tally

    @property
    def space(self) -> Space:
        """The feature space that this model counts in."""
        return space_of(self.analyzer, self.reading, self.idf)

    @property
    def tally(self) -> CountTally:
        """All that was learnt so far.

        Raises
        ------
        NotLearnedError
            If nothing was.
        """
        if not self._parts:
            raise NotLearnedError("this model has learnt nothing yet: call learn with documents and labels first")
        if len(self._parts) > 1:
            self._parts = (CountTally.sum(self._parts),)
        return self._parts[0]

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The class labels in order, shape (K,), in the dtype they came in."""
        return self.tally.classes.array

    def count(
        self,
        documents: Any,
        labels: Any,
        *,
        weights: Any = None,
        classes: Labels | None = None,
    ) -> CountTally:
        """Count documents in this model's feature space, without learning them.

        Parameters
        ----------
        documents : sequence of str, or column of a frame, length n
        labels : sequence, length n
        weights : array-like of shape (n,), optional
            Whole numbers keep the tally exact; fractions make it float64.
        classes : Labels, optional
            The classes that the tally has, seen in `labels` or not.

        Returns
        -------
        CountTally

        Raises
        ------
        InputError, InputTypeError
            If a document, label or weight cannot be used; the message names the first.
        """
        if self.idf is not None:
            return self.idf.count(
                documents, labels, self.analyzer, self.space, weights=weights, classes=classes, n_jobs=self.n_jobs
            )
        return count(
            documents,
            labels,
            self.analyzer,
            weights=weights,
            channels=self.channels,
            value="log" if self.reading.weighting == "log" else "count",
            n_jobs=self.n_jobs,
            classes=classes,
        )

    def learn(self, documents: Any, labels: Any, *, weights: Any = None, classes: Labels | None = None) -> None:
        """Add documents to the tally; if anything is wrong with one of them, nothing is learnt.

        Parameters and errors are those of `count`. With ``weighting="tfidf"`` the first call also freezes the idf, so
        it must get all the training documents.
        """
        if self.reading.weighting == "tfidf" and self.idf is None:
            documents = self.analyzer.documents(documents)
            self.freeze_idf(count(documents, labels, self.analyzer, channels=CHANNELS, n_jobs=self.n_jobs))
            try:
                self.add(self.count(documents, labels, weights=weights, classes=classes))
            except BaseException:
                self.idf = None
                raise
            return
        self.add(self.count(documents, labels, weights=weights, classes=classes))

    def freeze_idf(self, counts: CountTally) -> None:
        """Fix the idf of ``weighting="tfidf"`` from a tally of both channels; pruning by frequency happens here too.

        Raises
        ------
        ParameterError
            If something was learnt already: an idf that changes would change what was counted.
        """
        if self._parts:
            raise ParameterError("the idf is frozen before anything is learnt; start with a new model")
        self.idf = FrozenIdf.of(prune(counts, self.reading.replace(weighting="count")))

    def add(self, part: CountTally) -> None:
        """Add a tally counted elsewhere; small parts are summed when they are read, so this costs little.

        Raises
        ------
        SpaceError
            If it was counted in another feature space than this model's; the message names the part that differs.
        """
        space = self._parts[0].space if self._parts else self.space
        if difference := space.difference(part.space):
            raise SpaceError(f"the tallies count in different feature spaces: {difference}")
        parts = [*self._parts, part]
        # Parts of falling size only: each count is then merged O(log n) times, however many parts come.
        while len(parts) > 1 and len(parts[-2].class_index) <= 2 * len(parts[-1].class_index):
            last = parts.pop()
            parts[-1] = parts[-1] + last
        self._parts, self._scorer = tuple(parts), None

    def forget(self, documents: Any, labels: Any, *, weights: Any = None) -> None:
        """Take documents back out: the model is then bit for bit one that never saw them. See `count`.

        Raises
        ------
        ForgetError
            If that would take out more than is in; nothing is changed.
        """
        self._parts, self._scorer = (self.tally - self.count(documents, labels, weights=weights),), None

    def without(self, part: CountTally) -> Model:
        """Return the model without a tally counted elsewhere.

        Raises
        ------
        ForgetError
            If that would take out more than is in.
        """
        return self._with_tally(self.tally - part)

    def __add__(self, other: Model) -> Model:
        """Return the model that learnt what both learnt, read as the left one is."""
        if not isinstance(other, Model):
            return NotImplemented
        self._same_idf(other)
        return self._with_tally(self.tally + other.tally)

    def __sub__(self, other: Model) -> Model:
        """Return the model without what the other learnt."""
        if not isinstance(other, Model):
            return NotImplemented
        self._same_idf(other)
        return self._with_tally(self.tally - other.tally)

    def _same_idf(self, other: Model) -> None:
        if self.idf != other.idf:
            raise SpaceError("the models froze different idf weights; equal sums would not mean equal models")

    def _with_tally(self, tally: CountTally | None, reading: Reading | None = None) -> Model:
        model = Model(self.analyzer, reading or self.reading, channels=self.channels, n_jobs=self.n_jobs)
        model.idf = self.idf
        model._parts = () if tally is None else (tally,)
        return model

    def reread(self, **changes: Any) -> Model:
        """Return a model that reads the same tally in another way; no data is needed.

        Parameters
        ----------
        **changes
            Parameters of `Reading`: ``model, alpha, norm, prior, prior_alpha, smoothing, floor, weighting, min_df,
            max_df, max_features``.

        Raises
        ------
        ParameterError
            If the tally does not hold what the new reading needs.
        """
        reading = self.reading.replace(**changes)
        for weighting in ("log", "tfidf"):
            if (reading.weighting == weighting) != (self.reading.weighting == weighting):
                raise ParameterError(
                    f"weighting={weighting!r} is counted while learning; a tally of {self.reading.weighting!r} cannot "
                    f"be read as {reading.weighting!r}: learn again"
                )
        return self._with_tally(self.tally if self._parts else None, reading)

    # -------------------------------------------------------------- answers

    @property
    def scorer(self) -> TextScorer:
        """The score table of the present tally, built at first use after a change."""
        scorer = self._scorer
        if scorer is None:
            scorer = self._scorer = TextScorer(self.tally, self.reading, self.analyzer, self.idf)
        return scorer

    def predict_joint_log_proba(self, documents: Any) -> Floats:
        """Return the joint log scores, shape (n, K), natural log; for complement, its weights' sum."""
        return self.scorer.joint(self.analyzer.documents(documents), threads(self.n_jobs))

    def predict_log_proba(self, documents: Any) -> Floats:
        """Return log probabilities, shape (n, K), natural log; -inf is exactly zero, never NaN."""
        return log_posterior(self.predict_joint_log_proba(documents), self.scorer.table.log_prior)

    def predict_proba(self, documents: Any) -> Floats:
        """Return probabilities, shape (n, K); a row impossible under every class gets the prior."""
        return posterior(self.predict_joint_log_proba(documents), self.scorer.table.log_prior)

    def predict(self, documents: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each document, shape (n,); the first in order on an exact tie."""
        joint = self.predict_joint_log_proba(documents)
        chosen: npt.NDArray[Any] = self.classes[predicted(joint, self.scorer.table.log_prior)]
        return chosen

    def decide(self, documents: Any, loss: Any = None, abstain: float | None = None) -> npt.NDArray[Any]:
        """Return the class of least expected loss of each document, None where it is unsure, shape (n,).

        See `tallybayes.scores.decide` for `loss` and `abstain`.
        """
        return chosen_labels(self.classes, decide(self.predict_proba(documents), loss, abstain))

    def explain(self, document: str, of: Any = None, against: Any = None) -> Explanation:
        """Explain one decision: what each feature adds to the log-odds of one class against another.

        Parameters
        ----------
        document : str
        of, against : class labels, optional
            Default: the answer against the runner-up; with `of` alone, against the most probable other class.

        Raises
        ------
        InputError, InputTypeError, ParameterError
            If a label is not a class, `document` is no str, or there are no two classes to compare.
        """
        from .explain import explain

        return explain(self, document, of, against)

    def derive(self, document: str, *, features: int = 20, classes: int = 6) -> Derivation:
        """Derive the answer for a `document` step by step, in exact fractions where the counts are whole.

        `features` and `classes` limit what the tables show, most telling first; the totals are always those of all.
        """
        from .derive import derive

        return derive(self, document, features=features, classes=classes)

    # -------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file: data only, checked when read, replaced as a whole or not at all.

        A name that ends in ``.json`` asks for JSON that a person can read; any other for the compact `.tally` form.

        Raises
        ------
        ParameterError
            If the analyzer holds something that is no data, such as a function.
        OSError
            If the file cannot be written; an old file of that name stays as it was.
        """
        from importlib.metadata import version

        from .file import Stored, save

        producer = f"tallybayes {version('tallybayes')}"
        save(Stored(self.analyzer, self.reading, self.channels, self.tally, self.idf, producer), path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: Literal["all", "structure"] = "all") -> Model:
        """Read a file that `save` wrote, in either form.

        Parameters
        ----------
        path : path-like
        verify : {"all", "structure"}
            "structure" skips the checksum and maps the file: milliseconds at any size.

        Raises
        ------
        ModelFileError
            If the file is no model, is damaged, or is from a newer version.
        """
        from .file import load

        stored = load(path, verify)
        model = cls(stored.analyzer, stored.reading, channels=stored.channels)
        model.idf, model.producer = stored.idf, stored.producer
        model.add(stored.tally)
        return model

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the tally, not what is derived from it."""
        return {**self.__dict__, "_scorer": None}

    def __repr__(self) -> str:
        if not self._parts:
            return f"<Model {self.reading.model}, nothing learnt>"
        learnt = f"{len(self.tally.classes)} classes, {len(self.tally.features)} features"
        return f"<Model {self.reading.model}, {learnt}>"


def total(models: Iterable[Model]) -> Model:
    """Return the sum of models, read as the first one is.

    Raises
    ------
    ParameterError
        If there is none.
    """
    models = list(models)
    if not models:
        raise ParameterError("there is no model to add up; give at least one")
    for other in models[1:]:
        models[0]._same_idf(other)
    return models[0]._with_tally(CountTally.sum([model.tally for model in models]))
