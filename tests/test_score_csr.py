"""Scores of CSR rows: the kernel against its slow twin, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import kernel
from twins.scoring import Table, lists, score

from tallybayes import _kernel

CLASSES = [1, 2, 3, 4, 6, 9, 14, 20, 23, 26, 30, 40, 300]
numbers = st.floats(-50, 50, allow_subnormal=False)


@st.composite
def tables(draw: st.DrawFn, n_features: int = 7) -> Table:
    k = draw(st.sampled_from(CLASSES))

    def vector(n: int) -> list[float]:
        return draw(st.lists(numbers, min_size=n, max_size=n))

    few = st.dictionaries(st.integers(0, k - 1), numbers, max_size=5)
    full = st.builds(lambda a, b: {c: a + c * b for c in range(k)}, numbers, numbers)
    deltas = [dict(sorted(draw(few | full).items())) for _ in range(n_features)]
    shared = draw(st.tuples(numbers, numbers, numbers))
    base, scale, unit = ([value + c / 7 for c in range(k)] for value in shared)
    return Table(base, scale, unit, deltas,
                 feature=vector(n_features) if draw(st.booleans()) else [],
                 gain=vector(n_features) if draw(st.booleans()) else [])  # fmt: skip


def kernel_table(table: Table, dense: bool = True) -> Any:
    indptr, classes, values = lists(table.deltas)
    return _kernel.ScoreTable(
        np.array(table.base), np.array(table.scale), np.array(table.unit), np.array(table.feature, float),
        np.array(table.gain, float), np.array(indptr, np.int64), np.array(classes, np.int32), np.array(values, float),
        dense,
    )  # fmt: skip


def kernel_scores(table: Any, rows: Any, index: Any = np.int32, dtype: Any = np.float64, **more: Any) -> Any:
    indptr = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    entries = [entry for row in rows for entry in row]
    out = np.full((len(rows), table.n_classes), np.nan)
    bad = kernel.score_csr(indptr, np.array([e[0] for e in entries], index), np.array([e[1] for e in entries], dtype),
                            table, out, **more)  # fmt: skip
    return out if bad is None else bad


entries = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 5) | st.integers(0, 40).map(lambda v: v / 8)), max_size=60
)


@given(
    tables(),
    st.lists(entries, max_size=5),
    st.sampled_from(["count", "binary", "log"]),
    st.booleans(),
    st.integers(1, 3),
)
def test_scores_equal_the_twin_to_the_last_bit(table, rows, value, dense, jobs):
    threshold = 0.5 if value == "binary" else 0.0
    out = kernel_scores(kernel_table(table, dense), rows, value=value, threshold=threshold, n_jobs=jobs)
    assert out.tolist() == [score(table, row, value, threshold) for row in rows]


@given(
    tables(), st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 100)), max_size=9), max_size=4), st.data()
)
def test_unknown_features_count_in_the_size_of_the_row(table, rows, data):
    unknown = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    dtype = data.draw(st.sampled_from([np.float32, np.int64, np.int32, np.uint8]))
    index = data.draw(st.sampled_from([np.int32, np.int64]))
    out = kernel_scores(kernel_table(table), rows, index, dtype, unknown=np.array(unknown, np.int64))
    assert out.tolist() == [score(table, row, unknown=u) for row, u in zip(rows, unknown, strict=True)]


@pytest.mark.parametrize("k", [2, 20, 200])
def test_a_row_alone_scores_like_the_row_in_a_batch(k):
    rng = np.random.default_rng(k)
    features, n = 500, 1500
    deltas = [
        dict.fromkeys(rng.choice(k, min(k, 1 + i % k), replace=False).tolist(), float(rng.random()))
        for i in range(features)
    ]
    deltas = [{c: v / (c + 1) for c, v in sorted(row.items())} for row in deltas]
    table = Table(rng.random(k).tolist(), [1.0] * k, rng.random(k).tolist(), deltas)
    rows = [list(zip(rng.integers(0, features, 50).tolist(), rng.random(50).tolist(), strict=True)) for _ in range(n)]
    prepared = kernel_table(table)
    together = kernel_scores(prepared, rows, n_jobs=3)
    lean = kernel_table(table, dense=False)
    for i in (0, 255, 256, n - 1):
        np.testing.assert_array_equal(kernel_scores(prepared, [rows[i]])[0], together[i])
        np.testing.assert_array_equal(kernel_scores(lean, [rows[i]])[0], together[i])


def test_many_classes_keep_lists_for_rare_features():
    deltas = [dict.fromkeys(range(300), 1.0), *({7: 1.0} for _ in range(2000))]
    table = kernel_table(Table([0.0] * 300, [1.0] * 300, [0.0] * 300, deltas))
    assert table.dense_rows == 1


def test_a_class_of_no_weight_stays_impossible():
    table = Table([-np.inf, 0.0], [1.0, 1.0], [-1.0, -1.0], [{0: 1.0, 1: 2.0}])
    assert kernel_scores(kernel_table(table), [[(0, 3.0)]]).tolist() == [[-np.inf, 3.0]]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_the_first_value_refused_is_named(bad):
    table = kernel_table(Table([0.0], [1.0], [0.0], [{0: 1.0}] * 3))
    rows = [[(0, 1.0)]] * 600 + [[(1, 2.0), (2, bad)], [(0, -5.0)]]
    row, column, value = kernel_scores(table, rows, n_jobs=2)
    assert (row, column) == (600, 2)
    assert value == bad or np.isnan(value)


def test_negative_values_pass_where_they_are_asked_for():
    table = Table([0.0], [1.0], [0.0], [{0: 1.0}])
    assert kernel_scores(kernel_table(table), [[(0, -2.0)]], negative=True).tolist() == [[-2.0]]


def test_a_column_out_of_range_is_refused():
    table = kernel_table(Table([0.0], [1.0], [0.0], [{0: 1.0}]))
    for column in (1, -1):
        with pytest.raises(ValueError, match=f"column {column} in row 0"):
            kernel_scores(table, [[(column, 1.0)]])


def test_an_output_of_another_type_or_shape_is_refused():
    table = kernel_table(Table([0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [{0: 1.0}]))
    row = np.array([0, 1], np.int64), np.array([0], np.int32), np.array([1.0])
    with pytest.raises(TypeError):
        kernel.score_csr(*row, table, np.empty((1, 2), np.float32))
    with pytest.raises(ValueError, match="shape"):
        kernel.score_csr(*row, table, np.empty((2, 2)))
    frozen = np.empty((1, 2))
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        kernel.score_csr(*row, table, frozen)


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (1, np.zeros(3), "scale"),
        (3, np.zeros(2), "feature"),
        (5, np.array([0, 2], np.int64), "indptr"),
        (6, np.array([5], np.int32), "class_index"),
        (7, np.zeros(2), "delta"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(position, value, message):
    arrays = [np.zeros(1), np.ones(1), np.zeros(1), np.zeros(0), np.zeros(0), np.array([0, 1], np.int64),
              np.array([0], np.int32), np.zeros(1)]  # fmt: skip
    arrays[position] = value
    with pytest.raises(ValueError, match=message):
        _kernel.ScoreTable(*arrays, True)
