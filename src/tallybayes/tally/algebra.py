"""What all tallies have in common: they add up, subtract, scale, and refuse before anything changes."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from tallybayes.errors import ForgetError, InputError, ParameterError, SpaceError
from tallybayes.labels import Labels
from tallybayes.store import Blocks
from tallybayes.text.space import Space

__all__ = ["INT64_MAX", "TOLERANCE", "Tally", "merged_class_count", "refuse_sum"]

TOLERANCE = 1e-9  # of the larger term: what rounding leaves of equal float sums is nothing
INT64_MAX = np.iinfo(np.int64).max


class Tally(ABC):
    """A sum over rows. It never changes: ``+``, ``-`` and ``*`` give new tallies."""

    __slots__ = ("class_count", "classes", "space")

    classes: Labels
    class_count: NDArray[Any]
    space: Space

    @abstractmethod
    def _merge(self, other: Self, sign: int) -> Self: ...

    @abstractmethod
    def _scale(self, factor: float) -> Self: ...

    @abstractmethod
    def digest(self) -> str:
        """Give the SHA-256, in hex, of the canonical form, where the sums are exact."""

    @abstractmethod
    def check(self) -> None:
        """Look at all contents; raise ValueError if they cannot be a tally."""

    @abstractmethod
    def to_blocks(self, prefix: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Give the arrays, named ``prefix.array``, and what else there is to say as JSON values."""

    @classmethod
    @abstractmethod
    def from_blocks(cls, prefix: str, blocks: Blocks, said: Mapping[str, Any]) -> Self:
        """Rebuild a tally from `to_blocks`.

        Raises
        ------
        ModelFileError
            If the blocks cannot be a tally. Contents are looked at where the file was verified.
        """

    @staticmethod
    def sum(tallies: Iterable[Any]) -> Any:
        """Add many tallies of one type, neighbours first: each cell is copied log2(n) times instead of n.

        Raises
        ------
        InputError
            If there are none.
        """
        level = list(tallies)
        if not level:
            raise InputError("there are no tallies to add; start from an empty one")
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [a + b for a, b in pairs] + level[len(level) // 2 * 2 :]
        return level[0]

    def __add__(self, other: object) -> Self:
        return self._merge(other, 1) if isinstance(other, type(self)) else NotImplemented

    def __radd__(self, other: object) -> Self:
        # sum() starts with the number 0.
        return self if type(other) is int and other == 0 else NotImplemented

    def __sub__(self, other: object) -> Self:
        return self._merge(other, -1) if isinstance(other, type(self)) else NotImplemented

    def __mul__(self, factor: object) -> Self:
        if not isinstance(factor, numbers.Real) or isinstance(factor, bool):
            return NotImplemented
        number = int(factor) if isinstance(factor, numbers.Integral) else float(factor)
        if not (number >= 0 and math.isfinite(number)):
            raise ParameterError(f"a tally can be scaled by a finite number >= 0, not by {factor!r}")
        return self._scale(number)

    __rmul__ = __mul__

    def _require_same_space(self, other: Tally) -> None:
        if self.space != other.space:
            raise SpaceError(f"these tallies count different features: {self.space.difference(other.space)}")


def merged_class_count(
    a: Tally, b: Tally, sign: int, united: tuple[Labels, NDArray[Any], NDArray[Any]]
) -> NDArray[Any]:
    """Add or subtract the rows of each class; both tallies' counts are laid out by the united classes first."""
    classes, mine, theirs = united
    had: NDArray[Any]
    change: NDArray[Any]
    had, change = np.zeros((2, len(classes)), np.result_type(a.class_count, b.class_count))
    had[mine] = a.class_count
    change[theirs] = b.class_count
    exact = had.dtype == np.int64
    if sign > 0:
        wrong = had > INT64_MAX - change if exact else ~np.isfinite(had + change)
        count: NDArray[Any] = had + change
    else:
        count = had - change
        if not exact:
            count[np.abs(count) <= TOLERANCE * np.maximum(had, change)] = 0.0
        wrong = count < 0
    if wrong.any():
        first = int(wrong.argmax())
        refuse_sum(sign, f"class {classes[first]!r}", "rows", had[first].item(), change[first].item())
    return count


def refuse_sum(sign: int, place: str, what: str, had: float, change: float) -> NoReturn:
    """Say where a sum or a difference cannot be, and with which numbers."""
    if sign > 0:
        raise InputError(
            f"{place}: {had} + {change} {what} are more than a tally can hold; scale it down (tally * 0.5)"
        )
    raise ForgetError(f"{place}: {change} {what} to take out, but only {had} are in; nothing was changed")
