"""Which features of a count tally are kept, and how much each of them tells by how many documents hold it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes.errors import ParameterError
from tallybayes.kinds import keep_plain
from tallybayes.tally.count import CountTally

__all__ = ["Selection", "by_feature", "require_channel", "smooth_idf", "values_of"]

Floats = NDArray[np.float64]


def require_channel(tally: CountTally, channel: str) -> None:
    """Refuse a tally that does not hold a channel.

    Raises
    ------
    ParameterError
    """
    if channel not in tally.channels:
        have = " and ".join(tally.channels)
        raise ParameterError(
            f"this reading needs the counts of {channel}, the tally holds {have}: "
            "learn again with channels=('occurrences', 'documents')"
        )


def values_of(tally: CountTally, channel: str) -> Floats:
    """Return one channel's cells as float64, shape (nnz,), in natural units.

    Raises
    ------
    ParameterError
        If the tally does not hold the channel.
    """
    require_channel(tally, channel)
    cells: Floats = tally.values(channel).astype(np.float64)
    return cells


def by_feature(tally: CountTally, cells: Floats) -> Floats:
    """Return the sum of the cells of each feature, shape (V,)."""
    feature = np.repeat(np.arange(len(tally.indptr) - 1), np.diff(tally.indptr))
    return np.bincount(feature, cells, len(tally.indptr) - 1).astype(np.float64, copy=False)


def smooth_idf(documents: Floats, n_documents: float) -> Floats:
    """Return ln((1 + n) / (1 + df)) + 1, scikit-learn's smooth idf, shape (V,)."""
    return np.log((1.0 + n_documents) / (1.0 + documents)) + 1.0


def _whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which features are kept, as scikit-learn's vectorizers do it.

    Parameters
    ----------
    min_df, max_df : int or float
        Keep features of at least / at most so many documents (int) or so large a share of them (float).
    max_features : int or None
        Keep the most frequent ones; of equally frequent ones the first in byte order.

    Raises
    ------
    ParameterError
        If a value is out of its range.
    """

    min_df: int | float = 1
    max_df: int | float = 1.0
    max_features: int | None = None

    def __post_init__(self) -> None:
        keep_plain(self)
        if self.max_features is not None and (not _whole(self.max_features) or self.max_features < 1):
            raise ParameterError(f"max_features must be None or at least 1; got {self.max_features!r}")
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if not (
                (_whole(value) and value >= 1) or (isinstance(value, (float, np.floating)) and 0.0 <= value <= 1.0)
            ):
                raise ParameterError(f"{name} must be a whole number ≥ 1 or a share from 0.0 to 1.0; got {value!r}")

    @classmethod
    def of(cls, other: Any) -> Selection:
        """Return the selection of something that has its parameters."""
        return cls(**{each.name: getattr(other, each.name) for each in fields(Selection)})

    @property
    def by_documents(self) -> bool:
        """Whether document frequencies decide."""
        return (self.min_df, self.max_df) != (1, 1.0)

    def kept(self, tally: CountTally, channel: str) -> CountTally:
        """Return the tally of the features that are kept; `channel` says what the most frequent ones are.

        Raises
        ------
        ParameterError
            If `max_df` keeps fewer documents than `min_df` asks for, or a channel is missing.
        """
        keep = np.ones(len(tally.features), bool)
        if self.by_documents:
            documents = by_feature(tally, values_of(tally, "documents"))
            total = float(np.asarray(tally.class_count, np.float64).sum())
            least, most = (
                bound * total if isinstance(bound, (float, np.floating)) else bound
                for bound in (self.min_df, self.max_df)
            )
            if most < least:
                raise ParameterError(
                    f"max_df={self.max_df!r} keeps fewer documents than min_df={self.min_df!r} asks for"
                )
            keep &= (documents >= least) & (documents <= most)
        if self.max_features is not None and keep.sum() > self.max_features:
            frequency = by_feature(tally, values_of(tally, channel))
            order = np.argsort(-frequency[keep], kind="stable")[: self.max_features]
            kept = np.flatnonzero(keep)[order]
            keep = np.zeros(len(keep), bool)
            keep[kept] = True
        return tally if keep.all() else tally.select(np.flatnonzero(keep))
