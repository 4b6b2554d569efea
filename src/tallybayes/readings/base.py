"""The bases of readings and scores: how sums are read, and what they say of rows then."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..described import Described
from ..errors import ParameterError
from ..kinds import Kinds, keep_plain
from ..labels import Labels
from ..tally import Tally
from .prior import checked_prior, given_or_named, log_prior
from .terms import Floats, Terms

if TYPE_CHECKING:
    from ..derive import Derivation

__all__ = ["Reading", "Scores", "check_number", "rows_not_finite"]

SAFE_EXPONENT = 900  # amounts below 2 to this power may be multiplied by weights and added


@dataclass(frozen=True, kw_only=True)
class Reading(ABC):
    """How a tally is read: event model, smoothing and prior. Changing it never needs the data again.

    Each event model is a subclass, which registers itself by its name; `Reading.of` makes one by name.

    Parameters
    ----------
    prior : None, "documents", "words", "uniform", sequence of shape (K,), or mapping label → probability
        None is the event model's own: the share of the documents, and for complement no prior.
    prior_alpha : float
        Smoothing of a counted prior: (N_c + λ) / (N + Kλ).

    Raises
    ------
    ParameterError
        If a value is out of its range, or two contradict each other.

    Examples
    --------
    >>> from tallybayes import Reading
    >>> reading = Reading.of("multinomial", alpha=0.5, prior={"ham": 0.2, "spam": 0.8})
    >>> reading.event_model, reading.replace(event_model="complement").alpha
    ('multinomial', 0.5)
    >>> Reading.of("multinomial", norm=True)
    Traceback (most recent call last):
    ...
    tallybayes.errors.ParameterError: norm=True belongs to event_model='complement'; got event_model='multinomial'
    """

    prior: Any = None
    prior_alpha: float = 0.0

    event_models: ClassVar[Kinds[type[Reading]]] = Kinds("event_model")
    event_model: ClassVar[str]
    # The kinds of counter whose tallies this event model reads.
    counters: ClassVar[tuple[str, ...]]
    priors: ClassVar[tuple[str, ...]] = ("documents", "uniform")

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels of the tally that are read; none where a tally has no channels."""
        return ()

    def __init_subclass__(cls) -> None:
        if "event_model" in vars(cls):
            Reading.event_models.add(cls.event_model, cls)

    def __post_init__(self) -> None:
        keep_plain(self)
        object.__setattr__(self, "prior_alpha", check_number("prior_alpha", self.prior_alpha))
        if isinstance(self.prior, str):
            if self.prior not in self.priors:
                raise ParameterError(
                    f"prior must be one of {', '.join(map(repr, self.priors))} or probabilities with "
                    f"event_model={self.event_model!r}; got {self.prior!r}"
                )
        elif self.prior is not None:
            object.__setattr__(self, "prior", checked_prior(self.prior))

    # What an event model provides

    @abstractmethod
    def read(self, tally: Any) -> Scores:
        """Return what the tally says of rows, read by this reading.

        Raises
        ------
        ParameterError
            If the reading does not fit the tally.
        """

    def check(self, tally: Any) -> Scores | None:
        """Return the scores if they had to be made to see whether the reading fits a tally; refuse one that does not.

        Raises
        ------
        ParameterError
            As `read`.
        """
        self.log_prior(tally)
        return None

    # What all have

    def log_prior(self, tally: Tally) -> Floats:
        """Return the log prior, natural log, shape (K,); a class that weighs nothing has -inf unless smoothed in."""
        return log_prior(tally, self.prior, self.prior_alpha)

    def prior_of(self, labels: Sequence[Any]) -> Any:
        """Return the prior in plain values: a name, None, or a probability for each class in order."""
        return given_or_named(self.prior, list(labels))

    @classmethod
    def of(cls, event_model: str, **parameters: Any) -> Reading:
        """Return the reading of an event model by its name.

        Parameters
        ----------
        event_model : str
        **parameters
            Those of its reading. One of another event model may be given as long as it says what it would say by
            default.

        Raises
        ------
        ParameterError
            If there is no such event model, no such parameter, or a value is out of range.
        """
        made = Reading.event_models[event_model]
        own = {each.name for each in fields(made)}
        for name in [name for name in parameters if name not in own]:
            owners = [
                other
                for other in Reading.event_models.values()
                for each in fields(other)
                if each.name == name and each.default is not MISSING
            ]
            defaults = [each.default for other in owners for each in fields(other) if each.name == name]
            value = parameters.pop(name)
            if not owners:
                raise ParameterError(
                    f"event_model={event_model!r} has no parameter {name!r}; it has {', '.join(sorted(own))}"
                )
            if not any(value is default or value == default for default in defaults):
                owner = owners[0].event_model
                raise ParameterError(
                    f"{name}={value!r} belongs to event_model={owner!r}; got event_model={event_model!r}"
                )
        return made(**parameters)

    def replace(self, **changes: Any) -> Reading:
        """Return a reading with some parameters changed; with `event_model` among them, that of another event model.

        Raises
        ------
        ParameterError
            If there is no such parameter, or its value is out of range.

        Examples
        --------
        >>> from tallybayes import Reading
        >>> Reading.of("multinomial", alpha=1.0).replace(alpha=0.1).alpha
        0.1
        """
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        event_model = changes.pop("event_model", self.event_model)
        if event_model == self.event_model:
            for name in changes:
                if name not in own:
                    known = ", ".join(sorted(own))
                    raise ParameterError(f"event_model={event_model!r} has no parameter {name!r}; it has {known}")
            return replace(self, **changes)
        return Reading.of(event_model, **{**own, **changes})

    def to_json(self) -> dict[str, Any]:
        """Return the event model and its parameters as plain JSON values."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        if isinstance(self.prior, Mapping):
            labels, codes = Labels.of(list(self.prior))
            shares = [0.0] * len(labels)
            for code, share in zip(codes.tolist(), self.prior.values(), strict=True):
                shares[code] = float(share)
            said["prior"] = {"labels": labels.to_json(), "shares": shares}
        return {"event_model": self.event_model, **said}

    @staticmethod
    def from_json(said: Mapping[str, Any]) -> Reading:
        """Return the reading rebuilt from `to_json`.

        Raises
        ------
        ParameterError
            If it names something unknown, or a value is out of its range.
        """
        parameters = dict(said)
        made = Reading.event_models[parameters.pop("event_model", "")]
        prior = parameters.get("prior")
        if isinstance(prior, Mapping):
            labels = Labels.from_json(prior["labels"])
            parameters["prior"] = dict(zip(labels, prior["shares"], strict=True))
        return made.of(made.event_model, **parameters)


class Scores(ABC):
    """A tally read: what it says of rows. Prior and likelihood stay apart until an answer is asked for.

    Attributes
    ----------
    tally : Tally
        The tally as it is read: pruned, where the reading prunes.
    reading : Reading
    log_prior : ndarray of float64, shape (K,)
        The prior as read, natural log: the answer for rows that are impossible under every class.
    prior_enters : bool
        Whether it is part of the scores.
    start : ndarray of float64, shape (K,)
        What the score of every row begins with: the prior where it enters, else 0; -inf for a class that cannot be.
    """

    def __init__(self, tally: Tally, reading: Reading, log_prior: Floats, *, prior_enters: bool = True) -> None:
        self.tally, self.reading, self.log_prior, self.prior_enters = tally, reading, log_prior, prior_enters
        weightless = np.asarray(tally.class_count) == 0
        self.start = log_prior if prior_enters else np.where(weightless, -np.inf, 0.0)

    # What an event model provides

    # A best score larger than this may have lost what tells the classes apart to rounding: see `relative`.
    far: ClassVar[float] = np.inf

    @abstractmethod
    def _score(self, rows: Any, start: Floats, out: Floats, n_jobs: int) -> npt.NDArray[np.intp]:
        """Fill in `start` + log likelihood, (n, K), and return the rows whose sums float64 cannot hold.

        `start` is `self.start` or zeros.
        """

    @abstractmethod
    def terms(self, described: Described) -> Terms:
        """Return the terms whose sum is the scores of one row."""

    def derive(self, described: Described, *, features: int, classes: int) -> Derivation:
        """Return the derivation of the answer for one row; its tables show so many features and classes at most.

        Raises
        ------
        ParameterError
            If the event model has no derivation.
        """
        raise ParameterError(f"event_model={self.reading.event_model!r} has no derivation; explain works for it")

    # What all have

    def joint(self, rows: Any, n_jobs: int = 1, out: Floats | None = None) -> Floats:
        """Return the joint log scores of checked rows, shape (n, K), natural log; -inf is exactly zero.

        Raises
        ------
        InputError
            For a value that cannot be scored; the message names its row and column.
        """
        out = np.empty((len(rows), len(self.log_prior))) if out is None else out
        self._score(rows, self.start, out, n_jobs)
        return out

    def relative(
        self, rows: Any, describe: Callable[[int], Described], n_jobs: int = 1, out: Floats | None = None
    ) -> Floats:
        """Return the joint log scores of checked rows up to a constant of each row, shape (n, K), natural log.

        What answers are made of. Mostly these are the joint log scores. Where those are so large that the rounding of
        their sums could decide, the difference of each class to one of them is summed term by term instead: a column
        that tells nothing adds exactly nothing, however large its value is.

        Parameters
        ----------
        rows : Rows
        describe : callable
            Describes one of the rows by its number.
        n_jobs : int
        out : ndarray of float64, shape (n, K), optional

        Raises
        ------
        InputError
            As `joint`.
        """
        out = np.empty((len(rows), len(self.log_prior))) if out is None else out
        lost = self._score(rows, self.start, out, n_jobs)
        if not out.size or (not lost.size and -self.far < out.min() and out.max() < self.far):
            return out
        best = np.abs(out.max(axis=1))
        away = np.union1d(lost, np.flatnonzero((best >= self.far) & np.isfinite(best)))
        if away.size:
            out[away] = self._differences(rows, away, describe)
        return out

    def _differences(self, rows: Any, which: npt.NDArray[np.intp], describe: Callable[[int], Described]) -> Floats:
        """Return scores of some rows less that of one class each, shape (n, K), summed over differences of terms."""
        return np.array([self._differences_of(describe(row)) for row in which.tolist()])

    def _differences_of(self, described: Described) -> Floats:
        # Terms of smaller amounts, where those of the amounts themselves would leave float64.
        shift = max(0, int(np.frexp(np.abs(described.amounts).max(initial=0.0))[1]) - SAFE_EXPONENT)
        terms = self.terms(replace(described, amounts=np.ldexp(described.amounts, -shift)))
        parts = np.vstack([np.ldexp([terms.prior, terms.bias], -shift), terms.features])
        certain = np.isposinf(parts).any(axis=0)
        possible = np.flatnonzero(~np.isneginf(parts).any(axis=0) & ~certain)
        differences = np.where(certain, np.inf, -np.inf)
        if possible.size:
            apart = parts[:, possible] - parts[:, possible[:1]]
            summed = np.array([math.fsum(column) for column in apart.T.tolist()])
            with np.errstate(over="ignore"):
                differences[possible] = np.ldexp(summed - summed.max(), shift)
        return differences

    def add_likelihood(self, rows: Any, out: Floats, n_jobs: int = 1) -> None:
        """Add the log likelihood of checked rows under each class to `out`, shape (n, K), natural log."""
        likelihood = np.empty_like(out)
        self._score(rows, np.zeros(len(self.log_prior)), likelihood, n_jobs)
        out += likelihood


def rows_not_finite(scores: Floats, impossible: npt.NDArray[np.integer]) -> npt.NDArray[np.intp]:
    """Return the rows of scores, shape (n, K), that are not finite for classes that are not `impossible` anyway."""
    if not scores.size or (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        return np.zeros(0, np.intp)
    wrong = ~np.isfinite(scores)
    wrong[:, impossible] = False
    return np.flatnonzero(wrong.any(axis=1))


def check_number(name: str, value: Any) -> float:
    """Check a number that must be finite and at least 0.

    Raises
    ------
    ParameterError
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ParameterError(f"{name} must be a number; got {value!r}")
    if not (np.isfinite(value) and value >= 0):
        raise ParameterError(f"{name} must be a finite number of at least 0; got {value!r}")
    return float(value)
