"""The feature space: everything that decides which feature a piece of input becomes.

Two tallies may be added only if the same input would have become the same features in both. `Space` holds that
knowledge as plain data, so it can be compared, hashed, stored in a file, and asked which of its parts differ.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

from .store import canonical_json

__all__ = ["Space", "SpaceKind"]

SpaceKind = Literal["text", "columns", "values"]


@dataclass(frozen=True, eq=False)
class Space:
    """The identity of a feature space.

    Parameters
    ----------
    kind : {"text", "columns", "values"}
        Features are pieces of text, columns of a matrix, or values of columns.
    rules : mapping of str to JSON value
        The rules that turn input into features, with the versions of everything they rest on: token rule, Unicode
        version, n-grams, segmenter and hash of its dictionary, hash of the stop words, names of the columns.
    hash : tuple of (str, int, int) or None
        Function, seed and number of columns of feature hashing; None for an exact vocabulary.
    value : {"count", "binary", "log"}
        What one row adds to a cell: its count, 1, or 1 + ln(count).
    idf : str or None
        SHA-256 of frozen inverse document frequencies, where the counts were weighted with them.

    Examples
    --------
    >>> a = Space("text", {"tokens": "words", "ngrams": [1, 2]})
    >>> b = Space("text", {"tokens": "words", "ngrams": [1, 1]})
    >>> a == b
    False
    >>> a.difference(b)
    'ngrams: [1, 2] against [1, 1]'
    """

    kind: SpaceKind
    rules: Mapping[str, Any] = field(default_factory=dict)
    hash: tuple[str, int, int] | None = None
    value: str = "count"
    idf: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(SpaceKind):
            raise ValueError(f"the kind of a feature space is one of {get_args(SpaceKind)}, not {self.kind!r}")
        # One trip through JSON makes tuples lists and copies what the caller may change later.
        object.__setattr__(self, "rules", MappingProxyType(json.loads(json.dumps(dict(self.rules)))))
        if self.hash is not None:
            function, seed, size = self.hash
            object.__setattr__(self, "hash", (str(function), int(seed), int(size)))

    @property
    def id(self) -> str:
        """SHA-256, in hex, of the canonical JSON of this space."""
        return hashlib.sha256(self._text.encode()).hexdigest()

    def difference(self, other: Space) -> str:
        """Return the names of the parts in which two spaces differ, with both values; empty if they are the same."""
        mine, theirs = self._parts(), other._parts()
        parts = [
            f"{name}: {_shown(mine, name)} against {_shown(theirs, name)}"
            for name in dict.fromkeys([*mine, *theirs])
            if (name in mine) != (name in theirs) or canonical_json(mine[name]) != canonical_json(theirs[name])
        ]
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return the space as plain JSON values."""
        return {
            "kind": self.kind,
            "rules": dict(self.rules),
            "hash": None if self.hash is None else list(self.hash),
            "value": self.value,
            "idf": self.idf,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Space:
        """Return the space rebuilt from `to_json`.

        Raises
        ------
        ValueError
            If the data does not describe a feature space.
        """
        try:
            kind, rules, hashing, value, idf = (data[key] for key in ("kind", "rules", "hash", "value", "idf"))
        except (KeyError, TypeError) as error:
            raise ValueError(f"a feature space needs kind, rules, hash, value and idf: {error}") from None
        well_formed = (
            isinstance(rules, dict)
            and isinstance(value, str)
            and (idf is None or isinstance(idf, str))
            and (hashing is None or (isinstance(hashing, list) and [type(part) for part in hashing] == [str, int, int]))
        )
        if not well_formed:
            raise ValueError("a feature space has a part of the wrong type")
        return cls(cast(SpaceKind, kind), rules, None if hashing is None else tuple(hashing), value, idf)

    def _parts(self) -> dict[str, Any]:
        parts = self.to_json()
        rules: dict[str, Any] = parts.pop("rules")
        names = ("hash function", "hash seed", "hash size")
        parts |= dict(zip(names, parts.pop("hash") or (), strict=False))
        return parts | rules

    @cached_property
    def _text(self) -> str:
        """One text for one space; it tells 0, 0.0 and false apart, which are equal in Python."""
        return canonical_json(self.to_json())

    def __eq__(self, other: object) -> bool:
        return self is other or self._text == other._text if isinstance(other, Space) else NotImplemented

    def __hash__(self) -> int:
        return int(self.id[:15], 16)

    def __reduce__(self) -> tuple[Any, ...]:
        return Space.from_json, (self.to_json(),)  # a MappingProxyType cannot be pickled


def _shown(parts: Mapping[str, Any], name: str) -> str:
    return repr(parts[name]) if name in parts else "none"
