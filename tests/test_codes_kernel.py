"""Counting and scoring of integer codes in the kernel, against slow twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import kernel
from twins import moments as twin

from tallybayes import _kernel

LIMIT = 1 << 24


@st.composite
def problems(draw: st.DrawFn, low: int = 0) -> tuple[Any, Any, int, Any]:
    n, d, n_classes = draw(st.integers(1, 40)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    top = rng.integers(1, 30, d)
    X = rng.integers(low, top, (n, d))
    return X, rng.integers(0, n_classes, n).astype(np.int32), n_classes, rng.integers(0, 5, n)


def laid_out(out: dict[str, Any], n_classes: int) -> list[list[dict[int, Any]]]:
    cells = np.split(out["cells"].reshape(n_classes, -1), np.cumsum(out["size"])[:-1], axis=1)
    return [[{v: x for v, x in enumerate(column[c].tolist()) if x} for column in cells] for c in range(n_classes)]


@given(problems(), st.sampled_from([np.int64, np.int32, np.uint8]))
def test_counts_are_those_of_the_twin(problem: Any, dtype: Any) -> None:
    X, classes, n_classes, weights = problem
    out = kernel.count_codes(X.astype(dtype), classes, n_classes)
    assert out["cells"].dtype == np.int64
    assert out["size"].tolist() == (X.max(axis=0) + 1).tolist()
    assert laid_out(out, n_classes) == twin.count_codes(X.tolist(), classes, n_classes)
    for given_weights in (weights, weights / 4):
        out = kernel.count_codes(X.astype(dtype), classes, n_classes, weights=given_weights)
        counted = twin.count_codes(X.tolist(), classes, n_classes, given_weights.tolist())
        assert out["size"].tolist() == (X.max(axis=0) + 1).tolist()  # a row of weight 0 has its codes too
        assert laid_out(out, n_classes) == [[{v: x for v, x in j.items() if x} for j in c] for c in counted]


@given(problems(low=-2))
def test_negative_codes_are_missing_or_refused(problem: Any) -> None:
    X, classes, n_classes, _ = problem
    out = kernel.count_codes(X, classes, n_classes, missing=True)
    assert laid_out(out, n_classes) == twin.count_codes(X.tolist(), classes, n_classes)
    negative = np.argwhere(X < 0)
    refused = kernel.count_codes(X, classes, n_classes)["negative"]
    assert refused == (tuple(negative[0].tolist()) if len(negative) else None)
    lowest = np.array([[0], [np.iinfo(np.int64).min]])
    assert kernel.count_codes(lowest, np.zeros(2, np.int32), 1)["negative"] == (1, 0)


def test_threads_and_growing_tables_give_the_same_counts() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, np.linspace(2, 400, 20_000).astype(int)[:, None], (20_000, 3))  # ever larger codes
    classes = rng.integers(0, 7, 20_000).astype(np.int32)
    one, three = (kernel.count_codes(X, classes, 7, n_jobs=jobs) for jobs in (1, 3))
    assert (one["cells"] == three["cells"]).all()
    assert laid_out(one, 7) == twin.count_codes(X.tolist(), classes, 7)


def test_gaps_and_larger_codes_among_rows_that_fit_are_counted_like_the_others() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (3_000, 3))
    X[rng.random(X.shape) < 0.001] = -1
    X[rng.integers(0, 3_000, 9), rng.integers(0, 3, 9)] = rng.integers(4, 300, 9)
    classes = rng.integers(0, 3, 3_000).astype(np.int32)
    weights = rng.integers(0, 5, 3_000)
    out = kernel.count_codes(X, classes, 3, missing=True)
    assert laid_out(out, 3) == twin.count_codes(X.tolist(), classes, 3)
    out = kernel.count_codes(X, classes, 3, weights=weights, missing=True, n_jobs=2)
    counted = twin.count_codes(X.tolist(), classes, 3, weights.tolist())
    assert laid_out(out, 3) == [[{v: x for v, x in j.items() if x} for j in c] for c in counted]


def test_a_monster_code_allocates_nothing() -> None:
    out = kernel.count_codes(np.array([[2**60], [3]]), np.zeros(2, np.int32), 1)
    assert out["too_wide"]
    assert out["cells"].size == 0


@pytest.mark.parametrize("n_classes", [1, 3, 4, 10, 16, 21, 33])
def test_scores_are_sums_of_rows_of_the_table(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    sizes = np.array([3, 1, 6])
    first = np.concatenate([[0], np.cumsum(sizes + 1)])
    stride = -(-n_classes // 4) * 4
    table, base = rng.normal(size=(first[-1], stride)), rng.normal(size=stride)
    X = rng.integers(-1, sizes + 2, (2500, 3))
    expected = np.tile(base, (2500, 1))
    for j in range(3):
        row = first[j] + np.minimum(X[:, j], sizes[j])
        expected += np.where(X[:, [j]] >= 0, table[row], 0.0)
    for jobs in (1, 2):
        out = np.zeros((2500, n_classes))
        refused = _kernel.score_codes(X, first, table, base, n_classes, True, True, out, n_jobs=jobs)
        assert refused == (None, None)
        np.testing.assert_allclose(out, expected[:, :n_classes], rtol=1e-14, atol=1e-14)
    negative, unseen = _kernel.score_codes(X, first, table, base, n_classes, False, False, out, 1)
    assert negative == tuple(np.argwhere(X < 0)[0].tolist())
    assert unseen == tuple(np.argwhere(sizes <= X)[0].tolist())
