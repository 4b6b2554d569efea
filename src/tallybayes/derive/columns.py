"""The derivation of the event models on columns: categorical, Gaussian, and both kinds of columns together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import ParameterError
from .conclusion import concluded, most_probable
from .derivation import Derivation
from .expression import Call, Equation, Expression, Power, Product, Ratio, Sum, Symbol, Value, Words, worked
from .joint import Joint, posteriors
from .numbers import Number, exact, fractional
from .pages import Step
from .prior import prior_steps

__all__ = ["CategoricalColumn", "GaussianColumn", "derive_categorical", "derive_columns", "derive_gaussian"]


@dataclass(frozen=True)
class CategoricalColumn:
    """One column of discrete values, asked about one of them.

    Attributes
    ----------
    name : str
    value : object
        The row's value.
    counts : sequence of Number, length K
        Rows of each class with this value; zeros for a value never seen.
    totals : sequence of Number, length K
        Rows of each class whose value in this column is known.
    n_values : int
        S, the number of values the column can take.
    alpha : float
        Smoothing, taken as the decimal it was written as.
    """

    name: str
    value: Any
    counts: Sequence[Number]
    totals: Sequence[Number]
    n_values: int
    alpha: float = 1.0

    @property
    def shown(self) -> str:
        """Name and value, as the tables show them."""
        return f"{self.name} = {self.value}"

    def factor(self, c: int) -> Number:
        """Return (N_cv + α) / (N_c + α S); 0 where nothing was counted."""
        alpha = exact(self.alpha)
        below = fractional(self.totals[c]) + alpha * self.n_values
        return (fractional(self.counts[c]) + alpha) / below if below else Fraction(0)

    def power(self, c: int) -> tuple[Number, Number]:
        """Return the factor as base and exponent."""
        return self.factor(c), 1

    def how(self, c: int) -> tuple[Expression, ...]:
        """Return the factor in numbers."""
        alpha, above, below = exact(self.alpha), Value(self.counts[c]), Value(self.totals[c])
        if not alpha:
            return (Ratio(above, below),) if below.value else ()
        mass = Product((Value(self.n_values), Value(alpha))) if alpha != 1 else Value(self.n_values)
        return (Ratio(Sum((above, Value(alpha))), Sum((below, mass))),)


@dataclass(frozen=True)
class GaussianColumn:
    """One column of measurements, asked about one of them.

    Attributes
    ----------
    name : str
    value : float
    mean, variance : sequence of float, length K
        Of each class, in the column's own unit and its square. Where the variance is 0 the mean is certain (a factor
        of 1) and any other value impossible.
    """

    name: str
    value: float
    mean: Sequence[float]
    variance: Sequence[float]

    @property
    def shown(self) -> str:
        """Name and value, as the tables show them."""
        return f"{self.name} = {Value(self.value).text()}"

    def factor(self, c: int) -> float:
        """Return the density, which may exceed 1."""
        variance = self.variance[c]
        if not variance:
            return float(self.value == self.mean[c])
        return math.exp(-((self.value - self.mean[c]) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    def power(self, c: int) -> tuple[float, float]:
        """Return the factor as a power of e, whose exponent does not underflow."""
        variance = self.variance[c]
        if not variance:
            return float(self.value == self.mean[c]), 1
        return math.e, -((self.value - self.mean[c]) ** 2) / (2 * variance) - math.log(2 * math.pi * variance) / 2


Column = CategoricalColumn | GaussianColumn


def derive_columns(
    classes: Sequence[Any],
    class_count: Sequence[Number],
    columns: Sequence[Column],
    *,
    prior: Any = None,
    prior_alpha: float = 0.0,
    left_out: Sequence[str] = (),
    text: str = "",
    title: str = "Naive Bayes",
    shown_columns: int = 20,
    shown_classes: int = 6,
) -> Derivation:
    """Derive the answer for one row of a table, step by step.

    Parameters
    ----------
    classes : sequence, length K
    class_count : sequence of Number, length K
        Rows of each class.
    columns : sequence of CategoricalColumn or GaussianColumn
        Those that enter; the tables of the two kinds are apart.
    prior : None, "documents", "uniform", or sequence of float of length K
        None is rows of the class over all rows.
    prior_alpha : float
        λ of (N_c + λ) / (N + Kλ).
    left_out : sequence of str
        Columns that do not enter, their value missing or unseen.
    text, title : str
    shown_columns, shown_classes : int
        How many the tables show at most; the totals are those of all.

    Returns
    -------
    Derivation

    Raises
    ------
    ParameterError
        If a column has another number of classes than `classes`, or a negative variance.

    Examples
    --------
    >>> shape = CategoricalColumn("shape", "round", counts=[3, 1], totals=[3, 4], n_values=2, alpha=0)
    >>> weight = GaussianColumn("weight", 6.0, mean=[5.0, 8.0], variance=[1.0, 1.0])
    >>> derive_columns(["apple", "grape"], [3, 4], [shape, weight]).answer
    'apple'
    """
    for column in columns:
        lengths = {len(part) for part in vars(column).values() if isinstance(part, (list, tuple))}
        if lengths != {len(classes)}:
            raise ParameterError(f"column {column.name!r} must have numbers for {len(classes)} classes; got {lengths}")
        if isinstance(column, GaussianColumn) and not min(column.variance) >= 0:
            raise ParameterError(
                f"column {column.name!r} must have variances of at least 0; got {min(column.variance)!r}"
            )
    kind = prior if isinstance(prior, str) else "documents" if prior is None else "given"
    settings: dict[str, Any] = {
        "kind": kind,
        "given": prior if kind == "given" else None,
        "prior_alpha": prior_alpha,
        "noun": "rows",
    }
    shares, _ = prior_steps(classes, class_count, (), **settings)
    joints = [Joint([(shares[c], 1), *(column.power(c) for column in columns)]) for c in range(len(classes))]
    _, best = most_probable(joints, posteriors(joints, shares), shown_classes)
    shown, names = sorted(best), [str(classes[c]) for c in sorted(best)]
    steps = prior_steps(classes, class_count, shown, **settings)[1]
    listed = columns[:shown_columns]
    steps += _categorical_steps([column for column in listed if isinstance(column, CategoricalColumn)], names, shown)
    steps += _gaussian_steps([column for column in listed if isinstance(column, GaussianColumn)], names, shown)
    if left_out:
        steps.append(Step("Left out", ("column",), tuple((name, ()) for name in left_out)))
    hidden = len(columns) - len(listed)
    more = [Words(f"({hidden} more)")] if hidden else []
    return concluded(
        Derivation(title, text, tuple(classes), tuple(shares), tuple(joints), tuple(steps)),
        shown,
        {c: [*(Value(column.factor(c)) for column in listed), *more] for c in shown},
        symbol="P(c) Π P(x | c)",
    )


def _categorical_steps(columns: Sequence[CategoricalColumn], names: Sequence[str], shown: Sequence[int]) -> list[Step]:
    if not columns:
        return []
    head = ("value", *names)
    smoothed = any(column.alpha for column in columns)
    above, below = Symbol("N", "xc"), Symbol("N", "c")
    rule = Ratio(above, below)
    if smoothed:
        rule = Ratio(Sum((above, Symbol("α"))), Sum((below, Product((Symbol("α"), Symbol("S"))))))
    alphas = sorted({exact(column.alpha) for column in columns})
    note = (
        f"α = {', '.join(Value(alpha).text() for alpha in alphas)}; S is the number of values of the column."
        if smoothed
        else ""
    )
    return [
        Step(
            "Rows of each class with this value",
            (*head, "values S"),
            tuple(
                (column.shown, (*(worked(column.counts[c]) for c in shown), worked(column.n_values)))
                for column in columns
            ),
        ),
        Step(
            "Conditional probabilities",
            head,
            tuple((column.shown, tuple(worked(column.factor(c), *column.how(c)) for c in shown)) for column in columns),
            formula=Equation((Symbol("P(x | c)"), rule)),
            note=note,
        ),
    ]


def _gaussian_steps(columns: Sequence[GaussianColumn], names: Sequence[str], shown: Sequence[int]) -> list[Step]:
    if not columns:
        return []
    rows = []
    for column in columns:
        rows.append((f"mean of {column.name}", tuple(worked(float(column.mean[c])) for c in shown)))
        rows.append((f"variance of {column.name}", tuple(worked(float(column.variance[c])) for c in shown)))
    mean, variance = Symbol("μ"), Symbol("σ²")
    note = "A density is no probability; it may exceed 1."
    if not all(column.variance[c] for column in columns for c in shown):
        note += " Where the variance is 0, the mean is certain and any other value impossible."
    exponent = Ratio(Power(Sum((Symbol("x"),), minus=(mean,)), Value(2)), Product((Value(2), variance)))
    rule = Ratio(Call("exp", Sum((), minus=(exponent,))), Call("sqrt", Product((Value(2), Symbol("π"), variance))))
    return [
        Step("Mean and variance of each class", ("", *names), tuple(rows)),
        Step(
            "Densities",
            ("value", *names),
            tuple((column.shown, tuple(worked(column.factor(c)) for c in shown)) for column in columns),
            formula=Equation((Symbol("p(x | c)"), rule)),
            note=note,
        ),
    ]


def derive_categorical(
    classes: Sequence[Any],
    class_count: Sequence[Number],
    names: Sequence[str],
    row: Sequence[Any],
    counts: Sequence[Sequence[Number]],
    n_values: Sequence[int],
    *,
    totals: Sequence[Sequence[Number]] | None = None,
    alpha: Any = 1.0,
    **settings: Any,
) -> Derivation:
    """Derive the answer of categorical naive Bayes for one row.

    Parameters
    ----------
    classes : sequence, length K
    class_count : sequence of Number, length K
    names : sequence of str, length d
        Of the columns.
    row : sequence, length d
        The values asked about.
    counts : sequence of sequences of Number, shape (d, K)
        Rows of each class with the row's value in that column.
    n_values : sequence of int, length d
        S_i, how many values each column can take.
    totals : sequence of sequences of Number, shape (d, K), optional
        Rows of each class whose value is known, where some are missing.
    alpha : float, or sequence of float of length d
    **settings
        ``prior, prior_alpha, left_out, text, shown_columns, shown_classes`` of `derive_columns`.

    Returns
    -------
    Derivation

    Examples
    --------
    >>> derived = derive_categorical(["no", "yes"], [1, 3], ["sky"], ["blue"], [[0, 2]], [2])
    >>> derived.joint[1].fraction
    Fraction(9, 20)
    """
    alphas = [alpha] * len(names) if isinstance(alpha, (int, float, Fraction)) else list(alpha)
    totals = [class_count] * len(names) if totals is None else totals
    columns = [
        CategoricalColumn(*parts)
        for parts in zip(names, row, map(list, counts), map(list, totals), n_values, alphas, strict=True)
    ]
    settings.setdefault("title", "Categorical naive Bayes, step by step")
    return derive_columns(classes, class_count, columns, **settings)


def derive_gaussian(
    classes: Sequence[Any],
    class_count: Sequence[Number],
    names: Sequence[str],
    row: Sequence[float],
    mean: Sequence[Sequence[float]],
    variance: Sequence[Sequence[float]],
    **settings: Any,
) -> Derivation:
    """Derive the answer of Gaussian naive Bayes for one row.

    Parameters
    ----------
    classes : sequence, length K
    class_count : sequence of Number, length K
    names : sequence of str, length d
    row : sequence of float, length d
    mean, variance : sequences of sequences of float, shape (K, d)
    **settings
        ``prior, prior_alpha, left_out, text, shown_columns, shown_classes`` of `derive_columns`.

    Returns
    -------
    Derivation

    Examples
    --------
    >>> derived = derive_gaussian(["f", "m"], [4, 4], ["height"], [6.0], [[5.4], [5.9]], [[0.1], [0.04]])
    >>> derived.answer
    'm'
    """
    columns = [
        GaussianColumn(name, float(value), [float(m[i]) for m in mean], [float(v[i]) for v in variance])
        for i, (name, value) in enumerate(zip(names, row, strict=True))
    ]
    settings.setdefault("title", "Gaussian naive Bayes, step by step")
    return derive_columns(classes, class_count, columns, **settings)
