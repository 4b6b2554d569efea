"""Documents read in place, and buffers checked before they are believed."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from twins import kernel

from tallybayes import _kernel

KINDS = ["ascii", "latin é", "chinese 中", "astral 😀", "", "nul \x00 inside", "lone \ud800 surrogate"]


def whole(documents):
    """Each document as the kernel reads it."""
    rules = kernel.rules("separated", (1, 1), fold="none")
    return [b"".join(found).decode() for found in _kernel.features(documents, rules)]


def test_every_kind_of_str_is_read_and_a_lone_surrogate_becomes_the_replacement_character():
    expected = [text.replace("\ud800", "\ufffd") for text in KINDS]
    assert whole(_kernel.Documents(KINDS)) == expected
    assert whole(_kernel.Documents(tuple(KINDS))) == expected


@given(st.lists(st.text(st.characters(exclude_characters="\x1f")), max_size=5))
def test_str_and_bytes_and_one_buffer_are_the_same_documents(texts):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffer = np.frombuffer(b"".join(encoded), np.uint8)
    assert whole(_kernel.Documents(encoded)) == texts
    assert whole(_kernel.Documents.from_utf8(buffer, offsets)) == texts
    assert _kernel.Documents.from_utf8(buffer, offsets).nbytes == len(buffer)


@given(
    st.lists(st.text(st.sampled_from("aé߿ࠀ中\uffff\ud800\udbff\udfff"), max_size=20), max_size=4),
    st.sampled_from(["", "中", "😀"]),
)
def test_units_of_every_length_become_utf8_wherever_they_stand(texts, width):
    texts = [width + text for text in texts]  # the widest character decides the form of a str
    expected = ["".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text) for text in texts]
    assert whole(_kernel.Documents(texts)) == expected


def test_no_copy_in_utf8_stays_inside_the_str():
    text = "中" * 1000
    before = sys.getsizeof(text)  # it counts the cached UTF-8
    documents = _kernel.Documents([text])
    whole(documents)
    assert sys.getsizeof(text) == before
    assert documents.nbytes == 2000


def test_documents_keep_what_they_read_alive_when_the_list_changes():
    texts = [f"document {i} é" for i in range(1000)]
    documents = _kernel.Documents(texts)
    texts[:] = [f"something else {i}" for i in range(1000)]
    gc.collect()
    assert whole(documents) == [f"document {i} é" for i in range(1000)]


def test_a_buffer_is_kept_alive():
    documents = _kernel.Documents.from_utf8(np.full(1000, ord("a"), np.uint8), np.arange(0, 1001, 100))
    gc.collect()
    assert whole(documents) == ["a" * 100] * 10


def one_buffer(texts):
    """The documents in the form of one buffer, some bytes behind its begin."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    offsets = np.cumsum([4, *map(len, encoded)], dtype=np.int64)
    return _kernel.Documents.from_utf8(np.frombuffer(b"skip" + b"".join(encoded) + b"more", np.uint8), offsets)


FORMS = {
    "str": lambda texts: _kernel.Documents(list(texts)),
    "bytes": lambda texts: _kernel.Documents([text.encode("utf-8", "replace") for text in texts]),
    "one buffer": one_buffer,
}
forms = st.sampled_from(sorted(FORMS))
ALL_KINDS = st.lists(st.sampled_from(KINDS) | st.text(st.characters(exclude_characters="\x1f"), max_size=9), max_size=7)


@given(ALL_KINDS, forms, st.data())
def test_a_slice_holds_the_documents_that_it_names(texts, form, data):
    documents = FORMS[form](texts)
    begin = data.draw(st.integers(0, len(texts)))
    end = data.draw(st.integers(begin, len(texts)))
    part = documents.slice(begin, end)
    assert len(part) == end - begin
    assert whole(part) == whole(documents)[begin:end]
    assert part.nbytes == FORMS[form](texts[begin:end]).nbytes
    again = part.slice(len(part) // 2, len(part))
    assert whole(again) == whole(part)[len(part) // 2 :]
    same_spans(part, documents, range(begin, end))


@given(ALL_KINDS, forms, st.data())
def test_taken_documents_come_in_the_order_of_their_positions_and_as_often(texts, form, data):
    documents = FORMS[form](texts)
    positions = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=9) if texts else st.just([]))
    part = documents.take(np.array(positions, np.int64))
    assert len(part) == len(positions)
    assert whole(part) == [whole(documents)[i] for i in positions]
    assert part.nbytes == FORMS[form]([texts[i] for i in positions]).nbytes
    same_spans(part, documents, positions)
    back = part.take(np.arange(len(part))[::-1].copy()).slice(0, len(part))
    assert whole(back) == whole(part)[::-1]


def same_spans(part, documents, positions):
    rules = kernel.rules()
    found = [_kernel.spans(part, rules, i) for i in range(len(part))]
    assert found == [_kernel.spans(documents, rules, i) for i in positions]


@pytest.mark.parametrize("form", FORMS)
def test_a_part_of_documents_keeps_what_it_reads_alive(form):
    texts = [f"document {i} é 中 😀"[: -1 - i % 5] for i in range(1000)]
    sliced = FORMS[form]([*texts]).slice(10, 990)
    taken = FORMS[form]([*texts]).take(np.arange(0, 1000, 7))
    both = FORMS[form]([*texts]).slice(10, 990).take(np.array([5, 5, 0]))
    gc.collect()
    again = [np.full(1000, i, np.uint8) for i in range(100)]  # what was freed would be written over
    assert whole(sliced) == texts[10:990]
    assert whole(taken) == texts[::7]
    assert whole(both) == [texts[15], texts[15], texts[10]]
    assert len(again) == 100


@pytest.mark.parametrize("form", FORMS)
def test_a_part_that_reaches_outside_is_refused(form):
    documents = FORMS[form](["a", "b", "c"])
    for begin, end in ((-1, 2), (0, 4), (2, 1), (4, 4)):
        with pytest.raises(ValueError, match=f"within 0 and 3, and {begin} to {end} does not"):
            documents.slice(begin, end)
    for wrong in (-1, 3, 2**62):
        with pytest.raises(ValueError, match=f"3 documents, none at position {wrong}$"):
            documents.take(np.array([0, wrong, 7]))
    with pytest.raises(TypeError):
        documents.take(np.array([0], np.int32))


@pytest.mark.parametrize(
    ("documents", "error", "said"),
    [
        (["a", 1.5], TypeError, "document 1 is float, not str"),
        ([None], TypeError, "document 0 is NoneType"),
        ("text", TypeError, "a list or tuple, not str"),
        ([b"ok", b"bad \xff"], ValueError, "document 1 is not UTF-8: the byte at offset 4"),
    ],
)
def test_what_is_no_document_is_refused_by_position(documents, error, said):
    with pytest.raises(error, match=said):
        _kernel.Documents(documents)


@pytest.mark.parametrize(
    ("offsets", "said"),
    [
        ([], "there is none at all"),
        ([-1, 3], "outside the bytes"),
        ([0, 7], "outside the bytes"),
        ([0, 3, 2, 6], "fall at document 1"),
        ([0, 100, 6], "fall at document 1"),
        ([0, 2, 6], "document 0 is not UTF-8: the byte at offset 1"),  # a character across two documents
    ],
)
def test_offsets_that_lie_are_refused(offsets, said):
    data = np.frombuffer("aébcd".encode(), np.uint8)
    with pytest.raises(ValueError, match=said):
        _kernel.Documents.from_utf8(data, np.array(offsets, np.int64))


def test_arrays_of_another_dtype_are_refused_rather_than_copied():
    data = np.frombuffer(b"abc", np.uint8)
    with pytest.raises(TypeError):
        _kernel.Documents.from_utf8(data, np.array([0, 3], np.int32))
    with pytest.raises(TypeError):
        _kernel.Documents.from_utf8(data.astype(np.int16), np.array([0, 3], np.int64))


@given(
    st.binary(max_size=12)
    | st.lists(st.sampled_from([0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0xF0, 0x90, 0xF4, 0x61])).map(bytes)
)
@example(b"\xed\xa0\x80")  # a surrogate
@example(b"\xf4\x90\x80\x80")  # beyond U+10FFFF
@example(b"\xe0\x80\x80")  # longer than need be
@example(b"\xf0\x80\x80\x80")
@example(b"\xc0\x80")
def test_utf8_is_checked_as_python_does(data):
    try:
        data.decode()
    except UnicodeDecodeError as error:
        with pytest.raises(ValueError, match=f"the byte at offset {error.start}$"):
            _kernel.Documents([data])
    else:
        assert len(_kernel.Documents([data])) == 1


def test_rules_out_of_range_are_refused():
    for options in ({"ngrams": (0, 1)}, {"ngrams": (2, 1)}, {"cjk": (1, 65)}):
        with pytest.raises(ValueError, match="1 <= min <= max <= 64"):
            kernel.rules(**options)
    with pytest.raises(ValueError, match="tokens is one of words, sklearn"):
        kernel.rules("word")
    with pytest.raises(IndexError):
        _kernel.spans(_kernel.Documents(["a"]), kernel.rules(), 1)
