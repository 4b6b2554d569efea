"""Reading a tally of categories: prior + smoothing → one row of logarithms per value of each column.

With n the rows of class c that have value v in column j, N those that have any value there, and S the number of values
of the column, natural logarithms throughout::

    score_c(x) = log P(c) + Σ_j log( (n_cjv + α) / (N_cj + α S_j) )
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..errors import InputError, ParameterError
from ..tally.count import CountTally
from ..tally.values import Value, decode_value
from .contributions import Terms
from .prior import log_prior
from .reading import Reading
from .table import Floats

__all__ = ["CategoricalReading", "CategoricalScores", "CategoryCounts"]

Integers = npt.NDArray[np.int64]
# A column whose largest code is not much above the number of codes seen is laid out code by code.
_SPARE = 1024


@dataclass(frozen=True)
class CategoricalReading:
    """How a tally of categories is read.

    Parameters
    ----------
    alpha : float
        Smoothing, at least 0.
    unseen : {"smooth", "ignore", "error"}
        What a value never seen in training is: α / (N + α S) under every class, a factor left out, or an error.
    min_categories : int, sequence of int of length d, or None
        At least so many values has a column.
    prior, prior_alpha
        As in `Reading`.
    """

    alpha: float = 1.0
    unseen: Literal["smooth", "ignore", "error"] = "smooth"
    min_categories: int | tuple[int, ...] | None = None
    prior: Any = None
    prior_alpha: float = 0.0

    def __post_init__(self) -> None:
        if self.unseen not in ("smooth", "ignore", "error"):
            raise ParameterError(f"unseen must be 'smooth', 'ignore' or 'error'; got {self.unseen!r}")
        checked = Reading(alpha=self.alpha, prior=self.prior, prior_alpha=self.prior_alpha)
        if not isinstance(checked.alpha, float):
            raise ParameterError(f"alpha must be one number here; got {self.alpha!r}")
        if isinstance(self.prior, str) and self.prior == "words":
            raise ParameterError("prior='words' counts occurrences of words, and categories have none")


@dataclass(frozen=True)
class CategoryCounts:
    """A tally of categories laid out by column.

    Attributes
    ----------
    values : list of d lists
        The values that were seen in each column, in order.
    counts : list of d float64 arrays of shape (K, values seen)
    codes : bool
        Whether values are the whole numbers 0 … n - 1, of which some may not have been seen.
    """

    values: list[list[Value]]
    counts: list[Floats]
    codes: bool

    @classmethod
    def of(cls, tally: CountTally) -> CategoryCounts:
        """Lay a tally out."""
        rules = tally.space.rules
        values: list[list[Value]] = [[] for _ in range(int(rules["n_columns"]))]
        for feature in tally.features.labels():
            column, value = decode_value(str(feature))
            values[column].append(value)
        table = np.asarray(tally.dense("documents"), np.float64)
        edges = np.cumsum([len(each) for each in values])[:-1]
        return cls(values, np.split(table, edges, axis=1), rules["domain"] == "codes")

    def sizes(self, min_categories: int | tuple[int, ...] | None) -> Integers:
        """Give S, the number of values of each column, shape (d,).

        Raises
        ------
        ParameterError
            If `min_categories` has another length than there are columns.
        """
        seen = [len(each) if not (self.codes and each) else int(str(each[-1])) + 1 for each in self.values]
        least = np.asarray(0 if min_categories is None else min_categories, np.int64)
        if least.ndim and least.shape != (len(seen),):
            raise ParameterError(
                f"'min_categories' should have shape ({len(seen)},) when an array-like is provided. Got {least.shape} "
                "instead."
            )
        return np.maximum(np.array(seen, np.int64), least)


@dataclass(frozen=True)
class CategoricalScores:
    """The score table of a categorical model.

    Attributes
    ----------
    sizes : ndarray of int64, shape (d,)
        S, the number of values of each column.
    log_prior : ndarray of float64, shape (K,)
    """

    sizes: Integers
    log_prior: Floats
    _reading: CategoricalReading
    _first: Integers  # [d + 1], the rows of each column in the table
    _table: Floats  # [rows][K padded]: a row per value, then one for values never seen
    _base: Floats
    _wide: dict[int, Integers]  # columns laid out by the codes seen only: these codes
    _index: list[dict[tuple[type, Value] | None, int]]  # values → rows of the column; empty where they are codes

    @classmethod
    def read(cls, tally: CountTally, reading: CategoricalReading) -> CategoricalScores:
        """Read a tally of categories.

        Raises
        ------
        ParameterError
            If `min_categories` or the prior does not fit.
        """
        laid_out = CategoryCounts.of(tally)
        sizes = laid_out.sizes(reading.min_categories)
        n_classes = len(tally.classes)
        blocks, wide = [], {}
        for j, (values, counts) in enumerate(zip(laid_out.values, laid_out.counts, strict=True)):
            rows = counts.T
            if laid_out.codes:
                codes = np.array(values, np.int64)
                if sizes[j] > 4 * len(codes) + _SPARE:
                    wide[j] = codes
                    rows = np.concatenate([rows, np.zeros((1, n_classes))])  # a code in range, never seen
                else:
                    rows = np.zeros((sizes[j], n_classes))
                    rows[codes] = counts.T
            total = counts.sum(axis=1)
            logs = log_shares(rows, total, reading.alpha, int(sizes[j]))
            never = np.zeros(n_classes)
            if reading.unseen == "smooth":
                never = log_shares(np.zeros((1, n_classes)), total, reading.alpha, max(int(sizes[j]), 1))[0]
            blocks.append(np.concatenate([logs, never[None]]))
        stride = -(-max(n_classes, 1) // 4) * 4
        first = np.concatenate([[0], np.cumsum([len(block) for block in blocks])]).astype(np.int64)
        table = np.zeros((first[-1], stride))
        table[:, :n_classes] = np.concatenate(blocks)
        prior = log_prior(tally, reading)
        base = np.zeros(stride)
        base[:n_classes] = prior
        index: list[dict[tuple[type, Value] | None, int]] = []
        if not laid_out.codes:
            for values in laid_out.values:
                index.append({(type(v), v): i for i, v in enumerate(values)})
        return cls(sizes, prior, reading, first, table, base, wide, index)

    def joint(
        self,
        X: npt.NDArray[Any],
        n_jobs: int = 1,
        out: Floats | None = None,
        first_row: int = 0,
        missing: bool = False,
    ) -> Floats:
        """Score rows.

        Parameters
        ----------
        X : int64, int32 or uint8 array of shape (n, d), C order
            Codes, or what `positions` makes of values.
        n_jobs : int
            Threads.
        out : float64 array of shape (n, K), optional
        first_row : int
            What messages call the first row.
        missing : bool
            Whether a negative code is a value that is not there: its factor is left out.

        Returns
        -------
        ndarray of float64, shape (n, K)
            Joint log probabilities, natural log; -inf is exactly zero.

        Raises
        ------
        InputError
            For an unseen value where that is an error: the message names it, its row and its column.
        """
        out = np.empty((len(X), len(self.log_prior))) if out is None else out
        given = X
        if self._wide:
            X = X.astype(np.int64)
            for j, codes in self._wide.items():
                X[:, j] = self._narrow(given[:, j], codes, int(self.sizes[j]))
        tables = (self._first, self._table, self._base, len(self.log_prior))
        ignores = self._reading.unseen != "error"
        negative, unseen = _kernel.score_codes(X, *tables, missing, ignores, out, n_jobs=n_jobs)
        if negative is not None:
            row, column = negative
            refuse_negative(int(given[row, column]), first_row + row, column)
        if unseen is not None:
            row, column = unseen
            refuse_unseen(int(given[row, column]), first_row + row, column)
        return out

    def knows(self, column: int, code: int) -> bool:
        """Whether a code (or position) has a row of its own: is no value that training never heard of."""
        size = len(self._index[column]) if self._index else int(self.sizes[column])
        return 0 <= code < size

    def terms(self, row: npt.NDArray[Any]) -> Terms:
        """Take the scores of one row of d codes (or positions) apart; what is missing adds nothing."""
        terms = np.zeros((len(row), len(self.log_prior)))
        for j, code in enumerate(row.tolist()):
            if j in self._wide:
                code = int(self._narrow(np.array([code]), self._wide[j], int(self.sizes[j]))[0])
            if code >= 0:
                at = min(int(self._first[j]) + code, int(self._first[j + 1]) - 1)
                terms[j] = self._table[at, : len(self.log_prior)]
        return Terms(self.log_prior, np.zeros(len(self.log_prior)), terms)

    def positions(self, column: int, values: list[tuple[type, Value] | None], first_row: int = 0) -> Integers:
        """Number values of a column as `joint` wants them: those never seen past the last, None is missing.

        Raises
        ------
        InputError
            For an unseen value where that is an error.
        """
        index = {None: -1, **self._index[column]}
        never = len(index) - 1
        found = np.fromiter((index.get(value, never) for value in values), np.int64, len(values))
        if self._reading.unseen == "error" and (found == never).any():
            row = int((found == never).argmax())
            value = values[row]
            assert value is not None
            refuse_unseen(value[1], first_row + row, column)
        return found

    @staticmethod
    def _narrow(given: npt.NDArray[Any], codes: Integers, size: int) -> Integers:
        """Number codes by those that were seen; then a code in range, then one out of it; missing stays negative."""
        at = np.searchsorted(codes, given)
        found = (at < len(codes)) & (codes[np.minimum(at, len(codes) - 1)] == given)
        rest = np.where(given < size, len(codes), len(codes) + 1)
        return np.where(given < 0, -1, np.where(found, at, rest)).astype(np.int64)


def log_shares(counts: Floats, total: Floats, alpha: float, size: int) -> Floats:
    """Give log((n + α) / (N + α S)) for counts (rows, K), totals (K,); without any value all S are equally likely."""
    with np.errstate(divide="ignore"):
        below = total + alpha * size
        logs: Floats = np.log(counts + alpha) - np.log(np.where(below > 0, below, 1.0))
    logs[:, below == 0] = -np.log(max(size, 1))
    return logs


def refuse_negative(code: int, row: int, column: int) -> None:
    """Raise the error for a code below 0."""
    raise InputError(
        f"Negative values in data passed to CategoricalNB (input X): {code} at row {row}, column {column}; codes "
        "start at 0"
    )


def refuse_unseen(value: Value, row: int, column: int) -> None:
    """Raise the error for a value that training never saw."""
    raise InputError(
        f"the category {value!r} at row {row}, column {column}, was never seen in training; use unseen='smooth' or "
        "'ignore' to score such rows"
    )
