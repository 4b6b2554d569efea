"""Labels: typed, sorted, encoded, given back as they came."""

from __future__ import annotations

import datetime as dt
import enum
import pickle

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import _kernel
from tallybayes.errors import InputError, InputTypeError
from tallybayes.labels import Labels

one_kind = st.one_of(
    st.lists(st.text(st.characters(exclude_categories=[]), max_size=4)),
    st.lists(st.integers(-(2**70), 2**70)),
    st.lists(st.floats(allow_nan=False, allow_infinity=False)),
    st.lists(st.booleans()),
    st.lists(st.binary(max_size=3)),
    st.lists(st.dates()),
)


@given(one_kind)
def test_codes_lead_back_to_the_values(values):
    labels, codes = Labels.of(values)
    assert [labels[code] for code in codes] == values
    assert list(labels) == sorted(set(values))
    assert all(type(a) is type(b) for a, b in zip(labels.array[codes].tolist(), values, strict=True))


edges = st.sampled_from([-(2**63), -(2**63) + 1, 2**63 - 2, 2**63 - 1])
some_numbers = st.lists(st.integers(-5, 12) | edges, max_size=40)


@given(some_numbers | st.lists(st.integers(-5, 12), max_size=40), st.sampled_from([1, 2, 7, 18, 2**16]))
def test_whole_numbers_of_a_small_range_are_numbered_like_distinct_values(values, limit):
    found = _kernel.encode_range(np.array(values, np.int64), limit)
    if not values or max(values) - min(values) >= limit:
        assert found is None
        return
    distinct, codes = found
    assert distinct.tolist() == sorted(set(values))
    assert [distinct[code] for code in codes] == values


@given(st.lists(st.integers(0, 6), max_size=50))
def test_classes_are_counted(codes):
    counted = _kernel.count_classes(np.array(codes, np.int32), 7)
    assert counted.tolist() == [codes.count(c) for c in range(7)]
    for wrong in (-1, 7):
        with pytest.raises(ValueError, match="codes"):
            _kernel.count_classes(np.array([*codes, wrong], np.int32), 7)


@given(one_kind)
def test_json_and_pickle_round_trip(values):
    labels, _ = Labels.of(values)
    for copy in (Labels.from_json(labels.to_json()), pickle.loads(pickle.dumps(labels))):
        assert copy == labels
        assert hash(copy) == hash(labels)
        assert copy.array.dtype == labels.array.dtype


@given(st.lists(st.text(max_size=2)), st.lists(st.text(max_size=2)))
def test_a_union_holds_both_and_says_where(one, other):
    a, b = Labels.of(one)[0], Labels.of(other)[0]
    united, mine, theirs = a.union(b)
    assert set(united) == set(one) | set(other)
    assert [united[position] for position in mine] == list(a)
    assert [united[position] for position in theirs] == list(b)


@pytest.mark.parametrize(
    ("one", "other", "united"),
    [
        (np.array([1], np.int8), np.array([300], np.int32), "int32"),
        (np.array([2**63], np.uint64), np.array([-1]), "object"),  # NumPy would meet in float64
        (np.array([0.5], np.float32), [0.1], "float64"),
        (["a"], np.array(["long"], object), "object"),
        (np.array(["2024-01-01"], "M8[D]"), np.array(["2024-01-02"], "M8[ns]"), "datetime64[ns]"),
    ],
)
def test_a_union_has_a_dtype_that_holds_both(one, other, united):
    a, b = Labels.of(one)[0], Labels.of(other)[0]
    both = a.union(b)[0]
    assert both.array.dtype == united
    assert sorted([*a, *b]) == list(both)
    assert Labels.of(both.array)[0] == both


@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", ">i4", "float32", "float64", "bool", "U5", "S3", "object", "M8[D]"]
)
def test_the_dtype_of_an_array_comes_back(dtype):
    array = np.array([3, 1, 1, 0]).astype("int64").astype(dtype)
    labels, codes = Labels.of(array)
    assert (labels.array[codes] == array).all()
    assert labels.array.dtype.kind == array.dtype.kind
    if array.dtype.kind not in "US":
        assert labels.array.dtype == array.dtype.newbyteorder("=")


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -2)])
def test_read_only_and_strided_arrays_are_read(order):
    array = np.arange(50) % 7
    array.flags.writeable = False
    labels, codes = Labels.of(array[order])
    assert (labels.array[codes] == array[order]).all()


def test_many_distinct_labels_outgrow_the_first_table():
    array = np.random.default_rng(1).integers(0, 10**12, 30_000)
    labels, codes = Labels.of(array)
    assert (labels.array[codes] == array).all()
    assert len(labels) == len(np.unique(array))


def test_labels_of_several_types_in_numpy_scalars_and_enums_are_plain_values():
    class Colour(str, enum.Enum):  # noqa: UP042 - its str() is "Colour.RED"
        RED = "red"

    class Size(enum.IntEnum):
        BIG = 2

    assert Labels.of([Colour.RED, "blue", np.str_("red")])[0].values == ("blue", "red")
    assert Labels.of([Size.BIG, np.int8(1)])[0].values == (1, 2)
    assert {type(value) for value in Labels.of([Size.BIG, np.int8(1)])[0]} == {int}


def test_zero_has_one_sign():
    assert Labels.of([0.0, -0.0])[0] == Labels.of(np.array([-0.0]))[0]
    assert str(Labels.of(np.array([-0.0]))[0][0]) == "0.0"


def test_text_that_ends_in_nul_stays_apart():
    labels, _ = Labels.of(["a", "a\0"])
    assert labels.array.tolist() == ["a", "a\0"]


@pytest.mark.parametrize("values", [["1", 1, "1", 1], np.array(["1", 1, "1", 1], dtype=object)])
def test_label_1_text_and_numbers_are_not_mixed(values):
    with pytest.raises(InputError, match=r"labels mix text and numbers: '1' at row 0 is str, 1 at row 1 is int"):
        Labels.of(values)


@pytest.mark.parametrize(
    "missing", [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "s")]
)
def test_label_1_missing_labels_are_counted_and_placed(missing):
    for values in (["a", missing, "b", missing], np.array(["a", missing, "b", missing], dtype=object)):
        with pytest.raises(InputError, match=r"^2 labels missing, first at row 1$"):
            Labels.of(values)


@pytest.mark.parametrize(
    "array", [np.array([1, np.nan, 2]), np.array(["2020-01-01", "NaT"], "M8[D]"), np.array([1, np.nan], np.float16)]
)
def test_label_1_missing_in_typed_arrays(array):
    with pytest.raises(InputError, match=r"^1 label missing, first at row 1$"):
        Labels.of(array)


@pytest.mark.parametrize("values", [[1, 2, 1], [True, False], ["a", "b"]])
def test_label_1_object_arrays_of_one_kind_are_fine(values):
    labels, codes = Labels.of(np.array(values, dtype=object))
    assert labels.array[codes].tolist() == values
    assert labels.kind == type(values[0]).__name__


@pytest.mark.parametrize("pair", [(1, True), (1, 1.0), (1.0, True), ("a", b"a")])
def test_label_1_values_that_python_calls_equal_are_told_apart(pair):
    with pytest.raises(InputError, match="labels mix"):
        Labels.of(list(pair))
    one, other = (Labels.of([value])[0] for value in pair)
    assert one != other
    assert pair[1] not in one
    with pytest.raises(InputError, match="labels mix"):
        one.union(other)
    if bool not in map(type, pair) and pair[0] == 1:  # where the classes are known, numbers are matched by value
        assert one.codes([pair[1]]).tolist() == [0]
        assert other.codes([pair[0]]).tolist() == [0]
        return
    with pytest.raises(InputError, match="unknown label"):
        one.codes([pair[1]])


FRAMES = [
    (pd.Series([5, 1, 5], dtype="Int64"), "int64"),
    (pd.Series([5, 1, 5], dtype="Int8"), "int8"),
    (nw.from_native(pd.Series(["b", "a", "b"]), series_only=True), "object"),
    (nw.from_native(pl.Series([2, 1, 2]), series_only=True), "int64"),
    (pd.Series([True, False, True], dtype="boolean"), "bool"),
    (pd.Series(["b", "a", "b"], dtype="string"), "object"),
    (pd.Series(["b", "a", "b"], dtype="category"), "object"),
    (pd.Series([3, 1, 3], dtype="category"), "int64"),
    (pd.Series(["b", "a", "b"], dtype="string[pyarrow]"), "object"),
    (pd.Series([2, 1, 2], dtype="int64[pyarrow]"), "int64"),
    (pd.Series([2.5, 1.0, 2.5]), "float64"),
    (pd.Index(["b", "a", "b"]), "object"),
    (pl.Series(["b", "a", "b"], dtype=pl.Categorical), "<U1"),
    (pl.Series([2, 1, 2], dtype=pl.Int16), "int16"),
    (pl.Series(["b", "a", "b"]), "<U1"),
    (pl.Series(["b", "a", "b"], dtype=pl.Enum(["a", "b"])), "<U1"),
    (pl.Series([dt.date(2024, 1, 2), dt.date(2024, 1, 1), dt.date(2024, 1, 2)]), "object"),
    (pl.Series([True, False, True]), "bool"),
    (pa.array(["b", "a", "b"]), "<U1"),
    (pa.array(["b", "a", "b"]).dictionary_encode(), "<U1"),
    (pa.array([True, False, True]), "bool"),
    (pa.array([dt.date(2024, 1, 2), dt.date(2024, 1, 1), dt.date(2024, 1, 2)]), "M8[D]"),
    (pa.chunked_array([["b", "a"], ["b"]], pa.large_string()), "<U1"),
    (pa.chunked_array([[2, 1], [2]], pa.int32()), "int32"),
]


@pytest.mark.parametrize(("column", "dtype"), FRAMES, ids=lambda part: str(getattr(part, "dtype", part)))
def test_frame_2_columns_of_frames_keep_their_type(column, dtype):
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    labels, codes = Labels.of(column)
    assert labels.array.dtype == dtype
    assert labels.array[codes].tolist() == values
    assert len(labels) == 2


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([5, None, 5], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(["b", None, "b"], dtype="string"),
        pd.Series(["b", None, "b"], dtype="category"),
        pd.Series(["b", None, "b"], dtype=object),
        pl.Series(["b", None, "b"], dtype=pl.Categorical),
        pl.Series([2, None]),
        pl.Series([True, None]),
        pa.array([2, None]),
        pa.array([True, None]),
        pa.array(["b", None]),
        pa.chunked_array([["b"], [None]]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', '')}",
)
def test_frame_2_a_missing_label_in_a_frame_is_one_clear_error(column):
    with pytest.raises(InputError, match=r"^1 label missing, first at row 1$"):
        Labels.of(column)


def test_inc_1_an_unknown_label_is_named_with_the_known_ones():
    labels, _ = Labels.of([0, 1])
    with pytest.raises(InputError, match=r"unknown label 7 at row 1; the known classes are 0 and 1"):
        labels.codes([1, 7])
    many, _ = Labels.of(list(range(100)))
    with pytest.raises(InputError, match=r"8, 9 and 90 more"):
        many.index(-1)


@pytest.mark.parametrize("values", ["spam", b"spam", None, 3, {"a": 1}, {"a", "b"}, np.array([1j]), [object()]])
def test_what_cannot_be_labels_is_refused(values):
    with pytest.raises(InputTypeError):
        Labels.of(values)


def test_several_columns_are_no_labels():
    for values in ([["a", "b"]], np.zeros((2, 2)), pd.DataFrame({"a": [1], "b": [2]})):
        with pytest.raises(InputError, match="y should be a 1d array, got an array of shape"):
            Labels.of(values)


def test_infinite_labels_and_times_are_refused():
    with pytest.raises(InputError, match="label inf at row 1 is not finite"):
        Labels.of([1.0, float("inf")])
    with pytest.raises(InputError, match="label -inf at row 0 is not finite"):
        Labels.of(np.array([-np.inf, 1]))
    with pytest.raises(InputTypeError, match="whole days"):
        Labels.of(np.array(["2020-01-01T10"], "M8[h]"))
    assert Labels.of([dt.datetime(2020, 1, 1)])[0].values == (dt.date(2020, 1, 1),)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "int"},
        {"values": ["b", "a"]},
        {"values": ["a", "a"]},
        {"values": "ab"},
        {"values": ["a", 1]},
        {"dtype": "int64"},
        {"dtype": "O,O"},
        {"kind": ["str"]},
        {"values": []},
        {"kind": "int", "dtype": "int8", "values": [1, 300]},
        {"kind": "float", "dtype": "float64", "values": [float("inf")]},
        {"kind": "date", "dtype": "object", "values": ["2020-13-01"]},
    ],
)
def test_json_that_is_no_set_of_labels_is_refused(change):
    data = Labels.of(["a", "b"])[0].to_json() | change
    with pytest.raises(ValueError, match="class labels"):
        Labels.from_json(data)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64", ">i4"])
def test_numbers_that_lie_close_together_are_numbered_like_any_others(dtype: str):
    low, high = max(int(np.iinfo(dtype).min), -(2**40)), min(int(np.iinfo(dtype).max), 2**40)
    rng = np.random.default_rng(0)
    for start in (low, max(low, -3), high - 200):
        values = (start + rng.integers(0, min(200, high - start) + 1, 500)).astype(dtype)
        labels, codes = Labels.of(values)
        assert list(labels) == sorted(set(values.tolist()))
        assert labels.array[codes].tolist() == values.tolist()
        assert codes.dtype == np.int32
