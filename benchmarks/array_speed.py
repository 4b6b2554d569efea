"""Matrices: the drop-in estimators against scikit-learn's of the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import sklearn.naive_bayes

import tallybayes

from . import data
from .timing import Contest, Target

__all__ = ["categorical", "gaussian", "sparse", "sparse_models", "sparse_ten_thousand"]

ONE, TWO = "tallybayes, 1 thread", "tallybayes, 2 threads"


def _classes(rows: int, classes: int) -> np.ndarray:
    y = np.random.default_rng(1).integers(0, classes, rows)
    y[:classes] = np.arange(classes)
    return y


def _megabytes(X: Any) -> float:
    arrays = (X.data, X.indices) if hasattr(X, "indices") else (X,)
    return sum(array.nbytes for array in arrays) / 1e6


def _pair(
    task: str,
    model: str,
    X: Any,
    y: np.ndarray,
    X_test: Any,
    fit_targets: tuple[float, float] | None,
    predict_targets: tuple[float, float] | None,
    same_fit: Callable[[Any, Any], bool],
    rounds: int | None = None,
) -> Iterator[Contest]:
    """Fit and predict of one estimator; the fits of the first contest serve the second."""
    ours, theirs = getattr(tallybayes, model), getattr(sklearn.naive_bayes, model)
    rival = f"scikit-learn {model}"
    fitted: dict[str, Any] = {}

    def fit(name: str, estimator: Any) -> Any:
        fitted[name] = estimator.fit(X, y)
        return fitted[name]

    def predict(name: str) -> np.ndarray:
        return fitted[name].predict(X_test)  # type: ignore[no-any-return]

    def check_fit(answers: Mapping[str, Any]) -> None:
        for name in (ONE, TWO):
            assert same_fit(answers[name], answers[rival]), f"{name}: other sums than {rival}"

    def check_answers(answers: Mapping[str, Any]) -> None:
        scores = [fitted[name].predict_joint_log_proba(X_test[:500]) for name in (ONE, rival)]
        worst = float((np.abs(scores[0] - scores[1]) / np.maximum(np.abs(scores[1]), 1.0)).max())
        assert worst < 1e-9, f"joint log scores differ by {worst:g}"
        assert np.array_equal(answers[ONE], answers[TWO]), "one thread and two answer differently"
        # Equal scores but for the last digits: a near tie may fall to either side.
        agreement = float((answers[ONE] == answers[rival]).mean())
        assert agreement > 0.9999, f"only {agreement:.6f} of the answers agree with {rival}"

    def targets(factors: tuple[float, float] | None) -> list[Target]:
        names = (ONE, TWO)
        return [Target(name, rival, factor) for name, factor in zip(names, factors or (), strict=False)]

    yield Contest(
        f"{task} fit",
        {
            ONE: lambda: fit(ONE, ours(n_jobs=1)),
            TWO: lambda: fit(TWO, ours(n_jobs=2)),
            rival: lambda: fit(rival, theirs()),
        },
        X.shape[0] / 1e3,
        "k rows",
        targets(fit_targets),
        check_fit,
        rounds,
        megabytes=_megabytes(X),
    )
    for name in (ONE, TWO):
        fitted[name].predict(X_test[:1])  # the score table is built once, at the first answer
    yield Contest(
        f"{task} predict",
        {name: partial(predict, name) for name in (ONE, TWO, rival)},
        X_test.shape[0] / 1e3,
        "k rows",
        targets(predict_targets),
        check_answers,
        rounds,
        megabytes=_megabytes(X_test),
    )


def _same_counts(ours: Any, theirs: Any) -> bool:
    return np.array_equal(ours.feature_count_, theirs.feature_count_)


SPARSE_TARGETS = {2: ((2, 3.5), (2, 3.5)), 20: ((10, 18), (3, 6.5)), 1000: ((100, 180), (2.3, 4))}


def sparse(classes: tuple[int, ...], test_rows: int, **size: Any) -> Iterator[Contest]:
    """CSR counts, multinomial, several numbers of classes."""
    X = data.sparse_counts(**size)
    for n_classes in classes:
        fit, predict = SPARSE_TARGETS.get(n_classes, (None, None))
        task = f"CSR, K = {n_classes:,}: multinomial"
        slow = n_classes >= 1000
        X_test = X[:test_rows] if slow else X
        y = _classes(X.shape[0], n_classes)
        yield from _pair(task, "MultinomialNB", X, y, X_test, fit, predict, _same_counts, 1 if slow else None)


def sparse_models(test_rows: int, **size: Any) -> Iterator[Contest]:
    """CSR counts, 20 classes, complement and Bernoulli; no target, for the record."""
    X = data.sparse_counts(**size)
    y = _classes(X.shape[0], 20)
    for model in ("ComplementNB", "BernoulliNB"):
        yield from _pair(f"CSR, K = 20: {model}", model, X, y, X[:test_rows], None, None, _same_counts)


def sparse_ten_thousand(classes: int, test_rows: int, **size: Any) -> Iterator[Contest]:
    """CSR counts with 10,000 classes, where scikit-learn runs out of memory: absolute targets."""
    X = data.sparse_counts(**size)
    y = _classes(X.shape[0], classes)
    fitted: dict[int, Any] = {}

    def fit(n_jobs: int) -> Any:
        fitted[n_jobs] = tallybayes.MultinomialNB(n_jobs=n_jobs).fit(X, y)
        return fitted[n_jobs]

    task = f"CSR, K = {classes:,}: multinomial"
    runs = {ONE: 1, TWO: 2}
    rows = X.shape[0] / 1e3
    contestants = {name: partial(fit, n_jobs) for name, n_jobs in runs.items()}
    yield Contest(f"{task} fit", contestants, rows, "k rows", at_most={ONE: 1.0 * rows / 200})

    def predict(n_jobs: int) -> Any:
        # A new reading, so that building the score table is timed too.
        return fitted[n_jobs].reread(alpha=0.5).predict(X[:test_rows])

    def check(answers: Mapping[str, Any]) -> None:
        assert np.array_equal(answers[ONE], answers[TWO]), "one thread and two answer differently"

    contestants = {name: partial(predict, n_jobs) for name, n_jobs in runs.items()}
    limits = {ONE: test_rows / 5e3, TWO: test_rows / 10e3}
    yield Contest(f"{task} predict, with table", contestants, test_rows / 1e3, "k rows", check=check, at_most=limits)


def gaussian(**size: Any) -> Iterator[Contest]:
    """Dense float64 rows."""
    X, y = data.gaussian(**size)

    def close(ours: Any, theirs: Any) -> bool:
        return np.allclose(ours.var_, theirs.var_, rtol=1e-9) and np.allclose(ours.theta_, theirs.theta_, rtol=1e-9)

    yield from _pair("Gaussian, float64:", "GaussianNB", X, y, X, (20, 25), (45, 90), close)


def categorical(**size: Any) -> Iterator[Contest]:
    """Integer codes."""
    X, y = data.categorical(**size)

    def same(ours: Any, theirs: Any) -> bool:
        return all(map(np.array_equal, ours.category_count_, theirs.category_count_))

    yield from _pair("categorical, int64:", "CategoricalNB", X, y, X, (60, 80), (14, 24), same)
