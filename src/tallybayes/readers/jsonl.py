"""JSONL: a record per line; fields may be nested; what is wrong is named with its line."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from tallybayes.errors import InputError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather, Remarks, Repeats
from tallybayes.readers.encoding import checked_encoding, checked_utf8, decode, is_whole
from tallybayes.readers.names import Origin, shown_name
from tallybayes.readers.stream import byte_chunks, idle_test, line_blocks, open_bytes, peeked
from tallybayes.readers.wanted import Column, Columns, Wanted

__all__ = ["field", "read_jsonl"]

_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
_MISSING = object()
_PLAIN = frozenset({str, int, float, bool, type(None)})


def read_jsonl(
    path: Origin,
    *,
    text: Column | None = None,
    label: Column | None = "label",
    id: Column | None = None,
    columns: Columns | None = None,
    encoding: str | None = None,
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
    name: str | None = None,
) -> Iterator[Batch]:
    r"""Read the documents (or some fields) and labels of a file with one JSON object per line.

    Only LF and CRLF end a record. Blank lines are passed over. Labels keep their type: text, whole number, fraction or
    true/false; a file whose labels are of two types (``1`` and ``"1"``) is an error that names both lines.

    Parameters
    ----------
    path : str, path or stream of bytes
        The file, plain or compressed with gzip, bzip2 or xz; ``-`` is standard input.
    text, label, id : str
        Names of fields, ``"text"`` for the text unless given; ``meta.text`` is the field ``text`` inside ``meta``,
        unless a field has that very name. ``label=None`` reads no labels. Values of `id` that come twice are remarked
        on (their number is kept in memory). Records have no order to count in: a number is a name in digits.
    columns : sequence of str, or "all", optional
        Instead of a text, the values of these fields, in this order; ``"all"`` takes every field of the first record
        but label and id, and each record must have just these.
    encoding, remarks, batch_bytes, name
        As for `read_table`.

    Yields
    ------
    Batch
        Documents (or tuples of text, numbers, true, false and null) and labels, as they stand in the file.

    Raises
    ------
    InputError
        A line that is no JSON object, a field that is missing or of the wrong type (a text or label also where it is
        null, a cell where it is a list or an object): with the line.
    ParameterError
        Both `text` and `columns`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mails.jsonl")
    >>> _ = path.write_text('{"label": 1, "mail": {"body": "buy\\nnow"}}\n\n{"label": 0, "mail": {"body": "hi"}}\n')
    >>> for batch in read_jsonl(path, text="mail.body"):
    ...     print(batch.labels, batch.documents, batch.places)
    [1, 0] ['buy\nnow', 'hi'] [1, 3]
    """
    wanted = Wanted.of(text, columns, label, id)
    remarks = remarks or Remarks()
    name = name or shown_name(path)
    records = _Records(name, wanted, remarks)
    with open_bytes(path) as stream:
        idle = idle_test(stream)
        gather = Gather(name, labelled=label is not None, limit=batch_bytes, idle=idle, cells=wanted.cells)
        for number, line, offset in _lines(stream, name, encoding, remarks):
            row = records.row(number, line, offset)
            if row is None:
                continue
            gather.columns = records.columns
            if gather.add(*row):
                yield gather.take()
    yield from gather.rest()
    records.repeats.remark(remarks)


def field(record: dict[str, Any], path: str) -> Any:
    """Return the field called `path`, or the nested one that its dots lead to; `_MISSING` where there is none.

    Examples
    --------
    >>> field({"meta": {"text": "hi"}}, "meta.text"), field({"meta.text": "hello"}, "meta.text")
    ('hi', 'hello')
    """
    value = record.get(path, _MISSING)
    if value is not _MISSING or "." not in path:
        return value
    value = record
    for key in path.split("."):
        if not isinstance(value, dict):
            return _MISSING
        value = value.get(key, _MISSING)
    return value


class _Records:
    """Takes document (or cells), label and id out of the lines of a file, and reports the lines without them."""

    def __init__(self, name: str, wanted: Wanted, remarks: Remarks) -> None:
        self._name, self._wanted, self._report = name, wanted, remarks
        self._label = None if wanted.label is None else str(wanted.label)
        self._id = None if wanted.id is None else str(wanted.id)
        named = () if wanted.columns is None else tuple(wanted.found((), str, name).columns)
        self._text = "" if wanted.cells else named[0]
        # With "all" columns, settled by the first good record.
        self.columns = named if wanted.cells and named else None
        self._all: set[str] = set()
        self._kind: type | None = None
        self._kind_place = ""
        self.repeats = Repeats(name)

    def row(self, number: int, line: bytes | str, offset: int) -> tuple[Any, Any, int, list[Any]] | None:
        """Return document or cells, label, line number and id (or no id); None where the line is bad and skipped."""
        try:
            record = self._parsed(line, offset, number)
            if type(record) is not dict:
                raise _BadLineError(f"{_kind_name(record)} stands here, not a JSON object")
            if self._wanted.cells:
                document: Any = self._cells(record, number)
            else:
                document = field(record, self._text)
                if type(document) is not str or not document.isascii():
                    self._check_text(document, record)
            label = None if self._label is None else self._checked_label(record, number)
            ids = []
            if self._id is not None:
                identity = field(record, self._id)
                if identity is _MISSING or type(identity) in (list, dict):
                    raise _BadLineError(f"no id in the field {self._id!r}; the record has {_names(record)}")
                ids = [identity]
                self.repeats.see(ids, [number])
        except _BadLineError as error:
            self._report.bad(f"{self._name}, line {number}: {error}")
            return None
        except InputError as error:  # of bytes that are no text; it knows the place
            self._report.bad(str(error))
            return None
        if self._wanted.cells and self.columns is None:
            self.columns, self._all = self._every(record, number), set(record)
        return document, label, number, ids

    def _parsed(self, line: bytes | str, offset: int, number: int) -> Any:
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError as error:
            message = f"not a JSON record: {error.msg} at column {error.colno}"
        if isinstance(line, bytes):
            line = checked_utf8(line, self._name, offset=offset, line=number)
        try:
            return json.loads(line)  # knows NaN, halves of surrogate pairs and numbers of any length
        except (ValueError, RecursionError):
            raise _BadLineError(message) from None

    def _check_text(self, document: Any, record: dict[str, Any]) -> None:
        if document is _MISSING:
            raise _BadLineError(f"no field {self._text!r}; the record has {_names(record)}")
        if type(document) is not str:
            raise _BadLineError(f"the field {self._text!r} is {_kind_name(document)}, not text")
        if self._report.skips and not is_whole(document):
            raise _BadLineError("bytes that are no text")

    def _cells(self, record: dict[str, Any], number: int) -> tuple[Any, ...]:
        columns = self.columns or self._every(record, number)
        cells = tuple([field(record, name) for name in columns])
        if not _PLAIN.issuperset(map(type, cells)):
            name, cell = next(
                (name, cell) for name, cell in zip(columns, cells, strict=True) if type(cell) not in _PLAIN
            )
            if cell is _MISSING:
                raise _BadLineError(f"no field {name!r}; the record has {_names(record)}")
            raise _BadLineError(
                f"the field {name!r} is {_kind_name(cell)}, not one value; name a field inside it, or leave it out"
            )
        if self._all and not self._all.issuperset(record):
            new = next(name for name in record if name not in self._all)
            raise _BadLineError(f"the field {new!r} is not in the records before; name the columns that are wanted")
        if self._report.skips and not is_whole("".join([cell for cell in cells if type(cell) is str])):
            raise _BadLineError("bytes that are no text")
        return cells

    def _every(self, record: dict[str, Any], number: int) -> tuple[str, ...]:
        return tuple(self._wanted.found(list(record), str, f"{self._name}, line {number}").columns)

    def _checked_label(self, record: dict[str, Any], number: int) -> Any:
        label = field(record, self._label or "")
        kind = type(label)
        if self._report.skips and kind is str and not is_whole(label):
            raise _BadLineError("bytes that are no text")
        if kind is self._kind and label != "" and label == label:
            return label
        if label is _MISSING:
            raise _BadLineError(f"no field {self._label!r}; the record has {_names(record)}")
        if label is None or label == "" or label != label:
            raise _BadLineError(f"the label is missing ({json.dumps(label)})")
        if kind not in (str, bool, int, float):
            raise _BadLineError(f"the label is {_kind_name(label)}; text, a number or true/false was expected")
        if self._kind is not None:
            raise _BadLineError(
                f"the label {json.dumps(label, ensure_ascii=False)} is {_kind_name(label)}, but {self._kind_place}; "
                f"write all labels alike"
            )
        self._kind = kind
        self._kind_place = f"{json.dumps(label, ensure_ascii=False)} in line {number} is {_kind_name(label)}"
        return label


class _BadLineError(Exception):
    """What is wrong with a line; the reader adds where."""


def _kind_name(value: Any) -> str:
    return "null" if value is None else _KINDS[type(value)]


def _names(record: dict[str, Any]) -> str:
    return ", ".join(repr(name[:40]) for name in list(record)[:20]) or "no fields"


def _lines(
    stream: BinaryIO, name: str, encoding: str | None, remarks: Remarks
) -> Iterator[tuple[int, bytes | str, int]]:
    """Yield the number, the text and (in UTF-8) the byte offset of each line that is not blank.

    UTF-8 stays bytes: the parser reads and checks them faster than they could be decoded.
    """
    wanted = checked_encoding(encoding)
    mark = peeked(stream)
    blocks: Iterator[bytes] | Iterator[str]
    end: Any
    if wanted in (None, "utf-8") and not mark.startswith(
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
    ):
        offset = len(stream.read(3)) if mark.startswith(codecs.BOM_UTF8) else 0
        end = b"\n"
        blocks = line_blocks(byte_chunks(stream, name), name, (end,))
    else:
        offset = 0
        end = "\n"
        blocks = line_blocks(decode(byte_chunks(stream, name), name, encoding=wanted, remarks=remarks), name, (end,))
    number = 0
    for block in blocks:
        lines: Any = block.split(end)
        if not lines[-1]:  # what stands behind the last line end
            del lines[-1]
        for line in lines:
            number += 1
            if line and not line.isspace():
                yield number, line, offset
            offset += len(line) + 1
