"""The moment tally: weight, mean and sum of squared deviations per class and column.

Sums are joined by Chan's formula around their means, never as raw sums of squares: a mean of 1e8 with a deviation of 1
keeps its digits. (Chan, Golub, LeVeque, 1979: Updating formulae and a pairwise algorithm for computing sample
variances.) Taking rows out is the same formula solved for the other term; it loses the digits by which what goes is
larger than what stays, which is why every number has a second half that float64 has no room for: about 106 bits in all.
After an outlier of 1e9 has gone, deviations of 1 are what they were. What cannot be known to 1e-6 is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

import tallybayes._kernel as _kernel
from tallybayes.errors import ForgetError, InputError, SpaceError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.store import Blocks
from tallybayes.tally.base import TOLERANCE, Tally, merged_class_count, refuse_sum
from tallybayes.tally.features import read_only
from tallybayes.tally.readable import checked_names, moment_parts, readable_moments

__all__ = ["MomentTally"]

Floats: TypeAlias = NDArray[np.float64]

_ARRAYS = ("class_count", "weight", "mean", "m2")


class MomentTally(Tally):
    """What was measured: the moments of d columns in each of K classes.

    Sums agree with one pass over all rows to about 1e-12, in any order and cutting. Two tallies are equal if their
    numbers are, empty classes left out.

    Parameters
    ----------
    classes : Labels
        K classes.
    class_count : float64 array of shape (K,)
        The sum of the weights of each class's rows.
    weight : float64 array of shape (K, d)
        The same for the rows in which the column has a value; never more than `class_count`.
    mean, m2 : float64 arrays of shape (K, d)
        Weighted mean, and weighted sum of squared deviations from it; 0 where the weight is 0.
    columns : sequence of str, optional
        Names of the columns.
    space : Space, optional
    low : float64 array of shape (4, K, d), optional
        What rounding to float64 took from `weight`, `mean` and `m2`, and how far `m2` may be off; without it they count
        as rounded, and less can be taken out of them again.

    Raises
    ------
    ValueError
        If the sizes of the arrays do not fit each other. `check` looks at the contents too.

    Examples
    --------
    >>> labels, _ = Labels.of(["banana"])
    >>> one = MomentTally(labels, [2], [[2]], [[15.0]], [[2.0]])   # lengths 14 and 16
    >>> other = MomentTally(labels, [1], [[1]], [[18.0]], [[0.0]])
    >>> (one + other).mean.tolist(), (one + other).variance().tolist()
    ([[16.0]], [[2.6666666666666665]])
    >>> ((one + other) - other).mean.tolist()
    [[15.0]]
    """

    __slots__ = ("low", "m2", "mean", "weight")

    kind = "moments"

    def __init__(
        self,
        classes: Labels,
        class_count: Any,
        weight: Any,
        mean: Any,
        m2: Any,
        columns: Sequence[str] | None = None,
        space: Space | None = None,
        low: Any = None,
    ) -> None:
        self.classes = classes
        self.class_count: Floats = read_only(class_count, np.float64)
        self.weight: Floats = read_only(weight, np.float64)
        self.mean: Floats = read_only(mean, np.float64)
        self.m2: Floats = read_only(m2, np.float64)
        self.low: Floats | None = None if low is None else read_only(low, np.float64)
        self.columns = None if columns is None else tuple(columns)
        self.space = Space("columns") if space is None else space
        shape = (len(classes), self.weight.shape[-1] if self.weight.ndim else 0)
        if self.class_count.shape != shape[:1] or {self.weight.shape, self.mean.shape, self.m2.shape} != {shape}:
            raise ValueError("the sizes of a tally's arrays do not fit each other")
        if self.low is not None and self.low.shape != (4, *shape):
            raise ValueError("the sizes of a tally's arrays do not fit each other")
        if self.columns is not None and len(self.columns) != shape[1]:
            raise ValueError(f"{len(self.columns)} names for {shape[1]} columns")

    @classmethod
    def empty(
        cls,
        n_columns: int,
        *,
        classes: Labels | None = None,
        columns: Sequence[str] | None = None,
        space: Space | None = None,
    ) -> MomentTally:
        """Return the tally of no rows, which changes nothing when it is added: `n_columns` called `columns` in `space`.

        It may have `classes` without a row.
        """
        classes = Labels() if classes is None else classes
        nothing = np.zeros((len(classes), n_columns))
        low = np.zeros((4, *nothing.shape))
        return cls(classes, np.zeros(len(classes)), nothing, nothing, nothing, columns, space, low)

    # Reading

    @property
    def n_cells(self) -> int:
        """The number of means."""
        return self.mean.size

    @property
    def largest(self) -> float:
        """The largest number in it."""
        return float(max(getattr(self, name).max(initial=0.0) for name in _ARRAYS))

    @property
    def n_columns(self) -> int:
        """The number of columns, d."""
        return int(self.weight.shape[1])

    def variance(self, ddof: float = 0) -> Floats:
        """Return squared deviations over weight − `ddof`, shape (K, d); 0 where the weight is not above `ddof`."""
        return _divided(self.m2, self.weight - ddof)

    def pooled_variance(self, ddof: float = 0) -> Floats:
        """Return the variance of each column over the rows of all classes together, of shape (d,).

        What `var_smoothing` is a share of: the largest of them, whatever the order of the rows.
        """
        total = self.weight.sum(axis=0)
        # Around one of the means, so that a column that never varies has exactly no variance.
        anchor = np.take_along_axis(self.mean, self.weight.argmax(axis=0)[None], axis=0) if len(self.classes) else 0.0
        apart = np.where(self.weight > 0, self.mean - anchor, 0.0)
        apart = np.where(self.weight > 0, apart - _divided((self.weight * apart).sum(axis=0), total), 0.0)
        with np.errstate(over="ignore"):
            return _divided((self.m2 + self.weight * apart**2).sum(axis=0), total - ddof)

    def select(self, keep: Any) -> MomentTally:
        """Return the tally of some columns, given by a mask of shape (d,) or by positions."""
        kept = np.arange(self.n_columns)[np.asarray(keep)]
        columns = None if self.columns is None else [self.columns[position] for position in kept]
        moments = (self.weight[:, kept], self.mean[:, kept], self.m2[:, kept])
        low = None if self.low is None else self.low[:, :, kept]
        return MomentTally(self.classes, self.class_count, *moments, columns, self.space, low)

    def digest(self) -> NoReturn:
        """Refuse: means and squares are rounded, if late, so equal data in another order may give other bits.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError("a tally of moments has no digest: its sums are rounded; compare means and variances instead")

    def check(self) -> None:
        """Look at all contents: what a file or another program claims to be a tally may be anything.

        Raises
        ------
        ValueError
            The message says what is wrong.
        """
        for name in _ARRAYS:
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} holds a number that is not finite")
        for name in ("class_count", "weight", "m2"):
            if (getattr(self, name) < 0).any():
                raise ValueError(f"{name} holds a negative number")
        if ((self.weight == 0) & ((self.mean != 0) | (self.m2 != 0))).any():
            raise ValueError("a column without weight has a mean or a deviation")
        if self.low is not None:
            ulp = np.spacing(np.abs([self.weight, self.mean, self.m2]))
            if not (np.abs(self.low[:3]) <= ulp).all() or self.low[:, self.weight == 0].any():
                raise ValueError("low holds more than rounding takes away")
            if not (np.isfinite(self.low[3]) & (self.low[3] >= 0)).all():
                raise ValueError("low holds an error that is negative or not finite")
        if (self.weight > self.class_count[:, None] * (1 + TOLERANCE)).any():
            raise ValueError("a column weighs more than its class")

    # Algebra

    def _scale(self, factor: float) -> MomentTally:
        changed = self._copied(self.classes, np.arange(len(self.classes)))
        with np.errstate(over="ignore"):
            class_count = self.class_count * float(factor)
            _kernel.scale_moments(*changed, float(factor))
        weight, mean, m2, low = changed
        if not (np.isfinite(class_count).all() and np.isfinite(m2).all()):
            raise InputError(f"moments times {factor!r} are more than a tally can hold; scale by less")
        kept = None if self.low is None else low
        return MomentTally(self.classes, class_count, weight, mean, m2, self.columns, self.space, kept)

    def _merge(self, other: MomentTally, sign: int) -> MomentTally:
        columns = self._united_columns(other)
        classes, mine, theirs = united = self.classes.union(other.classes)
        class_count = merged_class_count(self, other, sign, united)
        # Only the classes that the other has are touched, and of those only the columns that weigh something there.
        weight, mean, m2, low = self._copied(classes, mine)
        rounded = any(tally.low is None and tally.weight.any() for tally in (self, other))
        terms = (other.weight, other.mean, other.m2, other.low)
        wrong = _kernel.change_moments(weight, mean, m2, low, theirs, *terms, sign > 0, TOLERANCE, rounded)
        if wrong is not None:
            row, column, why = wrong
            place = f"class {classes[row]!r}, column {column if columns is None else columns[column]!r}"
            if sign > 0:
                raise InputError(f"{place}: the values are too large to be squared and added")
            if why == 1:
                gone = other.weight[other.classes.index(classes[row]), column].item()
                refuse_sum(sign, place, "rows", weight[row, column].item(), gone)
            if why == 2:
                raise ForgetError(
                    f"{place}: the values to take out are not among those that are in; nothing was changed"
                )
            raise ForgetError(
                f"{place}: what is to be taken out dwarfs what stays, whose variance cannot be known to 1e-6 then; "
                "nothing was changed; train again without it"
            )
        return MomentTally(classes, class_count, weight, mean, m2, columns, self.space, None if rounded else low)

    def _copied(self, classes: Labels, mine: NDArray[Any]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return weight, mean, m2 and low, to be changed, laid out for `classes`, where this tally's are at `mine`."""
        arrays = (self.weight, self.mean, self.m2)
        if len(classes) == len(self.classes):
            weight, mean, m2 = (array.copy() for array in arrays)
            return weight, mean, m2, np.zeros((4, *weight.shape)) if self.low is None else self.low.copy()
        laid = np.zeros((3, len(classes), self.n_columns))
        low = np.zeros((4, *laid.shape[1:]))
        laid[:, mine] = arrays
        if self.low is not None:
            low[:, mine] = self.low
        return laid[0], laid[1], laid[2], low

    def _require_same_sums(self, other: MomentTally) -> None:
        if self.n_columns != other.n_columns:
            raise SpaceError(
                f"these tallies have different numbers of columns: {self.n_columns} against {other.n_columns}"
            )

    def _with_classes(self, positions: NDArray[np.intp], labels: Labels) -> MomentTally:
        count, weight, mean, m2 = (getattr(self, name)[positions] for name in _ARRAYS)
        low = None if self.low is None else self.low[:, positions]
        return MomentTally(labels, count, weight, mean, m2, self.columns, self.space, low)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MomentTally):
            return NotImplemented
        a, b = self._without_empty_classes(), other._without_empty_classes()
        return (self.space, self.columns, a.classes) == (other.space, other.columns, b.classes) and all(
            np.array_equal(getattr(a, name), getattr(b, name)) for name in _ARRAYS
        )

    def _without_empty_classes(self) -> MomentTally:
        filled = np.flatnonzero((self.class_count > 0) | (self.weight > 0).any(axis=1))
        return self._with_classes(filled, self.classes.take(filled))

    def __repr__(self) -> str:
        return f"MomentTally({len(self.classes)} classes, {self.n_columns} columns, {self.class_count.sum():,} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (getattr(self, name) for name in _ARRAYS)
        return MomentTally, (self.classes, *arrays, self.columns, self.space, self.low)

    # Storage

    def to_blocks(self, prefix: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays, named ``prefix.array``, and what else there is to say as JSON values."""
        names = _ARRAYS if self.low is None else (*_ARRAYS, "low")
        return {f"{prefix}.{name}": getattr(self, name) for name in names}, self.described()

    @classmethod
    def from_blocks(cls, prefix: str, blocks: Blocks, said: Mapping[str, Any]) -> MomentTally:
        """Return the tally rebuilt from `to_blocks`.

        Raises
        ------
        ModelFileError
            If the blocks cannot be a tally. Contents are looked at where the file was verified.
        """
        with blocks.reading(prefix):
            columns = checked_names(said["columns"])
            count = blocks.take(f"{prefix}.class_count", np.float64)
            weight, mean, m2 = (blocks.take(f"{prefix}.{name}", np.float64, ndim=2) for name in _ARRAYS[1:])
            classes, space = Labels.from_json(said["classes"]), Space.from_json(said["space"])
            low = blocks.take(f"{prefix}.low", np.float64, ndim=3) if f"{prefix}.low" in blocks else None
            tally = cls(classes, count, weight, mean, m2, columns, space, low)
            if blocks.verified:
                tally.check()
        return tally

    def to_json(self) -> dict[str, Any]:
        """Return the tally as plain JSON values that a person can read: numbers by class, in column order."""
        return readable_moments(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> MomentTally:
        """Return the tally rebuilt from `to_json`.

        Raises
        ------
        ValueError
            If the values cannot be a tally.
        """
        tally = cls(**moment_parts(said))
        tally.check()
        return tally


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    return np.divide(numerator, denominator, out=out, where=denominator > 0)
