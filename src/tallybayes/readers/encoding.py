"""Bytes to text: the byte-order mark, else strict UTF-8, else the encoding that was asked for; never a silent guess."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers.batch import Remarks

__all__ = [
    "checked_encoding",
    "checked_utf8",
    "count_lines",
    "decode",
    "decode_document",
    "is_whole",
    "likely_encoding",
]

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_CANDIDATES = ["gb18030", "cp1252", "big5"]  # besides UTF-8, which is tried before
_SAMPLE_BYTES = 64 << 10


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Put a lone surrogate for each bad byte, so that the row that holds it can be told and left out."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(chr(0xDC80 | byte & 0x7F) for byte in bad), error.end


codecs.register_error("tallybayes.escape", _escape)


def checked_encoding(encoding: str | None) -> str | None:
    """Return `encoding` by Python's name for it (None and ``"auto"`` as they are), or raise `ParameterError`."""
    if encoding is None or encoding == "auto":
        return encoding
    try:
        name = codecs.lookup(encoding).name
        b" ".decode(name, "ignore")  # refuses codecs that are no encodings, like hex
    except LookupError:
        raise ParameterError(
            f"no encoding is called {encoding!r}; known are for example utf-8, gb18030, big5, utf-16, latin-1, and auto"
        ) from None
    return name


def likely_encoding(sample: bytes) -> str | None:
    """Guess the encoding of a piece of text that is not ASCII; None where nothing fits."""
    sample = sample[:_SAMPLE_BYTES]
    if b"\0" in sample:
        first, second = sample[0::2].count(0), sample[1::2].count(0)
        wide = "utf-16-le" if second > first else "utf-16-be"
        return wide if _decodes(sample, wide) else None
    if _decodes(sample, "utf-8"):
        return "utf-8"
    from charset_normalizer import from_bytes  # 40 ms that only a guess should cost

    for cut in range(min(4, len(sample))):  # the sample may end inside a character
        best = from_bytes(sample[: len(sample) - cut], cp_isolation=_CANDIDATES).best()
        if best is not None:
            # Four in ten second bytes of Big5 lie below those of GB 2312; a text without any is Big5 by chance only.
            name = "gb18030" if best.encoding == "big5" and _decodes(sample, "gb2312") else best.encoding
            return name.replace("_", "-")
    return next((name for name in ("gb18030", "cp1252") if _decodes(sample, name)), None)


def _decodes(sample: bytes, encoding: str) -> bool:
    """Tell whether `sample`, which may end inside a character, is text in `encoding`."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def is_whole(text: str) -> bool:
    """Tell whether `text` came from good bytes: no NUL, nothing that `decode` had to escape."""
    if "\0" in text:
        return False
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def count_lines(text: str) -> int:
    """Count the line ends in `text`: LF, CRLF and lone CR."""
    lines = text.count("\n")
    if "\r" in text:
        lines += text.count("\r") - text.count("\r\n")
    return lines


def decode(chunks: Iterable[bytes], name: str, *, encoding: str | None = None, remarks: Remarks) -> Iterator[str]:
    """Yield the text of `chunks` piece by piece; a piece never ends between the CR and the LF of a line end.

    Parameters
    ----------
    chunks : iterable of bytes
        The bytes of one file, cut anywhere.
    name : str
        The name of the file, for messages.
    encoding : str, optional
        None honours a byte-order mark (UTF-8, UTF-16, UTF-32) and takes UTF-8 otherwise, strictly. ``"auto"`` guesses
        once per file, at the first byte that is not ASCII, and says on `remarks` what it took. Any other name is obeyed
        exactly; a byte-order mark of another encoding is then an error.
    remarks : Remarks
        Where bad bytes are to be skipped, they come out as lone surrogates; see `is_whole`.

    Raises
    ------
    InputError
        For a byte that is no text in the encoding, or a NUL, with line and byte offset and the encoding that is likely.
    ParameterError
        For an encoding that Python does not know.

    Examples
    --------
    >>> "".join(decode([b"\\xef\\xbb\\xbflab", b"el\\r", b"\\nham"], "mails.csv", remarks=Remarks()))
    'label\\r\\nham'
    """
    decoder = _Decoder(name, checked_encoding(encoding), remarks)
    head = b""  # held back until a mark, of up to four bytes, can be told
    started = False
    for chunk in chunks:
        if not started:
            head += chunk
            if len(head) < 4:
                continue
            chunk, started = head, True
        yield from decoder.feed(chunk)
    yield from decoder.feed(b"" if started else head, final=True)


def decode_document(data: bytes, name: str, *, encoding: str | None = None, remarks: Remarks) -> str:
    """Return the text of a whole file that is one document."""
    return "".join(decode([data], name, encoding=encoding, remarks=remarks))


def checked_utf8(data: bytes, name: str, *, offset: int, line: int) -> str:
    """Return UTF-8 from the middle of a file as text, or raise as `decode` would there."""
    decoder = _Decoder(name, "utf-8", Remarks())
    decoder.start_at(offset, line)
    return "".join(decoder.feed(data, final=True))


class _Decoder:
    """Decodes one file, and knows how far it is."""

    def __init__(self, name: str, encoding: str | None, remarks: Remarks) -> None:
        self._name, self._report = name, remarks
        self._encoding = encoding  # None and "auto" until the first bytes have been seen
        self._decoder: codecs.IncrementalDecoder | None = None
        self._ends = io.IncrementalNewlineDecoder(None, translate=False)  # keeps CR and LF together
        self._bytes = 0
        self._lines = 0
        self._foreign = False  # whether there was anything but ASCII so far
        self._begun = False
        self._wide = False  # NULs are part of UTF-16 and UTF-32

    def start_at(self, offset: int, line: int) -> None:
        """Begin in the middle of a file, where no mark can be."""
        self._set(self._encoding or "utf-8")
        self._begun, self._bytes, self._lines = True, offset, line - 1

    def feed(self, chunk: bytes, *, final: bool = False) -> Iterator[str]:
        """Yield the text of the next bytes, if there is any."""
        if not self._begun:
            chunk = self._begin(chunk)
        if self._decoder is None and not chunk.isascii():
            self._set(self._guess(chunk))
        text = self._ends.decode(self._decoded(chunk, final), final)
        self._refuse_nul(chunk)
        self._bytes += len(chunk)
        self._lines += count_lines(text)
        self._foreign = self._foreign or not text.isascii()
        if text:
            yield text

    def _begin(self, chunk: bytes) -> bytes:
        """Choose the encoding by the mark and the caller's wish; return the bytes after the mark."""
        self._begun = True
        mark = next((mark for mark in _MARKS if chunk.startswith(mark)), b"")
        found = _MARKS.get(mark)
        wanted = self._encoding
        if found is None or wanted == "auto":
            if found is not None or wanted != "auto":
                self._set(found or wanted or "utf-8")
        elif wanted is None or found.startswith(wanted) or wanted == "utf-8-sig":
            self._set(found)
        else:
            raise InputError(
                f"{self._name} begins with the byte-order mark of {found}, but encoding {wanted!r} was asked for; "
                f"leave the encoding out, and the mark is honoured"
            )
        self._bytes = len(mark)
        return chunk[len(mark) :]

    def _set(self, encoding: str) -> None:
        self._encoding = encoding
        self._wide = encoding.startswith(("utf-16", "utf-32"))
        errors = "tallybayes.escape" if self._report.skips else "strict"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)

    def _guess(self, chunk: bytes) -> str:
        """Guess the encoding from the line with the first byte that is not ASCII on."""
        first = next(i for i, byte in enumerate(chunk) if byte > 0x7F)
        sample = chunk[chunk.rfind(b"\n", 0, first) + 1 :]
        encoding = likely_encoding(sample)
        if encoding is None:
            raise InputError(
                f"{self._name}, byte offset {self._bytes + first}: the encoding cannot be guessed; name it"
            )
        self._report.took(encoding, self._name)
        return encoding

    def _decoded(self, chunk: bytes, final: bool) -> str:
        if self._decoder is None:
            return chunk.decode("ascii")
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise InputError(self._bad_byte(error, len(chunk))) from None

    def _place(self, text_before: str, byte: int) -> str:
        """Name the line and byte where something is wrong, given the text of this chunk before it."""
        lines = self._lines + count_lines(self._ends.decode(text_before, True))
        return f"{self._name}, line {lines + 1}, byte offset {byte}"

    def _bad_byte(self, error: UnicodeDecodeError, length: int) -> str:
        """Say where the bad byte is, and what encoding the text is likely to be in."""
        data, start = error.object, error.start
        before = data[:start].decode(error.encoding, "replace")
        line_start = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
        message = (
            f"{self._place(before, self._bytes + length - len(data) + start)}: "
            f"0x{data[start]:02x} is no text in {self._encoding}"
        )
        if self._encoding in ("gb2312", "gbk"):
            return f"{message}; gb18030 holds all of gb2312 and gbk and more: ask for encoding gb18030"
        # Foreign text in the lines before was good UTF-8: then only the bad line can tell the other encoding.
        mixed = self._encoding == "utf-8" and (self._foreign or not data[:line_start].isascii())
        line = data[line_start:].split(b"\n", 1)[0]
        likely = likely_encoding(line if mixed else data[line_start:])
        if likely is None or likely == self._encoding:
            return f"{message}; name the right encoding, or skip bad rows"
        if mixed:
            return f"{message}, as the lines before are; this line looks like {likely}: the file mixes encodings"
        return f"{message}; it looks like {likely}: ask for encoding {likely} if that is right"

    def _refuse_nul(self, chunk: bytes) -> None:
        if self._wide or self._report.skips or b"\0" not in chunk:
            return
        at = chunk.find(b"\0")
        place = self._place(chunk[:at].decode("latin-1"), self._bytes + at)
        advice = "is this a text file? UTF-16 without a byte-order mark is full of NULs"
        if 4 * chunk.count(b"\0") > len(chunk):
            advice = f"this looks like UTF-16 without a byte-order mark: ask for encoding {likely_encoding(chunk)}"
        raise InputError(f"{place}: a NUL, which no text holds; {advice}")
