"""Accuracy on the real text sets: the defaults with no argument given, and the documented options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from tallybayes import TextClassifier

from . import sets
from .results import Row

__all__ = ["accuracy", "defaults", "options", "sentiment", "zh_spam_split"]


def accuracy(split: sets.Split, **settings: Any) -> float:
    """Return the share of right answers on the test part."""
    answers = TextClassifier(**settings).fit(split.train, split.train_labels).predict(split.test)
    return float((answers == np.asarray(split.test_labels)).mean())


def zh_spam_split(shared: Path) -> sets.Split:
    """The published split of the raw mails."""
    train, test, train_labels, test_labels = train_test_split(*sets.zh_spam(shared), test_size=0.3, random_state=2022)
    return sets.Split(train, train_labels, test, test_labels)


def zh_sentiment_folds(shared: Path) -> float:
    """Mean accuracy of 5 stratified, shuffled folds, duplicates out."""
    texts, labels = (np.array(part, dtype=object) for part in sets.zh_sentiment(shared))
    shares = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(texts, labels):
        parts = (texts[train], labels[train], texts[test], labels[test])
        shares.append(accuracy(sets.Split(*(part.tolist() for part in parts))))
    return float(np.mean(shares))


def defaults(shared: Path) -> Iterator[Row]:
    """One setting for all sets: none given."""
    for data, load, wanted in (
        ("zh-articles, course split", sets.zh_articles, 0.980),
        ("zh-spam, README's split, raw", zh_spam_split, 0.992),
        ("sms-spam", sets.sms_spam, 0.981),
        ("20newsgroups, all 20", sets.newsgroups, 0.845),
        ("reuters R52", sets.reuters_52, 0.918),
        ("zh-topics-gbk, gb18030", sets.zh_topics, 0.91),
    ):
        yield Row.at_least(data, "defaults", wanted, accuracy(load(shared)))


def sentiment(shared: Path) -> Iterator[Row]:
    """The defaults on the reviews, whose duplicates would leak from training into test."""
    yield Row.at_least("zh-sentiment, duplicates out, 5-fold", "defaults", 0.815, zh_sentiment_folds(shared))


def options(shared: Path) -> Iterator[Row]:
    """One documented option each."""
    characters = {"event_model": "multinomial", "tokens": "chars_in_words", "ngrams": (1, 3)}
    share = accuracy(sets.langid_60(shared), **characters)
    yield Row.at_least("langid-60", "multinomial, chars_in_words 1-3", 0.994, share)
    binary = {"event_model": "multinomial", "tokens": "chars", "ngrams": (2, 4), "weighting": "binary", "alpha": 0.1}
    share = accuracy(zh_spam_split(shared), **binary)
    yield Row.at_least("zh-spam, README's split, raw", "chars 2-4, binary, alpha 0.1", 0.996, share)
