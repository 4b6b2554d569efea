"""Why this class and not that one: the exact contribution of every feature to the log-odds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..described import Described
from ..errors import ParameterError
from ..labels import Labels
from ..layout import aligned, padded, printable, shortened
from ..readings import Scores, log_posterior
from .explain_page import explanation_page
from .odds import Contribution, LogOdds, signed, total

__all__ = ["Contribution", "Explanation", "explained"]

BAR = 12  # columns of the longest bar in the text form


@dataclass(frozen=True)
class Explanation(LogOdds):
    """One decision explained: the log-odds of one class against another, feature by feature; ``str()`` is its text.

    Examples
    --------
    >>> from tallybayes import Model
    >>> model = Model().learned(["cheap pills", "lunch at noon"], ["spam", "ham"])
    >>> explanation = model.explain("cheap lunch, cheap!")
    >>> explanation.of, explanation.contributions[0].feature, explanation.contributions[0].places
    ('spam', 'cheap', ((0, 5), (13, 18)))
    """

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, top: int = 20) -> str:
        """Return plain text, aligned for a terminal.

        Parameters
        ----------
        top : int
            How many features to show, those that add most first; the rest are added up in one line.
        """
        lines = [
            f"{printable(str(self.of))} rather than {printable(str(self.against))}: log-odds {signed(self.log_odds)}",
            f"P({printable(str(self.of))}) = {self.probabilities[self.of]:.7g}, "
            f"P({printable(str(self.against))}) = {self.probabilities[self.against]:.7g}",
        ]
        if self.note:
            lines.append(self.note)
        shown, rest = self.entering[:top], self.entering[top:]
        rows = [("adds", "", self.noun, "times" if self.counted else "")]
        rows += [(signed(self.prior), "", "(prior)", "")] if self.prior else []
        rows += [(signed(self.bias), "", f"({self.noun}s that are absent)", "")] if self.bias else []
        largest = max((abs(part.value) for part in shown if math.isfinite(part.value)), default=0.0)
        for part in shown:
            name = shortened(printable(part.feature), 40) + ("" if part.known else " (never seen)")
            times = part.times if self.counted else ""
            rows.append((signed(part.value), _bar(part.value, largest), name, times))
        if rest:
            rows.append((signed(total(rest)), "", f"({len(rest)} more {self.noun}s)", ""))
        if len(rows) > 1:
            lines += ["", *aligned(rows, "><<>")]
        if self.ignored:
            names = ", ".join(printable(part.feature) for part in self.ignored[:top])
            more = f" and {len(self.ignored) - top} more" if len(self.ignored) > top else ""
            lines += ["", f"never seen in training, ignored: {names}{more}"]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; infinities, for which it has no numbers, are ``"inf"`` and ``"-inf"``."""
        return {
            "document": self.document,
            "of": _plain(self.of),
            "against": _plain(self.against),
            "answer": _plain(self.answer),
            "log_odds": _number(self.log_odds),
            "prior": _number(self.prior),
            "bias": _number(self.bias),
            "contributions": [
                {
                    "feature": part.feature,
                    "count": part.count,
                    "value": _number(part.value),
                    "places": [list(place) for place in part.places],
                    "known": part.known,
                }
                for part in self.contributions
            ],
            "probabilities": {str(label): probability for label, probability in self.probabilities.items()},
            "note": self.note,
        }

    def to_html(self, top: int = 40) -> str:
        """Return a page that needs nothing else: the document with its words marked, and the contributions.

        Parameters
        ----------
        top : int
            How many features the table shows.
        """
        return explanation_page(self, top)


def explained(
    described: Described,
    labels: Labels,
    scores: Scores,
    joint: npt.NDArray[np.float64],
    of: Any,
    against: Any,
) -> Explanation:
    """Explain one class against another.

    Parameters
    ----------
    described : Described
        What the row holds.
    labels : Labels
        K classes, at least two.
    scores : Scores
    joint : ndarray of float64, shape (K,)
        The row's scores, from the kernel.
    of, against : class labels or None
        Default: the answer against the runner-up; with `of` alone, against the most probable other class.

    Raises
    ------
    InputError
        If a label is not a class of the model.
    ParameterError
        If the two are the same.
    """
    terms = scores.terms(described)
    log_proba = log_posterior(joint[np.newaxis], scores.log_prior)[0]
    shares = np.exp(log_proba)
    answer = int((shares / shares.sum()).argmax())  # as `predict`: rounding may make two of them equal
    order = [answer, *(c for c in np.argsort(-log_proba, kind="stable").tolist() if c != answer)]
    first = order[0] if of is None else int(labels.codes([of])[0])
    if against is not None:
        second = int(labels.codes([against])[0])
        if of is None and second == first:
            first = order[1]
    else:
        second = next(c for c in order if c != first)
    if first == second:
        raise ParameterError(f"an explanation compares two classes; of and against are both {of!r}")
    values = _difference(terms.features[:, first], terms.features[:, second]).tolist()
    parts = [
        Contribution(name, count, value, tuple(places), known)
        for name, count, value, places, known in zip(
            described.names, described.counts, values, described.places, terms.known.tolist(), strict=True
        )
    ]
    log_odds, note = _log_odds(joint, log_proba, first, second)
    return Explanation(
        document=described.text,
        of=labels[first],
        against=labels[second],
        answer=labels[order[0]],
        log_odds=log_odds,
        prior=float(_difference(terms.prior[[first]], terms.prior[[second]])[0]),
        bias=float(_difference(terms.bias[[first]], terms.bias[[second]])[0]),
        contributions=tuple(sorted(parts, key=lambda part: -abs(part.value))),
        probabilities=dict(zip(labels, np.exp(log_proba).tolist(), strict=True)),
        note=note,
        noun=described.noun,
    )


def _difference(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Subtract, with 0 where both are the same infinity: what rules both out tells nothing apart."""
    with np.errstate(invalid="ignore"):
        return np.where(left == right, 0.0, left - right)


def _log_odds(
    joint: npt.NDArray[np.float64], log_proba: npt.NDArray[np.float64], first: int, second: int
) -> tuple[float, str]:
    """Return the log-odds that the kernel's scores give, and what to say where they give none."""
    if joint[first] != joint[second] or math.isfinite(joint[first]):
        return float(joint[first] - joint[second]), ""
    if np.isneginf(joint).all():
        odds = float(_difference(log_proba[[first]], log_proba[[second]])[0])
        return odds, "Every class is impossible here, so the prior decides."
    if math.isinf(joint[first]) and joint[first] > 0:
        return 0.0, "Both classes are certain here, so nothing tells them apart."
    return 0.0, "Both classes are impossible here."


def _bar(value: float, largest: float) -> str:
    share = 1.0 if math.isinf(value) else abs(value) / largest if largest else 0.0
    return padded(("█" if value > 0 else "░") * round(share * BAR), BAR)


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _plain(label: Any) -> Any:
    return label if isinstance(label, (str, int, float, bool)) else str(label)
