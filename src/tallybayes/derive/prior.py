"""The first steps of every derivation: how many of each class, and the prior that follows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .expression import Equation, Expression, Product, Ratio, Sum, Symbol, Value, worked
from .numbers import Number, exact, log
from .pages import Step

__all__ = ["class_names", "prior_steps"]

LAMBDA = Symbol("λ")


def class_names(classes: Sequence[Any], shown: Sequence[int]) -> list[str]:
    """Return the shown classes' labels as text."""
    return [str(classes[number]) for number in shown]


def prior_steps(
    classes: Sequence[Any],
    weights: Sequence[Number],
    shown: Sequence[int],
    *,
    kind: str = "documents",
    given: Sequence[Number] | None = None,
    prior_alpha: float = 0.0,
    documents: Sequence[Number] | None = None,
    noun: str = "documents",
) -> tuple[list[Number], list[Step]]:
    """Derive the prior.

    Parameters
    ----------
    classes : sequence, length K
    weights : sequence of Number, length K
        What the prior counts: documents, or words for ``kind="words"``.
    shown : sequence of int
        The classes that the tables show.
    kind : {"documents", "words", "uniform", "given"}
    given : sequence of Number, length K
        For ``kind="given"``.
    prior_alpha : float
        λ of (N_c + λ) / (N + Kλ).
    documents : sequence of Number, length K
        Documents of each class, where `weights` are something else; a class without any is impossible.
    noun : str
        What a row is called: documents, rows.

    Returns
    -------
    list of Number, list of Step
    """
    documents = weights if documents is None else documents
    n_classes = len(classes)
    hows: list[tuple[Ratio, ...]] = [()] * n_classes
    rule: Expression
    smoothing = exact(prior_alpha)
    empty = [count == 0 and not smoothing for count in documents]
    names = class_names(classes, shown)
    total_name = "all" if len(shown) == n_classes else f"all {n_classes}"
    steps = [
        Step(
            f"{noun.capitalize()} of each class",
            ("class", noun),
            (
                *((name, (worked(documents[c]),)) for name, c in zip(names, shown, strict=True)),
                (total_name, (worked(sum(documents)),)),
            ),
        )
    ]
    symbol = "W" if kind == "words" else "N"
    if kind in ("documents", "words"):
        kept = [
            Fraction(0) if out else _smoothed(weight, smoothing) for weight, out in zip(weights, empty, strict=True)
        ]
        total = sum(kept)
        prior: list[Number] = [weight / total if total else Fraction(0) for weight in kept]
        counted = sum(weights)
        hows = [_share(weight, counted, smoothing, n_classes) for weight in weights]
        rule = _rule(symbol, bool(smoothing))
    elif kind == "uniform":
        alive = n_classes - sum(empty)
        prior = [Fraction(0) if out else Fraction(1, alive) for out in empty]
        rule = Ratio(Value(1), Symbol("K"))
    else:
        assert given is not None
        prior = [Fraction(0) if out else exact(share) for share, out in zip(given, empty, strict=True)]
        rule = Symbol("as given")
    notes = []
    if kind == "words":
        notes.append("The prior counts words: W_c of class c, W of all.")
    if any(empty):
        notes.append("A class without a single document is impossible.")
    if smoothing:
        notes.append(f"λ = {Value(smoothing).text()}, K = {n_classes} classes.")
    steps.append(
        Step(
            "Prior",
            ("class", "P(c)", "ln P(c)"),
            tuple(
                (name, (worked(prior[c], *(() if empty[c] else hows[c])), worked(log(prior[c]))))
                for name, c in zip(names, shown, strict=True)
            ),
            formula=Equation((Symbol("P(c)"), rule)),
            note=" ".join(notes),
        )
    )
    return prior, steps


def _smoothed(weight: Number, smoothing: Fraction) -> Number:
    return weight + float(smoothing) if isinstance(weight, float) else Fraction(weight) + smoothing


def _share(weight: Number, total: Number, smoothing: Fraction, n_classes: int) -> tuple[Ratio, ...]:
    if not smoothing:
        return (Ratio(Value(weight), Value(total)),)
    above = Sum((Value(weight), Value(smoothing)))
    return (Ratio(above, Sum((Value(total), Product((Value(n_classes), Value(smoothing)))))),)


def _rule(symbol: str, smoothed: bool) -> Ratio:
    weight, total = Symbol(symbol, "c"), Symbol(symbol)
    if not smoothed:
        return Ratio(weight, total)
    return Ratio(Sum((weight, LAMBDA)), Sum((total, Product((Symbol("K"), LAMBDA)))))
