"""What comes in: labels, weights, matrices. Checked, never changed, and no attribute of an estimator touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight

import tallybayes._kernel as _kernel

from ..errors import InputError
from ..labels import Labels

__all__ = [
    "Codes",
    "Weights",
    "check_weights",
    "class_weight",
    "encode",
    "encode_known",
    "refuse_duplicate_names",
    "whole_weights",
]

Codes = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64] | None


def encode(y: Any, n_rows: int) -> tuple[Labels, Codes]:
    """Number the labels of n rows.

    Raises
    ------
    InputError
        If labels are missing, mixed, of another number than the rows, or measurements rather than classes.
    """
    if y is None:
        raise InputError("This estimator requires y to be passed, but the target y is None: give one label per row")
    if getattr(y, "ndim", 1) == 2 or (isinstance(y, list) and y and isinstance(y[0], list)):
        y = column_or_1d(y, warn=True)
    if hasattr(y, "__array__") and not hasattr(y, "__iter__"):
        y = np.asarray(y)
    labels, codes = Labels.of(y)
    if len(codes) != n_rows:
        check_consistent_length(np.empty((n_rows, 0)), codes)
    if labels.kind == "float":
        fraction = next((value for value in labels if value != int(value)), None)  # type: ignore[arg-type]
        if fraction is not None:
            raise InputError(
                f"Unknown label type: continuous. Labels are classes, and {fraction!r} is a measurement; make classes "
                "of the numbers first"
            )
    return labels, codes


def encode_known(y: Any, n_rows: int, known: Labels) -> Codes:
    """Number the labels of n rows by the classes that are known already.

    Raises
    ------
    InputError
        If a label is none of them.
    """
    labels, codes = encode(y, n_rows)
    strangers = [label for label in labels if label not in known]
    if strangers:
        raise InputError(
            f"The target label(s) {strangers} in y do not exist in the initial classes {list(known)}; name every class "
            "in `classes` at the first partial_fit"
        )
    positions = np.array([known.index(label) for label in labels], np.int32)
    return positions[codes]


def check_weights(sample_weight: Any, X: Any) -> Weights:
    """Check sample weights: one finite number of at least 0 per row, not all 0.

    Raises
    ------
    ValueError
        The message names the first weight that is wrong.
    """
    if sample_weight is None:
        return None
    weights: npt.NDArray[np.float64] = _check_sample_weight(sample_weight, X, dtype=np.float64)
    negative = np.flatnonzero(weights < 0)
    if negative.size:
        raise InputError(
            f"Negative values in data passed to `sample_weight`: weights are at least 0, got {weights[negative[0]]} "
            f"at row {negative[0]}"
        )
    if not weights.any():
        raise InputError("Sample weights must contain at least one non-zero number.")
    return np.ascontiguousarray(weights)


def whole_weights(weights: Weights) -> bool:
    """Whether weighted sums are sums of whole numbers, which stay exact."""
    return weights is None or bool((weights == np.floor(weights)).all() and weights.sum() < 2**53)


def class_weight(codes: Codes, n_classes: int, weights: Weights) -> npt.NDArray[Any]:
    """Add up the rows of each class: int64 where the weights are whole."""
    if weights is None:
        return _kernel.count_classes(codes, n_classes)
    counted = np.bincount(codes, weights, n_classes)
    return counted.astype(np.int64 if whole_weights(weights) else np.float64)


def refuse_duplicate_names(X: Any) -> None:
    """Refuse a frame with two columns of one name: no rule says which is which.

    Raises
    ------
    InputError
    """
    found: Any = getattr(X, "column_names", None)  # Arrow, whose `columns` are the data
    if found is None:
        found = getattr(X, "columns", ())
    seen = set()
    for name in found:
        if isinstance(name, str) and name in seen:
            raise InputError(f"X has two columns named {name!r}: give each column its own name")
        seen.add(name if isinstance(name, str) else None)
