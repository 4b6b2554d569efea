"""The categorical event model: a distribution over the values of each column.

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

from ..described import Described
from ..errors import InputError, ParameterError
from ..tally import CountTally
from ..tally.base import INT64_MAX
from ..tally.values import Value, decode_value
from .base import Reading, Scores, check_number
from .terms import Floats, Terms

__all__ = ["CategoricalReading", "CategoricalScores", "CategoryCounts", "log_shares"]

Integers = npt.NDArray[np.int64]
# A column whose largest code is not much above the number of codes seen is laid out code by code.
_SPARE = 1024


@dataclass(frozen=True, kw_only=True)
class CategoricalReading(Reading):
    """Read counts of the values of columns.

    Parameters
    ----------
    alpha : float
        Smoothing, at least 0.
    unseen : {"smooth", "ignore", "error"}
        What a value never seen in training is: α / (N + α S) under every class, a factor left out, or an error.
    min_categories : int, sequence of int of length d, or None
        The least number of categories of a column, or of each.
    prior, prior_alpha
        As in `Reading`.

    Examples
    --------
    >>> CategoricalReading(alpha=0).unseen
    'smooth'
    """

    alpha: float = 1.0
    unseen: Literal["smooth", "ignore", "error"] = "smooth"
    min_categories: Any = None

    event_model = "categorical"
    counters = ("categories",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.ndim(self.alpha):
            raise ParameterError(f"alpha must be one number here; got {self.alpha!r}")
        object.__setattr__(self, "alpha", check_number("alpha", self.alpha))
        if self.unseen not in ("smooth", "ignore", "error"):
            raise ParameterError(f"unseen must be 'smooth', 'ignore' or 'error'; got {self.unseen!r}")
        if self.min_categories is not None:
            object.__setattr__(self, "min_categories", _checked_least(self.min_categories))

    def check(self, tally: CountTally) -> None:
        super().check(tally)
        least, n_columns = self.min_categories, tally.space.rules["n_columns"]
        if isinstance(least, tuple) and len(least) != n_columns:
            raise ParameterError(
                f"'min_categories' should have shape ({n_columns},) when an array-like is provided. Got "
                f"({len(least)},) instead."
            )

    def read(self, tally: CountTally) -> CategoricalScores:
        self.check(tally)
        return CategoricalScores(tally, self)


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
        """Return a tally laid out."""
        rules = tally.space.rules
        values: list[list[Value]] = [[] for _ in range(int(rules["n_columns"]))]
        for feature in tally.features.labels():
            column, value = decode_value(str(feature))
            values[column].append(value)
        table = np.asarray(tally.dense("documents"), np.float64)
        edges = np.cumsum([len(each) for each in values])[:-1]
        return cls(values, np.split(table, edges, axis=1), rules["domain"] == "codes")

    def sizes(self, min_categories: int | tuple[int, ...] | None) -> Integers:
        """Return S, the number of values of each column, shape (d,)."""
        seen = [
            len(each) if not (self.codes and each) else min(int(str(each[-1])), INT64_MAX - 1) + 1
            for each in self.values
        ]
        least = np.asarray(0 if min_categories is None else min_categories, np.int64)
        return np.maximum(np.array(seen, np.int64), least)


class CategoricalScores(Scores):
    """A tally of categories read.

    Attributes
    ----------
    sizes : ndarray of int64, shape (d,)
        S, the number of values of each column.
    counts : CategoryCounts
    """

    tally: CountTally
    reading: CategoricalReading

    def __init__(self, tally: CountTally, reading: CategoricalReading) -> None:
        super().__init__(tally, reading, reading.log_prior(tally))
        self.counts = laid_out = CategoryCounts.of(tally)
        self.sizes = sizes = laid_out.sizes(reading.min_categories)
        n_classes = len(tally.classes)
        # Columns laid out by the codes seen only: these codes.
        self._wide: dict[int, Integers] = {}
        blocks = []
        for j, (values, counts) in enumerate(zip(laid_out.values, laid_out.counts, strict=True)):
            rows = counts.T
            if laid_out.codes:
                codes = np.array(values, np.int64)
                if sizes[j] > 4 * len(codes) + _SPARE:
                    self._wide[j] = codes
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
        # The rows of each column in the table: a row per value, then one for values never seen.
        self._first = np.concatenate([[0], np.cumsum([len(block) for block in blocks])]).astype(np.int64)
        self._table = np.zeros((self._first[-1], stride))
        self._table[:, :n_classes] = np.concatenate(blocks) if blocks else 0.0
        # Values → rows of the column; empty where they are codes.
        self._index: list[dict[Value | None, int]] = []
        if not laid_out.codes:
            self._index = [{value: i for i, value in enumerate(values)} for values in laid_out.values]

    def _score(self, rows: Any, start: Floats, out: Floats, n_jobs: int) -> npt.NDArray[np.intp]:
        given = codes = rows.numbered_by(self)
        if self._wide:
            codes = given.astype(np.int64)
            for j, known in self._wide.items():
                codes[:, j] = self._narrow(given[:, j], known, int(self.sizes[j]))
        base = np.zeros(self._table.shape[1])
        base[: len(start)] = start
        gaps, ignores = rows.skips, self.reading.unseen != "error"
        negative, unseen = _kernel.score_codes(
            codes, self._first, self._table, base, len(start), gaps, ignores, out, n_jobs=n_jobs
        )
        if negative is not None:
            rows.refuse_negative(*negative)
        if unseen is not None:
            row, column = unseen
            _refuse_unseen(int(given[row, column]), rows.first + row, column)
        return np.zeros(0, np.intp)  # one logarithm for each column

    def positions(self, column: int, values: list[Value | None], first_row: int = 0) -> Integers:
        """Number values of a column by the rows of the table: those never seen past the last, None is missing.

        Raises
        ------
        InputError
            For an unseen value where that is an error.
        """
        index = {None: -1, **self._index[column]}
        never = len(index) - 1
        found = np.fromiter((index.get(value, never) for value in values), np.int64, len(values))
        if self.reading.unseen == "error" and (found == never).any():
            row = int((found == never).argmax())
            value = values[row]
            assert value is not None
            _refuse_unseen(value, first_row + row, column)
        return found

    def terms(self, described: Described) -> Terms:
        n_classes = len(self.log_prior)
        terms, known = np.zeros((len(described.keys), n_classes)), np.zeros(len(described.keys), bool)
        for i, (j, value) in enumerate(described.keys):
            at = self._position(j, value)
            known[i] = at < (len(self._index[j]) if self._index else self.sizes[j])
            if j in self._wide:
                at = int(self._narrow(np.array([at]), self._wide[j], int(self.sizes[j]))[0])
            row = min(int(self._first[j]) + at, int(self._first[j + 1]) - 1)
            terms[i] = self._table[row, :n_classes]
        return Terms(self.start, np.zeros(n_classes), terms, known)

    def _position(self, column: int, value: Any) -> int:
        """The number of a value among those of its column; of a code itself."""
        return int(self.positions(column, [value])[0]) if self._index else int(value)

    def derive(self, described: Described, *, features: int, classes: int) -> Any:
        from ..derive import derive_categorical

        reading, laid_out, labels = self.reading, self.counts, list(self.tally.classes)
        number = int if self.tally.exact else float
        known = self.terms(described).known.tolist()
        names = [name.split(" = ")[0] for name in described.names]
        entering, counts, totals, left_out = [], [], [], list(described.left_out)
        for i, (j, value) in enumerate(described.keys):
            if reading.unseen == "ignore" and not known[i]:
                left_out.append(names[i])
                continue
            seen, column = laid_out.values[j], laid_out.counts[j]
            at = -1
            if known[i]:
                at = self._position(j, value) if self._index else seen.index(value) if value in seen else -1
            entering.append(i)
            counts.append([number(n) for n in (column[:, at] if at >= 0 else np.zeros(len(labels)))])
            totals.append([number(n) for n in column.sum(axis=1)])
        return derive_categorical(
            labels,
            [number(n) for n in self.tally.class_count],
            [names[i] for i in entering],
            [described.keys[i][1] for i in entering],
            counts,
            [int(self.sizes[described.keys[i][0]]) for i in entering],
            totals=totals,
            alpha=reading.alpha,
            prior=reading.prior_of(labels),
            prior_alpha=reading.prior_alpha,
            left_out=left_out,
            text=described.text,
            shown_columns=features,
            shown_classes=classes,
        )

    @staticmethod
    def _narrow(given: npt.NDArray[Any], codes: Integers, size: int) -> Integers:
        """Number codes by those that were seen; then a code in range, then one out of it; missing stays negative."""
        at = np.searchsorted(codes, given)
        found = (at < len(codes)) & (codes[np.minimum(at, len(codes) - 1)] == given)
        rest = np.where(given < size, len(codes), len(codes) + 1)
        return np.where(given < 0, -1, np.where(found, at, rest)).astype(np.int64)


def log_shares(counts: Floats, total: Floats, alpha: float, size: int) -> Floats:
    """Return log((n + α) / (N + α S)) for counts (rows, K), totals (K,); without any value all S are equally likely."""
    with np.errstate(divide="ignore"):
        below = total + alpha * size
        logs: Floats = np.log(counts + alpha) - np.log(np.where(below > 0, below, 1.0))
    logs[:, below == 0] = -np.log(max(size, 1))
    return logs


def _checked_least(least: Any) -> int | tuple[int, ...]:
    values = np.asarray(least)
    if values.dtype.kind not in "iu":
        raise ParameterError(f"'min_categories' should have integral type. Got {values.dtype} instead.")
    if values.ndim > 1:
        raise ParameterError(
            f"'min_categories' should have shape (n_features,) when an array-like is provided. Got {values.shape} "
            "instead."
        )
    if (values < 1).any() or (values > INT64_MAX).any():
        raise ParameterError(f"'min_categories' should be at least 1 and below 2**63; got {least!r}")
    return int(values) if values.ndim == 0 else tuple(values.tolist())


def _refuse_unseen(value: Value, row: int, column: int) -> None:
    """Raise the error for a value that training never saw."""
    raise InputError(
        f"the category {value!r} at row {row}, column {column}, was never seen in training; use unseen='smooth' or "
        "'ignore' to score such rows"
    )
