"""The count tally: sums of counts per class and feature, sparse, exact, and closed under + and −."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

import tallybayes._kernel as _kernel
from tallybayes.errors import InputError, SpaceError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.store import Blocks, narrowed
from tallybayes.tally.base import INT64_MAX, TOLERANCE, Tally, merged_class_count, refuse_sum
from tallybayes.tally.features import ColumnFeatures, Features, Int64s, TextFeatures, gather_rows, read_only
from tallybayes.tally.readable import checked_names, count_parts, readable_counts

__all__ = ["CHANNELS", "ColumnFeatures", "CountTally", "TextFeatures"]

CHANNELS = ("occurrences", "documents")

Counts: TypeAlias = NDArray[Any]  # int64 while exact, else float64


class CountTally(Tally):
    """What was counted: how many rows each class had, and how often each feature came in them.

    A tally never changes: ``+``, ``-`` and ``*`` give new ones. Adding unites classes and features; what one side
    lacks is zero there. Two tallies are equal if their sums are, so empty classes do not matter.

    Parameters
    ----------
    classes : Labels
        K classes.
    class_count : int64 or float64 array of shape (K,)
        Rows of each class, or the sum of their weights.
    features : TextFeatures or ColumnFeatures
        V strictly ascending features, each with a cell.
    indptr : int64 array of shape (V + 1,)
        Feature i has the cells ``indptr[i]`` to ``indptr[i + 1]``.
    class_index : int32 array of shape (nnz,)
        The class of each cell; ascending inside a feature.
    channels : mapping of "occurrences" and/or "documents" to int64 or float64 array of shape (nnz,)
        What each cell counts; no cell is zero in all channels.
    space : Space
        What decides which feature a piece of input becomes.
    exact : bool, default=True
        All sums are int64. Fractional weights and decay make them float64: then there is no digest.
    unit : int, default=0
        `occurrences` are stored in units of 2**-unit (32 for logarithms of counts).
    columns : sequence of str, optional
        Names of the columns that the rows have; they name what is counted, and are no part of the digest.

    Raises
    ------
    ValueError
        If the sizes of the arrays do not fit each other. `check` looks at the contents too.

    Examples
    --------
    >>> space = Space("text", {"tokens": "words"})
    >>> labels, _ = Labels.of(["ham", "spam"])
    >>> spam = CountTally(labels, [1, 2], TextFeatures.of(["free", "hi"]), [0, 2, 3], [0, 1, 0],
    ...                   {"occurrences": [1, 4, 2]}, space)
    >>> spam.dense("occurrences").tolist()
    [[1, 2], [4, 0]]
    >>> (spam + spam) - spam == spam
    True
    """

    __slots__ = ("channels", "class_index", "exact", "features", "indptr", "unit")

    kind = "count"

    def __init__(
        self,
        classes: Labels,
        class_count: Any,
        features: Features,
        indptr: Any,
        class_index: Any,
        channels: Mapping[str, Any],
        space: Space,
        exact: bool = True,
        unit: int = 0,
        columns: Sequence[str] | None = None,
    ) -> None:
        dtype = np.int64 if exact else np.float64
        self.classes = classes
        self.class_count: Counts = read_only(class_count, dtype)
        self.features = features
        self.indptr: Int64s = read_only(indptr, np.int64)
        self.class_index: NDArray[np.int32] = read_only(class_index, np.int32)
        self.channels: Mapping[str, Counts] = (
            channels
            if isinstance(channels, StoredChannels)
            else {name: read_only(channels[name], dtype) for name in CHANNELS if name in channels}
        )
        self.space = space
        self.exact = exact
        self.unit = unit
        self.columns = None if columns is None else tuple(columns)
        cells = len(self.class_index)
        sizes_fit = (
            self.class_count.shape == (len(classes),)
            and self.indptr.shape == (len(features) + 1,)
            and self.indptr[0] == 0
            and self.indptr[-1] == cells
            and all(shape == (cells,) for shape in _shapes(self.channels))
        )
        if not sizes_fit:
            raise ValueError("the sizes of a tally's arrays do not fit each other")
        if not self.channels or len(self.channels) != len(channels):
            raise ValueError(f"the channels of a tally are among {CHANNELS}, not {tuple(channels)}")
        width = space.rules.get("n_columns", self.n_columns)
        if self.columns is not None and len(self.columns) != width:
            raise ValueError(f"{len(self.columns)} names for {width} columns")

    @classmethod
    def empty(
        cls,
        space: Space,
        channels: Sequence[str] = ("occurrences",),
        *,
        classes: Labels | None = None,
        n_columns: int | None = None,
        unit: int = 0,
    ) -> CountTally:
        """Return the tally of no rows, which changes nothing when it is added.

        Parameters
        ----------
        space : Space
        channels : sequence of str
        classes : Labels, optional
            Classes to know already; they stay empty.
        n_columns : int, optional
            Number of columns; by default that of the space's hashing, else the features are text.
        unit : int
        """
        classes = Labels() if classes is None else classes
        if n_columns is None and space.hash is not None:
            n_columns = space.hash[2]
        nothing = np.zeros(0, np.int64)
        features = TextFeatures.of([]) if n_columns is None else ColumnFeatures(nothing, n_columns)
        count = np.zeros(len(classes), np.int64)
        return cls(classes, count, features, [0], nothing, dict.fromkeys(channels, nothing), space, unit=unit)

    # Reading

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return len(self.class_index)

    @property
    def largest(self) -> float:
        """The largest number in it."""
        return float(max(values.max(initial=0) for values in (self.class_count, *self.channels.values())))

    @property
    def n_columns(self) -> int | None:
        """How many columns there are; None where features are text."""
        return self.features.n_columns if isinstance(self.features, ColumnFeatures) else None

    def values(self, channel: str) -> Counts:
        """Return the cells of a channel, unit taken out: int64 where they are whole, else float64 of shape (nnz,)."""
        return self._in_units(self.channels[channel], channel)

    def totals(self, channel: str) -> Counts:
        """Return the sums of a channel over all features, shape (K,), unit taken out."""
        return self._summed(channel, self.class_index, len(self.classes))

    def feature_totals(self, channel: str) -> Counts:
        """Return the sums of a channel over all classes, shape (V,), unit taken out."""
        return self._summed(channel, self._feature_index(), len(self.features))

    def dense(self, channel: str) -> Counts:
        """Return a channel as a table of shape (K, V), or (K, n_columns) where features are columns."""
        values = self.values(channel)
        table = np.zeros((len(self.classes), self.features.width), values.dtype)
        table[self.class_index, self.features.positions[self._feature_index()]] = values
        return table

    def select(self, keep: Any) -> CountTally:
        """Return the tally of some features, by a mask of shape (V,) or by ascending positions; rows stay counted."""
        keep = np.asarray(keep)
        positions = np.flatnonzero(keep) if keep.dtype == bool else keep.astype(np.int64)
        starts = self.indptr[positions]
        sizes = self.indptr[positions + 1] - starts
        cells = gather_rows(starts, sizes)
        return self._replaced(
            features=self.features.take(positions),
            indptr=np.concatenate(([0], np.cumsum(sizes))),
            class_index=self.class_index[cells],
            channels={name: values[cells] for name, values in self.channels.items()},
        )

    def digest(self) -> str:
        """Return the SHA-256, in hex, of the canonical form of this tally.

        The same for any order of the rows, any sharding, any number of threads, any machine. The canonical form is the
        JSON (keys sorted, no spaces, ASCII) of classes, channels, feature space, numbers of features and cells, unit
        and number of columns (null for text), followed by the little-endian arrays of class counts, features, indptr,
        class indices, and channels in the order of their names. Empty classes and zero cells are not in it.

        Raises
        ------
        InputError
            If fractional weights or decay made the sums inexact.
        """
        if not self.exact:
            raise InputError(
                "a tally with fractional weights or decay has no digest: its sums are rounded; use whole-number weights"
            )
        tally = self._without_empty_classes()
        labels = tally.classes.to_json()
        header = {
            "channels": sorted(tally.channels),
            "classes": {"kind": labels["kind"], "values": labels["values"]},
            "format": "tallybayes count tally 1",
            "n_cells": len(tally.class_index),
            "n_columns": tally.n_columns,
            "n_features": len(tally.features),
            "space": tally.space.id,
            "unit": tally.unit,
        }
        sha = hashlib.sha256(json.dumps(header, sort_keys=True, separators=(",", ":")).encode())
        arrays = [tally.class_count, *tally.features.arrays.values(), tally.indptr, tally.class_index]
        for array in [*arrays, *(tally.channels[name] for name in sorted(tally.channels))]:
            sha.update(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
        return sha.hexdigest()

    def check(self) -> None:
        """Look at all contents: what a file or another program claims to be a tally may be anything.

        Raises
        ------
        ValueError
            The message says what is wrong.
        """
        self.features.check()
        _kernel.check_cells(self.indptr, self.class_index, len(self.classes))
        for name, values in {"class_count": self.class_count, **self.channels}.items():
            # The maximum is NaN or infinite if any number is.
            if values.min(initial=0) < 0 or not np.isfinite(values.max(initial=0)):
                raise ValueError(f"{name} holds a negative or not finite number")
        self.require_sums()
        channels = list(self.channels.values())
        # A channel that is above zero everywhere says it all, without another array.
        if not any(values.min(initial=1) > 0 for values in channels) and not np.maximum.reduce(channels).min() > 0:
            raise ValueError("a cell is zero")

    def require_sums(self) -> CountTally:
        """Return this tally, whose numbers must add up: rounded ones may be more than a float64 holds.

        Raises
        ------
        InputError
        """
        for name, values in () if self.exact else {"class_count": self.class_count, **self.channels}.items():
            with np.errstate(over="ignore", invalid="ignore"):
                if not np.isfinite(values.sum()):
                    raise InputError(f"the numbers of {name} add up to more than a float64 holds; use smaller weights")
        return self

    # Storage

    def described(self) -> dict[str, Any]:
        """Return what there is to say of the tally besides its arrays, as JSON values."""
        counted = {"channels": list(self.channels), "exact": self.exact, "n_columns": self.n_columns, "unit": self.unit}
        return {**super().described(), **counted}

    def to_blocks(self, prefix: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays, named ``prefix.array``, and what else there is to say as JSON values."""
        named = {"class_count": self.class_count, "indptr": self.indptr, "class_index": self.class_index}
        arrays = {**named, **self.features.arrays, **{name: narrowed(self.channels[name]) for name in self.channels}}
        return {f"{prefix}.{name}": array for name, array in arrays.items()}, self.described()

    @classmethod
    def from_blocks(cls, prefix: str, blocks: Blocks, said: Mapping[str, Any]) -> CountTally:
        """Return the tally rebuilt from `to_blocks`.

        Raises
        ------
        ModelFileError
            If the blocks cannot be a tally. Contents are looked at where the file was verified.
        """
        with blocks.reading(prefix):
            exact, unit, n_columns, names = said["exact"], said["unit"], said["n_columns"], said["channels"]
            if type(exact) is not bool or type(unit) is not int or unit not in (0, 32) or not isinstance(names, list):
                raise ValueError("exact, unit or channels are not those of a tally")
            if n_columns is not None and (type(n_columns) is not int or n_columns < 0):
                raise ValueError(f"the number of columns is {n_columns!r}")

            def take(name: str, dtype: type[np.generic]) -> NDArray[Any]:
                return blocks.take(f"{prefix}.{name}", dtype)

            number = np.int64 if exact else np.float64
            tally = cls(
                Labels.from_json(said["classes"]),
                take("class_count", number),
                TextFeatures(take("bytes", np.uint8), take("offsets", np.int64))
                if n_columns is None
                else ColumnFeatures(take("columns", np.int64), n_columns),
                take("indptr", np.int64),
                take("class_index", np.int32),
                StoredChannels({str(name): blocks.take_narrowed(f"{prefix}.{name}", number) for name in names}, number),
                Space.from_json(said["space"]),
                exact,
                unit,
                checked_names(said["columns"]),
            )
            if blocks.verified:
                tally.check()
        return tally

    def to_json(self) -> dict[str, Any]:
        """Return the tally as plain JSON values that a person can read: rows by class, counts by feature and class.

        Classes that are not text are written as their JSON text; `classes` says what they are.

        Examples
        --------
        >>> labels, _ = Labels.of(["ham", "spam"])
        >>> counts = {"occurrences": [1, 4, 2]}
        >>> features = TextFeatures.of(["free", "hi"])
        >>> tally = CountTally(labels, [1, 2], features, [0, 2, 3], [0, 1, 0], counts, Space("text"))
        >>> readable = tally.to_json()
        >>> readable["rows"], readable["occurrences"]
        ({'ham': 1, 'spam': 2}, {'free': {'ham': 1, 'spam': 4}, 'hi': {'ham': 2}})
        >>> CountTally.from_json(readable) == tally
        True
        """
        return readable_counts(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> CountTally:
        """Return the tally rebuilt from `to_json`; the order of features and classes does not matter.

        Raises
        ------
        ValueError
            If the values cannot be a tally.
        """
        tally = cls(**count_parts(said))
        tally.check()
        return tally

    # Algebra

    def _scale(self, factor: float) -> CountTally:
        exact = self.exact and factor == int(factor)
        scaled = {}
        for name, values in {"class_count": self.class_count, **self.channels}.items():
            largest = values.max(initial=0).item()
            too_much = largest * int(factor) > INT64_MAX if exact else not np.isfinite(float(largest) * factor)
            if too_much:
                raise InputError(f"{name} times {factor!r} is more than a tally can hold; scale by less")
            scaled[name] = values * np.int64(factor) if exact else values * np.float64(factor)
        class_count = scaled.pop("class_count")
        return (
            self._replaced(class_count=class_count, channels=scaled, exact=exact)._without_zero_cells().require_sums()
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountTally):
            return NotImplemented
        if (self.space, self.unit, self.exact) != (other.space, other.unit, other.exact):
            return False
        a, b = self._without_empty_classes(), other._without_empty_classes()
        return (
            a.channels.keys() == b.channels.keys()
            and a.columns == b.columns
            and a.classes == b.classes
            and a.features == b.features
            and all(np.array_equal(mine, theirs) for mine, theirs in zip(a._numbers(), b._numbers(), strict=True))
        )

    def __repr__(self) -> str:
        rows = f"{self.class_count.sum():,} rows"
        return f"CountTally({len(self.classes)} classes, {len(self.features):,} features, {rows})"

    def __reduce__(self) -> tuple[Any, ...]:
        return CountTally, tuple(self._parts().values())

    def _merge(self, other: CountTally, sign: int) -> CountTally:
        classes, mine, theirs = united = self.classes.union(other.classes)
        class_count = merged_class_count(self, other, sign, united)
        exact = self.exact and other.exact
        kernel: Callable[..., Any] = (
            _kernel.merge_text if isinstance(self.features, TextFeatures) else _kernel.merge_columns
        )
        merged = kernel(*self._kernel_arguments(mine, exact), *other._kernel_arguments(theirs, exact), sign, TOLERANCE)
        if "refused" in merged:
            self._refuse(sign, classes, merged["refused"])
        features = (
            TextFeatures(merged["bytes"], merged["offsets"])
            if isinstance(self.features, TextFeatures)
            else ColumnFeatures(merged["columns"], self.features.n_columns)
        )
        return self._replaced(
            classes=classes,
            class_count=class_count,
            features=features,
            indptr=merged["indptr"],
            class_index=merged["class_index"],
            channels=dict(zip(self.channels, merged["channels"], strict=True)),
            exact=exact,
            columns=self._united_columns(other),
        ).require_sums()

    def _require_same_sums(self, other: CountTally) -> None:
        if self.unit != other.unit:
            raise SpaceError(f"these tallies count in different units: 2**-{self.unit} against 2**-{other.unit}")
        if self.features.kind != other.features.kind:
            raise SpaceError(
                f"these tallies count different features: {self.features.kind} against {other.features.kind}"
            )
        if self.features.width != other.features.width and isinstance(self.features, ColumnFeatures):
            raise SpaceError(
                f"these tallies have different numbers of columns: {self.features.width} against {other.features.width}"
            )
        if self.channels.keys() != other.channels.keys():
            raise SpaceError(
                f"these tallies hold different channels: {', '.join(self.channels)} against {', '.join(other.channels)}"
            )

    def _with_classes(self, positions: NDArray[np.intp], labels: Labels) -> CountTally:
        place = np.full(len(self.classes), -1, np.int32)
        place[positions] = np.arange(len(positions), dtype=np.int32)
        owner = place[self.class_index]
        cells = np.flatnonzero(owner >= 0)
        feature = self._feature_index()[cells]
        order = np.lexsort((owner[cells], feature))
        kept, of = np.unique(feature, return_inverse=True)
        return self._replaced(
            classes=labels,
            class_count=self.class_count[positions],
            features=self.features.take(kept),
            indptr=np.concatenate(([0], np.cumsum(np.bincount(of, minlength=len(kept))))),
            class_index=owner[cells][order],
            channels={name: values[cells][order] for name, values in self.channels.items()},
        )

    def _refuse(self, sign: int, classes: Labels, refused: Mapping[str, Any]) -> NoReturn:
        feature, channel = refused["feature"], list(self.channels)[refused["channel"]]
        name = feature.decode() if isinstance(feature, bytes) else f"column {feature}"
        had, change = refused["had"], refused["other"]
        if channel == "occurrences" and self.unit:
            had, change = had / 2**self.unit, change / 2**self.unit
        refuse_sum(sign, f"class {classes[refused['class_index']]!r}, feature {name!r}", channel, had, change)

    def _kernel_arguments(self, class_map: NDArray[np.int32], exact: bool) -> list[Any]:
        dtype = np.int64 if exact else np.float64
        channels = [values.astype(dtype, copy=False) for values in self.channels.values()]
        return [*self.features.arrays.values(), self.indptr, self.class_index, class_map, channels]

    def _summed(self, channel: str, index: NDArray[Any], size: int) -> Counts:
        values = self.channels[channel]
        if values.dtype == np.float64:
            sums: Counts = np.bincount(index, weights=values, minlength=size)
        else:
            sums = np.zeros(size, np.int64)
            if int(values.max(initial=0)) * len(values) <= INT64_MAX:
                np.add.at(sums, index, values)
            else:  # the halves cannot overflow
                high, low = np.zeros((2, size), np.int64)
                np.add.at(high, index, values >> 32)
                np.add.at(low, index, values & 0xFFFFFFFF)
                sums = high * 2.0**32 + low
        return self._in_units(sums, channel)

    def _in_units(self, values: Counts, channel: str) -> Counts:
        return values * 2.0**-self.unit if self.unit and channel == "occurrences" else values

    def _feature_index(self) -> Int64s:
        return np.repeat(np.arange(len(self.features), dtype=np.int64), np.diff(self.indptr))

    def _numbers(self) -> list[NDArray[Any]]:
        return [self.class_count, self.indptr, self.class_index, *self.channels.values()]

    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PARTS}

    def _replaced(self, **parts: Any) -> CountTally:
        return CountTally(**(self._parts() | parts))

    def _without_empty_classes(self) -> CountTally:
        filled = self.class_count > 0
        filled[self.class_index] = True
        if filled.all():
            return self
        place = np.cumsum(filled, dtype=np.int32) - np.int32(1)
        return self._replaced(
            classes=self.classes.take(np.flatnonzero(filled)),
            class_count=self.class_count[filled],
            class_index=place[self.class_index],
        )

    def _without_zero_cells(self) -> CountTally:
        filled = np.logical_or.reduce([values != 0 for values in self.channels.values()])
        if filled.all():
            return self
        per_feature = np.bincount(self._feature_index()[filled], minlength=len(self.features))
        kept = np.flatnonzero(per_feature)
        return self._replaced(
            features=self.features.take(kept),
            indptr=np.concatenate(([0], np.cumsum(per_feature[kept]))),
            class_index=self.class_index[filled],
            channels={name: values[filled] for name, values in self.channels.items()},
        )


class StoredChannels(Mapping[str, Counts]):
    """Channels as a file holds them, in the fewest bytes; widened when they are looked at.

    So a file that is only mapped into memory is opened in milliseconds, whatever its size.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]], dtype: DTypeLike) -> None:
        self._stored = {name: stored[name] for name in CHANNELS if name in stored}
        self._dtype = dtype
        self._wide: dict[str, Counts] = {}

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the channels."""
        return [values.shape for values in self._stored.values()]

    def __getitem__(self, name: str) -> Counts:
        if name not in self._wide:
            self._wide[name] = read_only(self._stored[name], self._dtype)
        return self._wide[name]

    def __contains__(self, name: object) -> bool:
        return name in self._stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _shapes(channels: Mapping[str, Counts]) -> list[tuple[int, ...]]:
    return channels.shapes if isinstance(channels, StoredChannels) else [each.shape for each in channels.values()]


_PARTS = (
    *("classes", "class_count", "features", "indptr", "class_index", "channels", "space", "exact", "unit", "columns"),
)
