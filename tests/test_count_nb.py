"""Multinomial, complement and Bernoulli estimators: named cases, worked examples, laws, agreement with scikit-learn."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import naive_bayes as theirs
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import HashingVectorizer

import tallybayes
from tallybayes import BernoulliNB, ComplementNB, ForgetError, InputError, MultinomialNB, ParameterError, SpaceError

MODELS = [MultinomialNB, ComplementNB, BernoulliNB]
LAYOUTS = [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.coo_matrix]

# The fifteen samples of system A.
SAMPLES = np.array([
    [5, 3, 2, 1, 0, 5, 12, 12, 10, 7, 8, 3, 0, 0, 1],
    [11, 10, 6, 8, 7, 0, 0, 0, 0, 3, 1, 9, 1, 7, 0],
    [7, 1, 9, 2, 12, 2, 15, 2, 2, 0, 0, 12, 4, 9, 1],
]).T  # fmt: skip
CLASSES = np.array([1, 1, 0, 0, 2, 1, 1, 2, 1, 2, 1, 0, 0, 0, 1])

# Manning, Raghavan, Schütze: Beijing Chinese Japan Macao Shanghai Tokyo.
CHINA = np.array([[1, 2, 0, 0, 0, 0], [0, 2, 0, 0, 1, 0], [0, 1, 0, 1, 0, 0], [0, 1, 1, 0, 0, 1]])
CHINA_CLASSES = ["yes", "yes", "yes", "no"]
CHINA_QUERY = np.array([[0, 3, 1, 0, 0, 1]])

WGT_1, WGT_1_CLASSES = np.array([[3, 0], [1, 1], [0, 2], [1, 3]]), [0, 0, 1, 1]


def close(actual: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """1e-9 relative, absolute below 1."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert (np.abs(actual - expected) <= tolerance * np.maximum(1, np.abs(expected))).all(), (actual, expected)


# Worked examples


def test_system_a_every_intermediate_table() -> None:
    model = MultinomialNB().fit(SAMPLES, CLASSES)
    assert model.class_count_.tolist() == [5, 7, 3]
    assert model.feature_count_.tolist() == [[6, 31, 36], [44, 22, 28], [19, 10, 14]]
    close(model.class_log_prior_, [-1.09861229, -0.76214005, -1.60943791], 5e-9)
    shares = [
        [-2.38482319, -0.86499744, -0.71981543],
        [-0.76804849, -1.43921676, -1.20741515],
        [-0.83290912, -1.43074612, -1.1205912],
    ]
    close(model.feature_log_prob_, shares, 5e-9)
    query = [[17, 25, 39]]  # more than training ever saw
    close(model.predict_joint_log_proba(query), [[-91.33834415, -96.88857422, -95.24060271]], 5e-9)
    close(model.predict_proba(query), [[0.97648353, 0.00379516, 0.0197213]], 5e-9)
    assert model.predict(query).tolist() == [0]


def test_system_a_alpha_may_differ_per_column_and_counts_may_be_fractions() -> None:
    alpha = [0.5, 1.0, 2.0]
    for X in (SAMPLES, SAMPLES / 7.0):
        for ours, other in ((MultinomialNB, theirs.MultinomialNB), (ComplementNB, theirs.ComplementNB)):
            close(
                ours(alpha=alpha).fit(X, CLASSES).predict_joint_log_proba(X),
                other(alpha=alpha).fit(X, CLASSES).predict_joint_log_proba(X),
            )
    assert not MultinomialNB().fit(SAMPLES / 7.0, CLASSES).tally_.exact


@pytest.mark.parametrize(
    ("model", "joint"),
    [
        (MultinomialNB(), ["8/59049", "81/268912"]),
        (MultinomialNB(prior="words"), ["32/216513", "54/184877"]),
        (BernoulliNB(), ["16/729", "81/15625"]),
    ],
)
def test_system_d_on_columns(model: Any, joint: list[str]) -> None:
    fitted = model.fit(CHINA, CHINA_CLASSES)
    assert fitted.classes_.tolist() == ["no", "yes"]
    expected = [float(Fraction(each)) for each in joint]
    np.testing.assert_allclose(np.exp(fitted.predict_joint_log_proba(CHINA_QUERY)[0]), expected, rtol=1e-12)


def test_system_d_complement_on_columns() -> None:
    joint = ComplementNB().fit(CHINA, CHINA_CLASSES).predict_joint_log_proba(CHINA_QUERY)
    close(joint, [[7.820008, 7.520387]], 1e-6)
    normed = ComplementNB(norm=True).fit(CHINA, CHINA_CLASSES).predict_joint_log_proba(CHINA_QUERY)
    close(normed, [[0.653675, 0.677274]], 1e-6)


def test_system_c_bernoulli_binarises_by_a_threshold() -> None:
    X = np.array([[0.2, 0.9], [0.6, 0.1], [0.7, 0.8]])
    joint = np.exp(BernoulliNB(binarize=0.5).fit(X, [0, 1, 1]).predict_joint_log_proba([[0.4, 0.51]])[0])
    expected = [Fraction(1, 3) * Fraction(2, 3) * Fraction(2, 3), Fraction(2, 3) * Fraction(1, 4) * Fraction(1, 2)]
    np.testing.assert_allclose(joint, [float(each) for each in expected], rtol=1e-12)


def test_a_threshold_below_zero_makes_zeros_present_where_they_are_laid_out() -> None:
    X, y = np.array([[0.5, -2], [0, 0.1], [-3, 0], [-1.5, -0.2]]), [0, 0, 1, 1]
    ours, other = BernoulliNB(binarize=-1).fit(X, y), theirs.BernoulliNB().fit(X > -1, y)
    assert ours.feature_count_.tolist() == [[2, 1], [0, 2]]
    close(ours.predict_joint_log_proba(X), other.predict_joint_log_proba(X > -1))
    with pytest.raises(InputError, match="threshold < 0"):
        BernoulliNB(binarize=-1).fit(sparse.csr_array(X), y)
    with pytest.raises(InputError, match="threshold < 0"):
        ours.predict(sparse.csr_array(X))


@pytest.mark.parametrize(
    ("model", "one_out", "resubstituted"),
    [(MultinomialNB(), 1617, 1627), (ComplementNB(), 1467, 1477), (BernoulliNB(binarize=8), 1591, 1609)],
)
@pytest.mark.slow
def test_digits_resubstituted_and_one_left_out(model: Any, one_out: int, resubstituted: int) -> None:
    X, y = load_digits(return_X_y=True)
    whole = model.fit(X, y)
    assert (whole.predict(X) == y).sum() == resubstituted
    everyone = np.arange(len(y))
    right = sum(type(model)(**model.get_params()).fit(X[everyone != i], y[everyone != i]).predict(X[[i]])[0] == y[i]
                for i in everyone)  # fmt: skip
    assert right == one_out


# Named cases


@pytest.mark.parametrize("layout", LAYOUTS)
def test_norm_1_each_row_is_normalised_by_itself(layout: Any) -> None:
    model = MultinomialNB().fit(layout([[2, 0], [0, 1]]), [0, 1])
    expected = np.array([[9 / 13, 4 / 13], [3 / 11, 8 / 11]])
    close(model.predict_proba(layout([[1, 0], [0, 1]])), expected)
    for row, probability in zip(([[1, 0]], [[0, 1]]), expected, strict=True):
        close(model.predict_proba(layout(row)), [probability])


def test_norm_2_long_documents_stay_finite() -> None:
    model = MultinomialNB().fit([[3, 1], [1, 3]], [0, 1])
    close(model.predict_log_proba([[5000, 0]]), [[0, -3465.7359027997265]])
    assert model.predict_proba([[5000, 0]]).tolist() == [[1, 0]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("model", [MultinomialNB, BernoulliNB])
def test_alpha_1_without_smoothing_dense_and_sparse_agree_and_nothing_is_nan(model: Any, layout: Any) -> None:
    fitted = model(alpha=0).fit(layout([[1, 0], [0, 1]]), [0, 1])
    close(fitted.predict_proba(layout([[1, 0], [0, 0], [1, 1]])), [[1, 0], [0.5, 0.5], [0.5, 0.5]])
    assert fitted.predict(layout([[1, 0], [0, 0], [1, 1]])).tolist() == [0, 0, 0]
    joint = fitted.predict_joint_log_proba(layout([[1, 0], [1, 1]]))
    assert np.isneginf(joint[0, 1])
    assert np.isneginf(joint[1]).all()
    complement = ComplementNB(alpha=0).fit(layout([[1, 0], [0, 1]]), [0, 1])
    assert not np.isnan(complement.predict_proba(layout([[1, 0], [0, 0], [1, 1]]))).any()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("alpha", [[1.0, np.nan], -1, np.inf, np.nan, [1.0, 2.0, 3.0], [1.0, -0.1], "much", None])
def test_alpha_1_what_is_no_smoothing_is_refused(model: Any, alpha: Any) -> None:
    with pytest.raises(ParameterError, match="alpha"):
        model(alpha=alpha).fit([[1, 0], [0, 1]], [0, 1])


@pytest.mark.parametrize("model", [*MODELS, tallybayes.CategoricalNB, tallybayes.GaussianNB])
def test_inc_1_a_misspelt_label_changes_nothing(model: Any) -> None:
    fitted = model().partial_fit([[3, 0], [0, 2]], [0, 1], classes=[0, 1])
    tally = fitted.tally_
    with pytest.raises(InputError, match=r"\[7\].*\[0, 1\]"):
        fitted.partial_fit([[10, 10], [1, 1]], [0, 7])
    assert fitted.tally_ is tally


def test_inc_2_a_class_that_comes_late() -> None:
    model = MultinomialNB().partial_fit([[3, 1], [0, 2]], [0, 1], classes=[0, 1, 2])
    close(model.predict_proba([[1, 1]]), [[32 / 59, 27 / 59, 0]])
    model.partial_fit([[2, 2]], [2])
    close(model.predict_proba([[1, 1]]), [[32 / 95, 27 / 95, 36 / 95]])


@pytest.mark.parametrize("model", [*MODELS, tallybayes.CategoricalNB, tallybayes.GaussianNB])
@pytest.mark.parametrize("weights", [[1, -2, 1, 1], [1, np.nan, 1, 1], [1, np.inf, 1, 1], [0] * 4, [1, 1], [[1]] * 4])
def test_wgt_1_weights_that_are_none_are_refused(model: Any, weights: Any) -> None:
    fitted = model().fit(WGT_1, WGT_1_CLASSES)
    before = fitted.predict_proba(WGT_1)
    with pytest.raises(ValueError, match="weight"):
        fitted.fit(WGT_1, WGT_1_CLASSES, sample_weight=weights)
    assert (fitted.predict_proba(WGT_1) == before).all()


@pytest.mark.parametrize("model", MODELS)
def test_wgt_2_a_class_of_no_weight_has_probability_zero_and_weights_are_copies(model: Any) -> None:
    fitted = model().fit(WGT_1, WGT_1_CLASSES, sample_weight=[1, 1, 0, 0])
    assert fitted.predict_proba([[0, 3]]).tolist() == [[1, 0]]
    copies = np.array([3, 1, 2, 4])
    repeated = model().fit(np.repeat(WGT_1, copies, axis=0), np.repeat(WGT_1_CLASSES, copies))
    weighted = model().fit(WGT_1, WGT_1_CLASSES, sample_weight=copies)
    assert weighted.tally_.digest() == repeated.tally_.digest()
    halves = model(alpha=1e-9).fit(WGT_1, WGT_1_CLASSES, sample_weight=copies * 1e-9)
    close(
        halves.predict_proba(WGT_1), model().fit(WGT_1, WGT_1_CLASSES, sample_weight=copies).predict_proba(WGT_1), 1e-6
    )


@pytest.mark.parametrize("model", [*MODELS, tallybayes.CategoricalNB])
@pytest.mark.parametrize("prior", [[0.9, 0.9], [-1, 2], [0, 0], [np.nan, 1], [np.inf, 1], [1.0], [0.2, 0.3, 0.5]])
@pytest.mark.filterwarnings("ignore:ComplementNB shows")
def test_prior_1_priors_that_are_none_are_refused(model: Any, prior: Any) -> None:
    for name in ("class_prior", "prior"):
        with pytest.raises(ParameterError, match="[Pp]riors"):
            model(**{name: prior}).fit(WGT_1, WGT_1_CLASSES)
    with pytest.raises(ParameterError, match="[Pp]riors"):
        tallybayes.GaussianNB(priors=prior).fit(WGT_1, WGT_1_CLASSES)


def test_prior_1_sums_are_right_within_rounding_and_zero_stays_zero() -> None:
    ten = np.arange(10)
    tallybayes.GaussianNB(priors=[0.1] * 10).fit(ten[:, None], ten)
    MultinomialNB(class_prior=np.array([0.7, 0.2, 0.1], np.float32)).fit(np.eye(3), [0, 1, 2])
    model = MultinomialNB(class_prior=[1, 0]).fit(WGT_1, WGT_1_CLASSES)
    assert model.predict_proba(WGT_1)[:, 1].tolist() == [0] * 4


def test_prior_2_priors_are_in_the_order_of_the_sorted_classes_or_by_label() -> None:
    X, y = [[1, 0], [0, 1]], ["spam", "ham"]
    for prior in ([0.9, 0.1], {"spam": 0.1, "ham": 0.9}):
        model = MultinomialNB(class_prior=prior).fit(X, y)
        assert model.classes_.tolist() == ["ham", "spam"]
        close(model.predict_proba([[0, 0]]), [[0.9, 0.1]])
        close(model.partial_fit([[1, 1]], ["spam"]).predict_proba([[0, 0]]), [[0.9, 0.1]])
    with pytest.raises(ParameterError, match="'egg' is no class"):
        MultinomialNB(class_prior={"egg": 0.1, "ham": 0.9}).fit(X, y)


def test_prior_2_complement_says_that_it_ignores_class_prior_and_uses_prior() -> None:
    plain = ComplementNB().fit(WGT_1, WGT_1_CLASSES).predict_proba([[1, 1]])
    with pytest.warns(UserWarning, match="does not use it"):
        model = ComplementNB(class_prior=[0.999, 0.001]).fit(WGT_1, WGT_1_CLASSES)
    assert (model.predict_proba([[1, 1]]) == plain).all()
    close(np.exp(model.class_log_prior_), [0.999, 0.001])
    used = ComplementNB(prior=[0.999, 0.001]).fit(WGT_1, WGT_1_CLASSES).predict_proba([[1, 1]])
    assert used[0, 0] > 0.99 > plain[0, 0]


@pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_valid_1_negative_counts_are_refused_in_fit_and_in_predict(model: Any, layout: Any) -> None:
    fitted = model().fit(layout(WGT_1), WGT_1_CLASSES)
    for refuse in (fitted.predict_proba, lambda X: model().fit(X, [0, 1])):
        with pytest.raises(InputError, match=rf"Negative.*{model.__name__}.*row 1, column 0 is -5.*alternate_sign"):
            refuse(layout([[1, 1], [-5, 1]]))
    signed = HashingVectorizer(n_features=16).transform(["a few words that hash with signs", "and a few more of them"])
    with pytest.raises(InputError, match="Negative"):
        model().fit(signed, [0, 1])


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "u2", "f2", ">i4", ">f8"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_valid_2_narrow_types_count_exactly(dtype: str, layout: Any) -> None:
    if layout is sparse.csr_array and dtype in ("f2", ">i4", ">f8"):  # scipy holds none of these
        dtype = "i2"
    X, y = layout(np.ones((5000, 2), dtype)), np.arange(5000) % 2
    for model in MODELS:
        fitted = model().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
        assert fitted.feature_count_.tolist() == [[5000, 5000]] * 2
        assert fitted.tally_.exact


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_1_duplicate_and_stored_zero_entries(make: Any, index: Any) -> None:
    X = make((np.array([1.0, 1, 1, 0]), np.array([0, 0, 1, 1], index), np.array([0, 3, 4], index)), shape=(2, 2))
    kept = X.copy()
    model = BernoulliNB().fit(X, [0, 1])
    assert model.feature_count_.tolist() == [[1, 1], [0, 0]]
    close(model.predict_proba(X), [[0.8, 0.2], [0.2, 0.8]])
    for form in (X.tocoo(), X.tocsc(), X.toarray()):
        assert BernoulliNB().fit(form, [0, 1]).tally_ == model.tally_
        close(model.predict_proba(form), [[0.8, 0.2], [0.2, 0.8]])
    for name in ("data", "indices", "indptr"):
        assert (getattr(X, name) == getattr(kept, name)).all()


@pytest.mark.parametrize("model", [*MODELS, tallybayes.GaussianNB])
def test_input_may_be_read_only_mapped_or_of_any_memory_order(model: Any, tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (40, 6)).astype(np.float64), np.arange(40) % 3
    expected = model().fit(X, y).predict_joint_log_proba(X)
    np.save(tmp_path / "x.npy", X)
    frozen = X.copy()
    frozen.setflags(write=False)
    wide = np.zeros((40, 12))
    wide[:, ::2] = X
    for form in (np.load(tmp_path / "x.npy", mmap_mode="r"), frozen, np.asfortranarray(X), wide[:, ::2], X.tolist(),
                 X.astype(object), X.astype(">f8"), sparse.csr_array(frozen)):  # fmt: skip
        close(model().fit(form, y).predict_joint_log_proba(form), expected, 1e-12)


def test_rule_1_what_complement_computes() -> None:
    X, y = [[2, 1, 0], [0, 3, 1], [1, 0, 4]], ["a", "b", "c"]
    model = ComplementNB().fit(X, y)
    weights = np.log([[6, 3, 2], [11 / 4, 11 / 2, 11 / 5], [10 / 3, 2, 5]])
    close(model.feature_log_prob_, weights)
    close(model.predict_proba([[1, 2, 0]]), [[0.358754325, 0.552664360, 0.088581315]], 1e-8)
    close(model.predict_proba([[0, 0, 0]]), [[1 / 3] * 3])
    close(ComplementNB(norm=True).fit([[1], [2]], [0, 1]).predict_proba([[3]]), [[0.5, 0.5]])


def test_rule_2_shares_are_a_distribution_and_data_is_binary_where_it_must_be() -> None:
    X, y = np.eye(7), ["pos"] * 2 + ["neg"] * 5  # 好 喜欢 | 差 讨厌 退货 慢 坏, once each
    model = MultinomialNB().fit(X, y)
    assert model.predict(np.eye(7)[[2]] * 3000).tolist() == ["neg"]
    close(np.exp(model.feature_log_prob_).sum(axis=1), [1, 1])
    close(np.exp(model.feature_log_prob_[:, 2]), [2 / 12, 1 / 9])
    with pytest.raises(InputError, match="0 or 1"):
        BernoulliNB(binarize=None).fit([[3, 0], [2, 1], [0, 3], [1, 2]], [0, 0, 1, 1])
    fitted = BernoulliNB(binarize=None).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(InputError, match="0 or 1"):
        fitted.predict(sparse.csr_array([[2, 0]]))


@pytest.mark.parametrize("model", MODELS)
def test_rule_2_the_first_class_wins_a_tie(model: Any) -> None:
    for rows, labels in (([[1, 0], [0, 1]], ["z", "a"]), ([[0, 1], [1, 0]], ["a", "z"])):
        assert model().fit(rows, labels).predict([[1, 1]]).tolist() == ["a"]


@pytest.mark.parametrize("model", MODELS)
def test_api_1_a_failed_call_leaves_the_old_model(model: Any) -> None:
    fitted = model().fit([[1, 0], [0, 1]], [0, 1])
    before = fitted.predict_proba([[1, 0]])
    with pytest.raises(ValueError, match="Negative|NaN"):
        fitted.fit([[1, -1 if model is not BernoulliNB else np.nan], [0, 1]], ["x", "y"])
    assert fitted.predict([[1, 0]]).tolist() == [0]
    assert (fitted.predict_proba([[1, 0]]) == before).all()
    fitted.set_params(alpha=[1, 2, 3]).partial_fit([[5, 5]], [0])  # the parameters of the last fit are in force
    assert fitted.class_count_.tolist() == [2, 1]
    with pytest.raises(ParameterError, match="alpha"):
        fitted.fit([[1, 0], [0, 1]], [0, 1])
    assert fitted.class_count_.tolist() == [2, 1]


# Laws


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 8))
    return rng.poisson(0.8, (n, d)), rng.integers(0, 4, n), rng.permutation(n)


@given(problems(), st.sampled_from(MODELS), st.sampled_from(LAYOUTS))
def test_any_cutting_in_any_order_has_the_digest_of_one_fit(problem: Any, model: Any, layout: Any) -> None:
    X, y, order = problem
    whole = model().fit(layout(X), y)
    cut = model()
    for part in np.array_split(order, min(len(order), 4)):
        cut.partial_fit(layout(X[part]), y[part], classes=range(4))
    assert cut.tally_.digest() == whole.tally_.digest()
    first, rest = order[:1], order[1:]
    merged = model().fit(layout(X[first]), y[first]) + model().fit(layout(X[rest]), y[rest])
    assert merged.tally_.digest() == whole.tally_.digest()
    merged.forget(layout(X[first]), y[first])
    assert merged.tally_.digest() == model().fit(layout(X[rest]), y[rest]).tally_.digest()


@pytest.mark.parametrize("model", MODELS)
def test_more_cannot_be_forgotten_than_was_learnt(model: Any) -> None:
    fitted = model().fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ForgetError):
        fitted.forget([[0, 1]], [0])
    assert fitted.class_count_.tolist() == [1, 1]


def test_what_was_counted_otherwise_does_not_merge() -> None:
    with pytest.raises(SpaceError):
        MultinomialNB().fit([[1, 0], [0, 1]], [0, 1]) + MultinomialNB().fit([[1], [1]], [0, 1])
    with pytest.raises(SpaceError, match="binarize"):
        BernoulliNB().fit(WGT_1, WGT_1_CLASSES) + BernoulliNB(binarize=2).fit(WGT_1, WGT_1_CLASSES)


def test_rereading_a_tally_is_fitting_again() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.poisson(1, (50, 5)), rng.integers(0, 3, 50)
    fitted = MultinomialNB().fit(X, y)
    again = fitted.reread(alpha=0.25, prior="uniform")
    close(
        again.predict_joint_log_proba(X),
        MultinomialNB(alpha=0.25, prior="uniform").fit(X, y).predict_joint_log_proba(X),
    )
    assert fitted.alpha == 1.0
    complement = ComplementNB.from_tally(fitted.tally_, norm=True)
    close(complement.predict_joint_log_proba(X), ComplementNB(norm=True).fit(X, y).predict_joint_log_proba(X))
    with pytest.raises(SpaceError, match="different feature spaces: binarize: 0.0 against none"):
        BernoulliNB.from_tally(fitted.tally_)


def test_decisions_by_loss_and_unsure_answers() -> None:
    model = MultinomialNB().fit([[2, 0], [0, 1]], ["ham", "spam"])
    X = [[1, 0], [0, 1]]  # ham 9/13, ham 3/11
    assert model.decide(X).tolist() == ["ham", "spam"]
    assert model.decide(X, loss=[[0, 1], [10, 0]]).tolist() == ["ham", "ham"]
    assert model.decide(X, abstain=0.3).tolist() == [None, "spam"]


def test_little_smoothing_costs_no_digits() -> None:
    """Where scikit-learn computes log(1 - exp(log p)) or n + α - n, digits are lost; here they are not."""
    X, y, alpha = np.array([[1, 0], [1, 1], [0, 1]]), [0, 0, 1], Fraction(1, 10**8)
    rows, present = (2, 1), ((2, 1), (0, 1))
    for ours, other, expected in (
        (
            BernoulliNB, theirs.BernoulliNB,
            [math.log(Fraction(n, 3) * (n - present[c][0] + alpha) * (n - present[c][1] + alpha) / (n + 2 * alpha) ** 2)
             for c, n in enumerate(rows)],
        ),
        (
            ComplementNB, theirs.ComplementNB,
            [-math.log((present[1 - c][0] + alpha) / (sum(present[1 - c]) + 2 * alpha)) for c in (0, 1)],
        ),
    ):  # fmt: skip
        asked = [[0, 0]] if ours is BernoulliNB else [[1, 0]]
        got = ours(alpha=1e-8).fit(X, y).predict_joint_log_proba(asked)[0]
        close(got, expected, 1e-14)
        assert np.abs(other(alpha=1e-8).fit(X, y).predict_joint_log_proba(asked)[0] - expected).max() > 1e-12


# Agreement with scikit-learn


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
@pytest.mark.filterwarnings("ignore:ComplementNB shows")
def test_the_joint_scores_are_scikit_learns(name: str, seed: int) -> None:
    """Dense and sparse, counts and fractions, weights, priors, alphas, batches."""
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.integers(2, 60)), int(rng.integers(1, 20)), int(rng.integers(1, 6))
    if name == "ComplementNB":
        d = max(d, 2)  # theirs divides by zero when one column is normalised (RULE-1)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n)])
    X = rng.poisson(rng.gamma(0.5, 2, d), (len(y), d)).astype(rng.choice(["i8", "f8", "f4"]))
    if rng.random() < 0.3:
        X = X * rng.random(X.shape)
    parameters: dict[str, Any] = {"alpha": float(rng.choice([1e-3, 0.01, 0.5, 1, 10]))}
    if name == "MultinomialNB" and rng.random() < 0.2:
        parameters["alpha"] = 1e-8  # the other two of theirs take differences of nearly equal numbers then
    if rng.random() < 0.25 and name != "BernoulliNB":
        parameters["alpha"] = rng.random(d) + 0.01
    if rng.random() < 0.3:
        parameters["class_prior"] = rng.dirichlet(np.ones(n_classes))
    elif rng.random() < 0.3:
        parameters["fit_prior"] = False
    if name == "ComplementNB" and rng.random() < 0.4:
        parameters["norm"] = True
    if name == "BernoulliNB":
        parameters["binarize"] = float(rng.choice([0, 0.5, 2]))
    weights = rng.random(len(y)) + 0.01 if rng.random() < 0.4 else None
    layout = LAYOUTS[int(rng.integers(0, len(LAYOUTS)))]
    ours, other = getattr(tallybayes, name)(**parameters), getattr(theirs, name)(**parameters)
    streamed = rng.random() < 0.4
    for model in (ours, other):
        if streamed:
            for part in (slice(0, n // 2 + 1), slice(n // 2 + 1, None)):
                weight = None if weights is None else weights[part]
                model.partial_fit(layout(X[part]), y[part], classes=range(n_classes), sample_weight=weight)
        else:
            model.fit(layout(X), y, sample_weight=weights)
    asked = rng.poisson(1, (20, d))
    joint = other.predict_joint_log_proba(layout(asked))
    close(ours.predict_joint_log_proba(layout(asked)), joint)
    clear = (joint > joint.max(axis=1, keepdims=True) - 1e-9).sum(axis=1) == 1  # else rounding decides
    assert (ours.predict(layout(asked)) == other.predict(layout(asked)))[clear].all()
    for attribute in ("class_count_", "feature_count_", "feature_log_prob_", "class_log_prior_"):
        close(getattr(ours, attribute), getattr(other, attribute))
