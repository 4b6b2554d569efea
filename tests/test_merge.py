"""Adding and subtracting the arrays of count tallies: the kernel against its slow twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.counting import Cells, cells_of, merge, without_zeros

from tallybayes import _kernel

classes = st.integers(0, 4)
channel_count = st.shared(st.integers(1, 2), key="channels")
values = channel_count.flatmap(lambda n: st.tuples(*[st.integers(0, 5)] * n))
rows = st.dictionaries(classes, values, max_size=4)
text_tallies = st.dictionaries(
    st.binary(max_size=3) | st.sampled_from([b"a", b"a\x00", "词".encode()]), rows, max_size=6
)
column_tallies = st.dictionaries(st.integers(0, 2**40) | st.integers(0, 5), rows, max_size=6)


def arrays(tally: Cells, n_channels: int, dtype: Any) -> list[Any]:
    features = sorted(tally)
    if features and isinstance(features[0], int):
        labels = [np.array(features, np.int64)]
    else:
        labels = [
            np.frombuffer(b"".join(features), np.uint8),
            np.cumsum([0, *(len(f) for f in features)], dtype=np.int64),
        ]
    cells = [(c, v) for f in features for c, v in sorted(tally[f].items())]
    indptr = np.cumsum([0, *(len(tally[f]) for f in features)], dtype=np.int64)
    class_index = np.array([c for c, _ in cells], np.int32)
    return [*labels, indptr, class_index, [np.array([v[k] for _, v in cells], dtype) for k in range(n_channels)]]


def call(a: Cells, b: Cells, a_map: list[int], b_map: list[int], sign: int, n: int, dtype: Any, text: bool) -> Any:
    sides = []
    for tally, class_map in ((a, a_map), (b, b_map)):
        side = arrays(tally, n, dtype)
        if not text and len(side) == 5:  # an empty tally of columns
            side = [np.empty(0, np.int64), *side[2:]]
        sides += [*side[:-1], np.array(class_map, np.int32), side[-1]]
    return (_kernel.merge_text if text else _kernel.merge_columns)(*sides, sign, 0.0)


def check(a: Cells, b: Cells, a_map: list[int], b_map: list[int], sign: int, n: int, dtype: Any, text: bool) -> None:
    a, b = without_zeros(a), without_zeros(b)
    wanted = merge(a, b, a_map, b_map, sign)
    out = call(a, b, a_map, b_map, sign, n, dtype, text)
    if isinstance(wanted, tuple):
        refused = out["refused"]
        assert (refused["feature"], refused["class_index"], refused["channel"]) == wanted
        assert refused["had"] < refused["other"]
    else:
        assert list(cells_of(out, out["channels"]).items()) == list(wanted.items())
        assert all(channel.dtype == dtype for channel in out["channels"])


maps = st.lists(st.integers(0, 9), min_size=5, max_size=5, unique=True).map(sorted)


@given(
    text_tallies,
    text_tallies,
    maps,
    maps,
    st.sampled_from([1, -1]),
    channel_count,
    st.sampled_from([np.int64, np.float64]),
)
def test_text_tallies_merge_like_the_twin(a, b, a_map, b_map, sign, n, dtype):
    check(a, b, a_map, b_map, sign, n, dtype, text=True)


@given(
    column_tallies,
    column_tallies,
    maps,
    maps,
    st.sampled_from([1, -1]),
    channel_count,
    st.sampled_from([np.int64, np.float64]),
)
def test_column_tallies_merge_like_the_twin(a, b, a_map, b_map, sign, n, dtype):
    check(a, b, a_map, b_map, sign, n, dtype, text=False)


@given(text_tallies, text_tallies, channel_count)
def test_taking_out_what_was_put_in_restores_the_arrays(a, b, n):
    same = [0, 1, 2, 3, 4]
    a, b = without_zeros(a), without_zeros(b)
    both = call(a, b, same, same, 1, n, np.int64, text=True)
    back = call(cells_of(both, both["channels"]), b, same, same, -1, n, np.int64, text=True)
    assert list(cells_of(back, back["channels"]).items()) == list(a.items())


def test_a_residue_of_rounding_is_no_count():
    a = {b"x": {0: (0.1 + 0.2,)}, b"y": {0: (1.0,)}}
    side = [*arrays(a, 1, np.float64)[:-1], np.array([0], np.int32), arrays(a, 1, np.float64)[-1]]
    b = {b"x": {0: (0.3,)}}
    other = [*arrays(b, 1, np.float64)[:-1], np.array([0], np.int32), arrays(b, 1, np.float64)[-1]]
    assert 0.1 + 0.2 != 0.3
    out = _kernel.merge_text(*side, *other, -1, 1e-12)
    assert cells_of(out, out["channels"]) == {b"y": {0: (1.0,)}}


def test_a_sum_beyond_int64_is_refused():
    big = {b"x": {0: (2**62,)}}
    out = call(big, big, [0], [0], 1, 1, np.int64, text=True)
    assert out["refused"]["overflow"]
    assert out["refused"]["feature"] == b"x"


def test_channels_of_another_type_are_refused_not_converted():
    with pytest.raises(TypeError, match="int64"):
        call({b"x": {0: (1,)}}, {b"x": {0: (1,)}}, [0], [0], 1, 1, np.int32, text=True)


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (1, np.array([0, 9], np.int64), "offsets"),
        (2, np.array([0, 2], np.int64), "indptr"),
        (3, np.array([7], np.int32), "class_index"),
        (4, np.array([-1], np.int32), "class_map"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(position, value, message):
    side = arrays({b"x": {0: (1,)}}, 1, np.int64)
    side = [*side[:-1], np.array([0], np.int32), side[-1]]
    wrong = list(side)
    wrong[position] = value
    with pytest.raises(ValueError, match=message):
        _kernel.merge_text(*wrong, *side, 1, 0.0)
