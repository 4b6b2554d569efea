"""The moment tally: any cutting of the rows gives the moments of one pass, and rows can be taken out again."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tallybayes.errors import ForgetError, InputError, ParameterError, SpaceError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.tally.moments import MomentTally


def tally_of(X, y, weights=None, columns=None):
    """The tally of some rows in exact fractions, rounded to two doubles at the end; NaN is missing."""
    X = np.asarray(X, float)
    labels, codes = Labels.of(y)
    weights = [1] * len(X) if weights is None else weights
    shape = (len(labels), X.shape[1])
    moments, low = np.zeros((3, *shape)), np.zeros((4, *shape))
    count = np.zeros(len(labels))
    for k in range(len(labels)):
        rows = [(X[i], Fraction(weights[i])) for i in range(len(X)) if codes[i] == k]
        count[k] = sum(w for _, w in rows)
        for j in range(shape[1]):
            cells = [(Fraction(row[j]), w) for row, w in rows if not np.isnan(row[j])]
            total = sum(w for _, w in cells)
            if total:
                middle = sum(x * w for x, w in cells) / total
                exact = total, middle, sum((x - middle) ** 2 * w for x, w in cells)
                moments[:, k, j] = list(map(float, exact))
                low[:3, k, j] = [float(part - Fraction(float(part))) for part in exact]
    return MomentTally(labels, count, *moments, columns, low=low)


def assert_close(a, b, scale=1.0):
    assert a.classes == b.classes
    np.testing.assert_allclose(a.class_count, b.class_count, rtol=1e-12)
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(a.m2, b.m2, rtol=1e-10, atol=1e-11 * scale**2)


values = st.one_of(st.floats(-100, 100).map(lambda x: round(x, 3)), st.integers(-3, 3).map(float), st.just(np.nan))
data = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        hnp.arrays(float, (n, 2), elements=values),
        st.lists(st.sampled_from("abc"), min_size=n, max_size=n),
        st.lists(st.sampled_from([0, 1, 2, 0.5]), min_size=n, max_size=n),
        st.integers(0, n),
    )
)


@given(data, st.randoms(use_true_random=False))
def test_inc_3_any_cutting_in_any_order_gives_the_moments_of_all_rows(drawn, chance):
    X, y, weights, cut = drawn
    order = chance.sample(range(len(y)), len(y))
    whole = tally_of(X, y, weights)
    parts = [tally_of(X[[i]], [y[i]], [weights[i]]) for i in order]
    assert_close(sum(parts), whole, 100)
    assert_close(MomentTally.sum(parts), whole, 100)
    assert_close(
        MomentTally.sum([*parts[:cut], MomentTally.empty(2)]) + MomentTally.sum(parts[cut:] or [MomentTally.empty(2)]),
        whole,
        100,
    )
    whole.check()
    sum(parts).check()


@given(data)
def test_rows_that_are_taken_out_are_as_if_never_seen(drawn):
    X, y, weights, cut = drawn
    assume(0 < cut < len(y))
    kept, gone = tally_of(X[:cut], y[:cut], weights[:cut]), tally_of(X[cut:], y[cut:], weights[cut:])
    left = (kept + gone) - gone
    left.check()
    assert_close(left, kept + kept * 0 + gone * 0, 100)
    nothing = (kept + gone) - gone - kept
    assert not nothing.class_count.any()
    assert nothing == MomentTally.empty(2)


@given(data)
def test_the_empty_tally_changes_nothing(drawn):
    a = tally_of(*drawn[:3])
    empty = MomentTally.empty(2)
    assert a + empty == a == empty + a == a - empty
    assert a - a == empty


@given(data)
def test_pooled_variance_is_that_of_all_rows(drawn):
    X, y, weights, _ = drawn
    tally = tally_of(X, y, weights)
    together = tally_of(X, ["one"] * len(y), weights)
    np.testing.assert_allclose(tally.pooled_variance(), together.variance()[0], rtol=1e-10, atol=1e-12)
    for ddof in (0, 1):
        assert np.isfinite(tally.variance(ddof)).all()
        assert np.isfinite(tally.pooled_variance(ddof)).all()


@given(data, st.sampled_from([0, 0.5, 3, 1e-9, 1e9]))
def test_scaling_scales_weights_and_keeps_variances(drawn, factor):
    a = tally_of(*drawn[:3])
    scaled = factor * a
    scaled.check()
    np.testing.assert_allclose(scaled.class_count, a.class_count * factor)
    if factor:
        np.testing.assert_allclose(scaled.mean, a.mean)
        np.testing.assert_allclose(scaled.variance(), a.variance(), rtol=1e-12)
    if factor == 3:
        assert_close(scaled, a + a + a, 100)


def test_variances_are_those_of_numpy():
    generator = np.random.default_rng(5)
    X, y = generator.normal(size=(60, 3)) * [1, 1e-4, 1e6] + [1e8, 0, 1e6], generator.integers(0, 3, 60)
    tally = sum(tally_of(X[i : i + 7], y[i : i + 7]) for i in range(0, 60, 7))
    for column, rtol in enumerate([1e-6, 1e-12, 1e-12]):  # the spacing of floats at 1e8 costs the first its digits
        for ddof in (0, 1):
            expected = [X[y == k, column].var(ddof=ddof) for k in range(3)]
            np.testing.assert_allclose(tally.variance(ddof)[:, column], expected, rtol=rtol)
        np.testing.assert_allclose(tally.pooled_variance()[column], X[:, column].var(), rtol=rtol)


def test_a_common_offset_costs_no_digits_of_the_pooled_variance():
    tally = tally_of([[1e8 + 1], [1e8 + 2], [1e8 + 3], [1e8 + 4]], [0, 0, 1, 1])
    assert tally.pooled_variance().tolist() == [1.25]


def test_too_few_rows_have_no_variance_and_no_nan():
    tally = tally_of([[5.0], [np.nan]], [0, 1])
    assert tally.variance(ddof=1).tolist() == [[0.0], [0.0]]
    assert MomentTally.empty(2).pooled_variance().tolist() == [0.0, 0.0]
    assert MomentTally.empty(2, classes=Labels.of([0, 1])[0]).variance().tolist() == [[0, 0], [0, 0]]


def test_wgt_2_rows_of_weight_zero_are_absent():
    with_zero = tally_of([[0], [1], [10], [11], [1e9]], [0, 0, 1, 1, 1], [1, 1, 1, 1, 0])
    assert with_zero == tally_of([[0], [1], [10], [11]], [0, 0, 1, 1])
    assert with_zero.pooled_variance().tolist() == [25.25]


def small(**changes):
    parts = {"X": [[1.0, 2.0], [3.0, 2.0], [5.0, np.nan]], "y": ["a", "a", "b"]}
    return tally_of(**(parts | changes))


def test_taking_out_too_much_names_class_column_and_numbers():
    named = small(columns=["size", "age"])
    before = pickle.dumps(named)
    with pytest.raises(
        ForgetError, match=r"class 'b': 2\.0 rows to take out, but only 1\.0 are in; nothing was changed"
    ):
        named - small(X=[[5.0, 1], [5, 1]], y=["b", "b"])
    with pytest.raises(ForgetError, match=r"class 'c': 1\.0 rows"):
        named - small(X=[[5.0, 1]], y=["c"])
    with pytest.raises(ForgetError, match=r"class 'b', column 'age': 1\.0 rows to take out, but only 0\.0 are in"):
        named - small(X=[[5.0, 1]], y=["b"])
    with pytest.raises(ForgetError, match=r"class 'a', column 'size': the values to take out are not among those"):
        named - small(X=[[99.0, 2]], y=["a"])
    with pytest.raises(ForgetError, match=r"class 'a', column 1: the values to take out are not among those"):
        small() - small(X=[[3.0, 3.0]], y=["a"])
    assert pickle.dumps(named) == before


def test_the_last_rows_of_a_large_offset_can_be_taken_out_one_by_one():
    X = 1e8 + np.random.default_rng(3).normal(size=(40, 1))
    tally = tally_of(X, ["a"] * 40)
    for row in X:
        tally = tally - tally_of([row], ["a"])
    assert not tally.weight.any()


def test_a_mean_that_rounding_moved_away_from_zero_is_no_obstacle():
    left = tally_of([[0], [0], [1.4]], ["a"] * 3) - tally_of([[1.4]], ["a"])
    assert abs(left.mean[0, 0]) < 1e-15
    assert abs((left - tally_of([[0]], ["a"])).mean[0, 0]) < 1e-15


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (MomentTally.empty(3), "different numbers of columns: 2 against 3"),
        (small(columns=["size", "weight"]), "number 1 is 'age' against 'weight'"),
        (MomentTally.empty(2, space=Space("values")), "kind: 'columns' against 'values'"),
    ],
)
def test_what_cannot_be_added_is_refused_and_named(other, said):
    for operation in (MomentTally.__add__, MomentTally.__sub__):
        with pytest.raises(SpaceError, match=said):
            operation(small(columns=["size", "age"]), other)


def test_names_of_columns_are_kept_where_one_side_has_them():
    assert (small() + small(columns=["size", "age"])).columns == ("size", "age")
    assert (small(columns=["size", "age"]) - small()).columns == ("size", "age")
    assert small(columns=["size", "age"]).select([True, False]).columns == ("size",)


def test_values_too_large_to_be_squared_are_refused():
    with pytest.raises(InputError, match=r"class 'a', column 0: the values are too large"):
        tally_of([[1e200]], ["a"]) + tally_of([[-1e200]], ["a"])
    with pytest.raises(InputError, match="more than a tally can hold"):
        small() * 1e200 * 1e200
    alone = tally_of([[1e200], [0]], ["a", "b"])
    assert MomentTally.empty(1) + alone == alone == alone + MomentTally.empty(1)
    assert alone.pooled_variance().tolist() == [np.inf]


def test_there_is_no_digest_and_no_impossible_factor():
    with pytest.raises(InputError, match="no digest"):
        small().digest()
    for factor in (-1, float("nan"), float("inf")):
        with pytest.raises(ParameterError):
            small() * factor
    for other in (1, None, "a", True):
        with pytest.raises(TypeError):
            small() + other


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"class_count": [np.nan]}, "class_count holds a number that is not finite"),
        ({"class_count": [-1]}, "class_count holds a negative"),
        ({"m2": [[-1, 0]]}, "m2 holds a negative"),
        ({"mean": [[np.inf, 0]]}, "mean holds a number that is not finite"),
        ({"weight": [[0, 1]]}, "without weight"),
        ({"weight": [[3, 1]]}, "weighs more than its class"),
    ],
)
def test_a_check_finds_every_wrong_content(change, said):
    parts = {"class_count": [2], "weight": [[2, 1]], "mean": [[1, 0]], "m2": [[2, 0]]}
    labels, _ = Labels.of(["a"])
    MomentTally(labels, **parts).check()
    with pytest.raises(ValueError, match=said):
        MomentTally(labels, **(parts | change)).check()


@pytest.mark.parametrize(
    "change",
    [{"class_count": [1, 2]}, {"weight": [[1]]}, {"mean": [1, 2]}, {"m2": [[1, 2], [1, 2]]}, {"columns": ["one"]}],
)
def test_arrays_of_wrong_sizes_never_become_a_tally(change):
    parts = {"class_count": [2], "weight": [[2, 1]], "mean": [[1, 0]], "m2": [[2, 0]]}
    with pytest.raises(ValueError, match=r"sizes of a tally|names for"):
        MomentTally(Labels.of(["a"])[0], **(parts | change))
