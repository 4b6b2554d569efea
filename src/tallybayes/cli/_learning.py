"""What the commands that read labelled documents share: learning from them, counting them, testing on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, ParameterError
from ..evaluation import Evaluation, Report
from ..model import Model
from ..readers.batch import Batch, prefetch
from ..readers.holdout import read_names, split
from ..readers.source import Source
from ..tally import Tally
from ._output import note
from ._progress import progress
from ._rows import labels_of, rows_of

__all__ = ["Split", "learn", "tally_of", "test", "words_of"]

NOTHING = "the sources hold no labelled row (with these options)"


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


def learn(model: Model, source: Source, held_out: Split) -> tuple[Model, int]:
    """Learn every document that is not held out; return the model and how many there were.

    A counter that needs a first pass (two-pass tf-idf) reads the sources twice.

    Raises
    ------
    InputError
        If there is not one document.
    """
    draft = model.counter.draft
    if draft is not None and not model.counter.ready:
        first, _ = _learned(Model(draft, n_jobs=model.n_jobs), held_out.train(source), "weighing")
        model = model.settled_by(first.tally)
    model, rows = _learned(model, held_out.train(source), "learning")
    _say_skipped(source)
    if remark := model.labels.remark():
        note(remark)
    return model, rows


def _learned(model: Model, batches: Iterable[Batch], what: str) -> tuple[Model, int]:
    def learn_batch(batch: Batch) -> None:
        nonlocal model
        model = model.learned(batch.documents, labels_of(model, batch))

    rows = _each(batches, what, learn_batch)
    if rows == 0:
        raise InputError(f"there is nothing to learn: {NOTHING}")
    return model, rows


def tally_of(model: Model, source: Source) -> Tally:
    """Count the rows of a source as a model does.

    Raises
    ------
    InputError
        If there is not one row.
    """
    parts: list[Tally] = []
    _each(source, "counting", lambda batch: parts.append(model.count(rows_of(model, batch), labels_of(model, batch))))
    _say_skipped(source)
    if not parts:
        raise InputError(f"there is nothing to count: {NOTHING}")
    total: Tally = Tally.sum(parts)
    return total


def test(model: Model, batches: Iterable[Batch]) -> Report:
    """Compare the model's answers with the labels of the batches; memory does not grow with their number.

    Raises
    ------
    InputError
        If there is not one row.
    """
    evaluation, answers = Evaluation(model.classes.tolist()), model.answers

    def answer(batch: Batch) -> None:
        labels = labels_of(model, batch)
        for first, log_probabilities in answers.parts(rows_of(model, batch)):
            evaluation.add(labels[first : first + len(log_probabilities)], log_probabilities)

    if not _each(batches, "testing", answer):
        raise InputError(f"there is nothing to test on: {NOTHING}")
    return evaluation.report()


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
        note(f"skipped {source.skipped} bad rows, the first: {source.remarks.first_skipped}")
