"""The source systems whose published numbers must come out exactly: articles, textbook example, mail filter."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from tallybayes import TextClassifier

from . import sets
from .results import Row

__all__ = ["articles", "mail", "mail_steps", "presence", "textbook"]


def articles(shared: Path) -> Iterator[Row]:
    """System B: segmented Chinese articles, words as they stand, on the course's own split."""
    split = sets.zh_articles(shared)
    order = ["business", "auto", "sports"]
    for setting, right, confusion in (
        ({"smoothing": "floor", "floor": 0.1}, 613, [[202, 1, 4], [11, 202, 0], [2, 0, 209]]),
        ({"smoothing": "additive", "alpha": 0.1}, 614, [[203, 1, 3], [11, 202, 0], [2, 0, 209]]),
    ):
        classifier = TextClassifier(
            event_model="multinomial", tokens="space", ngrams=(1, 1), lowercase=False, **setting
        )
        answers = classifier.fit(split.train, split.train_labels).predict(split.test)
        found = confusion_matrix(split.test_labels, answers, labels=order).tolist()
        name = ", ".join(f"{key}={value!r}" for key, value in setting.items())
        yield _right("zh-articles (system B)", name, right, answers, split.test_labels)
        yield Row.equal("zh-articles (system B)", f"{name}: confusion, rows business auto sports", confusion, found)


def _right(data: str, setting: str, wanted: int, answers: Any, truth: Sequence[Any], slack: int = 0) -> Row:
    right, n = int((np.asarray(answers) == np.asarray(truth)).sum()), len(truth)
    wanted_text = f"{wanted} right, {wanted / n:.6f}" + (f" (within {slack})" if slack else "")
    return Row(data, setting, wanted_text, f"{right} right, {right / n:.6f}", abs(right - wanted) <= slack)


_TRAIN = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
_LABELS = ["yes", "yes", "yes", "no"]
_QUERY = ["Chinese Chinese Chinese Tokyo Japan"]


def textbook(_shared: Path) -> Iterator[Row]:
    """System D: the four models of the textbook's example; joint probabilities (no, yes) to 1e-14 relative."""
    wanted: list[tuple[dict[str, Any], list[float], Fraction | float]] = [
        ({}, [Fraction(8, 59049), Fraction(81, 268912)], Fraction(4782969, 6934265)),
        ({"prior": "words"}, [Fraction(32, 216513), Fraction(54, 184877)], Fraction(531441, 800353)),
        ({"event_model": "bernoulli"}, [Fraction(16, 729), Fraction(81, 15625)], 0.19106679),
    ]
    for setting, joint, posterior in wanted:
        given = {"event_model": "multinomial", "alpha": 1.0, "tokens": "sklearn", "ngrams": (1, 1), **setting}
        classifier = TextClassifier(**given).fit(_TRAIN, _LABELS)
        got = np.exp(classifier.predict_joint_log_proba(_QUERY)[0])
        name = given["event_model"] + (", word prior" if "prior" in setting else "") + ", alpha 1"
        error = max(abs(value / float(fraction) - 1) for value, fraction in zip(got, joint, strict=True))
        yield Row.within("Manning example (system D)", f"{name}: joints {joint[1]}, {joint[0]}", 1e-14, error)
        tolerance = 1e-14 if isinstance(posterior, Fraction) else 5e-9
        share = float(classifier.predict_proba(_QUERY)[0, 1])
        setting_text = f"{name}: P(yes) = {posterior} = {float(posterior):.8f}"
        yield Row.within("Manning example (system D)", setting_text, tolerance, abs(share - float(posterior)))
    for norm, scores, answer in ((False, (7.820008, 7.520387), "no"), (True, (0.653675, 0.677274), "yes")):
        classifier = TextClassifier(event_model="complement", alpha=1.0, norm=norm, tokens="sklearn", ngrams=(1, 1))
        classifier.fit(_TRAIN, _LABELS)
        got_scores = tuple(round(value, 6) for value in classifier.predict_joint_log_proba(_QUERY)[0].tolist())
        got_answer = str(classifier.predict(_QUERY)[0])
        setting_text = f"complement, alpha 1, norm={norm}: scores no, yes; answer"
        yield Row.equal("Manning example (system D)", setting_text, (*scores, answer), (*got_scores, got_answer))


def mail_steps(shared: Path) -> tuple[list[str], list[str], list[int], list[int]]:
    """System A's preparation: Chinese characters only, cut by jieba, joined by spaces; 70 % training."""
    import jieba

    jieba.setLogLevel(logging.ERROR)
    mails, labels = sets.zh_spam(shared)
    cleaned = (re.sub(r"\s+", " ", re.sub(r"[^\u4e00-\u9fff]", " ", mail)).strip() for mail in mails)
    cut = [" ".join(jieba.cut(mail)) for mail in cleaned]
    train, test, train_labels, test_labels = train_test_split(cut, labels, test_size=0.3, random_state=2022)
    return train, test, train_labels, test_labels


def presence(train: list[str], *parts: list[str]) -> list[np.ndarray]:
    """System A's "word present": the 6,000 commonest words of two characters and more, each sought as a substring."""
    counts = Counter(word for mail in train for word in mail.split() if len(word) > 1)
    words = [word for word, _ in counts.most_common(6000)]  # ties: the word seen first
    return [np.array([[word in mail for word in words] for mail in part], dtype=np.int64) for part in parts]


def mail(shared: Path) -> Iterator[Row]:
    """System A: the seven published accuracies on 3,001 test mails."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    train, test, train_labels, test_labels = mail_steps(shared)
    data = "zh-spam (system A)"
    shape = {"event_model": "multinomial", "alpha": 1e-10, "tokens": "sklearn", "ngrams": (1, 1), "max_features": 6000}
    for weighting, right in (("count", 2952), ("tfidf", 2953)):
        answers = TextClassifier(**shape, weighting=weighting).fit(train, train_labels).predict(test)
        yield _right(data, f"TextClassifier, {weighting}, multinomial 1e-10", right, answers, test_labels)

    from tallybayes import CategoricalNB, GaussianNB, MultinomialNB

    present = presence(train, train, test)
    settings: list[tuple[str, Any, int, int]] = [
        ("present", MultinomialNB(alpha=1e-10), 2950, 0),
        ("present", GaussianNB(), 2961, 0),
        ("present", CategoricalNB(min_categories=2), 2946, 2),
        ("counts", MultinomialNB(alpha=1e-10), 2952, 0),
        ("counts", GaussianNB(), 2959, 0),
        ("tf-idf", MultinomialNB(alpha=1e-10), 2953, 0),
        ("tf-idf", GaussianNB(), 2956, 2),
    ]
    parts: dict[str, list[Any]] = {"present": present}
    for name, vectorizer in (("counts", CountVectorizer), ("tf-idf", TfidfVectorizer)):
        words = vectorizer(max_features=6000)
        parts[name] = [words.fit_transform(train), words.transform(test)]
    for features, estimator, right, slack in settings:
        X, X_test = parts[features]
        if isinstance(estimator, GaussianNB) and features != "present":
            X, X_test = X.toarray(), X_test.toarray()
        answers = estimator.fit(X, train_labels).predict(X_test)
        yield _right(data, f"{features}, {type(estimator).__name__}", right, answers, test_labels, slack)
