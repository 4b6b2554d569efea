"""Batches, reading ahead, and reports."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tallybayes.errors import ParameterError
from tallybayes.readers import Batch, Remarks, prefetch
from tallybayes.readers.batch import Gather


def batch(i: int) -> Batch:
    return Batch([str(i)], None, "f", [i])


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("tallybayes-read")]


def test_reading_ahead_keeps_the_order() -> None:
    assert [b.documents for b in prefetch(map(batch, range(50)))] == [[str(i)] for i in range(50)]
    assert readers() == []


def test_one_batch_is_read_while_the_caller_works() -> None:
    read = threading.Event()

    def source() -> Iterator[Batch]:
        yield batch(0)
        read.set()
        yield batch(1)

    ahead = prefetch(source())
    next(ahead)
    assert read.wait(5)
    assert [b.documents for b in ahead] == [["1"]]


def test_no_more_than_one_batch_is_read_ahead() -> None:
    made = []
    ahead = prefetch(batch(made.append(i) or i) for i in range(100))  # type: ignore[func-returns-value]
    for taken in range(1, 5):
        next(ahead)
        assert len(made) <= taken + 1
    ahead.close()


def test_an_error_comes_in_its_place_and_leaves_no_thread() -> None:
    def source() -> Iterator[Batch]:
        yield batch(0)
        raise ValueError("line 2")

    ahead = prefetch(source())
    assert next(ahead).documents == ["0"]
    with pytest.raises(ValueError, match="line 2"):
        next(ahead)
    assert readers() == []


def test_stopping_early_closes_the_reader_and_leaves_no_thread() -> None:
    closed = []

    def source() -> Iterator[Batch]:
        try:
            yield from map(batch, range(100))
        finally:
            closed.append(True)

    batches = source()
    ahead = prefetch(batches)
    next(ahead)
    ahead.close()
    assert closed == [True]
    assert list(batches) == []
    assert readers() == []


def test_a_batch_is_full_when_its_documents_take_the_bytes() -> None:
    gather = Gather("f", labelled=True, limit=1000)
    assert not gather.add("x" * 100, "a", 1)
    assert gather.add("字" * 500, "b", 2)
    full = gather.take()
    assert (full.labels, full.where(1)) == (["a", "b"], "f, line 2")
    assert list(gather.rest()) == []
    with pytest.raises(ParameterError, match="at least 1 byte"):
        Gather("f", labelled=True, limit=0)


def test_a_selection_keeps_labels_places_and_ids() -> None:
    whole = Batch(["a", "b", "c"], [1, 2, 3], "f.zip", ["x/1", "x/2", "y/3"], ids=[7, 8, 9])
    part = whole.select([2, 0])
    assert (part.documents, part.labels, part.ids) == (["c", "a"], [3, 1], [9, 7])
    assert part.where(0) == "f.zip, y/3"


def test_a_report_must_know_what_to_do() -> None:
    with pytest.raises(ParameterError, match="on_error must be 'raise' or 'skip', not 'ignore'"):
        Remarks("ignore")  # type: ignore[arg-type]
