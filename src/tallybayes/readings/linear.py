"""Readings of counts whose scores are linear in the counts of a row, and what these have in common.

All of them end in one form (natural logarithms throughout)::

    score_c(x) = base_c + scale_c · ( Σ x_i feature_i + |x| · each_c + Σ x_i delta_ic )

with ``delta`` over the non-zero counts only, because log(n + α) = log α + log(1 + n/α). Factors that are exactly zero
(α = 0) are no numbers in that sum; a companion table of whole numbers counts them, so that 0 · ∞ cannot arise.

References
----------
Manning, Raghavan, Schütze (2008), Introduction to Information Retrieval, chapter 13 (multinomial, Bernoulli).
Rennie, Shih, Teevan, Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers (complement).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import ParameterError
from ..tally import ColumnFeatures, CountTally
from ..tally.features import Features, gather_rows
from ..tally.selection import Selection, by_feature, require_channel, smooth_idf, values_of
from .base import Reading, Scores, rows_not_finite
from .prior import log_prior
from .terms import Floats, Terms
from .trace import trace_reading

__all__ = ["LinearReading", "LinearScores", "LinearTable", "companion"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LinearTable:
    """A score table: log likelihoods that are linear in a row's counts, natural log.

    Attributes
    ----------
    base : ndarray of float64, shape (K,)
        What a row without any feature has.
    each, scale : ndarray of float64, shape (K,)
        What every unit of |x| adds, and the factor of all that a row adds.
    feature : ndarray of float64, shape (V,) or (0,)
        The part of a feature that all classes share; empty when it is zero everywhere.
    gain : ndarray of float64, shape (V,) or (0,)
        x_i is multiplied by it (idf); empty means 1.
    indptr : ndarray of int64, shape (V + 1,)
    class_index : ndarray of int32, shape (nnz,)
    delta : ndarray of float64, shape (nnz,)
    zeros : LinearTable or None
        The companion table: its score is the number of factors that are exactly zero, to be taken on binary rows. A
        positive number makes the class impossible, a negative one (complement) certain.
    """

    base: Floats
    each: Floats
    indptr: Integers
    class_index: npt.NDArray[np.int32]
    delta: Floats
    scale: Floats = field(default_factory=lambda: np.ones(1))
    feature: Floats = field(default_factory=lambda: np.zeros(0))
    gain: Floats = field(default_factory=lambda: np.zeros(0))
    zeros: LinearTable | None = None

    def __post_init__(self) -> None:
        if self.scale.shape != self.base.shape:
            object.__setattr__(self, "scale", np.ones(len(self.base)))

    @classmethod
    def over(cls, tally: CountTally, **parts: Any) -> LinearTable:
        """Return a table with a cell for every cell of a tally."""
        return cls(**{"indptr": tally.indptr, "class_index": tally.class_index, **parts})

    @property
    def n_features(self) -> int:
        """V, the number of features in the table."""
        return len(self.indptr) - 1

    def weights(self, rows: npt.NDArray[np.integer]) -> Floats:
        """Return what one unit of each of some features adds to each class, shape (n, K); zero factors left out."""
        sizes = self.indptr[rows + 1] - self.indptr[rows]
        cells = gather_rows(self.indptr[rows], sizes)
        weights = np.tile(self.each, (len(rows), 1))
        weights[np.repeat(np.arange(len(rows)), sizes), self.class_index[cells]] += self.delta[cells]
        if self.feature.size:
            weights += self.feature[rows, np.newaxis]
        weights *= self.scale
        if self.gain.size:
            weights *= self.gain[rows, np.newaxis]
        return weights

    def log_weights(self, rows: npt.NDArray[np.integer]) -> Floats:
        """Return `weights` with the factors that are exactly zero put in as infinities."""
        weights = self.weights(rows)
        if self.zeros is not None:
            counted = self.zeros.weights(rows)
            weights = np.where(counted > 0, -np.inf, np.where(counted < 0, np.inf, weights))
        return weights

    def laid_out(self, start: Floats, *, dense: bool) -> _kernel.ScoreTable:
        """Lay the table out for the kernel, `start` added to its base; `dense`: with dense rows where they help."""
        return _kernel.ScoreTable(
            self.base + start,
            self.scale,
            self.each,
            self.feature,
            self.gain,
            self.indptr,
            self.class_index,
            self.delta,
            dense=dense,
        )


@dataclass(frozen=True, kw_only=True)
class LinearReading(Reading):
    """The base of readings that make a `LinearTable` of counts.

    Parameters
    ----------
    alpha : float or sequence of float, shape (V,)
        Additive smoothing, ≥ 0; 0 is maximum likelihood, 1 is Laplace.
    weighting : {"count", "binary", "idf"}
        What one feature of a row weighs: its count, 1, or count · idf.
    min_df, max_df, max_features
        Which features are kept; see `tallybayes.tally.selection.Selection`.
    prior, prior_alpha
        As in `Reading`.
    """

    alpha: Any = 1.0
    weighting: Literal["count", "binary", "idf"] = "count"
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_features: int | None = None

    counters: ClassVar[tuple[str, ...]] = ("text", "tfidf", "counts")
    priors: ClassVar[tuple[str, ...]] = ("documents", "words", "uniform")
    weightings: ClassVar[tuple[str, ...]] = ("count", "binary", "idf")
    # What `derive` calls the event model; None: it has no derivation.
    derivation: ClassVar[str | None] = None
    # Whether a feature that a row does not hold has a factor too.
    absent_enters: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", _checked_alpha(self.alpha))
        Selection.of(self)
        if self.weighting not in self.weightings:
            counted = self.weighting in ("log", "tfidf")
            raise ParameterError(
                f"weighting={self.weighting!r} is counted while learning, not read: learn again with it"
                if counted
                else f"weighting must be one of {', '.join(map(repr, self.weightings))} with "
                f"event_model={self.event_model!r}; got {self.weighting!r}"
            )

    # What an event model provides

    @abstractmethod
    def _table(self, tally: CountTally, cells: Floats, alpha: Floats) -> LinearTable:
        """Return the table of a tally whose cells, idf included, are `cells`; alpha of shape () or (V,)."""

    def _enters(self, n_classes: int) -> bool:
        """Return whether the prior is part of the scores."""
        return True

    def derivation_settings(self, scores: LinearScores) -> dict[str, Any]:
        """Return what else a derivation must know."""
        return {}

    # What all have

    @property
    def value(self) -> Literal["count", "binary"]:
        """What a row's own counts are turned into before they meet the table."""
        return "binary" if self.weighting == "binary" else "count"

    @property
    def unknown(self) -> bool:
        """Whether features never seen in training enter the score."""
        return False

    @property
    def channel(self) -> str:
        """The channel of the tally that is read."""
        return "documents" if self.value == "binary" else "occurrences"

    @property
    def channels(self) -> tuple[str, ...]:
        wanted = {self.channel}
        if self.weighting == "idf" or Selection.of(self).by_documents:
            wanted.add("documents")
        if self.prior == "words":
            wanted.add("occurrences")
        return tuple(sorted(wanted))

    def _kept(self, tally: CountTally) -> CountTally:
        """Return the tally of the features that are read; of columns all are, those never seen too."""
        return _every_column(tally) if self._of_columns(tally) else Selection.of(self).kept(tally, self.channel)

    def _of_columns(self, tally: CountTally) -> bool:
        """Return whether features are columns, all of which are read; refuse to prune these."""
        of_columns = tally.space.kind == "columns"
        if of_columns and Selection.of(self) != Selection():
            raise ParameterError("min_df, max_df and max_features prune features of text; select columns beforehand")
        return of_columns

    def check(self, tally: CountTally) -> None:
        of_columns = self._of_columns(tally)
        kept = tally if of_columns else self._kept(tally)
        width = kept.features.width if of_columns else len(kept.features)
        if isinstance(self.alpha, tuple) and len(self.alpha) != width:
            raise ParameterError(
                "alpha should be a scalar or one number per feature. When alpha is an array, it should contains "
                f"`n_features`. Got {len(self.alpha)} elements instead of {width}."
            )
        for channel in self.channels:
            require_channel(tally, channel)
        super().check(kept)

    def read(self, tally: CountTally) -> LinearScores:
        self.check(tally)
        tally = self._kept(tally)
        cells = values_of(tally, self.channel)
        gain = np.zeros(0)
        if self.weighting == "idf":
            documents = by_feature(tally, values_of(tally, "documents"))
            gain = smooth_idf(documents, float(np.asarray(tally.class_count, np.float64).sum()))
            cells = cells * np.repeat(gain, np.diff(tally.indptr))
        table = replace(self._table(tally, cells, np.asarray(self.alpha, np.float64)), gain=gain)
        scores = LinearScores(tally, self, table)
        trace_reading(tally, self.event_model, self.channel, scores.log_prior, table.log_weights)
        return scores


class LinearScores(Scores):
    """A count tally read into a linear table.

    Attributes
    ----------
    table : LinearTable
    """

    tally: CountTally
    reading: LinearReading

    def __init__(self, tally: CountTally, reading: LinearReading, table: LinearTable) -> None:
        prior = log_prior(tally, reading.prior, reading.prior_alpha)
        super().__init__(tally, reading, prior, prior_enters=reading._enters(len(tally.classes)))
        self.table = table
        # With and without the prior: what finds rows in the table, and the classes that cannot be.
        self._lookups: dict[bool, tuple[Any, Integers]] = {}

    far = 1e8  # a million words are no reason to doubt a sum

    def _score(self, rows: Any, start: Floats, out: Floats, n_jobs: int) -> npt.NDArray[np.intp]:
        joint = start is self.start
        found = self._lookups.get(joint)
        if found is None:
            impossible = np.flatnonzero(np.isneginf(self.table.base + start))
            found = self._lookups[joint] = rows.lookup(_LaidOut(self, start)), impossible
        lookup, impossible = found
        zeros = lookup.score(rows, out, n_jobs)
        lost = rows_not_finite(out, impossible)
        if zeros is not None:
            out[zeros < 0] = np.inf
            out[zeros > 0] = -np.inf
        if impossible.size:
            out[:, impossible] = -np.inf
        return lost

    def terms(self, described: Described) -> Terms:
        table, n_classes = self.table, len(self.log_prior)
        rows = self.tally.features.find(described.keys)
        known = rows >= 0
        amounts = np.ones(len(rows)) if self.reading.value == "binary" else described.amounts
        bias = np.where(np.isfinite(self.start), table.base, 0.0)
        features = np.zeros((len(rows), n_classes))
        features[known] = table.weights(rows[known])
        if self.reading.unknown:
            features[~known] = table.scale * table.each
        features *= amounts[:, np.newaxis]
        if table.zeros is not None:
            zeros = np.zeros_like(features)
            zeros[known] = table.zeros.weights(rows[known])
            # Bernoulli counts a feature that every document of a class has as missing, until the row shows it.
            missing = table.zeros.base + np.minimum(zeros, 0.0).sum(axis=0)
            bias[missing > 0] = -np.inf
            features[zeros > 0] = -np.inf
            features[(zeros < 0) & (table.zeros.base == 0)] = np.inf
        return Terms(self.start, bias, features, known)

    def derive(self, described: Described, *, features: int, classes: int) -> Any:
        if self.reading.derivation is None:
            return super().derive(described, features=features, classes=classes)
        from ._derivation import linear_derivation

        return linear_derivation(self, described, features, classes)


class _LaidOut:
    """The table of some scores as a look-up asks for it; see `tallybayes.counters.text.LinearTable`."""

    def __init__(self, scores: LinearScores, start: Floats) -> None:
        self.features: Features = scores.tally.features
        self.value, self.unknown = scores.reading.value, scores.reading.unknown
        self._table, self._start = scores.table, start
        zeros, none = scores.table.zeros, np.zeros(len(start))
        self.n_cells = len(scores.table.class_index)
        self.zeros = None if zeros is None else zeros.laid_out(none, dense=True)

    def laid_out(self, *, dense: bool = True) -> _kernel.ScoreTable:
        return self._table.laid_out(self._start, dense=dense)


def _every_column(tally: CountTally) -> CountTally:
    """Return the tally with every column as a feature, those never seen too: smoothing is over all columns."""
    features = tally.features
    if not isinstance(features, ColumnFeatures) or len(features) == features.n_columns:
        return tally
    sizes = np.zeros(features.n_columns, np.int64)
    sizes[features.columns] = np.diff(tally.indptr)
    return CountTally(
        tally.classes,
        tally.class_count,
        ColumnFeatures(np.arange(features.n_columns), features.n_columns),
        np.concatenate([[0], np.cumsum(sizes)]),
        tally.class_index,
        tally.channels,
        tally.space,
        tally.exact,
        tally.unit,
        tally.columns,
    )


def _checked_alpha(alpha: Any) -> float | tuple[float, ...]:
    """Check smoothing element by element; NaN, infinity and negative numbers are refused with their position."""
    try:
        values = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"alpha must be a number ≥ 0 or one per feature; got {alpha!r}") from None
    if values.ndim > 1 or isinstance(alpha, (bool, str)) or alpha is None:
        raise ParameterError(f"alpha must be a number ≥ 0 or one per feature; got {alpha!r}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)).ravel())
    if bad.size:
        where = "" if values.ndim == 0 else f" at position {bad[0]}"
        raise ParameterError(f"alpha must be finite and at least 0; got {float(values.ravel()[bad[0]])!r}{where}")
    return float(values) if values.ndim == 0 else tuple(values.tolist())


def companion(tally: CountTally, base: Floats, feature: Floats, delta: Floats) -> LinearTable | None:
    """Return the table that counts zero factors; None where there can be none."""
    if not (feature.any() or base.any() or delta.any()):
        return None
    return LinearTable.over(tally, base=base, each=np.zeros(len(base)), delta=delta, feature=feature)
