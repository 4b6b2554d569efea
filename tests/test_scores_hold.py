"""Answers hold however large a value is: what is the same in all classes cancels, and nothing becomes NaN."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    GaussianReading,
    Labels,
    Model,
    MomentTally,
    MultinomialNB,
    NumberCounter,
    TextClassifier,
)
from tallybayes.model.answers import CHUNK, Answers
from tallybayes.readings import Scores
from tallybayes.readings.gaussian import GaussianScores
from tallybayes.readings.linear import LinearScores

FAR = [0.0, 1.0, 1e3, 1e4, 1e8, 1e16, 1e100, 1e160, 1e250, 1.7e308, -1e3, -1e160, -1.7e308]
FEVER = np.array([[36.4, 0], [36.6, 0], [36.9, 0], [36.8, 0], [37.1, 0], [37.4, 0]])
ILL = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("missing", ["error", "skip"])
def test_a_column_that_tells_nothing_does_not_drown_the_others(container: Callable[[Any], Any], missing: str) -> None:
    classifier = GaussianNB(missing=missing).fit(container(FEVER), ILL)
    query = container(np.array([[37.0, value] for value in FAR]))
    proba = classifier.predict_proba(query)
    alone = GaussianNB(missing=missing, var_smoothing=0.0).fit(FEVER[:, :1], ILL).predict_proba([[37.0]])
    np.testing.assert_allclose(proba, np.repeat(alone, len(FAR), axis=0), rtol=1e-7)  # var_smoothing adds 1e-9
    np.testing.assert_allclose(proba, np.repeat(proba[:1], len(FAR), axis=0), rtol=1e-11)
    assert (classifier.predict(query) == classifier.predict(query)[0]).all()


def _log_odds(x: list[float], classes: list[list[tuple[float, float]]]) -> Fraction:
    """Of the second class against the first, less the logarithms of the deviations."""
    terms = [
        sum(-((Fraction(value) - Fraction(m)) ** 2) / (2 * Fraction(v)) for value, (m, v) in zip(x, each, strict=True))
        for each in classes
    ]
    return Fraction(terms[1]) - Fraction(terms[0])


LARGE = st.one_of(
    st.floats(-1e6, 1e6), st.sampled_from([value for value in FAR if abs(value) > 1]), st.floats(-1e200, 1e200)
)


@given(st.lists(LARGE, min_size=2, max_size=2), st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=2, max_size=2))
def test_values_however_far_are_told_apart_as_by_fractions(x: list[float], widths: list[float]) -> None:
    """Variances 1 in the first class; whichever class exact arithmetic finds more probable is the answer."""
    rows = np.array([[-1.0, -1.0], [1.0, 1.0], [1.0 - widths[0], 3.0 - widths[1]], [1.0 + widths[0], 3.0 + widths[1]]])
    classifier = GaussianNB(var_smoothing=0.0, priors=[0.5, 0.5]).fit(rows, [0, 0, 1, 1])
    odds = _log_odds(x, [[(0.0, 1.0)] * 2, [(1.0, widths[0] ** 2), (3.0, widths[1] ** 2)]])
    log_widths = float(np.log(widths).sum())
    exact = float(odds) - log_widths if abs(odds) < 10**300 else np.copysign(np.inf, 1 if odds > 0 else -1)
    log_proba = classifier.predict_log_proba([x])[0]
    assert not np.isnan(log_proba).any()
    if abs(exact) > 1e-6:
        assert classifier.predict([x])[0] == int(exact > 0)
    if np.isfinite(exact):
        assert log_proba[1] - log_proba[0] == pytest.approx(exact, rel=1e-9, abs=1e-6)


def test_two_columns_that_cancel_leave_the_third() -> None:
    """The second column says the opposite of the first; only the third tells anything."""
    rows = np.array([[0.0, 1, 0], [2, 3, 2], [1, 0, 1], [3, 2, 3]])
    classifier = GaussianNB(var_smoothing=0.0).fit(rows, [0, 0, 1, 1])
    wanted = classifier.predict_proba([[5.0, 5.0, 4.0]])
    for value in (1e3, 1e9, 1e18, 1e200):
        np.testing.assert_allclose(classifier.predict_proba([[value, value, 4.0]]), wanted, rtol=1e-9)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("estimator", [MultinomialNB, ComplementNB])
def test_counts_to_the_end_of_float64_never_answer_nan(container: Callable[[Any], Any], estimator: type[Any]) -> None:
    classifier = estimator().fit(np.array([[3, 1], [1, 3]]), ["a", "b"])
    rows = container(np.array([[1e308, 1e308], [1e308, 0], [0, 1.7e308], [1e308, 1e307]]))
    np.testing.assert_array_equal(classifier.predict_proba(rows), [[0.5, 0.5], [1, 0], [0, 1], [1, 0]])
    assert classifier.predict(rows[1:]).tolist() == ["a", "b", "a"]


def test_counts_beyond_float64_leave_an_impossible_class_impossible() -> None:
    classifier = MultinomialNB(alpha=0.0, force_alpha=True).fit([[3, 1, 0], [1, 3, 1]], ["a", "b"])
    assert classifier.predict_proba([[1.7e308, 1e308, 1]]).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("count", [1, 3, 1e6, 1e12, 1e300])
@pytest.mark.parametrize("norm", [False, True])
def test_one_column_of_counts_is_a_tie_for_complement(count: float, norm: bool) -> None:
    classifier = ComplementNB(norm=norm).fit([[3], [5], [11]], [0, 1, 2])
    assert classifier.predict_proba([[count]])[0] == pytest.approx(np.full(3, 1 / 3), abs=1e-16)


def _fitted(seed: int) -> list[tuple[Any, Any]]:
    random = np.random.default_rng(seed)
    labels = np.arange(60) % 3
    counts = random.poisson(2, (60, 8)) + (np.arange(8) % 3 == labels[:, None])
    numbers = random.normal(size=(60, 5)) + labels[:, None]
    gaps = np.where(random.random(numbers.shape) < 0.2, np.nan, numbers)
    texts = [" ".join(f"w{word}" for word in row.tolist() for _ in range(2)) for row in counts]
    return [
        (GaussianNB().fit(numbers, labels), numbers),
        (GaussianNB().fit(sp.csr_matrix(numbers), labels), sp.csr_matrix(numbers)),
        (GaussianNB(missing="skip").fit(gaps, labels), gaps),
        (MultinomialNB().fit(counts, labels), counts),
        (ComplementNB().fit(counts, labels), sp.csr_matrix(counts)),
        (BernoulliNB().fit(counts, labels), counts),
        (TextClassifier().fit(texts, labels), texts),
        (TextClassifier(event_model="bernoulli").fit(texts, labels), texts),
        (TextClassifier(event_model="multinomial", weighting="tfidf").fit(texts, labels), texts),
    ]


@pytest.mark.parametrize("which", range(len(_fitted(0))))
def test_differences_of_terms_are_the_differences_of_scores(which: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is taken for a far one: the answers must be those of the sums."""
    classifier, rows = _fitted(7)[which]
    wanted, joint = classifier.predict_log_proba(rows), classifier.predict_joint_log_proba(rows)
    monkeypatch.setattr(GaussianScores, "far", 0.0)
    monkeypatch.setattr(LinearScores, "far", 0.0)
    calls: list[int] = []
    kept = Scores.relative

    def counted(self: Scores, *given: Any) -> Any:
        out = kept(self, *given)
        calls.append(int((out.max(axis=1) == 0).sum()))
        return out

    monkeypatch.setattr(Scores, "relative", counted)
    np.testing.assert_allclose(classifier.predict_log_proba(rows), wanted, rtol=1e-11, atol=1e-12)
    assert sum(calls) == 60  # each was done again: its best class has 0
    np.testing.assert_array_equal(classifier.predict_joint_log_proba(rows), joint)


def test_a_row_impossible_everywhere_still_gets_the_prior() -> None:
    point = GaussianNB(var_smoothing=0.0).fit([[1.0], [1.0], [2.0], [2.0], [2.0]], [0, 0, 1, 1, 1])
    np.testing.assert_allclose(point.predict_proba([[1e300]]), [[0.4, 0.6]])
    model = CategoricalNB(alpha=0.0, force_alpha=True).fit([[0, 1], [1, 0], [1, 0]], [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[0, 0]]), [[1 / 3, 2 / 3]])


def test_an_explanation_of_a_far_row_has_numbers() -> None:
    classifier = GaussianNB().fit(FEVER, ILL)
    why = classifier.explain([37.0, 1e12])
    assert why.probabilities[1] == pytest.approx(classifier.predict_proba([[37.0, 0.0]])[0, 1], rel=1e-9)
    assert [part.value for part in why.contributions if part.feature.startswith("x1")] in ([], [0.0])
    assert all(np.isfinite(part.value) for part in why.contributions)


def test_rows_are_answered_in_chunks_of_rows_times_classes() -> None:
    documents = [f"w{number}" for number in range(3000)]
    model = Model().learned(documents, documents)
    sizes: list[int] = []

    class Watched(Answers):
        def _relative(self, rows: Any, out: Any = None) -> Any:
            sizes.append(len(rows) * len(self.classes))
            return super()._relative(rows, out)

    watched = Watched(model.counter, model.answers.scores, 1)
    assert len(watched.predict(["w1"] * 3000)) == 3000
    assert sum(sizes) == 3000 * 3000
    assert max(sizes) <= CHUNK


def test_the_widest_variances_of_float64_still_answer() -> None:
    labels, _ = Labels.of(["a", "b"])
    tally = MomentTally(labels, [2, 2], [[2], [2]], [[0.0], [1e153]], [[1e308], [1e306]])
    proba = Model(NumberCounter(), GaussianReading(), tally).predict_proba([[0.0], [1e154], [1e308]])
    assert np.isfinite(proba).all()
    assert proba.argmax(axis=1).tolist() == [1, 0, 0]
