"""A new event model is one class: here a negative binomial, of which nothing but this file knows."""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import sparse

from tallybayes import Model, MultinomialReading, ParameterError, Reading, TextClassifier, TextCounter, load
from tallybayes.counters import CountCounter
from tallybayes.readings.linear import LinearReading, LinearTable

from . import test_contract
from .test_contract import COUNTS, DOCUMENTS, LABELS, WORDS, column_model, kind_of_columns, kind_of_text, text_model

NAME = "negative binomial"


# While the class is defined, and while a test runs, the event models that are known are others than for other tests.
KNOWN, Reading.event_models = Reading.event_models, copy.deepcopy(Reading.event_models)


@dataclass(frozen=True, kw_only=True)
class NegativeBinomialReading(LinearReading):
    """Of the count x of a feature, P(x) ∝ p^x (1 - p)^r, where p / (1 - p) = m / r.

    m is the mean of the class's rows, smoothed by alpha.
    """

    r: float = 2.0

    event_model = NAME

    def _table(self, tally: Any, cells: Any, alpha: Any) -> LinearTable:
        rows = np.asarray(tally.class_count, np.float64)
        none, some = alpha / (rows + alpha), (cells + alpha) / (rows + alpha)[tally.class_index]
        each, absent = np.log(none / (none + self.r)), self.r * np.log(self.r / (none + self.r))
        delta = np.log(some / (some + self.r)) - each[tally.class_index]
        present = self.r * np.log(self.r / (some + self.r)) - absent[tally.class_index]
        base = len(tally.features) * absent + np.bincount(tally.class_index, present, len(rows))
        return LinearTable.over(tally, base=base, each=each, delta=delta)


KNOWN_HERE, Reading.event_models = Reading.event_models, KNOWN


@pytest.fixture(autouse=True)
def _known_while_a_test_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    assert NAME not in Reading.event_models
    with monkeypatch.context() as patch:
        patch.setattr(Reading, "event_models", KNOWN_HERE)
        yield
    assert NAME not in Reading.event_models


def oracle(rows: Any, labels: list[str], asked: Any, alpha: float, r: float) -> list[list[float]]:
    """The joint log scores, one factor after another, in fifty digits."""
    joint = []
    with mpmath.workdps(50):
        for row in asked:
            joint.append([])
            for c in sorted(set(labels)):
                mine = [x for x, label in zip(rows, labels, strict=True) if label == c]
                score = mpmath.log(mpmath.mpf(len(mine)) / len(rows))
                for j, x in enumerate(row):
                    mean = (sum(each[j] for each in mine) + mpmath.mpf(alpha)) / (len(mine) + mpmath.mpf(alpha))
                    p = mean / (mean + r)
                    score += int(x) * mpmath.log(p) + r * mpmath.log(1 - p)
                joint[-1].append(float(score))
    return joint


def bags(documents: list[str], vocabulary: list[str]) -> list[list[int]]:
    return [[WORDS.features(document).count(word) for word in vocabulary] for document in documents]


@pytest.mark.parametrize("alpha", [0.25, 1.0])
@pytest.mark.parametrize("r", [0.5, 2.0, 9.0])
def test_columns_score_as_the_oracle_says(alpha: float, r: float) -> None:
    rows = [[*row, 0] for row in COUNTS]  # a column that no row has is a feature all the same
    model = Model(CountCounter(), Reading.of(NAME, alpha=alpha, r=r)).learned(rows, LABELS)
    asked = [[0, 0, 0, 0, 0], [7, 0, 1, 30, 2], *rows]
    expected = oracle(rows, LABELS, asked, alpha, r)
    for X in (asked, np.array(asked, float), sparse.csr_array(asked)):
        np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-12)


@pytest.mark.parametrize("hash", [None, 2**16])
def test_documents_score_as_the_oracle_says(hash: Any) -> None:
    analyzer = WORDS if hash is None else type(WORDS)(ngrams=(1, 1), hash=hash)
    model = Model(TextCounter(analyzer), Reading.of(NAME, alpha=0.5)).learned(DOCUMENTS, LABELS)
    vocabulary = sorted({word for document in DOCUMENTS for word in WORDS.features(document)})
    asked = ["", "never seen", "tea tea tea cheap", *DOCUMENTS]
    expected = oracle(bags(DOCUMENTS, vocabulary), LABELS, bags(asked, vocabulary), 0.5, 2.0)
    np.testing.assert_allclose(model.predict_joint_log_proba(asked), expected, rtol=1e-12)


def kinds() -> list[test_contract.Kind]:
    made: Callable[[], Reading] = lambda: Reading.of(NAME)  # noqa: E731  # known only when a test runs
    others = column_model(CountCounter(("documents",)), Reading.of("bernoulli"))
    return [
        kind_of_text("text", lambda: text_model(made())(), text_model(MultinomialReading(), value="log"), derives=False),
        kind_of_columns(
            "counts", lambda: column_model(CountCounter(), made())(), COUNTS, [test_contract.NEGATIVE],
            {"channels": ("documents",)}, (others, COUNTS), derives=False,
        ),
    ]  # fmt: skip


def contracts(kind: test_contract.Kind) -> list[str]:
    """The names of the contracts that a model of this kind has to keep."""
    of_kind = [test_contract.every_kind] + [test_contract.every_column] * (kind.rows is not DOCUMENTS)
    wanted = [mark.mark for mark in of_kind]
    tests = [(name, test) for name, test in vars(test_contract).items() if name.startswith("test_")]
    return [name for name, test in tests if any(mark in wanted for mark in test.pytestmark)]


@pytest.mark.parametrize(("number", "name"), [(i, name) for i, kind in enumerate(kinds()) for name in contracts(kind)])
def test_it_keeps_every_contract_by_one_row_of_the_table(
    number: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test, given = getattr(test_contract, name), {"tmp_path": tmp_path, "monkeypatch": monkeypatch}
    wanted = {parameter: given[parameter] for parameter in inspect.signature(test).parameters if parameter in given}
    test(kind=kinds()[number], **wanted)


def test_a_model_may_be_read_so_and_back() -> None:
    model = Model(TextCounter(WORDS), MultinomialReading(alpha=0.5)).learned(DOCUMENTS, LABELS)
    reread = model.reread(event_model=NAME)
    fresh = Model(TextCounter(WORDS), Reading.of(NAME, alpha=0.5)).learned(DOCUMENTS, LABELS)
    np.testing.assert_array_equal(reread.predict_proba(DOCUMENTS), fresh.predict_proba(DOCUMENTS))
    back = reread.reread(event_model="multinomial")
    np.testing.assert_array_equal(back.predict_proba(DOCUMENTS), model.predict_proba(DOCUMENTS))
    assert reread.reread(r=8.0).reading.r == 8.0  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="no parameter 'r'"):
        model.reread(r=8.0)


@pytest.mark.parametrize("suffix", ["tally", "json"])
def test_its_parameters_are_in_the_file(tmp_path: Path, suffix: str) -> None:
    model = Model(CountCounter(), Reading.of(NAME, r=3.5, prior={"ham": 0.5, "spam": 0.25, "tea": 0.25}))
    model = model.learned(COUNTS, LABELS)
    model.save(tmp_path / f"m.{suffix}")
    loaded = load(tmp_path / f"m.{suffix}")
    assert type(loaded.reading) is NegativeBinomialReading
    assert loaded.reading == model.reading
    np.testing.assert_array_equal(loaded.predict_proba(COUNTS), model.predict_proba(COUNTS))


def test_what_is_absent_is_the_bias_of_an_explanation() -> None:
    model = Model(CountCounter(), Reading.of(NAME)).learned(COUNTS, LABELS)
    explanation = model.explain([0, 0, 0, 0], of="ham", against="tea")
    assert explanation.contributions == ()
    assert explanation.prior == pytest.approx(math.log(4 / 4), abs=1e-15)
    assert explanation.bias == pytest.approx(explanation.log_odds, rel=1e-12)
    assert explanation.bias != 0


def test_it_has_no_derivation_and_says_so() -> None:
    model = Model(CountCounter(), Reading.of(NAME)).learned(COUNTS, LABELS)
    with pytest.raises(ParameterError) as caught:
        model.derive(COUNTS[0])
    assert str(caught.value) == f"event_model='{NAME}' has no derivation; explain works for it"


def test_the_estimator_of_text_takes_it_by_name() -> None:
    classifier = TextClassifier(event_model=NAME, alpha=0.5, ngrams=(1, 1)).fit(DOCUMENTS, LABELS)
    model = Model(TextCounter(classifier.model_.counter.analyzer), Reading.of(NAME, alpha=0.5)).learned(
        DOCUMENTS, LABELS
    )
    np.testing.assert_array_equal(classifier.predict_proba(DOCUMENTS), model.predict_proba(DOCUMENTS))
    assert TextClassifier.from_model(model).event_model == NAME
