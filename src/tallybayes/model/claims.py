"""What a model file claims, held against what was read and against what it takes to use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..counters import Counter
from ..tally import Tally

__all__ = ["require_fitting", "require_same_claims"]

COLUMNS_PER_CELL = 1 << 10  # tables take memory for every column that a file claims, seen or not


def require_same_claims(said: Any, read: Any, *, ignore_unknown: bool = False, place: str = "") -> None:
    """Refuse claims that the parts built from them do not make: unknown entries, and values taken for others.

    Numbers are compared by value, so that a hand may write 2 for 2.0; true is no number. Entries that `said` lacks were
    written before there was such a parameter.

    Parameters
    ----------
    said, read : JSON values
        Of the file; of the parts, when they describe themselves again.
    ignore_unknown : bool
        Whether a newer program may have written entries that this one does not know.
    place : str
        Where in the file this is, for messages.

    Raises
    ------
    ValueError
        The message names the place.

    Examples
    --------
    >>> require_same_claims({"alpha": 1}, {"alpha": 1.0, "prior": None})
    >>> require_same_claims({"alpah": 1}, {"alpha": 1.0})
    Traceback (most recent call last):
    ...
    ValueError: the entry 'alpah' is unknown
    """
    where = place or "it"
    if isinstance(read, Mapping):
        if not isinstance(said, Mapping):
            raise ValueError(f"{where} is no object")
        for key, value in said.items():
            name = f"{place}.{key}" if place else str(key)
            if key in read and value is not read[key]:
                require_same_claims(value, read[key], ignore_unknown=ignore_unknown, place=name)
            elif key not in read and not ignore_unknown:
                raise ValueError(f"the entry {name!r:.80} is unknown")
    elif isinstance(read, (list, tuple)):
        if not isinstance(said, list) or len(said) != len(read):
            raise ValueError(f"{where} is no list of {len(read)}")
        for number, (mine, theirs) in enumerate(zip(said, read, strict=True)):
            require_same_claims(mine, theirs, ignore_unknown=ignore_unknown, place=f"{place}[{number}]")
    elif _plain(said) != _plain(read):
        raise ValueError(f"{where} is {said!r:.60}, which is read as {read!r:.60}")


def _plain(value: Any) -> tuple[bool, Any]:
    """Tell true from 1, which are equal in Python."""
    return isinstance(value, bool), value


def require_fitting(counter: Counter, tally: Tally) -> None:
    """Refuse a tally whose columns are not those of the counter, or are far more than it has numbers.

    Raises
    ------
    ValueError
    """
    if not counter.ready:
        raise ValueError(f"the counter of {counter.kind} has not seen a row")
    if tally.columns is not None:
        if counter.n_columns is None:
            raise ValueError("there are names of columns, and rows have none")
        counter.require_columns(len(tally.columns), tally.columns)
    # A small file must not ask for gigabytes.
    n_columns = max(tally.n_columns or 0, counter.n_columns or 0)
    most = max(counter.free_columns, COLUMNS_PER_CELL * tally.n_cells)
    if n_columns > most:
        raise ValueError(
            f"{n_columns:,} columns for {tally.n_cells:,} numbers, more than {most:,}: count or hash into fewer columns"
        )
