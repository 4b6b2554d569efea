"""Parquet and Arrow files (extra ``arrow``): columns read in batches of bounded size; the only reader with pyarrow."""

from __future__ import annotations

import importlib
import mmap
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any, cast

from tallybayes.errors import InputError, MissingExtraError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather, Remarks, Repeats
from tallybayes.readers.names import Origin, shown_name
from tallybayes.readers.stream import CHUNK_BYTES
from tallybayes.readers.wanted import Column, Columns, Wanted, found_column

__all__ = ["ColumnRows", "read_arrow", "read_parquet", "read_record_batches"]

_ROWS = 2048
_MISSING_TYPES = ("NoneType", "NAType", "NaTType")


def read_parquet(
    path: Origin,
    *,
    text: Column | None = None,
    label: Column | None = "label",
    id: Column | None = None,
    columns: Columns | None = None,
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[Batch]:
    """Read the documents (or some columns) and labels of a Parquet file; only the columns asked for are read.

    Parameters
    ----------
    path : str, path or stream of bytes
        The file; a stream must be able to seek, so standard input will not do.
    text, label, id : str or int
        Columns by name or by number from 1, ``"text"`` for the text unless given; ``meta.text`` is the field ``text``
        of a column ``meta``. ``label=None`` reads no labels. The text must be strings; labels may be strings, numbers,
        booleans, dates or bytes. A null is missing.
    columns : sequence of str or int, or "all", optional
        Instead of a text, the cells of these columns, in this order; ``"all"`` takes every column but label and id, as
        they stand. A null is None.
    remarks, batch_bytes
        As for `read_table`.

    Yields
    ------
    Batch
        Documents (or tuples of cells) and labels, of Python's type for the column, and row numbers from 1.

    Raises
    ------
    InputError
        No such column, a text that is none, a cell that is a list or struct, a label that is missing, a damaged file.
    ParameterError
        Both `text` and `columns`.
    MissingExtraError
        pyarrow is not installed.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow, pyarrow.parquet
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mails.parquet")
    >>> table = pyarrow.table({"label": [1, 0], "text": ["buy now", "see you"]})
    >>> pyarrow.parquet.write_table(table, path)
    >>> for batch in read_parquet(path):
    ...     print(batch.labels, batch.documents, batch.where(1).endswith("mails.parquet, row 2"))
    [1, 0] ['buy now', 'see you'] True
    """
    wanted = Wanted.of(text, columns, label, id)
    parquet, pyarrow = _module("pyarrow.parquet"), _module("pyarrow")
    name = shown_name(path)
    source = path if hasattr(path, "read") else os.fspath(path)
    with (
        _named_errors(name, pyarrow),
        parquet.ParquetFile(source, pre_buffer=False, buffer_size=CHUNK_BYTES) as file,
    ):
        reading = _Columns(name, file.schema_arrow, wanted)
        batches = file.iter_batches(batch_size=_ROWS, columns=reading.paths, use_threads=False)
        yield from reading.batches(batches, remarks or Remarks(), batch_bytes)


def read_arrow(
    path: Origin,
    *,
    text: Column | None = None,
    label: Column | None = "label",
    id: Column | None = None,
    columns: Columns | None = None,
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[Batch]:
    """Read the documents (or some columns) and labels of an Arrow IPC file or stream, or of a Feather file (version 2).

    A file is mapped into memory, a stream of bytes is read as an IPC stream. Parameters, results and errors are those
    of `read_parquet`.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow, pyarrow.feather
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mails.feather")
    >>> table = pyarrow.table({"mail": [{"label": "spam", "body": "buy now"}]})
    >>> pyarrow.feather.write_feather(table, path)
    >>> for batch in read_arrow(path, text="mail.body", label="mail.label"):
    ...     print(batch.labels, batch.documents)
    ['spam'] ['buy now']
    """
    wanted = Wanted.of(text, columns, label, id)
    ipc, pyarrow = _module("pyarrow.ipc"), _module("pyarrow")
    name = shown_name(path)
    remarks = remarks or Remarks()
    if hasattr(path, "read"):
        with _named_errors(name, pyarrow):
            reader = ipc.open_stream(path)
            yield from _Columns(name, reader.schema, wanted).batches(reader, remarks, batch_bytes)
        return
    with _named_errors(name, pyarrow), _mapped(path) as mapped:
        if mapped[:6] == b"ARROW1":
            reader = ipc.open_file(pyarrow.py_buffer(mapped))
            batches: Iterable[Any] = map(reader.get_batch, range(reader.num_record_batches))
        else:
            reader = batches = ipc.open_stream(pyarrow.py_buffer(mapped))
        for batch in _Columns(name, reader.schema, wanted).batches(batches, remarks, batch_bytes):
            yield batch
            # What was read stays in memory as long as there is room, and would count as this process's.
            mapped.madvise(mmap.MADV_DONTNEED)


@contextmanager
def _mapped(path: Origin) -> Iterator[mmap.mmap]:
    """Map a file into memory; closed by who holds its last buffer."""
    with open(path, "rb") as file:  # type: ignore[arg-type]  # a path here
        if os.fstat(file.fileno()).st_size == 0:
            raise InputError(f"{os.fspath(path)}: cannot be read as a file of columns: it is empty")  # type: ignore[arg-type]
        yield mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def read_record_batches(stream: Any, name: str, wanted: Wanted, remarks: Remarks, batch_bytes: int) -> Iterator[Batch]:
    """Read the wanted columns of an object that exports an Arrow stream."""
    pyarrow = _module("pyarrow")
    with _named_errors(name, pyarrow):
        reader = pyarrow.RecordBatchReader.from_stream(stream)
        yield from _Columns(name, reader.schema, wanted).batches(reader, remarks, batch_bytes)


def _sliced(batches: Iterable[Any]) -> Iterator[Any]:
    """Cut record batches, which may be as large as the file, into pieces of bounded length."""
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            yield batch.slice(start, _ROWS)


class _Columns:
    """The wanted columns of a file."""

    def __init__(self, name: str, schema: Any, wanted: Wanted) -> None:
        self._name, self._wanted = name, wanted
        self._found = wanted.found(schema.names, partial(self._path, schema), name)

    def _path(self, schema: Any, column: Column) -> tuple[str, ...]:
        """Return the name of the column, and those of the fields inside it."""
        names = schema.names
        if not isinstance(column, str) or column in names or column.split(".")[0] not in names:
            return (names[found_column(column, names, self._name)],)
        path = tuple(column.split("."))
        kind = schema.field(path[0]).type
        for depth, key in enumerate(path[1:], 1):
            inside = [kind.field(i).name for i in range(kind.num_fields)]
            if key not in inside:
                shown = ", ".join(repr(name[:40]) for name in inside[:20]) or "none"
                raise InputError(f"{self._name}: no field {key!r} in {'.'.join(path[:depth])!r}; its fields: {shown}")
            kind = kind.field(inside.index(key)).type
        return path

    @property
    def paths(self) -> list[str]:
        """The columns to read, nested ones with dots."""
        found = self._found
        return [".".join(path) for path in (*found.columns, found.label, found.id) if path is not None]

    def batches(self, record_batches: Iterable[Any], remarks: Remarks, batch_bytes: int) -> Iterator[Batch]:
        """Yield the batches of a file's record batches."""
        found = self._found
        names = tuple(map(".".join, found.columns))
        rows = ColumnRows(self._name, self._wanted, names, remarks=remarks, batch_bytes=batch_bytes)
        for record_batch in _sliced(record_batches):
            columns = [self._values(record_batch, path) for path in found.columns]
            labels, ids = (
                None if path is None else self._values(record_batch, path) for path in (found.label, found.id)
            )
            yield from rows.add(columns, labels, ids)
        yield from rows.rest()

    def _values(self, record_batch: Any, path: Sequence[str]) -> list[Any]:
        compute = _module("pyarrow.compute")
        column = record_batch.column(record_batch.schema.get_field_index(path[0]))
        for key in path[1:]:
            column = compute.struct_field(column, key)
        if str(column.type).startswith("dictionary"):
            column = column.dictionary_decode()
        # Pylists are made a scalar at a time; NumPy is three times as fast, but has no null for numbers.
        kind = str(column.type)
        if kind in ("string", "large_string") or (kind in ("int64", "double") and column.null_count == 0):
            column = column.to_numpy(zero_copy_only=False)
            return cast(list[Any], column.tolist())
        return cast(list[Any], column.to_pylist())


class ColumnRows:
    """Takes some rows of the wanted columns at a time, checks them, and hands out batches.

    `columns` are the names of the columns that `add` will be given.
    """

    def __init__(
        self, name: str, wanted: Wanted, columns: tuple[str, ...], *, remarks: Remarks, batch_bytes: int = BATCH_BYTES
    ) -> None:
        self._name, self._columns, self._cells, self._report = name, columns, wanted.cells, remarks
        self._labelled = wanted.label is not None
        named = columns if wanted.cells else None
        self._gather = Gather(
            name, labelled=self._labelled, counted_in="row", limit=batch_bytes, cells=wanted.cells, columns=named
        )
        self._repeats = Repeats(name, "row")
        self._rows = 0

    def add(
        self, columns: Sequence[Sequence[Any]], labels: Sequence[Any] | None, ids: Sequence[Any] | None
    ) -> Iterator[Batch]:
        """Take the next rows, a column at a time; yield a batch when it is full."""
        documents: Sequence[Any] = list(zip(*columns, strict=True)) if self._cells else columns[0]
        rows: Sequence[int] = range(self._rows + 1, self._rows + len(documents) + 1)
        self._rows += len(documents)
        labels = [None] * len(documents) if labels is None else labels
        if not self._all_good(documents, labels):
            good = [i for i, row in enumerate(rows) if self._is_good(documents[i], labels[i], row)]
            documents, labels, rows = ([values[i] for i in good] for values in (documents, labels, rows))
            ids = None if ids is None else [ids[i] for i in good]
        self._repeats.see(ids or (), rows)
        if self._gather.extend(documents, labels, rows, ids or ()):
            yield self._gather.take()

    def rest(self) -> Iterator[Batch]:
        """Yield what is left, and remark on repeated ids."""
        yield from self._gather.rest()
        self._repeats.remark(self._report)

    def _all_good(self, documents: Sequence[Any], labels: Sequence[Any]) -> bool:
        """Tell at a glance what most rows are; False where a closer look is needed."""
        if self._cells:
            good = not any(map(_is_nested, set(map(type, chain.from_iterable(documents)))))
        else:
            good = set(map(type, documents)) <= {str}
        return good and (not self._labelled or (set(map(type, labels)) <= {str, int, bool} and "" not in labels))

    def _is_good(self, document: Any, label: Any, row: int) -> bool:
        where = f"{self._name}, row {row}"
        nested = next((i for i, cell in enumerate(document) if _is_nested(type(cell))), None) if self._cells else None
        if nested is not None:
            self._report.bad(
                f"{where}: the column {self._columns[nested]!r} is {document[nested]!r:.60} of type "
                f"{type(document[nested]).__name__}, not one value; name a field inside it, or leave it out"
            )
        elif not self._cells and type(document).__name__ in _MISSING_TYPES:
            self._report.bad(f"{where}: the text is missing")
        elif not self._cells and not isinstance(document, str):
            self._report.bad(f"{where}: the text is {document!r:.60} of type {type(document).__name__}")
        elif self._labelled and (type(label).__name__ in _MISSING_TYPES or label == "" or label != label):
            self._report.bad(f"{where}: the label is missing")
        else:
            return True
        return False


def _is_nested(kind: type) -> bool:
    """Tell whether values of a type hold others: lists, structs, arrays."""
    return issubclass(kind, Collection) and not issubclass(kind, str | bytes)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError.of("pyarrow", "arrow") from None


@contextmanager
def _named_errors(name: str, pyarrow: Any) -> Iterator[None]:
    """Turn what pyarrow says of a file that it cannot read into `InputError` with its name."""
    try:
        yield
    except pyarrow.ArrowException as error:
        raise InputError(f"{name}: cannot be read as a file of columns: {error}") from error
