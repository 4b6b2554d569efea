"""Class sums of CSR rows: the kernel against its slow twin."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import kernel
from twins.counting import cells_of, count_rows

N_COLUMNS = 9


@st.composite
def matrices(draw: st.DrawFn, values: Any) -> tuple[list[list[tuple[int, Any]]], list[int], int]:
    """Rows with duplicate and unsorted columns, one class for each, and the number of classes."""
    n_classes = draw(st.sampled_from([1, 2, 3, 5, 300]))
    rows = draw(st.lists(st.lists(st.tuples(st.integers(0, N_COLUMNS - 1), values), max_size=12), max_size=12))
    used = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(rows), max_size=len(rows)))
    return rows, used, n_classes


def csr(rows: list[list[tuple[int, Any]]], index: Any = np.int32, dtype: Any = np.float64) -> tuple[Any, Any, Any]:
    indptr = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    entries = [entry for row in rows for entry in row]
    return indptr, np.array([e[0] for e in entries], index), np.array([e[1] for e in entries], dtype)


def count(
    rows: Any, classes: list[int], n_classes: int, *, index: Any = np.int32, dtype: Any = np.float64, **more: Any
) -> Any:
    """Sums as the kernel counts them; `spare=0` has it keep lists of cells, without a place for every one."""
    return kernel.count_csr(*csr(rows, index, dtype), N_COLUMNS, np.array(classes, np.int32), n_classes, **more)


def channels(out: Any) -> list[Any]:
    return [out[name] for name in ("occurrences", "documents") if name in out]


wanted = st.sampled_from([(True, False), (False, True), (True, True)])
threads = st.integers(1, 3)
spare = st.sampled_from([0, 1 << 20])
DTYPES = [np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8]


@given(
    matrices(st.integers(0, 7)),
    wanted,
    threads,
    st.sampled_from([np.int32, np.int64]),
    st.sampled_from(DTYPES),
    st.integers(0, 2),
    spare,
)
def test_whole_values_give_exact_sums_like_the_twin(matrix, which, jobs, index, dtype, threshold, spare):
    rows, classes, n = matrix
    occurrences, documents = which
    out = count(rows, classes, n, index=index, dtype=dtype, occurrences=occurrences, documents=documents,
                threshold=float(threshold), spare=spare, n_jobs=jobs)  # fmt: skip
    twin = count_rows(rows, classes, None, occurrences=occurrences, documents=documents, threshold=threshold)
    assert out["bad"] is None
    assert all(channel.dtype == np.int64 for channel in channels(out))
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


@given(matrices(st.integers(0, 64).map(lambda k: k / 8)), wanted, threads, spare, st.data())
def test_fractions_and_weights_give_float_sums_like_the_twin(matrix, which, jobs, spare, data):
    rows, classes, n = matrix
    weights = data.draw(st.lists(st.integers(0, 16).map(lambda k: k / 4), min_size=len(rows), max_size=len(rows)))
    occurrences, documents = which
    out = count(rows, classes, n, weights=np.array(weights), whole_weights=False, occurrences=occurrences,
                documents=documents, spare=spare, n_jobs=jobs)  # fmt: skip
    exact = [[(c, Fraction(v)) for c, v in row] for row in rows]  # eighths: double sums are exact too
    twin = count_rows(exact, classes, weights, occurrences=occurrences, documents=documents)
    assert all(channel.dtype == np.float64 for channel in channels(out))
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


# Around what fits in uint32: the largest value, a sum of two, a weight that makes it too large, a fraction among others.
edges = st.sampled_from([0.0, 1.0, 0.5, 2.0**31, 2.0**32 - 1, 2.0**32, 2.0**32 + 1, 2.0**33, 2.0**51 + 1])


@given(matrices(edges), wanted, threads, spare, st.data())
def test_large_values_and_whole_weights_give_sums_like_the_twin(matrix, which, jobs, spare, data):
    rows, classes, n = matrix
    whole = st.sampled_from([0, 1, 2, 3, 2**31, 2**32])
    weights = data.draw(st.none() | st.lists(whole, min_size=len(rows), max_size=len(rows)))
    occurrences, documents = which
    threshold = data.draw(st.sampled_from([0.75, -1.0]))
    given_weights = None if weights is None else np.array(weights, np.float64)
    out = count(rows, classes, n, weights=given_weights, occurrences=occurrences, documents=documents,
                threshold=threshold, spare=spare, n_jobs=jobs)  # fmt: skip
    exact = [[(c, Fraction(v)) for c, v in row] for row in rows]
    twin = count_rows(exact, classes, weights, occurrences=occurrences, documents=documents, threshold=threshold)
    sums = [cell for row in twin.values() for cells in row.values() for cell in cells]
    fractions = occurrences and any(value == 0.5 for row in rows for _, value in row)
    whole = max(sums, default=0) < 2**53 and not fractions
    assert {channel.dtype.kind for channel in channels(out)} == {"i" if whole else "f"}
    if whole:
        assert list(cells_of(out, channels(out)).items()) == list(twin.items())


@pytest.mark.parametrize("rows", [[[(0, 2.0**31), (0, 2.0**31)]], [[(0, 2.0**31)], [(0, 2.0**31)]]])
def test_a_sum_beyond_32_bits_is_exact_within_a_row_and_over_rows(rows):
    assert count(rows, [0] * len(rows), 1)["occurrences"].tolist() == [2**32]
    out = count(rows[:1], [0], 1, weights=np.array([2.0**32]), threshold=-1.0, occurrences=False, documents=True)
    assert out["documents"].tolist() == [2**32]
    empty = count([[(0, 0.0)]], [0], 1, weights=np.array([2.0**32]), threshold=-1.0, occurrences=False, documents=True)
    assert empty["documents"].tolist() == [2**32]


@given(matrices(st.integers(0, 7)), st.data())
def test_the_order_of_the_rows_does_not_matter(matrix, data):
    rows, classes, n = matrix
    order = data.draw(st.permutations(range(len(rows))))
    out = count(rows, classes, n)
    shuffled = count([rows[i] for i in order], [classes[i] for i in order], n)
    assert cells_of(out, channels(out)) == cells_of(shuffled, channels(shuffled))


@pytest.mark.parametrize("n_classes", [2, 5, 1000])
@pytest.mark.parametrize("spare", [0, 1 << 20])
@pytest.mark.parametrize("divisor", [1, 4])
def test_many_rows_over_several_threads_give_the_same_arrays(n_classes, spare, divisor):
    rng = np.random.default_rng(0)
    n, columns = 3000, 400
    indptr = np.arange(0, 20 * n + 1, 20, dtype=np.int64)
    indices = np.sort((columns * rng.random((n, 20)) ** 3).astype(np.int32), axis=1).ravel()
    data = rng.integers(1, 9, indices.size) / divisor
    classes = rng.integers(0, n_classes, n).astype(np.int32)
    dense = np.zeros((n_classes, columns))
    np.add.at(dense, (np.repeat(classes, 20), indices), data)
    for jobs in (1, 2, 3):
        out = kernel.count_csr(indptr, indices, data, columns, classes, n_classes, spare=spare, n_jobs=jobs)
        again = np.zeros_like(dense)
        again[out["class_index"], np.repeat(out["columns"], np.diff(out["indptr"]))] = out["occurrences"]
        np.testing.assert_array_equal(again, dense)
        assert out["occurrences"].all()
        assert out["occurrences"].dtype == (np.int64 if divisor == 1 else np.float64)


def test_a_sum_beyond_2_to_53_is_no_longer_called_exact():
    out = count([[(0, 2.0**52)], [(0, 2.0**52)]], [0, 0], 1)
    assert out["occurrences"].dtype == np.float64
    out = count([[(0, 2.0**52)], [(0, 2.0**52 - 1)]], [0, 0], 1)
    assert out["occurrences"].tolist() == [2**53 - 1]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n_classes", [2, 20])
@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("spare", [0, 1 << 20])
def test_the_first_value_refused_is_named_in_row_order(bad, n_classes, jobs, spare):
    rows = [[(1, 1.0)], [(2, 3.0), (4, 0.5)], [(3, bad), (1, -7.0)], [(0, np.nan)]]
    out = count(rows, [1, 1, 1, 0], n_classes, spare=spare, n_jobs=jobs)
    row, column, value = out["bad"]
    assert (row, column) == (2, 3)
    assert value == bad or (np.isnan(value) and np.isnan(bad))


def test_negative_values_pass_where_only_presence_is_asked_for():
    out = count([[(1, -2.0), (2, 3.0)]], [0], 1, occurrences=False, documents=True, negative=True)
    assert cells_of(out, channels(out)) == {2: {0: (1,)}}
    assert count([[(1, np.nan)]], [0], 1, occurrences=False, documents=True, negative=True)["bad"][:2] == (0, 1)


def test_no_rows_and_no_columns_give_an_empty_tally():
    for rows in ([], [[]]):
        out = count(rows, [0] * len(rows), 3)
        assert (out["columns"].size, out["indptr"].tolist(), out["occurrences"].dtype) == (0, [0], np.int64)


def test_read_only_arrays_are_accepted():
    parts = [*csr([[(1, 2.0)]]), np.array([0], np.int32)]
    for part in parts:
        part.flags.writeable = False
    out = kernel.count_csr(*parts[:3], N_COLUMNS, parts[3], 1)
    assert out["occurrences"].tolist() == [2]


def test_arrays_of_another_type_are_refused_not_converted():
    indptr, indices, data = csr([[(1, 2.0)]])
    zero = np.array([0], np.int32)
    for wrong in (
        (indptr.astype(np.int32), indices, data, N_COLUMNS, zero),
        (indptr, indices.astype(np.int16), data, N_COLUMNS, zero),
        (indptr, indices, data.astype(np.complex128), N_COLUMNS, zero),
        (indptr, indices, data, N_COLUMNS, zero.astype(np.int64)),
    ):
        with pytest.raises(TypeError):
            kernel.count_csr(*wrong, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([N_COLUMNS], np.int32)}, "column 9 in row 0"),
        ({"indices": np.array([-1], np.int32)}, "column -1 in row 0"),
        ({"indptr": np.array([0, 2], np.int64)}, "indptr"),
        ({"data": np.array([1.0, 2.0])}, "data"),
        ({"class_index": np.array([1], np.int32)}, "class_index"),
        ({"class_index": np.array([-1], np.int32)}, "class_index"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    indptr, indices, data = csr([[(1, 2.0)]])
    arguments = {"indptr": indptr, "indices": indices, "data": data, "n_columns": N_COLUMNS,
                 "class_index": np.array([0], np.int32), "n_classes": 1} | change  # fmt: skip
    with pytest.raises(ValueError, match=message):
        kernel.count_csr(**arguments)
