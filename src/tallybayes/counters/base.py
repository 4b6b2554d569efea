"""The base of all counters: how raw rows become sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy.typing as npt

from ..described import Described
from ..errors import SpaceError
from ..kinds import Kinds
from ..labels import Labels
from ..space import Space
from ..store import Blocks
from ..tally import Tally
from .rows import LabelledRows, Rows

__all__ = ["Counter"]


class Counter(ABC):
    """How raw rows become sums: frozen plain data, which is saved with a model.

    What cannot be changed without the data is decided here. A counter may have to see rows before it can count: the
    number of columns is that of the first rows, frozen idf weights are those of all training rows. Then `settled` gives
    the counter that counts.

    Attributes
    ----------
    kind : str
        What files call this kind of counter.
    columns : tuple of str, or None
        Names of the columns, where rows have columns and these have names.
    n_columns : int or None
        Number of the columns; None where rows have none, or before the first rows came.
    """

    kinds: ClassVar[Kinds[type[Counter]]] = Kinds("the kind of a counter")
    kind: ClassVar[str]
    # So many columns a model may have however little it learnt.
    free_columns: ClassVar[int] = 1 << 24
    # Whether a row is a document; else it has columns.
    of_documents: ClassVar[bool] = False

    columns: tuple[str, ...] | None = None
    n_columns: int | None = None
    # The channels of the tally, and what to do for others; none where a tally has no channels.
    channels: tuple[str, ...] = ()
    more_channels: ClassVar[str] = "learn again with channels=('occurrences', 'documents')"
    # The counter of a first pass over all rows, where one is needed before any row can be counted.
    draft: Counter | None = None

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            Counter.kinds.add(cls.kind, cls)

    # What a kind of counter provides

    @property
    @abstractmethod
    def space(self) -> Space:
        """What decides which feature a piece of input becomes: tallies of other spaces cannot be added."""

    @abstractmethod
    def check(self, X: Any) -> Rows:
        """Return rows, checked and laid out for the kernel.

        Raises
        ------
        InputError, InputTypeError
            If a row cannot be used; the message names the first.
        """

    @abstractmethod
    def check_one(self, row: Any) -> Rows:
        """Return one row, as it is given to be explained, checked.

        Raises
        ------
        InputError, InputTypeError
            If it is not one row, or cannot be used.
        """

    @abstractmethod
    def count(self, rows: Any, labelled: LabelledRows, n_jobs: int) -> Tally:
        """Return the sums of rows.

        Parameters
        ----------
        rows : Rows
            As `check` returned them.
        labelled : LabelledRows
            Their classes and weights.
        n_jobs : int
            Threads.
        """

    @abstractmethod
    def describe(self, rows: Any, i: int) -> Described:
        """Return what row `i` of the checked `rows` holds, with amounts and places."""

    @abstractmethod
    def empty(self, classes: Labels) -> Tally:
        """Return the tally of no rows."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the counter as plain JSON values, arrays left out.

        Raises
        ------
        ParameterError
            If it holds something that is no data, such as a function.
        """

    @classmethod
    @abstractmethod
    def from_json(cls, said: Mapping[str, Any], arrays: Blocks, prefix: str) -> Self:
        """Return the counter rebuilt from `to_json`, with either `readable` in it or the blocks of `arrays`."""

    # What most kinds leave as it is

    @property
    def ready(self) -> bool:
        """Whether it can count."""
        return True

    def settled(self, rows: Any, labelled: LabelledRows, n_jobs: int) -> Counter:
        """Return the counter that counts, after a look at the first rows; the same one where it is ready.

        Parameters
        ----------
        rows, labelled, n_jobs
            As for `count`.
        """
        return self

    def settled_by(self, tally: Tally) -> Counter:
        """Return the counter that counts, after the first pass in which `draft` counted `tally`."""
        return self

    def settled_for(self, tally: Tally) -> Counter:
        """Return the counter that may have counted a tally: its columns, where rows have columns."""
        return self

    def settled_like(self, other: Counter) -> Counter:
        """Return the counter that may have counted what `other` did: what it froze, where this one has not yet."""
        return self

    def united(self, other: Counter | None, part: Tally) -> Counter:
        """Return the counter of a sum with a mergeable `part`, which `other` counted where that is known.

        Raises
        ------
        SpaceError
            If the tally holds what neither can count.
        """
        return self

    def forgetting(self, gone: Tally, rest: Tally) -> Counter:
        """Return the counter of the `rest` without `gone`, of which it must not tell anything."""
        return self

    def named(self, columns: tuple[str, ...] | None) -> Counter:
        """Return the counter with names for its columns."""
        return self

    def readable(self) -> dict[str, Any]:
        """Return as JSON that a person can read what `arrays` says in a binary file."""
        return {}

    def arrays(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that belong into a file, named ``prefix.array``."""
        return {}

    def from_cells(self, rows: Sequence[Sequence[Any]], where: Callable[[int], str], tally: Tally | None = None) -> Any:
        """Return the cells of a table's rows, which may all be text, as `check` takes them.

        Parameters
        ----------
        rows : sequence of n sequences of d cells
        where : callable
            Names the place of a row, for messages.
        tally : Tally, optional
            What was learnt, if anything was: it knows which types of values a column holds.

        Raises
        ------
        InputError
            If a cell cannot be read; the message has its place.
        """
        return rows

    def renewed(self, tally: Tally) -> Tally:
        """Return a tally of an older file with its features named as this program names them."""
        return tally

    def require_counted(self, tally: Tally) -> None:
        """Refuse a tally that another counter counted.

        Raises
        ------
        SpaceError
            The message names the part that differs.
        """
        mine = self.empty(Labels())
        mine.require_mergeable(tally)

    def check_counted(self, tally: Tally) -> None:
        """Look at all contents of a tally that this counter may have counted.

        Raises
        ------
        SpaceError, ValueError
            If it cannot have.
        """
        self.require_counted(tally)

    def require_columns(self, n_columns: int, names: Sequence[str] | None = None) -> None:
        """Refuse rows of another number of columns, `n_columns`, or whose columns have other `names`.

        Raises
        ------
        SpaceError
            The message says what was wanted.
        """
        if self.n_columns is not None and n_columns != self.n_columns:
            raise SpaceError(f"X has {n_columns} features, but the model is expecting {self.n_columns} features")
        if names is None or self.columns is None:
            return
        for position, (mine, theirs) in enumerate(zip(self.columns, names, strict=True)):
            if mine != theirs:
                raise SpaceError(
                    f"the columns are not those of the model: number {position} is {theirs!r}, wanted {mine!r}; give "
                    "the columns the names and the order that they had"
                )

    def column_names(self) -> list[str]:
        """Return what the columns are called, by name or by number."""
        return [f"column {j}" for j in range(self.n_columns or 0)] if self.columns is None else list(self.columns)
