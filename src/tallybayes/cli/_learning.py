"""What the commands that read labelled documents share: learning from them, counting them, testing on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, ParameterError
from ..evaluate import Report, evaluate
from ..model import Model
from ..readers.batch import Batch, prefetch
from ..readers.holdout import read_names, split
from ..readers.source import Source
from ..tally.count import CHANNELS, CountTally
from ._output import note
from ._progress import progress

__all__ = ["Split", "learn", "tally_of", "test", "words_of"]

NOTHING = "the sources hold no labelled document (with these options)"


def words_of(path: str | None) -> list[str] | None:
    """Read a file of words, one a line (UTF-8, with or without a mark); None stays None."""
    if path is None:
        return None
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    return [word for line in lines if (word := line.strip())]


@dataclass(frozen=True)
class Split:
    """Which documents are held out for the test: the arguments of `split`, empty if none are."""

    how: dict[str, Any]

    @classmethod
    def of(cls, *, holdout: float | None, test_list: str | None, seed: int) -> Split:
        """Build it from the options of a command line."""
        if holdout is not None and test_list is not None:
            raise ParameterError("give --holdout or --test-list, not both")
        if test_list is not None:
            return cls({"test_names": read_names(test_list)})
        return cls({} if holdout is None else {"holdout": holdout, "seed": seed})

    def train(self, batches: Iterable[Batch]) -> Iterable[Batch]:
        """Return the documents to learn from."""
        return (training for training, _ in split(batches, **self.how) if len(training)) if self.how else batches

    def test(self, batches: Iterable[Batch]) -> Iterable[Batch]:
        """Return the documents to test on."""
        return (held_out for _, held_out in split(batches, **self.how) if len(held_out))


def learn(model: Model, source: Source, held_out: Split) -> int:
    """Learn every document that is not held out, and return how many there were; tf-idf reads the sources twice.

    Raises
    ------
    InputError
        If there is not one document.
    """
    if model.reading.weighting == "tfidf":
        plain = Model(model.analyzer, model.reading.replace(weighting="count"), channels=CHANNELS, n_jobs=model.n_jobs)
        _each(held_out.train(source), "weighing", lambda batch: plain.learn(batch.documents, batch.labels))
        model.freeze_idf(plain.tally)
    rows = _each(held_out.train(source), "learning", lambda batch: model.learn(batch.documents, batch.labels))
    _say_skipped(source)
    if rows == 0:
        raise InputError(f"there is nothing to learn: {NOTHING}")
    return rows


def tally_of(model: Model, source: Source) -> CountTally:
    """Count the documents of a source in a model's feature space.

    Raises
    ------
    InputError
        If there is not one document.
    """
    parts: list[CountTally] = []
    _each(source, "counting", lambda batch: parts.append(model.count(batch.documents, batch.labels)))
    _say_skipped(source)
    if not parts:
        raise InputError(f"there is nothing to count: {NOTHING}")
    total: CountTally = CountTally.sum(parts)
    return total


def test(model: Model, batches: Iterable[Batch]) -> Report:
    """Compare the model's answers with the labels of the batches.

    Raises
    ------
    InputError
        If there is not one document.
    """
    truth: list[Any] = []
    scores: list[Any] = []

    def answer(batch: Batch) -> None:
        truth.extend(batch.labels or ())
        scores.append(model.predict_log_proba(batch.documents))

    _each(batches, "testing", answer)
    if not scores:
        raise InputError(f"there is nothing to test on: {NOTHING}")
    return evaluate(truth, np.concatenate(scores), model.classes.tolist())


def _each(batches: Iterable[Batch], what: str, work: Callable[[Batch], None]) -> int:
    """Do something with every batch, the next one being read meanwhile; show how far it is."""
    rows = 0
    with progress(what) as advance:
        for batch in prefetch(batches):
            work(batch)
            rows += len(batch)
            advance(len(batch), sum(map(len, batch.documents)))
    return rows


def _say_skipped(source: Source) -> None:
    """Tell how many bad rows were left out, and what the first was."""
    if source.skipped:
        note(f"skipped {source.skipped} bad rows, the first: {source.report.first_skipped}")
