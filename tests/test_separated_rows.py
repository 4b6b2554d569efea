"""The kernel's rows of separated values against Python's csv module, which is their slow twin."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import kernel

Row = tuple[str, str, str, int]

texts = st.text('ab,"\n\r', max_size=60) | st.text('a,"\n学', max_size=40) | st.text('a,"\r\n😀é', max_size=40)
rows_of_cells = st.lists(
    st.lists(st.text('ab,"\n\r学😀 ', max_size=6), min_size=3, max_size=3).filter(lambda row: row[1] != ""), max_size=8
)


def slow(text: str, width: int) -> tuple[list[Row], int, int]:
    """The rows before the first that is not as it should be, where that one begins, and its line."""
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(lines, strict=True)
    rows, at, line = [], 0, 1
    while at < len(text):
        try:
            row = next(reader)
        except csv.Error:
            break
        if row and (len(row) != width or row[1] == ""):
            break
        if row:
            rows.append((row[0], row[1], row[width - 1], line))
        at, line = sum(map(len, lines[: reader.line_num])), reader.line_num + 1
    return rows, at, line


def fast(text: str, width: int, pieces: list[str] | None = None) -> tuple[list[Row], int, int]:
    """The same by the kernel, which gets the text in pieces."""
    rows: list[Row] = []
    at, line, sound, held = 0, 1, True, ""
    for i, piece in enumerate(pieces or [text]):
        final = i + 1 == len(pieces or [text])
        held += piece
        documents, labels, ids, lines, stopped, line, sound = kernel.separated_rows(
            held, line, ",", width, 0, 1, width - 1, final
        )
        rows += zip(documents, labels, ids, lines, strict=True)
        at, held = at + stopped, held[stopped:]
        if not sound:
            break
    assert sound == (at == len(text))
    return rows, at, line


@given(texts, st.integers(2, 3))
def test_rows_are_those_of_the_csv_module_up_to_the_first_bad_one(text: str, width: int) -> None:
    rows, at, line = fast(text, width)
    expected, stop, its_line = slow(text, width)
    assert rows == expected
    assert at == stop
    if at < len(text):
        assert line == its_line


@given(
    rows_of_cells, st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]), st.sampled_from(["\n", "\r\n", "\r"]), st.data()
)
def test_what_a_writer_wrote_is_read_back_for_any_cutting(
    table: list[list[str]], quoting: int, end: str, data: st.DataObject
) -> None:
    if quoting == csv.QUOTE_MINIMAL:  # older writers quote only the line end that they write
        table = [[cell.replace("\r", "r").replace("\n", "n") for cell in row] for row in table]
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end, quoting=quoting).writerows(table)  # type: ignore[arg-type]
    text = file.getvalue()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    # The decoder never parts CR and LF.
    cuts = [cut for cut in cuts if text[cut - 1 : cut + 1] != "\r\n"]
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    rows, at, _ = fast(text, 3, pieces)
    assert [list(row[:3]) for row in rows] == table
    assert at == len(text)
    assert [row[3] for row in rows] == [row[3] for row in slow(text, 3)[0]]


def test_the_cells_are_as_narrow_as_they_can_be() -> None:
    documents, labels, *_ = kernel.separated_rows('plain,"a""b"\n学,😀\n', 1, ",", 2, 0, 1)
    assert documents[0].isascii()
    assert labels == ['a"b', "😀"]
    assert [text.__sizeof__() for text in documents] == ["plain".__sizeof__(), "学".__sizeof__()]


def test_a_separator_may_be_any_character() -> None:
    assert kernel.separated_rows("a、b\n", 7, "、", 2, 0, 1)[:4] == (["a"], ["b"], [], [7])
    assert kernel.separated_rows("a、b\n", 7, "😀", 1, 0)[0] == ["a、b"]


def test_an_empty_label_is_only_bad_where_labels_are_wanted() -> None:
    assert kernel.separated_rows("a,\nb,c\n", 1, ",", 2, 0)[0] == ["a", "b"]
    *_, stopped, line, sound = kernel.separated_rows('x,y\na,""\nb,c\n', 1, ",", 2, 0, 1)
    assert (stopped, line, sound) == (4, 2, False)


@pytest.mark.parametrize("columns", [(2, -1, -1), (-1, -1, -1), (0, 2, -1), (0, 1, 5)])
def test_columns_outside_the_row_are_refused(columns: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="outside the row"):
        kernel.separated_rows("a,b\n", 1, ",", 2, *columns)


@pytest.mark.parametrize("separator", ["", ";;"])
def test_a_separator_is_one_character(separator: str) -> None:
    with pytest.raises(ValueError, match="one character"):
        kernel.separated_rows("a,b\n", 1, separator, 2, 0)


def test_after_a_closing_quote_comes_a_separator_or_a_line_end() -> None:
    *_, stopped, line, sound = kernel.separated_rows('x,y\n"a"b\nz,w\n', 1, ",", 2, 0)
    assert (stopped, line, sound) == (4, 2, False)


def test_a_blank_line_is_no_row_and_an_empty_cell_is() -> None:
    assert kernel.separated_rows('a\n\n""\r\n\r\nb', 1, ",", 1, 0, final=True)[:4] == (
        ["a", "", "b"],
        [],
        [],
        [1, 3, 5],
    )
