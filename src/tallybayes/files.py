"""Writing a file so that it is whole or not there."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for bytes that takes its place when the block ends; a block that fails leaves the old file.

    The bytes go to a temporary file in the same folder, are forced to the disk, and the file is renamed. A link is
    followed, and a file that is replaced keeps its permissions.

    Parameters
    ----------
    path : str or path-like
        The file to write.

    Yields
    ------
    binary file
        Where to write.

    Raises
    ------
    OSError
        If the folder is missing or not writable, or the disk is full.

    Examples
    --------
    >>> from pathlib import Path
    >>> with replacing("numbers.txt") as stream:
    ...     _ = stream.write(b"1 2 3")
    >>> Path("numbers.txt").read_bytes()
    b'1 2 3'
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a device or a pipe, such as /dev/null, cannot be replaced
        with target.open("wb") as stream:
            yield stream
        return
    temporary = target.with_name(f".tallybayes-{secrets.token_hex(8)}")  # fits, however long the target's name is
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:  # a Ctrl-C must not leave the temporary file behind either
        with suppress(OSError):
            temporary.unlink()
        raise
