"""The count models written down as in a textbook, in exact fractions: the slow twin of `tallybayes.readings`.

Joint probabilities are products of fractions with whole exponents, so they come back as fractions; the tests take
their logarithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Counts = Sequence[Sequence[int]]


def multinomial(
    counts: Counts, alpha: Sequence[Fraction], prior: Sequence[Fraction], row: Sequence[int]
) -> list[Fraction]:
    """Joint probability of each class and the row, without the multinomial coefficient."""
    joint = []
    for n, p in zip(counts, prior, strict=True):
        total = sum(n) + sum(alpha)
        for n_i, a_i, x_i in zip(n, alpha, row, strict=True):
            p *= ((n_i + a_i) / total) ** x_i if total else Fraction(int(x_i == 0))
        joint.append(p)
    return joint


def floored(
    counts: Counts, floor: Fraction, prior: Sequence[Fraction], row: Sequence[int], unknown: int
) -> list[Fraction]:
    """The same with seen features unsmoothed and all others at floor / (1 + W_c)."""
    joint = []
    for n, p in zip(counts, prior, strict=True):
        least = floor / (1 + sum(n))
        for n_i, x_i in zip(n, row, strict=True):
            p *= (Fraction(n_i, sum(n)) if n_i else least) ** x_i
        joint.append(p * least**unknown)
    return joint


def complement(counts: Counts, alpha: Sequence[Fraction], row: Sequence[int]) -> list[Fraction]:
    """The inverse of the probability of the row under all other classes together."""
    joint = []
    for c in range(len(counts)):
        rest = [sum(n[i] for k, n in enumerate(counts) if k != c) + a for i, a in enumerate(alpha)]
        p = Fraction(1)
        for r_i, x_i in zip(rest, row, strict=True):
            p *= (sum(rest) / r_i) ** x_i
        joint.append(p)
    return joint


def bernoulli(
    counts: Counts, documents: Sequence[int], alpha: Sequence[Fraction], prior: Sequence[Fraction], row: Sequence[int]
) -> list[Fraction]:
    """Joint probability with a factor for every feature, present or absent."""
    joint = []
    for n, n_c, p in zip(counts, documents, prior, strict=True):
        for n_i, a_i, x_i in zip(n, alpha, row, strict=True):
            share = (n_i + a_i) / (n_c + 2 * a_i) if n_c + 2 * a_i else Fraction(0)
            p *= share if x_i else 1 - share
        joint.append(p)
    return joint
