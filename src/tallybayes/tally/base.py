"""What all tallies have in common: they add up, subtract, scale, and refuse before anything changes."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from tallybayes.errors import ForgetError, InputError, ParameterError, SpaceError
from tallybayes.kinds import Kinds
from tallybayes.labels import Label, Labels
from tallybayes.space import Space
from tallybayes.store import Blocks

__all__ = ["INT64_MAX", "TOLERANCE", "Tally", "merged_class_count", "refuse_sum"]

TOLERANCE = 1e-9  # of the larger term: what rounding leaves of equal float sums is nothing
INT64_MAX = np.iinfo(np.int64).max


class Tally(ABC):
    """A sum over rows. It never changes: ``+``, ``-`` and ``*`` give new tallies.

    Attributes
    ----------
    kind : str
        What files call the type.
    classes : Labels
        K classes.
    class_count : ndarray of shape (K,)
        Rows of each class, or the sum of their weights.
    space : Space
        What decides what a row becomes.
    columns : tuple of str, or None
        Names of the columns, where the rows have columns and these have names.
    """

    __slots__ = ("class_count", "classes", "columns", "space")

    kinds: ClassVar[Kinds[type[Tally]]] = Kinds("the type of a tally")
    kind: ClassVar[str]

    classes: Labels
    class_count: NDArray[Any]
    space: Space
    columns: tuple[str, ...] | None

    def __init_subclass__(cls) -> None:
        Tally.kinds.add(cls.kind, cls)

    # What a type of tally provides

    @abstractmethod
    def _require_same_sums(self, other: Self) -> None:
        """Refuse a tally of the same type and space that sums something else."""

    @abstractmethod
    def _merge(self, other: Self, sign: int) -> Self:
        """Return the sum or the difference with a mergeable tally."""

    @abstractmethod
    def _scale(self, factor: float) -> Self: ...

    @abstractmethod
    def _with_classes(self, positions: NDArray[np.intp], labels: Labels) -> Self:
        """Return the tally of the classes at `positions`, which become `labels`, in this order."""

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """How many numbers the sums take: what adding costs."""

    @property
    @abstractmethod
    def n_columns(self) -> int | None:
        """How many columns there are; None where rows are documents."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest number in it."""

    @abstractmethod
    def digest(self) -> str:
        """Return the SHA-256, in hex, of the canonical form, where the sums are exact."""

    @abstractmethod
    def check(self) -> None:
        """Look at all contents; raise ValueError if they cannot be a tally."""

    def described(self) -> dict[str, Any]:
        """Return what there is to say of the tally besides its arrays, as JSON values."""
        return {
            "type": self.kind,
            "classes": self.classes.to_json(),
            "columns": None if self.columns is None else list(self.columns),
            "space": self.space.to_json(),
        }

    @abstractmethod
    def to_blocks(self, prefix: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays, named ``prefix.array``, and what else there is to say as JSON values."""

    @classmethod
    @abstractmethod
    def from_blocks(cls, prefix: str, blocks: Blocks, said: Mapping[str, Any]) -> Self:
        """Return the tally of this type rebuilt from `to_blocks`.

        Raises
        ------
        ModelFileError
            If the blocks cannot be a tally. Contents are looked at where the file was verified.
        """

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the tally as plain JSON values that a person can read."""

    @classmethod
    @abstractmethod
    def from_json(cls, said: Mapping[str, Any]) -> Self:
        """Return the tally of this type rebuilt from `to_json`; the order of features and classes does not matter.

        Raises
        ------
        ValueError
            If the values cannot be a tally.
        """

    # What all have

    def require_mergeable(self, other: Tally) -> None:
        """Refuse a tally that cannot be added to this one or taken out of it, whatever its numbers are.

        Raises
        ------
        SpaceError
            If it is of another type or counts something else; the message names the part that differs.
        InputError
            If its labels are of another kind.
        """
        if type(other) is not type(self):
            raise SpaceError(f"these tallies are of different types: {self.kind} against {other.kind}")
        if self.space != other.space:
            raise SpaceError(f"these tallies count in different feature spaces: {self.space.difference(other.space)}")
        self.classes.require_same_kind(other.classes)
        self._require_same_sums(other)
        self._united_columns(other)

    def _united_columns(self, other: Tally) -> tuple[str, ...] | None:
        """Return the names of the columns: those of either side where one has none."""
        if self.columns is None or other.columns is None:
            return self.columns or other.columns
        for position, (mine, theirs) in enumerate(zip(self.columns, other.columns, strict=True)):
            if mine != theirs:
                raise SpaceError(
                    f"these tallies have different columns: number {position} is {mine!r} against {theirs!r}"
                )
        return self.columns

    def regrouped(self, mapping: Mapping[Label, Label]) -> Self:
        """Return the tally with its classes renamed or united: each class becomes what `mapping` says.

        A class that `mapping` does not name stays; names of no class have no effect, so that regrouping the parts and
        adding them up gives the same as adding them up and regrouping the sum.

        Examples
        --------
        >>> from tallybayes import CountTally
        >>> from tallybayes.space import Space
        >>> labels, _ = Labels.of(["cat", "dog", "oak"])
        >>> counted = CountTally.empty(Space("text"), classes=labels)
        >>> counted.regrouped({"cat": "animal", "dog": "animal"}).classes
        Labels('animal', 'oak')
        """
        groups, codes = Labels.of([mapping.get(label, label) for label in self.classes])
        # One layer holds the first class of each group, the next one the second: inside a layer classes only change
        # their names, and layers are added like any other tallies.
        turn = np.zeros(len(codes), np.int64)
        for code in range(len(groups)):
            members = np.flatnonzero(codes == code)
            turn[members] = np.arange(len(members))
        layers = []
        for number in range(int(turn.max(initial=0)) + 1):
            members = np.flatnonzero(turn == number)
            members = members[np.argsort(codes[members], kind="stable")]
            layers.append(self._with_classes(members, groups.take(codes[members].tolist())))
        regrouped: Self = Tally.sum(layers)
        return regrouped

    @staticmethod
    def sum(tallies: Iterable[Any]) -> Any:
        """Return the sum of many tallies of one type, adding neighbours first: a cell is copied log2(n) times, not n.

        Raises
        ------
        InputError
            If there are none.
        """
        level = list(tallies)
        if not level:
            raise InputError("there are no tallies to add; start from an empty one")
        for other in level[1:]:
            level[0].require_mergeable(other)
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [a + b for a, b in pairs] + level[len(level) // 2 * 2 :]
        return level[0]

    def __add__(self, other: object) -> Self:
        return self._merged(other, 1) if isinstance(other, Tally) else NotImplemented

    def __radd__(self, other: object) -> Self:
        # sum() starts with the number 0.
        return self if type(other) is int and other == 0 else NotImplemented

    def __sub__(self, other: object) -> Self:
        return self._merged(other, -1) if isinstance(other, Tally) else NotImplemented

    def _merged(self, other: Tally, sign: int) -> Self:
        self.require_mergeable(other)
        return self._merge(other, sign)  # type: ignore[arg-type]  # of the same type, or it would have been refused

    def __mul__(self, factor: object) -> Self:
        if not isinstance(factor, numbers.Real) or isinstance(factor, bool):
            return NotImplemented
        number = int(factor) if isinstance(factor, numbers.Integral) else float(factor)
        if not (number >= 0 and math.isfinite(number)):
            raise ParameterError(f"a tally can be scaled by a finite number >= 0, not by {factor!r}")
        return self._scale(number)

    __rmul__ = __mul__


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
        with np.errstate(over="ignore"):
            count: NDArray[Any] = had + change
        wrong = had > INT64_MAX - change if exact else ~np.isfinite(count)
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
