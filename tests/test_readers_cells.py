"""Rows of cells: the same table in every form, the columns in the order asked for, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from pyarrow import feather, ipc, parquet

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import (
    Batch,
    open_source,
    prefetch,
    prepare,
    read_frame,
    read_jsonl,
    read_table,
    split,
)
from tallybayes.readers.batch import Gather

NAMES = ["town", "id", "age", "label", "share", "member"]
TABLE = [
    ("Köln", 7, 31, "yes", 0.5, True),
    ("two\nlines, one cell", 8, None, "no", None, False),
    ('"quoted"', 9, 0, "yes", -1.25, None),
    (None, 10, 44, "no", 3.0, True),
    ("学识", 11, -5, "no", 1e-3, False),
]
TYPES = [pyarrow.string(), pyarrow.int64(), pyarrow.int64(), pyarrow.string(), pyarrow.float64(), pyarrow.bool_()]


def arrow_table() -> pyarrow.Table:
    columns = [pyarrow.array(column, kind) for column, kind in zip(zip(*TABLE, strict=True), TYPES, strict=True)]
    return pyarrow.table(columns, NAMES)


def write_rows(path: Path, separator: str) -> Path:
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator).writerows([NAMES, *TABLE])  # None is an empty cell
    return path


def write_jsonl(path: Path) -> Path:
    path.write_text("".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in TABLE))
    return path


def write_parquet(path: Path) -> Path:
    parquet.write_table(arrow_table(), path, row_group_size=2)
    return path


def write_feather(path: Path) -> Path:
    feather.write_feather(arrow_table(), path)
    return path


def write_stream(path: Path) -> Path:
    with ipc.new_stream(path, arrow_table().schema) as writer:
        writer.write_table(arrow_table())
    return path


Read = Callable[..., list[Batch]]


def from_file(write: Callable[[Path], Path], name: str) -> Callable[[Path], Read]:
    return lambda folder: lambda **options: list(open_source(write(folder / name), **options))


def from_frame(make: Callable[[], Any]) -> Callable[[Path], Read]:
    def read(*, labelled: bool = True, label: Any = "label", **options: Any) -> list[Batch]:
        return list(read_frame(make(), label=label if labelled else None, **options))

    return lambda folder: read


def nullable_frame() -> pandas.DataFrame:
    kinds = ["string", "Int64", "Int64", "category", "Float64", "boolean"]
    columns = zip(NAMES, zip(*TABLE, strict=True), kinds, strict=True)
    return pandas.DataFrame({name: pandas.Series(list(column)).astype(kind) for name, column, kind in columns})


TEXT = {
    "csv": from_file(lambda path: write_rows(path, ","), "t.csv"),
    "semicolons": from_file(lambda path: write_rows(path, ";"), "t.csv"),
    "tsv": from_file(lambda path: write_rows(path, "\t"), "t.tsv"),
}
TYPED = {
    "jsonl": from_file(write_jsonl, "t.jsonl"),
    "parquet": from_file(write_parquet, "t.parquet"),
    "feather": from_file(write_feather, "t.feather"),
    "arrow stream": from_file(write_stream, "t.arrow"),
    "pandas": from_frame(lambda: arrow_table().to_pandas(types_mapper=pandas.ArrowDtype)),
    "pandas nullable": from_frame(nullable_frame),
    "polars": from_frame(lambda: polars.from_arrow(arrow_table())),
    "polars lazy": from_frame(lambda: polars.from_arrow(arrow_table()).lazy()),  # type: ignore[union-attr]
    "arrow table": from_frame(arrow_table),
    "arrow batches": from_frame(lambda: arrow_table().to_reader()),
}
FORMS = TEXT | TYPED


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """The name of a form that a table can have."""
    return str(request.param)


def as_text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def expected(form: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    rows = [tuple(row[NAMES.index(name)] for name in columns) for row in TABLE]
    return [tuple(map(as_text, row)) for row in rows] if form in TEXT else rows


def typed(rows: list[tuple[Any, ...]]) -> list[list[tuple[type, Any]]]:
    return [[(type(cell), cell) for cell in row] for row in rows]


def table(data: str | bytes, **options: Any) -> list[Batch]:
    return list(read_table(io.BytesIO(data if isinstance(data, bytes) else data.encode()), **options))


def records(*lines: str, **options: Any) -> list[Batch]:
    return list(read_jsonl(io.BytesIO("".join(line + "\n" for line in lines).encode()), **options))


def cells(batches: list[Batch]) -> list[tuple[Any, ...]]:
    return [row for batch in batches for row in batch.documents]


def places(batches: list[Batch]) -> list[Any]:
    return [place for batch in batches for place in batch.places]


@pytest.mark.parametrize("seed", range(3))
def test_every_form_gives_the_same_cells_in_the_order_asked_for(form: str, seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    columns = draw.sample([name for name in NAMES if name != "label"], seed + 1)
    batches = FORMS[form](tmp_path)(columns=columns, batch_bytes=(1 << 20) if seed else 1)
    assert typed(cells(batches)) == typed(expected(form, columns))
    assert {batch.columns for batch in batches} == {tuple(columns)}
    assert [label for batch in batches for label in batch.labels or []] == [row[3] for row in TABLE]
    first = [2, 3, 5, 6, 7] if form in TEXT else [1, 2, 3, 4, 5]  # a header, and a cell of two lines
    assert places(batches) == first


def test_all_is_every_column_but_label_and_id_as_the_table_has_them(form: str, tmp_path: Path) -> None:
    read = FORMS[form](tmp_path)
    batches = read(columns="all", id="id")
    left = [name for name in NAMES if name not in ("label", "id")]
    assert {batch.columns for batch in batches} == {tuple(left)}
    assert typed(cells(batches)) == typed(expected(form, left))
    ids = [row[1] for row in TABLE]
    assert [identity for batch in batches for identity in batch.ids or []] == (
        list(map(str, ids)) if form in TEXT else ids
    )
    assert read(columns="all", labelled=False)[0].columns == tuple(NAMES)


def test_columns_go_by_number_from_1_where_they_have_an_order(form: str, tmp_path: Path) -> None:
    if form == "jsonl":
        with pytest.raises(InputError, match=r"line 1: no field '5'; the record has 'town', 'id'"):
            FORMS[form](tmp_path)(columns=[5, 1])
        return
    batches = FORMS[form](tmp_path)(columns=[5, "town"], label=4)
    assert batches[0].columns == ("share", "town")
    assert cells(batches) == expected(form, ["share", "town"])


def test_a_column_that_is_not_there_is_refused_with_those_there_are(form: str, tmp_path: Path) -> None:
    if form == "semicolons":  # which no column tells from commas here
        return
    with pytest.raises(InputError, match=r"no (column|field) 'street'(; found|; the record has) 'town', 'id', 'age', "):
        FORMS[form](tmp_path)(columns=["town", "street"])


def test_text_and_columns_together_are_refused(form: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as refused:
        FORMS[form](tmp_path)(text="town", columns=["age"])
    assert str(refused.value) == "a row is one text or several cells; give text ('town') or columns (['age']), not both"


def test_a_column_is_asked_for_once(form: str, tmp_path: Path) -> None:
    again: Any = "town" if form == "jsonl" else 1
    with pytest.raises(InputError, match=f"column {again!r} is asked for twice; name it once$"):
        FORMS[form](tmp_path)(columns=["town", "age", again])


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ([], "columns must name at least one column, but the list is empty; 'all' takes every one"),
        ("town", "columns must be a list of names or numbers, or 'all', not 'town'"),
    ],
)
def test_columns_must_name_some(columns: Any, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as refused:
        open_source(write_rows(tmp_path / "t.csv", ","), columns=columns)  # refused before anything is read
    assert str(refused.value) == complaint


def test_a_label_may_be_among_the_cells(form: str, tmp_path: Path) -> None:
    batches = FORMS[form](tmp_path)(columns=["label", "age"])
    assert cells(batches) == expected(form, ["label", "age"])


def test_the_test_part_and_reading_ahead_keep_the_columns(form: str, tmp_path: Path) -> None:
    batches = FORMS[form](tmp_path)(columns=["age", "town"], id="id")
    for training, test in split(prefetch(batches), test_names=["8", "11"]):
        assert training.columns == test.columns == ("age", "town")
        rows = expected(form, ["age", "town"])
        assert (training.documents, test.documents) == ([rows[0], rows[2], rows[3]], [rows[1], rows[4]])
        assert list(map(str, test.ids or ())) == ["8", "11"]


def test_the_bytes_of_cells_fill_a_batch() -> None:
    gather = Gather("f", labelled=False, limit=1000, cells=True, columns=("a", "b"))
    row = ("x" * 100, 3)
    size = sys.getsizeof(row) + sum(map(sys.getsizeof, row))
    added = [gather.add(row, None, i) for i in range(-(-1000 // size))]
    assert added == [False] * (len(added) - 1) + [True]
    assert gather.take().columns == ("a", "b")
    assert not gather.extend([row] * (len(added) - 1), [None] * (len(added) - 1), range(len(added) - 1))
    assert gather.extend([row], [None], [9])


def test_many_rows_come_in_bounded_batches_and_in_order(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"n": range(40_000), "label": ["x"] * 40_000})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        batches = list(open_source(tmp_path / name, columns=["n"], batch_bytes=1_000_000))
        assert [int(row[0]) for row in cells(batches)] == list(range(40_000))
        assert 3 <= len(batches) <= 6
        assert batches[1].where(0).endswith(str(batches[1].places[0]))


@pytest.mark.parametrize(
    ("data", "options", "found"),
    [
        (b"a,b,label\n1,2,x\n", {"columns": ["b", "a"]}, [("2", "1")]),
        (b"a;b\n1;2\n", {"columns": "all", "labelled": False}, [("1", "2")]),
        (b"1\t2\n", {"columns": ["2", "1"], "labelled": False, "header": False}, [("2", "1")]),
        (b'{"a":1,"b":"two"}\n', {"columns": ["b", "a"], "labelled": False}, [("two", 1)]),
        (b'{"a":1,"b":"two","label":3}\n', {"columns": "all"}, [(1, "two")]),
    ],
)
def test_standard_input_is_read_by_columns(
    data: bytes, options: Any, found: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(data)}))
    batches = list(open_source("-", **options))
    assert cells(batches) == found
    assert batches[0].where(0) == ("standard input, line 1" if data[:1] in b"1{" else "standard input, line 2")


def test_sources_of_documents_have_no_columns(tmp_path: Path) -> None:
    (tmp_path / "classes" / "ham").mkdir(parents=True)
    (tmp_path / "classes.zip").write_bytes(b"")
    (tmp_path / "ham.txt").write_text("see you\n")
    for options, complaint in [
        ({"sources": tmp_path / "classes"}, "classes: a folder or archive holds documents, not columns; "),
        ({"sources": tmp_path / "classes.zip"}, "classes.zip: a folder or archive holds documents, not columns; "),
        ({"sources": tmp_path / "ham.txt", "kind": "lines"}, "ham.txt: plain lines hold documents, not columns; "),
        ({"classes": {"ham": tmp_path / "ham.txt"}}, "ham.txt: plain lines hold documents, not columns; "),
    ]:
        with pytest.raises(InputError) as refused:
            open_source(columns=["a"], **options)  # type: ignore[arg-type]
        assert str(refused.value) == f"{tmp_path}/{complaint}give a table, or leave columns out"


def test_a_corpus_is_not_prepared_from_cells(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        prepare(table("a,label\none,x\n", columns=["a"]), tmp_path)
    assert str(refused.value) == "a stream was read as rows of cells; preparing a corpus needs one text column"
