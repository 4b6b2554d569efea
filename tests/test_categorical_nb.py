"""CategoricalNB: the named cases, systems C and E, codes and values, gaps, and agreement with scikit-learn."""

from __future__ import annotations

import csv
import datetime
import gzip
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import naive_bayes as theirs
from sklearn.model_selection import StratifiedKFold

from tallybayes import CategoricalNB, ForgetError, InputError, InputTypeError, ParameterError, SpaceError
from tallybayes.tally.values import decode_value, encode_value

NAN = float("nan")

FRUIT = [
    ("圆", "红色", "中", "不甜", "苹果"), ("圆", "绿色", "中", "不甜", "苹果"), ("椭圆", "绿色", "小", "甜", "葡萄"),
    ("椭圆", "绿色", "小", "甜", "葡萄"), ("圆", "红色", "中", "不甜", "葡萄"), ("圆", "绿色", "大", "甜", "西瓜"),
    ("圆", "红色", "小", "甜", "葡萄"), ("圆", "红色", "中", "甜", "苹果"), ("椭圆", "绿色", "中", "甜", "西瓜"),
    ("椭圆", "绿色", "中", "不甜", "西瓜"),
]  # fmt: skip
FRUIT_ROWS, FRUIT_LABELS = [row[:4] for row in FRUIT], [row[4] for row in FRUIT]
FRUIT_QUERY = [("圆", "绿色", "中", "甜")]


def close(actual: Any, expected: Any, tolerance: float = 1e-9) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert (np.abs(actual - expected) <= tolerance * np.maximum(1, np.abs(expected))).all(), (actual, expected)


# Systems C and E, and the weather


@pytest.mark.parametrize(
    ("parameters", "joint", "posterior"),
    [
        ({"alpha": 0}, ["1/30", "3/160", "2/45"], 0.46043165),
        ({"alpha": 1, "prior_alpha": 1}, ["128/4875", "5/273", "48/1625"], 0.39857651),
        ({"alpha": 1}, ["16/625", "2/105", "18/625"], 0.39211618),
    ],
)
def test_systems_c_and_e_the_fruit_table(parameters: dict[str, Any], joint: list[str], posterior: float) -> None:
    model = CategoricalNB(**parameters).fit(FRUIT_ROWS, FRUIT_LABELS)
    assert model.classes_.tolist() == ["苹果", "葡萄", "西瓜"]
    expected = [float(Fraction(each)) for each in joint]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(FRUIT_QUERY)[0]), expected, rtol=1e-12)
    assert model.predict(FRUIT_QUERY).tolist() == ["西瓜"]
    assert model.predict_proba(FRUIT_QUERY)[0, 2] == pytest.approx(posterior, abs=5e-9)


def test_system_e_unsmoothed_a_value_never_seen_with_a_class_is_impossible() -> None:
    model = CategoricalNB(alpha=0).fit(FRUIT_ROWS, FRUIT_LABELS)
    probability = model.predict_proba([("圆", "绿色", "大", "不甜")])
    assert probability.tolist() == [[0, 0, 1]]
    nowhere = model.predict_proba([("方", "绿色", "大", "不甜")])  # a value that no class ever had: the prior
    np.testing.assert_allclose(nowhere, [[0.3, 0.4, 0.3]], rtol=1e-12)


def test_system_e_an_unseen_value_weighs_lambda_over_the_values_of_its_column() -> None:
    model = CategoricalNB(alpha=2).fit(FRUIT_ROWS, FRUIT_LABELS)
    joint = np.exp(model.predict_joint_log_proba([("方", "红色", "中", "甜")])[0])
    apple = (
        Fraction(3, 10) * Fraction(2, 3 + 4) * Fraction(2 + 2, 3 + 4) * Fraction(3 + 2, 3 + 6) * Fraction(1 + 2, 3 + 4)
    )
    assert joint[0] == pytest.approx(float(apple), rel=1e-12)


def test_system_e_any_values_side_by_side() -> None:
    day = datetime.date(2024, 2, 29)
    rows = [(1, "1", 1.0, True, day, b"x"), (2, "2", 2.5, False, day, b"y"), (-1, "1", 1.0, True, day, b"x")]
    model = CategoricalNB(domain="values").fit(rows, ["a", "b", "a"])
    assert model.n_categories_.tolist() == [3, 2, 2, 2, 1, 2]
    assert model.categories_[0].tolist() == [-1, 1, 2]
    assert model.predict(rows).tolist() == ["a", "b", "a"]
    one = CategoricalNB(alpha=0, domain="values").fit([(1,), ("1",), (b"1",)], [0, 1, 2])
    assert one.predict([(1,), ("1",), (b"1",)]).tolist() == [0, 1, 2]  # told apart, as their types are


def test_weather_table_without_smoothing() -> None:
    outlook = [
        "sunny",
        "sunny",
        "overcast",
        "rainy",
        "rainy",
        "rainy",
        "overcast",
        "sunny",
        "sunny",
        "rainy",
        "sunny",
        "overcast",
        "overcast",
        "rainy",
    ]
    temperature = [
        "hot",
        "hot",
        "hot",
        "mild",
        "cool",
        "cool",
        "cool",
        "mild",
        "cool",
        "mild",
        "mild",
        "mild",
        "hot",
        "mild",
    ]
    humidity = [
        "high",
        "high",
        "high",
        "high",
        "normal",
        "normal",
        "normal",
        "high",
        "normal",
        "normal",
        "normal",
        "high",
        "normal",
        "high",
    ]
    windy = [
        "false",
        "true",
        "false",
        "false",
        "false",
        "true",
        "true",
        "false",
        "false",
        "false",
        "true",
        "true",
        "false",
        "true",
    ]
    play = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]
    model = CategoricalNB(alpha=0).fit(list(zip(outlook, temperature, humidity, windy, strict=True)), play)
    query = [("sunny", "cool", "high", "true")]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(query)[0]), [18 / 875, 1 / 189], rtol=1e-12)
    assert model.predict_proba(query)[0, 1] == pytest.approx(0.20458265, abs=5e-9)


# Named cases


def test_cat_1_a_category_never_seen() -> None:
    X, y, row = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]], [0, 0, 1, 1, 1], [[3, 0]]
    np.testing.assert_allclose(CategoricalNB().fit(X, y).predict_proba(row), [[3 / 4, 1 / 4]], rtol=1e-12)
    np.testing.assert_allclose(
        CategoricalNB(unseen="ignore").fit(X, y).predict_proba(row), [[5 / 7, 2 / 7]], rtol=1e-12
    )
    with pytest.raises(InputError, match="category 3 at row 0, column 0"):
        CategoricalNB(unseen="error").fit(X, y).predict(row)
    named = CategoricalNB(unseen="error").fit([("a", "x"), ("b", "y")], y[1:3])
    with pytest.raises(InputError, match="category 'c' at row 1, column 0"):
        named.predict([("a", "x"), ("c", "x")])


def test_cat_2_fractions_are_refused() -> None:
    with pytest.raises(InputError, match=r"whole number: 0.2 at row 0, column 0"):
        CategoricalNB().fit([[0.2], [1.9]], [0, 1])
    with pytest.raises(InputError, match=r"whole number: 1.7"):
        CategoricalNB().fit([[0.0], [1.0]], [0, 1]).predict([[1.7]])


@pytest.mark.parametrize(("code", "words"), [(-1, "Negative"), (NAN, "NaN"), (np.inf, "infinity"), (1e30, "too large")])
def test_cat_2_what_is_no_code_is_refused(code: float, words: str) -> None:
    model = CategoricalNB().fit([[0], [1]], [0, 1])
    for refuse in (model.predict, lambda X: CategoricalNB().fit(X, [0, 1, 0])):
        with pytest.raises(InputError, match=f"{words}.*row 2, column 0"):
            refuse([[0], [1], [code]])


def test_cat_2_monster_codes_cost_what_is_there() -> None:
    model = CategoricalNB().fit([[10_000_000, 0], [20_000_000, 1]], [0, 1])
    assert len(model.tally_.features) == 4
    assert model.n_categories_.tolist() == [20_000_001, 2]
    assert model.predict([[10_000_000, 0], [20_000_000, 1]]).tolist() == [0, 1]
    # A code in range that was never seen has no count, like one beyond it.
    joint = model.predict_joint_log_proba([[5, 0], [30_000_000, 0]])
    expected = np.log(0.5) + np.log(1 / 20_000_002) + np.log(np.array([2, 1]) / 3)
    close(joint, [expected, expected])
    strict = CategoricalNB(unseen="error").fit([[10_000_000, 0], [20_000_000, 1]], [0, 1])
    strict.predict([[5, 0]])
    with pytest.raises(InputError, match="category 30000000 at row 0, column 0"):
        strict.predict([[30_000_000, 0]])


def test_inc_1_a_misspelt_label_changes_nothing() -> None:
    model = CategoricalNB().partial_fit([[0], [1]], [0, 1], classes=[0, 1])
    tally = model.tally_
    with pytest.raises(InputError, match="unknown label 7 at row 1; the known classes are 0 and 1"):
        model.partial_fit([[1], [1]], [0, 7])
    assert model.tally_ is tally


def test_wgt_2_a_class_of_no_weight_has_probability_zero() -> None:
    model = CategoricalNB().fit([[0], [1], [2]], [0, 1, 2], sample_weight=[1, 1, 0])
    assert model.predict_proba([[2], [0]])[:, 2].tolist() == [0, 0]


def test_api_1_a_failed_fit_changes_nothing() -> None:
    model = CategoricalNB().fit([("a",), ("b",)], ["x", "y"])
    for rows in ([("a",), ("b", "c")], [(None,)], [({},)], ["ab"]):
        with pytest.raises((ValueError, TypeError)):
            model.fit(rows, ["z"] * len(rows))
    assert model.predict([("b",)]).tolist() == ["y"]


# Raw values from every container


def test_rows_come_from_lists_arrays_and_frames() -> None:
    columns = ["shape", "colour", "size", "taste"]
    frame = pd.DataFrame(FRUIT_ROWS, columns=columns)
    forms = [
        FRUIT_ROWS, [list(row) for row in FRUIT_ROWS], np.array(FRUIT_ROWS), np.array(FRUIT_ROWS, object), frame,
        frame.astype("category"), pl.DataFrame(frame), pl.DataFrame(frame).to_arrow(),
    ]  # fmt: skip
    models = [CategoricalNB().fit(X, FRUIT_LABELS) for X in forms]
    assert len({model.tally_.digest() for model in models[:4]}) == 1
    assert len({model.tally_.digest() for model in models[4:]}) == 1  # these know the names of the columns
    for model, X in zip(models, forms, strict=True):
        close(model.predict_joint_log_proba(X), models[0].predict_joint_log_proba(FRUIT_ROWS))
    assert models[4].feature_names_in_.tolist() == columns
    with pytest.raises(ValueError, match="feature names"):
        models[4].predict(frame[columns[::-1]])


def test_numbers_are_codes_wherever_they_come_from() -> None:
    X, y = [[0, 3], [1, 2], [1, 0]], [0, 1, 1]
    forms = [
        X, np.array(X), np.array(X, np.int8), np.array(X, np.uint64), np.array(X, float), np.array(X, object),
        np.asfortranarray(X), np.array(X, ">i4"), pd.DataFrame(X).rename(columns=str), pl.DataFrame(X, orient="row"),
    ]  # fmt: skip
    joint = [CategoricalNB().fit(form, y).predict_joint_log_proba(form) for form in forms]
    assert all((each == joint[0]).all() for each in joint)
    assert CategoricalNB().fit(np.array([[True], [False]]), [0, 1]).n_categories_.tolist() == [2]


def test_what_is_no_row_or_no_value_is_refused_by_place() -> None:
    with pytest.raises(InputTypeError, match="row 0 is str"):
        CategoricalNB(domain="values").fit(["abc", "abd"], [0, 1])
    with pytest.raises(InputError, match="row 1 has 1 values, expected 2"):
        CategoricalNB().fit([("a", "b"), ("a",)], [0, 1])
    with pytest.raises(InputTypeError, match="row 1, column 0"):
        CategoricalNB().fit([("a",), ({"b": 1},)], [0, 1])
    with pytest.raises(InputError, match="half a surrogate"):
        CategoricalNB().fit([("a\ud800",), ("b",)], [0, 1])


# Gaps


@pytest.mark.parametrize("gap", [None, NAN, pd.NA])
def test_gaps_are_left_out_of_both_sides(gap: Any) -> None:
    rows = [("a", "x"), ("a", gap), ("b", "y"), (gap, "y"), ("b", "x")]
    model = CategoricalNB(missing="skip").fit(rows, [0, 0, 1, 1, 1])
    assert [table.tolist() for table in model.category_count_] == [[[2, 0], [0, 2]], [[1, 0], [1, 2]]]
    joint = np.exp(model.predict_joint_log_proba([("a", gap), (gap, gap)]))
    np.testing.assert_allclose(joint, [[2 / 5 * 3 / 4, 3 / 5 * 1 / 4], [2 / 5, 3 / 5]], rtol=1e-12)
    with pytest.raises(InputError, match="column 1 at row 1"):
        CategoricalNB().fit(rows[:2], [0, 1])


def test_gaps_in_codes_are_nan_and_mean_the_same() -> None:
    rows = np.array([[0, 0], [0, NAN], [1, 1], [NAN, 1], [1, 0]])
    model = CategoricalNB(missing="skip").fit(rows, [0, 0, 1, 1, 1])
    joint = np.exp(model.predict_joint_log_proba([[0, NAN], [NAN, NAN]]))
    np.testing.assert_allclose(joint, [[2 / 5 * 3 / 4, 3 / 5 * 1 / 4], [2 / 5, 3 / 5]], rtol=1e-12)
    with pytest.raises(InputError, match="Negative"):
        model.predict([[-1, 0]])


# Laws


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    return rng.integers(0, rng.integers(1, 9, d), (n, d)), rng.integers(0, 3, n), rng.permutation(n)


@given(tables(), st.booleans())
def test_any_cutting_in_any_order_has_the_digest_of_one_fit(table: Any, raw: bool) -> None:
    X, y, order = table
    rows: Any = [tuple(f"v{code}" for code in row) for row in X] if raw else X
    take = (lambda part: [rows[i] for i in part]) if raw else (lambda part: rows[part])
    whole = CategoricalNB().fit(rows, y)
    cut = CategoricalNB()
    for part in np.array_split(order, min(len(order), 3)):
        cut.partial_fit(take(part), y[part], classes=[0, 1, 2])
    assert cut.tally_.digest() == whole.tally_.digest()
    merged = CategoricalNB().fit(take(order[:1]), y[order[:1]]) + CategoricalNB().fit(take(order[1:]), y[order[1:]])
    assert merged.tally_.digest() == whole.tally_.digest()
    forgot = merged.forget(take(order[:1]), y[order[:1]])
    assert forgot.tally_.digest() == CategoricalNB().fit(take(order[1:]), y[order[1:]]).tally_.digest()


def test_more_cannot_be_forgotten_than_was_learnt() -> None:
    model = CategoricalNB().fit([[0], [1]], [0, 1])
    tally = model.tally_
    with pytest.raises(ForgetError):
        model.forget([[1]], [0])
    assert model.tally_ is tally


def test_codes_and_values_do_not_merge() -> None:
    with pytest.raises(SpaceError, match="domain"):
        CategoricalNB().fit([[0], [1]], [0, 1]) + CategoricalNB().fit([("a",), ("b",)], [0, 1])


def test_rereading_needs_no_data() -> None:
    model = CategoricalNB(alpha=0).fit(FRUIT_ROWS, FRUIT_LABELS)
    again = CategoricalNB(alpha=1, prior_alpha=1).fit(FRUIT_ROWS, FRUIT_LABELS)
    close(
        model.reread(alpha=1, prior_alpha=1).predict_joint_log_proba(FRUIT_ROWS),
        again.predict_joint_log_proba(FRUIT_ROWS),
    )
    assert CategoricalNB.from_tally(model.tally_).n_features_in_ == 4


values = st.one_of(
    st.text(), st.integers(), st.floats(allow_nan=False), st.booleans(), st.binary(), st.dates()
)  # fmt: skip


@given(st.integers(0, 9_999_999), values)
def test_names_of_values_read_back(column: int, value: Any) -> None:
    feature = encode_value(column, value)
    back = decode_value(feature)
    assert back == (column, value)
    assert type(back[1]) is type(value)


@given(st.one_of(st.tuples(st.integers(), st.integers()),
                 st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)),
                 st.tuples(st.text(), st.text()), st.tuples(st.dates(), st.dates())))  # fmt: skip
def test_names_of_values_ascend_as_the_values_do(pair: tuple[Any, Any]) -> None:
    names = [encode_value(3, value).encode() for value in pair]
    assert (names[0] < names[1]) == (pair[0] < pair[1])
    assert encode_value(2, pair[0]).encode() < names[1]


@pytest.mark.parametrize("seed", range(200))
def test_the_joint_scores_are_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.integers(5, 80)), int(rng.integers(1, 10)), int(rng.integers(1, 5))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n)])
    sizes = rng.integers(1, 8, d)
    X = np.concatenate([[sizes - 1], rng.integers(0, sizes, (len(y) - 1, d))])
    parameters: dict[str, Any] = {"alpha": float(rng.choice([1e-10, 0.1, 1, 3]))}
    if rng.random() < 0.3:
        parameters["class_prior"] = rng.dirichlet(np.ones(n_classes))
    elif rng.random() < 0.3:
        parameters["fit_prior"] = False
    if rng.random() < 0.4:
        parameters["min_categories"] = rng.integers(1, 10, d).tolist() if rng.random() < 0.5 else 9
    weights = rng.random(len(y)) + 0.01 if rng.random() < 0.4 else None
    ours, other = CategoricalNB(**parameters), theirs.CategoricalNB(**parameters)
    for model in (ours, other):
        if seed % 3 == 0:
            for part in (slice(0, n // 2 + 1), slice(n // 2 + 1, None)):
                weight = None if weights is None else weights[part]
                model.partial_fit(X[part], y[part], classes=range(n_classes), sample_weight=weight)
        else:
            model.fit(X, y, sample_weight=weights)
    asked = rng.integers(0, sizes, (30, d))
    joint = other.predict_joint_log_proba(asked)
    close(ours.predict_joint_log_proba(asked), joint)
    clear = (joint > joint.max(axis=1, keepdims=True) - 1e-9).sum(axis=1) == 1  # else rounding decides
    assert (ours.predict(asked) == other.predict(asked))[clear].all()
    close(ours.class_log_prior_, other.class_log_prior_)
    for mine, their in zip(ours.category_count_, other.category_count_, strict=True):
        close(mine, their)
    for mine, their in zip(ours.feature_log_prob_, other.feature_log_prob_, strict=True):
        close(mine, their)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"alpha": -1}, "greater than 0"), ({"alpha": NAN}, "alpha"), ({"alpha": [1, 2]}, "one number"),
        ({"domain": "text"}, "domain"), ({"unseen": "drop"}, "unseen"), ({"missing": "drop"}, "missing"),
        ({"min_categories": 0.5}, "integral"), ({"min_categories": 0}, "at least 1"),
        ({"min_categories": [2, 2]}, "should have shape"), ({"fit_prior": 2}, "fit_prior"),
        ({"prior": "uniform", "fit_prior": False}, "both"), ({"class_prior": [0.9, 0.9]}, "sum of the priors"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused_in_fit(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        CategoricalNB(**wrong).fit([[0], [1]], [0, 1])


# Real tables


def table(path: Path, label: int) -> tuple[list[tuple[str | None, ...]], list[str]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    features = [
        tuple(None if cell == "?" else cell for i, cell in enumerate(row) if i != label % len(row)) for row in rows
    ]
    return features, [row[label] for row in rows]


def found(folder: Path) -> Path:
    return next(path for path in sorted(folder.iterdir()) if path.suffix in (".data", ".csv", ".gz", ".txt"))


@pytest.mark.parametrize(("alpha", "counts"), [(0, [238, 13, 29, 155]), (3, [237, 12, 30, 156])])
def test_house_votes_by_e1071s_protocol(shared: Path, alpha: float, counts: list[int]) -> None:
    X, y = table(found(shared / "data" / "house-votes"), 0)
    answers = CategoricalNB(alpha=alpha, missing="skip").fit(X, y).predict(X)
    pairs = list(zip(answers.tolist(), y, strict=True))
    wanted = [(p, t) for p in ("democrat", "republican") for t in ("democrat", "republican")]
    assert [pairs.count(pair) for pair in wanted] == counts


def folds(X: Any, y: Any, alpha: Any, seeds: range) -> float:
    """Mean accuracy of stratified, shuffled 10-fold validation; `alpha` may choose by the training part."""
    y, right = np.array(y), []
    for seed in seeds:
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(np.zeros(len(y)), y):
            part = [X[i] for i in train]
            model = CategoricalNB(missing="skip").fit(part, y[train])
            chosen = alpha(model, part, y[train]) if callable(alpha) else alpha
            right.append((model.reread(alpha=chosen).predict([X[i] for i in test]) == y[test]).sum())
    return float(sum(right)) / len(y) / len(seeds)


def by_halves(model: CategoricalNB, X: Any, y: Any) -> float:
    """Choose alpha on the training part: learn one half, ask the other, both ways."""

    def score(alpha: float) -> int:
        total = 0
        for half in (0, 1):
            taken = [row for i, row in enumerate(X) if i % 2 == half]
            rest = [row for i, row in enumerate(X) if i % 2 != half]
            small = CategoricalNB(missing="skip", alpha=alpha).fit(taken, y[half::2])
            total += int((small.predict(rest) == y[1 - half :: 2]).sum())
        return total

    return max((10.0**k for k in range(0, -7, -1)), key=score)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "label", "alpha", "reach", "seeds"),
    [
        ("house-votes", 0, 1.0, 0.900, range(10)),
        ("car", -1, 1.0, 0.853, range(10)),
        ("mushroom", 0, 1.0, 0.955, range(2)),
        ("mushroom", 0, by_halves, 0.993, range(1)),
    ],
)
def test_tables_by_tenfold_validation(
    shared: Path, name: str, label: int, alpha: Any, reach: float, seeds: range
) -> None:
    X, y = table(found(shared / "data" / name), label)
    assert folds(X, y, alpha, seeds) >= reach
