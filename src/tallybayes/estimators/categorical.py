"""Categorical naive Bayes: a distribution over the values of each column, on codes or on the values themselves."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..derive import Derivation, derive_categorical
from ..errors import ParameterError
from ..scores.categorical import CategoricalReading, CategoricalScores, CategoryCounts, log_shares, refuse_negative
from ..scores.contributions import Terms
from ..scores.prior import given_prior
from ..scores.table import Floats
from ..tally.count import CountTally, TextFeatures
from ..tally.values import encode_value
from ..text.space import Space
from ._base import Batch
from ._categories import RawRows, code_rows, holds_codes, raw_rows
from ._discrete import DiscreteClassifier
from ._input import class_weight, whole_weights
from ._reasons import Entry, given_or_named

__all__ = ["CategoricalNB"]


class CategoricalNB(DiscreteClassifier):
    """Categorical naive Bayes over a tally of values.

    The numbers of scikit-learn's class of this name on codes; besides, it takes rows of any values (text, numbers,
    mixed) without encoding them first, scores values it has never seen, and leaves gaps out.

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing; 0 is maximum likelihood.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is set to 1e-10.
    fit_prior : bool, default=True
        If False, the prior is uniform.
    class_prior : array-like of shape (K,) or mapping of label to float, optional
        Prior probabilities, in the order of the *sorted* classes or by label.
    min_categories : int or array-like of shape (d,), optional
        At least so many values has a column.
    domain : {"auto", "codes", "values"}, default="auto"
        What X holds: codes 0 … n - 1 (arrays and frames of numbers), or values (everything else).
    unseen : {"smooth", "ignore", "error"}, default="smooth"
        What a value never seen in training is: α / (N + α S) under every class, a factor left out, or an error.
    missing : {"error", "skip"}, default="error"
        "skip" leaves NaN and None out, in fitting and predicting.
    prior : {"documents", "uniform"}, array-like or mapping, optional
        Our way to give a prior.
    prior_alpha : float, default=0
        Smooths the prior, (N_c + λ) / (N + Kλ).
    n_jobs : int, optional
        Threads; None is 1, -1 all cores.

    Attributes
    ----------
    tally_ : CountTally
        All that was learnt; its features name a column and a value.
    classes_, class_count_, class_log_prior_ : ndarray of shape (K,)
    categories_ : list of d arrays
        The values of each column in the order of the tables below.
    category_count_, feature_log_prob_ : list of d arrays of shape (K, S)
    n_categories_ : ndarray of shape (d,)
        S: for codes the largest one seen + 1, for values the number of distinct ones.
    n_features_in_ : int

    Examples
    --------
    >>> from tallybayes import CategoricalNB
    >>> fruit = [("round", "red"), ("round", "green"), ("long", "green"), ("long", "yellow")]
    >>> model = CategoricalNB(alpha=0).fit(fruit, ["apple", "apple", "melon", "banana"])
    >>> model.predict([("round", "green"), ("long", "yellow")]).tolist()
    ['apple', 'banana']
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        domain: Literal["auto", "codes", "values"] = "auto",
        unseen: Literal["smooth", "ignore", "error"] = "smooth",
        missing: Literal["error", "skip"] = "error",
        prior: Any = None,
        prior_alpha: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.domain = domain
        self.unseen = unseen
        self.missing = missing
        self.prior = prior
        self.prior_alpha = prior_alpha
        self.n_jobs = n_jobs

    def _settings(self) -> CategoricalReading:
        if self.domain not in ("auto", "codes", "values"):
            raise ParameterError(f"domain must be 'auto', 'codes' or 'values'; got {self.domain!r}")
        if self.missing not in ("error", "skip"):
            raise ParameterError(f"missing must be 'error' or 'skip'; got {self.missing!r}")
        self._threads()
        return CategoricalReading(
            self._checked_alpha(), self.unseen, self._least_categories(), self._checked_prior(), self.prior_alpha
        )

    def _least_categories(self) -> int | tuple[int, ...] | None:
        if self.min_categories is None:
            return None
        least = np.asarray(self.min_categories)
        if least.dtype.kind not in "iu":
            raise ParameterError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.ndim > 1:
            raise ParameterError(
                f"'min_categories' should have shape (n_features,) when an array-like is provided. Got {least.shape} "
                "instead."
            )
        if (least < 1).any():
            raise ParameterError(f"min_categories must be at least 1; got {self.min_categories!r}")
        return int(least) if least.ndim == 0 else tuple(least.tolist())

    def _check_rows(self, X: Any, columns: Any, settings: CategoricalReading, reset: bool) -> Any:
        if not reset:
            domain = self.tally_.space.rules["domain"]
        else:
            domain = self.domain if self.domain != "auto" else "codes" if holds_codes(X) else "values"
        columns._domain = domain
        skip = self.missing == "skip"
        if domain == "values":
            values = raw_rows(X, skip)
            self._validated(X, columns, reset, skip_check_array=True)
            return values
        rows = self._validated(X, columns, reset, dtype=None, order="C", ensure_all_finite=False)
        return code_rows(rows, skip)

    def _count(self, batch: Batch, settings: CategoricalReading) -> CountTally:
        rows, domain = batch.rows, batch.columns._domain
        n_columns = rows.shape[1]
        if isinstance(rows, RawRows):
            codes, values = rows.numbered()
        else:
            codes, values = rows, None
        slots, indptr, class_index, counts, named = self._cells(batch, codes, values)
        order = sorted(range(len(slots)), key=named.__getitem__)  # as bytes: UTF-8 keeps the order of code points
        rules: dict[str, Any] = {"domain": domain, "n_columns": n_columns}
        if batch.names is not None:
            rules["names"] = batch.names
        return CountTally(
            batch.labels,
            class_weight(batch.codes, len(batch.labels), batch.weights),
            TextFeatures.of(named[i] for i in order),
            *_reordered(indptr, class_index, counts, order),
            Space("values", rules),
            exact=counts.dtype == np.int64,
        )

    def _cells(
        self, batch: Batch, codes: npt.NDArray[Any], values: Any
    ) -> tuple[Any, Any, Any, npt.NDArray[Any], list[str]]:
        """Count codes: the features with a cell, their cells by class, and their names."""
        n_classes, n_columns = len(batch.labels), codes.shape[1]
        whole = whole_weights(batch.weights)
        weights = batch.weights if not whole or batch.weights is None else batch.weights.astype(np.int64)
        gaps = codes.dtype != np.uint8 and self.missing == "skip"
        found = _kernel.count_codes(codes, batch.codes, n_classes, weights, gaps, limit=1 << 24, n_jobs=self._threads())
        if found["negative"] is not None:
            row, column = found["negative"]
            refuse_negative(int(codes[row, column]), row, column)
        if not found["too_wide"]:
            sizes = found["size"]
            table = found["cells"].reshape(n_classes, -1).T
            filled = np.flatnonzero(table.any(axis=1))
            column_of = np.repeat(np.arange(n_columns), sizes)
            code_of = np.arange(len(column_of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            table = table[filled]
            feature, class_index = np.nonzero(table)
            indptr = np.concatenate([[0], np.cumsum(np.bincount(feature, minlength=len(filled)))])
            counts = table[feature, class_index]
            column_of, code_of = column_of[filled], code_of[filled]
        else:
            # Few of very many codes, or very many classes: cells only where something was counted.
            distinct = [np.unique(codes[:, j], return_inverse=True) for j in range(n_columns)]
            starts = np.cumsum([0] + [len(each) for each, _ in distinct])
            numbered = np.stack(
                [numbers + start for (_, numbers), start in zip(distinct, starts, strict=False)], axis=1
            )
            there = codes >= 0
            cells = _kernel.count_csr(
                np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64),
                numbered[there].astype(np.int64),
                np.ones(int(there.sum()), np.uint8),
                int(starts[-1]),
                batch.codes,
                n_classes,
                batch.weights,
                whole,
                occurrences=False,
                documents=True,
                threshold=0.0,
                negative=False,
                spare=None,
                n_jobs=self._threads(),
            )
            filled, indptr, class_index, counts = (
                cells[name] for name in ("columns", "indptr", "class_index", "documents")
            )
            column_of = np.searchsorted(starts, filled, side="right") - 1
            code_of = np.concatenate([each for each, _ in distinct])[filled]
        pairs = zip(column_of.tolist(), code_of.tolist(), strict=True)
        named = [encode_value(j, code if values is None else values[j][code]) for j, code in pairs]
        return filled, indptr, class_index, counts, named

    def _check_reading(self, tally: CountTally, settings: CategoricalReading) -> None:
        if settings.prior is not None and not isinstance(settings.prior, str):
            given_prior(settings.prior, list(tally.classes))
        least, n_columns = settings.min_categories, tally.space.rules["n_columns"]
        if isinstance(least, tuple) and len(least) != n_columns:
            raise ParameterError(
                f"'min_categories' should have shape ({n_columns},) when an array-like is provided. Got "
                f"({len(least)},) instead."
            )

    def _read(self, tally: CountTally, settings: CategoricalReading) -> CategoricalScores:
        return CategoricalScores.read(tally, settings)

    def _joint(self, table: CategoricalScores, X: Any, out: Floats, first_row: int) -> None:
        if isinstance(X, RawRows):
            X = X.positions(table, first_row)
        table.joint(X, self._threads(), out, first_row, missing=self.missing == "skip")

    def _terms(self, table: CategoricalScores, rows: Any) -> tuple[Terms, list[Entry]]:
        codes, values = self._one_row(table, rows)
        there = [j for j, value in enumerate(values) if value is not None]
        names, known = self._column_names(), [table.knows(j, int(codes[j])) for j in there]
        texts = [f"{names[j]} = {values[j]}" for j in there]
        entries = [Entry(text, text, known=each) for text, each in zip(texts, known, strict=True)]
        terms = table.terms(codes)
        return terms._replace(features=terms.features[there]), entries

    def _one_row(self, table: CategoricalScores, rows: Any) -> tuple[npt.NDArray[Any], list[Any]]:
        """Codes (or positions) and values of one row; None is a gap."""
        if not isinstance(rows, RawRows):
            return rows[0], [None if code < 0 else code for code in rows[0].tolist()]
        values = [None if column[0] is None else column[0][1] for column in rows.columns]
        return rows.positions(table, 0)[0], values

    def _derived(self, table: CategoricalScores, rows: Any, columns: int, classes: int) -> Derivation:
        settings, (codes, values) = self._fitted_settings, self._one_row(table, rows)
        laid_out, labels = CategoryCounts.of(self.tally_), self.tally_.classes.array.tolist()
        number = int if self.tally_.exact else float
        entering, counts, totals = [], [], []
        for j, (code, value) in enumerate(zip(codes.tolist(), values, strict=True)):
            if value is None or (settings.unseen == "ignore" and not table.knows(j, code)):
                continue
            seen, column = laid_out.values[j], laid_out.counts[j]
            at = (seen.index(code) if code in seen else -1) if laid_out.codes else code
            entering.append(j)
            counts.append([number(n) for n in (column[:, at] if 0 <= at < len(seen) else np.zeros(len(labels)))])
            totals.append([number(n) for n in column.sum(axis=1)])
        names = self._column_names()
        return derive_categorical(
            labels,
            [number(n) for n in self.tally_.class_count],
            [names[j] for j in entering],
            [values[j] for j in entering],
            counts,
            [int(table.sizes[j]) for j in entering],
            totals=totals,
            alpha=settings.alpha,
            prior=given_or_named(settings.prior, labels),
            prior_alpha=settings.prior_alpha,
            left_out=[name for j, name in enumerate(names) if j not in entering],
            text=", ".join(entry.text for entry in self._terms(table, rows)[1]),
            shown_columns=columns,
            shown_classes=classes,
        )

    def _holds(self, tally: Any) -> bool:
        return isinstance(tally, CountTally) and tally.space.kind == "values"

    def _width(self, tally: CountTally) -> int:
        return int(tally.space.rules["n_columns"])

    def _names(self, tally: CountTally) -> Any:
        return tally.space.rules.get("names")

    # Attributes

    @property
    def n_categories_(self) -> npt.NDArray[np.int64]:
        """S, the number of values of each column, shape (d,)."""
        tally = self._fitted("tally_")
        return CategoryCounts.of(tally).sizes(self._fitted_settings.min_categories)

    @property
    def categories_(self) -> list[npt.NDArray[Any]]:
        """The values of each column, in the order of `category_count_`."""
        laid_out = CategoryCounts.of(self._fitted("tally_"))
        if laid_out.codes:
            return [np.arange(size) for size in laid_out.sizes(self._fitted_settings.min_categories)]
        out = []
        for values in laid_out.values:
            each = np.empty(len(values), object)
            each[:] = values
            out.append(each)
        return out

    @property
    def category_count_(self) -> list[Floats]:
        """Rows of each class with each value, a table of shape (K, S) per column."""
        laid_out = CategoryCounts.of(self._fitted("tally_"))
        tables = []
        for values, counts, size in zip(laid_out.values, laid_out.counts, self.n_categories_, strict=True):
            table = np.zeros((len(counts), size))
            table[:, np.array(values, np.int64) if laid_out.codes else slice(len(values))] = counts
            tables.append(table)
        return tables

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """Log P(value given class), natural log, a table of shape (K, S) per column."""
        alpha = self._fitted("_fitted_settings").alpha
        return [
            np.ascontiguousarray(log_shares(counts.T, counts.sum(axis=1), alpha, counts.shape[1]).T)
            for counts in self.category_count_
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing == "skip"
        return tags


def _reordered(indptr: Any, class_index: Any, counts: Any, order: list[int]) -> tuple[Any, Any, dict[str, Any]]:
    """Bring features into another order, cells and all."""
    rows = np.asarray(order, np.int64)
    sizes = np.diff(indptr)[rows]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    cells = np.arange(ends[-1]) + np.repeat(np.asarray(indptr)[:-1][rows] - ends[:-1], sizes)
    return ends, np.asarray(class_index)[cells], {"documents": np.asarray(counts)[cells]}
