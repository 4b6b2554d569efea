"""Why an estimator answers as it does: contributions column by column, and the derivation of the textbook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ..errors import InputError, ParameterError
from ..scores import given_prior, log_posterior
from ..scores.contributions import Terms
from ._answers import Answers

if TYPE_CHECKING:
    from ..derive import Derivation
    from ..model.explain import Contribution, Explanation

__all__ = ["Reasons", "given_or_named"]


class Reasons(Answers):
    """The explaining half of an estimator."""

    n_features_in_: int

    def _terms(self, table: Any, rows: Any) -> tuple[Terms, list[Contribution]]:
        """The terms of one row's scores, and the columns they belong to."""
        raise NotImplementedError

    def _derived(self, rows: Any, shown: dict[str, int]) -> Derivation:
        """The derivation of one row's answer."""
        raise NotImplementedError

    def explain(self, row: Any, of: Any = None, against: Any = None) -> Explanation:
        """Explain one decision: the exact contribution of every column to the log-odds of one class against another.

        Parameters
        ----------
        row : sequence of d values, or X of one row
        of, against : class labels, optional
            Default: the answer against the runner-up.

        Returns
        -------
        Explanation
            ``str()`` is its text; prior, bias and contributions add up to the log-odds.

        Raises
        ------
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
        from ..model.explain import compared

        rows, table = self._to_score(_one(row))
        self._require_one(rows)
        if len(self.tally_.classes) < 2:
            raise ParameterError("an explanation compares two classes; this model has learnt one only")
        joint = np.empty((1, len(self.tally_.classes)))
        self._joint(table, rows, joint, 0)
        terms, entries = self._terms(table, rows)
        log_proba = log_posterior(joint, table.log_prior)[0]
        text = ", ".join(entry.feature for entry in entries)
        return compared(text, self.tally_.classes, joint[0], log_proba, terms, entries, of, against)

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

        Examples
        --------
        >>> from tallybayes import CategoricalNB
        >>> model = CategoricalNB(alpha=0).fit([("red",), ("red",), ("green",)], ["apple", "plum", "apple"])
        >>> model.derive(["red"]).joint[0].fraction
        Fraction(1, 3)
        """
        rows, _ = self._to_score(_one(row))
        self._require_one(rows)
        return self._derived(rows, {"columns": columns, "classes": classes})

    def _column_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"column {j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _require_one(self, rows: Any) -> None:
        if rows.shape[0] != 1:
            raise InputError(f"one row is explained at a time; got {rows.shape[0]}")


def given_or_named(prior: Any, labels: list[Any]) -> Any:
    """The prior as a derivation takes it: a name, None, or a probability for each class in order."""
    return prior if prior is None or isinstance(prior, str) else given_prior(prior, labels).tolist()


def _one(row: Any) -> Any:
    """Make a table of one row."""
    if sparse.issparse(row) or getattr(row, "ndim", 0) == 2 or hasattr(row, "columns"):
        return row
    if isinstance(row, (list, tuple)) and row and isinstance(row[0], (list, tuple, np.ndarray)):
        return row
    return [list(row)] if not isinstance(row, np.ndarray) else row[None]
