"""What all counters of columns have in common: how many columns there are, and what they are called."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from ..errors import ParameterError
from ..kinds import keep_plain
from ..store import Blocks
from ..tally import Tally
from ..tally.readable import checked_names
from .base import Counter
from .frames import one_row
from .rows import LabelledRows

__all__ = ["ColumnCounter", "check_missing"]


@dataclass(frozen=True, kw_only=True)
class ColumnCounter(Counter):
    """The base of the counters of columns.

    Parameters
    ----------
    columns : sequence of str, optional
        Names of the columns; by default those of the first rows, if they have any.
    n_columns : int, optional
        By default that of the names, or of the first rows.

    Raises
    ------
    ParameterError
        If there are more or fewer names than columns.
    """

    columns: tuple[str, ...] | None = None
    n_columns: int | None = None

    def __post_init__(self) -> None:
        keep_plain(self)
        if self.n_columns is not None:
            object.__setattr__(self, "n_columns", operator.index(self.n_columns))
        if self.columns is not None:
            object.__setattr__(self, "columns", tuple(self.columns))
            if self.n_columns is None:
                object.__setattr__(self, "n_columns", len(self.columns))
            elif self.n_columns != len(self.columns):
                raise ParameterError(f"columns are {len(self.columns)} names for {self.n_columns} columns")

    # What a kind of counter provides

    def _learnt_from(self, rows: Any) -> dict[str, Any]:
        """Return what else the first rows decide."""
        return {}

    def _n_columns_of(self, tally: Any) -> int:
        """Return the number of columns of a tally of the right type."""
        return int(tally.n_columns)

    # What all have

    @property
    def ready(self) -> bool:
        return self.n_columns is not None

    def settled(self, rows: Any, labelled: LabelledRows, n_jobs: int) -> Self:
        if self.ready:
            return self
        return replace(self, n_columns=rows.n_columns, columns=rows.names or self.columns, **self._learnt_from(rows))

    def settled_for(self, tally: Tally) -> Self:
        n_columns = self.n_columns
        if n_columns is None:
            try:
                n_columns = self._n_columns_of(tally)
            except (AttributeError, KeyError, TypeError):  # of another type: it is refused when it is compared
                n_columns = 0
        # What the counter was told stays, and is refused there too if it is not so.
        theirs = tally.columns if tally.columns is not None and len(tally.columns) == n_columns else None
        return replace(self, n_columns=n_columns, columns=self.columns or theirs)

    def named(self, columns: tuple[str, ...] | None) -> Self:
        return self if columns == self.columns else replace(self, columns=columns)

    def check_one(self, row: Any) -> Any:
        return self.check(one_row(row))

    def to_json(self) -> dict[str, Any]:
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}

    @classmethod
    def from_json(cls, said: Mapping[str, Any], arrays: Blocks, prefix: str) -> Self:
        """Return the counter rebuilt from `to_json`; no kind has `arrays`, and so no `prefix`.

        Raises
        ------
        ParameterError, ValueError
            If what is `said` is no such counter.
        """
        names = checked_names(said["columns"])
        parameters = {each.name: said[each.name] for each in fields(cls)}
        if type(said["n_columns"]) is not int or said["n_columns"] < 0:
            raise ParameterError(f"the number of columns is {said['n_columns']!r}")
        return cls(**{**parameters, "columns": None if names is None else tuple(names)})


def check_missing(missing: str) -> None:
    """Refuse what is no policy for gaps.

    Raises
    ------
    ParameterError
    """
    if missing not in ("error", "skip"):
        raise ParameterError(f"missing must be 'error' or 'skip'; got {missing!r}")
