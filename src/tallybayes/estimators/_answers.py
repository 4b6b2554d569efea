"""What a fitted estimator answers: scores, probabilities, classes, decisions; a bounded part of the rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..scores import log_posterior, posterior, predicted
from ..scores.decision import decide
from ..scores.table import Floats
from ._input import refuse_duplicate_names

__all__ = ["Answers", "Cache", "Table", "rows_between"]

_CHUNK = 1 << 19  # scores held at a time while predicting


class CsrPart(NamedTuple):
    """Some rows of a CSR matrix, by the names that scipy has for its arrays."""

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    data: npt.NDArray[Any]
    shape: tuple[int, int]


def rows_between(rows: Any, begin: int, end: int) -> Any:
    """Give some of the rows without copying them; a scipy matrix of them would copy every entry."""
    if not sparse.issparse(rows):
        return rows[begin:end]
    first, last = rows.indptr[begin], rows.indptr[end]
    indptr = rows.indptr[begin : end + 1] - first
    return CsrPart(indptr, rows.indices[first:last], rows.data[first:last], (end - begin, rows.shape[1]))


class Table(Protocol):
    """A score table: what every reading of a tally has."""

    @property
    def log_prior(self) -> Floats: ...


class Cache:
    """Holds what is made at first use, so that answering changes no attribute of the estimator."""

    def __init__(self, table: Table | None = None) -> None:
        self.table = table

    def __reduce__(self) -> tuple[type[Cache], tuple[()]]:
        return Cache, ()  # a table is made anew faster than it is loaded


class Answers:
    """The predicting half of an estimator."""

    tally_: Any
    classes_: Any
    _fitted_settings: Any
    _cache: Cache

    def _check_rows(self, X: Any, columns: Any, settings: Any, reset: bool) -> Any:
        """Check rows and lay them out for the kernel; `columns` takes the place of the estimator for scikit-learn."""
        raise NotImplementedError

    def _read(self, tally: Any, settings: Any) -> Table:
        """Read the tally into a score table."""
        raise NotImplementedError

    def _joint(self, table: Any, X: Any, out: Floats, first_row: int) -> None:
        """Fill in joint log scores, (n, K); the rows are those from `first_row` on, for messages."""
        raise NotImplementedError

    def _columns(self) -> Any:
        """Give a stand-in that scikit-learn's checks may write to."""
        raise NotImplementedError

    def _threads(self) -> int:
        """How many threads `n_jobs` asks for."""
        raise NotImplementedError

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Give log P(class, row), shape (n, K): natural log, -inf is exactly zero."""
        rows, table = self._to_score(X)
        out = np.empty((rows.shape[0], len(self.tally_.classes)))
        self._joint(table, rows, out, 0)
        return out

    def predict_log_proba(self, X: Any) -> Floats:
        """Give log P(class given row), shape (n, K), natural log."""
        return self._chunked(X, log_posterior)

    def predict_proba(self, X: Any) -> Floats:
        """Give P(class given row), shape (n, K); a row that is impossible under every class gets the prior."""
        return self._chunked(X, posterior)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Give the most probable class of each row, shape (n,): the first in order on an exact tie."""
        rows, table = self._to_score(X)
        choice = np.empty(rows.shape[0], np.intp)
        for begin, end, joint in self._chunks(rows, table):
            choice[begin:end] = predicted(joint, table.log_prior, self._threads())
        answers: npt.NDArray[Any] = self.classes_[choice]
        return answers

    def decide(self, X: Any, loss: Any = None, abstain: float | None = None, unsure: Any = None) -> npt.NDArray[Any]:
        """Give the answer of least expected loss for each row.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)
        loss : array of shape (K, K), optional
            ``loss[answer][truth]``; by default 1 for a wrong answer.
        abstain : float, optional
            The loss of giving no answer.
        unsure : object, optional
            What stands for no answer; with `abstain` the answers come as objects.

        Returns
        -------
        ndarray of shape (n,)
        """
        choice = decide(self.predict_proba(X), loss, abstain)
        answers: npt.NDArray[Any] = self.classes_[choice]
        if abstain is not None:
            answers = answers.astype(object)
            answers[choice < 0] = unsure
        return answers

    def _to_score(self, X: Any) -> tuple[Any, Table]:
        check_is_fitted(self)
        refuse_duplicate_names(X)
        rows = self._check_rows(X, self._columns(), self._fitted_settings, False)
        return rows, self._scores()

    def _scores(self) -> Table:
        """The score table; made at first use after a change."""
        check_is_fitted(self)
        if self._cache.table is None:
            self._cache.table = self._read(self.tally_, self._fitted_settings)
        return self._cache.table

    def _chunks(self, rows: Any, table: Table) -> Iterator[tuple[int, int, Floats]]:
        n_rows, n_classes = rows.shape[0], len(table.log_prior)
        step = max(1024, _CHUNK // max(n_classes, 1))
        buffer = np.empty((min(step, n_rows), n_classes))
        for begin in range(0, n_rows, step):
            end = min(begin + step, n_rows)
            out = buffer[: end - begin]
            self._joint(table, rows_between(rows, begin, end), out, begin)
            yield begin, end, out

    def _chunked(self, X: Any, finish: Callable[[Floats, Floats], Floats]) -> Floats:
        rows, table = self._to_score(X)
        out = np.empty((rows.shape[0], len(table.log_prior)))
        for begin, end, joint in self._chunks(rows, table):
            out[begin:end] = finish(joint, table.log_prior)
        return out
