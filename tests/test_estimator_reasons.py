"""explain, derive, save and load of the five estimators."""

from __future__ import annotations

import json
import math
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tallybayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    InputError,
    InputTypeError,
    Model,
    ModelFileError,
    MultinomialNB,
    ParameterError,
    SpaceError,
    TextClassifier,
    load,
)
from tallybayes.store import read_blocks, write_blocks

from .test_categorical_nb import FRUIT_LABELS, FRUIT_QUERY, FRUIT_ROWS
from .test_count_nb import CHINA, CHINA_CLASSES, CHINA_QUERY, CLASSES, SAMPLES
from .test_explain import assert_sums_up, parts_of

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
    assert explanation.log_odds == joint[1] - joint[2]
    assert_sums_up(explanation, joint[1:3].tolist())
    assert explanation.answer == fitted.predict(rows)[0]
    swapped = fitted.explain(rows[0], of=2, against=1)
    assert parts_of(swapped) == [-part for part in parts_of(explanation)]
    assert swapped.log_odds == -explanation.log_odds


@pytest.mark.parametrize(
    "model",
    [
        MultinomialNB(alpha=0), ComplementNB(alpha=0), BernoulliNB(alpha=0), CategoricalNB(alpha=0),
        GaussianNB(var_smoothing=0), MultinomialNB(alpha=[0, 0, 1], prior={"a": 0.5, "b": 0.0, "c": 0.5}),
    ],
    ids=str,
)  # fmt: skip
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6), st.data())
@pytest.mark.filterwarnings("ignore:alpha")
def test_what_is_impossible_is_infinite_and_never_nan(model: Any, rows: list[Any], data: Any) -> None:
    X, y = [*rows, (1, 0, 2), (0, 1, 1), (2, 2, 0)], [*"abcabc"[: len(rows)], "a", "b", "c"]
    fitted = type(model)(**model.get_params()).fit(X, y)
    row = data.draw(st.tuples(*[st.integers(0, 3)] * 3))
    joint = dict(zip(fitted.classes_, fitted.predict_joint_log_proba([row])[0].tolist(), strict=True))
    explanation = fitted.explain(row)
    assert explanation.answer == fitted.predict([row])[0]
    of, against = joint[explanation.of], joint[explanation.against]
    assert "nan" not in str(explanation)
    assert "nan" not in str(fitted.derive(row))
    if math.isfinite(of) and math.isfinite(against):
        assert_sums_up(explanation, [of, against])
    elif of != against:
        assert explanation.log_odds == of - against
        infinite = {part for part in parts_of(explanation) if math.isinf(part)}
        assert of - against in infinite
    else:
        assert explanation.note
    derived = [joint.log for joint in fitted.derive(row).joint]
    if not isinstance(model, ComplementNB):
        assert derived == pytest.approx(list(joint.values()), rel=1e-9, abs=1e-9)


def test_explain_1_evidence_of_a_column_is_the_log_odds_of_each_occurrence() -> None:
    model = MultinomialNB().fit([[3, 0, 2], [1, 4, 2]], ["ham", "spam"])
    explanation = model.explain([1, 1, 1], of="spam", against="ham")
    evidence = {part.feature: part.value for part in explanation.contributions}
    expected = [math.log(2 / 5), math.log(4), math.log(4 / 5)]
    assert [evidence[f"column {j}"] for j in range(3)] == pytest.approx(expected, abs=1e-12)


def test_amounts_that_are_no_whole_numbers_are_shown_as_they_are() -> None:
    explanation = MultinomialNB().fit([[0.5, 0.1], [0.2, 0.9]], ["a", "b"]).explain([0.25, 3])
    assert {part.feature: part.count for part in explanation.contributions} == {"column 0": 0.25, "column 1": 3}
    assert explanation.document == "column 0 = 0.25, column 1 = 3"
    assert "0.25" in str(explanation)


def test_missing_values_have_no_part_and_unseen_ones_are_named() -> None:
    measured = GaussianNB(missing="skip").fit([[1.0, 5], [2, 6], [7, 5], [9, 8]], ["a", "a", "b", "b"])
    assert [part.feature for part in measured.explain([2.0, np.nan]).contributions] == ["column 0 = 2"]
    rows = [("red", "big"), ("green", "small")]
    ignoring = CategoricalNB(missing="skip", unseen="ignore", min_categories=9).fit(rows, ["a", "b"])
    explanation = ignoring.explain(["blue", None])
    assert [(part.feature, part.known, part.value) for part in explanation.contributions] == [
        ("column 0 = blue", False, 0.0)
    ]
    assert "never seen in training, ignored: column 0 = blue" in str(explanation)
    derivation = ignoring.derive(["blue", "big"])
    expected = ignoring.predict_joint_log_proba([["blue", "big"]])[0]
    assert [joint.log for joint in derivation.joint] == pytest.approx(expected, rel=1e-12)
    assert "Left out" in str(derivation)


def test_codes_never_seen_are_derived_as_they_are_scored() -> None:
    X, y = [[0, 5000], [1, 3], [1, 5000]], ["a", "b", "b"]
    for unseen in ("smooth", "ignore"):
        model = CategoricalNB(unseen=unseen).fit(X, y)
        for row in ([0, 3], [1, 17], [2, 5001], [1, 5000]):
            joint = model.predict_joint_log_proba([row])[0].tolist()
            assert [each.log for each in model.derive(row).joint] == pytest.approx(joint, rel=1e-12)
            assert_sums_up(model.explain(row, of="a", against="b"), joint)


def test_the_row_is_text_with_its_columns_marked() -> None:
    model = CategoricalNB().fit(pd.DataFrame({"形状": ["圆", "长"], "<b>": ["x", "y"]}), ["苹果", "香蕉"])
    explanation = model.explain(["圆", "y"])
    assert explanation.document == "形状 = 圆, <b> = y"
    for part in explanation.contributions:
        ((start, end),) = part.places
        assert explanation.document[start:end] == part.feature
    assert math.fsum(explanation.marks) == pytest.approx(math.fsum(part.value for part in explanation.contributions))
    page = explanation.to_html()
    assert page.count("<mark") >= 2
    assert "<b> =" not in page
    assert "What each column adds" in page
    assert json.loads(json.dumps(explanation.to_dict(), allow_nan=False))["contributions"][0]["known"] is True


def test_one_row_comes_in_any_form_and_by_name_where_it_has_names() -> None:
    frame = pd.DataFrame({"u": [1.0, 2, 3, 4], "v": [2.0, 3, 4, 9]})
    model = GaussianNB().fit(frame, [0, 0, 1, 1])
    expected = str(model.explain(frame.iloc[[2]]))
    assert "u = 3" in expected
    for row in (frame.iloc[2], [3, 4], (3, 4), np.array([3, 4]), [[3, 4]], sparse.csr_array([[3, 4]])):
        assert str(model.explain(row)) == expected
    with pytest.raises(ValueError, match="order"):
        model.explain(frame.iloc[2][["v", "u"]])
    for wrong in ("34", {"u": 3, "v": 4}, 3):
        with pytest.raises(InputTypeError, match="one row is a sequence of values"):
            model.derive(wrong)
    with pytest.raises(ValueError, match="3 features, but the model is expecting 2"):
        model.explain([1, 2, 3])


def test_values_beyond_the_range_of_squares_answer_without_nan() -> None:
    model = GaussianNB(var_smoothing=0).fit([[1.0, 2], [1, 3], [2, 5], [2, 7]], ["a", "a", "b", "b"])
    explanation = model.explain([1.0, 1e200])
    assert explanation.answer == "a"  # however far the other column is: only one class has been seen at 1
    assert explanation.probabilities == {"a": 1.0, "b": 0.0}
    assert model.explain([1.5, 1e200]).note.startswith("Every class is impossible")
    assert [joint.log for joint in model.derive([1.0, 4.0]).joint][1] == -math.inf
    assert "the mean is certain" in str(model.derive([1.0, 4.0]))


def test_a_derivation_of_many_columns_and_classes_lays_out_what_it_shows_only() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 50_000), density=1e-3, rng=rng, format="csr")
    X.data[:] = 1
    y = np.arange(400) % 200
    for model in (BernoulliNB(), MultinomialNB()):
        fitted = model.fit(X, y)
        tracemalloc.start()
        derivation = fitted.derive(X[[7]])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        joint = fitted.predict_joint_log_proba(X[[7]])[0]
        assert [each.log for each in derivation.joint] == pytest.approx(joint, rel=1e-12)
        assert peak < 50_000 * 200 * 8 / 2


def test_an_explanation_reads_as_text_and_names_the_columns() -> None:
    model = CategoricalNB().fit(FRUIT_ROWS, FRUIT_LABELS)
    explanation = model.explain(FRUIT_QUERY[0])
    assert explanation.of == "西瓜"
    assert "column 1 = 绿色" in str(explanation)
    assert "times" not in str(explanation) + explanation.to_html()  # a value is there once
    assert "times" in str(MultinomialNB().fit(SAMPLES, CLASSES).explain([17, 25, 39]))
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
    settled = {"domain": "codes"} if fitted.get_params().get("domain") == "auto" else {}
    assert loaded.get_params() == {**fitted.get_params(), **settled}
    loaded.save(path)
    assert path.read_bytes() == first
    lazily = type(model).load(path, verify="structure")
    assert (lazily.predict_joint_log_proba(X) == fitted.predict_joint_log_proba(X)).all()
    kind = f"a model of {fitted.model_.counter.kind} read as {fitted.model_.reading.event_model}"
    other = BernoulliNB if not isinstance(model, BernoulliNB) else GaussianNB
    for wrong in (other, TextClassifier):
        with pytest.raises(
            ModelFileError, match=rf"model\.tally: no {wrong.__name__}: {kind}; use it as it is, or from"
        ):
            wrong.load(path)
    for plain in (load(path), Model.load(path)):
        assert (plain.predict_joint_log_proba(X) == fitted.predict_joint_log_proba(X)).all()
        assert type(model).from_model(plain).get_params() == loaded.get_params()
    loaded.partial_fit(X, y).forget(X, y)
    np.testing.assert_allclose(loaded.predict_proba(X), fitted.predict_proba(X), rtol=1e-9)


def test_what_is_saved_are_the_parameters_of_the_fit(tmp_path: Path) -> None:
    prior = {"ham": 0.25, "spam": 0.75}
    model = MultinomialNB(alpha=np.array([0.5, 2]), class_prior=prior).fit([[3, 0], [0, 2]], ["ham", "spam"])
    expected = model.predict_proba([[1, 1]])
    model.set_params(alpha=object())
    model.save(tmp_path / "m.tally")
    loaded = MultinomialNB.load(tmp_path / "m.tally")
    assert (loaded.alpha, loaded.prior) == ((0.5, 2), prior)
    assert (loaded.predict_proba([[1, 1]]) == expected).all()
    (tmp_path / "m.tally").write_bytes(b"no model")
    with pytest.raises(ModelFileError):
        MultinomialNB.load(tmp_path / "m.tally")


def test_a_model_of_text_is_refused_by_name(tmp_path: Path) -> None:
    TextClassifier().fit(["a b", "c d"], [0, 1]).save(tmp_path / "m.tally")
    with pytest.raises(ModelFileError, match=r"m\.tally: no GaussianNB: a model of text read as complement;"):
        GaussianNB.load(tmp_path / "m.tally")


@pytest.mark.parametrize(
    "forged",
    [
        {"reading": {}},
        {"reading": [1]},
        {"reading": {"event_model": "multinomial"}},
        {"reading": {"event_model": ["gaussian"]}},
        {"reading": {"event_model": "gaussian", "nope": 1}},
        {"reading": {"event_model": "gaussian", "ddof": 7}},
        {"reading": {"event_model": "gaussian", "prior": [1.0]}},
        {"reading": {"event_model": "gaussian", "prior": {"labels": 3}}},
        {"reading": {"event_model": "gaussian", "prior": {"other": []}}},
        {"counter": {}},
        {"counter": [1]},
        {"counter": {"kind": 3}},
        {"counter": {"kind": "counts"}},
        {"counter": {"kind": "numbers"}},
        {"counter": {"kind": "numbers", "missing": "all", "columns": None, "n_columns": 2}},
        {"counter": {"kind": "numbers", "missing": "skip", "columns": None, "n_columns": 3}},
        {"counter": {"kind": "numbers", "missing": "skip", "columns": None, "n_columns": "two"}},
        {"counter": {"kind": "numbers", "missing": "skip", "columns": ["a"], "n_columns": 2}},
        {"counter": {"kind": "numbers", "missing": "skip", "columns": [1, 2], "n_columns": 2}},
        {"tally": []},
        {"tally": {"type": "count"}},
        {"tally": {"type": "moments"}},
    ],
    ids=str,
)
def test_a_file_that_says_what_cannot_be_is_refused_in_one_sentence(forged: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "m.tally"
    GaussianNB().fit([[1.0, 2], [2, 4]], ["a", "b"]).save(path)
    blocks = read_blocks(path)
    write_blocks(path, {name: blocks[name] for name in blocks}, {**blocks.content, **forged})
    for read in (load, GaussianNB.load, MultinomialNB.load):
        with pytest.raises(ModelFileError, match=r"^[^\n]+$"):
            read(path)


def test_a_tally_of_another_type_is_refused() -> None:
    moments = GaussianNB().fit([[1.0], [2.0]], [0, 1]).tally_
    counts = MultinomialNB().fit([[1], [2]], [0, 1]).tally_
    for model, tally, words in (
        (MultinomialNB, moments, "different types: count against moments"),
        (CategoricalNB, moments, "different types: count against moments"),
        (CategoricalNB, counts, "different feature spaces: kind: 'values' against 'columns'"),
        (GaussianNB, counts, "different types: moments against count"),
    ):
        with pytest.raises(SpaceError, match=words):
            model.from_tally(tally)
