"""Which cells of a tally a reading looks at, and what they weigh: channels, pruning, idf."""

from __future__ import annotations

import numpy as np

from ..errors import ParameterError
from ..tally.count import CountTally
from .reading import Reading
from .table import Floats

__all__ = ["by_feature", "prune", "require", "smooth_idf", "values_of"]


def require(tally: CountTally, channel: str) -> None:
    """Refuse a tally that does not hold a channel."""
    if channel not in tally.channels:
        have = " and ".join(tally.channels) or "nothing"
        raise ParameterError(
            f"this reading needs the counts of {channel}, the tally holds {have}: "
            "learn again with channels=('occurrences', 'documents')"
        )


def values_of(tally: CountTally, channel: str) -> Floats:
    """Return one channel's cells as float64, shape (nnz,), in natural units."""
    require(tally, channel)
    cells: Floats = tally.values(channel).astype(np.float64)
    return cells


def by_feature(tally: CountTally, cells: Floats) -> Floats:
    """Return the sum of the cells of each feature, shape (V,)."""
    feature = np.repeat(np.arange(len(tally.indptr) - 1), np.diff(tally.indptr))
    return np.bincount(feature, cells, len(tally.indptr) - 1).astype(np.float64, copy=False)


def prune(tally: CountTally, reading: Reading) -> CountTally:
    """Return the tally of the features that the reading keeps (`min_df`, `max_df`, `max_features`)."""
    if reading.weighting == "tfidf":
        return tally  # its features were pruned when the idf was frozen
    n_features = len(tally.indptr) - 1
    keep = np.ones(n_features, bool)
    if (reading.min_df, reading.max_df) != (1, 1.0):
        documents = by_feature(tally, values_of(tally, "documents"))
        total = float(np.asarray(tally.class_count, np.float64).sum())

        def limit(bound: int | float) -> float:
            return bound * total if isinstance(bound, (float, np.floating)) else bound

        if limit(reading.max_df) < limit(reading.min_df):
            raise ParameterError(
                f"max_df={reading.max_df!r} keeps fewer documents than min_df={reading.min_df!r} asks for"
            )
        keep &= (documents >= limit(reading.min_df)) & (documents <= limit(reading.max_df))
    if reading.max_features is not None and keep.sum() > reading.max_features:
        channel = "documents" if reading.value == "binary" else "occurrences"
        frequency = by_feature(tally, values_of(tally, channel))
        order = np.argsort(-frequency[keep], kind="stable")[: reading.max_features]
        kept = np.flatnonzero(keep)[order]
        keep = np.zeros(n_features, bool)
        keep[kept] = True
    return tally if keep.all() else tally.select(np.flatnonzero(keep))


def smooth_idf(documents: Floats, n_documents: float) -> Floats:
    """Return ln((1 + n) / (1 + df)) + 1, scikit-learn's smooth idf, shape (V,)."""
    return np.log((1.0 + n_documents) / (1.0 + documents)) + 1.0
