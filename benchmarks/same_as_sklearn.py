"""The same settings in scikit-learn give the same joint log scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from tallybayes import TextClassifier

from . import sets
from .results import Row

__all__ = ["EVENT_MODELS", "SETTINGS", "text", "worst_difference"]

# scikit-learn's settings, and ours.
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "words": ({}, {"tokens": "sklearn", "ngrams": (1, 1)}),
    "words 1-2, min_df 2": (
        {"ngram_range": (1, 2), "min_df": 2},
        {"tokens": "sklearn", "ngrams": (1, 2), "min_df": 2},
    ),
    "non-spaces, case kept": (
        {"token_pattern": r"\S+", "lowercase": False},
        {"tokens": "space", "ngrams": (1, 1), "lowercase": False},
    ),
    "char 2-3": ({"analyzer": "char", "ngram_range": (2, 3)}, {"tokens": "chars", "ngrams": (2, 3)}),
    "char_wb 1-3": ({"analyzer": "char_wb", "ngram_range": (1, 3)}, {"tokens": "chars_in_words", "ngrams": (1, 3)}),
}
EVENT_MODELS: dict[str, type] = {
    "multinomial": MultinomialNB,
    "complement": ComplementNB,
    "bernoulli": BernoulliNB,
}
SETS = {"sms-spam": sets.sms_spam, "zh-articles": sets.zh_articles, "reuters R52": sets.reuters_52}


def worst_difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest difference, relative, or absolute where their score is below 1 in size."""
    return float((np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1.0)).max())


def text(shared: Path) -> Iterator[Row]:
    """Five CountVectorizer settings with three models, and TfidfVectorizer, on three sets."""
    for data, load in SETS.items():
        split = load(shared)
        for name, (theirs, ours) in SETTINGS.items():
            vectorizer = CountVectorizer(**theirs)
            train, test = vectorizer.fit_transform(split.train), vectorizer.transform(split.test)
            for event_model, estimator in EVENT_MODELS.items():
                expected = estimator(alpha=0.5).fit(train, split.train_labels).predict_joint_log_proba(test)
                yield _row(data, f"CountVectorizer, {name}; {event_model}", split, expected, event_model, **ours)
        vectorizer = TfidfVectorizer()
        train, test = vectorizer.fit_transform(split.train), vectorizer.transform(split.test)
        expected = MultinomialNB(alpha=0.5).fit(train, split.train_labels).predict_joint_log_proba(test)
        ours = {"weighting": "tfidf", **SETTINGS["words"][1]}
        yield _row(data, "TfidfVectorizer; multinomial", split, expected, "multinomial", **ours)


def _row(data: str, setting: str, split: sets.Split, expected: np.ndarray, event_model: str, **ours: Any) -> Row:
    classifier = TextClassifier(event_model=event_model, alpha=0.5, normalize=None, **ours)
    classifier.fit(split.train, split.train_labels)
    scores = classifier.predict_joint_log_proba(split.test)
    return Row.within(data, setting, 1e-9, worst_difference(scores, expected))
