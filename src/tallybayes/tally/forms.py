"""The forms in which a tally of any type leaves and enters: blocks of a file, and JSON that a person can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes.labels import Labels
from tallybayes.store import Blocks
from tallybayes.tally.algebra import Tally
from tallybayes.tally.count import CountTally
from tallybayes.tally.features import ColumnFeatures, Features, TextFeatures
from tallybayes.tally.moments import MomentTally
from tallybayes.text.space import Space

__all__ = ["tally_from_blocks", "tally_from_json", "tally_to_json"]

_MOMENTS = ("weight", "mean", "m2")


def tally_from_blocks(prefix: str, blocks: Blocks, said: Mapping[str, Any]) -> Tally:
    """Rebuild a tally of whichever type was stored by its `to_blocks`.

    Raises
    ------
    ModelFileError
        If the blocks cannot be a tally.
    """
    types: dict[object, type[CountTally] | type[MomentTally]] = {"count": CountTally, "moments": MomentTally}
    with blocks.reading(prefix):
        if said["type"] not in types:
            raise ValueError(f"there is no type of tally called {said['type']!r}")
    return types[said["type"]].from_blocks(prefix, blocks, said)


def tally_to_json(tally: CountTally | MomentTally) -> dict[str, Any]:
    """Write a tally as plain JSON values that a person can read: rows by class, counts by feature and class.

    Classes that are not text are written as their JSON text; `classes` says what they are.

    Examples
    --------
    >>> labels, _ = Labels.of(["ham", "spam"])
    >>> counts = {"occurrences": [1, 4, 2]}
    >>> tally = CountTally(labels, [1, 2], TextFeatures.of(["free", "hi"]), [0, 2, 3], [0, 1, 0], counts, Space("text"))
    >>> readable = tally_to_json(tally)
    >>> readable["rows"], readable["occurrences"]
    ({'ham': 1, 'spam': 2}, {'free': {'ham': 1, 'spam': 4}, 'hi': {'ham': 2}})
    >>> tally_from_json(readable) == tally
    True
    """
    names = _names(tally.classes)
    said: dict[str, Any] = {
        "type": "count" if isinstance(tally, CountTally) else "moments",
        "classes": tally.classes.to_json(),
        "space": tally.space.to_json(),
        "rows": dict(zip(names, tally.class_count.tolist(), strict=True)),
    }
    if isinstance(tally, MomentTally):
        said |= {"n_columns": tally.n_columns, "columns": None if tally.columns is None else list(tally.columns)}
        for name in _MOMENTS:
            said[name] = dict(zip(names, getattr(tally, name).tolist(), strict=True))
        return said
    said |= {"exact": tally.exact, "unit": tally.unit, "n_columns": tally.n_columns, "channels": list(tally.channels)}
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


def tally_from_json(said: Mapping[str, Any], source: str = "JSON") -> CountTally | MomentTally:
    """Rebuild a tally from `tally_to_json`; the order of features and classes does not matter.

    Raises
    ------
    ModelFileError
        If the values cannot be a tally.
    """
    with Blocks({}, None, source).reading("the tally"):
        classes, space = Labels.from_json(said["classes"]), Space.from_json(said["space"])
        names = _names(classes)
        tally: CountTally | MomentTally
        if said["type"] == "moments":
            tally = _moments_from_json(said, classes, names, space)
        elif said["type"] == "count":
            tally = _count_from_json(said, classes, names, space)
        else:
            raise ValueError(f"there is no type of tally called {said['type']!r}")
        tally.check()
    return tally


def _moments_from_json(said: Mapping[str, Any], classes: Labels, names: list[str], space: Space) -> MomentTally:
    shape = (len(names), _whole(said["n_columns"]))
    count = np.array([_number(value) for value in _by_class(said["rows"], names)], np.float64)
    weight, mean, m2 = (
        np.array([[_number(value) for value in row] for row in _by_class(said[part], names)], np.float64).reshape(shape)
        for part in _MOMENTS
    )
    columns = said["columns"]
    if columns is not None and not (isinstance(columns, list) and all(type(name) is str for name in columns)):
        raise ValueError("the names of the columns are no list of text")
    return MomentTally(classes, count, weight, mean, m2, columns, space)


def _count_from_json(said: Mapping[str, Any], classes: Labels, names: list[str], space: Space) -> CountTally:
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
    return CountTally(
        classes,
        np.array([read(value) for value in _by_class(said["rows"], names)], dtype),
        features,
        indptr,
        np.array([place for feature in order for place in sorted(cells[feature])], np.int32),
        {name: table[:, number] for number, name in enumerate(channels)},
        space,
        exact is True,
        32 if _whole(unit) == 32 else 0,
    )


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
