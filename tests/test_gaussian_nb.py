"""GaussianNB: the named cases, the textbook numbers, streaming laws, and agreement with scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import naive_bayes as theirs
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from tallybayes import ForgetError, GaussianNB, InputError, ParameterError


def close(actual: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """1e-9 relative, absolute below 1."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert (np.abs(actual - expected) <= tolerance * np.maximum(1, np.abs(expected))).all(), (actual, expected)


# Named cases


def test_norm_2_many_columns_neither_underflow_nor_lose_their_sum() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 800)), np.arange(40) % 2
    log = GaussianNB().fit(X, y).predict_log_proba(X)
    assert np.isfinite(log).all()
    np.testing.assert_allclose(np.exp(log).sum(axis=1), 1, rtol=1e-12)
    tie = GaussianNB().fit([[0], [0], [4], [4]], [0, 0, 1, 1]).predict_proba([[2]])
    assert tie.tolist() == [[0.5, 0.5]]


def test_inc_2_a_class_without_data_is_never_predicted() -> None:
    for prior in ({"priors": [0.5, 0.5]}, {}, {"prior": "uniform"}):
        model = GaussianNB(**prior).partial_fit([[10], [12]], [0, 0], classes=[0, 1])
        assert model.predict_proba([[0], [11]]).tolist() == [[1, 0], [1, 0]]
        assert model.predict([[0], [11]]).tolist() == [0, 0]


def test_inc_3_streaming_one_row_at_a_time() -> None:
    model = GaussianNB()
    for x, label in ((1, 0), (3, 0), (10, 1)):
        model.partial_fit([[x]], [label], classes=[0, 1])
    assert model.predict_proba([[4]])[0].tolist() == pytest.approx([1, 0], abs=1e-12)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_inc_3_the_smoothing_is_that_of_all_rows(order: tuple[int, int]) -> None:
    batches = [([[0], [0.002], [1], [1.002]], [0, 0, 1, 1]), ([[-1e6], [1e6]], [0, 0])]
    model = GaussianNB()
    for i in order:
        model.partial_fit(*batches[i], classes=[0, 1])
    np.testing.assert_allclose(model.predict_proba([[1.5]]), [[5.16564006e-05, 0.999948344]], rtol=1e-8)
    at_once = GaussianNB().fit(batches[0][0] + batches[1][0], batches[0][1] + batches[1][1])
    np.testing.assert_allclose(model.var_, at_once.var_, rtol=1e-12)


def test_gauss_1_constant_columns_and_single_rows() -> None:
    model = GaussianNB().fit([[5], [5], [5]], [0, 0, 1])
    np.testing.assert_allclose(model.predict_proba([[5], [6]]), [[2 / 3, 1 / 3]] * 2, rtol=1e-12)
    assert model.predict([[5], [6]]).tolist() == [0, 0]
    tenths = GaussianNB().fit([[0.1]] * 3, [0, 0, 1])  # 0.1 + 0.1 + 0.1 is not 0.3
    assert tenths.tally_.pooled_variance().tolist() == [0]
    np.testing.assert_allclose(tenths.predict_proba([[0.1], [6]]), [[2 / 3, 1 / 3]] * 2, rtol=1e-12)
    model = GaussianNB().fit([[2, 10], [4, 12], [3, 90]], ["a", "a", "b"])
    assert model.predict_proba([[3, 11]]).tolist() == [[1, 0]]


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_gauss_1_without_smoothing_a_class_without_variance_is_a_point(layout: Any) -> None:
    model = GaussianNB(var_smoothing=0).fit(layout([[1.0, 5], [1, 6], [2, 5], [4, 7]]), [0, 0, 1, 1])
    probability = model.predict_proba(layout([[1.0, 5], [1.5, 5]]))
    assert np.isfinite(probability).all()
    assert probability[1].tolist() == [0, 1]
    assert probability[0, 0] > 0.5
    assert not np.isnan(model.predict_log_proba(layout([[9.0, 5]]))).any()


@pytest.mark.parametrize("scale", [1, 1e-8, 1e150])
def test_gauss_1_the_unit_of_measurement_does_not_matter(scale: float) -> None:
    X = np.array([[0], [1], [2], [3], [5], [9]]) * scale
    probability = GaussianNB().fit(X, [0, 0, 0, 1, 1, 1]).predict_proba([[2.4 * scale]])
    np.testing.assert_allclose(probability, [[0.623468403670919, 0.376531596329081]], rtol=1e-9)


@pytest.mark.parametrize(("scale", "words"), [(1e-170, "multiply the columns"), (1e160, "divide the column")])
def test_gauss_1_beyond_the_range_of_squares_is_an_error(scale: float, words: str) -> None:
    X = np.array([[0], [1], [2], [3], [5], [9]]) * scale
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(InputError, match=words):
            GaussianNB().fit(rows, [0, 0, 0, 1, 1, 1])


def test_gauss_2_a_drowned_column_is_named() -> None:
    X = [[1.6e9, 0.001], [1.7e9, 0.0012], [1.6e9, 0.003], [1.7e9, 0.0032]]
    with pytest.warns(UserWarning, match="own variance of column 1,"):
        model = GaussianNB().fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1.65e9, 0.0011]]), [[0.5, 0.5]], atol=1e-9)
    free = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
    assert free.predict_log_proba([[1.65e9, 0.0011]])[0, 1] == pytest.approx(np.log(1.4e-87), rel=1e-3)


def test_gauss_3_offsets_and_narrow_types() -> None:
    X = 1e9 + np.array([[-1.0], [1], [3], [5]])
    model = GaussianNB().fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.var_ - model.epsilon_, [[1], [1]], rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba([[1e9 + 1.5]]), [[0.880797078, 0.119202922]], rtol=1e-7)

    narrow = np.float32(16777216) + np.arange(0, 16, 2, dtype=np.float32)[:, None]
    model = GaussianNB().fit(narrow, [0] * 4 + [1] * 4)
    np.testing.assert_allclose(model.var_, 5, rtol=1e-7)
    asked = np.array([[16777222], [16777224]], np.float32)
    wanted = [0.832018384, 0.167981616]
    np.testing.assert_allclose(model.predict_proba(asked), [wanted, wanted[::-1]], rtol=1e-7)

    model = GaussianNB()
    for i in range(1000):
        model.partial_fit(np.array([[1e8 + (8 if i % 2 else -8)]], np.float32), [0], classes=[0])
    assert model.theta_[0, 0] == pytest.approx(1e8, rel=1e-12)
    assert model.var_[0, 0] == pytest.approx(64, rel=1e-6)

    half = np.array([[0], [1000], [2000], [3000]], np.float16)
    np.testing.assert_allclose(GaussianNB().fit(half, [0, 0, 1, 1]).var_, 250000, rtol=1e-6)


def test_large_offsets_wild_scales_and_many_columns() -> None:
    rng = np.random.default_rng(1)
    for mean, sd in ((1e8, 1.0), (-1e8, 1e-2), (0.0, 1e-4), (0.0, 1e6)):
        X = rng.normal(mean, sd, (4000, 3))
        exact = np.stack([(X - mean)[c::2].var(axis=0) for c in (0, 1)])
        model = GaussianNB(var_smoothing=0).fit(X, np.arange(4000) % 2)
        np.testing.assert_allclose(model.var_, exact, rtol=1e-6)
    wide = rng.normal(size=(60, 10_000)) * np.where(np.arange(10_000) % 2, 1e-4, 1e6)
    with pytest.warns(UserWarning, match="hardly count"):
        model = GaussianNB().fit(wide, np.arange(60) % 3)
    assert np.isfinite(model.predict_log_proba(wide)).all()


def test_wgt_2_a_row_of_no_weight_is_not_there_and_the_unit_of_weights_does_not_matter() -> None:
    X, y = [[0], [1], [10], [11], [1e9]], [0, 0, 1, 1, 1]
    model = GaussianNB().fit(X, y, sample_weight=[1, 1, 1, 1, 0])
    tiny = GaussianNB().fit(X[:4], y[:4], sample_weight=[1e-9] * 4)
    for each in (model, tiny):
        assert each.predict_proba([[3]])[0, 1] == pytest.approx(3.72e-44, rel=1e-2)


def test_valid_2_small_integers_do_not_wrap() -> None:
    X = np.tile(np.array([[200], [100]], np.uint8), (2500, 1))
    model = GaussianNB().fit(X, np.arange(5000) % 2)
    assert model.theta_.tolist() == [[200], [100]]


def test_api_1_a_failed_fit_changes_nothing() -> None:
    model = GaussianNB().fit([[0.0, 1], [1, 0]], ["a", "b"])
    before = model.predict_proba([[0.2, 0.9]])
    for X, y in (([[np.nan], [1]], ["x", "y"]), ([[1.0], [np.inf]], ["x", "y"]), ([[1.0], [2]], ["x", None])):
        with pytest.raises(ValueError, match="NaN|infinity|missing"):
            model.fit(X, y)
        assert model.n_features_in_ == 2
        assert model.classes_.tolist() == ["a", "b"]
        assert (model.predict_proba([[0.2, 0.9]]) == before).all()


def test_api_1_an_interrupted_partial_fit_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    before, tally = model.predict_proba([[0.2]]), model.tally_

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tallybayes.counters.numbers.NumberCounter.count", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit([[7.0]], [1])
    monkeypatch.undo()
    assert model.tally_ is tally
    assert (model.predict_proba([[0.2]]) == before).all()


# Missing values


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.coo_array])
def test_missing_values_are_left_out_of_fit_and_score(layout: Any) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 4)), np.arange(80) % 2
    X[rng.random(X.shape) < 0.3] = np.nan
    X[rng.random(X.shape) < 0.2] = 0
    model = GaussianNB(missing="skip", var_smoothing=0).fit(layout(X), y)
    for c in (0, 1):
        np.testing.assert_allclose(model.theta_[c], np.nanmean(X[y == c], axis=0), rtol=1e-12)
        np.testing.assert_allclose(model.var_[c], np.nanvar(X[y == c], axis=0), rtol=1e-12)
    joint = model.predict_joint_log_proba(layout(X))
    for i in range(5):
        there = ~np.isnan(X[i])
        density = -0.5 * (np.log(2 * np.pi * model.var_) + (X[i] - model.theta_) ** 2 / model.var_)
        close(joint[i], np.log(0.5) + density[:, there].sum(axis=1), 1e-12)
    with pytest.raises(InputError, match="NaN"):
        GaussianNB().fit(layout(X), y)


def test_a_class_that_never_had_a_value_in_a_column_is_neither_helped_nor_hurt_by_it() -> None:
    nan = np.nan
    X, y = [[1.0, nan], [2, nan], [4, 1], [5, 2]], [0, 0, 1, 1]
    model = GaussianNB(missing="skip").fit(X, y)
    assert model.theta_[0, 1] == 1.5
    scaled = GaussianNB(missing="skip").fit(np.array(X) * 1000, y)
    np.testing.assert_allclose(model.predict_proba([[3, 1.2]]), scaled.predict_proba([[3000, 1200]]), rtol=1e-9)


# Textbook numbers


def test_weather_with_numeric_columns_by_n_and_by_n_minus_1() -> None:
    temperature = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
    humidity = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]
    play = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]
    # The two categorical factors of sunny / true, P(outlook) P(windy), come from the counts.
    factors = np.array([3 / 5 * 3 / 5, 2 / 9 * 3 / 9])
    for ddof, joint, yes in (
        (1, [1.363472e-4, 3.578708e-5], 0.20790207),
        (0, [1.441556e-4, 3.459710e-5], 0.19354725),
    ):
        model = GaussianNB(var_smoothing=0, ddof=ddof).fit(np.column_stack([temperature, humidity]), play)
        product = np.exp(model.predict_joint_log_proba([[66, 90]])[0]) * factors
        np.testing.assert_allclose(product, joint, rtol=1e-6)
        assert product[1] / product.sum() == pytest.approx(yes, rel=1e-7)


def test_person_by_height_weight_and_foot_size() -> None:
    X = [[6, 180, 12], [5.92, 190, 11], [5.58, 170, 12], [5.92, 165, 10],
         [5, 100, 6], [5.5, 150, 8], [5.42, 130, 7], [5.75, 150, 9]]  # fmt: skip
    model = GaussianNB(var_smoothing=0, ddof=1).fit(X, ["male"] * 4 + ["female"] * 4)
    joint = np.exp(model.predict_joint_log_proba([[6, 130, 8]])[0])
    np.testing.assert_allclose(joint, [5.377909e-4, 6.197072e-9], rtol=1e-6)
    density = np.exp(-0.5 * (6 - model.theta_[1, 0]) ** 2 / model.var_[1, 0]) / np.sqrt(2 * np.pi * model.var_[1, 0])
    assert density > 1


def test_system_c_gaussian_is_quadratic_discriminant_analysis_with_a_diagonal_covariance() -> None:
    # Every combination of the values of the columns: within a class no two columns vary together.
    grids = [([1.0, 2, 4], [0.0, 1, 5], [2.0, 3]), ([3.0, 4, 9], [-2.0, 0, 1], [5.0, 9])]
    X = np.concatenate([np.array(np.meshgrid(*grid)).reshape(3, -1).T for grid in grids])
    y = np.repeat([0, 1], 18)
    ours = GaussianNB(var_smoothing=0).fit(X, y)
    full = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    for c in (0, 1):
        np.testing.assert_allclose(full.covariance_[c], np.diag(ours.var_[c]), atol=1e-12)
    asked = np.random.default_rng(0).normal(size=(50, 3)) * 4
    np.testing.assert_allclose(ours.predict_proba(asked), full.predict_proba(asked), rtol=1e-8, atol=1e-12)


DATA = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


@pytest.mark.parametrize(("name", "right"), [("iris", 144), ("wine", 176), ("breast cancer", 536), ("digits", 1542)])
@pytest.mark.filterwarnings("ignore:var_smoothing")
def test_resubstitution_counts(name: str, right: int) -> None:
    X, y = DATA[name](return_X_y=True)
    assert (GaussianNB().fit(X, y).predict(X) == y).sum() == right


@pytest.mark.parametrize(
    ("name", "right"),
    [("iris", 143), ("wine", 174), ("breast cancer", 534), pytest.param("digits", 1511, marks=pytest.mark.slow)],
)
@pytest.mark.filterwarnings("ignore:var_smoothing")
def test_leave_one_out_counts_by_refitting_and_by_forgetting(name: str, right: int) -> None:
    X, y = DATA[name](return_X_y=True)
    everyone = np.arange(len(y))
    refitted = sum(GaussianNB().fit(X[everyone != i], y[everyone != i]).predict(X[[i]])[0] == y[i] for i in everyone)
    assert refitted == right
    if name == "digits":
        return
    whole = GaussianNB().fit(X, y)
    forgot = sum(
        GaussianNB.from_tally(whole.tally_).forget(X[[i]], y[[i]]).predict(X[[i]])[0] == y[i] for i in everyone
    )
    assert forgot == right


# Laws


@given(st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 4))
def test_any_cutting_in_any_order_is_one_fit(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) * rng.choice([1, 1e3], d) + rng.choice([0, 1e4], d), rng.integers(0, 3, n)
    weights = rng.random(n) + 0.1
    whole = GaussianNB(var_smoothing=1e-3).partial_fit(X, y, classes=[0, 1, 2], sample_weight=weights)
    order = rng.permutation(n)
    cut = GaussianNB(var_smoothing=1e-3)
    for part in np.array_split(order, rng.integers(1, n + 1)):
        cut.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
    np.testing.assert_allclose(cut.theta_, whole.theta_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(cut.var_, whole.var_, rtol=1e-10, atol=1e-12 * whole.var_.max())


@given(st.integers(0, 2**32))
def test_forgetting_and_merging_are_the_sums_they_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    part = GaussianNB(var_smoothing=0.1).fit(X[:18], y[:18])
    rest = GaussianNB(var_smoothing=0.1).fit(X[18:], y[18:])
    whole = GaussianNB(var_smoothing=0.1).fit(X, y)
    np.testing.assert_allclose((part + rest).predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(whole.forget(X[18:], y[18:]).predict_proba(X), part.predict_proba(X), rtol=1e-8)
    tally = part.tally_
    with pytest.raises(ForgetError):
        part.forget(X, y)
    assert part.tally_ is tally


def test_weights_are_copies_of_rows() -> None:
    rng = np.random.default_rng(3)
    X, y, copies = rng.normal(size=(20, 3)), np.arange(20) % 2, rng.integers(0, 4, 20)
    weighted = GaussianNB().fit(X, y, sample_weight=copies)
    repeated = GaussianNB().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    close(weighted.predict_joint_log_proba(X), repeated.predict_joint_log_proba(X))


@pytest.mark.parametrize("seed", range(200))
def test_the_joint_scores_are_scikit_learns(seed: int) -> None:
    """Dense and sparse, priors, weights, batches. Theirs takes the smoothing from unweighted rows and from the last batch."""
    rng = np.random.default_rng(seed)
    n, d, n_classes = rng.integers(12, 120), rng.integers(1, 12), rng.integers(2, 6)
    y = np.concatenate([np.arange(n_classes), np.arange(n_classes), rng.integers(0, n_classes, n - 2 * n_classes)])
    X = rng.normal(size=(n, d)) * rng.choice([0.1, 1, 10], d) + rng.normal(size=d) * 5 + y[:, None]
    asked = rng.normal(size=(20, d)) * 5
    is_sparse, weighted, streamed = rng.random(3) < 0.4
    if is_sparse:  # two rows of each class stay full: theirs divides by a variance of zero
        X[2 * n_classes :][rng.random((n - 2 * n_classes, d)) < 0.4] = 0
    weights = rng.random(n) + 0.01 if weighted else None
    parameters: dict[str, Any] = {"var_smoothing": float(rng.choice([1e-9, 1e-6, 1e-2]))}
    if weighted or streamed:
        parameters["var_smoothing"] = 0.0
    if rng.random() < 0.4:
        parameters["priors"] = rng.dirichlet(np.ones(n_classes))
    layout = sparse.csr_array if is_sparse else np.asarray
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if streamed:
            ours, other = GaussianNB(**parameters), theirs.GaussianNB(**parameters)
            for part in (slice(0, 2 * n_classes), slice(2 * n_classes, n)):
                if part.start == n:
                    continue
                weight = None if weights is None else weights[part]
                ours.partial_fit(layout(X[part]), y[part], classes=range(n_classes), sample_weight=weight)
                other.partial_fit(X[part], y[part], classes=range(n_classes), sample_weight=weight)
        else:
            ours = GaussianNB(**parameters).fit(layout(X), y, sample_weight=weights)
            other = theirs.GaussianNB(**parameters).fit(X, y, sample_weight=weights)
    joint = other.predict_joint_log_proba(asked)
    close(ours.predict_joint_log_proba(layout(asked)), joint)
    clear = (joint > joint.max(axis=1, keepdims=True) - 1e-9).sum(axis=1) == 1  # else rounding decides
    assert (ours.predict(layout(asked)) == other.predict(asked))[clear].all()
    np.testing.assert_allclose(ours.class_prior_, other.class_prior_, rtol=1e-12)


# Parameters


@pytest.mark.parametrize(
    "wrong",
    [
        {"var_smoothing": -1},
        {"var_smoothing": np.nan},
        {"ddof": 2},
        {"missing": "drop"},
        {"prior": "words"},
        {"prior": [0.5, 0.5], "priors": [0.5, 0.5]},
        {"prior_alpha": -1},
        {"n_jobs": 0},
        {"priors": "uniform"},
    ],
)
def test_wrong_parameters_are_refused_in_fit(wrong: dict[str, Any]) -> None:
    model = GaussianNB(**wrong)
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        model.fit([[0.0], [1.0]], [0, 1])


def test_a_resumed_fit_uses_the_parameters_of_the_last_fit() -> None:
    X, y = [[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1]
    model = GaussianNB(var_smoothing=0.5).fit(X, y)
    model.set_params(var_smoothing=0.0).partial_fit([[3.0]], [1])
    assert model.epsilon_ > 0
    assert model.fit(X, y).epsilon_ == 0


def test_threads_give_the_same_model() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(3000, 6)), rng.integers(0, 4, 3000)
    one, two = (GaussianNB(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_allclose(one.var_, two.var_, rtol=1e-12)
    assert (one.predict_proba(X) == GaussianNB.from_tally(one.tally_, n_jobs=2).predict_proba(X)).all()
