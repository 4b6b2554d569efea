"""JSONL: a record per line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import InputError
from tallybayes.readers import Remarks, read_jsonl


def rows(data: bytes | str, **options: Any) -> list[tuple[Any, str, int]]:
    """The (label, document, line) of a JSONL file given by its bytes."""
    raw = data if isinstance(data, bytes) else data.encode()
    return [
        row
        for batch in read_jsonl(io.BytesIO(raw), **options)
        for row in zip(batch.labels or [None] * len(batch), batch.documents, batch.places, strict=True)
    ]


def record(text: Any, label: Any) -> str:
    return json.dumps({"text": text, "label": label}, ensure_ascii=False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_file_1_jsonl_with_a_mark_and_any_line_end(encoding: str, end: str) -> None:
    data = (record("买", "spam") + end + record("hi", "ham")).encode(encoding)
    assert rows(data) == [("spam", "买", 1), ("ham", "hi", 2)]


def test_table_2_blank_lines_are_passed_over() -> None:
    assert rows(f"\n{record('a', 'x')}\n\n  \r\n{record('b', 'y')}\n\n") == [("x", "a", 2), ("y", "b", 5)]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("[1,2]", "line 2: a list stands here, not a JSON object"),
        ("null", "line 2: null stands here, not a JSON object"),
        ('{"text":"half', "line 2: not a JSON record: .* at column 14"),
        ('{"text":"a","label":1}{"text":"b","label":2}', "line 2: not a JSON record"),
        ('{"text":"a"}', "line 2: no field 'label'; the record has 'text'"),
        ('{"label":"a"}', "line 2: no field 'text'; the record has 'label'"),
        ('{"text":null,"label":"a"}', "line 2: the field 'text' is null, not text"),
        ('{"text":5,"label":"a"}', "line 2: the field 'text' is a number, not text"),
        ('{"text":"a","label":null}', r"line 2: the label is missing \(null\)"),
        ('{"text":"a","label":""}', "line 2: the label is missing"),
        ('{"text":"a","label":NaN}', r"line 2: the label is missing \(NaN\)"),
        ('{"text":"a","label":["x"]}', "line 2: the label is a list"),
        ("{}", "line 2: no field 'text'; the record has no fields"),
        ("[" * 100_000, "line 2: not a JSON record"),
    ],
)
def test_table_2_a_bad_line_is_named_or_skipped(line: str, complaint: str) -> None:
    data = f"{record('good', 'x')}\n{line}\n{record('fine', 'y')}\n"
    with pytest.raises(InputError, match=f"^a stream, {complaint}"):
        rows(data)
    remarks = Remarks("skip")
    assert rows(data, remarks=remarks) == [("x", "good", 1), ("y", "fine", 3)]
    assert remarks.skipped == 1


def test_table_2_unicode_line_separators_do_not_end_a_record() -> None:
    assert rows('{"text":"a\u2028b\x85c","label":"x"}\n') == [("x", "a\u2028b\x85c", 1)]


def test_table_2_labels_of_two_kinds_are_refused_with_both_lines() -> None:
    data = f"{record('a', 1)}\n{record('b', '1')}\n"
    with pytest.raises(
        InputError, match='line 2: the label "1" is text, but 1 in line 1 is a number; write all labels alike'
    ):
        rows(data)
    with pytest.raises(InputError, match=r"line 2: the label 1 is a number, but true in line 1 is true or false"):
        rows(f"{record('a', True)}\n{record('b', 1)}\n")


@pytest.mark.parametrize("labels", [[1, 0], ["1", "0"], [True, False], [0.5, 1.5]])
def test_labels_keep_their_type(labels: list[Any]) -> None:
    read = rows("".join(record("a", label) + "\n" for label in labels))
    assert [(type(label), label) for label, *_ in read] == [(type(label), label) for label in labels]


def test_table_2_repeated_ids_are_reported() -> None:
    told: list[str] = []
    data = '{"id":7,"text":"a"}\n\n{"id":8,"text":"b"}\n{"id":7,"text":"c"}\n'
    assert len(rows(data, id="id", label=None, remarks=Remarks(tell=told.append))) == 3
    assert told == ["a stream: 1 repeated ids, the first 7 in line 4, before in line 1; the rows are kept"]
    with pytest.raises(InputError, match="line 1: no id in the field 'key'; the record has 'id', 'text'"):
        rows(data, id="key", label=None)


def test_an_id_that_is_null_keeps_its_place() -> None:
    (batch,) = read_jsonl(io.BytesIO(b'{"id":null,"text":"a"}\n{"id":3,"text":"b"}\n'), id="id", label=None)
    assert batch.ids == [None, 3]


def test_nested_fields_are_found_by_their_path() -> None:
    data = '{"meta":{"text":"a","by":{"label":"x"}}}\n{"meta.text":"b","meta":{"text":"c","by":{"label":"y"}}}\n'
    assert rows(data, text="meta.text", label="meta.by.label") == [("x", "a", 1), ("y", "b", 2)]
    with pytest.raises(InputError, match=r"line 1: no field 'meta.by.text.deep'; the record has 'meta'"):
        rows(data, text="meta.by.text.deep", label=None)


def test_bad_bytes_are_named_with_line_and_offset_or_skipped() -> None:
    good = record("good", "x") + "\n"
    data = good.encode() * 2 + record("你好世界，体育", "x").encode("gb18030") + b"\n" + good.encode()
    with pytest.raises(InputError, match=rf"line 3, byte offset {2 * len(good) + 10}: .* it looks like gb18030"):
        rows(data)
    remarks = Remarks("skip")
    assert [line for *_, line in rows(data, remarks=remarks)] == [1, 2, 4]
    assert remarks.skipped == 1
    assert rows(data, encoding="gb18030")[2][1] == "你好世界，体育"
    assert [line for *_, line in rows(data, encoding="ascii", remarks=Remarks("skip"))] == [1, 2, 4]


def test_utf_16_without_a_mark_is_suspected_and_obeyed() -> None:
    data = record("buy", "spam").encode("utf-16-le")
    with pytest.raises(InputError, match=r"line 1, byte offset 1: a NUL.* ask for encoding utf-16-le"):
        rows(data)
    assert rows(data, encoding="utf-16-le") == [("spam", "buy", 1)]


def test_what_only_the_standard_parser_knows_is_read() -> None:
    assert rows('{"text":"a\\ud83d","label":"x","score":NaN,"big":' + "9" * 400 + "}") == [("x", "a\ud83d", 1)]


texts = st.text(st.characters(codec="utf-8"), max_size=20)


@given(
    st.lists(st.tuples(texts, texts.filter(bool)), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_what_a_json_writer_wrote_is_read_back(
    table: list[tuple[str, str]], escaped: bool, encoding: str, end: str
) -> None:
    lines = [json.dumps({"label": label, "text": text}, ensure_ascii=escaped) for text, label in table]
    named = encoding if encoding == "gb18030" else None
    read = rows(end.join(lines).encode(encoding), encoding=named, batch_bytes=100)
    assert [(text, label) for label, text, _ in read] == table
    assert [line for *_, line in read] == [i * end.count("\n") + 1 for i in range(len(table))]
