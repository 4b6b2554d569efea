"""A derivation as data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from .expression import Equation
from .joint import Joint, posteriors
from .numbers import Number, Shown
from .pages import Step, to_html, to_markdown, to_text

__all__ = ["Derivation"]

ROW = 600  # characters of the document that are shown


@dataclass(frozen=True)
class Derivation:
    """The textbook derivation of one answer; ``str()`` is its plain text.

    Attributes
    ----------
    title : str
    row : str
        The document or row asked about, on one line.
    classes : tuple
        K class labels.
    prior : tuple of Number, length K
        Exact fractions where the counts are whole.
    joint : tuple of Joint, length K
        Prior times factors; ``.fraction`` is exact, ``.log`` its natural logarithm. For complement, whose scores are no
        probabilities, its log is the score.
    steps : tuple of Step
        The tables, in the order of a textbook.

    Examples
    --------
    >>> from tallybayes import Model, MultinomialReading
    >>> model = Model(reading=MultinomialReading()).learned(["cheap pills", "see you"], ["spam", "ham"])
    >>> derivation = model.derive("cheap")
    >>> [joint.fraction for joint in derivation.joint], derivation.posterior, derivation.answer
    ([Fraction(1, 18), Fraction(1, 9)], (Fraction(1, 3), Fraction(2, 3)), 'spam')
    """

    title: str
    row: str
    classes: tuple[Any, ...]
    prior: tuple[Number, ...]
    joint: tuple[Joint, ...]
    steps: tuple[Step, ...]

    @cached_property
    def posterior(self) -> tuple[Number, ...]:
        """The joints over their sum, length K; the prior where every joint is 0."""
        return tuple(posteriors(self.joint, self.prior))

    @property
    def answer(self) -> Any:
        """The class of the largest posterior, the first of equal ones."""
        return self.classes[max(range(len(self.classes)), key=lambda c: (self.posterior[c], -c))]

    def __str__(self) -> str:
        return self.to_text()

    @property
    def _parts(self) -> tuple[str, str, tuple[Step, ...], str]:
        row = self.row
        if len(row) > ROW:
            row = f"{row[:ROW]}… ({len(row):,} characters)"
        return self.title, row, self.steps, str(self.answer)

    def to_text(self) -> str:
        """Return plain text, aligned for a terminal."""
        return to_text(*self._parts)

    def to_markdown(self) -> str:
        """Return Markdown with LaTeX formulas between dollar signs."""
        return to_markdown(*self._parts)

    def to_html(self) -> str:
        """Return a page that needs nothing else: fractions are MathML."""
        return to_html(*self._parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: numbers as ``{"exact": "3/7", "decimal": 0.4286}``, steps as equations."""
        return {
            "title": self.title,
            "row": self.row,
            "classes": [_json_label(label) for label in self.classes],
            "prior": [number(value) for value in self.prior],
            "joint": [{**number(joint.value), "log": _finite(joint.log)} for joint in self.joint],
            "posterior": [number(value) for value in self.posterior],
            "answer": _json_label(self.answer),
            "steps": [
                {
                    "title": step.title,
                    "formula": step.formula.text() if step.formula else None,
                    "note": step.note,
                    "columns": list(step.columns),
                    "rows": [[name, *(_json_cell(cell) for cell in cells)] for name, cells in step.rows],
                }
                for step in self.steps
            ],
        }


def _json_label(label: Any) -> Any:
    label = label.item() if hasattr(label, "item") else label
    return label if isinstance(label, (str, int, float, bool)) else str(label)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def number(value: Shown) -> dict[str, Any]:
    """Return a number for JSON: its fraction as text where it is exact, and a float."""
    if isinstance(value, (float, Decimal)):
        return {"exact": None, "decimal": _finite(float(value))}
    return {"exact": str(value), "decimal": float(value)}


def _json_cell(cell: Equation | str) -> Any:
    if isinstance(cell, str):
        return cell
    return {"equation": cell.text(), **(number(cell.value) if cell.value is not None else {})}
