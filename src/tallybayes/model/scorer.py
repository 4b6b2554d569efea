"""Documents → joint log scores, through the kernel."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..scores import LinearScores, Reading, prune, read
from ..tally.count import CountTally
from ..tally.features import TextFeatures
from ..text.analyzer import Analyzer
from .idf import FrozenIdf, Rows

__all__ = ["TextScorer"]

Floats = npt.NDArray[np.float64]
Index: TypeAlias = "_kernel.Vocabulary | _kernel.Columns"


class TextScorer:
    """The score table of one tally under one reading, and the index that finds a document's features in it.

    A few documents are looked up by binary search; the hash index and the dense rows, which take a pass over all
    features to build, are made when enough documents have come to pay for them. Both ways give the same bits.

    Parameters
    ----------
    tally : CountTally
    reading : Reading
    analyzer : Analyzer
    idf : FrozenIdf or None
        Where rows are L2-normalised tf-idf.
    """

    def __init__(self, tally: CountTally, reading: Reading, analyzer: Analyzer, idf: FrozenIdf | None) -> None:
        self.tally = prune(tally, reading)
        self.table: LinearScores = read(self.tally, reading)
        self._rules, self._hash, self._idf = analyzer.rules, analyzer.hash, idf
        self._seen = 0

    def joint(self, documents: _kernel.Documents, n_jobs: int) -> Floats:
        """Return the joint log scores, shape (n, K), natural log."""
        if self._idf is not None:
            return self._joint_of_rows(self._idf.rows(documents, self._rules, n_jobs), n_jobs)
        self._seen += documents.nbytes
        many = self._seen > self._worth
        index = self._index if many else self._sorted
        out = self._scored(documents, index, self._dense if many else self._sparse, self.table.value, n_jobs)
        counted = None
        if self._zeros is not None:
            counted = self._scored(documents, index, self._zeros, "binary", n_jobs)
        return self.table.finish(out, counted)

    def _scored(
        self, documents: _kernel.Documents, index: Index, table: _kernel.ScoreTable, value: str, n_jobs: int
    ) -> Floats:
        out = np.empty((len(documents), len(self.table.base)))
        _kernel.score_text(
            documents, self._rules, index, table, out, value=value, unknown=self.table.unknown, n_jobs=n_jobs
        )
        return out

    def _joint_of_rows(self, rows: Rows, n_jobs: int) -> Floats:
        """Score rows over the features of the frozen idf, of which the tally may hold only some."""
        indptr, indices, values = rows
        position = self._of_idf[indices]
        kept = position >= 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[indptr]
        out = np.empty((len(indptr) - 1, len(self.table.base)))
        counted = None
        for table, value in ((self._dense, "count"), (self._zeros, "binary")):
            if table is not None:
                scored = np.empty_like(out)
                _kernel.score_csr(
                    indptr, position[kept], values[kept], table, scored, value, 0.0, False, None, n_jobs=n_jobs
                )
                out, counted = (scored, None) if value == "count" else (out, scored)
        return self.table.finish(out, counted)

    @property
    def _worth(self) -> int:
        """Bytes of documents from which on building the index takes less time than searching."""
        return len(self.tally.class_index) // 2

    @cached_property
    def _sorted(self) -> Index:
        return self._index_of(False)

    @cached_property
    def _index(self) -> Index:
        return self._index_of(True)

    def _index_of(self, hashed: bool) -> Index:
        features = self.tally.features
        if isinstance(features, TextFeatures):
            # A seed of this process: whoever chooses the documents cannot choose them to collide.
            return _kernel.Vocabulary(features.bytes, features.offsets, seed=secrets.randbits(64), index=hashed)
        murmur = self._hash is not None and self._hash[0] == "murmur3"
        return _kernel.Columns(features.columns, features.n_columns, murmur=murmur)

    @cached_property
    def _sparse(self) -> _kernel.ScoreTable:
        return self.table.laid_out(dense=False)

    @cached_property
    def _dense(self) -> _kernel.ScoreTable:
        return self.table.laid_out()

    @cached_property
    def _zeros(self) -> _kernel.ScoreTable | None:
        return None if self.table.zeros is None else self.table.zeros.laid_out()

    @cached_property
    def _of_idf(self) -> npt.NDArray[np.int64]:
        """Where each feature of the frozen idf stands in the tally; -1 where it does not."""
        ours = self.tally.features
        assert self._idf is not None
        assert isinstance(ours, TextFeatures)
        theirs = self._idf.features
        found = _kernel.find_features(ours.bytes, ours.offsets, theirs.bytes, theirs.offsets)
        return np.asarray(found, np.int64)
