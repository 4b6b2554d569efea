"""A tally leaves as blocks or as JSON, and the same tally enters again, or none."""

from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import ModelFileError
from tallybayes.labels import Labels
from tallybayes.store import Blocks, read_blocks, write_blocks
from tallybayes.tally import Tally
from tallybayes.tally.count import CountTally
from tallybayes.tally.features import TextFeatures
from tallybayes.tally.moments import MomentTally

from .strategies import TEXT, tallies, tally_from
from .test_moment_tally import data, tally_of


def from_blocks(prefix, blocks, said):
    return Tally.kinds[said["type"]].from_blocks(prefix, blocks, said)


def through_blocks(tally):
    arrays, said = tally.to_blocks("tally.3")
    return from_blocks("tally.3", Blocks(arrays, None), json.loads(json.dumps(said)))


def through_json(tally):
    said = json.loads(json.dumps(tally.to_json()))
    return Tally.kinds[said["type"]].from_json(said)


@given(tallies(), st.sampled_from([1, 0.5]), st.sampled_from([through_blocks, through_json]))
def test_a_count_tally_comes_back(one, factor, through):
    tally = one[0] * factor
    back = through(tally)
    assert back == tally
    assert back.classes == tally.classes
    assert back.class_count.tolist() == tally.class_count.tolist()
    assert back.classes.array.dtype == tally.classes.array.dtype
    if tally.exact:
        assert back.digest() == tally.digest()


@pytest.mark.parametrize(
    ("largest", "dtype"),
    [(255, "uint8"), (256, "uint16"), (65_535, "uint16"), (65_536, "int32"), (2**31 - 1, "int32"), (2**31, "int64")],
)
def test_counts_are_stored_in_the_fewest_bytes_and_come_back_whole(largest, dtype):
    tally = tally_from({"a": 1}, {"a": {"x": {"occurrences": largest}, "y": {"occurrences": 1}}})
    assert tally.to_blocks("t")[0]["t.occurrences"].dtype == dtype
    back = through_blocks(tally)
    assert back.channels["occurrences"].tolist() == [largest, 1]
    assert (back + tally).digest() == (tally + tally).digest()
    assert (back * 3 - back).digest() == (tally * 2).digest()


@given(data, st.sampled_from([through_blocks, through_json]))
def test_a_moment_tally_comes_back(drawn, through):
    tally = tally_of(*drawn[:3], columns=["size", "年龄"])
    back = through(tally)
    assert back == tally
    assert back.columns == tally.columns
    assert through(MomentTally.empty(2)) == MomentTally.empty(2)


@pytest.mark.parametrize("values", [[True, False], [1, 2], [1.5, 2.0], [b"a", b"b"], np.array([3, 4], "M8[D]")])
def test_labels_of_every_kind_come_back_from_json(values):
    labels, _ = Labels.of(values)
    tally = tally_from({"a": 1, "b": 2}, {"a": {"w": {"occurrences": 3}}})._replaced(classes=labels)
    assert through_json(tally) == tally
    assert through_json(tally).classes.array.dtype == labels.array.dtype


def test_json_is_readable_and_takes_any_order():
    tally = tally_from(
        {"spam": 2, "ham": 1},
        {"spam": {"免费": {"occurrences": 5, "documents": 2}}, "ham": {"a": {"occurrences": 1, "documents": 1}}},
        ("occurrences", "documents"),
    )
    said = tally.to_json()
    assert said["rows"] == {"ham": 1, "spam": 2}
    assert said["occurrences"] == {"a": {"ham": 1}, "免费": {"spam": 5}}
    assert said["documents"] == {"a": {"ham": 1}, "免费": {"spam": 2}}
    said["occurrences"] = dict(reversed(said["occurrences"].items()))
    said["rows"] = dict(reversed(said["rows"].items()))
    assert CountTally.from_json(said).digest() == tally.digest()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": {"ham": 1}}, "just the classes"),
        ({"rows": {"ham": 1, "spam": 2.0}}, "no whole number"),
        ({"rows": {"ham": 1, "spam": True}}, "no whole number"),
        ({"rows": {"ham": 1, "spam": -2}}, "negative"),
        ({"rows": {"ham": 1, "spam": 2**63}}, "too large"),
        ({"rows": [1, 2]}, "'keys'"),
        ({"occurrences": {"a": {"nobody": 1}}}, "nobody"),
        ({"occurrences": {"a": {"ham": 0}}}, "a cell is zero"),
        ({"occurrences": {"a": {"ham": "1"}}}, "no whole number"),
        ({"occurrences": {"a": {}}}, "no cell"),
        ({"occurrences": {"\ud800": {"ham": 1}}}, "surrogates"),
        ({"occurrences": [1]}, "'items'"),
        ({"channels": []}, "channels"),
        ({"channels": ["words"]}, "words"),
        ({"classes": 3}, "class labels"),
        ({"space": {}}, "feature space"),
        ({"n_columns": 4}, "invalid literal"),
        ({"n_columns": "4"}, "invalid literal"),
    ],
)
def test_json_that_is_no_tally_is_refused(change, said):
    tally = tally_from({"ham": 1, "spam": 2}, {"ham": {"a": {"occurrences": 1}}})
    with pytest.raises(ValueError, match=said):
        CountTally.from_json(tally.to_json() | change)
    with pytest.raises(ValueError, match="is missing"):
        CountTally.from_json({"type": "count"})
    with pytest.raises(ValueError, match="is missing"):
        MomentTally.from_json({"type": "moments"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"exact": 1}, "exact"),
        ({"unit": 7}, "unit"),
        ({"channels": "occurrences"}, "channels"),
        ({"channels": ["documents"]}, "'t.documents' is missing"),
        ({"channels": [["occurrences"]]}, "missing"),
        ({"n_columns": 5}, "'t.columns' is missing"),
        ({"n_columns": -1}, "number of columns"),
        ({"exact": False}, "is int64"),
        ({"classes": None}, "class labels"),
        ({"space": None}, "feature space"),
    ],
)
def test_model_1_words_that_do_not_fit_the_blocks_are_refused(change, said):
    arrays, words = tally_from({"ham": 1, "spam": 2}, {"ham": {"a": {"occurrences": 1}}}).to_blocks("t")
    with pytest.raises(ModelFileError, match=said):
        CountTally.from_blocks("t", Blocks(arrays, None), words | change)
    with pytest.raises(ModelFileError, match="is missing"):
        CountTally.from_blocks("t", Blocks(arrays, None), {})


def test_model_1_blocks_of_any_random_content_are_refused_or_a_proper_tally():
    """The checksum proves who wrote a block only to a friend; contents are looked at besides."""
    chance = random.Random(4)
    count = tally_from(
        {"a": 1, "b": 2, "c": 3},
        {
            "a": {"x": {"occurrences": 1}, "钱": {"occurrences": 2}},
            "b": {"x": {"occurrences": 3}, "y": {"occurrences": 1}},
        },
    )
    moments = tally_of([[1.0, 2.0], [2.0, np.nan], [3.0, 4.0]], ["a", "a", "b"])
    refused = 0
    for _ in range(1000):
        tally = chance.choice([count, moments])
        arrays, said = tally.to_blocks("t")
        name = chance.choice(sorted(arrays))
        array = arrays[name].copy()
        match chance.randrange(3):
            case 0:
                raw = bytearray(array.tobytes())
                raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
                array = np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)
            case 1:
                array = array[: chance.randrange(len(array))]
            case 2:
                array = np.concatenate([array, array[:1]])
        try:
            back = from_blocks("t", Blocks(arrays | {name: array}, None), said)
        except ModelFileError:
            refused += 1
        else:
            back.check()
            assert pickle.dumps(back) != pickle.dumps(tally)  # a different number, but a possible one
    assert refused > 500


def test_a_mapped_file_is_opened_without_reading_its_contents(tmp_path):
    tally = tally_from({"ham": 1}, {"ham": {"a": {"occurrences": 1}, "b": {"occurrences": 1}}})
    arrays, said = tally.to_blocks("t")
    arrays["t.class_index"] = np.array([0, 9], np.int32)
    write_blocks(tmp_path / "m", arrays, said)
    mapped = read_blocks(tmp_path / "m", "structure")
    assert from_blocks("t", mapped, mapped.content).class_index.tolist() == [0, 9]
    read = read_blocks(tmp_path / "m")
    with pytest.raises(ModelFileError, match="none of the 1 classes"):
        from_blocks("t", read, read.content)


def test_lone_surrogates_in_labels_survive_a_file(tmp_path):
    labels, _ = Labels.of(["\udce4.txt", "中"])
    tally = CountTally.empty(TEXT, classes=labels)
    arrays, said = tally.to_blocks("t")
    write_blocks(tmp_path / "m", arrays, said)
    read = read_blocks(tmp_path / "m")
    assert from_blocks("t", read, read.content).classes == labels
    assert isinstance(tally.features, TextFeatures)
