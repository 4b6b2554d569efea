"""Forgetting what dominated a variance: what is left is what never seeing the rows would have given, or it is refused."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from twins import kernel
from twins import moments as twin

from tallybayes import ForgetError, GaussianNB, Model, MomentTally

from .test_tally_forms import through_blocks, through_json

X = np.array([[0.0], [1], [2], [3], [2], [3], [4], [5]])
y = [0, 0, 0, 0, 1, 1, 1, 1]
UNITS = [1.0, 1e-9, 1e-27, 1e12, 1 / 3]

layouts = pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "csr"])


def moments_of(model: Any) -> tuple[Any, Any]:
    return model.tally_.mean.tolist(), model.tally_.variance().tolist()


@layouts
@pytest.mark.parametrize("missing", ["error", "skip"])
@pytest.mark.parametrize("weights", [None, 0.1])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("outlier", [1e3, 1e6, -1e9])
def test_an_outlier_that_is_forgotten_was_never_there(
    layout: Any, missing: Any, weights: Any, unit: float, outlier: float
) -> None:
    rows, gone = layout(X * unit), layout(np.array([[outlier * unit]]))
    with_it = layout(np.concatenate([X, [[outlier]]]) * unit)
    given = None if weights is None else np.arange(1, 9) * weights
    model = GaussianNB(missing=missing).fit(with_it, [*y, 0], None if weights is None else np.append(given, 0.3))
    model.forget(gone, [0], None if weights is None else [0.3])
    never = GaussianNB(missing=missing).fit(rows, y, given)
    for after, wanted in zip(moments_of(model), moments_of(never), strict=True):
        np.testing.assert_allclose(after, wanted, rtol=1e-12)


def test_models_and_tallies_forget_what_dominated_too() -> None:
    whole = GaussianNB().fit(np.concatenate([X, [[1e9]]]), [*y, 0]).model_
    outlier, never = GaussianNB().fit([[1e9]], [0]).model_, GaussianNB().fit(X, y).model_
    parts = [GaussianNB().fit(X[i : i + 1], y[i : i + 1]).model_ for i in (7, 2, 4, 0, 1, 6, 5, 3)]
    in_the_middle = Model.sum([*parts[:3], outlier, *parts[3:]])
    for left in (whole.without([[1e9]], [0]), whole - outlier, in_the_middle - outlier):
        np.testing.assert_allclose(left.tally.variance(), never.tally.variance(), rtol=1e-12)
        np.testing.assert_allclose(left.tally.mean, never.tally.mean, rtol=1e-12)
    half = (whole.tally * 0.3 - outlier.tally * 0.3).variance()
    np.testing.assert_allclose(half, never.tally.variance(), rtol=1e-12)
    united = whole.tally.regrouped({1: 0}) - outlier.tally
    np.testing.assert_allclose(united.variance(), [X.var(axis=0)], rtol=1e-12)


@pytest.mark.parametrize("unit", UNITS)
def test_rows_that_were_never_learnt_are_refused_in_every_unit(unit: float) -> None:
    model = GaussianNB().fit(X * unit, y)
    before = pickle.dumps(model)
    with pytest.raises(ForgetError, match="class 0, column 0: the values to take out are not among those that are in"):
        model.forget([[40 * unit]], [0])
    assert pickle.dumps(model) == before


def test_what_cannot_be_known_any_more_is_refused_and_named() -> None:
    model = GaussianNB().fit(np.concatenate([X, [[1e18]]]), [*y, 1])
    before = pickle.dumps(model)
    with pytest.raises(ForgetError, match=r"class 1, column 0: .* dwarfs what stays.*; train again without it"):
        model.forget([[1e18]], [1])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("outlier", [7.0, 1e9])
def test_a_column_that_is_constant_again_has_exactly_no_variance(outlier: float) -> None:
    model = GaussianNB().fit([[0.3], [0.3], [0.3], [outlier], [1], [2]], [0, 0, 0, 0, 1, 1]).forget([[outlier]], [0])
    assert model.tally_.variance().tolist() == [[0.0], [0.25]]


@pytest.mark.parametrize(("offset", "spread"), [(0, 1), (1e8, 1), (0, 1e-9), (1e4, 1e-3)])
def test_a_window_that_slides_for_long_keeps_the_moments_of_its_rows(offset: float, spread: float) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(offset, spread, (1000, 1))
    values[300] = 1e6 * spread + offset  # enters and leaves again
    model = GaussianNB().partial_fit(values[:20], [0] * 20, classes=[0, 1])
    for i in range(20, len(values)):
        model.partial_fit(values[i : i + 1], [0]).forget(values[i - 20 : i - 19], [0])
    window = [Fraction(float(value)) for value in values[-20:, 0]]
    mean = sum(window) / 20
    assert model.tally_.mean[0, 0] == pytest.approx(float(mean), rel=1e-15)
    assert model.tally_.variance()[0, 0] == pytest.approx(float(sum((x - mean) ** 2 for x in window) / 20), rel=1e-13)


def dominated() -> MomentTally:
    tally: MomentTally = GaussianNB().fit(np.concatenate([X, [[1e9]]]), [*y, 0]).tally_
    return tally


@pytest.mark.parametrize("through", [through_blocks, through_json, lambda tally: pickle.loads(pickle.dumps(tally))])
def test_a_file_holds_what_forgetting_needs(through: Any) -> None:
    back = through(dominated()) - GaussianNB().fit([[1e9]], [0]).tally_
    assert back.variance()[:, 0] == pytest.approx([1.25, 1.25], rel=1e-12)


def test_what_was_rounded_is_refused_where_it_would_be_wrong() -> None:
    """So are the files of before there were second halves."""
    whole, outlier = dominated(), GaussianNB().fit([[1e9]], [0]).tally_
    rounded = MomentTally(whole.classes, whole.class_count, whole.weight, whole.mean, whole.m2)
    with pytest.raises(ForgetError, match="dwarfs what stays"):
        rounded - outlier
    near = MomentTally(whole.classes, *(getattr(rounded, name) for name in ("class_count", "weight", "mean", "m2")))
    assert near == whole
    plain = GaussianNB().fit(X, y).tally_
    old = MomentTally(plain.classes, plain.class_count, plain.weight, plain.mean, plain.m2)
    left = old - GaussianNB().fit(X[3:4], y[3:4]).tally_
    assert left.variance()[:, 0] == pytest.approx([2 / 3, 1.25], rel=1e-12)
    assert through_blocks(left).low is None
    assert through_json(left).low is None


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        (0, 1.0, "more than rounding"),
        (1, np.nan, "more than rounding"),
        (3, -1.0, "negative"),
        (3, np.inf, "not finite"),
    ],
)
def test_second_halves_that_rounding_cannot_have_left_are_refused(part: int, value: float, said: str) -> None:
    tally = GaussianNB().fit([[1.0], [2.0]], [0, 0]).tally_
    parts = {name: getattr(tally, name) for name in ("classes", "class_count", "weight", "mean", "m2", "low")}
    MomentTally(**parts).check()
    parts["low"] = np.array(parts["low"])
    parts["low"][part] = value
    with pytest.raises(ValueError, match=said):
        MomentTally(**parts).check()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0.0, 3.0, 1e8])
def test_the_kernel_sums_far_beyond_float64(dtype: Any, offset: float) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(offset, 1, (300, 9))
    values[7::50, :5] *= 1e9
    values, classes = values.astype(dtype), rng.integers(0, 3, 300).astype(np.int32)
    gaps = np.where(rng.random(values.shape) < 0.2, np.nan, values)
    matrix = sparse.csr_array(np.where(rng.random(values.shape) < 0.2, 0, values))
    weights = rng.random(300)
    csr = (matrix.indptr.astype(np.int64), matrix.indices, matrix.data, 9)
    stored = matrix.toarray()
    for given in (None, weights):
        for found, rows in (
            (kernel.moments(values, classes, 3, weights=given), values),
            (kernel.moments(gaps, classes, 3, weights=given, missing=True, n_jobs=2), gaps),
            (kernel.moments_csr(*csr, classes, 3, weights=given), stored),
        ):
            exact = twin.moments(rows.tolist(), classes, 3, given)
            low = found["low"].reshape(4, 3, 9)
            for part, name in enumerate(("weight", "mean", "m2")):
                for c, j in np.ndindex(3, 9):
                    both = Fraction(found[name].reshape(3, 9)[c, j]) + Fraction(low[part, c, j])
                    assert abs(both - exact[c][j][part]) <= abs(exact[c][j][part]) / 2**75


@pytest.mark.parametrize("kept", [0.0, 0.3])
def test_what_earlier_rows_left_of_errors_is_not_taken_for_rows_never_learnt(kept: float) -> None:
    rng = np.random.default_rng(4)
    gone = rng.normal(size=(300, 1)) * 10.0 ** rng.integers(-3, 6, (300, 1))
    model = GaussianNB().fit(np.concatenate([np.full((10, 1), kept), gone, [[1.0]]]), [0] * 310 + [1])
    for row in gone:
        model.forget([row], [0])
    assert model.tally_.mean[0].tolist() == [kept]
    assert model.tally_.variance()[0].tolist() == [0.0]
