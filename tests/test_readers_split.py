"""The test part, and system B's files of numbered words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import Batch, open_source, prepare, read_names, read_prepared, split


def batches(sizes: list[int]) -> list[Batch]:
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [
        Batch([str(i) for i in range(end - size, end)], None, "f", range(end - size, end))
        for size, end in zip(sizes, ends, strict=True)
    ]


def part(parted: Any, side: int) -> list[str]:
    return [document for both in parted for document in both[side].documents]


@given(st.lists(st.integers(0, 40), min_size=1).filter(lambda sizes: sum(sizes) >= 100), st.integers(0, 2**64 - 1))
def test_the_same_rows_are_held_out_whatever_the_batches(sizes: list[int], seed: int) -> None:
    cut = list(split(batches(sizes), seed=seed))
    whole = list(split(batches([sum(sizes)]), seed=seed))
    assert part(cut, 1) == part(whole, 1)
    assert sorted(part(cut, 0) + part(cut, 1), key=int) == [str(i) for i in range(sum(sizes))]
    assert [len(training) + len(test) for training, test in cut] == sizes


def test_the_rows_of_a_seed_are_fixed_for_good() -> None:
    assert part(split(batches([30]), holdout=0.2, seed=0), 1) == [
        "2",
        "3",
        "11",
        "13",
        "15",
        "20",
        "21",
    ]  # numbers of PCG64
    assert part(split(batches([1000]), seed=1), 1) != part(split(batches([1000]), seed=2), 1)
    assert 160 <= len(part(split(batches([1000]), holdout=0.2, seed=0), 1)) <= 240


@pytest.mark.parametrize("holdout", [0, 1, -0.1, float("nan")])
def test_a_holdout_must_be_a_share(holdout: float) -> None:
    with pytest.raises(ParameterError, match="holdout must be a share between 0 and 1, not"):
        list(split(batches([5]), holdout=holdout))


def test_an_empty_part_is_refused() -> None:
    with pytest.raises(InputError, match="the test part is empty: of 1 documents, none"):
        list(split(batches([1]), holdout=0.01))
    with pytest.raises(InputError, match="the training part is empty: of 1 documents, none"):
        list(split([Batch(["a"], None, "f", ["1.txt"])], test_names=["1.txt"]))


def test_a_list_names_files_with_or_without_their_folder_or_ids() -> None:
    named = Batch(["a", "b", "c"], None, "f", ["x/1.txt", "x/2.txt", "y/3.txt"])
    assert part(split([named], test_names=["x/1.txt", "3.txt"]), 1) == ["a", "c"]
    with_ids = Batch(["a", "b"], None, "f", [1, 2], ids=[17, 18])
    assert part(split([with_ids], test_names=["18"]), 1) == ["b"]


def test_names_that_are_not_there_are_refused() -> None:
    named = Batch(["a", "b"], None, "f", ["1.txt", "2.txt"])
    with pytest.raises(InputError, match=r"1 of 2 test names are not among the documents: '3.txt'"):
        list(split([named], test_names=["1.txt", "3.txt"]))
    with pytest.raises(InputError, match="mails.csv has no names to look up in the test list"):
        list(split([Batch(["a"], None, "mails.csv", [1])], test_names=["1"]))


def test_system_b_the_course_split_is_written_and_read_back(shared: Path, tmp_path: Path) -> None:
    data = shared / "data" / "zh-articles"
    names = read_names(data / "test-files.txt")
    source = open_source(data / "articles.tar.gz", label_pattern=r"^\d+(?P<label>[^.]+)\.")
    sizes = prepare(source, tmp_path, test_names=names)
    assert (sizes["train"], sizes["test"]) == (2435, 631)
    words = (tmp_path / "words.txt").read_text("utf-8").split("\n")[:-1]
    assert sizes["words"] == len(words) == len(set(words))
    first = next(iter(source)).documents[0].split()
    assert words[: len(set(first))] == list(dict.fromkeys(first))

    (training, test) = zip(*split(source, test_names=names), strict=True)
    for side, read in ((training, "train"), (test, "test")):
        expected = [
            (p, x, " ".join(d.split())) for b in side for p, x, d in zip(b.places, b.labels, b.documents, strict=True)
        ]
        back = [row for b in read_prepared(tmp_path, read) for row in zip(b.places, b.labels, b.documents, strict=True)]  # type: ignore[arg-type]
        assert back == expected
    assert Counter(label for batch in test for label in batch.labels) == {"business": 207, "auto": 213, "sports": 211}


def test_files_are_not_overwritten_unless_allowed_and_a_failure_leaves_them(tmp_path: Path) -> None:
    good = [Batch(["a b", "b"], ["x", "y"], "f", ["1", "2"])]
    prepare(good, tmp_path, test_names=["2"])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) == {"train.jsonl", "test.jsonl", "words.txt"}
    with pytest.raises(InputError, match="would be overwritten"):
        prepare(good, tmp_path, test_names=["2"])
    with pytest.raises(InputError, match="not among the documents"):
        prepare(good, tmp_path, test_names=["3"], force=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert prepare(good, tmp_path, test_names=["1"], force=True) == {"train": 1, "test": 1, "words": 2}
    with pytest.raises(InputError, match="f was read without labels"):
        prepare([Batch(["a"], None, "f", ["1"])], tmp_path / "other")


def test_files_that_prepare_did_not_write_are_refused_with_the_line(tmp_path: Path) -> None:
    prepare([Batch(["a b", "b"], ["x", "y"], "f", ["1", "2"])], tmp_path, test_names=["2"])
    (tmp_path / "train.jsonl").write_text('{"place":"1","label":"x","words":[1]}\n{"words":[9]}\n')
    with pytest.raises(InputError, match=r"train.jsonl, line 2: no line that prepare wrote"):
        list(read_prepared(tmp_path, "train"))
