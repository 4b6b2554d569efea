"""What the name of a source tells: what it is called in messages, its kind, the class of a file."""

from __future__ import annotations

import os
import re
from typing import BinaryIO

from tallybayes.errors import ParameterError

__all__ = ["Origin", "bare_suffix", "checked_pattern", "is_archive", "shown_name"]

Origin = str | os.PathLike[str] | BinaryIO

_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".zip")


def shown_name(origin: Origin) -> str:
    """Return the name of a source for a message."""
    name = getattr(origin, "name", "a stream") if hasattr(origin, "read") else os.fspath(origin)
    return "standard input" if name in ("-", "<stdin>") else str(name)


def bare_suffix(origin: Origin) -> str:
    """Return the suffix of a file name in lower case, without that of a compression: ``.csv`` of ``A.CSV.gz``."""
    if hasattr(origin, "read"):
        return ""
    stem, suffix = os.path.splitext(os.fspath(origin).lower())
    return os.path.splitext(stem)[1] if suffix in (".gz", ".bz2", ".xz") else suffix


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Tell by the name whether `path` is an archive that `read_folder` reads in place."""
    return os.fspath(path).lower().endswith(_ARCHIVES)


def checked_pattern(pattern: str | re.Pattern[str] | None) -> re.Pattern[str] | None:
    """Compile a pattern that finds the class in a file name, or raise `ParameterError`."""
    if pattern is None:
        return None
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"label_pattern {pattern!r} is no regular expression: {error}") from None
    if "label" not in compiled.groupindex:
        raise ParameterError(
            rf"label_pattern {pattern!r} needs a group called label, as in '(?P<label>[a-z]+)\d+\.txt'"
        )
    return compiled
