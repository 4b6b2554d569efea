"""What the event models on counts differ in: the conditional of a feature, its factor, the tables that show both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from .expression import Equation, Expression, Power, Product, Ratio, Sum, Symbol, Value, worked
from .joint import Joint
from .numbers import Number, fractional, log
from .pages import Step

__all__ = ["Bernoulli", "Complement", "CountQuestion", "Counts", "Floor", "Multinomial"]

ALPHA, VOCABULARY = Symbol("α"), Symbol("|V|")


@dataclass(frozen=True)
class Counts:
    r"""What a derivation needs of a count tally, as plain values; whole numbers (int) give exact fractions.

    Attributes
    ----------
    classes : sequence, length K
    documents : sequence of Number, length K
        N_c, documents of each class.
    features : sequence of str, length F
        The features that enter: those of the row; for Bernoulli also absent ones that are to be listed.
    cells : sequence of sequences of Number, shape (F, K)
        W_wc (multinomial, complement) or N_wc (Bernoulli).
    totals : sequence of Number, length K
        W_c, the sum of all cells of a class over the whole vocabulary.
    n_features : int
        \|V\|, the size of the vocabulary.
    words : sequence of Number, length K, optional
        What ``prior="words"`` counts; `totals` by default.
    rest : sequence of mappings, length K, optional
        Bernoulli: for each class N_wc → how many features of the vocabulary that are not listed have it.
    """

    classes: Sequence[Any]
    documents: Sequence[Number]
    features: Sequence[str]
    cells: Sequence[Sequence[Number]]
    totals: Sequence[Number]
    n_features: int
    words: Sequence[Number] | None = None
    rest: Sequence[Mapping[Number, int]] | None = None


class CountQuestion:
    """An event model on counts asked about one row: the multinomial with additive smoothing, and what the others share.

    Parameters
    ----------
    counts : Counts
    row : sequence of Number, length F
    alpha : Fraction or sequence of Fraction of length F
        α, of each listed feature if it differs.
    alpha_sum : Fraction
        Σ α over the vocabulary.
    floor : Number
        The m of the floor.
    """

    title: ClassVar[str]
    joint_symbol: ClassVar[str] = "P(c) Π P(w | c)"
    adds: ClassVar[bool] = False
    counted: ClassVar[str] = "Occurrences of each feature in each class"

    def __init__(
        self,
        counts: Counts,
        row: Sequence[Number],
        *,
        alpha: Fraction | Sequence[Fraction],
        alpha_sum: Fraction,
        floor: Fraction,
    ) -> None:
        self.counts, self.floor, self.alpha_sum = counts, floor, alpha_sum
        self.row = [fractional(amount) for amount in row]
        self.several = not isinstance(alpha, Fraction)
        self.alphas = [alpha] * len(row) if isinstance(alpha, Fraction) else list(alpha)
        self.totals = [fractional(total) for total in counts.totals]
        self.documents = [fractional(count) for count in counts.documents]
        self._known: dict[tuple[Number, Number, int], Number] = {}
        self.shown_features: Sequence[int] = range(len(counts.features))
        self.shown_classes: Sequence[int] = range(len(counts.classes))

    # ------------------------------------------------------------ numbers

    def conditional(self, cell: Number, alpha: Fraction, c: int) -> Number:
        """Return the conditional of a feature with this cell in class number c."""
        raise NotImplementedError

    def p(self, f: int, c: int) -> Number:
        """Return the conditional of listed feature f in class c."""
        key = (self.counts.cells[f][c], self.alphas[f], c)
        if key not in self._known:
            self._known[key] = self.conditional(fractional(key[0]), key[1], c)
        return self._known[key]

    def factor(self, f: int, c: int) -> tuple[Number, Number]:
        """Return what feature f multiplies the score of class c by: base and exponent."""
        return self.p(f, c), self.row[f]

    def factors(self, c: int) -> Iterator[tuple[Number, Number]]:
        """Return all factors of the row for class c."""
        for f in range(len(self.row)):
            yield self.factor(f, c)

    def evidence(self, f: int, first: int, second: int) -> float:
        """Return how surely feature f tells two classes apart (absolute log-odds)."""
        logs = [
            float(power) * log(base) if power else 0.0 for base, power in (self.factor(f, c) for c in (first, second))
        ]
        return 0.0 if logs[0] == logs[1] else abs(logs[0] - logs[1])

    # ------------------------------------------------------------- tables

    @property
    def names(self) -> list[str]:
        """The shown classes' labels as text."""
        return [str(self.counts.classes[c]) for c in self.shown_classes]

    @property
    def vocabulary(self) -> str:
        """A sentence on the size of the vocabulary."""
        return f"The vocabulary has |V| = {self.counts.n_features} features."

    def table(
        self,
        title: str,
        cell: Callable[[int, int], Equation],
        *more: tuple[str, Callable[[int], Equation]],
        **step: Any,
    ) -> Step:
        """Return a step of features (rows) by classes (columns) from `cell(f, c)`; `more` rows are (name, of class)."""
        rows = [(self.counts.features[f], tuple(cell(f, c) for c in self.shown_classes)) for f in self.shown_features]
        rows += [(name, tuple(of_class(c) for c in self.shown_classes)) for name, of_class in more]
        hidden = len(self.counts.features) - len(self.shown_features)
        if hidden:
            enter = f"{hidden} more features enter as well and are not shown."
            step["note"] = f"{step.get('note', '')} {enter}".strip()
        return Step(title, ("feature", *self.names), tuple(rows), **step)

    def steps(self) -> list[Step]:
        """Return the tables between the prior and the joint."""
        return [self.counts_step(), self.conditional_step(), self.log_step()]

    def counts_step(self) -> Step:
        """Return the step of the cells and the totals of each class."""
        return self.table(
            self.counted,
            lambda f, c: worked(self.counts.cells[f][c]),
            ("all features: W_c", lambda c: worked(self.counts.totals[c])),
            note=self.vocabulary,
        )

    def conditional_step(self) -> Step:
        """Return the step of the conditionals, with how they come about."""
        note = "α differs by feature." if self.several else f"α = {Value(self.alphas[0]).text()}." if self.row else ""
        return self.table(
            "Conditional probabilities",
            lambda f, c: worked(self.p(f, c), *self.how(f, c)),
            formula=Equation((Symbol("P(w | c)"), self.rule())),
            note=note,
        )

    def log_step(self) -> Step:
        """Return the step of the logarithms of the conditionals."""
        return self.table("The same as natural logarithms: ln P(w | c)", lambda f, c: worked(log(self.p(f, c))))

    def rule(self) -> Expression:
        """Return the conditional in symbols."""
        raise NotImplementedError

    def how(self, f: int, c: int) -> tuple[Expression, ...]:
        """Return the conditional in numbers."""
        raise NotImplementedError

    def joint_factors(self, c: int) -> list[Expression]:
        """Return the shown factors of the joint of class c."""
        return [
            Value(self.p(f, c)) if self.row[f] == 1 else Power(Value(self.p(f, c)), Value(self.row[f]))
            for f in self.shown_features
            if self.row[f]
        ]


class Multinomial(CountQuestion):
    """P(w | c) = (W_wc + α) / (W_c + α \\|V\\|)."""

    title = "Multinomial naive Bayes"

    def conditional(self, cell: Number, alpha: Fraction, c: int) -> Number:
        below = self.totals[c] + self.alpha_sum
        return (cell + alpha) / below if below else Fraction(0)

    def rule(self) -> Expression:
        if self.several:
            return Ratio(
                Sum((Symbol("W", "wc"), Symbol("α", "w"))), Sum((Symbol("W", "c"), Product((Symbol("Σ"), ALPHA))))
            )
        if not self.alpha_sum:
            return Ratio(Symbol("W", "wc"), Symbol("W", "c"))
        return Ratio(Sum((Symbol("W", "wc"), ALPHA)), Sum((Symbol("W", "c"), Product((ALPHA, VOCABULARY)))))

    def how(self, f: int, c: int) -> tuple[Expression, ...]:
        cell, total = Value(self.counts.cells[f][c]), Value(self.counts.totals[c])
        if not self.totals[c] + self.alpha_sum:
            return ()
        if not self.alpha_sum:
            return (Ratio(cell, total),)
        return (Ratio(Sum((cell, Value(self.alphas[f]))), Sum((total, Value(self.alpha_sum)))),)


class Floor(CountQuestion):
    """P(w | c) = W_wc / W_c for a feature seen in the class, m / (1 + W_c) for any other."""

    title = "Multinomial naive Bayes with a floor"

    def conditional(self, cell: Number, alpha: Fraction, c: int) -> Number:
        return cell / self.totals[c] if cell else self.floor / (1 + self.totals[c])

    def rule(self) -> Expression:
        return Ratio(Symbol("W", "wc"), Symbol("W", "c"))

    def how(self, f: int, c: int) -> tuple[Expression, ...]:
        cell, total = self.counts.cells[f][c], Value(self.counts.totals[c])
        return (Ratio(Value(cell), total) if cell else Ratio(Value(self.floor), Sum((Value(1), total))),)

    def conditional_step(self) -> Step:
        return self.table(
            "Conditional probabilities",
            lambda f, c: worked(self.p(f, c), *self.how(f, c)),
            formula=Equation((Symbol("P(w | c)"), self.rule())),
            note=f"Not smoothed; a feature not seen in the class has m/(1 + W_c), m = {Value(self.floor).text()}.",
        )


class Bernoulli(CountQuestion):
    """P(w | c) = (N_wc + α) / (N_c + 2α); absent features count as 1 - P(w | c)."""

    title = "Bernoulli naive Bayes"
    counted = "Documents of each class that contain the feature"
    joint_symbol = "P(c) Π P(w | c) Π (1 − P(w' | c)), w' absent"

    def conditional(self, cell: Number, alpha: Fraction, c: int) -> Number:
        below = self.documents[c] + 2 * alpha
        return (cell + alpha) / below if below else Fraction(0)

    def factor(self, f: int, c: int) -> tuple[Number, Number]:
        return (self.p(f, c) if self.row[f] else 1 - self.p(f, c)), 1

    def factors(self, c: int) -> Iterator[tuple[Number, Number]]:
        yield from super().factors(c)
        yield from self.rest(c).factors.items()

    def rest(self, c: int) -> Joint:
        """Return the product of 1 - P(w | c) over the features that are not listed; they all have one α."""
        alpha = self.alpha_sum / self.counts.n_features
        cells = {} if self.counts.rest is None else self.counts.rest[c]
        return Joint((1 - self.conditional(fractional(cell), alpha, c), times) for cell, times in cells.items())

    def counts_step(self) -> Step:
        return self.table(
            self.counted,
            lambda f, c: worked(self.counts.cells[f][c]),
            ("all documents: N_c", lambda c: worked(self.counts.documents[c])),
            note=f"{self.vocabulary} Every one of them counts, absent ones too.",
        )

    def log_step(self) -> Step:
        rest = [("the others, all absent", lambda c: worked(self.rest(c).log))] if self.counts.rest else []
        return self.table(
            "Factors of this row as natural logarithms: present ln P(w | c), absent ln (1 − P(w | c))",
            lambda f, c: worked(log(self.factor(f, c)[0])),
            *rest,
        )

    def rule(self) -> Expression:
        if not self.alpha_sum:
            return Ratio(Symbol("N", "wc"), Symbol("N", "c"))
        return Ratio(Sum((Symbol("N", "wc"), ALPHA)), Sum((Symbol("N", "c"), Product((Value(2), ALPHA)))))

    def how(self, f: int, c: int) -> tuple[Expression, ...]:
        cell, documents, alpha = Value(self.counts.cells[f][c]), Value(self.counts.documents[c]), self.alphas[f]
        if not self.documents[c] + alpha:
            return ()
        if not alpha:
            return (Ratio(cell, documents),)
        return (Ratio(Sum((cell, Value(alpha))), Sum((documents, Value(2 * alpha)))),)

    def joint_factors(self, c: int) -> list[Expression]:
        shown: list[Expression] = []
        for f in self.shown_features:
            p = Value(self.p(f, c))
            shown.append(p if self.row[f] else Sum((Value(1),), minus=(p,)))
        if self.counts.rest:
            shown.append(Value(self.rest(c).value))
        return shown


class Complement(CountQuestion):
    """θ̃_wc = (W_w - W_wc + α) / (W - W_c + α \\|V\\|), of all classes but c; the score is Σ x_w (-ln θ̃_wc)."""

    title = "Complement naive Bayes"
    joint_symbol = "Σ x_w · weight_wc"
    adds = True
    norm_sums: Sequence[float] | None = None

    def conditional(self, cell: Number, alpha: Fraction, c: int) -> Number:
        below = sum(self.totals) - self.totals[c] + self.alpha_sum
        return (cell + alpha) / below if below else Fraction(0)

    def p(self, f: int, c: int) -> Number:
        rest = fractional(sum(self.counts.cells[f])) - self.counts.cells[f][c]
        key = (rest, self.alphas[f], c)
        if key not in self._known:
            self._known[key] = self.conditional(rest, self.alphas[f], c)
        return self._known[key]

    def factor(self, f: int, c: int) -> tuple[Number, Number]:
        theta, amount = self.p(f, c), self.row[f]
        if not theta:  # no other class has the feature: no weight is too large, normalised or not
            return math.inf, amount
        if self.norm_sums is None:
            return 1 / theta, amount
        return 1 / theta, float(amount) / self.norm_sums[c] if self.norm_sums[c] else 0

    def weight(self, f: int, c: int) -> float:
        """Return what one occurrence adds to the score of class c."""
        weight = -log(self.p(f, c))
        if self.norm_sums is None or math.isinf(weight):
            return weight
        return weight / self.norm_sums[c] if self.norm_sums[c] else 0.0

    def counts_step(self) -> Step:
        total = sum(self.counts.totals)
        return self.table(
            "Occurrences of each feature in all classes but this one",
            lambda f, c: worked(
                sum(self.counts.cells[f]) - self.counts.cells[f][c],
                Sum((Value(sum(self.counts.cells[f])),), minus=(Value(self.counts.cells[f][c]),)),
            ),
            (
                "all features: W − W_c",
                lambda c: worked(
                    total - self.counts.totals[c], Sum((Value(total),), minus=(Value(self.counts.totals[c]),))
                ),
            ),
            note=self.vocabulary,
        )

    def log_step(self) -> Step:
        note = "Divided by the sum of the class's weights over the whole vocabulary." if self.norm_sums else ""
        sums = self.norm_sums
        return self.table(
            "Weights: −ln θ̃_wc" + (" / Σ" if sums else ""),
            lambda f, c: worked(
                self.weight(f, c), *((Ratio(Value(-log(self.p(f, c))), Value(sums[c])),) if sums is not None else ())
            ),
            note=note,
        )

    def conditional_step(self) -> Step:
        step = super().conditional_step()
        return replace(
            step,
            title="Probability of each feature outside the class",
            formula=Equation((Symbol("θ̃", "wc"), self.rule())),
        )

    def rule(self) -> Expression:
        smoothing = (ALPHA,) if self.alpha_sum else ()
        mass = (Product((ALPHA, VOCABULARY)),) if self.alpha_sum else ()
        outside = Sum((Symbol("W", "w"), *smoothing), minus=(Symbol("W", "wc"),))
        return Ratio(outside, Sum((Symbol("W"), *mass), minus=(Symbol("W", "c"),)))

    def how(self, f: int, c: int) -> tuple[Expression, ...]:
        rest = Value(sum(self.counts.cells[f]) - self.counts.cells[f][c])
        total = Value(sum(self.counts.totals) - self.counts.totals[c])
        if not self.alpha_sum:
            return (Ratio(rest, total),) if total.value else ()
        return (Ratio(Sum((rest, Value(self.alphas[f]))), Sum((total, Value(self.alpha_sum)))),)

    def joint_factors(self, c: int) -> list[Expression]:
        return [
            Value(self.weight(f, c)) if self.row[f] == 1 else Product((Value(self.row[f]), Value(self.weight(f, c))))
            for f in self.shown_features
            if self.row[f]
        ]
