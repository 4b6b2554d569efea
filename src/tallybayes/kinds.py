"""Families of classes that are known by a name in files, options and messages; their parameters as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Generic, TypeVar

import numpy as np

from .errors import ParameterError

__all__ = ["Kinds", "keep_plain"]

T = TypeVar("T")


class Kinds(Mapping[str, T], Generic[T]):
    """The members of a family by name. A class registers itself when it is defined, so that no list of them is kept.

    Parameters
    ----------
    what : str
        What a name is a name of, for messages: ``"event_model"``.

    Examples
    --------
    >>> shapes = Kinds[type]("shape")
    >>> shapes.add("round", float)
    >>> shapes["round"], list(shapes)
    (<class 'float'>, ['round'])
    >>> shapes["square"]
    Traceback (most recent call last):
    ...
    tallybayes.errors.ParameterError: shape must be 'round'; got 'square'
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._members: dict[str, T] = {}

    def add(self, name: str, member: T) -> None:
        """Register a member; one of the same name is replaced."""
        self._members[name] = member

    def __getitem__(self, name: str) -> T:
        try:
            return self._members[name]
        except (KeyError, TypeError):
            *first, last = map(repr, sorted(self._members))
            known = f"one of {', '.join(first)} or {last}" if first else last
            raise ParameterError(f"{self._what} must be {known}; got {name!r}") from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._members))

    def __len__(self) -> int:
        return len(self._members)


def keep_plain(parameters: Any) -> None:
    """Turn the NumPy scalars (and arrays of no dimension) among a frozen dataclass's parameters into plain values."""
    for each in fields(parameters):
        given = getattr(parameters, each.name)
        if (plain := _plain(given)) is not given:
            object.__setattr__(parameters, each.name, plain)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    if type(value) in (tuple, list) and any(isinstance(each, (np.generic, np.ndarray)) for each in value):
        return type(value)(map(_plain, value))
    return value
