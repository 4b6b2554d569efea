"""The prior of a reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..labels import plain_label
from ..tally import CountTally, Tally
from .terms import Floats

__all__ = ["checked_prior", "given_or_named", "given_prior", "log_prior"]


def log_prior(tally: Tally, prior: Any, prior_alpha: float) -> Floats:
    """Return the log prior, shape (K,); a class that weighs nothing has -inf unless it is smoothed in.

    Raises
    ------
    ParameterError
        For a given prior of the wrong length, with negative, NaN or infinite entries, or a sum other than 1 (± 1e-6).
    """
    class_count = np.asarray(tally.class_count, np.float64)
    weightless = class_count == 0
    if prior is None or isinstance(prior, str):
        weight: Floats
        if prior == "uniform":
            weight = np.ones(len(class_count))
        else:
            weight = (_words(tally) if prior == "words" else class_count) + prior_alpha
        if prior_alpha == 0:
            weight = np.where(weightless, 0.0, weight)
        total = weight.sum()
        share = weight / total if total > 0 else np.zeros(len(class_count))
    else:
        share = np.where(weightless, 0.0, given_prior(prior, list(tally.classes)))
    with np.errstate(divide="ignore"):
        return np.log(share)


def checked_prior(prior: Any) -> Any:
    """Return a prior that a user gives in plain values: by label where it has labels, else in order.

    A pandas Series is matched by its index, unless that is 0, 1, 2, …, which names nothing.

    Raises
    ------
    ParameterError
        If it is neither, or names a label twice.
    """
    if hasattr(prior, "index") and hasattr(prior, "to_numpy"):
        keys, shares = list(prior.index), prior.to_numpy().tolist()
        if type(prior.index).__name__ == "RangeIndex" and keys == list(range(len(keys))):
            return checked_prior(shares)
    elif isinstance(prior, Mapping):
        keys, shares = list(prior), list(prior.values())
    elif isinstance(prior, Sequence) or hasattr(prior, "__array__"):
        keys, shares = [], list(prior)
    else:
        raise ParameterError(f"prior must be a name, a sequence or a mapping label → probability; got {prior!r}")
    try:
        shares = [float(share) for share in shares]
    except (TypeError, ValueError):
        raise ParameterError(f"a prior is one probability for each class; got {prior!r:.200}") from None
    if not keys and not isinstance(prior, Mapping):
        return tuple(shares)
    named = dict(zip(map(plain_label, keys), shares, strict=True))
    if len(named) < len(keys):
        raise ParameterError(f"prior names a class twice; got {prior!r:.200}")
    return named


def _words(tally: Tally) -> Floats:
    if not isinstance(tally, CountTally) or "occurrences" not in tally.channels:
        raise ParameterError("prior='words' counts occurrences, and this tally holds none")
    return np.asarray(tally.totals("occurrences"), np.float64)


def given_prior(prior: Any, labels: Sequence[Any]) -> Floats:
    """Check a prior that the user gives, in the order of the (sorted) classes or by label; return it, shape (K,)."""
    if isinstance(prior, Mapping):
        unknown = [label for label in prior if label not in labels]
        absent = [label for label in labels if label not in prior]
        if unknown or absent:
            trouble = f"{unknown[0]!r} is no class" if unknown else f"{absent[0]!r} is missing"
            raise ParameterError(f"prior must name every class once: {trouble}; the classes are {list(labels)!r}")
        prior = [prior[label] for label in labels]
    share = np.asarray(prior, np.float64)
    if share.shape != (len(labels),):
        raise ParameterError(
            f"Number of priors must match number of classes: {len(labels)} classes, prior of shape {share.shape}"
        )
    if not (np.isfinite(share).all() and (share >= 0).all()):
        raise ParameterError(f"Priors must be non-negative and finite; got {share.tolist()}")
    if abs(share.sum() - 1.0) > 1e-6:
        raise ParameterError(f"The sum of the priors should be 1; got {share.sum():g}")
    return share


def given_or_named(prior: Any, labels: list[Any]) -> Any:
    """Return the prior as a derivation takes it: a name, None, or a probability for each class in order."""
    return prior if prior is None or isinstance(prior, str) else given_prior(prior, labels).tolist()
