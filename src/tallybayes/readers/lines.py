"""Plain lines: a document per line, the class given for the whole file or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather, Remarks
from tallybayes.readers.encoding import is_whole
from tallybayes.readers.names import Origin, shown_name
from tallybayes.readers.rows import lines_of, text_blocks
from tallybayes.readers.stream import byte_chunks, idle_test, open_bytes

__all__ = ["read_lines"]


def read_lines(
    path: Origin,
    *,
    label: str | None = None,
    encoding: str | None = None,
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
    name: str | None = None,
) -> Iterator[Batch]:
    r"""Read a file with a document per line.

    LF, CRLF and CR end a line, as in Python's own text files; the other line ends of Unicode do not. A blank line is an
    empty document.

    Parameters
    ----------
    path : str, path or stream of bytes
        The file, plain or compressed with gzip, bzip2 or xz; ``-`` is standard input.
    label : str, optional
        The label of every line.
    encoding, remarks, batch_bytes, name
        As for `read_table`.

    Yields
    ------
    Batch
        Documents without their line ends.

    Raises
    ------
    InputError
        A bad byte: with the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ham.txt")
    >>> _ = path.write_bytes(b"see you at noon\r\nhi")
    >>> for batch in read_lines(path, label="ham"):
    ...     print(batch.labels, batch.documents)
    ['ham', 'ham'] ['see you at noon', 'hi']
    """
    remarks = remarks or Remarks()
    name = name or shown_name(path)
    with open_bytes(path) as stream:
        gather = Gather(name, labelled=label is not None, limit=batch_bytes, idle=idle_test(stream))
        blocks = text_blocks(byte_chunks(stream, name), name, encoding, remarks)
        for number, line in enumerate(lines_of(blocks), 1):
            document = line.rstrip("\r\n")
            if remarks.skips and not is_whole(document):
                remarks.bad(f"{name}, line {number}: bytes that are no text")
            elif gather.add(document, label, number):
                yield gather.take()
    yield from gather.rest()
