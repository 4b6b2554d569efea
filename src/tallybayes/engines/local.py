"""Counting on this machine, with threads."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..errors import InputError, ParameterError
from ..labels import Labels
from ..tally.count import CountTally
from ..tally.features import ColumnFeatures, Features, TextFeatures
from ..text.analyzer import Analyzer
from ..text.space import Space

__all__ = ["LabelledRows", "count", "labelled_rows", "tally_from", "threads"]

UNITS = {"log": 32}  # what is no whole number is counted in units of 2^-32, so that it stays exact


class LabelledRows(NamedTuple):
    """The labels and weights of some rows, checked.

    Attributes
    ----------
    classes : Labels
        K classes.
    codes : ndarray of int32, shape (n,)
        The class of each row.
    weights : ndarray of int64 or float64, shape (n,), or None
        None: every row weighs 1.
    class_count : ndarray of int64 or float64, shape (K,)
    """

    classes: Labels
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any] | None
    class_count: npt.NDArray[Any]

    @property
    def exact(self) -> bool:
        """Whether all weights are whole."""
        return self.weights is None or self.weights.dtype == np.int64


def labelled_rows(labels: Any, weights: Any, n_rows: int, classes: Labels | None = None) -> LabelledRows:
    """Check the labels and weights of n rows.

    Parameters
    ----------
    labels : sequence, length n
    weights : array-like of shape (n,), or None
        Finite, not negative, not all zero. If all are whole, sums stay exact.
    n_rows : int
    classes : Labels, optional
        The classes there are; any other label is refused. By default those of `labels`.

    Raises
    ------
    InputError
        If a label is missing, of mixed kinds or unknown, if a weight cannot be used, or if the lengths differ.
    """
    if classes is None:
        classes, codes = Labels.of(labels)
    else:
        codes = classes.codes(labels)
    if len(codes) != n_rows:
        raise InputError(f"every row needs a label: {n_rows} rows came with {len(codes)} labels")
    if weights is None:
        return LabelledRows(classes, codes, None, np.bincount(codes, minlength=len(classes)).astype(np.int64))
    checked = _checked_weights(weights, n_rows)
    class_count = np.bincount(codes, checked, len(classes))
    if checked.dtype == np.int64:
        return LabelledRows(classes, codes, checked, class_count.astype(np.int64))
    return LabelledRows(classes, codes, checked, class_count.astype(np.float64))


def _checked_weights(weights: Any, n_rows: int) -> npt.NDArray[Any]:
    try:
        values = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sample weights must be numbers, one per row; got {weights!r:.80}") from None
    if values.ndim == 0:
        values = np.full(n_rows, values)
    if values.shape != (n_rows,):
        raise InputError(f"sample weights must be one number per row: {n_rows} rows, weights of shape {values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        raise InputError(f"sample weights must be finite and not negative; row {bad[0]} has weight {values[bad[0]]}")
    if n_rows and not values.any():
        raise InputError("sample weights must not all be zero: there would be nothing to learn")
    whole = (values == np.floor(values)).all() and values.sum() < 2**53
    return values.astype(np.int64) if whole else values


def threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for: None is 1, -1 all cores.

    Raises
    ------
    ParameterError
        If it is 0, below -1, or no whole number.
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0 or n_jobs < -1:
        raise ParameterError(f"n_jobs must be None (1 thread), -1 (all cores) or a number of threads; got {n_jobs!r}")
    if n_jobs == -1:
        import os

        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(n_jobs)


def count(
    documents: Any,
    labels: Any,
    analyzer: Analyzer,
    *,
    weights: Any = None,
    channels: Iterable[str] = ("occurrences",),
    value: Literal["count", "log"] = "count",
    n_jobs: int | None = None,
    classes: Labels | None = None,
) -> CountTally:
    """Count the features of labelled documents.

    Parameters
    ----------
    documents : sequence of str, or a column of a frame, length n
    labels : sequence, length n
    analyzer : Analyzer
    weights : array-like of shape (n,), optional
        A row of weight w counts as w rows; whole weights keep the tally exact.
    channels : iterable of {"occurrences", "documents"}
        What to count.
    value : {"count", "log"}
        What a feature of one document adds to `occurrences`: how often it stands there, or 1 + ln of that.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores. The tally is the same for any number.
    classes : Labels, optional
        The classes of the tally, seen in `labels` or not.

    Returns
    -------
    CountTally

    Raises
    ------
    InputError, InputTypeError
        If a document, label or weight cannot be used; the message names the first.

    Examples
    --------
    >>> tally = count(["buy now", "see you"], ["spam", "ham"], Analyzer(ngrams=(1, 1)))
    >>> tally.features.labels(), tally.class_index.tolist()
    (['buy', 'now', 'see', 'you'], [1, 1, 0, 0])
    """
    prepared = analyzer.documents(documents)
    rows = labelled_rows(labels, weights, len(prepared), classes)
    wanted = set(channels)
    function, n_columns = analyzer.hash or (None, 0)
    counts = _kernel.count_text(
        prepared,
        rows.codes,
        max(len(rows.classes), 1),
        analyzer.rules,
        columns=n_columns,
        murmur=function == "murmur3",
        seed=secrets.randbits(64),  # whoever chooses the documents cannot choose them to collide
        whole_weights=rows.weights if rows.weights is not None and rows.exact else None,
        weights=None if rows.exact else rows.weights,
        value=value,
        occurrences="occurrences" in wanted,
        documents_channel="documents" in wanted,
        n_jobs=threads(n_jobs),
    )
    space = replace(analyzer.space, value=value)
    features: Features
    if n_columns:
        features = ColumnFeatures(counts["columns"], n_columns)
    else:
        features = TextFeatures(counts["bytes"], counts["offsets"])
    return tally_from(counts, rows, features, space, wanted, unit=UNITS.get(value, 0))


def tally_from(
    counts: dict[str, Any],
    rows: LabelledRows,
    features: Features,
    space: Space,
    channels: Iterable[str],
    *,
    unit: int = 0,
    exact: bool = True,
) -> CountTally:
    """Build a tally from what the kernel counted over some rows; it is exact if the values were and the weights are."""
    exact = exact and rows.exact
    number = np.int64 if exact else np.float64
    return CountTally(
        rows.classes,
        rows.class_count.astype(number),
        features,
        counts["indptr"],
        counts["class_index"],
        {name: counts[name].astype(number, copy=False) for name in sorted(channels)},
        space,
        exact,
        unit,
    )
