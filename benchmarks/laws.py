"""The laws of the tally on real data: the same digest however the rows were cut, ordered, taken out or added up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tallybayes import TextClassifier

from . import sets
from .results import Row

__all__ = ["cut", "digest", "forget", "merge"]

Part = tuple[list[str], list[str]]
CHANNELS = ("occurrences",)  # what the digests that are printed were always made of


def _everything(split: sets.Split) -> Part:
    return split.train + split.test, split.train_labels + split.test_labels


def cut(rows: Part, n: int, order: np.ndarray) -> list[Part]:
    """Return n parts of the rows, taken in the given order."""
    documents, labels = rows
    return [
        ([documents[i] for i in part.tolist()], [labels[i] for i in part.tolist()]) for part in np.array_split(order, n)
    ]


def _learnt(rows: Part, n_jobs: int = 1) -> TextClassifier:
    return TextClassifier(n_jobs=n_jobs, channels=CHANNELS).fit(*rows)


def digest(shared: Path) -> Iterator[Row]:
    """1, 2 and 7 chunks, in order and shuffled, one and two threads, fitted one after the other: one digest."""
    for data, load in (("sms-spam", sets.sms_spam), ("zh-articles", sets.zh_articles)):
        rows = _everything(load(shared))
        whole = _learnt(rows).tally_.digest()
        in_order = np.arange(len(rows[0]))
        orders = {"in order": in_order, "shuffled": np.random.default_rng(0).permutation(in_order)}
        for name, order in orders.items():
            for chunks in (1, 2, 7):
                for n_jobs in (1, 2):
                    classifier = TextClassifier(n_jobs=n_jobs, channels=CHANNELS, new_classes=True)
                    for part in cut(rows, chunks, order):
                        classifier.partial_fit(*part)
                    setting = f"{chunks} chunks, {name}, n_jobs={n_jobs}"
                    yield Row.equal(data, setting, whole[:12], classifier.tally_.digest()[:12])


def forget(shared: Path) -> Iterator[Row]:
    """Forget 30 % of the rows in random order: the digest of a model that never saw them."""
    for data, load in (("sms-spam", sets.sms_spam), ("zh-articles", sets.zh_articles)):
        rows = _everything(load(shared))
        order = np.random.default_rng(0).permutation(len(rows[0]))
        n = round(0.3 * len(order))
        (gone,), (kept,) = cut(rows, 1, order[:n]), cut(rows, 1, np.sort(order[n:]))
        classifier = _learnt(rows)
        for part in cut(gone, 7, np.arange(n)):
            classifier.forget(*part)
        wanted = _learnt(kept).tally_.digest()
        yield Row.equal(data, "forget 30 %, in 7 parts, random order", wanted[:12], classifier.tally_.digest()[:12])


def merge(shared: Path) -> Iterator[Row]:
    """2, 5 and 50 models added up: the digest of one fit."""
    for data, load in (("sms-spam", sets.sms_spam), ("zh-articles", sets.zh_articles)):
        rows = _everything(load(shared))
        wanted = _learnt(rows).tally_.digest()
        order = np.random.default_rng(1).permutation(len(rows[0]))
        for n in (2, 5, 50):
            first, *others = (_learnt(part) for part in cut(rows, n, order))
            for other in others:
                first = first + other
            yield Row.equal(data, f"merge of {n} parts", wanted[:12], first.tally_.digest()[:12])
