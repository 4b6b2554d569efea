"""One door to all readers: which of them a source needs is told by what it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from typing import Any, Literal, cast, get_args

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers.batch import BATCH_BYTES, Batch, OnError, Remarks
from tallybayes.readers.encoding import checked_encoding
from tallybayes.readers.lines import read_lines
from tallybayes.readers.names import Origin, bare_suffix, checked_pattern, is_archive, shown_name
from tallybayes.readers.stream import open_bytes, peeked
from tallybayes.readers.wanted import Column, Columns, Wanted

__all__ = ["Kind", "Source", "open_source"]

Kind = Literal["table", "jsonl", "lines", "folder", "parquet", "arrow"]

_KINDS: dict[str, Kind] = {
    ".csv": "table",
    ".tsv": "table",
    ".tab": "table",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_READERS: dict[Kind, tuple[str, str]] = {
    "table": ("table", "read_table"),
    "jsonl": ("jsonl", "read_jsonl"),
    "lines": ("lines", "read_lines"),
    "folder": ("folder", "read_folder"),
    "parquet": ("columnar", "read_parquet"),
    "arrow": ("columnar", "read_arrow"),
}
_FOREIGN = {
    ".xlsx": "CSV",
    ".xls": "CSV",
    ".ods": "CSV",
    ".docx": "plain text",
    ".doc": "plain text",
    ".pdf": "plain text",
}


class Source:
    """The batches of one or several sources, in order; made by `open_source`.

    Going over it reads the files, from the start each time (standard input only once).

    Attributes
    ----------
    remarks : Remarks
        What the last (or the running) reading skipped and guessed.
    """

    def __init__(
        self, readers: Sequence[Callable[[Remarks], Iterator[Batch]]], new_report: Callable[[], Remarks]
    ) -> None:
        self._readers = readers
        self._new_report = new_report
        self.remarks = new_report()

    def __iter__(self) -> Generator[Batch, None, None]:
        self.remarks = remarks = self._new_report()
        for reader in self._readers:
            yield from reader(remarks)

    @property
    def skipped(self) -> int:
        """How many bad rows the last reading left out."""
        return self.remarks.skipped


def open_source(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    classes: Mapping[str, str | os.PathLike[str]] | Iterable[tuple[str, str | os.PathLike[str]]] = (),
    labelled: bool = True,
    text: Column | None = None,
    label: Column | None = None,
    id: Column | None = None,
    columns: Columns | None = None,
    label_pattern: str | re.Pattern[str] | None = None,
    subfolder: str | None = None,
    kind: Kind | None = None,
    header: bool | Sequence[str] = True,
    separator: str | None = None,
    quotes: bool = True,
    encoding: str | None = None,
    on_error: OnError = "raise",
    tell: Callable[[str], object] | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Source:
    r"""Open files, folders and archives for reading in batches of bounded size, in the order given.

    A folder, ``.tar``, ``.tgz`` (or the like) or ``.zip`` holds a document per file, see `read_folder`. Tables are
    ``.csv``, ``.tsv`` and ``.tab``; a record per line hold ``.jsonl``, ``.ndjson`` and ``.json``; columns ``.parquet``,
    ``.arrow``, ``.feather`` and ``.ipc``. Any other file, and standard input (``-``), is JSONL where it begins with
    ``{`` and has labels or named columns, a table where an option for tables is given (`text`, `label`, `columns`,
    `header`, `separator`), and plain lines otherwise.

    Parameters
    ----------
    sources : path or sequence of paths
        What to read.
    classes : mapping or pairs, optional
        Name of a class and a file with a document of it per line; read after `sources`.
    labelled : bool
        False: no labels are wanted.
    text, label, id : str or int, optional
        Columns or fields of tables and records; ``"text"`` and ``"label"`` where none is given. Without a header,
        digits are a number.
    columns : sequence of str or int, or "all", optional
        Instead of a text, the cells of these columns, in this order: each row is a tuple of them. ``"all"`` takes every
        column but label and id, as they stand; with ``labelled=False``, there is no label to leave out. Text of a
        table stays text; records, frames and files of columns keep Python's types, and None for null.
    label_pattern, subfolder : str, optional
        For folders and archives, see `read_folder`.
    kind : {"table", "jsonl", "lines", "folder", "parquet", "arrow"}, optional
        What the sources are, where their names do not tell.
    header, separator, quotes
        For tables, see `read_table`.
    encoding : str, optional
        None (mark, else strict UTF-8), ``"auto"`` or a name; see `decode`.
    on_error : {"raise", "skip"}
        Whether a bad row or file is an error, or left out and counted.
    tell : callable, optional
        Called with remarks: a guessed encoding, empty class folders, repeated ids.
    batch_bytes : int
        About how many bytes of documents make a batch.

    Returns
    -------
    Source
        Iterable of `Batch`; its `remarks` counts what was skipped.

    Raises
    ------
    InputError
        A source that is not there, or of a kind that is not read, or a source of documents where `columns` are asked
        for; and while reading, anything bad in it.
    ParameterError
        Options that contradict each other.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "mails.csv").write_text("label,text\nspam,buy now\n,hi\n")
    >>> _ = (folder / "ham.txt").write_text("see you\nat noon\n")
    >>> source = open_source(folder / "mails.csv", classes={"ham": folder / "ham.txt"}, on_error="skip")
    >>> [batch.labels for batch in source], source.skipped
    ([['spam'], ['ham', 'ham']], 1)
    """
    if isinstance(sources, str | os.PathLike):
        sources = [sources]
    if kind is not None and kind not in get_args(Kind):
        raise ParameterError(f"kind must be one of {', '.join(get_args(Kind))}, not {kind!r}")
    pairs = list(classes.items() if isinstance(classes, Mapping) else classes)
    if pairs and not labelled:
        raise ParameterError("classes give labels, but labelled=False was asked for")
    if not sources and not pairs:
        raise ParameterError("no source to read; give a file, a folder, or '-' for standard input")
    common = {"encoding": checked_encoding(encoding), "batch_bytes": batch_bytes}
    if header is False:
        text, label, id = (None if column is None else _numbered(column) for column in (text, label, id))
        columns = columns if columns is None or isinstance(columns, str) else list(map(_numbered, columns))
    named: dict[str, Any] = {"text": text, "columns": columns, "id": id}
    named["label"] = None if not labelled else "label" if label is None else label
    Wanted.of(**named)  # refuses here what contradicts itself, before anything is read
    pattern = checked_pattern(label_pattern)
    options: dict[Kind, dict[str, Any]] = {
        "table": {**common, **named, "header": header, "separator": separator, "quotes": quotes},
        "jsonl": {**common, **named},
        "lines": common,
        "folder": {
            **common,
            "labelled": labelled,
            "label_pattern": pattern,
            "subfolder": subfolder,
        },
        "parquet": {"batch_bytes": batch_bytes, **named},
        "arrow": {"batch_bytes": batch_bytes, **named},
    }
    tabular = not (text is None and label is None and columns is None and header is True and separator is None)
    readers: list[Callable[[Remarks], Iterator[Batch]]] = []
    for path in sources:
        _must_exist(path)
        told = kind or _kind(path)
        if columns is not None:
            _must_have_columns(path, told)
        readers.append(partial(_read, path, told, tabular, labelled, options))
    for name, path in pairs:
        _must_exist(path)
        if columns is not None:
            _must_have_columns(path, "lines")
        readers.append(partial(_read_class, path, name, common))
    return Source(readers, partial(Remarks, on_error, tell))


def _numbered(column: Column) -> Column:
    """Take digits for a number in a table without names: a command line has only text."""
    return int(column) if isinstance(column, str) and column.isdecimal() else column


def _must_exist(path: str | os.PathLike[str]) -> None:
    if os.fspath(path) != "-" and not os.path.exists(path):
        raise InputError(f"no file or folder {os.fspath(path)!r}")
    if bare_suffix(path) in _FOREIGN:
        raise InputError(f"{path}: files of this kind are not read; save it as {_FOREIGN[bare_suffix(path)]} in UTF-8")


def _must_have_columns(path: str | os.PathLike[str], kind: Kind | None) -> None:
    if kind in ("folder", "lines"):
        what = "a folder or archive holds" if kind == "folder" else "plain lines hold"
        raise InputError(f"{shown_name(path)}: {what} documents, not columns; give a table, or leave columns out")


def _kind(path: str | os.PathLike[str]) -> Kind | None:
    """Tell the kind of a source by what and how it is called; None where only its beginning can tell."""
    if os.path.isdir(path) or is_archive(path):
        return "folder"
    return _KINDS.get(bare_suffix(path))


def _read(
    path: str | os.PathLike[str],
    kind: Kind | None,
    tabular: bool,
    labelled: bool,
    options: dict[Kind, dict[str, Any]],
    remarks: Remarks,
) -> Iterator[Batch]:
    with ExitStack() as stack:
        origin: Origin = path
        if kind is None:
            origin = stack.enter_context(open_bytes(path))
            # Past a byte-order mark, the NULs of UTF-16 and white space.
            is_record = peeked(origin).lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"{")
            kind = "jsonl" if is_record and (labelled or tabular) else "table" if tabular else "lines"
        if kind == "lines" and labelled:
            raise InputError(
                f"{shown_name(path)}: plain lines have no labels; give the file as that of one class "
                f"(--class NAME=FILE), or name the columns of a table (--text, --label)"
            )
        named = {} if origin is path else {"name": shown_name(path)}
        yield from _reader(kind)(origin, remarks=remarks, **options[kind], **named)


def _reader(kind: Kind) -> Callable[..., Iterator[Batch]]:
    """Load the reader of a kind; the libraries that one needs should not cost the others time."""
    module, name = _READERS[kind]
    return cast(Callable[..., Iterator[Batch]], getattr(import_module(f"tallybayes.readers.{module}"), name))


def _read_class(path: str | os.PathLike[str], name: str, options: dict[str, Any], remarks: Remarks) -> Iterator[Batch]:
    yield from read_lines(path, label=name, remarks=remarks, **options)
