"""Bytes to text: marks, strictness, and complaints that name the place."""

from __future__ import annotations

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import Remarks
from tallybayes.readers.encoding import count_lines, decode, decode_document, is_whole, likely_encoding

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030", "big5", "latin-1"]


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """Cut `data` into pieces of the given sizes, over and over."""
    pieces = []
    while data:
        for size in sizes:
            pieces.append(data[:size])
            data = data[size:]
    return pieces


def read(
    data: bytes, encoding: str | None = None, remarks: Remarks | None = None, sizes: list[int] | None = None
) -> str:
    return "".join(decode(cut(data, sizes or [1 << 20]), "f.txt", encoding=encoding, remarks=remarks or Remarks()))


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60).filter(lambda t: t[:1] != "\ufeff"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    st.lists(st.integers(1, 7), min_size=1),
)
def test_any_cutting_of_the_bytes_gives_the_text(text: str, encoding: str, sizes: list[int]) -> None:
    data = text.encode(encoding)
    if encoding == "utf-16":
        data = codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    assert read(data, sizes=sizes) == text
    assert read(data, encoding, sizes=sizes) == text


@given(st.text("学识ab\r\n,囧", max_size=40), st.lists(st.integers(1, 5), min_size=1))
def test_a_named_encoding_is_obeyed_for_any_cutting(text: str, sizes: list[int]) -> None:
    assert read(text.encode("gb18030"), "gb18030", sizes=sizes) == text
    assert read(text.encode("utf-16-be"), "utf-16-be", sizes=sizes) == text


@given(st.lists(st.sampled_from(["a", "\r", "\n", "\r\n", "学"]), max_size=30), st.lists(st.integers(1, 4), min_size=1))
def test_a_piece_never_ends_inside_a_line_end(parts: list[str], sizes: list[int]) -> None:
    data = "".join(parts).encode()
    pieces = list(decode(cut(data, sizes), "f", remarks=Remarks()))
    assert "".join(pieces).encode() == data
    assert not any(a.endswith("\r") and b.startswith("\n") for a, b in pairwise(pieces))
    assert (
        sum(map(count_lines, pieces)) == len("".join(parts).replace("\r\n", "\n").replace("\r", "\n").split("\n")) - 1
    )


@pytest.mark.parametrize("sizes", [[1], [3], [1 << 20]])
def test_file_2_a_bad_byte_is_named_with_line_offset_and_likely_encoding(sizes: list[int]) -> None:
    text = "hello,ham\r\n" + "一次又一次的体育新闻,ham\n" * 3
    with pytest.raises(
        InputError, match=r"^f.txt, line 2, byte offset 13: 0xb4 is no text in utf-8; it looks like gb18030"
    ):
        read(text.encode("gb18030"), sizes=[1 << 20])
    with pytest.raises(InputError, match=r"^f.txt, line 2, byte offset 13: 0xb4"):
        read(text.encode("gb18030"), sizes=sizes)


@pytest.mark.parametrize("sizes", [[1], [2], [3], [1 << 20]])
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16-le"])
def test_the_offset_of_a_bad_byte_does_not_depend_on_the_cutting(sizes: list[int], encoding: str) -> None:
    bad = {"utf-8": b"\xff", "gb18030": b"\xff", "utf-16-le": b"\x00\xdc"}[encoding]
    before = "免费,a\r一次\r\n又".encode(encoding)
    with pytest.raises(
        InputError, match=rf"line 3, byte offset {len(before)}: 0x{bad[0]:02x} is no text in {encoding}"
    ):
        read(before + bad + "\n".encode(encoding), encoding, sizes=sizes)


def test_file_2_two_encodings_in_one_file_are_told() -> None:
    with pytest.raises(InputError, match=r"line 2, byte offset 7: .* looks like gb18030: the file mixes encodings"):
        read("免费\n".encode() + "你好\n".encode("gbk"))


def test_file_2_gbk_that_is_also_utf_8_is_read_as_utf_8_unless_gbk_is_asked_for() -> None:
    assert read(b"\xd1\xa7\xca\xb6") == "ѧʶ"
    assert read(b"\xd1\xa7\xca\xb6", "gbk") == "学识"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_file_2_nuls_suggest_utf_16(encoding: str) -> None:
    data = "label,text\nspam,buy now\n".encode(encoding)
    with pytest.raises(InputError, match=rf"line 1, byte offset [01]: a NUL.* ask for encoding {encoding}"):
        read(data)
    assert read(data, encoding) == "label,text\nspam,buy now\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_file_2_a_mark_is_honoured(encoding: str) -> None:
    assert read("label,文本\n".encode(encoding)) == "label,文本\n"


def test_a_mark_of_another_encoding_than_asked_for_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"begins with the byte-order mark of utf-8, but encoding 'gb18030' was asked for"
    ):
        read(b"\xef\xbb\xbflabel", "gb18030")


@pytest.mark.parametrize("encoding", ["gb2312", "gbk"])
def test_gb2312_and_gbk_are_obeyed_and_the_superset_is_named(encoding: str) -> None:
    assert read("学识".encode(encoding), encoding) == "学识"
    with pytest.raises(InputError, match=rf"is no text in {encoding}; gb18030 holds all of gb2312 and gbk"):
        read("㐀".encode("gb18030"), encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("体育新闻，今天\n", "gb18030"),
        ("你好", "gb18030"),
        ("繁體中文測試\n", "big5"),
        ("Ärger über Öl", "cp1252"),
        ("免费", "utf-8"),
    ],
)
def test_auto_guesses_at_the_first_byte_that_is_not_ascii_and_says_what_it_took(text: str, encoding: str) -> None:
    told: list[str] = []
    remarks = Remarks(tell=told.append)
    data = (b"label,text\n" * 300) + text.encode(encoding)
    assert read(data, "auto", remarks, sizes=[100]).endswith(text)
    assert told == [f"f.txt: taken as {encoding} (guessed)"]
    assert remarks.guessed == {encoding: 1}


def test_auto_says_nothing_of_plain_ascii_and_honours_marks() -> None:
    told: list[str] = []
    assert read(b"label,text\n", "auto", Remarks(tell=told.append)) == "label,text\n"
    assert read("学识".encode("utf-16"), "auto", Remarks(tell=told.append)) == "学识"
    assert told == []


def test_nothing_is_guessed_where_nothing_was_asked_for() -> None:
    with pytest.raises(InputError):
        read("体育新闻，今天\n".encode("gb18030"))


def test_where_bad_bytes_are_skipped_they_can_be_told() -> None:
    text = read(b"good\nb\xffad\n\xe4\xbd", remarks=Remarks("skip"))
    assert [is_whole(line) for line in text.split("\n")] == [True, False, False]
    assert not is_whole("a\0b")
    assert is_whole("学识")


def test_an_unknown_encoding_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="no encoding is called 'klingon'; known are"):
        read(b"a", "klingon")
    with pytest.raises(ParameterError, match="no encoding is called 'hex'"):
        read(b"a", "hex")


def test_an_empty_file_is_an_empty_text() -> None:
    for encoding in (None, "auto", "gb18030"):
        assert decode_document(b"", "f", encoding=encoding, remarks=Remarks()) == ""


def test_nothing_likely_is_said_to_be_so() -> None:
    assert likely_encoding(b"\xff\xfe\xfd\x81") in (None, "cp1252")
    assert likely_encoding(b"\x81\xff\x81") is None
