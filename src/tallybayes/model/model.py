"""A model: a counter, a tally, and how it is read. A value: learning gives another one."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from ..counters import Counter, LabelledRows, TextCounter, threads
from ..errors import NotLearnedError, ParameterError
from ..labels import Label, Labels
from ..readings import ComplementReading, Floats, Reading, Scores
from ..tally import CountTally, Tally
from ..tally.selection import Selection
from .answers import Answers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from ..derive import Derivation
    from .explain import Explanation

__all__ = ["Model", "load"]

FULL = 2.0**62  # sums of parts that may reach it are made at once, so that the call that brings too much is refused


class Model:
    """Naive Bayes on any kind of rows: learn, forget, add, read again, predict, explain, derive, save.

    A model never changes: `learned`, `without`, ``+``, ``-``, ``*`` and `reread` give new ones, which share what they
    can with the old one. So whoever holds a model may use it while others learn. Needs NumPy and the kernel only;
    `tallybayes.TextClassifier` and the other estimators are the same with scikit-learn's interface.

    Parameters
    ----------
    counter : Counter, optional
        How rows become sums; words of all scripts by default.
    reading : Reading, optional
        How the sums are read; complement naive Bayes with alpha 0.1 by default.
    tally : Tally, optional
        What was learnt; nothing by default.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.

    Raises
    ------
    ParameterError
        If the reading is not for such rows, or does not fit the tally.
    SpaceError
        If another counter counted the tally.

    Examples
    --------
    >>> from tallybayes import Model, Reading
    >>> model = Model(reading=Reading.of("multinomial", alpha=1.0))
    >>> model = model.learned(["Chinese Beijing Chinese", "Chinese Shanghai", "Tokyo Japan"], ["yes", "yes", "no"])
    >>> model.predict(["Beijing"]).tolist()
    ['yes']
    """

    def __init__(
        self,
        counter: Counter | None = None,
        reading: Reading | None = None,
        tally: Tally | None = None,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self._counter: Counter = TextCounter() if counter is None else counter
        self._reading: Reading = ComplementReading(alpha=0.1) if reading is None else reading
        self._n_jobs = n_jobs
        self._parts: tuple[Tally, ...] = ()
        self._answers: Answers | None = None
        self.producer = "this process"
        threads(n_jobs)
        _require_readable(self._counter, self._reading)
        if tally is not None:
            if not self._counter.ready:
                self._counter = self._counter.settled_for(tally)
            self._counter.require_counted(tally)
            self._parts = (tally,)
            self._check()

    # -------------------------------------------------------------- what it holds

    @property
    def counter(self) -> Counter:
        """How rows become sums."""
        return self._counter

    @property
    def reading(self) -> Reading:
        """How the sums are read."""
        return self._reading

    @property
    def n_jobs(self) -> int | None:
        """Threads, as asked for; no part of what is saved."""
        return self._n_jobs

    @property
    def tally(self) -> Tally:
        """All that was learnt.

        Raises
        ------
        NotLearnedError
            If nothing was.
        """
        parts = self._parts
        if not parts:
            raise NotLearnedError("this model has learnt nothing yet: learn rows with labels first")
        if len(parts) > 1:
            self._parts = parts = (Tally.sum(parts),)
        return parts[0]

    @property
    def labels(self) -> Labels:
        """The classes, without adding up what was learnt."""
        labels = Labels()
        for part in self._parts:
            labels = labels.union(part.classes)[0]
        return labels

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The class labels in order, shape (K,), in the dtype they came in."""
        return self.tally.classes.array

    # -------------------------------------------------------------- learning

    def count(self, X: Any, y: Any, *, weights: Any = None, classes: Labels | None = None) -> Tally:
        """Count rows as this model does, without learning them.

        Parameters
        ----------
        X : sequence of n rows: documents, or rows of columns
        y : sequence of n labels, or LabelledRows
        weights : array-like of shape (n,), optional
            Whole numbers keep counts exact; fractions make them float64.
        classes : Labels, optional
            The classes that the tally has, seen in `y` or not.

        Returns
        -------
        Tally

        Raises
        ------
        InputError, InputTypeError
            If a row, label or weight cannot be used; the message names the first.
        """
        return self._counted(X, y, weights, classes)[1]

    def _counted(self, X: Any, y: Any, weights: Any, classes: Labels | None) -> tuple[Counter, Tally]:
        rows, n_jobs = self._counter.check(X), threads(self._n_jobs)
        labelled = LabelledRows.of(y, weights, len(rows), classes)
        counter = self._counter.settled(rows, labelled, n_jobs)
        if counter is not self._counter:
            rows = counter.check(X)
        return counter, counter.count(rows, labelled, n_jobs)

    def learned(self, X: Any, y: Any, *, weights: Any = None, classes: Labels | None = None) -> Model:
        """Return the model that learnt more rows; parameters and errors are those of `count`.

        Returns
        -------
        Model

        Raises
        ------
        SpaceError, InputError
            If the rows cannot be added to what was learnt; this model stays as it is in any case.
        """
        counter, part = self._counted(X, y, weights, classes)
        return (self if counter is self._counter else self._like(counter, self._reading, self._parts)) + part

    def without(self, X: Any, y: Any, *, weights: Any = None) -> Model:
        """Return the model without rows that it learnt: bit for bit one that never saw them, where counts are whole.

        Parameters and errors are those of `count`.

        Returns
        -------
        Model

        Raises
        ------
        ForgetError
            If that would take out more than is in.
        """
        return self - self.count(X, y, weights=weights)

    def settled_by(self, tally: Tally) -> Model:
        """Return the empty model whose counter was settled by a first pass over all rows (two-pass tf-idf).

        Raises
        ------
        ParameterError
            If something was learnt already: what a counter rests on cannot change then.
        """
        if self._parts:
            raise ParameterError("what is frozen before learning cannot be changed after it; start with a new model")
        return self._like(self._counter.settled_by(tally), self._reading, ())

    # -------------------------------------------------------------- the algebra

    def require_mergeable(self, other: Model | Tally) -> None:
        """Refuse a model or tally that cannot be added to this one, whatever its numbers are.

        Raises
        ------
        SpaceError
            If it counts something else; the message names the part that differs.
        InputError
            If its labels are of another kind.
        """
        self._counter_with(other)

    def _counter_with(self, other: Model | Tally) -> Counter:
        """Return the counter of the sum with what must be mergeable."""
        part = other.tally if isinstance(other, Model) else other
        counter = self._counter
        if not counter.ready:
            if isinstance(other, Model):
                counter = counter.settled_like(other.counter)
            counter = counter.settled_for(part)
        if self._parts:
            self._parts[0].require_mergeable(part)
            # The first part may lack the names of columns that a later one had.
            counter.require_columns(counter.n_columns or 0, part.columns)
        else:
            counter.require_counted(part)
        counter = counter.united(other.counter if isinstance(other, Model) else None, part)
        return counter.named(counter.columns or part.columns)

    def __add__(self, other: object) -> Model:
        """Return the model that learnt what both learnt, read as the left one is; `other` may be a tally."""
        if not isinstance(other, (Model, Tally)):
            return NotImplemented
        part = other.tally if isinstance(other, Model) else other
        counter = self._counter_with(other)
        parts = [*self._parts, part]
        # Parts of falling size only: each number is then added O(log n) times, however many parts come.
        while len(parts) > 1 and parts[-2].n_cells <= 2 * parts[-1].n_cells:
            last = parts.pop()
            parts[-1] = parts[-1] + last
        if len(parts) > 1 and math.fsum(each.largest for each in parts) >= FULL:
            parts = [Tally.sum(parts)]
        return self._like(counter, self._reading, tuple(parts))

    def __radd__(self, other: object) -> Model:
        # sum() starts with the number 0.
        return self if type(other) is int and other == 0 else NotImplemented

    def __sub__(self, other: object) -> Model:
        """Return the model without what `other`, a model or a tally, learnt."""
        if not isinstance(other, (Model, Tally)):
            return NotImplemented
        part = other.tally if isinstance(other, Model) else other
        mine, counter = self.tally, self._counter_with(other)
        rest = mine - part
        return self._like(counter.forgetting(part, rest), self._reading, (rest,))

    def __mul__(self, factor: object) -> Model:
        """Return the model in which everything learnt weighs `factor` times as much."""
        if not isinstance(factor, numbers.Real):
            return NotImplemented
        return self._like(self._counter, self._reading, (self.tally * factor,))

    __rmul__ = __mul__

    @staticmethod
    def sum(models: Iterable[Model]) -> Model:
        """Return the sum of models, read as the first one is.

        Raises
        ------
        ParameterError
            If there is none.
        """
        models = list(models)
        if not models:
            raise ParameterError("there is no model to add up; give at least one")
        first = models[0]
        for other in models[1:]:
            first.require_mergeable(other)
        total, counter = Tally.sum([model.tally for model in models]), first._counter
        for other in models[1:]:
            counter = counter.united(other._counter, other.tally)
        return first._like(counter.named(counter.columns or total.columns), first._reading, (total,))

    def without_rare(self, n: int) -> Model:
        """Return the model without features that fewer than `n` rows hold: for giving it to others.

        Words of a few documents are what tells most about these. What is left counts in the same feature space, so it
        may be added to others and learn on; but what was dropped is not in the sum, and rows that held it cannot be
        taken out any more.

        Parameters
        ----------
        n : int

        Returns
        -------
        Model

        Raises
        ------
        ParameterError
            If the tally does not count in how many rows a feature stands, or has no features.

        Examples
        --------
        >>> model = Model().learned(["dear Mr Smith", "dear friend"], ["ham", "spam"])
        >>> model.without_rare(2).tally.features.labels()
        ['dear']
        """
        tally = self.tally
        if not isinstance(n, numbers.Integral) or isinstance(n, bool) or n < 1:
            raise ParameterError(f"n must be a whole number of rows, at least 1; got {n!r}")
        if not isinstance(tally, CountTally):
            raise ParameterError(f"a model of {self._counter.kind} has no rare features; leave columns out instead")
        if "documents" not in tally.channels:
            raise ParameterError(f"in how many rows a feature stands was not counted: {self._counter.more_channels}")
        kept = Selection(min_df=int(n)).kept(tally, "documents")
        return self._like(self._counter, self._reading, (kept,)).checked()

    def regrouped(self, mapping: Mapping[Label, Label]) -> Model:
        """Return the model with classes renamed or united; see `Tally.regrouped`."""
        return self._like(self._counter, self._reading, (self.tally.regrouped(mapping),))

    def reread(self, **changes: Any) -> Model:
        """Return a model that reads the same tally in another way; no data is needed.

        Parameters
        ----------
        **changes
            Parameters of the reading, and `event_model` itself.

        Returns
        -------
        Model

        Raises
        ------
        ParameterError
            If there is no such parameter, or the tally does not hold what the new reading needs.
        """
        return self.read_by(self._reading.replace(**changes))

    def read_by(self, reading: Reading) -> Model:
        """Return a model that reads the same tally by another reading; see `reread`."""
        model = self._like(self._counter, reading, self._parts)
        if self._parts:
            model._check()
        return model

    def with_jobs(self, n_jobs: int | None) -> Model:
        """Return the same model for so many threads: None is 1, -1 all cores."""
        threads(n_jobs)
        model = self._like(self._counter, self._reading, self._parts)
        model._n_jobs = n_jobs
        return model

    def _like(self, counter: Counter, reading: Reading, parts: tuple[Tally, ...]) -> Model:
        """Make a model of parts that are known to fit each other."""
        model = Model.__new__(Model)
        model._counter, model._reading, model._parts, model._n_jobs = counter, reading, parts, self._n_jobs
        model._answers, model.producer = None, "this process"
        if reading is not self._reading:
            _require_readable(counter, reading)
        return model

    def checked(self) -> Model:
        """Return this model after a look at whether the reading fits what was learnt, so that no answer fails for it.

        Where parts are still waiting to be added up, they fit if the first did.

        Raises
        ------
        ParameterError
            If it does not: a prior for other classes, smoothing of another length.
        """
        if len(self._parts) == 1:
            self._check()
        return self

    def _check(self) -> None:
        scores = self._reading.check(self.tally)
        if scores is not None:
            self._answers = self._answers_of(scores)

    # -------------------------------------------------------------- answers

    @property
    def answers(self) -> Answers:
        """What this model answers, made at first use."""
        answers = self._answers
        if answers is None:
            answers = self._answers = self._answers_of(self._reading.read(self.tally))
        return answers

    def _answers_of(self, scores: Scores) -> Answers:
        return Answers(self._counter, scores, threads(self._n_jobs))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return the joint log scores, shape (n, K), natural log; for complement, its weights' sum."""
        return self.answers.joint(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log probabilities, shape (n, K), natural log; -inf is exactly zero, never NaN."""
        return self.answers.log_proba(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities, shape (n, K); a row impossible under every class gets the prior."""
        return self.answers.proba(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row, shape (n,); the first in order on an exact tie."""
        return self.answers.predict(X)

    def decide(self, X: Any, loss: Any = None, abstain: float | None = None) -> npt.NDArray[Any]:
        """Return the class of least expected loss of each row, None where it is unsure, shape (n,).

        See `tallybayes.readings.decide` for `loss` and `abstain`.
        """
        return self.answers.decide(X, loss, abstain)

    def explain(self, row: Any, of: Any = None, against: Any = None) -> Explanation:
        """Explain one decision: what each feature adds to the log-odds of one class against another.

        Parameters
        ----------
        row : str, or sequence of d values
            One document, or one row of columns.
        of, against : class labels, optional
            Default: the answer against the runner-up; with `of` alone, against the most probable other class.

        Returns
        -------
        Explanation
            ``str()`` is its text; prior, bias and contributions add up to the log-odds.

        Raises
        ------
        InputError, InputTypeError, ParameterError
            If a label is not a class, `row` is not one row, or there are no two classes to compare.
        """
        return self.answers.explain(row, of, against)

    def derive(self, row: Any, *, features: int = 20, classes: int = 6) -> Derivation:
        """Derive the answer for one row step by step, in exact fractions where the counts are whole.

        Parameters
        ----------
        row : str, or sequence of d values
        features, classes : int
            How many of each the tables show, most telling first; the totals are always those of all.

        Returns
        -------
        Derivation
            ``str()`` is its text; there are Markdown and HTML too.

        Raises
        ------
        InputError, InputTypeError
            If `row` is not one row.
        """
        return self.answers.derive(row, features=features, classes=classes)

    def inspect(self, top: int = 10) -> dict[str, Any]:
        """Return what is in the model, in plain JSON values: what ``tallybayes inspect --json`` prints.

        Parameters
        ----------
        top : int
            How many features that speak for it each class names, where documents were learnt.

        Examples
        --------
        >>> from tallybayes import Model
        >>> facts = Model().learned(["buy now", "see you"], ["spam", "ham"]).inspect(top=1)
        >>> facts["features"], [each["class"] for each in facts["classes"]]
        (6, ['ham', 'spam'])
        """
        from .inspect import summary

        return summary(self, top)

    # -------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file: data only, checked when read, replaced as a whole or not at all.

        A name that ends in ``.json`` asks for JSON that a person can read; any other for the compact `.tally` form.

        Raises
        ------
        ParameterError
            If the model holds something that is no data, such as a function.
        OSError
            If the file cannot be written; an old file of that name stays as it was.
        """
        from .file import write_model

        write_model(path, self._counter, self._reading, self.tally)

    @staticmethod
    def load(path: str | PathLike[str], *, verify: Literal["all", "structure"] = "all") -> Model:
        """Return the model that a file holds; parameters and errors are those of `tallybayes.load`."""
        return load(path, verify=verify)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what was learnt, not what is derived from it."""
        return {**self.__dict__, "_answers": None}

    def __repr__(self) -> str:
        if not self._parts:
            return f"<Model of {self._counter.kind}, {self._reading.event_model}, nothing learnt>"
        return f"<Model of {self._counter.kind}, {self._reading.event_model}, {self.tally!r}>"


def _require_readable(counter: Counter, reading: Reading) -> None:
    """Refuse a reading of what the counter does not count."""
    if counter.kind not in reading.counters:
        raise ParameterError(
            f"event_model={reading.event_model!r} reads {' or '.join(reading.counters)}, not {counter.kind}"
        )
    missing = set(reading.channels) - set(counter.channels)
    if missing and counter.channels:
        have = " and ".join(counter.channels)
        raise ParameterError(
            f"this reading needs the counts of {' and '.join(sorted(missing))}, and only {have} are counted: "
            f"{counter.more_channels}"
        )


def load(path: str | PathLike[str], *, verify: Literal["all", "structure"] = "all") -> Model:
    """Read a model of any kind from a file that `Model.save`, or an estimator's `save`, wrote, in either form.

    Parameters
    ----------
    path : path-like
    verify : {"all", "structure"}
        "structure" skips the checksum and maps the file: milliseconds at any size, for files that you trust.

    Returns
    -------
    Model

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or is of a format that this version does not read.

    Warns
    -----
    UserWarning
        If the file, in its readable form, has no checksum.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tallybayes import GaussianNB, load
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lengths.tally"
    >>> GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], ["short", "short", "long", "long"]).save(path)
    >>> load(path).predict([[7.0]]).tolist()
    ['long']
    """
    from .file import read_model

    stored = read_model(path, verify)
    with stored.blocks.reading("the model"):
        model = Model(stored.counter, stored.reading, stored.tally)
    if not stored.blocks.summed:
        warnings.warn(
            f"{stored.blocks.source}: the file has no checksum: it was edited, or written by another program; its "
            "parts fit each other, but a number that was changed by mistake would not be found",
            stacklevel=2,
        )
    model.producer = stored.producer
    return model
