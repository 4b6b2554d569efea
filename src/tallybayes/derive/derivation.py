"""A derivation as data: steps of tables whose cells are worked equations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from .expression import Equation, Number, Shown, log

__all__ = ["Derivation", "Joint", "Step", "number", "posteriors"]

# Beyond so many bits a product is kept as its factors; multiplying it out and reducing would take seconds.
MULTIPLIED_OUT_BITS = 1 << 13

# exp of a larger number leaves the range of a float.
FLOAT_LOGS = 700.0


class Joint:
    """A product of powers, exact however long: the joint probability of a class and a row.

    Parameters
    ----------
    powers : iterable of (base, exponent)
        With exponent 0 a base does nothing, 0⁰ being 1 here.

    Attributes
    ----------
    factors : Counter
        base → exponent.

    Examples
    --------
    >>> joint = Joint([(Fraction(3, 4), 1), (Fraction(3, 7), 3), (Fraction(1, 14), 1), (Fraction(1, 14), 1)])
    >>> joint.fraction
    Fraction(81, 268912)
    """

    def __init__(self, powers: Iterable[tuple[Number, Number]] = ()) -> None:
        self.factors: Counter[Number] = Counter()
        for base, exponent in powers:
            if exponent:
                self.factors[base] += exponent  # type: ignore[assignment]

    @cached_property
    def log(self) -> float:
        """Natural logarithm; -inf for 0."""
        if self.factors.get(0, 0):
            return -math.inf
        return math.fsum(float(exponent) * log(base) for base, exponent in self.factors.items())

    @property
    def is_exact(self) -> bool:
        """Whether every factor is exact and every exponent whole, so that the product is a fraction."""
        return not any(isinstance(base, float) for base in self.factors) and all(
            not isinstance(exponent, float) and Fraction(exponent).denominator == 1
            for exponent in self.factors.values()
        )

    @property
    def bits(self) -> int:
        """About how long the product would be, in bits."""
        return sum(
            int(exponent) * (Fraction(base).numerator.bit_length() + Fraction(base).denominator.bit_length())
            for base, exponent in self.factors.items()
        )

    @cached_property
    def fraction(self) -> Fraction:
        """The product, multiplied out.

        Raises
        ------
        ValueError
            If a factor is no fraction.
        """
        if not self.is_exact:
            raise ValueError("a product of decimals has no exact fraction; ask for its log")
        above = below = 1
        for base, exponent in self.factors.items():
            above *= Fraction(base).numerator ** int(exponent)
            below *= Fraction(base).denominator ** int(exponent)
        return Fraction(above, below)

    @property
    def value(self) -> Shown:
        """The fraction where it is exact and of a bearable length, else a decimal."""
        if self.is_exact and self.bits <= MULTIPLIED_OUT_BITS:
            return self.fraction
        if abs(self.log) < FLOAT_LOGS or math.isinf(self.log):
            return math.exp(self.log)
        return Context(prec=20, Emin=-MAX_EMAX, Emax=MAX_EMAX).exp(Decimal(self.log))


def posteriors(joints: Sequence[Joint], prior: Sequence[Number]) -> list[Number]:
    """Normalise: each joint over the sum of all, exactly where all are short; the prior where every one is 0."""
    if all(math.isinf(joint.log) for joint in joints):
        total = sum(prior)
        return [p / total for p in prior] if total else [Fraction(1, len(prior))] * len(prior)
    if all(joint.is_exact for joint in joints) and sum(joint.bits for joint in joints) <= MULTIPLIED_OUT_BITS:
        total = sum(joint.fraction for joint in joints)
        return [joint.fraction / total for joint in joints]
    return softmax([joint.log for joint in joints])


def softmax(scores: Sequence[float]) -> list[Number]:
    """Return the shares that scores (natural logarithms, not all -inf) stand for."""
    top = max(scores)
    if top == math.inf:
        return [float(score == top) / sum(s == top for s in scores) for score in scores]
    shares = [math.exp(score - top) for score in scores]
    return [share / math.fsum(shares) for share in shares]


@dataclass(frozen=True)
class Step:
    """One step on the way: a table.

    Attributes
    ----------
    title : str
    columns : tuple of str
        Heads of the columns; the first is that of the names of the rows.
    rows : tuple of (str, tuple of Equation or str)
    formula : Equation or None
        The rule that the rows follow, in symbols.
    note : str
        What a reader should know besides.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Equation | str, ...]], ...]
    formula: Equation | None = None
    note: str = ""


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

    def to_text(self) -> str:
        """Return plain text, aligned for a terminal."""
        from .pages import to_text

        return to_text(self)

    def to_markdown(self) -> str:
        """Return Markdown with LaTeX formulas between dollar signs."""
        from .pages import to_markdown

        return to_markdown(self)

    def to_html(self) -> str:
        """Return a page that needs nothing else: fractions are MathML."""
        from .pages import to_html

        return to_html(self)

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
