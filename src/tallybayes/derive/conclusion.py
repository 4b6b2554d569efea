"""The last steps of every derivation: the joint of each class, and the posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .derivation import Derivation
from .expression import Call, Equation, Expression, Product, Sum, Symbol, Value, worked
from .joint import Joint
from .numbers import Number
from .pages import Step

__all__ = ["concluded", "most_probable"]


def most_probable(joints: Sequence[Joint], posterior: Sequence[Number], n: int) -> tuple[int, list[int]]:
    """Return the number of the answer, and those of the n most probable classes, the most probable first."""
    order = sorted(range(len(joints)), key=lambda c: (-posterior[c], -joints[c].log, c))
    return order[0], order[: max(n, 1)]


def concluded(
    derivation: Derivation,
    shown: Sequence[int],
    factors: Mapping[int, Sequence[Expression]],
    *,
    symbol: str,
    adds: bool = False,
    with_prior: bool = True,
) -> Derivation:
    """Return the derivation with the steps that multiply (or, for complement, add) it all out and normalise.

    Parameters
    ----------
    derivation : Derivation
        With all steps before these two.
    shown : sequence of int
        The classes that the tables show.
    factors : mapping of class number to expressions
        What is multiplied with the prior, as far as it is shown.
    symbol : str
        The rule in symbols.
    adds : bool
        Whether the joint is a sum of weights.
    with_prior : bool
        Whether the prior enters.
    """
    joint_rows: list[tuple[str, tuple[Equation, ...]]] = []
    posterior_rows = []
    for c in shown:
        parts = list(factors[c])
        if with_prior:
            prior = Value(derivation.prior[c])
            parts.insert(0, Call("ln", prior) if adds else prior)
        whole = () if not parts else (Sum(tuple(parts)),) if adds else (Product(tuple(parts)),)
        joint, name = derivation.joint[c], str(derivation.classes[c])
        if adds:
            joint_rows.append((name, (worked(joint.log, *whole),)))
        else:
            joint_rows.append((name, (worked(joint.value, *whole), worked(joint.log))))
        posterior_rows.append((name, (worked(derivation.posterior[c]),)))
    hidden = len(derivation.classes) - len(shown)
    note = "exp(score) over the sum of exp(score) of all classes." if adds else "The joint over the sum of all joints."
    if all(joint.log == -float("inf") for joint in derivation.joint):
        note = "Every class is impossible for this row, so the prior stands."
    if hidden:
        note += f" {hidden} less probable classes are not shown."
    last = (
        Step(
            "Scores" if adds else "Joint probability of class and row",
            ("class", "score") if adds else ("class", "joint", "ln"),
            tuple(joint_rows),
            formula=Equation((Symbol("score" if adds else "joint", "c"), Symbol(symbol))),
        ),
        Step("Posterior", ("class", "P(c | row)"), tuple(posterior_rows), note=note),
    )
    return replace(derivation, steps=derivation.steps + last)
