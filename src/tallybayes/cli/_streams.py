"""The standard streams of the process, any of which may be closed, full, or a pipe that nobody reads."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

__all__ = ["take_streams"]


def take_streams() -> None:
    """Make the three streams of this process ones that fail as files do: with their name, once, and not at its end.

    Standard output is UTF-8 on every machine, whatever its locale, and buffered whatever PYTHONUNBUFFERED says, since a
    write to what is unbuffered may stop half way without a word. What cannot be said on stderr is not said: nothing
    fails for that. Streams that the caller of `main` put in place of the process's own are left as they are.
    """
    for number, (name, mode) in enumerate([("stdin", "r"), ("stdout", "w"), ("stderr", "w")]):
        stream = getattr(sys, name)
        if stream is not getattr(sys, f"__{name}__"):
            if number == 1 and hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8")
        elif stream is None:
            _occupy(number)
            setattr(sys, name, _text(_Standard(None, number)))
        elif mode == "w" and not isinstance(_raw_of(stream), _Standard):
            encoding = "utf-8" if number == 1 else stream.encoding
            setattr(sys, name, _text(_Standard(_raw_of(stream), number), encoding))


class _Standard(io.RawIOBase):
    """A standard stream over its raw file, None if it is closed; after the first failure what is written is dropped.

    So the interpreter, which writes at its end what is still buffered, does not fail a second time.
    """

    def __init__(self, raw: Any, number: int) -> None:
        self.raw, self.number, self.failed = raw, number, False

    def write(self, data: Any) -> int:
        if not self.failed:
            try:
                return self._open().write(data)  # type: ignore[no-any-return]
            except OSError as error:
                self.failed = True
                if self.number == 1:
                    error.filename = "standard output"
                    raise
            except KeyboardInterrupt:  # perhaps after the bytes went out: they must not go out twice
                self.failed = self.number == 1
                raise
        return memoryview(data).nbytes

    def readinto(self, buffer: Any) -> int:
        return self._open().readinto(buffer)  # type: ignore[no-any-return]

    def _open(self) -> Any:
        if self.raw is None:
            raise OSError(errno.EBADF, "it is closed", "standard input")
        return self.raw

    def readable(self) -> bool:
        return self.number == 0

    def writable(self) -> bool:
        return self.number > 0

    def isatty(self) -> bool:
        return self.raw is not None and self.raw.isatty()

    def fileno(self) -> int:
        return self.number if self.raw is None else self.raw.fileno()


def _raw_of(stream: Any) -> Any:
    return getattr(stream.buffer, "raw", stream.buffer)  # unbuffered streams have no layer in between


def _text(raw: _Standard, encoding: str = "utf-8") -> io.TextIOWrapper:
    if raw.readable():
        return io.TextIOWrapper(io.BufferedReader(raw), encoding)
    errors, by_line = ("strict", raw.isatty()) if raw.number == 1 else ("backslashreplace", True)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=by_line)


def _occupy(number: int) -> None:
    """Keep a closed descriptor from going to the next file that is opened, where stray output would land."""
    try:
        os.fstat(number)
    except OSError:
        taken = os.open(os.devnull, os.O_RDWR)
        if taken != number:
            os.dup2(taken, number)
            os.close(taken)
