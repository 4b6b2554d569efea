"""Two-pass tf-idf: a first pass freezes the idf into the feature space, the second one sums L2-normalised rows."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import ParameterError, SpaceError
from ..labels import Labels
from ..space import Space
from ..store import Blocks
from ..tally import CountTally, Tally, TextFeatures
from ..tally.selection import Selection, by_feature, smooth_idf, values_of
from ..text.analyzer import Analyzer
from .base import Counter
from .rows import LabelledRows
from .text import LinearTable, TextCounter, TextRows, counted

__all__ = ["FrozenIdf", "TfidfCounter"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrozenIdf:
    """Features with their idf; what is not in it weighs nothing.

    Attributes
    ----------
    features : TextFeatures
        V features.
    weight : ndarray of float64, shape (V,)
        ln((1 + n) / (1 + df)) + 1, scikit-learn's smooth idf.
    origin : str, optional
        The digest of the idf of which this one is a part, after words were forgotten; both weigh alike.
    """

    features: TextFeatures
    weight: Floats
    origin: str | None = None

    @classmethod
    def of(cls, tally: CountTally) -> FrozenIdf:
        """Return the idf of a tally that counts documents."""
        frequency = by_feature(tally, values_of(tally, "documents"))
        assert isinstance(tally.features, TextFeatures)  # TfidfCounter refuses hashing
        return cls(tally.features, smooth_idf(frequency, float(np.asarray(tally.class_count).sum())))

    def find(self, features: Any) -> npt.NDArray[np.int64]:
        """Return where each of other features stands among these; -1 where it does not."""
        return _find(self.features, features)

    @cached_property
    def vocabulary(self) -> _kernel.Vocabulary:
        """The index in which the features of documents are looked up."""
        return _kernel.Vocabulary(self.features.bytes, self.features.offsets, seed=secrets.randbits(64), index=True)

    def check(self) -> None:
        """Look at the contents.

        Raises
        ------
        ValueError
            If they cannot be features and their weights.
        """
        self.features.check()
        low, high = self.weight.min(initial=1.0), self.weight.max(initial=1.0)  # NaN, if there is any
        if len(self.weight) != len(self.features) or not 1e-100 < low <= high < 1e100:  # they are squared
            raise ValueError("the idf weights are not one positive number for each feature")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of features and weights as they were frozen, in hexadecimal: part of the feature space's identity."""
        if self.origin is not None:
            return self.origin
        parts = (self.features.bytes, self.features.offsets, self.weight)
        return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()

    def without(self, features: Any) -> FrozenIdf:
        """Return the idf without some features."""
        keep = np.ones(len(self.features), bool)
        found = self.find(features)
        keep[found[found >= 0]] = False
        if keep.all():
            return self
        kept = np.flatnonzero(keep)
        return FrozenIdf(self.features.take(kept), self.weight[kept], self.digest)

    def united(self, other: FrozenIdf) -> FrozenIdf:
        """Return the idf of what either weighs; both have one origin."""
        more = np.flatnonzero(self.find(other.features) < 0)
        if not len(more):
            return self
        names = self.features.raw() + other.features.take(more).raw()
        weight = np.concatenate([self.weight, other.weight[more]])
        order = sorted(range(len(names)), key=names.__getitem__)
        united = FrozenIdf(TextFeatures.of(names[i].decode() for i in order), weight[order])
        return united if united.digest == self.digest else replace(united, origin=self.digest)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FrozenIdf)
            and (self.digest, self.features) == (other.digest, other.features)
            and np.array_equal(self.weight, other.weight)
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the arrays, not the index made of them."""
        return {"features": self.features, "weight": self.weight, "origin": self.origin}


@dataclass(frozen=True)
class TfidfCounter(Counter):
    """Sums up documents as L2-normalised tf-idf; float64, so without a digest.

    Parameters
    ----------
    analyzer : Analyzer
        With an exact vocabulary.
    selection : Selection
        Which features the frozen idf keeps.
    idf : FrozenIdf, optional
        None: it is taken from the first rows, which must be all that are to be trained on.

    Raises
    ------
    ParameterError
        If the analyzer hashes its features.

    Examples
    --------
    >>> from tallybayes import Model, MultinomialReading
    >>> model = Model(TfidfCounter(), MultinomialReading())
    >>> model = model.learned(["cheap pills", "cheap watches", "see you"], ["spam", "spam", "ham"])
    >>> model.counter.frozen.weight.round(3).tolist()
    [1.288, 1.693, 1.693, 1.693, 1.693, 1.693, 1.693, 1.693]
    """

    analyzer: Analyzer = field(default_factory=Analyzer)
    selection: Selection = field(default_factory=Selection)
    idf: FrozenIdf | None = None

    kind = "tfidf"
    of_documents = True
    channels = ("occurrences",)
    more_channels = "two-pass tf-idf has no such counts; learn with weighting='idf' or 'count'"

    def __post_init__(self) -> None:
        if self.analyzer.hash is not None:
            raise ParameterError("tf-idf needs an exact vocabulary (hash=None); with hashing use weighting='idf'")

    @property
    def frozen(self) -> FrozenIdf:
        """The idf, where it is known."""
        if self.idf is None:
            raise ParameterError("the idf is not known yet: learn all the training documents first")
        return self.idf

    @property
    def ready(self) -> bool:
        return self.idf is not None

    @property
    def draft(self) -> TextCounter:  # type: ignore[override]  # read only, as the class is frozen
        return TextCounter(self.analyzer)

    def settled(self, rows: TextRows, labelled: LabelledRows, n_jobs: int) -> TfidfCounter:
        return self if self.ready else self.settled_by(self.draft.count(rows, labelled, n_jobs))

    def settled_by(self, tally: Tally) -> TfidfCounter:
        assert isinstance(tally, CountTally)  # draft counts text
        return replace(self, idf=FrozenIdf.of(self.selection.kept(tally, "occurrences")))

    def settled_like(self, other: Counter) -> TfidfCounter:
        return replace(self, idf=other.idf) if isinstance(other, TfidfCounter) else self

    def united(self, other: Counter | None, part: Tally) -> TfidfCounter:
        """Return the counter of a sum with `part`, with the idf of what `other` weighs too.

        Raises
        ------
        SpaceError
            If `part` holds a word that neither weighs.
        """
        idf = self.frozen
        if isinstance(other, TfidfCounter) and other.idf is not None:
            idf = idf.united(other.idf)
        assert isinstance(part, CountTally)  # mergeable
        unknown = np.flatnonzero(idf.find(part.features) < 0)
        if len(unknown):
            word = part.features.label(int(unknown[0]))
            raise SpaceError(
                f"the tally holds {word!r:.60}, of which the idf was forgotten: add the model that counted it, or "
                "learn its documents"
            )
        return self if idf is self.idf else replace(self, idf=idf)

    def forgetting(self, gone: Tally, rest: Tally) -> TfidfCounter:
        assert isinstance(gone, CountTally)
        assert isinstance(rest, CountTally)
        lost = gone.features.take(np.flatnonzero(_find(rest.features, gone.features) < 0))
        return replace(self, idf=self.frozen.without(lost))

    @cached_property
    def space(self) -> Space:
        return replace(self.analyzer.space, value="tfidf", idf=self.frozen.digest)

    def check(self, X: Any) -> TfidfRows:
        rows = self.draft.check(X)
        return TfidfRows(rows.counter, rows.documents, rows.texts, self.idf)

    def check_one(self, row: Any) -> TfidfRows:
        rows = self.draft.check_one(row)
        return TfidfRows(rows.counter, rows.documents, rows.texts, self.idf)

    def count(self, rows: TextRows, labelled: LabelledRows, n_jobs: int) -> CountTally:
        indptr, indices, values = _weighted(labelled.spread(rows), self.frozen, n_jobs)
        counts = _kernel.count_csr(
            indptr,
            indices,
            values,
            len(self.frozen.features),
            labelled.codes,
            max(len(labelled.classes), 1),
            weights=None if labelled.weights is None else labelled.weights.astype(np.float64),
            whole_weights=False,
            occurrences=True,
            documents=False,
            threshold=0.0,
            negative=False,
            spare=None,
            n_jobs=n_jobs,
        )
        features = self.frozen.features.take(counts["columns"])
        return counted(counts, labelled, features, self.space, ("occurrences",), exact=False)

    def describe(self, rows: TfidfRows, i: int) -> Described:
        described = self.draft.describe(rows, i)
        at = self.frozen.features.find(described.keys)
        amounts = np.where(at >= 0, described.amounts * self.frozen.weight[at], 0.0)
        length = max(float(np.sqrt((amounts * amounts).sum())), np.finfo(float).tiny)
        return replace(described, amounts=amounts / length)

    def empty(self, classes: Labels) -> CountTally:
        return CountTally.empty(self.space, ("occurrences",), classes=classes)

    def check_counted(self, tally: Tally) -> None:
        super().check_counted(tally)
        assert isinstance(tally, CountTally)  # or it was refused
        if (self.frozen.find(tally.features) < 0).any():
            raise ValueError("the tally holds a feature without an idf")

    def readable(self) -> dict[str, Any]:
        return {"idf": dict(zip(self.frozen.features.labels(), self.frozen.weight.tolist(), strict=True))}

    def arrays(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        idf = self.frozen
        parts: dict[str, npt.NDArray[Any]] = {
            "bytes": idf.features.bytes,
            "offsets": idf.features.offsets,
            "weight": idf.weight,
        }
        return {f"{prefix}.{name}": array for name, array in parts.items()}

    def to_json(self) -> dict[str, Any]:
        kept, origin = self.selection, self.frozen.origin
        return {
            "analyzer": self.analyzer.to_json(),
            "min_df": kept.min_df,
            "max_df": kept.max_df,
            "max_features": kept.max_features,
            **({} if origin is None else {"origin": origin}),
        }

    @classmethod
    def from_json(cls, said: Mapping[str, Any], arrays: Blocks, prefix: str) -> TfidfCounter:
        """Return the counter rebuilt from `said`, with `readable` in it or the `arrays` that `prefix` names.

        Raises
        ------
        ModelFileError, ParameterError, ValueError
            If that is no such counter.
        """
        if "idf" in said:
            weights = {str(feature): float(weight) for feature, weight in said["idf"].items()}
            order = sorted(weights, key=str.encode)
            features, weight = TextFeatures.of(order), np.array([weights[feature] for feature in order], np.float64)
        else:
            features = TextFeatures(
                arrays.take(f"{prefix}.bytes", np.uint8), arrays.take(f"{prefix}.offsets", np.int64)
            )
            weight = arrays.take(f"{prefix}.weight", np.float64)
        idf = FrozenIdf(features, weight, said.get("origin"))
        if not isinstance(idf.digest, str):
            raise ParameterError(f"the origin of the idf is {idf.origin!r:.60}")
        if arrays.verified:
            idf.check()
        kept = Selection(min_df=said["min_df"], max_df=said["max_df"], max_features=said["max_features"])
        return cls(Analyzer.from_json(said["analyzer"]), kept, idf)


class TfidfRows(TextRows):
    """Documents that are scored as rows of tf-idf."""

    def __init__(self, counter: TextCounter, documents: _kernel.Documents, texts: Any, idf: FrozenIdf | None) -> None:
        super().__init__(counter, documents, texts)
        self.idf = idf

    def part(self, begin: int, end: int) -> TfidfRows:
        return TfidfRows(self.counter, self.documents.slice(begin, end), self.texts[begin:end], self.idf)

    def take(self, positions: npt.NDArray[np.int64]) -> TfidfRows:
        return TfidfRows(self.counter, self.documents.take(positions), (), self.idf)

    def lookup(self, table: LinearTable) -> Any:
        assert self.idf is not None  # rows are scored after something was learnt
        return _TfidfLookup(self.idf, table)


class _TfidfLookup:
    """A score table for rows over the features of the frozen idf, of which it may hold only some."""

    def __init__(self, idf: FrozenIdf, table: LinearTable) -> None:
        self._idf, self._table = idf, table
        assert isinstance(table.features, TextFeatures)
        self._position = _find(table.features, idf.features)
        self._dense = table.laid_out()

    def score(self, rows: TextRows, out: Floats, n_jobs: int) -> Floats | None:
        indptr, indices, values = _weighted(rows, self._idf, n_jobs)
        position = self._position[indices]
        kept = position >= 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[indptr]
        counted_zeros = None
        for table, value, into in ((self._dense, self._table.value, out), (self._table.zeros, "binary", None)):
            if table is not None:
                scores = np.empty_like(out) if into is None else into
                _kernel.score_csr(
                    indptr,
                    position[kept],
                    values[kept],
                    table,
                    scores,
                    value=value,
                    threshold=0.0,
                    negative=False,
                    unknown=None,
                    n_jobs=n_jobs,
                )
                counted_zeros = scores if into is None else None
        return counted_zeros


def _find(among: Any, wanted: Any) -> npt.NDArray[np.int64]:
    """Return where each of some features of text stands among others; -1 where it does not."""
    found = _kernel.find_features(among.bytes, among.offsets, wanted.bytes, wanted.offsets)
    return np.asarray(found, np.int64)


def _weighted(
    rows: TextRows, idf: FrozenIdf, n_jobs: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """Return documents as CSR rows of L2-normalised tf-idf over the features of `idf`: (indptr, indices, values)."""
    indptr, indices, counts, _ = _kernel.text_to_csr(
        rows.documents, rows.counter.analyzer.rules, idf.vocabulary, n_jobs=n_jobs
    )
    values = counts * idf.weight[indices]
    of_row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    lengths = np.sqrt(np.bincount(of_row, values * values, len(indptr) - 1))
    return indptr, indices, values / lengths[of_row]
