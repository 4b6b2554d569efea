"""Numbers of a derivation: exact where they can be, and written for a reader."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

__all__ = ["Number", "Shown", "decimal", "exact", "fractional", "has_short_fraction", "is_decimal", "log"]

Number = int | float | Fraction
# What can be shown: also a Decimal, which is a result too small or too large for a float.
Shown = Number | Decimal

# A fraction with 24 digits or more above or below its bar is shown as a decimal; the data stay exact.
LONG: int = 10**24

# Decimals between these are written without an exponent.
SMALL, LARGE = Fraction(1, 1000), 1_000_000_000


def exact(value: Number | str) -> Fraction:
    """Return a parameter as the number it was written as: 0.1 is 1/10, 1/3 a third, not the nearest binary fraction.

    Examples
    --------
    >>> exact(0.1), exact(3), exact(1 / 3)
    (Fraction(1, 10), Fraction(3, 1), Fraction(1, 3))
    """
    if isinstance(value, Fraction):
        return value
    written = Fraction(str(value))
    if isinstance(value, float) and written.denominator > 10**12:
        simple = written.limit_denominator(10**6)
        return simple if float(simple) == value else written
    return written


def log(value: Shown) -> float:
    """Return the natural logarithm of a number of any size; of 0 it is -inf."""
    if value == 0:
        return -math.inf
    if isinstance(value, (float, Decimal)):
        return float(value.ln()) if isinstance(value, Decimal) else math.log(value)
    if Fraction(1, 2) < value < 2:  # here the difference of two logarithms would lose digits
        return math.log1p(float(value - 1))
    value = Fraction(value)
    return math.log(value.numerator) - math.log(value.denominator)


def decimal(value: Shown) -> str:
    """Return a number as text with 8 places, or with 7 digits and an exponent where it is small or large.

    Examples
    --------
    >>> decimal(Fraction(3, 4)), decimal(Fraction(1, 3)), decimal(3.578708e-5), decimal(Fraction(1, 10**400))
    ('0.75', '0.33333333', '3.578708e-5', '1e-400')
    """
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    if value == 0 or SMALL <= abs(value) < LARGE:  # type: ignore[operator]  # all of these compare with fractions
        text = f"{float(value):.8f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    mantissa, exponent = f"{_scientific(value):.6e}".lower().split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def _scientific(value: Shown) -> Decimal:
    """Divide to 20 digits without turning a long integer into text."""
    if isinstance(value, (float, Decimal)):
        return Decimal(value)
    context = Context(prec=20, Emin=-(10**17), Emax=10**17)
    # 70 bits of the quotient, then the power of two that was left out.
    shift = 70 - (abs(value.numerator).bit_length() - value.denominator.bit_length())
    scaled = (value.numerator << max(shift, 0)) // (value.denominator << max(-shift, 0))
    return context.multiply(Decimal(scaled), context.power(Decimal(2), -shift))


def is_decimal(value: Shown) -> bool:
    """Return whether `decimal` writes this very number, without rounding."""
    if isinstance(value, (float, Decimal)):
        return False
    exactly = Fraction(value)
    return exactly.denominator < LARGE and Fraction(decimal(exactly)) == exactly


def has_short_fraction(value: Shown) -> bool:
    """Return whether the number is exact and short enough to be shown as a fraction."""
    if isinstance(value, (float, Decimal)):
        return False
    return Fraction(value).denominator < LONG and abs(Fraction(value).numerator) < LONG


def fractional(value: Number) -> Number:
    """Return a whole number as a Fraction, so that dividing it stays exact; a float as it is."""
    return value if isinstance(value, float) else Fraction(value)
