"""Products of many factors, kept exact, and the posterior they lead to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import MAX_EMAX, Context, Decimal
from fractions import Fraction
from functools import cached_property

from .numbers import Number, Shown, log

__all__ = ["Joint", "posteriors", "softmax"]

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
    """Return each joint over the sum of all, exactly where all are short; the prior where every one is 0."""
    if all(joint.log == -math.inf for joint in joints):
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
