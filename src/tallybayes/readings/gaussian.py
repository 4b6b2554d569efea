"""The Gaussian event model: a normal distribution per class and column.

With m and v the mean and the (smoothed) variance of class c in column j, natural logarithms throughout::

    score_c(x) = log P(c) + Σ_j ( -log(2π v_cj) / 2 - (x_j - m_cj)² / (2 v_cj) )

The square stays centred: multiplied out it would cancel for large means.
"""

from __future__ import annotations

import decimal
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import InputError, ParameterError
from ..tally import MomentTally
from .base import Reading, Scores, check_number, rows_not_finite
from .terms import Floats, Terms

__all__ = ["GaussianReading", "GaussianScores"]


DIGITS = 1000  # the square of the largest number over the smallest variance has 940 digits before the point
GUARD = 1e-6  # var_smoothing up to here is a guard against rounding, above it a choice


@dataclass(frozen=True, kw_only=True)
class GaussianReading(Reading):
    """Read means and deviations as normal distributions.

    Parameters
    ----------
    var_smoothing : float
        This share of the largest variance of all columns, over all rows together, is added to every variance.
    ddof : {0, 1}
        Variances are squared deviations divided by weight - ddof.
    prior, prior_alpha
        As in `Reading`; "words" has no meaning for columns of numbers.

    Examples
    --------
    >>> GaussianReading(ddof=1).var_smoothing
    1e-09
    """

    var_smoothing: float = 1e-9
    ddof: int = 0

    event_model = "gaussian"
    counters = ("numbers",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "var_smoothing", check_number("var_smoothing", self.var_smoothing))
        if self.ddof not in (0, 1) or isinstance(self.ddof, bool):
            raise ParameterError(f"ddof must be 0 (divide by n) or 1 (by n - 1); got {self.ddof!r}")
        object.__setattr__(self, "ddof", int(self.ddof))

    def check(self, tally: MomentTally) -> GaussianScores:
        return self.read(tally)

    def read(self, tally: MomentTally) -> GaussianScores:
        """Return what a tally of moments says of rows.

        Raises
        ------
        ParameterError
            If the prior does not fit the classes.
        InputError
            If the columns vary by too little for their squares to be told from zero.

        Warns
        -----
        UserWarning
            If a `var_smoothing` of at most 1e-6 exceeds the own variance of a column, and so drowns it.
        """
        return GaussianScores(tally, self)


class GaussianScores(Scores):
    """A moment tally read.

    Attributes
    ----------
    mean, variance : ndarray of float64, shape (K, d)
        The variance holds `epsilon` already.
    epsilon : float
        What was added to each variance, in squared units of the data.
    points : ndarray of bool, shape (K, d)
        Where a class has no variance at all: its value is certain, any other one impossible.
    """

    tally: MomentTally
    reading: GaussianReading

    def __init__(self, tally: MomentTally, reading: GaussianReading) -> None:
        super().__init__(tally, reading, reading.log_prior(tally))
        with np.errstate(over="ignore", invalid="ignore"):  # told below
            over_all = tally.pooled_variance()
        widest = float(over_all.max(initial=0.0))
        self.epsilon = epsilon = reading.var_smoothing * widest
        _check_scale(tally, over_all, widest)
        drowned = np.flatnonzero((over_all > 0) & (over_all < epsilon))
        # Who asks for much smoothing gets it; what must not stay silent is a guard against rounding that does harm.
        if drowned.size and reading.var_smoothing <= GUARD:
            _warn_drowned(tally, drowned, over_all, epsilon)
        mean, variance = tally.mean, tally.variance(reading.ddof)
        unknown = tally.weight == 0
        if unknown.any():
            # A class that never had a value here is given the column's distribution over all classes: no information.
            weight = tally.weight.sum(axis=0)
            share = np.divide(tally.weight, weight, out=np.zeros_like(tally.weight), where=weight > 0)
            mean = np.where(unknown, (share * mean).sum(axis=0), mean)
            variance = np.where(unknown, over_all, variance)
        self.mean, self.variance = np.ascontiguousarray(mean), variance + epsilon
        beyond = np.argwhere(~np.isfinite(self.variance))
        if len(beyond):
            c, column = beyond[0].tolist()
            raise InputError(
                f"class {tally.classes[c]!r}, column {column}: the variance is beyond float64 (about 1e308); divide "
                "the column first, or give its rows more weight"
            )
        self.points = self.variance == 0
        safe = np.where(self.points, 1.0, self.variance)
        self._factor = np.where(self.points, 0.0, -0.5 / safe)
        with np.errstate(over="ignore"):
            logs = np.log(2 * np.pi * safe)
        logs = np.where(np.isfinite(logs), logs, np.log(safe) + np.log(2 * np.pi))
        self._constant = np.where(self.points, 0.0, -0.5 * logs)
        self._constants: Floats = self._constant.sum(axis=1)

    far = 1e5

    def _score(self, rows: Any, start: Floats, out: Floats, n_jobs: int) -> npt.NDArray[np.intp]:
        constant = self._constant if rows.skips else None
        base = start if rows.skips else start + self._constants
        table = (self.mean, self._factor, constant, base, out)
        bad: Any
        if rows.csr is None:
            bad = _kernel.gaussian_scores(rows.data, *table, n_jobs=n_jobs)
        else:
            indptr, indices, data = rows.csr
            bad = _kernel.gaussian_scores_csr(indptr, indices, data, *table, n_jobs=n_jobs)
        if bad is not None:
            rows.refuse(*bad)
        lost = rows_not_finite(out, np.flatnonzero(np.isneginf(start)))
        for column in map(int, np.flatnonzero(self.points.any(axis=0))):
            x = rows.column(column)
            classes = np.flatnonzero(self.points[:, column])
            elsewhere = (x[:, None] != self.mean[classes, column]) & ~np.isnan(x)[:, None]
            out[:, classes] = np.where(elsewhere, -np.inf, out[:, classes])
        return lost

    def _differences(self, rows: Any, which: npt.NDArray[np.intp], describe: Callable[[int], Described]) -> Floats:
        taken = rows.take(which)
        return np.array([self._differences_at(taken.dense(i)) for i in range(len(which))])

    def _differences_at(self, x: Floats) -> Floats:
        """Return the scores of one row, shape (d,), less that of the best class, shape (K,)."""
        there = ~np.isnan(x)
        x, mean, points = x[there], self.mean[:, there], self.points[:, there]
        impossible = np.isneginf(self.start) | (points & (x != mean)).any(axis=1)
        differences = np.where(impossible, -np.inf, 0.0)
        kept = np.flatnonzero(~impossible)
        if not kept.size:
            return differences
        mean, points = mean[kept], points[kept]
        variance, constant = (each[np.ix_(kept, there)] for each in (self.variance, self._constant))
        best = 0
        # Differences to the best class are the ones that matter; each turn finds a better one, the last confirms it.
        for _ in kept:
            apart = _apart(self.start[kept], x, mean, variance, points, constant, best)
            better = int(apart.argmax())
            if better == best or not apart[better] > 0:
                break
            best = better
        differences[kept] = apart
        return differences

    def terms(self, described: Described) -> Terms:
        columns, x = np.asarray(described.keys, np.int64), described.amounts
        away = x[:, None] - self.mean[:, columns].T
        with np.errstate(invalid="ignore", over="ignore"):
            terms = self._constant[:, columns].T + self._factor[:, columns].T * away**2
        terms = np.where(self.points[:, columns].T & (away != 0), -np.inf, terms)
        return Terms(self.start, np.zeros(len(self.start)), terms, np.ones(len(columns), bool))

    def derive(self, described: Described, *, features: int, classes: int) -> Any:
        from ..derive import derive_gaussian

        there, labels = list(described.keys), list(self.tally.classes)
        count = self.tally.class_count.tolist()
        return derive_gaussian(
            labels,
            [int(n) for n in count] if all(n.is_integer() for n in count) else count,
            [name.split(" = ")[0] for name in described.names],
            described.amounts.tolist(),
            self.mean[:, there].tolist(),
            self.variance[:, there].tolist(),
            prior=self.reading.prior_of(labels),
            prior_alpha=self.reading.prior_alpha,
            left_out=list(described.left_out),
            text=described.text,
            shown_columns=features,
            shown_classes=classes,
        )


def _apart(
    start: Floats,
    x: Floats,
    mean: Floats,
    variance: Floats,
    points: npt.NDArray[np.bool_],
    constant: Floats,
    reference: int,
) -> Floats:
    """Return the scores of classes less that of the `reference`, shape (K,), each column's difference by itself.

    With a = -1 / 2v, a_c (x - m_c)² - a_r (x - m_r)² is (a_c - a_r) (x - m_r)² + a_c (m_r - m_c) (2x - m_c - m_r): no
    digit cancels that a class shares with the other one.
    """
    m, v = mean[reference], variance[reference]
    safe, safe_v = np.where(points, 1.0, variance), np.where(points[reference], 1.0, v)
    factor = np.where(points, 0.0, -0.5 / safe)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        steeper = np.where(
            points | points[reference], factor - factor[reference], 0.5 * ((safe - safe_v) / safe / safe_v)
        )
        square = np.where(steeper == 0, 0.0, steeper * (x - m) * (x - m))
        shift = np.where(mean == m, 0.0, factor * (m - mean) * ((x - mean) + (x - m)))
        terms = square + shift
    parts = np.column_stack([start - start[reference], constant - constant[reference], terms])
    with np.errstate(over="ignore", invalid="ignore"):
        differences: Floats = parts.sum(axis=1)
        sizes = np.abs(parts).sum(axis=1)
        rounding = parts.shape[1] * np.finfo(np.float64).eps * sizes
    # Mostly nothing cancels, and a plain sum is as good as any.
    doubtful = ~(np.isfinite(sizes) & (rounding <= 1e-12 * np.maximum(1.0, np.abs(differences))))
    for c in np.flatnonzero(doubtful).tolist():
        try:
            if np.isfinite(terms[c]).all():
                differences[c] = math.fsum(parts[c].tolist())
                continue
        except OverflowError:  # a partial sum left float64
            pass
        one, other = (mean[c], safe[c], points[c]), (m, safe_v, points[reference])
        differences[c] = _apart_exactly(parts[c, : -len(x)].tolist(), x, one, other)
    return differences


def _apart_exactly(parts: list[float], x: Floats, one: tuple[Any, ...], other: tuple[Any, ...]) -> float:
    """Return the difference of two sums with so many digits that nothing can be lost; infinite beyond float64."""
    with decimal.localcontext() as context:
        context.prec, context.Emax, context.Emin = DIGITS, decimal.MAX_EMAX, decimal.MIN_EMIN
        total = sum(map(Decimal, parts), Decimal(0))
        for j, value in enumerate(map(Decimal, x.tolist())):
            for sign, (mean, variance, points) in ((1, one), (-1, other)):
                if not points[j]:
                    total -= sign * (value - Decimal(float(mean[j]))) ** 2 / (2 * Decimal(float(variance[j])))
        return float(total)


def _check_scale(tally: MomentTally, over_all: Floats, widest: float) -> None:
    if not np.isfinite(widest):
        column = int((~np.isfinite(over_all)).argmax())
        raise InputError(f"column {column} varies by so much that its squares are beyond float64; divide it first")
    if widest >= np.finfo(np.float64).tiny or len(tally.classes) == 0:
        return
    filled = tally.weight > 0
    low = np.where(filled, tally.mean, np.inf).min(axis=0)
    high = np.where(filled, tally.mean, -np.inf).max(axis=0)
    varied = np.flatnonzero((high > low) | (over_all > 0))
    if varied.size:
        raise InputError(
            f"column {varied[0]} varies by so little that its squares cannot be told from zero in float64; multiply "
            "the columns first (by 1e100, say)"
        )


def _warn_drowned(tally: MomentTally, drowned: npt.NDArray[np.intp], over_all: Floats, epsilon: float) -> None:
    names = tally.columns
    shown = ", ".join(str(j if names is None else repr(names[j])) for j in drowned[:10])
    more = f" and {len(drowned) - 10} more" if len(drowned) > 10 else ""
    widest = int(over_all.argmax())
    warnings.warn(
        f"var_smoothing adds {epsilon:.3g} to every variance, a share of that of column "
        f"{widest if names is None else repr(names[widest])}; that is more than the own variance of column "
        f"{shown}{more}, which hardly count now: bring the columns to one scale, or lower var_smoothing",
        UserWarning,
        stacklevel=4,
    )
