"""The log-odds of one class against another, taken apart by feature and by place in the text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..described import Place

__all__ = ["Contribution", "LogOdds", "signed", "total"]


@dataclass(frozen=True)
class Contribution:
    """One feature of the document, or one column of the row.

    Attributes
    ----------
    feature : str
    count : int or float
        How often it is in the document; how much of the column is in the row.
    value : float
        What it adds to the log-odds (natural log); -inf or inf where it makes one of the classes impossible.
    places : tuple of (start, end)
        Where it stands in the document (or in the row as text), in code points.
    known : bool
        False for a feature never seen in training.
    """

    feature: str
    count: int | float
    value: float
    places: tuple[Place, ...]
    known: bool = True

    @property
    def times(self) -> str:
        """The count, short."""
        return f"{self.count:.6g}" if isinstance(self.count, float) else str(self.count)


@dataclass(frozen=True)
class LogOdds:
    """The log-odds of one class against another, taken apart.

    ``prior + bias + Σ value of contributions == log_odds``, unless both classes are impossible.

    Attributes
    ----------
    document : str
        A row of columns as text.
    of, against : class labels
    answer : class label
        What `predict` says, whichever classes are compared.
    log_odds : float
        Natural log of the odds of `of` against `against`, from the same kernel as `predict`.
    prior : float
        What the prior adds; 0 for complement unless a prior was asked for.
    bias : float
        What the features that are not in the document add (Bernoulli); else 0.
    contributions : tuple of Contribution
        Of every feature of the document, the largest first. Features never seen in training are among them with
        ``known=False`` and value 0, or under the floor what they add there.
    probabilities : dict of class label to float
        Of all classes.
    note : str
        What else a reader must know.
    noun : str
        What the contributions are of: features of a document, columns of a row.
    """

    document: str
    of: Any
    against: Any
    answer: Any
    log_odds: float
    prior: float
    bias: float
    contributions: tuple[Contribution, ...]
    probabilities: dict[Any, float]
    note: str = ""
    noun: str = "feature"

    @property
    def counted(self) -> bool:
        """Whether the counts tell anything: every value of a column is there once."""
        return self.noun == "feature" or any(part.count != 1 for part in self.contributions)

    @property
    def unknown(self) -> tuple[Contribution, ...]:
        """The features that were never seen in training."""
        return tuple(part for part in self.contributions if not part.known)

    @property
    def ignored(self) -> tuple[Contribution, ...]:
        """The features that were never seen in training and add nothing."""
        return tuple(part for part in self.unknown if not part.value)

    @property
    def entering(self) -> tuple[Contribution, ...]:
        """The features that are not ignored."""
        return tuple(part for part in self.contributions if part.known or part.value)

    @cached_property
    def marks(self) -> npt.NDArray[np.float64]:
        """What each character of the document adds to the log-odds, shape (len(document),).

        A feature's value is shared equally by its places, and in each place by the characters that are not white space;
        where features overlap (a word and the pair it is part of) their shares add up. So the marks sum to the sum of
        all contributions that have a place.
        """
        ink = np.fromiter((not character.isspace() for character in self.document), bool, len(self.document))
        marks = np.zeros(len(self.document))
        certain = np.zeros(len(self.document))
        for part in self.contributions:
            for start, end in part.places:
                inked = ink[start:end]
                if math.isinf(part.value):
                    certain[start:end] += np.sign(part.value) * inked
                elif part.value and inked.any():
                    marks[start:end] += inked * (part.value / len(part.places) / np.count_nonzero(inked))
        marks[certain > 0], marks[certain < 0] = np.inf, -np.inf
        return marks

    def pieces(self) -> Iterator[tuple[int, int, float]]:
        """Yield the document cut into (start, end, mark): runs of characters that the same features cover.

        The mark is the sum of the characters' marks, so a word counts as a whole.
        """
        if not self.document:
            return
        borders = np.zeros(len(self.document) + 1, bool)
        for part in self.contributions:
            for start, end in part.places:
                borders[[start, end]] = True
        spaces = np.fromiter((character.isspace() for character in self.document), bool, len(self.document))
        borders[1:-1] |= spaces[1:] != spaces[:-1]
        borders[[0, -1]] = True
        cuts = np.flatnonzero(borders).tolist()
        for start, end in pairwise(cuts):
            yield start, end, float(self.marks[start:end].sum())


def total(parts: Sequence[Contribution]) -> float:
    """Return the sum of contributions; where infinities of both signs meet, the finite ones only."""
    signs = {part.value for part in parts if math.isinf(part.value)}
    return signs.pop() if len(signs) == 1 else math.fsum(part.value for part in parts if math.isfinite(part.value))


def signed(value: float) -> str:
    """Return a number as text with its sign and four places."""
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:+.4f}".replace("-", "−")
