"""The idf of two-pass tf-idf, frozen into the feature space before the second pass."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..engines.local import labelled_rows, tally_from, threads
from ..labels import Labels
from ..scores import Reading, smooth_idf
from ..scores.weighting import by_feature, values_of
from ..tally.count import CountTally, TextFeatures
from ..text.analyzer import Analyzer
from ..text.space import Space

__all__ = ["FrozenIdf", "space_of"]

Rows: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class FrozenIdf:
    """Features with their idf; what is not in it weighs nothing.

    Attributes
    ----------
    features : TextFeatures
        V features.
    idf : ndarray of float64, shape (V,)
        ln((1 + n) / (1 + df)) + 1, scikit-learn's smooth idf.
    """

    features: TextFeatures
    idf: npt.NDArray[np.float64]

    @classmethod
    def of(cls, documents: CountTally) -> FrozenIdf:
        """Read the idf off a tally that counts documents."""
        frequency = by_feature(documents, values_of(documents, "documents"))
        assert isinstance(documents.features, TextFeatures)  # Model refuses hashing together with tf-idf
        return cls(documents.features, smooth_idf(frequency, float(np.asarray(documents.class_count).sum())))

    @cached_property
    def _vocabulary(self) -> _kernel.Vocabulary:
        return _kernel.Vocabulary(self.features.bytes, self.features.offsets, seed=secrets.randbits(64), index=True)

    def rows(self, documents: _kernel.Documents, rules: _kernel.Rules, n_jobs: int) -> Rows:
        """Return documents as CSR rows of L2-normalised tf-idf over `features`: (indptr, indices, values)."""
        indptr, indices, counts, _ = _kernel.text_to_csr(documents, rules, self._vocabulary, n_jobs=n_jobs)
        values = counts * self.idf[indices]
        of_row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        lengths = np.sqrt(np.bincount(of_row, values * values, len(indptr) - 1))
        return indptr, indices, values / lengths[of_row]

    def count(
        self,
        documents: Any,
        labels: Any,
        analyzer: Analyzer,
        space: Space,
        *,
        weights: Any = None,
        classes: Labels | None = None,
        n_jobs: int | None = None,
    ) -> CountTally:
        """Sum up the tf-idf rows of labelled documents; float64, so not exact. See `engines.local.count`."""
        prepared = analyzer.documents(documents)
        rows = labelled_rows(labels, weights, len(prepared), classes)
        indptr, indices, values = self.rows(prepared, analyzer.rules, threads(n_jobs))
        counts = _kernel.count_csr(
            indptr,
            indices,
            values,
            len(self.features),
            rows.codes,
            max(len(rows.classes), 1),
            weights=None if rows.weights is None else rows.weights.astype(np.float64),
            whole_weights=False,
            occurrences=True,
            documents=False,
            threshold=0.0,
            negative=False,
            spare=None,
            n_jobs=threads(n_jobs),
        )
        return tally_from(counts, rows, self.features.take(counts["columns"]), space, ("occurrences",), exact=False)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the arrays, not the index made of them."""
        return {"features": self.features, "idf": self.idf}

    def check(self) -> None:
        """Look at the contents.

        Raises
        ------
        ValueError
            If they cannot be features and their weights.
        """
        self.features.check()
        if len(self.idf) != len(self.features) or not (np.isfinite(self.idf) & (self.idf > 0)).all():
            raise ValueError("the idf weights are not one positive number for each feature")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of features and weights, in hexadecimal: part of the feature space's identity."""
        parts = (self.features.bytes, self.features.offsets, self.idf)
        return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenIdf) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def space_of(analyzer: Analyzer, reading: Reading, idf: FrozenIdf | None) -> Space:
    """Return the feature space of a model: the analyzer's, and what one document adds to a cell."""
    value = "log" if reading.weighting == "log" else "tfidf" if idf else "count"
    return replace(analyzer.space, value=value, idf=idf.digest if idf else None)
