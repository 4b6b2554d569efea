"""Reading a moment tally: prior + variance smoothing → the log densities of normal distributions.

With m and v the mean and the (smoothed) variance of class c in column j, natural logarithms throughout::

    score_c(x) = log P(c) + Σ_j ( -log(2π v_cj) / 2 - (x_j - m_cj)² / (2 v_cj) )

The square stays centred: multiplied out it would cancel for large means.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..errors import InputError, ParameterError
from ..tally.moments import MomentTally
from .contributions import Terms
from .prior import log_prior
from .table import Floats

__all__ = ["CsrRows", "GaussianReading", "GaussianScores", "check_squares", "gaussian_terms", "refuse_value"]


GUARD = 1e-6  # var_smoothing up to here is a guard against rounding, above it a choice


class CsrRows(Protocol):
    """The three arrays of a CSR matrix, as scipy names them."""

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    data: npt.NDArray[Any]
    shape: tuple[int, int]


@dataclass(frozen=True)
class GaussianReading:
    """How a moment tally is read.

    Parameters
    ----------
    var_smoothing : float
        This share of the largest variance of all columns, over all rows together, is added to every variance.
    ddof : {0, 1}
        Variances are squared deviations divided by weight - ddof.
    prior, prior_alpha
        As in `Reading`; "words" has no meaning for columns of numbers.
    missing : {"error", "skip"}
        What NaN is: an error, or a factor left out.
    """

    var_smoothing: float = 1e-9
    ddof: int = 0
    prior: Any = None
    prior_alpha: float = 0.0
    missing: Literal["error", "skip"] = "error"

    def __post_init__(self) -> None:
        for name in ("var_smoothing", "prior_alpha"):
            value = getattr(self, name)
            number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            if not (number and np.isfinite(value) and value >= 0):
                raise ParameterError(f"{name} must be a finite number of at least 0; got {value!r}")
        if self.ddof not in (0, 1) or isinstance(self.ddof, bool):
            raise ParameterError(f"ddof must be 0 (divide by n) or 1 (by n - 1); got {self.ddof!r}")
        if self.missing not in ("error", "skip"):
            raise ParameterError(f"missing must be 'error' or 'skip'; got {self.missing!r}")
        if isinstance(self.prior, str) and self.prior not in ("documents", "uniform"):
            raise ParameterError(f"prior must be 'documents', 'uniform' or probabilities here; got {self.prior!r}")


@dataclass(frozen=True)
class GaussianScores:
    """The score table of a Gaussian model.

    Attributes
    ----------
    mean, variance : ndarray of float64, shape (K, d)
        The variance holds `epsilon` already.
    epsilon : float
        What was added to each variance, in squared units of the data.
    log_prior : ndarray of float64, shape (K,)
    missing : bool
        Whether NaN is a factor left out.
    points : ndarray of bool, shape (K, d)
        Where a class has no variance at all: its value is certain, any other one impossible.
    """

    mean: Floats
    variance: Floats
    epsilon: float
    log_prior: Floats
    missing: bool
    points: npt.NDArray[np.bool_]
    _factor: Floats
    _constant: Floats

    @classmethod
    def read(cls, tally: MomentTally, reading: GaussianReading) -> GaussianScores:
        """Read a moment tally.

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
        over_all = tally.pooled_variance()
        widest = float(over_all.max(initial=0.0))
        epsilon = float(reading.var_smoothing) * widest
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
        variance = variance + epsilon
        points = variance == 0
        safe = np.where(points, 1.0, variance)
        factor = np.where(points, 0.0, -0.5 / safe)
        constant = np.where(points, 0.0, -0.5 * np.log(2 * np.pi * safe))
        prior = log_prior(tally, reading)
        return cls(
            np.ascontiguousarray(mean), variance, epsilon, prior, reading.missing == "skip", points, factor, constant
        )

    def joint(
        self,
        X: Floats | npt.NDArray[np.float32] | CsrRows,
        n_jobs: int = 1,
        out: Floats | None = None,
        first_row: int = 0,
    ) -> Floats:
        """Score rows.

        Parameters
        ----------
        X : float64 or float32 array in C order, or CSR rows, of shape (n, d)
            CSR rows with NaN must hold no column twice.
        n_jobs : int
            Threads.
        out : float64 array of shape (n, K), optional
        first_row : int
            What messages call the first row.

        Returns
        -------
        ndarray of float64, shape (n, K)
            Joint log densities, natural log; -inf is exactly zero.

        Raises
        ------
        InputError
            For NaN (unless it is to be skipped) and infinity: the message names the row and the column.
        """
        out = np.empty((X.shape[0], len(self.log_prior))) if out is None else out
        constant = self._constant if self.missing else None
        base = self.log_prior if self.missing else self.log_prior + self._constant.sum(axis=1)
        table = (self.mean, self._factor, constant, base, out)
        if isinstance(X, np.ndarray):
            bad: Any = _kernel.gaussian_scores(X, *table, n_jobs=n_jobs)
        else:
            bad = _kernel.gaussian_scores_csr(X.indptr.astype(np.int64), X.indices, X.data, *table, n_jobs=n_jobs)
        if bad is not None:
            refuse_value(X, bad[0], bad[1], first_row)
        for column in map(int, np.flatnonzero(self.points.any(axis=0))):
            x = X[:, column] if isinstance(X, np.ndarray) else _dense_column(X, column)
            classes = np.flatnonzero(self.points[:, column])
            elsewhere = (x[:, None] != self.mean[classes, column]) & ~np.isnan(x)[:, None]
            out[:, classes] = np.where(elsewhere, -np.inf, out[:, classes])
        return out


def gaussian_terms(table: GaussianScores, x: Floats) -> Terms:
    """Take the scores of one row of d values apart; a column that is left out adds nothing."""
    away = x[:, None] - table.mean.T
    with np.errstate(invalid="ignore", over="ignore"):
        terms = table._constant.T + table._factor.T * away**2
    terms = np.where(table.points.T & (away != 0), -np.inf, terms)
    terms[np.isnan(x)] = 0.0
    return Terms(table.log_prior, np.zeros(len(table.log_prior)), terms)


def refuse_value(X: npt.NDArray[Any] | CsrRows, row: int, column: int, first_row: int = 0) -> None:
    """Raise the error for a value that is not finite."""
    value = X[row, column] if isinstance(X, np.ndarray) else _dense_column(X, column)[row]
    row += first_row
    if np.isnan(value):
        raise InputError(
            f"Input X contains NaN: the first at row {row}, column {column}; fill the gaps, or use missing='skip' to "
            "leave them out"
        )
    raise InputError(f"Input X contains infinity: {value} at row {row}, column {column}; clip or remove such values")


def check_squares(m2: Floats) -> None:
    """Refuse sums of squares that left the range of float64."""
    wrong = ~np.isfinite(m2)
    if wrong.any():
        column = int(wrong.any(axis=0).argmax())
        raise InputError(
            f"column {column} holds values whose squares are beyond float64 (about 1e308); divide the column first"
        )


def _check_scale(tally: MomentTally, over_all: Floats, widest: float) -> None:
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


def _dense_column(X: CsrRows, column: int) -> Floats:
    """Give one column of CSR rows; what is stored twice adds up."""
    at = X.indices == column
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[at]
    return np.bincount(rows, X.data[at].astype(np.float64), X.shape[0]).astype(np.float64, copy=False)
