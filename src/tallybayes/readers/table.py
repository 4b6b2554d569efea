"""CSV and TSV: every cell is text, verbatim; what is wrong is named with its line."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any

import tallybayes._kernel as _kernel
from tallybayes.errors import InputError, ParameterError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather, Remarks, Repeats
from tallybayes.readers.encoding import count_lines, is_whole
from tallybayes.readers.names import Origin, bare_suffix, shown_name
from tallybayes.readers.rows import CellRows, csv_reader, lines_of, plain_rows, quoted_rows, text_blocks
from tallybayes.readers.stream import CHUNK_BYTES, byte_chunks, open_bytes
from tallybayes.readers.wanted import Column, Columns, Found, Wanted, found_column

__all__ = ["read_table"]

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|"}
# Documents (or cells), labels, ids and line numbers of some rows.
Taken = tuple[list[Any], Sequence[str | None], list[str], Sequence[int]]
# A row that goes on for so long is left to the slower way, which does not begin it anew with each piece of the file.
_LONG_ROW = 16 << 20
_LEAST_CHUNK = 4096


def read_table(
    path: Origin,
    *,
    text: Column | None = None,
    label: Column | None = "label",
    id: Column | None = None,
    columns: Columns | None = None,
    header: bool | Sequence[str] = True,
    separator: str | None = None,
    quotes: bool = True,
    encoding: str | None = None,
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
    name: str | None = None,
) -> Iterator[Batch]:
    r"""Read the documents (or some columns) and labels of a CSV or TSV file.

    A row ends at LF, CRLF or CR; rows may span lines inside quotes; blank lines are passed over. An empty text is an
    empty document (and remarked on); an empty label is missing, which is an error or skipped.

    Parameters
    ----------
    path : str, path or stream of bytes
        The file, plain or compressed with gzip, bzip2 or xz; ``-`` is standard input.
    text, label, id : str or int
        Columns by name, or by number from 1; the text is ``"text"`` unless given. ``label=None`` reads no labels.
        Values of `id` that come twice are remarked on (their number is kept in memory).
    columns : sequence of str or int, or "all", optional
        Instead of a text, the cells of these columns, in this order; ``"all"`` takes every column but label and id, as
        they stand.
    header : bool or list of str
        True: the first row names the columns. False: there is no such row, columns go by number. A list: the names.
    separator : str, optional
        What parts the cells, or one of ``"comma"``, ``"semicolon"``, ``"tab"``, ``"pipe"``. None: TAB for ``.tsv`` and
        ``.tab``; otherwise the first of ``,`` ``;`` TAB ``|`` (TAB first without quotes) that gives the columns.
    quotes : bool
        False: a quote is a character like any other, rows are lines, and the last column takes the rest of its line.
    encoding : str, optional
        None (mark, else UTF-8), ``"auto"`` or a name; see `decode`.
    remarks : Remarks, optional
        Takes remarks, and decides whether a bad row is an error (the default) or skipped and counted.
    batch_bytes : int
        About how many bytes of documents make a batch.
    name : str, optional
        What messages call the file; by default its path.

    Yields
    ------
    Batch
        Documents (or tuples of cells) and labels, all of type str.

    Raises
    ------
    InputError
        A bad byte, a column that is not there or is there twice, a row of another length, an empty label, a quote that
        is never closed: with the line where it stands (for a quote, where it opens).
    ParameterError
        Both `text` and `columns`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mails.csv")
    >>> _ = path.write_text('label,text\nspam,"buy,\nnow"\nham,see you\n')
    >>> for batch in read_table(path):
    ...     print(batch.labels, batch.documents, batch.places)
    ['spam', 'ham'] ['buy,\nnow', 'see you'] [2, 4]
    >>> for batch in read_table(path, columns=["text", "label"], label=None):
    ...     print(batch.columns, batch.documents)
    ('text', 'label') [('buy,\nnow', 'spam'), ('see you', 'ham')]
    """
    wanted = Wanted.of(text, columns, label, id)
    remarks = remarks or Remarks()
    name = name or shown_name(path)
    with open_bytes(path) as stream:
        size = max(_LEAST_CHUNK, min(CHUNK_BYTES, batch_bytes))
        blocks = text_blocks(byte_chunks(stream, name, size), name, encoding, remarks)
        table = _Table(name, wanted, header, remarks)
        head, line = _first_text(blocks)
        if not head:
            named = ", ".join(map(repr, wanted.named))
            raise InputError(f"{name} is empty; a table{f' with the columns {named}' if named else ''} was expected")
        lines = io.StringIO(head, newline="")
        parted = table.separator(lines.readline(), separator, bare_suffix(path), quotes)
        lines.seek(0)
        if quotes:
            rows = quoted_rows(chain(lines, lines_of(blocks)), parted, line, name, remarks)
        else:
            rows = plain_rows(chain(lines, lines_of(blocks)), parted, line, table.width)
        rows = table.settled(rows)
        taken: Iterator[Taken] = map(table.taken, rows)
        if quotes and not wanted.cells and not remarks.skips and lines.tell() < len(head):
            taken = table.scanned(head, lines.tell(), blocks, parted, line)
        gather = Gather(
            name, labelled=label is not None, limit=batch_bytes, cells=wanted.cells, columns=table.cell_names
        )
        yield from table.batches(taken, gather)


def _first_text(blocks: Iterator[str]) -> tuple[str, int]:
    """Return the first block without the blank lines before it, and the number of its first line."""
    line = 1
    for block in blocks:
        text = block.lstrip("\r\n")
        line += count_lines(block[: len(block) - len(text)])
        if text:
            return text, line
    return "", line


class _Table:
    """The columns that are wanted of a table, and the checks that each row must pass."""

    def __init__(self, name: str, wanted: Wanted, header: bool | Sequence[str], remarks: Remarks) -> None:
        self._name, self._report = name, remarks
        self._wanted = wanted
        self._header = header
        self._found: Found[int] = Found([], None, None)  # settled by the first row, as are these
        self._document: Callable[[list[str]], Any] = tuple
        self._read: list[int] = []  # where stands what must be good text
        self.cell_names: tuple[str, ...] | None = None
        self.width: int | None = None if isinstance(header, bool) else len(header)
        self._empty_texts = 0
        self._repeats = Repeats(name)

    def separator(self, line: str, asked: str | None, suffix: str, quotes: bool) -> str:
        """Return the separator: the one asked for, or the first that gives the wanted columns in the first line."""
        if asked is not None:
            found = _SEPARATORS.get(asked, asked)
            if len(found) != 1 or found in '"\r\n':
                raise ParameterError(f"separator must be one character or one of {sorted(_SEPARATORS)}, not {asked!r}")
            return found
        order = ["\t"] if suffix in (".tsv", ".tab") else [",", ";", "\t", "|"] if quotes else ["\t", ",", ";", "|"]
        return next((candidate for candidate in order if self._fits(line, candidate)), order[0])

    def _fits(self, line: str, separator: str) -> bool:
        cells: list[str] = next(csv_reader([line], separator, strict=False), [])
        if not isinstance(self._header, bool) and len(cells) != len(self._header):
            return False
        names = cells if self._header is True else self._header or []
        if self._wanted.columns is None and len(cells) <= max(1, len(self._wanted.named)):
            return False
        return all(
            column in names if isinstance(column, str) else 1 <= column <= len(cells) for column in self._wanted.named
        )

    def settled(self, rows: CellRows) -> CellRows:
        """Find the columns by the first row, and return the rows of data."""
        first, lines = next(rows)
        self.width = self.width or len(first[0])
        names = first[0] if self._header is True else None if self._header is False else self._header
        there: Sequence[Column] = range(1, self.width + 1) if names is None else names
        where = f"{self._name}, line {lines[0]}"
        found = self._found = self._wanted.found(there, partial(self._position, names, where), where)
        self._read = [*found.columns, *(() if found.label is None else (found.label,))]
        if not self._wanted.cells:
            self._document = itemgetter(found.columns[0])
        else:
            self._document = _picker(found.columns)
            self.cell_names = None if names is None else self._document(list(names))
        return rows if self._header is True else chain([(first, lines)], rows)

    def batches(self, taken: Iterator[Taken], gather: Gather) -> Iterator[Batch]:
        """Yield the batches, and remark on what was found on the way."""
        for documents, labels, ids, lines in taken:
            self._empty_texts += documents.count("")
            self._repeats.see(ids, lines)
            if gather.extend(documents, labels, lines, ids):
                yield gather.take()
        yield from gather.rest()
        if self._empty_texts:
            self._report.note(f"{self._name}: {self._empty_texts} empty texts, kept as empty documents")
        self._repeats.remark(self._report)

    def taken(self, block: tuple[list[list[str]], Sequence[int]]) -> Taken:
        """Take the columns out of the rows, without those that cannot be used."""
        rows, lines = self._checked(*block)
        label, identity = self._found.label, self._found.id
        return (
            list(map(self._document, rows)),
            [None] * len(rows) if label is None else [row[label] for row in rows],
            [] if identity is None else [row[identity] for row in rows],
            lines,
        )

    def scanned(self, head: str, at: int, blocks: Iterator[str], separator: str, line: int) -> Iterator[Taken]:
        """Take documents out of a text, whose first row ends at `at`, in the kernel; from a bad row on, by `csv`."""
        text = head
        if self._header is True:
            text, line = head[at:], line + count_lines(head[:at])
        label, identity = (-1 if column is None else column for column in (self._found.label, self._found.id))
        final = False
        while True:
            documents, labels, ids, lines, stopped, line, sound = _kernel.separated_rows(
                text, line, separator, self.width or 1, self._found.columns[0], label, identity, final
            )
            yield documents, labels or [None] * len(documents), ids, lines
            text = text[stopped:]
            if not sound or len(text) > _LONG_ROW:
                rows = quoted_rows(lines_of(chain([text], blocks)), separator, line, self._name, self._report)
                yield from map(self.taken, rows)
                return
            if final:
                return
            block = next(blocks, None)
            final = block is None
            text += block or ""

    def _position(self, names: Sequence[str] | None, where: str, column: Column) -> int:
        """Find a column in the table."""
        if names is None and isinstance(column, str):
            raise ParameterError(f"column {column!r} has no name in a table without header; give its number, from 1")
        return found_column(column, names or [""] * (self.width or 0), where)

    def _checked(self, rows: list[list[str]], lines: Sequence[int]) -> tuple[list[list[str]], Sequence[int]]:
        """Leave out the rows that cannot be used; each of them is reported."""
        label = self._found.label
        sound = set(map(len, rows)) <= {self.width} and (label is None or "" not in [row[label] for row in rows])
        if sound and not self._report.skips:
            return rows, lines
        kept = [(row, line) for row, line in zip(rows, lines, strict=True) if row and self._is_good(row, line)]
        return [row for row, _ in kept], [line for _, line in kept]

    def _is_good(self, row: list[str], line: int) -> bool:
        where, label = f"{self._name}, line {line}", self._found.label
        if len(row) != self.width:
            self._report.bad(f"{where}: {len(row)} cells, {self.width} were expected; the row begins {row[0][:40]!r}")
        elif label is not None and row[label] == "":
            self._report.bad(f"{where}: the label is empty")
        elif self._report.skips and not all(is_whole(row[i]) for i in self._read):
            self._report.bad(f"{where}: bytes that are no text")
        else:
            return True
        return False


def _picker(positions: Sequence[int]) -> Callable[[list[str]], tuple[str, ...]]:
    """Return a function that takes the cells at some positions out of a row."""
    if len(positions) == 1:
        return lambda row: (row[positions[0]],)  # itemgetter would give the cell itself
    return itemgetter(*positions)
