"""The moment tally: weight, mean and sum of squared deviations per class and column.

Sums are joined by Chan's formula around their means, never as raw sums of squares: a mean of 1e8 with a deviation of 1
keeps its digits. (Chan, Golub, LeVeque, 1979: Updating formulae and a pairwise algorithm for computing sample
variances.) Taking rows out is the same formula solved for the other term; it loses the digits by which what goes is
larger than what stays, so after an outlier of 1e9 has gone, deviations of 1 are gone too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallybayes.errors import ForgetError, InputError, SpaceError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.store import Blocks
from tallybayes.tally.base import TOLERANCE, Tally, merged_class_count, refuse_sum
from tallybayes.tally.features import read_only
from tallybayes.tally.readable import checked_names, moment_parts, readable_moments

__all__ = ["MomentTally"]

Floats: TypeAlias = NDArray[np.float64]

_ROUNDING = 64 * np.finfo(np.float64).eps
_BLUR = 1e-8  # distances of means below it, in the unit of the column, are taken for rounding when rows are taken out
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

    __slots__ = ("m2", "mean", "weight")

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
    ) -> None:
        self.classes = classes
        self.class_count: Floats = read_only(class_count, np.float64)
        self.weight: Floats = read_only(weight, np.float64)
        self.mean: Floats = read_only(mean, np.float64)
        self.m2: Floats = read_only(m2, np.float64)
        self.columns = None if columns is None else tuple(columns)
        self.space = Space("columns") if space is None else space
        shape = (len(classes), self.weight.shape[-1] if self.weight.ndim else 0)
        if self.class_count.shape != shape[:1] or {self.weight.shape, self.mean.shape, self.m2.shape} != {shape}:
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
        return cls(classes, np.zeros(len(classes)), nothing, nothing, nothing, columns, space)

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
        return MomentTally(self.classes, self.class_count, *moments, columns, self.space)

    def digest(self) -> NoReturn:
        """Refuse: sums of fractions are rounded, so equal data may give a different last digit.

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
        if (self.weight > self.class_count[:, None] * (1 + TOLERANCE)).any():
            raise ValueError("a column weighs more than its class")

    # Algebra

    def _scale(self, factor: float) -> MomentTally:
        with np.errstate(over="ignore"):
            class_count, weight, m2 = (array * float(factor) for array in (self.class_count, self.weight, self.m2))
        if not (np.isfinite(class_count).all() and np.isfinite(m2).all()):
            raise InputError(f"moments times {factor!r} are more than a tally can hold; scale by less")
        gone = weight == 0
        mean, m2 = np.where(gone, 0.0, self.mean), np.where(gone, 0.0, m2)
        return MomentTally(self.classes, class_count, weight, mean, m2, self.columns, self.space)

    def _merge(self, other: MomentTally, sign: int) -> MomentTally:
        columns = self._united_columns(other)
        classes, mine, theirs = united = self.classes.union(other.classes)
        class_count = merged_class_count(self, other, sign, united)
        had, change = np.zeros((2, 3, len(classes), self.n_columns))
        had[:, mine] = self.weight, self.mean, self.m2
        change[:, theirs] = other.weight, other.mean, other.m2
        if sign > 0:
            weight, mean, m2 = _joined(had, change)
            wrong = ~(np.isfinite(weight) & np.isfinite(mean) & np.isfinite(m2))
            if wrong.any():
                place = self._place(classes, columns, wrong)
                raise InputError(f"{place}: the values are too large to be squared and added")
        else:
            weight, mean, m2 = self._parted(had, change, classes, columns)
        return MomentTally(classes, class_count, weight, mean, m2, columns, self.space)

    def _parted(self, had: Floats, change: Floats, classes: Labels, columns: tuple[str, ...] | None) -> list[Floats]:
        """Chan's formula solved for one of its terms; what is left must be possible."""
        (weight_a, mean_a, m2_a), (weight_b, mean_b, m2_b) = had, change
        weight = weight_a - weight_b
        weight[np.abs(weight) <= TOLERANCE * np.maximum(weight_a, weight_b)] = 0.0
        if (weight < 0).any():
            first = np.unravel_index((weight < 0).argmax(), weight.shape)
            place = self._place(classes, columns, weight < 0)
            refuse_sum(-1, place, "rows", weight_a[first].item(), weight_b[first].item())
        apart = np.where(weight_b > 0, mean_a - mean_b, 0.0)
        with np.errstate(over="ignore"):
            mean = mean_a + apart * _divided(weight_b, weight)
            m2 = m2_a - m2_b - apart**2 * weight_a * _divided(weight_b, weight)
            # Means carry an error of some units in their last place, which the square of their distance inherits; what
            # that place was before other rows went can no longer be seen, hence the absolute term.
            blur = _ROUNDING * np.maximum(np.abs(mean_a), np.abs(mean_b)) + _BLUR
            spread = (2 * np.abs(apart) + blur) * blur * weight_a * (1 + _divided(weight_b, weight))
            negative = m2 < -TOLERANCE * (m2_a + m2_b) - spread
        # Where no weight is left nothing can be wrong with what is left.
        impossible = (weight > 0) & (negative | ~np.isfinite(m2))
        if impossible.any():
            place = self._place(classes, columns, impossible)
            raise ForgetError(f"{place}: the values to take out are not among those that are in; nothing was changed")
        return [weight, np.where(weight > 0, mean, 0.0), np.where(weight > 0, np.maximum(m2, 0.0), 0.0)]

    def _require_same_sums(self, other: MomentTally) -> None:
        if self.n_columns != other.n_columns:
            raise SpaceError(
                f"these tallies have different numbers of columns: {self.n_columns} against {other.n_columns}"
            )

    def _with_classes(self, positions: NDArray[np.intp], labels: Labels) -> MomentTally:
        count, weight, mean, m2 = (getattr(self, name)[positions] for name in _ARRAYS)
        return MomentTally(labels, count, weight, mean, m2, self.columns, self.space)

    @staticmethod
    def _place(classes: Labels, columns: tuple[str, ...] | None, wrong: NDArray[np.bool_]) -> str:
        row, column = (int(position) for position in np.unravel_index(wrong.argmax(), wrong.shape))
        return f"class {classes[row]!r}, column {column if columns is None else columns[column]!r}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MomentTally):
            return NotImplemented
        a, b = self._without_empty_classes(), other._without_empty_classes()
        return (self.space, self.columns, a.classes) == (other.space, other.columns, b.classes) and all(
            np.array_equal(getattr(a, name), getattr(b, name)) for name in _ARRAYS
        )

    def _without_empty_classes(self) -> MomentTally:
        filled = np.flatnonzero((self.class_count > 0) | (self.weight > 0).any(axis=1))
        count, weight, mean, m2 = (getattr(self, name)[filled] for name in _ARRAYS)
        return MomentTally(self.classes.take(filled), count, weight, mean, m2, self.columns, self.space)

    def __repr__(self) -> str:
        return f"MomentTally({len(self.classes)} classes, {self.n_columns} columns, {self.class_count.sum():,} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return MomentTally, (self.classes, *(getattr(self, name) for name in _ARRAYS), self.columns, self.space)

    # Storage

    def to_blocks(self, prefix: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays, named ``prefix.array``, and what else there is to say as JSON values."""
        return {f"{prefix}.{name}": getattr(self, name) for name in _ARRAYS}, self.described()

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
            tally = cls(classes, count, weight, mean, m2, columns, space)
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


def _joined(had: Floats, change: Floats) -> list[Floats]:
    """Chan's formula: had and change are (weight, mean, m2)."""
    (weight_a, mean_a, m2_a), (weight_b, mean_b, m2_b) = had, change
    with np.errstate(over="ignore", invalid="ignore"):
        weight = weight_a + weight_b
        share = _divided(weight_b, weight)
        apart = mean_b - mean_a
        first = weight_a == 0  # exactly the other side's, not rounded
        mean = np.where(first, mean_b, mean_a + apart * share)
        m2 = np.where(first, m2_b, m2_a + m2_b + apart**2 * weight_a * share)
        unchanged = weight_b == 0
    return [weight, np.where(unchanged, mean_a, mean), np.where(unchanged, m2_a, m2)]


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    return np.divide(numerator, denominator, out=out, where=denominator > 0)
