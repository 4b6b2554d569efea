"""Text: documents → counts of their features, and the look-up of documents in a score table."""

from __future__ import annotations

import secrets
from collections import Counter as Multiset
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described, Place
from ..errors import InputError, InputTypeError, ParameterError
from ..labels import Labels
from ..space import Space
from ..store import Blocks
from ..tally import CHANNELS, ColumnFeatures, CountTally, Features, TextFeatures
from ..text.analyzer import Analyzer
from .base import Counter
from .rows import LabelledRows

__all__ = ["LinearTable", "TextCounter", "TextLookup", "TextRows", "checked_channels", "counted"]

Floats = npt.NDArray[np.float64]
Index: TypeAlias = "_kernel.Vocabulary | _kernel.Columns"

UNITS = {"log": 32}  # what is no whole number is counted in units of 2^-32, so that it stays exact


class LinearTable(Protocol):
    """What a look-up asks of a score table that is linear in the counts of a row."""

    @property
    def features(self) -> Features:
        """The features, in the order of the table."""

    @property
    def n_cells(self) -> int:
        """How many numbers the table holds."""

    @property
    def value(self) -> str:
        """``"binary"`` where only presence counts, else ``"count"``."""

    @property
    def unknown(self) -> bool:
        """Whether features outside the table count."""

    def laid_out(self, *, dense: bool = True) -> _kernel.ScoreTable:
        """Lay the table out for the kernel."""

    @property
    def zeros(self) -> _kernel.ScoreTable | None:
        """The companion table, which counts the factors that are exactly zero."""


@dataclass(frozen=True)
class TextCounter(Counter):
    """Counts the features of documents.

    Parameters
    ----------
    analyzer : Analyzer
        How a document becomes features; words of all scripts by default.
    channels : sequence of {"occurrences", "documents"}
        What to count: how often a feature stands in the documents, and in how many of them it does. Both by default, so
        that the tally can be read in any way later.
    value : {"count", "log"}
        What a feature of one document adds to `occurrences`: how often it stands there, or 1 + ln of that.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.

    Examples
    --------
    >>> counter = TextCounter(Analyzer(ngrams=(1, 1)))
    >>> rows = counter.check(["buy now", "see you"])
    >>> tally = counter.count(rows, LabelledRows.of(["spam", "ham"], None, 2), n_jobs=1)
    >>> tally.features.labels(), tally.class_index.tolist()
    (['buy', 'now', 'see', 'you'], [1, 1, 0, 0])
    """

    analyzer: Analyzer = field(default_factory=Analyzer)
    channels: tuple[str, ...] = CHANNELS
    value: str = "count"

    kind = "text"
    of_documents = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", checked_channels(self.channels))
        if self.value not in ("count", "log"):
            raise ParameterError(f"value must be 'count' or 'log'; got {self.value!r}")

    @cached_property
    def space(self) -> Space:
        return replace(self.analyzer.space, value=self.value)

    def check(self, X: Any) -> TextRows:
        return TextRows(self, self.analyzer.documents(X), X if isinstance(X, (list, tuple)) else ())

    def check_one(self, row: Any) -> TextRows:
        if not isinstance(row, str):
            raise InputTypeError(f"one document is a str; got {type(row).__name__}: {row!r:.60}")
        return self.check([row])

    def count(self, rows: TextRows, labelled: LabelledRows, n_jobs: int) -> CountTally:
        """Return the sums of documents; see `Counter.count`.

        Raises
        ------
        InputError
            If the weights make a sum larger than a tally holds.
        """
        rows = labelled.spread(rows)
        function, n_columns = self.analyzer.hash or (None, 0)
        try:
            counts = _kernel.count_text(
                rows.documents,
                labelled.codes,
                max(len(labelled.classes), 1),
                self.analyzer.rules,
                columns=n_columns,
                murmur=function == "murmur3",
                seed=secrets.randbits(64),  # whoever chooses the documents cannot choose them to collide
                whole_weights=labelled.weights if labelled.weights is not None and labelled.exact else None,
                weights=None if labelled.exact else labelled.weights,
                value=self.value,
                occurrences="occurrences" in self.channels,
                documents_channel="documents" in self.channels,
                n_jobs=n_jobs,
            )
        except OverflowError as error:
            raise InputError(f"{error}: use smaller weights") from None
        features: Features
        if n_columns:
            features = ColumnFeatures(counts["columns"], n_columns)
        else:
            features = TextFeatures(counts["bytes"], counts["offsets"])
        return counted(counts, labelled, features, self.space, self.channels, unit=UNITS.get(self.value, 0))

    def describe(self, rows: TextRows, i: int) -> Described:
        document = rows.texts[i]
        counts = Multiset(self.analyzer.features(document))
        places: dict[str, list[Place]] = {feature: [] for feature in counts}
        for feature, start, end in self.analyzer.spans(document):
            places[feature].append((start, end))
        names: list[str] = list(counts)
        keys: Sequence[Any] = names
        if self.analyzer.hash is not None:
            function, size = self.analyzer.hash
            laid_out = TextFeatures.of(names)
            columns = _kernel.hash_features(laid_out.bytes, laid_out.offsets, size, murmur=function == "murmur3")
            names, counts, places, keys = _by_column(names, counts, places, np.asarray(columns).tolist())
        occurrences = np.array([counts[name] for name in names], np.float64)
        amounts = 1.0 + np.log(occurrences) if self.value == "log" else occurrences
        return Described(
            document, "feature", names, keys, [counts[name] for name in names], amounts, [places[n] for n in names]
        )

    def empty(self, classes: Labels) -> CountTally:
        return CountTally.empty(self.space, self.channels, classes=classes, unit=UNITS.get(self.value, 0))

    def to_json(self) -> dict[str, Any]:
        return {"analyzer": self.analyzer.to_json(), "channels": list(self.channels), "value": self.value}

    @classmethod
    def from_json(cls, said: Mapping[str, Any], arrays: Blocks, prefix: str) -> TextCounter:
        return cls(Analyzer.from_json(said["analyzer"]), tuple(said["channels"]), said["value"])


class TextRows:
    """Documents as the kernel reads them, with the texts where they came as a list."""

    def __init__(self, counter: TextCounter, documents: _kernel.Documents, texts: Sequence[Any]) -> None:
        self.counter, self.documents, self.texts = counter, documents, texts

    def __len__(self) -> int:
        return len(self.documents)

    def part(self, begin: int, end: int) -> TextRows:
        return TextRows(self.counter, self.documents.slice(begin, end), self.texts[begin:end])

    def take(self, positions: npt.NDArray[np.int64]) -> TextRows:
        return TextRows(self.counter, self.documents.take(positions), ())

    def lookup(self, table: LinearTable) -> TextLookup:
        """Return what finds the features of documents in a score table."""
        return TextLookup(self.counter.analyzer, self.counter.value, table)


class TextLookup:
    """A score table and the index that finds a document's features in it.

    A few documents are looked up by binary search; the hash index and the dense rows, which take a pass over all
    features to build, are made when enough documents have come to pay for them. Both ways give the same bits.
    """

    def __init__(self, analyzer: Analyzer, value: str, table: LinearTable) -> None:
        self._rules, self._hash, self._table = analyzer.rules, analyzer.hash, table
        self._value = value if table.value == "count" else table.value
        self._seen = 0
        self._worth = table.n_cells // 2  # bytes of documents from which on the index takes less time than searching

    def score(self, rows: TextRows, out: Floats, n_jobs: int) -> Floats | None:
        """Fill in the scores of documents, shape (n, K); return how many zero factors they have, if any can be."""
        self._seen += rows.documents.nbytes
        many = self._seen > self._worth
        index = self._index if many else self._sorted
        self._score(rows, index, self._dense if many else self._sparse, self._value, out, n_jobs)
        zeros = self._table.zeros
        if zeros is None:
            return None
        return self._score(rows, index, zeros, "binary", np.empty_like(out), n_jobs)

    def _score(
        self, rows: TextRows, index: Index, table: _kernel.ScoreTable, value: str, out: Floats, n_jobs: int
    ) -> Floats:
        unknown = self._table.unknown
        _kernel.score_text(rows.documents, self._rules, index, table, out, value=value, unknown=unknown, n_jobs=n_jobs)
        return out

    @cached_property
    def _sorted(self) -> Index:
        return self._index_of(False)

    @cached_property
    def _index(self) -> Index:
        return self._index_of(True)

    def _index_of(self, hashed: bool) -> Index:
        features = self._table.features
        if isinstance(features, TextFeatures):
            # A seed of this process: whoever chooses the documents cannot choose them to collide.
            return _kernel.Vocabulary(features.bytes, features.offsets, seed=secrets.randbits(64), index=hashed)
        murmur = self._hash is not None and self._hash[0] == "murmur3"
        return _kernel.Columns(features.columns, features.n_columns, murmur=murmur)

    @cached_property
    def _sparse(self) -> _kernel.ScoreTable:
        return self._table.laid_out(dense=False)

    @cached_property
    def _dense(self) -> _kernel.ScoreTable:
        return self._table.laid_out()


def checked_channels(channels: Iterable[str]) -> tuple[str, ...]:
    """Return the names of channels, checked, in one order.

    Raises
    ------
    ParameterError
    """
    wanted = (channels,) if isinstance(channels, str) else tuple(channels)
    if not wanted or not set(wanted) <= set(CHANNELS):
        raise ParameterError(f"channels must be 'occurrences', 'documents' or both; got {channels!r}")
    return tuple(name for name in CHANNELS if name in wanted)


def counted(
    counts: Mapping[str, Any],
    labelled: LabelledRows,
    features: Features,
    space: Space,
    channels: Iterable[str],
    *,
    unit: int = 0,
    exact: bool = True,
    columns: Sequence[str] | None = None,
) -> CountTally:
    """Build a tally from what the kernel counted over some rows; it is exact if the values were and the weights are."""
    exact = exact and labelled.exact
    number = np.int64 if exact else np.float64
    return CountTally(
        labelled.classes,
        labelled.class_count.astype(number, copy=False),
        features,
        counts["indptr"],
        counts["class_index"],
        {name: counts[name].astype(number, copy=False) for name in channels},
        space,
        exact,
        unit,
        columns,
    ).require_sums()


def _by_column(
    names: list[str], counts: Multiset[str], places: dict[str, list[Place]], columns: list[int]
) -> tuple[list[str], Multiset[str], dict[str, list[Place]], list[int]]:
    """Unite the features that hashing cannot tell apart."""
    groups: dict[int, list[str]] = {}
    for name, column in zip(names, columns, strict=True):
        groups.setdefault(column, []).append(name)
    united = {column: " / ".join(group) for column, group in groups.items()}
    return (
        list(united.values()),
        Multiset({united[column]: sum(counts[name] for name in group) for column, group in groups.items()}),
        {united[column]: [place for name in group for place in places[name]] for column, group in groups.items()},
        list(groups),
    )
