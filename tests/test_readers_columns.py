"""Parquet, Arrow files and frames."""

from __future__ import annotations

import datetime
import io
import sys
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from pyarrow import feather, ipc, parquet

from tallybayes.errors import InputError, InputTypeError, MissingExtraError
from tallybayes.readers import Remarks, open_source, read_arrow, read_frame, read_parquet

TEXTS = ["buy\nnow", "学识", ""]


def rows(batches: Any) -> list[tuple[Any, str, int]]:
    return [
        row
        for batch in batches
        for row in zip(batch.labels or [None] * len(batch), batch.documents, batch.places, strict=True)
    ]


def write_parquet(table: pyarrow.Table, path: Path) -> Path:
    parquet.write_table(table, path / "t.parquet", row_group_size=2)
    return path / "t.parquet"


def write_feather(table: pyarrow.Table, path: Path) -> Path:
    feather.write_feather(table, path / "t.feather")
    return path / "t.feather"


def write_stream(table: pyarrow.Table, path: Path) -> Path:
    with ipc.new_stream(path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    return path / "t.arrow"


@pytest.fixture(params=[write_parquet, write_feather, write_stream])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Write an Arrow table to a file of one kind, and return its path."""
    return lambda table: request.param(table, tmp_path)


def read(path: Path, **options: Any) -> list[tuple[Any, str, int]]:
    return rows((read_parquet if path.suffix == ".parquet" else read_arrow)(path, **options))


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
    ids=str,
)
def test_every_layout_of_strings_is_read(kind: Any, write: Any) -> None:
    texts = pyarrow.array(TEXTS).cast(kind)
    path = write(pyarrow.table({"text": texts, "label": [*TEXTS[:2], "x"]}))
    assert read(path) == [("buy\nnow", "buy\nnow", 1), ("学识", "学识", 2), ("x", "", 3)]
    assert read(path, label=None, batch_bytes=1) == [(None, text, i) for i, text in enumerate(TEXTS, 1)]


@pytest.mark.parametrize(
    "labels", [[1, 0, 1], [True, False, True], [0.5, 1.5, 2.0], [datetime.date(2026, 1, i) for i in (1, 2, 3)]]
)
def test_labels_keep_their_type(labels: list[Any], write: Any) -> None:
    found = [label for label, *_ in read(write(pyarrow.table({"text": TEXTS, "label": labels})))]
    assert [(type(label), label) for label in found] == [(type(label), label) for label in labels]


@pytest.mark.parametrize(
    "labels", [["a", None, "b", ""], ["a", "", "b", ""], [1, None, 0, None], [0.5, None, 1.5, float("nan")]]
)
def test_a_missing_label_is_named_with_its_row_or_skipped(labels: list[Any], write: Any) -> None:
    path = write(pyarrow.table({"text": list("wxyz"), "label": labels}))
    with pytest.raises(InputError, match=r"t\.[a-z]+, row 2: the label is missing"):
        read(path)
    remarks = Remarks("skip")
    assert [row for *_, row in read(path, remarks=remarks)] == [1, 3]
    assert remarks.skipped == 2


def test_a_text_that_is_none_is_named(write: Any) -> None:
    with pytest.raises(InputError, match="row 2: the text is missing"):
        read(write(pyarrow.table({"text": ["a", None], "label": [1, 2]})))
    with pytest.raises(InputError, match="row 1: the text is 5 of type int"):
        read(write(pyarrow.table({"text": [5], "label": [1]})))


def test_columns_are_found_by_name_number_or_path(write: Any) -> None:
    path = write(pyarrow.table({"a": ["x"], "mail": [{"body": "hi", "from": {"label": 7}}]}))
    assert read(path, text=1, label="mail.from.label") == [(7, "x", 1)]
    assert read(path, text="mail.body", label="a") == [("x", "hi", 1)]
    with pytest.raises(InputError, match=r"t\.[a-z]+: no column 'text'; found 'a', 'mail'"):
        read(path)
    with pytest.raises(InputError, match="no column 3; there are 2"):
        read(path, text=3)


def test_many_rows_come_in_bounded_batches_and_in_order(write: Any) -> None:
    texts = [f"{'x' * 100}{i}" for i in range(5000)]
    path = write(pyarrow.table({"text": texts, "label": list(range(5000))}))
    batches = list(open_source(path, batch_bytes=100_000))
    assert [text for batch in batches for text in batch.documents] == texts
    assert len(batches) == 3
    assert batches[1].where(0).endswith(f"row {len(batches[0]) + 1}")


def test_repeated_ids_are_reported(write: Any) -> None:
    told: list[str] = []
    path = write(pyarrow.table({"text": TEXTS, "id": [7, 8, 7]}))
    assert len(read(path, label=None, id="id", remarks=Remarks(tell=told.append))) == 3
    assert told == [f"{path}: 1 repeated ids, the first 7 in row 3, before in row 1; the rows are kept"]


@pytest.mark.parametrize("data", [b"", b"PAR1 no parquet", b"ARROW1 no arrow", b"garbage" * 10])
@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_a_damaged_file_is_named(data: bytes, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=f"{name}: cannot be read as a file of columns"):
        read(tmp_path / name)


def test_a_stream_of_bytes_is_an_ipc_stream() -> None:
    sink = io.BytesIO()
    table = pyarrow.table({"text": ["a"], "label": [1]})
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert rows(read_arrow(io.BytesIO(sink.getvalue()))) == [(1, "a", 1)]


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'pyarrow': pip install 'tallybayes\[arrow\]'"):
        read(tmp_path / "t.parquet")


FRAMES = {
    "pandas": pandas.DataFrame,
    "pandas with arrow": lambda data: pandas.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": polars.DataFrame,
    "polars lazy": polars.LazyFrame,
    "arrow table": pyarrow.table,
    "arrow stream": lambda data: pyarrow.table(data).to_reader(),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_frame_gives_the_same_rows(make: Any) -> None:
    data = {"text": TEXTS, "label": [1, 0, 1], "id": [7, 8, 9]}
    assert rows(read_frame(make(data))) == [(1, TEXTS[0], 1), (0, TEXTS[1], 2), (1, TEXTS[2], 3)]
    batches = list(read_frame(make(data), text=1, label=None, id="id"))
    assert [(batch.labels, batch.ids) for batch in batches] == [(None, [7, 8, 9])]
    assert [type(label) for label, *_ in rows(read_frame(make(data)))] == [int] * 3
    with pytest.raises(InputError, match="the frame: no column 'body'; found 'text', 'label', 'id'"):
        list(read_frame(make(data), text="body"))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pandas.array([1, 0], dtype="Int64"), [1, 0]),
        (pandas.array([True, False], dtype="boolean"), [True, False]),
        (pandas.array(["a", "b"], dtype="string"), ["a", "b"]),
        (pandas.Categorical(["a", "b"]), ["a", "b"]),
        (pandas.array(["a", "b"], dtype="string[pyarrow]"), ["a", "b"]),
        (pandas.array(["a", 1], dtype=object), ["a", 1]),
    ],
)
def test_frame_2_labels_keep_the_type_of_the_frame(labels: Any, expected: list[Any]) -> None:
    read = [label for label, *_ in rows(read_frame(pandas.DataFrame({"text": ["x", "y"], "label": labels})))]
    assert [(type(label), label) for label in read] == [(type(label), label) for label in expected]


@pytest.mark.parametrize("kind", ["Int64", "boolean", "string", "category", "object", "float64", "datetime64[ns]"])
def test_frame_2_a_missing_label_is_named_with_its_row(kind: str) -> None:
    values: list[Any] = [1, None, 1] if kind not in ("boolean", "datetime64[ns]") else [True, None, False]
    if kind == "datetime64[ns]":
        values = ["2026-01-01", None, "2026-01-02"]
    frame = pandas.DataFrame({"text": list("xyz"), "label": pandas.Series(values).astype(kind)})
    with pytest.raises(InputError, match="^the frame, row 2: the label is missing$"):
        list(read_frame(frame))
    remarks = Remarks("skip")
    assert [row for *_, row in rows(read_frame(frame, remarks=remarks))] == [1, 3]
    assert remarks.skipped == 1


def test_polars_categories_are_text() -> None:
    frame = polars.DataFrame({"text": ["x"], "label": polars.Series(["a"], dtype=polars.Categorical)})
    assert rows(read_frame(frame)) == [("a", "x", 1)]


def test_a_frame_longer_than_a_piece_is_read_in_order() -> None:
    frame = polars.DataFrame({"text": [str(i) for i in range(40_000)], "label": ["a"] * 40_000})
    assert [text for _, text, _ in rows(read_frame(frame))] == [str(i) for i in range(40_000)]
    assert len(list(read_frame(frame, batch_bytes=1))) == 3


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(InputTypeError, match="a data frame was expected, not list"):
        list(read_frame(["a", "b"]))
    with pytest.raises(InputTypeError, match="a data frame was expected, not Series"):
        list(read_frame(polars.Series(["a"])))
