"""Text: training and prediction from a list of str, against vectorizers, Vowpal Wabbit, fastText, DuckDB and rjieba."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

from tallybayes import TextClassifier
from tallybayes.tally import CHANNELS

from . import data, rivals
from .timing import Contest, Target

__all__ = ["chinese", "chinese_raw", "english", "english_rivals", "english_small", "short_document"]

ONE, TWO = "tallybayes, 1 thread", "tallybayes, 2 threads"
BOTH = "both channels (the default), 1 thread"
# What the rivals do: words, and of them the occurrences only.
WORDS: dict[str, Any] = {
    "event_model": "multinomial",
    "alpha": 1.0,
    "tokens": "sklearn",
    "ngrams": (1, 1),
    "channels": ("occurrences",),
}
COUNT, HASH = "CountVectorizer + MultinomialNB", "HashingVectorizer + MultinomialNB"
VW, FASTTEXT, DUCKDB = "Vowpal Wabbit", "fastText, 1 epoch, 2 threads", "DuckDB, 2 threads"


def _fit(text: data.Text, n_jobs: int, **settings: Any) -> TextClassifier:
    return TextClassifier(**{**WORDS, **settings}, n_jobs=n_jobs).fit(text.train, text.train_labels)


def _targets(rival: str, one: float, two: float) -> list[Target]:
    return [Target(ONE, rival, one), Target(TWO, rival, two)]


def _same_counts(answers: Mapping[str, Any]) -> None:
    """The exact vocabulary and every count are those of CountVectorizer."""
    vectorizer, estimator = answers[COUNT]
    names = vectorizer.get_feature_names_out().tolist()
    for name in (ONE, TWO):
        tally = answers[name].tally_
        assert list(tally.features.labels()) == names, f"{name}: another vocabulary than CountVectorizer's"
        assert np.array_equal(tally.dense("occurrences"), estimator.feature_count_), f"{name}: other counts"


def _same_answers(answers: Mapping[str, Any]) -> None:
    """All contestants label every document alike."""
    (first, expected), *others = answers.items()
    for name, found in others:
        assert np.array_equal(found, expected), f"{name} answers otherwise than {first}"


def _same_occurrences(answers: Mapping[str, Any]) -> None:
    """A second channel changes nothing in the first."""
    both, one = (answers[name].tally_.values("occurrences") for name in (BOTH, ONE))
    assert np.array_equal(both, one), f"{BOTH}: other occurrences"


def _fit_contest(name: str, text: data.Text, one: float, two: float, vectorizer: Any, rival: str = COUNT) -> Contest:
    return Contest(
        name,
        {
            ONE: lambda: _fit(text, 1),
            TWO: lambda: _fit(text, 2),
            rival: lambda: rivals.sklearn_fit(vectorizer(), MultinomialNB(), text.train, text.train_labels),
        },
        data.megabytes(text.train),
        "MB",
        _targets(rival, one, two),
        _same_counts,
    )


def _fits(text: data.Text, size: str, one: float, two: float) -> Iterator[Contest]:
    """Exact vocabulary, hashed with our own hash, hashed as HashingVectorizer does."""
    yield _fit_contest(f"text fit, exact vocabulary{size}", text, one, two, CountVectorizer)

    def same_totals(answers: Mapping[str, Any]) -> None:
        """Hash functions differ, so columns do; the occurrences per class do not."""
        totals = answers[HASH][1].feature_count_.sum(axis=1)
        for name in (ONE, TWO):
            assert np.array_equal(answers[name].tally_.totals("occurrences"), totals), f"{name}: other totals"

    def same_columns(answers: Mapping[str, Any]) -> None:
        for name in (ONE, TWO):
            counts = answers[name].tally_.dense("occurrences")
            assert np.array_equal(counts, answers[HASH][1].feature_count_), f"{name}: other columns than {HASH}'s"

    def hashing() -> HashingVectorizer:
        return HashingVectorizer(n_features=2**20, alternate_sign=False, norm=None)

    def contest(name: str, columns: Any, targets: list[Target], check: Callable[[Mapping[str, Any]], None]) -> Contest:
        return Contest(
            name + size,
            {
                ONE: lambda: _fit(text, 1, hash=columns),
                TWO: lambda: _fit(text, 2, hash=columns),
                HASH: lambda: rivals.sklearn_fit(hashing(), MultinomialNB(), text.train, text.train_labels),
            },
            data.megabytes(text.train),
            "MB",
            targets,
            check,
        )

    yield contest("text fit, hashed to 2^20", 2**20, _targets(HASH, 45, 60), same_totals)
    murmur = ("murmur3", 2**20)
    yield contest("text fit, hashed as HashingVectorizer does", murmur, _targets(HASH, 30, 45), same_columns)


def _both_channels(text: data.Text) -> Contest:
    """What the second channel, which the rivals do not count, costs a fit."""
    return Contest(
        "text fit, the second channel",
        {BOTH: lambda: _fit(text, 1, channels=CHANNELS), ONE: lambda: _fit(text, 1)},
        data.megabytes(text.train),
        "MB",
        [Target(BOTH, ONE, 0.9)],
        _same_occurrences,
    )


def english(**size: Any) -> Iterator[Contest]:
    """English-like text, 20 classes: fit and predict."""
    text = data.text(**size)
    yield from _fits(text, "", 25, 45)
    yield _both_channels(text)

    sklearn = rivals.sklearn_fit(CountVectorizer(), MultinomialNB(), text.train, text.train_labels)
    ours = {n_jobs: _fit(text, n_jobs) for n_jobs in (1, 2)}
    for classifier in ours.values():
        classifier.predict(text.test[:1])  # the score table is built once, at the first answer
    yield Contest(
        "text predict",
        {
            ONE: lambda: ours[1].predict(text.test),
            TWO: lambda: ours[2].predict(text.test),
            COUNT: lambda: rivals.sklearn_predict(sklearn, text.test),
        },
        data.megabytes(text.test),
        "MB",
        _targets(COUNT, 22, 45),
        _same_answers,
    )


def english_small(**size: Any) -> Iterator[Contest]:
    """The same with a fifth of the text, where the vocabulary weighs more."""
    yield from _fits(data.text(**size), ", 40 MB", 25, 35)


def chinese(**size: Any) -> Iterator[Contest]:
    """Chinese words parted by spaces."""
    text = data.text(chinese=True, vocabulary=120_000, tokens=220, **size)
    yield _fit_contest("Chinese words fit, exact vocabulary", text, 25, 40, CountVectorizer)


def english_rivals(**size: Any) -> Iterator[Contest]:
    """Rivals that read files; the files are lower-cased and split at punctuation before the clock starts."""
    text = data.text(**size)

    def right(answers: Mapping[str, Any]) -> None:
        # Other models give other answers, but each must have learnt something: guessing gives 1 in 20.
        for name, found in answers.items():
            share = float((np.asarray(found) == np.asarray(text.test_labels)).mean())
            assert share > 1.5 / 20, f"{name} is right on {share:.3f} of the test documents only"

    with rivals.temporary_folder() as name:
        folder = Path(name)
        vw = rivals.VowpalWabbit(folder, text.train, text.train_labels, text.test)
        fasttext = rivals.FastText(folder, text.train, text.train_labels, text.test)
        duckdb = rivals.DuckDB(folder, text.train, text.train_labels)

        def same_totals(answers: Mapping[str, Any]) -> None:
            distinct, words = answers[DUCKDB]
            tally = answers[ONE].tally_
            assert (len(tally.features), int(tally.totals("occurrences").sum())) == (distinct, words)

        yield Contest(
            "text fit, exact vocabulary",
            {
                ONE: lambda: _fit(text, 1),
                TWO: lambda: _fit(text, 2),
                VW: vw.fit,
                FASTTEXT: fasttext.fit,
                DUCKDB: duckdb.fit,
            },
            data.megabytes(text.train),
            "MB",
            [*_targets(VW, 10, 18), *_targets(FASTTEXT, 9, 17), *_targets(DUCKDB, 3.5, 7)],
            same_totals,
        )
        ours = {n_jobs: _fit(text, n_jobs) for n_jobs in (1, 2)}
        for classifier in ours.values():
            classifier.predict(text.test[:1])
        yield Contest(
            "text predict",
            {
                ONE: lambda: ours[1].predict(text.test),
                TWO: lambda: ours[2].predict(text.test),
                VW: vw.predict,
                FASTTEXT: fasttext.predict,
            },
            data.megabytes(text.test),
            "MB",
            [*_targets(VW, 2.2, 4.5), *_targets(FASTTEXT, 8, 18)],
            right,
        )


def chinese_raw(size: float) -> Iterator[Contest]:
    """Unsegmented Chinese: characters 1 to 3, exact and hashed to 2^20; rjieba only cuts."""
    import rjieba

    documents, labels = data.chinese_raw(size)
    text = data.Text(documents, labels, [], [])
    characters = {"tokens": "chars", "ngrams": (1, 3)}
    rjieba.cut("初始化")  # its dictionary is loaded at the first call
    vectorizer, cut = "CountVectorizer(char 1-3) + MultinomialNB", "rjieba cut alone"
    hashed = {name: name.replace("tallybayes", "tallybayes hashed") for name in (ONE, TWO)}
    targets = [*_targets(vectorizer, 80, 120), *_targets(cut, 10, 15)]

    def same_counts(answers: Mapping[str, Any]) -> None:
        _same_counts({**answers, COUNT: answers[vectorizer]})
        totals = answers[ONE].tally_.totals("occurrences")
        for name in hashed.values():
            assert np.array_equal(answers[name].tally_.totals("occurrences"), totals), f"{name}: other totals"

    yield Contest(
        "raw Chinese fit, characters 1-3",
        {
            ONE: lambda: _fit(text, 1, **characters),
            TWO: lambda: _fit(text, 2, **characters),
            hashed[ONE]: lambda: _fit(text, 1, hash=2**20, **characters),
            hashed[TWO]: lambda: _fit(text, 2, hash=2**20, **characters),
            vectorizer: lambda: rivals.sklearn_fit(
                CountVectorizer(analyzer="char", ngram_range=(1, 3)), MultinomialNB(), documents, labels
            ),
            cut: lambda: [rjieba.cut(document) for document in documents],
        },
        data.megabytes(documents),
        "MB",
        [*targets, *(replace(target, ours=hashed[target.ours]) for target in targets)],
        same_counts,
    )


def short_document(repeats: int, **size: Any) -> Iterator[Contest]:
    """One short document in a warm process, over and over."""
    text = data.text(**size)
    ours = _fit(text, 1)
    sklearn = rivals.sklearn_fit(CountVectorizer(), MultinomialNB(), text.train, text.train_labels)
    documents = [[" ".join(document.split()[:12])] for document in text.test[:repeats]]
    ours.predict(documents[0])
    yield Contest(
        "one document of 12 words, warm",
        {
            ONE: lambda: np.concatenate([ours.predict(document) for document in documents]),
            COUNT: lambda: np.concatenate([rivals.sklearn_predict(sklearn, document) for document in documents]),
        },
        float(len(documents)),
        "documents",
        [Target(ONE, COUNT, 50)],
        _same_answers,
    )
