"""Rows of cells, by the kind of source: what is a cell of a table, of a record, of a frame, and what is none."""

from __future__ import annotations

import csv
import datetime
import io
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import Remarks, open_source, read_arrow, read_frame, read_parquet

from .test_readers_cells import cells, places, records, table, typed


def test_no_column_but_the_label_is_no_table_of_cells() -> None:
    with pytest.raises(InputError, match=r"^a stream, line 1: no column is left to read; there is 'label' alone$"):
        table("label\nx\n", columns="all")
    with pytest.raises(InputError, match=r"^a stream, line 1: no column is left to read; there is 'label' alone$"):
        records('{"label":"x"}', columns="all")
    with pytest.raises(InputError, match=r"^the frame: no column is left to read; there is 'label', 'id' alone$"):
        list(read_frame(pandas.DataFrame({"label": ["x"], "id": [1]}), columns="all", id="id"))
    with pytest.raises(InputError, match=r"^a stream is empty; a table was expected$"):
        table("", columns="all", label=None)
    with pytest.raises(InputError, match=r"^a stream is empty; a table with the columns 'a', 2, 'label' was expected$"):
        table("", columns=["a", 2])


def test_a_table_without_header_has_cells_without_names(tmp_path: Path) -> None:
    batches = table("a,b,x\nc,,y\n", header=False, label=3, columns=[2, 1])
    assert (cells(batches), batches[0].columns) == ([("b", "a"), ("", "c")], None)
    assert cells(table("a,b,x\nc,,y\n", header=False, label=2, columns="all", remarks=Remarks("skip"))) == [("a", "x")]
    named = table("a,b,x\nc,,y\n", header=["one", "two", "label"], columns="all")
    assert (cells(named), named[0].columns) == ([("a", "b"), ("c", "")], ("one", "two"))
    with pytest.raises(ParameterError, match="column 'one' has no name in a table without header; give its number"):
        table("a,b\n", header=False, label=None, columns=["one"])
    (tmp_path / "bare.txt").write_text("a\tb\tx\n")
    (batch,) = open_source(tmp_path / "bare.txt", header=False, columns=["2", "1"], label="3")
    assert (batch.documents, batch.labels) == ([("b", "a")], ["x"])


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_the_one_that_parts_the_columns(separator: str) -> None:
    data = "a,b,label\n1,2,x\n".replace(",", separator)
    assert cells(table(data, columns=["b", "a"])) == [("2", "1")]
    assert cells(table(data, columns="all")) == [("1", "2")]
    assert cells(table(data, columns="all", label=None)) == [("1", "2", "x")]
    bare = data.partition("\n")[2]
    assert cells(table(bare, columns="all", label=1, header=False)) == [("2", "x")]
    assert cells(table(bare, columns=[3, 2], label=None, header=False)) == [("x", "2")]


def test_one_column_is_a_row_of_one_cell() -> None:
    assert cells(table("a,label\none,x\n", columns=["a"])) == [("one",)]
    assert cells(table("a\none\n", columns="all", label=None)) == [("one",)]
    assert cells(records('{"a":1}', columns=["a"], label=None)) == [(1,)]


def test_cells_of_a_table_are_text_verbatim() -> None:
    assert cells(table("a,b,label\n NA ,01,x\n,null,y\n", columns="all")) == [(" NA ", "01"), ("", "null")]
    told: list[str] = []
    table('a,text,label\n"",,x\n', columns="all", remarks=Remarks(tell=told.append))
    assert told == []  # an empty cell is no empty document


def test_a_name_that_is_there_twice_is_refused_by_name_and_read_by_number() -> None:
    data = "a,a,label\n1,2,x\n"
    for columns in ("all", ["a"]):
        with pytest.raises(InputError, match=r"line 1: 2 columns are called 'a', one was expected; found 'a', 'a'"):
            table(data, columns=columns)
    (batch,) = table(data, columns=[2, 1])
    assert (batch.documents, batch.columns) == ([("2", "1")], ("a", "a"))


def test_bad_rows_of_a_table_are_named_or_skipped() -> None:
    data = b"a,b,c,label\n1,2,3,x\n4,5,y\n6,7,8,\n\n\xff,9,10,y\n11,12,\xff,y\n13,14\0,15,z\n16,17,18,z\n"
    for raw, complaint in [
        (data, "a stream, line 3: 3 cells, 4 were expected; the row begins '4'"),
        (data.replace(b"4,5,y\n", b"\n"), "a stream, line 4: the label is empty"),
    ]:
        with pytest.raises(InputError) as refused:
            table(raw.replace(b"\xff", b"?").replace(b"\0", b"?"), columns=["b", "a"])
        assert str(refused.value) == complaint
    with pytest.raises(InputError, match=r"line 6, byte offset 37: 0xff is no text in utf-8"):
        table(data.replace(b"4,5,y\n", b"4,0,5,y\n").replace(b"8,\n", b"8,y\n"), columns=["b", "a"])
    remarks = Remarks("skip")
    batches = table(data, columns=["b", "a"], remarks=remarks, batch_bytes=1)
    assert cells(batches) == [("2", "1"), ("12", "11"), ("17", "16")]  # a bad byte in a column not asked for is none
    assert places(batches) == [2, 7, 9]
    assert remarks.skipped == 4


def test_an_open_quote_is_named_where_it_opens() -> None:
    with pytest.raises(InputError, match=r"^a stream, line 3: a quote opens here and is never closed"):
        table('a,b,label\n1,2,x\n3,"4,x\n5,6,x\n', columns="all", remarks=Remarks("skip"))


def test_other_encodings_and_quotes_that_mean_nothing() -> None:
    data = "城,label,年\n北京,是,一\n".encode("gb18030")
    assert cells(table(data, columns=["年", "城"], label=None, encoding="gb18030")) == [("一", "北京")]
    with pytest.raises(InputError, match="ask for encoding gb18030"):
        table(data, columns=["年"], label=None)
    plain = table('a\t"b\tx\tand\tmore\n', header=False, columns=[2, 1], label=None, quotes=False)
    assert cells(plain) == [('"b', "a")]


@given(st.data(), st.integers(1, 9))
def test_what_a_csv_writer_wrote_comes_back_in_any_order_of_the_columns(data: Any, size: int) -> None:
    width = data.draw(st.integers(1, 4))
    cell = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=6)
    rows = data.draw(st.lists(st.tuples(*[cell] * width), min_size=1, max_size=6))
    order = data.draw(st.permutations(range(1, width + 1)))
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    batches = table(file.getvalue(), header=False, label=None, columns=order, separator="comma", batch_bytes=size)
    assert cells(batches) == [tuple(row[i - 1] for i in order) for row in rows]


def test_a_text_is_the_only_cell_of_its_column() -> None:
    forms = ((table, 'label,a\nx,"b\nc"\ny,d\n'), (records, '{"label":"x","a":"b\\nc"}\n{"label":"y","a":"d"}'))
    for read, data in forms:
        texts, rows = read(data, text="a"), read(data, columns=["a"])
        assert [(text,) for batch in texts for text in batch.documents] == cells(rows)
        assert [(b.labels, b.places, b.ids) for b in texts] == [(b.labels, list(b.places), b.ids) for b in rows]
        assert texts[0].columns is None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"b":1,"label":"x"}', "no field 'a'; the record has 'b', 'label'"),
        (
            '{"a":[1],"b":1,"label":"x"}',
            "the field 'a' is a list, not one value; name a field inside it, or leave it out",
        ),
        (
            '{"a":"x","b":{"c":1},"label":"x"}',
            "the field 'b' is an object, not one value; name a field inside it, or leave it out",
        ),
        ('{"a":"x","b":1}', "no field 'label'; the record has 'a', 'b'"),
        ("[1]", "a list stands here, not a JSON object"),
    ],
)
@pytest.mark.parametrize("columns", [["a", "b"], "all"])
def test_a_bad_record_is_named_or_skipped_and_settles_nothing(line: str, complaint: str, columns: Any) -> None:
    good = '{"a":null,"b":2.5,"label":"x"}'
    for lines in ([good, line, good], [line, good]):
        if not (columns == "all" and lines[0] is line and complaint.startswith("no field 'a'")):
            with pytest.raises(InputError) as refused:
                records(*lines, columns=columns)
            assert str(refused.value) == f"a stream, line {lines.index(line) + 1}: {complaint}"
            remarks = Remarks("skip")
            batches = records(*lines, columns=columns, remarks=remarks, batch_bytes=1)
            assert typed(cells(batches)) == typed([(None, 2.5)] * lines.count(good))
            assert (remarks.skipped, batches[0].columns) == (1, ("a", "b"))


def test_all_fields_are_those_of_the_first_record() -> None:
    lines = ('{"a":1,"label":"x"}', '{"label":"y","a":2}', '{"a":1,"new":3,"label":"x"}')
    assert cells(records(*lines[:2], columns="all")) == [(1,), (2,)]
    with pytest.raises(InputError) as refused:
        records(*lines, columns="all")
    assert str(refused.value) == (
        "a stream, line 3: the field 'new' is not in the records before; name the columns that are wanted"
    )
    assert cells(records(*lines, columns=["a"])) == [(1,), (2,), (1,)]


def test_fields_inside_others_are_cells_by_their_path(tmp_path: Path) -> None:
    (batch,) = records('{"m":{"a":1,"label":"x"}}', columns=["m.a"], label="m.label")
    assert (batch.documents, batch.columns, batch.labels) == ([(1,)], ("m.a",), ["x"])
    nested = pyarrow.table({"b": [2], "m": [{"a": 1, "label": "x"}]})
    parquet.write_table(nested, tmp_path / "t.parquet")
    feather.write_feather(nested, tmp_path / "t.feather")
    wanted: dict[str, Any] = {"columns": ["m.a", "b"], "label": "m.label"}
    for batches in (read_parquet(tmp_path / "t.parquet", **wanted), read_arrow(tmp_path / "t.feather", **wanted)):
        (batch,) = batches
        assert (batch.documents, batch.columns, batch.labels) == ([(1, 2)], ("m.a", "b"), ["x"])


def test_a_field_that_is_not_inside_a_column_is_refused_with_those_that_are(tmp_path: Path) -> None:
    nested = pyarrow.table({"b": ["q"], "m": [{"a": {"x": 2}}], "z": [{"x": 1}]})
    parquet.write_table(nested, tmp_path / "t.parquet")
    feather.write_feather(nested, tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        for columns, complaint in [
            (["m.x", "z.x"], "no field 'x' in 'm'; its fields: 'a'"),
            (["b.x"], "no field 'x' in 'b'; its fields: none"),
            (["m.a.x", "m.a.y"], "no field 'y' in 'm.a'; its fields: 'x'"),
        ]:
            with pytest.raises(InputError) as refused:
                list(open_source(tmp_path / name, columns=columns, labelled=False))
            assert str(refused.value) == f"{tmp_path / name}: {complaint}"


def test_bytes_that_are_no_text_skip_their_record() -> None:
    lines = ('{"a":"one","b":"x"}', '{"a":"\\ud800","b":"x"}', '{"a":3,"b":"x"}', '{"a":"x","b":"\\u0000"}')
    batches = records(*lines, columns=["a"], label="b", remarks=(remarks := Remarks("skip")))
    assert (cells(batches), places(batches), remarks.skipped) == ([("one",), (3,)], [1, 3], 2)


def test_a_cell_that_holds_several_values_is_named_or_skipped(tmp_path: Path) -> None:
    data = {"a": [1, 2], "b": [None, [3]]}
    parquet.write_table(pyarrow.table(data), tmp_path / "t.parquet")
    makes = [
        lambda **options: read_parquet(tmp_path / "t.parquet", **options),
        lambda **options: read_frame(pandas.DataFrame(data), **options),
        lambda **options: read_frame(polars.DataFrame(data), **options),
    ]
    for read in makes:
        with pytest.raises(InputError) as refused:
            list(read(columns="all", label=None))
        assert str(refused.value).endswith(
            ", row 2: the column 'b' is [3] of type list, not one value; name a field inside it, or leave it out"
        )
        batches = list(read(columns="all", label=None, remarks=(remarks := Remarks("skip"))))
        assert (cells(batches), places(batches), remarks.skipped) == ([(1, None)], [1], 1)


def test_dates_times_and_bytes_keep_their_type(tmp_path: Path) -> None:
    row = (datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4), b"\xff", 2**60, float("inf"))
    names = ("day", "time", "raw", "large", "far")
    data = {name: [cell, None] for name, cell in zip(names, row, strict=True)}
    parquet.write_table(pyarrow.table(data), tmp_path / "t.parquet")
    gone = (None,) * len(row)
    for batches in (
        list(read_parquet(tmp_path / "t.parquet", columns=names, label=None)),
        list(read_frame(polars.DataFrame(data), columns=names, label=None)),
    ):
        assert typed(cells(batches)) == typed([row, gone])


def test_what_a_frame_holds_to_be_missing_is_none() -> None:
    frame = pandas.DataFrame(
        {"a": ["x", None], "b": [1.5, None], "c": pandas.array([1, None], dtype="Int64"), "d": ["2026-01-02", None]}
    ).astype({"d": "datetime64[ns]"})
    (batch,) = read_frame(frame, columns="all", label=None)
    assert batch.documents == [("x", 1.5, 1, datetime.datetime(2026, 1, 2)), (None, None, None, None)]
    (batch,) = read_frame(polars.DataFrame({"a": [float("nan"), None]}), columns="all", label=None)
    assert repr(batch.documents) == "[(nan,), (None,)]"  # where the two differ, NaN is a number


def test_a_frame_whose_names_are_numbers_goes_by_position_or_by_their_text() -> None:
    frame = pandas.DataFrame([[1, 2, "x"], [3, 4, "y"]])
    (batch,) = read_frame(frame, columns=[2, 1], label=3)
    assert (batch.documents, batch.columns, batch.labels) == ([(2, 1), (4, 3)], ("1", "0"), ["x", "y"])
    (batch,) = read_frame(frame, columns="all", label="2")
    assert batch.documents == [(1, 2), (3, 4)]
