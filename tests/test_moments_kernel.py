"""Moments and Gaussian scores in the kernel, against their slow twins in exact fractions."""

from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import sparse
from twins import kernel
from twins import moments as twin

from tallybayes import _kernel

SHAPES = [(1, 1, 1), (5, 3, 2), (70, 4, 2), (200, 7, 3), (333, 13, 3), (150, 50, 2), (64, 17, 40)]


def problem(n: int, d: int, n_classes: int, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    offset = rng.choice([0.0, 1e8, -3.0, 1e-5], d)
    scale = rng.choice([1.0, 1e-4, 1e6], d)
    return rng.normal(size=(n, d)) * scale + offset, rng.integers(0, n_classes, n).astype(np.int32), rng.random(n) * 3


def check(out: dict[str, Any], exact: list[Any], X: Any, tolerance: float = 1e-12) -> None:
    expected = np.array([[[float(part) for part in cell] for cell in row] for row in exact])
    shape = expected.shape[:2]
    weight, mean, m2 = (out[name].reshape(shape) for name in ("weight", "mean", "m2"))
    magnitude = np.nan_to_num(np.abs(X)).max(axis=0)
    assert out["bad"] is None
    assert not out["overflow"]
    np.testing.assert_allclose(weight, expected[:, :, 0], rtol=tolerance)
    assert (np.abs(mean - expected[:, :, 1]) <= tolerance * magnitude).all()
    # A mean is held to the spacing of float64 at its size, and so are deviations from it.
    rounding = np.spacing(magnitude) * np.sqrt(len(X) * expected[:, :, 2])
    assert (np.abs(m2 - expected[:, :, 2]) <= tolerance * expected[:, :, 2] + rounding).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_moments_are_those_of_the_twin(shape: tuple[int, int, int], jobs: int, dtype: Any) -> None:
    X, classes, weights = problem(*shape)
    X = X.astype(dtype)
    for given in (None, weights, np.where(weights < 1, 0, weights)):
        out = kernel.moments(X, classes, shape[2], weights=given, n_jobs=jobs)
        check(out, twin.moments(X.tolist(), classes, shape[2], given), X)


@pytest.mark.parametrize("shape", SHAPES)
def test_missing_values_are_left_out_column_by_column(shape: tuple[int, int, int]) -> None:
    X, classes, weights = problem(*shape, seed=1)
    X[np.random.default_rng(2).random(X.shape) < 0.3] = np.nan
    for given in (None, weights):
        out = kernel.moments(X, classes, shape[2], weights=given, missing=True)
        check(out, twin.moments(X.tolist(), classes, shape[2], given), X)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("missing", [False, True])
def test_sparse_moments_count_the_zeros_that_are_not_stored(index: Any, missing: bool) -> None:
    X, classes, weights = problem(300, 6, 3, seed=3)
    rng = np.random.default_rng(4)
    X[rng.random(X.shape) < 0.7] = 0
    X[:, 5] = rng.normal(size=300) + 1e6  # a full column is no special case
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    matrix = sparse.csr_array(X)
    for given in (None, weights):
        for jobs in (1, 2):
            out = kernel.moments_csr(matrix.indptr.astype(np.int64), matrix.indices.astype(index), matrix.data, 6,
                                      classes, 3, weights=given, missing=missing, n_jobs=jobs)  # fmt: skip
            check(out, twin.moments(X.tolist(), classes, 3, given), X)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_column_has_exactly_no_variance(missing: bool, weighted: bool) -> None:
    X = np.full((200, 5), 0.1)
    X[::7, :4] = np.nan if missing else 0.1
    weights = np.random.default_rng(0).random(200) if weighted else None
    classes = (np.arange(200) % 3).astype(np.int32)
    out = kernel.moments(X, classes, 3, weights=weights, missing=missing)
    matrix = sparse.csr_array(X)
    again = kernel.moments_csr(matrix.indptr.astype(np.int64), matrix.indices, matrix.data, 5, classes, 3,
                                weights=weights, missing=missing)  # fmt: skip
    assert (out["mean"] == 0.1).all()
    assert (out["m2"] == 0).all()
    assert (again["mean"] == 0.1).all()
    assert (again["m2"] == 0).all()


def test_a_jump_in_the_data_costs_no_digits() -> None:
    X = np.concatenate([np.full(64, 1e9) + np.arange(64) % 2, np.arange(64) % 3, [-1e9]])[:, None]
    weights = np.concatenate([np.full(64, 1e-9), np.ones(64), [1e-9]])
    classes = np.zeros(len(X), np.int32)
    check(kernel.moments(X, classes, 1, weights=weights), twin.moments(X.tolist(), classes, 1, weights), X)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_first_bad_value_in_row_order_is_named(bad: float, weighted: bool) -> None:
    X, classes, weights = problem(500, 9, 4)
    X[217, 3] = X[400, 1] = bad
    weights[217] = 0  # a row without weight must be usable all the same
    given = weights if weighted else None
    assert kernel.moments(X, classes, 4, weights=given)["bad"] == (217, 3)
    assert (kernel.moments(X, classes, 4, weights=given, missing=True)["bad"] is None) == np.isnan(bad)
    matrix = sparse.csr_array(X)
    arguments = (matrix.indptr.astype(np.int64), matrix.indices, matrix.data)
    assert kernel.moments_csr(*arguments, 9, classes, 4)["bad"] == (217, 3)
    table = np.zeros((4, 9))
    out = np.zeros((500, 4))
    assert _kernel.gaussian_scores(X, table, table - 1, None, np.zeros(4), out, 1) == (217, 3)
    assert _kernel.gaussian_scores_csr(*arguments, table, table - 1, None, np.zeros(4), out, 1) == (217, 3)


def test_squares_beyond_float64_are_reported() -> None:
    X = np.array([[1e200], [-1e200]])
    assert kernel.moments(X, np.zeros(2, np.int32), 1)["overflow"]


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 6, 10, 13, 23])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("missing", [False, True])
def test_scores_are_those_of_the_twin(n_classes: int, dtype: Any, missing: bool) -> None:
    rng = np.random.default_rng(n_classes)
    X = (rng.normal(size=(40, 7)) * 3).astype(dtype)
    X[:, 2] += 1e6
    X[rng.random(X.shape) < 0.4] = 0
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    mean, factor = rng.normal(size=(n_classes, 7)), -rng.random((n_classes, 7))
    mean[:, 2] += 1e6
    constant, base = (rng.normal(size=(n_classes, 7)) if missing else None), rng.normal(size=n_classes)
    expected = [
        [
            twin.gaussian_score(row, mean[c], factor[c], None if constant is None else constant[c], base[c])
            for c in range(n_classes)
        ]
        for row in X.tolist()
    ]
    out = np.full((40, n_classes), 7.0)
    assert _kernel.gaussian_scores(X, mean, factor, constant, base, out, 1) is None
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-13)
    in_order = np.tile(base, (40, 1))  # whatever vectors a processor has: these operations in this order
    for j in range(7):
        term = (X[:, j, None].astype(np.float64) - mean[:, j]) ** 2 * factor[:, j]
        in_order += np.where(np.isnan(term), 0.0, term if constant is None else term + constant[:, j])
    np.testing.assert_array_equal(out, in_order)
    matrix = sparse.csr_array(X)
    again = np.full((40, n_classes), 7.0)
    bad = _kernel.gaussian_scores_csr(matrix.indptr.astype(np.int64), matrix.indices, matrix.data, mean, factor,
                                      constant, base, again, 1)  # fmt: skip
    assert bad is None
    np.testing.assert_allclose(again, expected, rtol=1e-12, atol=1e-11)


def test_one_row_scores_as_in_a_batch() -> None:
    X, _, _ = problem(300, 11, 2)
    rng = np.random.default_rng(5)
    mean, factor, base = rng.normal(size=(6, 11)), -rng.random((6, 11)), rng.normal(size=6)
    whole, single = np.zeros((300, 6)), np.zeros((1, 6))
    _kernel.gaussian_scores(X, mean, factor, None, base, whole, n_jobs=2)
    for i in range(0, 300, 37):
        _kernel.gaussian_scores(X[i : i + 1], mean, factor, None, base, single, 1)
        assert (single[0] == whole[i]).all()


def test_arrays_that_do_not_fit_are_refused() -> None:
    X, classes = np.zeros((3, 2)), np.zeros(3, np.int32)
    with pytest.raises(ValueError, match="class_index"):
        kernel.moments(X, classes[:2], 1)
    with pytest.raises(ValueError, match="class_index"):
        kernel.moments(X, classes + 1, 1)
    with pytest.raises(ValueError, match="classes × columns"):
        _kernel.gaussian_scores(X, np.zeros((2, 3)), np.zeros((2, 3)), None, np.zeros(2), np.zeros((3, 2)), 1)
    with pytest.raises(TypeError):  # not C order: nanobind must not copy in silence
        kernel.moments(np.asfortranarray(np.zeros((3, 2))), classes, 1)


def test_the_largest_class_is_the_first_and_close_calls_are_named() -> None:
    joint = np.array([[1.0, 3, 2], [5, 5, 0], [0, 1, 1 + 1e-10], [-np.inf] * 3, [np.inf, 0, 0], [-np.inf, -5, -9]])
    choice = np.zeros(6, np.int64)
    open_rows = _kernel.largest(joint, 1e-9, choice, 1)
    assert choice.tolist() == [1, 0, 2, 0, 0, 1]
    assert open_rows.tolist() == [1, 2, 3, 4]


scores = st.sampled_from([-np.inf, -2.0, 0.0, 1.0, 1.0 + 5e-10, 1.0 + 2e-9, 1e300, np.inf])


@hypothesis.given(
    st.integers(1, 11).flatmap(lambda k: st.lists(st.lists(scores, min_size=k, max_size=k), min_size=1, max_size=11))
)
def test_the_largest_class_of_any_rows_is_that_of_the_twin(rows: list[list[float]]) -> None:
    choice = np.zeros(len(rows), np.int64)
    open_rows = _kernel.largest(np.array(rows), 1e-9, choice, 1)
    assert choice.tolist() == [row.index(max(row)) for row in rows]
    settled = [sum(x > max(row) - 1e-9 for x in row) == 1 for row in rows]
    assert open_rows.tolist() == [i for i, is_settled in enumerate(settled) if not is_settled]


def test_the_largest_classes_are_the_same_for_any_number_of_threads() -> None:
    joint = np.random.default_rng(0).integers(0, 9, (70_001, 5)).astype(np.float64)
    one, three = np.zeros(len(joint), np.int64), np.zeros(len(joint), np.int64)
    open_rows = _kernel.largest(joint, 1e-9, one, 1)
    assert _kernel.largest(joint, 1e-9, three, n_jobs=3).tolist() == open_rows.tolist()
    np.testing.assert_array_equal(one, three)
    np.testing.assert_array_equal(one, joint.argmax(axis=1))
