"""CSV and TSV, and plain lines."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import Batch, Remarks, read_lines, read_table
from tallybayes.readers.rows import lines_of, text_blocks
from tallybayes.readers.stream import CHUNK_BYTES, line_blocks


class Trickle(io.RawIOBase):
    """A stream that gives at most a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = data, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece, self._data = self._data[: min(self._size, len(buffer))], self._data[min(self._size, len(buffer)) :]
        buffer[: len(piece)] = piece
        return len(piece)


def rows(data: bytes | str, **options: Any) -> list[tuple[Any, str, int]]:
    """The (label, document, line) of a table given by its bytes."""
    raw = data if isinstance(data, bytes) else data.encode()
    return flat(read_table(io.BytesIO(raw), **options))


def flat(batches: Any) -> list[tuple[Any, str, int]]:
    return [
        row
        for batch in batches
        for row in zip(batch.labels or [None] * len(batch), batch.documents, batch.places, strict=True)
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_file_1_marks_and_line_ends_are_read_alike(end: str, encoding: str, quote: str) -> None:
    text = f"{quote}label{quote},{quote}text{quote}\nspam,buy\nham,hi\n".replace("\n", end)
    assert rows(text.encode(encoding)) == [("spam", "buy", 2), ("ham", "hi", 3)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_file_1_line_ends_do_not_stick_to_lines(end: str) -> None:
    batches = list(read_lines(io.BytesIO(f"\ufeffone{end}{end}two".encode()), label="spam"))
    assert flat(batches) == [("spam", "one", 1), ("spam", "", 2), ("spam", "two", 3)]


def test_only_the_line_ends_of_text_files_end_a_line() -> None:
    text = "a\u2028b\x85c\x0bd\x1ce"
    assert flat(read_lines(io.BytesIO(text.encode()))) == [(None, text, 1)]
    assert rows(f"label,text\nham,{text}\n") == [("ham", text, 2)]


def test_table_1_newlines_and_quotes_inside_quotes_are_text() -> None:
    assert rows('text,label\n"line one\nline two, ""quoted""",ham\nnext,spam\n') == [
        ("ham", 'line one\nline two, "quoted"', 2),
        ("spam", "next", 4),
    ]


def test_table_1_cells_are_text_verbatim() -> None:
    told: list[str] = []
    assert rows('text,label\nNA,None\nnull,spam\n"",ham\n', remarks=Remarks(tell=told.append)) == [
        ("None", "NA", 2),
        ("spam", "null", 3),
        ("ham", "", 4),
    ]
    assert told == ["a stream: 1 empty texts, kept as empty documents"]
    assert [label for label, *_ in rows("text,label\na,01\nb,1\nc,1.0\nd,001\n")] == ["01", "1", "1.0", "001"]
    assert flat(read_lines(io.BytesIO(b" a \t\n"))) == [(None, " a \t", 1)]
    assert rows("text,label\n  a ,  b \n") == [("  b ", "  a ", 2)]


def test_table_1_an_empty_label_is_missing_and_named_or_counted() -> None:
    data = 'text,label\na,1\nb,""\nc,2\nd,\n'
    with pytest.raises(InputError, match=r"^a stream, line 3: the label is empty$"):
        rows(data)
    remarks = Remarks("skip")
    assert rows(data, remarks=remarks) == [("1", "a", 2), ("2", "c", 4)]
    assert (remarks.skipped, remarks.first_skipped) == (2, "a stream, line 3: the label is empty")


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_table_1_an_unclosed_quote_is_named_where_it_opens(on_error: Any) -> None:
    with pytest.raises(InputError, match=r"line 2: a quote opens here and is never closed.*quotes=False"):
        rows('text,label\n"never closed,spam\nhi,ham\nbye,ham', remarks=Remarks(on_error))
    with pytest.raises(InputError, match="line 6: a quote opens here"):
        rows('text,label\na,b\n"x\ny",ham\n"two\nlines","never closed\nhi,ham\n', remarks=Remarks(on_error))


def test_table_1_a_giant_cell_is_read() -> None:
    giant = "字" * 200_000
    assert rows(f"text,label\n{giant},ham\nb,spam\n") == [("ham", giant, 2), ("spam", "b", 3)]


@pytest.mark.parametrize("separator", [None, ";"])
@pytest.mark.parametrize("text", ["text", 2])
def test_a_giant_cell_in_the_first_row_is_read_like_any_other(separator: str | None, text: Any) -> None:
    """The separator is looked for in the first line: the csv module's limit must be lifted by then."""
    parted = separator or ","
    giant = "x" * 200_000
    csv.field_size_limit(131_072)  # as in a new process
    header = True if isinstance(text, str) else ["label", "text"]
    top = f'label{parted}text{parted}"{giant}"\n' if isinstance(text, str) else ""
    end = f"{parted}\n" if isinstance(text, str) else "\n"
    data = f"{top}ham{parted}{giant}{end}spam{parted}b{end}"
    found = rows(data, text=text, label="label", header=header, separator=separator)
    assert [(label, len(document)) for label, document, _ in found] == [("ham", 200_000), ("spam", 1)]


def test_table_1_a_row_of_another_length_is_named() -> None:
    with pytest.raises(InputError, match=r"^a stream, line 2: 3 cells, 2 were expected; the row begins 'a'$"):
        rows("text,label\na,b,c\n")
    remarks = Remarks("skip")
    assert rows("text,label\na,b,c\nd\ne,f\n", remarks=remarks) == [("f", "e", 4)]
    assert remarks.skipped == 2


def test_table_1_duplicate_and_absent_columns_are_named_with_those_found() -> None:
    with pytest.raises(
        InputError, match="line 1: 2 columns are called 'label', one was expected; found 'text', 'label'"
    ):
        rows("text,label,label\na,b,c\n")
    assert rows("text,label,x,x\na,b,c,d\n") == [("b", "a", 2)]
    with pytest.raises(InputError, match="line 1: no column 'text'; found 'hello', 'ham'"):
        rows("hello,ham\nbye,ham\n")
    with pytest.raises(InputError, match="line 1: no column 3; there are 2, numbered from 1"):
        rows("hello,ham\nbye,ham\n", header=False, text=3, label=1)
    with pytest.raises(ParameterError, match="'text' has no name in a table without header"):
        rows("hello,ham\n", header=False, label=1)


def test_table_1_no_header() -> None:
    assert rows("hello,ham\nbye,spam\n", header=False, text=1, label=2) == [("ham", "hello", 1), ("spam", "bye", 2)]
    assert rows("hello,ham\n", header=["text", "label"]) == [("ham", "hello", 1)]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_table_1_the_separator_is_the_one_that_gives_the_columns(separator: str) -> None:
    data = "id,label,text\n1,ham,a\n".replace(",", separator)
    assert rows(data) == [("ham", "a", 2)]
    assert rows(data, separator=separator) == [("ham", "a", 2)]


def test_separators_have_names_and_must_be_one_character() -> None:
    assert rows("label\ttext\nham\ta,b\n", separator="tab") == [("ham", "a,b", 2)]
    with pytest.raises(ParameterError, match="separator must be one character"):
        rows("label,text\n", separator="::")


def test_a_suffix_of_tsv_means_tab(tmp_path: Path) -> None:
    path = tmp_path / "mails.TSV.gz"
    path.write_bytes(gzip.compress(b"label\ttext,x\nham\tone\n"))
    assert flat(read_table(path, text="text,x")) == [("ham", "one", 2)]


def test_quotes_that_mean_nothing() -> None:
    data = 'ham\t"Go until\nspam\tit\'s "free"\tnow\n\nham\t"\n'
    assert rows(data, header=["label", "text"], quotes=False) == [
        ("ham", '"Go until', 1),
        ("spam", 'it\'s "free"\tnow', 2),
        ("ham", '"', 4),
    ]
    assert rows(data, header=False, text=2, label=1, quotes=False)[0] == ("ham", '"Go until', 1)


def test_a_quote_inside_a_quoted_cell_must_be_doubled() -> None:
    data = 'text,label\n"he said "hi" to me",spam\n"x\ny"z,spam\nok,ham\n'
    with pytest.raises(InputError, match=r"line 2: .* a quote inside a quoted cell must be written twice"):
        rows(data)
    remarks = Remarks("skip")
    assert rows(data, remarks=remarks) == [("ham", "ok", 5)]
    assert remarks.skipped == 2


def test_bad_bytes_are_an_error_or_skip_their_row() -> None:
    data = b"text,label\ngood,ham\nb\xffad,ham\nnul\0,ham\nfine,spam\n"
    with pytest.raises(InputError, match="line 3, byte offset 21: 0xff is no text in utf-8"):
        rows(data)
    remarks = Remarks("skip")
    assert rows(data, remarks=remarks) == [("ham", "good", 2), ("spam", "fine", 5)]
    assert remarks.skipped == 2
    assert flat(read_lines(io.BytesIO(b"a\n\xff\nb"), remarks=Remarks("skip"))) == [(None, "a", 1), (None, "b", 3)]


def test_repeated_ids_are_reported_and_kept() -> None:
    told: list[str] = []
    batches = list(
        read_table(io.BytesIO(b"id,text,label\n7,a,x\n8,b,x\n7,c,y\n"), id="id", remarks=Remarks(tell=told.append))
    )
    assert batches[0].ids == ["7", "8", "7"]
    assert told == ["a stream: 1 repeated ids, the first '7' in line 4, before in line 2; the rows are kept"]


def test_an_empty_file_and_a_file_of_blank_lines_are_refused() -> None:
    for data in ("", "\n\r\n"):
        with pytest.raises(
            InputError, match="a stream is empty; a table with the columns 'text', 'label' was expected"
        ):
            rows(data)
    assert rows("text,label\n") == []


def test_blank_lines_are_passed_over_and_counted_in_line_numbers() -> None:
    assert rows('\n\ntext,label\n\na,b\n\n"c\nd",e\nf,g') == [("b", "a", 5), ("e", "c\nd", 7), ("g", "f", 9)]


def test_a_header_may_span_lines() -> None:
    assert rows('"the\nlabel",text\nham,"a\nb"\nspam,c\n', label="the\nlabel") == [("ham", "a\nb", 3), ("spam", "c", 5)]


def test_a_row_that_goes_on_and_on_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallybayes.readers.table._LONG_ROW", 5000)
    data = f'label,text\nham,one\nspam,"{"x, " * 9000}"\nham,two\n'
    assert rows(data, batch_bytes=1) == [("ham", "one", 2), ("spam", "x, " * 9000, 3), ("ham", "two", 4)]


def test_a_damaged_compressed_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mails.csv.gz"
    path.write_bytes(gzip.compress(b"text,label\n" + bytes(range(97, 122)) * 4000)[:-20])
    with pytest.raises(InputError, match=r"mails.csv.gz: the compressed file is damaged or cut off"):
        list(read_table(path))


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=8)
labels = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=1, max_size=5)


def slow_rows(text: str) -> list[list[str]]:
    """The rules of CSV, character by character: the slow twin."""
    table, row, cell, quoted, i = [], [], "", False, 0
    while i < len(text):
        c = text[i]
        if quoted and text[i : i + 2] == '""':
            cell, i = cell + '"', i + 1
        elif c == '"' and (quoted or cell == ""):
            quoted = not quoted
        elif quoted or c not in ",\r\n":
            cell += c
        elif c == ",":
            row, cell = [*row, cell], ""
        else:
            table, row, cell = [*table, [*row, cell]], [], ""
            i += text[i : i + 2] == "\r\n"
        i += 1
    return [row for row in table if row != [""]]


@given(
    st.lists(st.tuples(labels, cells), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.integers(1, 9)
)
def test_what_a_csv_writer_wrote_is_read_back_for_any_cutting(
    table: list[tuple[str, str]], end: str, size: int
) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("label", "text"), *table])
    data = file.getvalue()
    read = flat(read_table(io.BufferedReader(Trickle(data.encode(), size), size), batch_bytes=100))
    assert [(label, document) for label, document, _ in read] == table
    assert [list(row) for row in table] == slow_rows(data)[1:]
    for (_, document, line), (label, text) in zip(read, table, strict=True):
        assert document == text
        before = data.encode()  # the line of a row is one more than the line ends before it
        assert label.encode()[:1] in before
        assert line >= 2


@given(st.text('ab,"\n\r', max_size=40))
def test_any_text_is_read_as_the_slow_twin_reads_it_or_refused(text: str) -> None:
    data = "text,label\n" + text + "\n"
    remarks = Remarks()
    try:
        read = rows(data, remarks=remarks, label=None, batch_bytes=1)
    except InputError:
        return
    assert [document for _, document, _ in read] == [row[0] for row in slow_rows(data)[1:]]


@given(st.lists(st.sampled_from(["a", "学", "\n", "\r", "\r\n", "\u2028"]), max_size=40), st.integers(1, 5))
def test_lines_are_those_of_pythons_text_files(parts: list[str], size: int) -> None:
    data = "".join(parts).encode()
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    lines = list(lines_of(text_blocks(chunks, "f", None, Remarks())))
    assert lines == list(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""))


@given(st.lists(st.text("ab\n", max_size=6), max_size=20))
def test_blocks_end_at_line_ends_and_lose_nothing(chunks: list[str]) -> None:
    blocks = list(line_blocks(chunks, "f", ("\n",)))
    assert "".join(blocks) == "".join(chunks)
    assert all(block.endswith("\n") for block in blocks[:-1])


def test_batches_are_bounded_and_in_order() -> None:
    data = "text,label\n" + "".join(f"{'x' * 1000}{i},{i}\n" for i in range(500))
    batches: list[Batch] = list(read_table(io.BytesIO(data.encode()), batch_bytes=100_000))
    assert [label for batch in batches for label in batch.labels or []] == [str(i) for i in range(500)]
    assert all(len(batch) <= 200 for batch in batches)
    assert len(batches) >= 4
    assert batches[1].where(0) == f"a stream, line {len(batches[0]) + 2}"


def test_rows_longer_than_a_chunk_are_read() -> None:
    long = "x" * (2 * CHUNK_BYTES + 17)
    assert rows(f'label,text\nham,"{long}\n"\nspam,b\n') == [("ham", long + "\n", 2), ("spam", "b", 4)]
