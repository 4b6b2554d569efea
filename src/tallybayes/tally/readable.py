"""Tallies as JSON that a person can read: to plain values and back to the parts of a tally."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.tally.features import ColumnFeatures, Features, TextFeatures

__all__ = ["checked_names", "count_parts", "moment_parts", "readable_counts", "readable_moments"]

_MOMENTS = ("weight", "mean", "m2")
_LOW = (*_MOMENTS, "error")


class _Summed(Protocol):
    """What all tallies say of themselves."""

    kind: ClassVar[str]
    classes: Labels
    class_count: NDArray[Any]
    columns: tuple[str, ...] | None
    space: Space

    def described(self) -> dict[str, Any]: ...


class _Counted(_Summed, Protocol):
    """The parts of a count tally."""

    features: Features
    indptr: NDArray[np.int64]
    class_index: NDArray[np.int32]
    channels: Mapping[str, NDArray[Any]]
    exact: bool
    unit: int


class _Measured(_Summed, Protocol):
    """The parts of a moment tally."""

    weight: NDArray[np.float64]
    mean: NDArray[np.float64]
    m2: NDArray[np.float64]
    low: NDArray[np.float64] | None


def _readable(tally: _Summed) -> dict[str, Any]:
    return {
        **tally.described(),
        "rows": dict(zip(_names(tally.classes), tally.class_count.tolist(), strict=True)),
    }


def readable_moments(tally: _Measured) -> dict[str, Any]:
    """Write means and deviations by class; see `MomentTally.to_json`."""
    said, names = _readable(tally), _names(tally.classes)
    said["n_columns"] = tally.weight.shape[1]
    for name in _MOMENTS:
        said[name] = dict(zip(names, getattr(tally, name).tolist(), strict=True))
    if tally.low is not None:
        halves = zip(_LOW, tally.low, strict=True)
        said["low"] = {name: dict(zip(names, low.tolist(), strict=True)) for name, low in halves if low.any()}
    return said


def readable_counts(tally: _Counted) -> dict[str, Any]:
    """Write counts by feature and class; see `CountTally.to_json`."""
    said, names = _readable(tally), _names(tally.classes)
    features = [str(feature) for feature in tally.features.labels()]
    ends = tally.indptr.tolist()
    owners = [names[position] for position in tally.class_index.tolist()]
    for name, values in tally.channels.items():
        counts = values.tolist()
        said[name] = {
            feature: dict(zip(owners[begin:end], counts[begin:end], strict=True))
            for feature, begin, end in zip(features, ends[:-1], ends[1:], strict=True)
        }
    return said


def checked_names(names: Any) -> list[str] | None:
    """Check the names of columns that a file gives.

    Raises
    ------
    ValueError
        If they are no list of text.
    """
    if names is not None and not (isinstance(names, list) and all(type(name) is str for name in names)):
        raise ValueError("the names of the columns are no list of text")
    return names


@contextmanager
def _refusing() -> Iterator[None]:
    """Let whatever goes wrong while values of any form are read be a ValueError."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{error} is missing") from None
    except (AttributeError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from None


def _common_parts(said: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "classes": Labels.from_json(said["classes"]),
        "columns": checked_names(said["columns"]),
        "space": Space.from_json(said["space"]),
    }


@_refusing()
def moment_parts(said: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of a `MomentTally` from `readable_moments`.

    Raises
    ------
    ValueError
        If a part is missing or of the wrong type.
    """
    parts = _common_parts(said)
    names = _names(parts["classes"])
    shape = (len(names), _whole(said["n_columns"]))
    count = np.array([_number(value) for value in _by_class(said["rows"], names)], np.float64)

    def table(values: Any) -> NDArray[np.float64]:
        rows = [[_number(value) for value in row] for row in _by_class(values, names)]
        return np.array(rows, np.float64).reshape(shape)

    parts |= {name: table(said[name]) for name in _MOMENTS}
    if "low" in said:
        if not said["low"].keys() <= set(_LOW):
            raise ValueError("low is given for something else than weight, mean, m2 and error")
        parts["low"] = [table(said["low"][name]) if name in said["low"] else np.zeros(shape) for name in _LOW]
    return {**parts, "class_count": count}


@_refusing()
def count_parts(said: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of a `CountTally` from `readable_counts`.

    Raises
    ------
    ValueError
        If a part is missing or of the wrong type.
    """
    parts = _common_parts(said)
    names = _names(parts["classes"])
    exact, unit, n_columns, channels = said["exact"], said["unit"], said["n_columns"], said["channels"]
    read = _whole if exact is True else _number
    position = {name: place for place, name in enumerate(names)}
    cells: dict[str, dict[int, list[int | float]]] = {}
    for number, channel in enumerate(channels):
        for feature, counts in said[channel].items():
            row = cells.setdefault(feature, {})
            for name, value in counts.items():
                row.setdefault(position[name], [0] * len(channels))[number] = read(value)
    if n_columns is None:
        order = sorted(cells, key=str.encode)
        features: Features = TextFeatures.of(order)
    else:
        order = sorted(cells, key=int)
        if any(str(int(column)) != column for column in order):
            raise ValueError("the columns are not written as whole numbers")
        features = ColumnFeatures(np.array([int(column) for column in order], np.int64), _whole(n_columns))
    indptr = np.zeros(len(order) + 1, np.int64)
    np.cumsum([len(cells[feature]) for feature in order], out=indptr[1:])
    values = [cells[feature][place] for feature in order for place in sorted(cells[feature])]
    dtype = np.int64 if exact is True else np.float64
    table = np.array(values, dtype).reshape(len(values), len(channels))
    return {
        **parts,
        "class_count": np.array([read(value) for value in _by_class(said["rows"], names)], dtype),
        "features": features,
        "indptr": indptr,
        "class_index": np.array([place for feature in order for place in sorted(cells[feature])], np.int32),
        "channels": {name: table[:, number] for number, name in enumerate(channels)},
        "exact": exact is True,
        "unit": 32 if _whole(unit) == 32 else 0,
    }


def _names(classes: Labels) -> list[str]:
    """The classes as keys of a JSON object; all are of one kind, so no two look alike."""
    values = classes.to_json()["values"]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def _by_class(values: Mapping[str, Any], names: list[str]) -> list[Any]:
    if values.keys() != set(names):
        raise ValueError("numbers are not given for just the classes there are")
    return [values[name] for name in names]


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is no whole number")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise ValueError(f"{value!r} is no number")
    return float(value)
