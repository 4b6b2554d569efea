"""Bytes from a file, a compressed file or standard input, in chunks, and chunks cut at line ends."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import BinaryIO, TypeVar, cast

from tallybayes.errors import InputError
from tallybayes.readers.names import Origin

__all__ = [
    "CHUNK_BYTES",
    "LINE_LIMIT",
    "byte_chunks",
    "idle_test",
    "line_blocks",
    "named_damage",
    "open_bytes",
    "peeked",
    "unpacked",
]

CHUNK_BYTES = 1 << 20
# A line or cell beyond this is a file of another kind, or an open quote; without a limit it would fill the memory.
LINE_LIMIT = 1 << 28

Text = TypeVar("Text", str, bytes)

_MODULES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}


@contextmanager
def open_bytes(origin: Origin) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``; gzip, bzip2 and xz are known by their first bytes and unpacked.

    A stream of bytes is taken as it is, and left open, as standard input is.
    """
    if hasattr(origin, "read"):
        yield unpacked(cast(BinaryIO, origin))
    elif os.fspath(origin) == "-":
        yield unpacked(cast(BinaryIO, sys.stdin.buffer))
    else:
        with open(origin, "rb", buffering=CHUNK_BYTES) as file, unpacked(file) as stream:
            yield stream


def unpacked(stream: BinaryIO) -> BinaryIO:
    """Return a stream that unpacks `stream` where it is compressed, else `stream` itself; it can always `peek`."""
    if not hasattr(stream, "peek"):
        stream = cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, stream)))
    head = peeked(stream)
    module = next((module for magic, module in _MODULES.items() if head.startswith(magic)), None)
    return stream if module is None else cast(BinaryIO, import_module(module).open(stream))


def peeked(stream: BinaryIO) -> bytes:
    """Return some of the bytes that come next (at least 4, unless the stream ends), without taking them."""
    return bytes(cast(io.BufferedReader, stream).peek(64))


@contextmanager
def named_damage(name: str) -> Iterator[None]:
    """Turn the errors of a damaged compressed file or archive into `InputError` with its name."""
    try:
        yield
    except _damages() as error:
        raise InputError(f"{name}: the compressed file is damaged or cut off ({error}); fetch it again") from error


def _damages() -> tuple[type[Exception], ...]:
    """Return what reading a damaged file may raise; these modules are loaded by then, or loaded for the message."""
    import gzip
    import lzma
    import tarfile
    import zipfile
    import zlib

    return EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile


def byte_chunks(stream: BinaryIO, name: str, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Yield the bytes of `stream` as they come; a damaged compressed file raises `InputError` that names it."""
    # What a pipe holds now is handed on at once: a program that writes a line and waits for its answer gets it.
    read = stream.read1 if isinstance(stream, io.BufferedReader) else stream.read
    with named_damage(name):
        while chunk := read(size):
            yield chunk


def idle_test(stream: BinaryIO) -> Callable[[], bool] | None:
    """Return a function that tells whether the other end of a pipe or terminal is silent just now; None for a file."""
    try:
        descriptor = stream.fileno()
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        select.select([descriptor], [], [], 0)
    except (OSError, ValueError):  # no descriptor, or one that cannot be asked
        return None
    return lambda: not select.select([descriptor], [], [], 0)[0]


def line_blocks(chunks: Iterable[Text], name: str, ends: tuple[Text, ...]) -> Iterator[Text]:
    """Join and cut `chunks` so that each block ends at a line end (the last one may not).

    `ends` are the line ends to look for; a later one counts only in chunks without the earlier ones, so each of them
    must end a line for the reader.
    """
    pending: list[Text] = []
    size = 0
    for chunk in chunks:
        cut = next((found + 1 for end in ends if (found := chunk.rfind(end)) >= 0), 0)
        size += len(chunk) if cut == 0 else 0
        if size > LINE_LIMIT:
            raise InputError(f"{name}: a line of more than {LINE_LIMIT >> 20} million characters; is this a text file?")
        if cut == 0:
            pending.append(chunk)
            continue
        pending.append(chunk[:cut])
        yield chunk[:0].join(pending)
        pending = [chunk[cut:]] if cut < len(chunk) else []
        size = len(chunk) - cut
    if pending:
        yield pending[0][:0].join(pending)
