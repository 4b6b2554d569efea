"""Which columns a reader is asked for, and where a table has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from tallybayes.errors import InputError, ParameterError

__all__ = ["Column", "Columns", "Found", "Wanted", "found_column"]

Column = str | int
Columns = Sequence[Column] | Literal["all"]

Place = TypeVar("Place")


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


@dataclass(frozen=True, slots=True)
class Found(Generic[Place]):
    """Where a table has the columns that are wanted; None for a label or an id that is not."""

    columns: list[Place]
    label: Place | None
    id: Place | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """The columns that a reader is asked for.

    Attributes
    ----------
    columns : tuple of str or int, or None
        The column of the texts, or those of the cells; None for every column but label and id.
    label, id : str, int or None
        None where it is not wanted.
    cells : bool
        Whether a row is a tuple of cells, not one text.
    """

    columns: tuple[Column, ...] | None
    label: Column | None
    id: Column | None
    cells: bool

    @classmethod
    def of(cls, text: Column | None, columns: Columns | None, label: Column | None, id: Column | None) -> Wanted:
        """Build it from the parameters of a reader, or raise `ParameterError` where they contradict each other.

        Examples
        --------
        >>> Wanted.of(None, None, "label", None).columns, Wanted.of(None, ["age", "town"], None, None).columns
        (('text',), ('age', 'town'))
        """
        if columns is None:
            return cls(("text" if text is None else text,), label, id, cells=False)
        if text is not None:
            raise ParameterError(
                f"a row is one text or several cells; give text ({text!r}) or columns ({columns!r}), not both"
            )
        if isinstance(columns, str):
            if columns != "all":
                raise ParameterError(f"columns must be a list of names or numbers, or 'all', not {columns!r}")
            return cls(None, label, id, cells=True)
        if len(columns) == 0:
            raise ParameterError("columns must name at least one column, but the list is empty; 'all' takes every one")
        return cls(tuple(columns), label, id, cells=True)

    @property
    def named(self) -> list[Column]:
        """Every column that is asked for by name or number."""
        return [column for column in (*(self.columns or ()), self.label, self.id) if column is not None]

    def found(self, there: Sequence[Column], find: Callable[[Column], Place], where: str) -> Found[Place]:
        """Look the columns up with `find` in a table that has the columns `there`.

        Raises
        ------
        InputError
            A column is asked for twice, or no column is left; and what `find` raises.
        """
        places = [find(column) for column in self.columns or ()]
        label, identity = (None if column is None else find(column) for column in (self.label, self.id))
        for i, place in enumerate(places):
            if place in places[:i]:
                raise InputError(f"{where}: column {(self.columns or ())[i]!r} is asked for twice; name it once")
        if self.columns is None:
            places = [place for place in map(find, there) if place not in (label, identity)]
            if not places:
                named = ", ".join(map(repr, self.named)) or "nothing"
                raise InputError(f"{where}: no column is left to read; there is {named} alone")
        return Found(places, label, identity)
