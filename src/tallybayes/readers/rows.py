"""A text cut into rows of cells: by the rules of CSV, or where quotes mean nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from tallybayes.errors import InputError
from tallybayes.readers.batch import Remarks
from tallybayes.readers.encoding import count_lines, decode
from tallybayes.readers.stream import LINE_LIMIT, line_blocks

__all__ = ["CellRows", "csv_reader", "lines_of", "plain_rows", "quoted_rows", "text_blocks"]

CellRows = Iterator[tuple[list[list[str]], Sequence[int]]]

_BLOCK_ROWS = 64
_LONG_ROW = 1 << 16


def text_blocks(chunks: Iterable[bytes], name: str, encoding: str | None, remarks: Remarks) -> Iterator[str]:
    """Yield the text of a file in pieces that end at a line end: LF, CRLF or CR, and none of the others of Unicode."""
    return line_blocks(decode(chunks, name, encoding=encoding, remarks=remarks), name, ("\n", "\r"))


def lines_of(blocks: Iterable[str]) -> Iterator[str]:
    """Yield the lines of `text_blocks` with their line ends."""
    return chain.from_iterable(io.StringIO(block, newline="") for block in blocks)


def csv_reader(lines: Iterable[str], separator: str, *, strict: bool) -> Any:
    """Return a reader of the csv module whose cells may be as long as a line may be."""
    # The limit belongs to the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    return csv.reader(lines, delimiter=separator, strict=strict)


def quoted_rows(lines: Iterator[str], separator: str, first_line: int, name: str, remarks: Remarks) -> CellRows:
    """Yield rows by the rules of CSV, some at a time, with the line where each begins."""
    ended: list[bool] = []
    reader = csv_reader(chain(lines, _closing_quote(ended)), separator, strict=True)
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
            remarks.bad(f"{name}, line {line}: {_explained(error)}")
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


def plain_rows(lines: Iterator[str], separator: str, first_line: int, width: int | None) -> CellRows:
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
