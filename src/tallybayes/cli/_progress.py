"""Progress of a long command: rows and MB/s on stderr, only where a person looks on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Advance", "progress"]


class Advance(Protocol):
    """What `progress` yields: call it after each batch."""

    def __call__(self, rows: int, size: int) -> None: ...


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Advance]:
    """Show how far a command is, if stderr is a terminal; elsewhere not a byte is written.

    Parameters
    ----------
    what : str
        What is being done: ``"learning"``.
    total : int, optional
        Bytes to come, if known.

    Yields
    ------
    callable
        ``advance(rows, size)``: so many more rows and bytes are done.

    Examples
    --------
    >>> with progress("learning", total=2_000_000) as advance:
    ...     advance(rows=100, size=1_000_000)
    """
    if not sys.stderr.isatty():
        yield lambda rows, size: None
        return
    from tqdm import tqdm  # not for a pipe's sake: importing it takes as long as a prediction

    with tqdm(desc=what, total=total, unit="B", unit_scale=True, leave=False, file=sys.stderr) as bar:
        done = 0

        def advance(rows: int, size: int) -> None:
            nonlocal done
            done += rows
            bar.set_postfix_str(f"{done:,} rows", refresh=False)
            bar.update(size)

        yield advance
