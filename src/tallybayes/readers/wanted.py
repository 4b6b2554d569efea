"""Which columns a reader is asked for, and where a table has them."""

from __future__ import annotations

from collections.abc import Sequence

from tallybayes.errors import InputError

__all__ = ["Column", "found_column"]

Column = str | int


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
