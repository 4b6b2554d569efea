"""Why an estimator answers as it does: contributions column by column, and the derivation of the textbook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, InputTypeError, ParameterError
from ..scores import given_prior, log_posterior
from ..scores.contributions import Terms
from ._answers import Answers
from ._input import refuse_duplicate_names

if TYPE_CHECKING:
    from ..derive import Derivation
    from ..model.explain import Explanation

__all__ = ["Entry", "Reasons", "given_or_named"]


class Entry(NamedTuple):
    """One column of a row.

    Attributes
    ----------
    name : str
        What the contribution is called.
    text : str
        Name and value, as they stand in the row's text.
    amount : int or float
        How much of the column is in the row; 1 where that has no meaning.
    known : bool
        Whether the value was seen in training.
    """

    name: str
    text: str
    amount: int | float = 1
    known: bool = True


class Reasons(Answers):
    """The explaining half of an estimator."""

    n_features_in_: int

    def _terms(self, table: Any, rows: Any) -> tuple[Terms, list[Entry]]:
        """The terms of one row's scores, and the columns they belong to: those that enter."""
        raise NotImplementedError

    def _derived(self, table: Any, rows: Any, columns: int, classes: int) -> Derivation:
        """The derivation of one row's answer; its tables show so many columns and classes at most."""
        raise NotImplementedError

    def explain(self, row: Any, of: Any = None, against: Any = None) -> Explanation:
        """Explain one decision: the exact contribution of every column to the log-odds of one class against another.

        Parameters
        ----------
        row : sequence of d values, or X of one row
        of, against : class labels, optional
            Default: the answer against the runner-up; with `of` alone, against the most probable other class.

        Returns
        -------
        Explanation
            ``str()`` is its text; prior, bias and contributions add up to the log-odds, which is that of
            `predict_joint_log_proba`. Values that are missing have no part in it.

        Raises
        ------
        InputError, InputTypeError
            If `row` is not one row, or a label is no class.
        ParameterError
            If there is one class only, or the two are the same.

        Examples
        --------
        >>> from tallybayes import MultinomialNB
        >>> model = MultinomialNB().fit([[3, 0], [0, 2]], ["sport", "stage"])
        >>> explanation = model.explain([2, 1])
        >>> explanation.of, [part.feature for part in explanation.contributions]
        ('sport', ['column 0', 'column 1'])
        """
        from ..model.explain import Contribution, compared

        rows, table = self._one_to_score(row)
        if len(self.tally_.classes) < 2:
            raise ParameterError("an explanation compares two classes; this model has learnt one only")
        joint = np.empty((1, len(self.tally_.classes)))
        self._joint(table, rows, joint, 0)
        terms, entries = self._terms(table, rows)
        log_proba = log_posterior(joint, table.log_prior)[0]
        text, parts = "", []
        for name, piece, amount, known in entries:
            text += ", " if text else ""
            parts.append(Contribution(name, amount, 0.0, ((len(text), len(text) + len(piece)),), known))
            text += piece
        return compared(text, self.tally_.classes, joint[0], log_proba, terms, parts, of, against, noun="column")

    def derive(self, row: Any, *, columns: int = 20, classes: int = 6) -> Derivation:
        """Derive one answer step by step: exact fractions where the counts are whole, decimals otherwise.

        Parameters
        ----------
        row : sequence of d values, or X of one row
        columns, classes : int
            How many of each the tables show at most; the totals are those of all.

        Returns
        -------
        Derivation
            ``str()`` is its text; there are Markdown and HTML too.

        Raises
        ------
        InputError, InputTypeError
            If `row` is not one row.

        Examples
        --------
        >>> from tallybayes import CategoricalNB
        >>> model = CategoricalNB(alpha=0).fit([("red",), ("red",), ("green",)], ["apple", "plum", "apple"])
        >>> model.derive(["red"]).joint[0].fraction
        Fraction(1, 3)
        """
        rows, table = self._one_to_score(row)
        return self._derived(table, rows, columns, classes)

    def _column_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"column {j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _one_to_score(self, row: Any) -> tuple[Any, Any]:
        """Lay one row out for the kernel, and give the score table."""
        check_is_fitted(self)
        X, columns = _table(row), self._columns()
        refuse_duplicate_names(X)
        if not hasattr(X, "columns"):  # values alone: their order is all there is, and no reason to warn
            vars(columns).pop("feature_names_in_", None)
        rows = self._check_rows(X, columns, self._fitted_settings, False)
        if rows.shape[0] != 1:
            raise InputError(f"one row is explained at a time; got {rows.shape[0]}")
        return rows, self._scores()


def given_or_named(prior: Any, labels: list[Any]) -> Any:
    """The prior as a derivation takes it: a name, None, or a probability for each class in order."""
    return prior if prior is None or isinstance(prior, str) else given_prior(prior, labels).tolist()


def _table(row: Any) -> Any:
    """Make a table of one row; what is a table already stays as it is."""
    if isinstance(row, (str, bytes, Mapping)) or (not hasattr(row, "__len__") and not sparse.issparse(row)):
        raise InputTypeError(f"one row is a sequence of values, one per column; got {type(row).__name__}: {row!r:.60}")
    if hasattr(row, "to_frame") and hasattr(row, "index"):  # a row of a pandas frame knows its columns
        return row.to_frame().T
    if sparse.issparse(row) or hasattr(row, "columns"):
        return row
    if isinstance(row, np.ndarray):
        return row if row.ndim != 1 else row[None]
    values = list(row)
    nested = bool(values) and isinstance(values[0], (Sequence, np.ndarray)) and not isinstance(values[0], (str, bytes))
    return values if nested else [values]
