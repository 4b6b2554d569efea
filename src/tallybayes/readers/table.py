"""CSV and TSV: every cell is text, verbatim; what is wrong is named with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather, Repeats, Report
from tallybayes.readers.encoding import count_lines, decode, is_whole
from tallybayes.readers.names import Origin, bare_suffix, shown_name
from tallybayes.readers.stream import LINE_LIMIT, byte_chunks, line_blocks, open_bytes

__all__ = ["Column", "found_column", "read_table", "text_lines"]

Column = str | int
Rows = Iterator[tuple[list[list[str]], Sequence[int]]]

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|"}
_BLOCK_ROWS = 64
_LONG_ROW = 1 << 16


def read_table(
    path: Origin,
    *,
    text: Column = "text",
    label: Column | None = "label",
    id: Column | None = None,
    header: bool | Sequence[str] = True,
    separator: str | None = None,
    quotes: bool = True,
    encoding: str | None = None,
    report: Report | None = None,
    batch_bytes: int = BATCH_BYTES,
    name: str | None = None,
) -> Iterator[Batch]:
    r"""Read the documents and labels of a CSV or TSV file.

    A row ends at LF, CRLF or CR; rows may span lines inside quotes; blank lines are passed over. An empty text is an
    empty document (and remarked on); an empty label is missing, which is an error or skipped.

    Parameters
    ----------
    path : str, path or stream of bytes
        The file, plain or compressed with gzip, bzip2 or xz; ``-`` is standard input.
    text, label, id : str or int
        Columns by name, or by number from 1. ``label=None`` reads no labels. Values of `id` that come twice are
        remarked on (their number is kept in memory).
    header : bool or list of str
        True: the first row names the columns. False: there is no such row, columns go by number. A list: the names.
    separator : str, optional
        What parts the cells, or one of ``"comma"``, ``"semicolon"``, ``"tab"``, ``"pipe"``. None: TAB for ``.tsv`` and
        ``.tab``; otherwise the first of ``,`` ``;`` TAB ``|`` (TAB first without quotes) that gives the columns.
    quotes : bool
        False: a quote is a character like any other, rows are lines, and the last column takes the rest of its line.
    encoding : str, optional
        None (mark, else UTF-8), ``"auto"`` or a name; see `decode`.
    report : Report, optional
        Takes remarks, and decides whether a bad row is an error (the default) or skipped and counted.
    batch_bytes : int
        About how many bytes of documents make a batch.
    name : str, optional
        What messages call the file; by default its path.

    Yields
    ------
    Batch
        Documents and labels, all of type str.

    Raises
    ------
    InputError
        A bad byte, a column that is not there or is there twice, a row of another length, an empty label, a quote that
        is never closed: with the line where it stands (for a quote, where it opens).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mails.csv")
    >>> _ = path.write_text('label,text\nspam,"buy,\nnow"\nham,see you\n')
    >>> for batch in read_table(path):
    ...     print(batch.labels, batch.documents, batch.places)
    ['spam', 'ham'] ['buy,\nnow', 'see you'] [2, 4]
    """
    report = report or Report()
    name = name or shown_name(path)
    with open_bytes(path) as stream:
        lines = text_lines(byte_chunks(stream, name), name, encoding, report)
        table = _Table(name, text, label, id, header, report)
        first_line, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip("\r\n")), (0, ""))
        if not first:
            raise InputError(f"{name} is empty; a table with the columns {table.wanted_names()} was expected")
        parted = table.separator(first, separator, bare_suffix(path), quotes)
        lines = chain([first], lines)
        if quotes:
            rows = _quoted_rows(lines, parted, first_line, name, report)
        else:
            rows = _plain_rows(lines, parted, first_line, table.width)
        yield from table.batches(rows, Gather(name, labelled=label is not None, limit=batch_bytes))


def text_lines(chunks: Iterable[bytes], name: str, encoding: str | None, report: Report) -> Iterator[str]:
    """Yield the lines of a text file with their line ends: LF, CRLF or CR, and none of the others of Unicode."""
    blocks = line_blocks(decode(chunks, name, encoding=encoding, report=report), name, ("\n", "\r"))
    return chain.from_iterable(io.StringIO(block, newline="") for block in blocks)


def found_column(column: Column, names: Sequence[str], where: str) -> int:
    """Return the position of a column given by name or by number from 1, or say what there is instead."""
    shown = ", ".join(repr(name[:40]) for name in names[:20])
    if isinstance(column, int):
        if 1 <= column <= len(names):
            return column - 1
        raise InputError(f"{where}: no column {column}; there are {len(names)}, numbered from 1")
    found = [i for i, name in enumerate(names) if name == column]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{where}: {len(found)} columns are called {column!r}, one was expected; found {shown}")
    raise InputError(
        f"{where}: no column {column!r}; found {shown}. Name the columns (or number them, without a header)"
    )


class _Table:
    """The columns that are wanted of a table, and the checks that each row must pass."""

    def __init__(
        self,
        name: str,
        text: Column,
        label: Column | None,
        id: Column | None,
        header: bool | Sequence[str],
        report: Report,
    ) -> None:
        self._name, self._report = name, report
        self._wanted = {"text": text, "label": label, "id": id}
        self._header = header
        self.width: int | None = None if isinstance(header, bool) else len(header)
        self._empty_texts = 0
        self._repeats = Repeats(name)

    def wanted_names(self) -> str:
        """Name the columns asked for, for a message."""
        return ", ".join(repr(column) for column in self._wanted.values() if column is not None)

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
        cells = next(csv.reader([line], delimiter=separator), [])
        if not isinstance(self._header, bool) and len(cells) != len(self._header):
            return False
        names = cells if self._header is True else self._header or []
        return all(
            column is None or (column in names if isinstance(column, str) else 1 <= column <= len(cells))
            for column in self._wanted.values()
        )

    def batches(self, blocks: Rows, gather: Gather) -> Iterator[Batch]:
        """Yield the batches of the rows; the first row is the header, where there is one."""
        head, lines = next(blocks, ([], []))
        if not head:
            return
        self.width = self.width or len(head[0])
        names = head[0] if self._header is True else None if self._header is False else self._header
        text, label, identity = (self._position(column, names, lines[0]) for column in self._wanted.values())
        assert text is not None
        if self._header is not True:
            blocks = chain([(head, lines)], blocks)
        for rows, lines in blocks:
            rows, lines = self._checked(rows, lines, text, label)
            documents = [row[text] for row in rows]
            self._empty_texts += documents.count("")
            labels = [None] * len(rows) if label is None else [row[label] for row in rows]
            ids = [] if identity is None else [row[identity] for row in rows]
            self._repeats.see(ids, lines)
            if gather.extend(documents, labels, lines, ids):
                yield gather.take()
        yield from gather.rest()
        self._remark()

    def _position(self, column: Column | None, names: Sequence[str] | None, line: int) -> int | None:
        """Find a column in the table; None for one that is not wanted."""
        if column is None:
            return None
        if names is None and isinstance(column, str):
            raise ParameterError(f"column {column!r} has no name in a table without header; give its number, from 1")
        where = f"{self._name}, line {line}"
        return found_column(column, names or [""] * (self.width or 0), where)

    def _checked(
        self, rows: list[list[str]], lines: Sequence[int], text: int, label: int | None
    ) -> tuple[list[list[str]], Sequence[int]]:
        """Leave out the rows that cannot be used; each of them is reported."""
        sound = set(map(len, rows)) <= {self.width} and (label is None or "" not in [row[label] for row in rows])
        if sound and not self._report.skips:
            return rows, lines
        kept = [
            (row, line) for row, line in zip(rows, lines, strict=True) if row and self._is_good(row, line, text, label)
        ]
        return [row for row, _ in kept], [line for _, line in kept]

    def _is_good(self, row: list[str], line: int, text: int, label: int | None) -> bool:
        where = f"{self._name}, line {line}"
        if len(row) != self.width:
            self._report.bad(f"{where}: {len(row)} cells, {self.width} were expected; the row begins {row[0][:40]!r}")
        elif label is not None and row[label] == "":
            self._report.bad(f"{where}: the label is empty")
        elif self._report.skips and not (is_whole(row[text]) and (label is None or is_whole(row[label]))):
            self._report.bad(f"{where}: bytes that are no text")
        else:
            return True
        return False

    def _remark(self) -> None:
        if self._empty_texts:
            self._report.note(f"{self._name}: {self._empty_texts} empty texts, kept as empty documents")
        self._repeats.remark(self._report)


def _quoted_rows(lines: Iterator[str], separator: str, first_line: int, name: str, report: Report) -> Rows:
    """Yield rows by the rules of CSV, some at a time, with the line where each begins."""
    # The limit belongs to the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    ended: list[bool] = []
    reader = csv.reader(chain(lines, _closing_quote(ended)), delimiter=separator, strict=True)
    count = 1  # the header, or the first row, tells how long rows are
    line = first_line
    while True:
        rows: list[list[str]] = []
        read = reader.line_num
        error = None
        try:
            for row in islice(reader, count):
                rows.append(row)  # one by one: the rows before an error are kept
        except csv.Error as caught:
            error = caught
        if ended and error is None:
            raise InputError(_open_quote(rows, line, name))
        starts, line = _row_lines(rows, line, reader.line_num - read - (error is not None))
        if rows:
            yield rows, starts
            count = _BLOCK_ROWS if sum(map(len, rows[-1])) < _LONG_ROW else 1
        if ended:
            return
        if error is not None:
            report.bad(f"{name}, line {line}: {_explained(error)}")
            line = first_line + reader.line_num


def _closing_quote(ended: list[bool]) -> Iterator[str]:
    """After the last line, close a cell that is still open, so that it can be told; otherwise end in an error."""
    ended.append(True)
    yield '"'


def _row_lines(rows: list[list[str]], line: int, read: int) -> tuple[Sequence[int], int]:
    """Return the line where each row begins, and the line after them; `read` lines were read for `rows`."""
    if read == len(rows):
        return range(line, line + read), line + read
    starts = []
    for row in rows:
        starts.append(line)
        line += 1 + sum(map(count_lines, row))
    return starts, line


def _open_quote(rows: list[list[str]], line: int, name: str) -> str:
    """Say where the quote opens that is never closed: the last cell of the last row."""
    starts, _ = _row_lines(rows, line, -1)
    opened = starts[-1] + sum(map(count_lines, rows[-1][:-1]))
    return (
        f"{name}, line {opened}: a quote opens here and is never closed (the cell begins {_begin(rows[-1][-1])}); "
        f"close it, or read with quotes=False where quotes mean nothing"
    )


def _begin(cell: str) -> str:
    return repr(cell.lstrip("\r\n")[:40].splitlines()[0]) if cell.strip("\r\n") else "with a line end"


def _explained(error: csv.Error) -> str:
    if "expected after" in str(error):
        return f"{error}; a quote inside a quoted cell must be written twice (or read with quotes=False)"
    return str(error)


def _plain_rows(lines: Iterator[str], separator: str, first_line: int, width: int | None) -> Rows:
    """Yield rows where quotes mean nothing: a row is a line, and the last of `width` columns takes the rest."""
    count = 1
    line = first_line
    while block := list(islice(lines, count)):
        cuts = -1 if width is None else width - 1
        rows = [text.split(separator, cuts) if (text := raw.rstrip("\r\n")) else [] for raw in block]
        width = width or len(rows[0])
        yield rows, range(line, line + len(rows))
        line += len(rows)
        count = _BLOCK_ROWS if len(block[-1]) < _LONG_ROW else 1
