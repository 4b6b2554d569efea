"""What the three estimators on columns of counts have in common: multinomial, complement, Bernoulli."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

import tallybayes._kernel as _kernel

from ..derive import Counts, Derivation, derive_counts
from ..derive.numbers import exact
from ..engines.matrix import count_matrix, score_matrix
from ..errors import ParameterError
from ..scores import LinearScores, Reading, given_prior, read
from ..scores.contributions import Terms, contributions
from ..scores.table import Floats
from ..tally.cells import cell_histograms, cells_of
from ..tally.count import CountTally
from ..tally.features import ColumnFeatures
from ..text.space import Space
from ._base import Batch
from ._discrete import DiscreteClassifier
from ._reasons import Entry, given_or_named

__all__ = ["CountClassifier", "CountScores", "CountSettings", "every_column"]


@dataclass(frozen=True)
class CountSettings:
    """The settings of a fit.

    Attributes
    ----------
    reading : Reading
        How the tally is read.
    prior, prior_alpha
        What `class_log_prior_` shows; complement naive Bayes shows a prior that it does not use.
    threshold : float
        Values above it are present (Bernoulli).
    """

    reading: Reading
    prior: Any
    prior_alpha: float
    threshold: float = 0.0


class CountScores:
    """The score table of a count model over all columns, as the kernel reads it."""

    def __init__(self, table: LinearScores) -> None:
        self.table = table
        self.log_prior = table.log_prior

    @cached_property
    def _laid_out(self) -> _kernel.ScoreTable:
        return self.table.laid_out()

    @cached_property
    def _zeros(self) -> _kernel.ScoreTable | None:
        return None if self.table.zeros is None else self.table.zeros.laid_out()

    def joint(self, X: Any, out: Floats, **more: Any) -> None:
        """Fill in joint log scores (n, K); `more` as in `score_matrix`."""
        score_matrix(X, self._laid_out, value=self.table.value, out=out, **more)
        counted = None if self._zeros is None else score_matrix(X, self._zeros, value="binary", **more)
        self.table.finish(out, counted)


class CountClassifier(DiscreteClassifier):
    """Base of the estimators on columns of counts; a subclass names its model and its channel."""

    _model: ClassVar[Literal["multinomial", "complement", "bernoulli"]]
    _channel: ClassVar[Literal["occurrences", "documents"]]

    def _settings(self) -> CountSettings:
        self._threads()
        prior = self._checked_prior()
        reading = Reading(self._model, alpha=self._checked_alpha(), prior=prior, prior_alpha=self.prior_alpha)
        return CountSettings(reading, prior, self.prior_alpha)

    def _check_rows(self, X: Any, columns: Any, settings: CountSettings, reset: bool) -> Any:
        return self._validated(X, columns, reset, accept_sparse="csr", ensure_all_finite=False)

    def _rules(self, settings: CountSettings) -> dict[str, Any]:
        """What else decides how a matrix becomes counts."""
        return {}

    def _count(self, batch: Batch, settings: CountSettings) -> CountTally:
        rules = self._rules(settings)
        if batch.names is not None:
            rules["names"] = batch.names
        return count_matrix(
            batch.rows,
            batch.labelled,
            channels=(self._channel,),
            threshold=settings.threshold,
            negative=self._model == "bernoulli",
            n_jobs=self.n_jobs,
            space=Space("columns", rules),
            reader=type(self).__name__,
        )

    def _check_reading(self, tally: CountTally, settings: CountSettings) -> None:
        alpha, width = settings.reading.alpha, tally.features.width
        if isinstance(alpha, tuple) and len(alpha) != width:
            raise ParameterError(
                f"When alpha is an array, it should contains `n_features`. Got {len(alpha)} elements instead of "
                f"{width}."
            )
        for prior in (settings.prior, settings.reading.prior):
            if prior is not None and not isinstance(prior, str):
                given_prior(prior, list(tally.classes))
        if self._channel not in tally.channels:
            raise ParameterError(
                f"{type(self).__name__} reads {self._channel}, and this tally holds {' and '.join(tally.channels)}"
            )

    def _read(self, tally: CountTally, settings: CountSettings) -> CountScores:
        return CountScores(read(every_column(tally), settings.reading))

    def _joint(self, table: CountScores, X: Any, out: Floats, first_row: int) -> None:
        table.joint(
            X,
            out,
            threshold=self._fitted_settings.threshold,
            negative=self._model == "bernoulli",
            n_jobs=self.n_jobs,
            first_row=first_row,
            reader=type(self).__name__,
        )

    def _terms(self, table: CountScores, rows: Any) -> tuple[Terms, list[Entry]]:
        columns, amounts, names = *self._present(rows), self._column_names()
        reading = self._fitted_settings.reading
        with_prior = reading.model != "complement" or reading.prior is not None
        entries = [
            Entry(names[j], names[j] if self._channel == "documents" else f"{names[j]} = {x}", x)
            for j, x in zip(columns.tolist(), map(_short, amounts.tolist()), strict=True)
        ]
        return contributions(table.table, columns, amounts, with_prior=with_prior), entries

    def _present(self, rows: Any) -> tuple[npt.NDArray[np.int64], Floats]:
        """The columns that one row holds, and how much of each; 1 where only presence counts."""
        x = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, np.float64)[0]
        columns = np.flatnonzero(x > self._fitted_settings.threshold)
        return columns, np.ones(len(columns)) if self._channel == "documents" else x[columns]

    def _derived(self, table: CountScores, rows: Any, columns: int, classes: int) -> Derivation:
        (present, amounts), tally = self._present(rows), every_column(self.tally_)
        reading, labels, names = self._fitted_settings.reading, tally.classes.array.tolist(), self._column_names()
        alphas = [exact(alpha) for alpha in reading.alpha] if isinstance(reading.alpha, tuple) else None
        listed, values, rest = present, [_short(x) for x in amounts.tolist()], None
        cells = tally.values(self._channel)
        if self._model == "bernoulli":
            absent = np.setdiff1d(np.arange(len(names)), present)
            if len(names) <= columns or alphas is not None:
                listed = np.arange(len(names))
                values = np.isin(listed, present).astype(int).tolist()
            else:  # what is absent is multiplied in by how many columns have which count
                rest = cell_histograms(tally, cells, absent)
        scale = table.table.scale
        return derive_counts(
            Counts(
                classes=labels,
                documents=tally.class_count.tolist(),
                features=[names[j] for j in listed.tolist()],
                cells=cells_of(tally, cells, listed),
                totals=tally.totals(self._channel).tolist(),
                n_features=tally.features.width,
                rest=rest,
            ),
            values,
            model=self._model,
            alpha=reading.alpha if alphas is None else [alphas[j] for j in listed.tolist()],
            alpha_sum=None if alphas is None else sum(alphas, exact(0)),
            prior=given_or_named(reading.prior, labels),
            prior_alpha=reading.prior_alpha,
            norm_sums=(1.0 / np.where(scale == 0, np.inf, scale)).tolist() if reading.norm else None,
            text=", ".join(entry.text for entry in self._terms(table, rows)[1]),
            noun="rows",
            features=columns,
            classes=classes,
        )

    def _holds(self, tally: Any) -> bool:
        return isinstance(tally, CountTally) and isinstance(tally.features, ColumnFeatures)

    def _width(self, tally: CountTally) -> int:
        return tally.features.width

    def _names(self, tally: CountTally) -> Any:
        return tally.space.rules.get("names")

    @property
    def feature_count_(self) -> Floats:
        """What was counted of each class and column, shape (K, d): laid out densely when asked for."""
        return np.asarray(self._fitted("tally_").dense(self._channel), np.float64)

    def _alpha(self) -> Floats:
        """Alpha as of the last fit, of shape () or (d,)."""
        return np.asarray(self._fitted("_fitted_settings").reading.alpha, np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._model != "bernoulli"
        tags.classifier_tags.poor_score = True
        return tags


def _short(amount: float) -> int | float:
    """Whole numbers as such, for exact fractions and for readers."""
    return int(amount) if amount.is_integer() else amount


def every_column(tally: CountTally) -> CountTally:
    """Give the tally with every column as a feature, those never seen too: smoothing is over all columns."""
    features = tally.features
    if not isinstance(features, ColumnFeatures) or len(features) == features.n_columns:
        return tally
    sizes = np.zeros(features.n_columns, np.int64)
    sizes[features.columns] = np.diff(tally.indptr)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    every = ColumnFeatures(np.arange(features.n_columns), features.n_columns)
    return CountTally(
        tally.classes,
        tally.class_count,
        every,
        indptr,
        tally.class_index,
        tally.channels,
        tally.space,
        tally.exact,
        tally.unit,
    )
