"""How a count tally is read: the parameters, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError

__all__ = ["Reading"]

MODELS = ("multinomial", "complement", "bernoulli")
WEIGHTINGS = ("count", "binary", "log", "idf", "tfidf")


@dataclass(frozen=True)
class Reading:
    """How a count tally is read; changing it never needs the data again.

    Parameters
    ----------
    model : {"multinomial", "complement", "bernoulli"}
        The event model.
    alpha : float or sequence of float, shape (V,)
        Additive smoothing, ≥ 0; 0 is maximum likelihood, 1 is Laplace.
    norm : bool
        Complement only: divide each class's weights by the sum of their absolute values.
    prior : None, "documents", "words", "uniform", sequence of shape (K,), or mapping label → probability
        None is the model's own: documents for multinomial and Bernoulli, none for complement.
    prior_alpha : float
        Smoothing of a counted prior: (N_c + λ) / (N + Kλ).
    smoothing : {"additive", "floor"}
        "floor" (multinomial): seen features are left unsmoothed, any other word, never-seen ones included, has
        probability floor / (1 + W_c).
    floor : float
        The m of "floor", > 0.
    weighting : {"count", "binary", "log", "idf", "tfidf"}
        What one feature of a row weighs: its count, 1, 1 + ln(count), count · idf, or the L2-normalised tf-idf whose
        idf was frozen into the feature space when fitting.
    min_df, max_df : int or float
        Keep features of at least / at most so many documents (int) or so large a share of them (float).
    max_features : int or None
        Keep the most frequent ones; of equally frequent ones the first in byte order.

    Raises
    ------
    ParameterError
        If a value is out of its range, or two contradict each other.

    Examples
    --------
    >>> Reading("multinomial", alpha=0.5, prior={"ham": 0.2, "spam": 0.8}).channels
    ('occurrences',)
    >>> Reading("gaussian")
    Traceback (most recent call last):
    ...
    tallybayes.errors.ParameterError: model must be one of 'multinomial', 'complement', 'bernoulli'; got 'gaussian'
    """

    model: Literal["multinomial", "complement", "bernoulli"] = "multinomial"
    alpha: float | tuple[float, ...] = 1.0
    norm: bool = False
    prior: Any = None
    prior_alpha: float = 0.0
    smoothing: Literal["additive", "floor"] = "additive"
    floor: float = 0.1
    weighting: Literal["count", "binary", "log", "idf", "tfidf"] = "count"
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_features: int | None = None

    def __post_init__(self) -> None:
        _choice("model", self.model, MODELS)
        _choice("smoothing", self.smoothing, ("additive", "floor"))
        _choice("weighting", self.weighting, WEIGHTINGS)
        object.__setattr__(self, "alpha", _checked_alpha(self.alpha))
        for name in ("prior_alpha", "floor"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
                raise ParameterError(f"{name} must be a number; got {value!r}")
            if not (np.isfinite(value) and value >= 0):
                raise ParameterError(f"{name} must be finite and at least 0; got {value!r}")
            object.__setattr__(self, name, float(value))
        if self.smoothing == "floor":
            if self.model != "multinomial":
                raise ParameterError(
                    f"smoothing='floor' is defined for model='multinomial' only; got model={self.model!r}"
                )
            if self.floor == 0:
                raise ParameterError(
                    "floor must be above 0; for maximum likelihood use smoothing='additive' with alpha=0"
                )
        if self.norm and self.model != "complement":
            raise ParameterError(f"norm=True belongs to model='complement'; got model={self.model!r}")
        if self.model == "bernoulli" and self.weighting not in ("count", "binary"):
            raise ParameterError(
                f"model='bernoulli' asks only whether a feature is present; weighting must be 'count' or 'binary', "
                f"got {self.weighting!r}"
            )
        if self.max_features is not None and (isinstance(self.max_features, bool) or int(self.max_features) < 1):
            raise ParameterError(f"max_features must be None or at least 1; got {self.max_features!r}")
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not ((whole and value >= 1) or (isinstance(value, (float, np.floating)) and 0.0 <= value <= 1.0)):
                raise ParameterError(f"{name} must be a whole number ≥ 1 or a share from 0.0 to 1.0; got {value!r}")
        if isinstance(self.prior, str):
            _choice("prior", self.prior, ("documents", "words", "uniform"))
        elif self.prior is not None and not isinstance(self.prior, Mapping):
            if not isinstance(self.prior, (Sequence, np.ndarray)):
                raise ParameterError(
                    f"prior must be a name, a sequence or a mapping label → probability; got {self.prior!r}"
                )
            object.__setattr__(self, "prior", tuple(float(p) for p in self.prior))

    def replace(self, **changes: Any) -> Reading:
        """Return a reading with some parameters changed.

        Raises
        ------
        ParameterError
            If there is no such parameter, or its value is out of range.

        Examples
        --------
        >>> Reading(alpha=1.0).replace(alpha=0.1).alpha
        0.1
        """
        known = {f.name for f in fields(self)}
        for name in changes:
            if name not in known:
                raise ParameterError(f"a reading has no parameter {name!r}; it has {', '.join(sorted(known))}")
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """Give the parameters as plain JSON values."""
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        if isinstance(self.prior, Mapping):
            said["prior"] = [[label, float(share)] for label, share in self.prior.items()]
        return said

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reading:
        """Rebuild a reading from `to_json`; parameters that a newer minor version added are ignored.

        Raises
        ------
        ParameterError
            If a value is out of its range.
        """
        said = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        if isinstance(said.get("prior"), list) and all(isinstance(entry, list) for entry in said["prior"]):
            said["prior"] = dict(said["prior"])
        return cls(**said)

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels of the tally that this reading looks at."""
        present = self.model == "bernoulli" or self.weighting == "binary"
        needed = {"documents"} if present else {"occurrences"}
        by_documents = (self.min_df, self.max_df) != (1, 1.0)
        if self.weighting == "idf" or (by_documents and self.weighting != "tfidf"):
            needed.add("documents")
        if self.prior == "words" or (self.max_features is not None and not present):
            needed.add("occurrences")
        return tuple(sorted(needed))

    @property
    def value(self) -> Literal["count", "binary", "log"]:
        """What a row's own counts are turned into before they meet the table."""
        if self.model == "bernoulli" or self.weighting == "binary":
            return "binary"
        return "log" if self.weighting == "log" else "count"

    @property
    def unknown(self) -> bool:
        """Whether features never seen in training enter the score (they do under the floor)."""
        return self.smoothing == "floor"


def _choice(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}")


def _checked_alpha(alpha: Any) -> float | tuple[float, ...]:
    """Check smoothing element by element; NaN, infinity and negative numbers are refused with their position."""
    try:
        values = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"alpha must be a number ≥ 0 or one per feature; got {alpha!r}") from None
    if values.ndim > 1 or isinstance(alpha, (bool, str)):
        raise ParameterError(f"alpha must be a number ≥ 0 or one per feature; got {alpha!r}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)).ravel())
    if bad.size:
        where = "" if values.ndim == 0 else f" at position {bad[0]}"
        raise ParameterError(f"alpha must be finite and at least 0; got {float(values.ravel()[bad[0]])!r}{where}")
    return float(values) if values.ndim == 0 else tuple(values.tolist())
