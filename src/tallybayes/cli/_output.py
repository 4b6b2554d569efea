"""Where a command's results go: stdout or a file, never over an existing file unless told to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ..files import replacing
from ..layout import printable
from ..tally import CountTally

if TYPE_CHECKING:
    from ..model import Model

__all__ = ["amount", "check_target", "note", "summed_up", "writing"]


def note(message: str) -> None:
    """Say something to the person at the terminal: on stderr, so that stdout holds data only."""
    click.echo("\n".join(map(printable, message.split("\n"))), err=True)


def amount(number: float) -> str:
    """Write a number of rows: in full, fractions to six digits."""
    return f"{number:,.0f}" if float(number).is_integer() or number >= 1e5 else f"{number:,.6g}"


def summed_up(model: Model, rows: float | None = None) -> str:
    """Say how much a model has learnt, in one line; `rows` where they are known better than by their weights."""
    tally = model.tally
    rows = tally.class_count.sum() if rows is None else rows
    noun = "documents" if model.counter.of_documents else "rows"
    if isinstance(tally, CountTally) and model.counter.of_documents:
        held = f"{len(tally.features):,} features"
    else:
        held = f"{model.counter.n_columns:,} columns"
    return f"{amount(rows)} {noun}, {len(tally.classes):,} classes, {held}"


def check_target(path: str | os.PathLike[str], *, force: bool) -> Path:
    """Refuse a file that exists already; asked before the work, so that a long run does not end in a refusal.

    Parameters
    ----------
    path : str or path-like
        Where a result is to be written.
    force : bool
        Whether ``--force`` was given.

    Returns
    -------
    Path
        The same path.

    Raises
    ------
    click.ClickException
        If `path` exists and `force` is false, if it is a folder or ``-``, or if its folder does not exist.
    """
    if os.fspath(path) == "-":
        raise click.ClickException("a model is not written to standard output; name a file (./- for one named -)")
    target = Path(path)
    if target.is_dir():
        raise click.ClickException(f"{target} is a folder; name a file")
    if not target.parent.is_dir():
        raise click.ClickException(f"there is no folder {target.parent} to write {target.name} into")
    if target.is_file() and not force:
        raise click.ClickException(f"{target} exists already; --force replaces it")
    return target


@contextmanager
def writing(path: str | os.PathLike[str], *, force: bool) -> Iterator[BinaryIO]:
    """Open a file (or ``-``, stdout) for bytes; the file appears whole when the block ends, or not at all.

    Parameters
    ----------
    path : str or path-like
        The file, or ``-``.
    force : bool
        Whether an existing file may be replaced.

    Yields
    ------
    binary file
        Where to write.

    Raises
    ------
    click.ClickException
        As `check_target`.
    OSError
        If the file cannot be written.
    """
    if os.fspath(path) == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replacing(check_target(path, force=force)) as stream:
        yield stream
