"""explain, derive, save and load of the five estimators."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from test_categorical_nb import FRUIT_LABELS, FRUIT_QUERY, FRUIT_ROWS
from test_count_nb import CHINA, CHINA_CLASSES, CHINA_QUERY, CLASSES, SAMPLES

from tallybayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    InputError,
    ModelFileError,
    MultinomialNB,
    ParameterError,
)

MODELS = [
    GaussianNB(), GaussianNB(missing="skip", var_smoothing=0.1), MultinomialNB(alpha=0.3), ComplementNB(),
    ComplementNB(norm=True, prior="documents"), BernoulliNB(binarize=1), CategoricalNB(), CategoricalNB(domain="values"),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(st.integers(0, 2**32))
def test_contributions_prior_and_bias_are_the_log_odds_of_predict(model: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (30, 5)), np.arange(30) % 3
    fitted = type(model)(**model.get_params()).fit(X.tolist(), y)
    row = X[[0]].astype(np.float64)
    if model.get_params().get("missing") == "skip":
        row[0, 2] = np.nan
    rows = X[[0]].tolist() if isinstance(model, CategoricalNB) else row
    joint = fitted.predict_joint_log_proba(rows)[0]
    explanation = fitted.explain(rows[0], of=1, against=2)
    values = [part.value for part in explanation.contributions]
    total = math.fsum([explanation.prior, explanation.bias, *values])
    size = math.fsum(map(abs, [explanation.prior, explanation.bias, *values])) + 1
    assert explanation.log_odds == joint[1] - joint[2]
    assert abs(total - explanation.log_odds) <= 1e-12 * size
    assert explanation.answer == fitted.predict(rows)[0]


def test_an_explanation_reads_as_text_and_names_the_columns() -> None:
    model = CategoricalNB().fit(FRUIT_ROWS, FRUIT_LABELS)
    explanation = model.explain(FRUIT_QUERY[0])
    assert explanation.of == "西瓜"
    assert "column 1 = 绿色" in str(explanation)
    with pytest.raises(InputError, match="one row"):
        model.explain(FRUIT_ROWS)
    with pytest.raises(ParameterError, match="two classes"):
        CategoricalNB().fit([("a",)], ["x"]).explain(("a",))


@pytest.mark.parametrize(
    ("model", "fractions"),
    [
        (MultinomialNB(), ["8/59049", "81/268912"]),
        (MultinomialNB(prior="words"), ["32/216513", "54/184877"]),
        (BernoulliNB(), ["16/729", "81/15625"]),
    ],
)
def test_derivations_print_the_fractions_of_system_d(model: Any, fractions: list[str]) -> None:
    derivation = model.fit(CHINA, CHINA_CLASSES).derive(CHINA_QUERY)
    assert [joint.fraction for joint in derivation.joint] == [Fraction(each) for each in fractions]
    sparse_row = model.derive(sparse.csr_array(CHINA_QUERY))
    assert [joint.fraction for joint in sparse_row.joint] == [Fraction(each) for each in fractions]
    for fraction in fractions:
        assert fraction in str(derivation)


@pytest.mark.parametrize("model", [ComplementNB(), ComplementNB(norm=True), MultinomialNB(alpha=[0.5, 1, 2])])
def test_derivations_of_scores_and_of_alpha_per_column_are_those_of_predict(model: Any) -> None:
    fitted = model.fit(SAMPLES, CLASSES)
    derivation = fitted.derive([17, 25, 39])
    assert derivation.answer == fitted.predict([[17, 25, 39]])[0]
    logs = np.array([joint.log for joint in derivation.joint])
    joint = fitted.predict_joint_log_proba([[17, 25, 39]])[0]
    np.testing.assert_allclose(logs - logs[0], joint - joint[0], rtol=1e-10)


@pytest.mark.parametrize(
    ("parameters", "fractions"),
    [
        ({"alpha": 0}, ["1/30", "3/160", "2/45"]),
        ({"alpha": 1, "prior_alpha": 1}, ["128/4875", "5/273", "48/1625"]),
        ({"alpha": 1}, ["16/625", "2/105", "18/625"]),
    ],
)
def test_derivations_print_the_fractions_of_systems_c_and_e(parameters: dict[str, Any], fractions: list[str]) -> None:
    derivation = CategoricalNB(**parameters).fit(FRUIT_ROWS, FRUIT_LABELS).derive(FRUIT_QUERY[0])
    assert [joint.fraction for joint in derivation.joint] == [Fraction(each) for each in fractions]
    for fraction in fractions:
        assert fraction in str(derivation)


def test_derivations_of_densities_and_gaps() -> None:
    model = GaussianNB(missing="skip").fit([[1.0, 5], [2, 6], [7, 5], [9, 8]], ["a", "a", "b", "b"])
    derivation = model.derive([2.0, np.nan])
    logs = [joint.log for joint in derivation.joint]
    np.testing.assert_allclose(logs, model.predict_joint_log_proba([[2.0, np.nan]])[0], rtol=1e-12)
    assert "column 1" in str(derivation)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_saved_estimator_answers_alike(model: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (30, 5)).tolist(), ["甲", "乙", "丙"] * 10
    fitted = type(model)(**model.get_params()).fit(X, y)
    path = tmp_path / "model.tally"
    fitted.save(path)
    first = path.read_bytes()
    loaded = type(model).load(path)
    assert (loaded.predict_joint_log_proba(X) == fitted.predict_joint_log_proba(X)).all()
    assert loaded.get_params() == fitted.get_params()
    loaded.save(path)
    assert path.read_bytes() == first
    with pytest.raises(ModelFileError, match=type(model).__name__):
        (BernoulliNB if not isinstance(model, BernoulliNB) else GaussianNB).load(path)
    loaded.partial_fit(X, y).forget(X, y)
    np.testing.assert_allclose(loaded.predict_proba(X), fitted.predict_proba(X), rtol=1e-9)


def test_what_is_saved_are_the_parameters_of_the_fit(tmp_path: Path) -> None:
    prior = {"ham": 0.25, "spam": 0.75}
    model = MultinomialNB(alpha=np.array([0.5, 2]), class_prior=prior).fit([[3, 0], [0, 2]], ["ham", "spam"])
    expected = model.predict_proba([[1, 1]])
    model.set_params(alpha=object())
    model.save(tmp_path / "m.tally")
    loaded = MultinomialNB.load(tmp_path / "m.tally")
    assert (loaded.alpha, loaded.class_prior) == ([0.5, 2], prior)
    assert (loaded.predict_proba([[1, 1]]) == expected).all()
    (tmp_path / "m.tally").write_bytes(b"no model")
    with pytest.raises(ModelFileError):
        MultinomialNB.load(tmp_path / "m.tally")
