"""The one predicting half: what a model answers, taken from one state of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..counters import Counter, Rows
from ..errors import InputError, ParameterError
from ..labels import Labels
from ..readings import Floats, Scores, best_classes, chosen_labels, decide, log_posterior, posterior, predicted

if TYPE_CHECKING:
    from ..derive import Derivation
    from .explain import Explanation

__all__ = ["Answers"]

CHUNK = 1 << 19  # scores held at a time: 4 MB


class Answers:
    """What one state of a model answers; it never changes, whatever the model learns meanwhile.

    Memory beyond the answers themselves does not grow with rows × classes: rows are scored in chunks.

    Parameters
    ----------
    counter : Counter
        How rows are read.
    scores : Scores
        The tally as it was read.
    n_jobs : int
        Threads.
    """

    def __init__(self, counter: Counter, scores: Scores, n_jobs: int) -> None:
        self.counter, self.scores, self.n_jobs = counter, scores, n_jobs

    @property
    def classes(self) -> Labels:
        """The K classes."""
        return self.scores.tally.classes

    @property
    def features(self) -> list[Any]:
        """The features that are read, in order: text, or the numbers of columns; none where sums have columns only."""
        found = getattr(self.scores.tally, "features", None)
        return [] if found is None else list(found.labels())

    def joint(self, X: Any) -> Floats:
        """Return the joint log scores, shape (n, K), natural log; for complement, its weights' sum."""
        rows = self.counter.check(X)
        out = np.empty((len(rows), len(self.classes)))
        for begin, end in self._cuts(rows):
            self.scores.joint(rows.part(begin, end) if end - begin < len(rows) else rows, self.n_jobs, out[begin:end])
        return out

    def log_proba(self, X: Any) -> Floats:
        """Return log probabilities, shape (n, K), natural log; -inf is exactly zero, never NaN."""
        return self._finished(X, log_posterior)

    def proba(self, X: Any) -> Floats:
        """Return probabilities, shape (n, K); a row impossible under every class gets the prior."""
        return self._finished(X, posterior)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row, shape (n,); the first in order on an exact tie."""
        rows = self.counter.check(X)
        if self._few(rows):
            choice = predicted(self._relative(rows), self.scores.log_prior, self.n_jobs)
        else:
            choice = np.empty(len(rows), np.intp)
            for begin, end, joint in self._chunks(rows):
                choice[begin:end] = predicted(joint, self.scores.log_prior, self.n_jobs)
        labels: npt.NDArray[Any] = self.classes.array[choice]
        return labels

    def decide(self, X: Any, loss: Any = None, abstain: float | None = None) -> npt.NDArray[Any]:
        """Return the class of least expected loss of each row, None where it is unsure, shape (n,).

        See `tallybayes.readings.decide` for `loss` and `abstain`.
        """
        rows = self.counter.check(X)
        choice = np.empty(len(rows), np.intp)
        for begin, end, joint in self._chunks(rows):
            choice[begin:end] = decide(posterior(joint, self.scores.log_prior), loss, abstain)
        return chosen_labels(self.classes.array, choice)

    def top(self, X: Any, k: int) -> tuple[npt.NDArray[np.intp], Floats]:
        """Return the numbers and the probabilities of the k most probable classes of each row, each of shape (n, k).

        Raises
        ------
        ParameterError
            If k is below 1.
        """
        if k < 1:
            raise ParameterError(f"the number of classes to name must be at least 1; got {k!r}")
        k = min(k, len(self.classes))
        rows = self.counter.check(X)
        best, shares = np.empty((len(rows), k), np.intp), np.empty((len(rows), k))
        for begin, end, joint in self._chunks(rows):
            proba = posterior(joint, self.scores.log_prior)
            best[begin:end] = best_classes(proba, k)
            shares[begin:end] = np.take_along_axis(proba, best[begin:end], axis=1)
        return best, shares

    def parts(self, X: Any) -> Iterator[tuple[int, Floats]]:
        """Yield the log probabilities of some rows at a time, with the number of the first: bounded, however many."""
        for begin, _, joint in self._chunks(self.counter.check(X)):
            yield begin, log_posterior(joint, self.scores.log_prior)

    def explain(self, row: Any, of: Any = None, against: Any = None) -> Explanation:
        """Return the explanation of one decision; see `Model.explain`."""
        from .explain import explained

        if len(self.classes) < 2:
            raise ParameterError("an explanation compares two classes; this model has learnt one only")
        rows = self.counter.check_one(row)
        described = self.counter.describe(rows, 0)
        return explained(described, self.classes, self.scores, self._relative(rows)[0], of, against)

    def derive(self, row: Any, *, features: int = 20, classes: int = 6) -> Derivation:
        """Return the derivation of the answer for one row; see `Model.derive`."""
        rows = self.counter.check_one(row)
        return self.scores.derive(self.counter.describe(rows, 0), features=features, classes=classes)

    def _relative(self, rows: Rows, out: Floats | None = None) -> Floats:
        """Return joint log scores up to a constant of each row: what tells the classes apart, however far it is."""
        return self.scores.relative(rows, lambda row: self.counter.describe(rows, row), self.n_jobs, out)

    def _few(self, rows: Rows) -> bool:
        """Whether all rows are one chunk."""
        return len(rows) * len(self.classes) <= CHUNK

    def _cuts(self, rows: Rows) -> Iterator[tuple[int, int]]:
        n_rows = len(rows)
        step = n_rows or 1 if self._few(rows) else max(1, CHUNK // max(len(self.classes), 1))
        for begin in range(0, n_rows, step):
            yield begin, min(begin + step, n_rows)

    def _chunks(self, rows: Rows) -> Iterator[tuple[int, int, Floats]]:
        if not len(self.classes):
            raise InputError("there is no class to answer with")
        buffer = np.empty((0, 0))
        for begin, end in self._cuts(rows):
            if len(buffer) < end - begin:
                buffer = np.empty((end - begin, len(self.classes)))
            whole = end - begin == len(rows)
            yield begin, end, self._relative(rows if whole else rows.part(begin, end), buffer[: end - begin])

    def _finished(self, X: Any, finish: Callable[[Floats, Floats], Floats]) -> Floats:
        rows = self.counter.check(X)
        if self._few(rows):
            return finish(self._relative(rows), self.scores.log_prior)
        out = np.empty((len(rows), len(self.classes)))
        for begin, end, joint in self._chunks(rows):
            out[begin:end] = finish(joint, self.scores.log_prior)
        return out
