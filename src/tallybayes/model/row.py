"""One document as the score table sees it: its features, how much of each, and where they stand in the text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..errors import InputTypeError
from ..scores import Reading
from ..tally.features import TextFeatures
from ..text.analyzer import Analyzer
from .idf import FrozenIdf
from .scorer import TextScorer

__all__ = ["Place", "Row", "TextModel", "row_of"]

Place: TypeAlias = tuple[int, int]
Names: TypeAlias = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]  # bytes and offsets


class TextModel(Protocol):
    """What explaining and deriving ask of a `Model`."""

    analyzer: Analyzer
    reading: Reading
    idf: FrozenIdf | None

    @property
    def scorer(self) -> TextScorer:
        """The score table of the present tally."""


@dataclass(frozen=True)
class Row:
    """What one document holds, in the order in which its features first come.

    Attributes
    ----------
    features : list of str, length n
        Under hashing, those that share a column are one, parted by `` / ``.
    counts : list of int, length n
        How often each is in the document.
    positions : ndarray of int64, shape (n,)
        Where each stands in the score table; -1 if it is not there.
    amounts : ndarray of float64, shape (n,)
        What the row weighs: counts, 1, 1 + ln(count), or the normalised tf-idf.
    places : list of lists of (start, end), length n
        Where each stands in the document, in code points.
    """

    features: list[str]
    counts: list[int]
    positions: npt.NDArray[np.int64]
    amounts: npt.NDArray[np.float64]
    places: list[list[Place]]


def row_of(model: TextModel, document: str) -> Row:
    """Take a document apart.

    Raises
    ------
    InputTypeError
        If `document` is no str.
    """
    if not isinstance(document, str):
        raise InputTypeError(f"one document is a str; got {type(document).__name__}: {document!r:.60}")
    counts = Counter(model.analyzer.features(document))
    places: dict[str, list[Place]] = {feature: [] for feature in counts}
    for feature, start, end in model.analyzer.spans(document):
        places[feature].append((start, end))
    names = list(counts)
    wanted = _as_features(names)
    features = model.scorer.tally.features
    if not isinstance(features, TextFeatures):
        assert model.analyzer.hash is not None
        function, size = model.analyzer.hash
        columns = np.asarray(_kernel.hash_features(*wanted, size, murmur=function == "murmur3"), np.int64)
        names, counts, places, own = _by_column(names, counts, places, columns)
        found = np.searchsorted(features.columns, own)
        inside = found < len(features)
        positions = np.full(len(own), -1, np.int64)
        positions[inside] = np.where(features.columns[found[inside]] == own[inside], found[inside], -1)
    else:
        positions = _found(features, wanted)
    occurrences = np.array([counts[name] for name in names], np.float64)
    amounts = occurrences
    if model.idf is not None:
        theirs = _found(model.idf.features, wanted)
        amounts = np.where(theirs >= 0, occurrences * model.idf.idf[theirs], 0.0)
        amounts = amounts / max(float(np.sqrt((amounts * amounts).sum())), np.finfo(float).tiny)
    elif model.scorer.table.value == "binary":
        amounts = np.ones(len(names))
    elif model.scorer.table.value == "log":
        amounts = 1.0 + np.log(occurrences)
    return Row(names, [counts[name] for name in names], positions, amounts, [places[name] for name in names])


def _found(features: TextFeatures, wanted: Names) -> npt.NDArray[np.int64]:
    """Where each name stands among the features; -1 where it does not."""
    return np.asarray(_kernel.find_features(features.bytes, features.offsets, *wanted), np.int64)


def _as_features(names: list[str]) -> Names:
    encoded = [name.encode() for name in names]
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(name) for name in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


def _by_column(
    names: list[str], counts: Counter[str], places: dict[str, list[Place]], columns: npt.NDArray[np.int64]
) -> tuple[list[str], Counter[str], dict[str, list[Place]], npt.NDArray[np.int64]]:
    """Unite the features that hashing cannot tell apart."""
    groups: dict[int, list[str]] = {}
    for name, column in zip(names, columns.tolist(), strict=True):
        groups.setdefault(column, []).append(name)
    united = {column: " / ".join(group) for column, group in groups.items()}
    return (
        list(united.values()),
        Counter({united[column]: sum(counts[name] for name in group) for column, group in groups.items()}),
        {united[column]: [place for name in group for place in places[name]] for column, group in groups.items()},
        np.array(list(groups), np.int64),
    )
