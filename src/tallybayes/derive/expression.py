"""Arithmetic as it is written on paper: one small tree, rendered as text, as LaTeX and as MathML.

A derivation shows how each number comes about, ``(5 + 1)/(8 + 6) = 3/7``, so its cells are expressions, not strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from .numbers import Shown, decimal, has_short_fraction, is_decimal

__all__ = ["Call", "Equation", "Expression", "Power", "Product", "Ratio", "Sum", "Symbol", "Value", "Words", "worked"]


class Expression:
    """A piece of arithmetic; `atomic` ones need no brackets inside another."""

    atomic = True

    def text(self) -> str:
        """Return it as one line of plain text."""
        raise NotImplementedError

    def latex(self) -> str:
        """Return it as LaTeX, for mathematics mode."""
        raise NotImplementedError

    def mathml(self) -> str:
        """Return it as the inner part of a ``<math>`` element."""
        raise NotImplementedError


def _text(part: Expression) -> str:
    return part.text() if part.atomic else f"({part.text()})"


def _latex(part: Expression) -> str:
    return part.latex() if part.atomic else rf"\left({part.latex()}\right)"


def _mathml(part: Expression) -> str:
    return part.mathml() if part.atomic else f"<mrow><mo>(</mo>{part.mathml()}<mo>)</mo></mrow>"


@dataclass(frozen=True)
class Value(Expression):
    """A number: an integer or a fraction where it is exact and short (unless `as_decimal`), else a decimal."""

    value: Shown
    as_decimal: bool = False

    @property
    def atomic(self) -> bool:  # type: ignore[override]
        """Whole numbers and decimals stand alone; a fraction does not in front of an exponent."""
        return not self._fraction and self.value >= 0

    @property
    def _fraction(self) -> Fraction | None:
        if self.as_decimal or not has_short_fraction(self.value):
            return None
        value = Fraction(self.value)
        return value if value.denominator != 1 else None

    def text(self) -> str:
        fraction = self._fraction
        return f"{fraction.numerator}/{fraction.denominator}" if fraction else _plain(self.value)

    def latex(self) -> str:
        if fraction := self._fraction:
            sign = "-" if fraction < 0 else ""
            return rf"{sign}\frac{{{abs(fraction.numerator)}}}{{{fraction.denominator}}}"
        mantissa, _, exponent = _plain(self.value).partition("e")
        mantissa = mantissa.replace("−", "-").replace("∞", r"\infty")
        return rf"{mantissa} \times 10^{{{exponent}}}" if exponent else mantissa

    def mathml(self) -> str:
        if fraction := self._fraction:
            sign = "<mo>−</mo>" if fraction < 0 else ""
            return f"{sign}<mfrac><mn>{abs(fraction.numerator)}</mn><mn>{fraction.denominator}</mn></mfrac>"
        mantissa, _, exponent = _plain(self.value).partition("e")
        number = f"<mn>{mantissa.replace('-', '−')}</mn>"
        if not exponent:
            return number
        return f"{number}<mo>×</mo><msup><mn>10</mn><mn>{exponent.replace('-', '−')}</mn></msup>"


def _plain(value: Shown) -> str:
    whole = has_short_fraction(value) and Fraction(value).denominator == 1
    return str(int(value)) if whole else decimal(value)


@dataclass(frozen=True)
class Symbol(Expression):
    """A name of a formula, such as P(c), or W with the subscript wc."""

    name: str
    subscript: str = ""

    def text(self) -> str:
        return f"{self.name}_{self.subscript}" if self.subscript else self.name

    def latex(self) -> str:
        name = self.name.replace(" | ", r" \mid ")
        for character, command in GREEK.items():
            name = name.replace(character, command)
        return f"{name}_{{{self.subscript}}}" if self.subscript else name

    def mathml(self) -> str:
        name = f"<mi>{escape(self.name)}</mi>"
        return f"<msub>{name}<mi>{escape(self.subscript)}</mi></msub>" if self.subscript else name


GREEK = {
    "α": r"\alpha ",
    "λ": r"\lambda ",
    "θ̃": r"\tilde\theta ",
    "θ": r"\theta ",
    "μ": r"\mu ",
    "σ²": r"\sigma^2 ",
    "π": r"\pi ",
    "Π": r"\prod ",
    "Σ": r"\sum ",
    "…": r"\dots ",
}


@dataclass(frozen=True)
class Words(Expression):
    """Plain words among the arithmetic."""

    words: str

    def text(self) -> str:
        return self.words

    def latex(self) -> str:
        return rf"\text{{{self.words}}}"

    def mathml(self) -> str:
        return f"<mtext>{escape(self.words)}</mtext>"


@dataclass(frozen=True)
class Sum(Expression):
    """What is added, then what is taken away; an added number below zero is written as taken away."""

    parts: tuple[Expression, ...]
    minus: tuple[Expression, ...] = ()
    atomic = False

    def _signs(self) -> Iterator[tuple[str, Expression]]:
        for number, part in enumerate(self.parts):
            if number and isinstance(part, Value) and part.value < 0:
                yield "−", Value(-part.value)
            elif number and isinstance(part, Product) and part.sign < 0:
                yield "−", part.negated()
            else:
                yield "+" if number else "", part
        for part in self.minus:
            yield "−", part

    def text(self) -> str:
        return " ".join(f"{sign} {part.text()}".strip() for sign, part in self._signs())

    def latex(self) -> str:
        return " ".join(f"{sign} {part.latex()}".strip().replace("−", "-") for sign, part in self._signs())

    def mathml(self) -> str:
        return "".join((f"<mo>{sign}</mo>" if sign else "") + part.mathml() for sign, part in self._signs())


@dataclass(frozen=True)
class Product(Expression):
    """Factors."""

    parts: tuple[Expression, ...]

    @property
    def atomic(self) -> bool:  # type: ignore[override]
        """A single factor may stand alone."""
        return len(self.parts) == 1 and self.parts[0].atomic

    @property
    def sign(self) -> int:
        """-1 if the last factor is a negative number: a weight in a sum of weights."""
        last = self.parts[-1]
        return -1 if isinstance(last, Value) and last.value < 0 else 1

    def negated(self) -> Product:
        """Return the product with the sign of its last factor turned."""
        last = self.parts[-1]
        assert isinstance(last, Value)
        return Product((*self.parts[:-1], Value(-last.value)))

    def text(self) -> str:
        return " · ".join(
            part.text() if isinstance(part, Value) and part.value >= 0 else _text(part) for part in self.parts
        )

    def latex(self) -> str:
        return r" \cdot ".join(
            part.latex() if isinstance(part, Value) and part.value >= 0 else _latex(part) for part in self.parts
        )

    def mathml(self) -> str:
        return "<mo>·</mo>".join(
            part.mathml() if isinstance(part, Value) and part.value >= 0 else _mathml(part) for part in self.parts
        )


@dataclass(frozen=True)
class Ratio(Expression):
    """One expression over another."""

    above: Expression
    below: Expression

    def text(self) -> str:
        return f"{_text(self.above)}/{_text(self.below)}"

    def latex(self) -> str:
        return rf"\frac{{{self.above.latex()}}}{{{self.below.latex()}}}"

    def mathml(self) -> str:
        return f"<mfrac><mrow>{self.above.mathml()}</mrow><mrow>{self.below.mathml()}</mrow></mfrac>"


@dataclass(frozen=True)
class Power(Expression):
    """An expression to a power."""

    base: Expression
    exponent: Expression

    def text(self) -> str:
        return f"{_text(self.base)}^{_text(self.exponent)}"

    def latex(self) -> str:
        return f"{{{_latex(self.base)}}}^{{{self.exponent.latex()}}}"

    def mathml(self) -> str:
        return f"<msup><mrow>{_mathml(self.base)}</mrow><mrow>{self.exponent.mathml()}</mrow></msup>"


@dataclass(frozen=True)
class Call(Expression):
    """A function of one expression: ln, exp, or sqrt."""

    name: str
    argument: Expression

    def text(self) -> str:
        simple = self.name in ("ln", "−ln") and self.argument.atomic
        return f"{self.name} {self.argument.text()}" if simple else f"{self.name}({self.argument.text()})"

    def latex(self) -> str:
        if self.name == "sqrt":
            return rf"\sqrt{{{self.argument.latex()}}}"
        name = self.name.replace("ln", r"\ln").replace("exp", r"\exp").replace("−", "-")
        return rf"{name}\left({self.argument.latex()}\right)"

    def mathml(self) -> str:
        if self.name == "sqrt":
            return f"<msqrt>{self.argument.mathml()}</msqrt>"
        return f"<mi>{self.name}</mi><mo>(</mo>{self.argument.mathml()}<mo>)</mo>"


@dataclass(frozen=True)
class Equation:
    """Expressions that are equal, and where the last is no plain number its decimal: ``(1 + 2)/9 = 1/3 ≈ 0.33333333``.

    Attributes
    ----------
    parts : tuple of Expression
    value : Number or None
        What all of them are, exactly where that is known; None for a formula of symbols.
    """

    parts: tuple[Expression, ...]
    value: Shown | None = None

    def _chain(self) -> Iterator[tuple[str, Expression]]:
        for number, part in enumerate(self.parts):
            yield "=" if number else "", part
        if self.value is None:
            return
        shown = self.parts[-1].text() if self.parts else ""
        last = Fraction(self.value) if has_short_fraction(self.value) else None
        if last is not None and shown != Value(last).text():
            yield "=" if self.parts else "", Value(last)
            shown = Value(last).text()
        if shown != decimal(self.value) and (last is None or last.denominator != 1):
            sign = "=" if is_decimal(self.value) else "≈"
            yield sign if shown else "", Value(self.value, as_decimal=True)

    def text(self) -> str:
        return " ".join(f"{sign} {part.text()}".strip() for sign, part in self._chain())

    def latex(self) -> str:
        signs = {"≈": r"\approx"}
        return " ".join(f"{signs.get(sign, sign)} {part.latex()}".strip() for sign, part in self._chain())

    def mathml(self) -> str:
        return "".join((f"<mo>{sign}</mo>" if sign else "") + part.mathml() for sign, part in self._chain())


def worked(value: Shown, *parts: Expression) -> Equation:
    """Return the equation of a value and the expressions that lead to it."""
    return Equation(parts, value)
