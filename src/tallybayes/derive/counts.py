"""The derivation of the event models on counts: multinomial (additive or floor), complement, Bernoulli."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import ParameterError
from .conclusion import concluded, most_probable
from .derivation import Derivation
from .event_models import Bernoulli, Complement, CountQuestion, Counts, Floor, Multinomial
from .expression import Words
from .joint import Joint, posteriors
from .numbers import Number, exact
from .prior import prior_steps

__all__ = ["Counts", "derive_counts"]


def derive_counts(
    counts: Counts,
    row: Sequence[Number],
    *,
    event_model: str = "multinomial",
    alpha: Any = 1.0,
    alpha_sum: Number | None = None,
    smoothing: str = "additive",
    floor: float = 0.1,
    prior: Any = None,
    prior_alpha: float = 0.0,
    norm_sums: Sequence[float] | None = None,
    unknown: Sequence[str] = (),
    text: str = "",
    noun: str = "documents",
    features: int = 20,
    classes: int = 6,
) -> Derivation:
    """Derive the answer of an event model on counts for one row, step by step.

    Parameters
    ----------
    counts : Counts
    row : sequence of Number, length F
        How often each feature is in the row; for Bernoulli 1 or 0.
    event_model : {"multinomial", "complement", "bernoulli"}
    alpha : float, or sequence of float of length F
        The smoothing, of each listed feature if it differs; taken as the decimal it was written as.
    alpha_sum : float, optional
        The sum of α over the whole vocabulary, where it differs by feature; that of the listed ones by default.
    smoothing : {"additive", "floor"}
    floor : float
        The m of "floor".
    prior : None, "documents", "words", "uniform", or sequence of float of length K
        None is the event model's own: documents, and for complement no prior.
    prior_alpha : float
    norm_sums : sequence of float, length K, optional
        Complement with normalised weights: the sum of each class's weights over the whole vocabulary.
    unknown : sequence of str
        Features of the row that were never seen in training and do not enter.
    text : str
        The row as the reader knows it.
    noun : str
        What the rows of the data are called.
    features, classes : int
        How many of each the tables show at most: the classes with the largest scores, the features that tell the first
        two of them apart most surely. The totals are always those of all.

    Returns
    -------
    Derivation

    Raises
    ------
    ParameterError
        If the lengths do not fit.

    Examples
    --------
    >>> counts = Counts(
    ...     classes=["no", "yes"],
    ...     documents=[1, 3],
    ...     features=["Chinese", "Japan"],
    ...     cells=[[1, 5], [1, 0]],
    ...     totals=[3, 8],
    ...     n_features=6,
    ... )
    >>> derived = derive_counts(counts, [3, 1])
    >>> derived.answer, derived.joint[1].fraction
    ('yes', Fraction(81, 19208))
    """
    question = _question(counts, row, event_model, alpha, alpha_sum, smoothing, floor, norm_sums)
    n_classes = len(counts.classes)
    kind = prior if isinstance(prior, str) else "documents" if prior is None else "given"
    words = counts.totals if counts.words is None else counts.words
    settings: dict[str, Any] = {
        "kind": kind,
        "given": prior if kind == "given" else None,
        "prior_alpha": prior_alpha,
        "documents": counts.documents,
        "noun": noun,
    }
    weights = words if kind == "words" else counts.documents
    shares, _ = prior_steps(counts.classes, weights, (), **settings)
    # The weights of complement are no likelihoods: the prior enters only if asked for (or if it is all there is).
    with_prior = event_model != "complement" or prior is not None or n_classes == 1
    # A class without a document is impossible even where the prior does not enter.
    first = [share if with_prior or not count else 1 for share, count in zip(shares, counts.documents, strict=True)]
    joints = [Joint([(first[c], 1), *question.factors(c)]) for c in range(n_classes)]
    answer, shown = most_probable(joints, posteriors(joints, shares), classes)
    runner_up = next((c for c in shown if c != answer), answer)
    telling = sorted(range(len(row)), key=lambda f: -question.evidence(f, answer, runner_up))
    question.shown_classes, question.shown_features = sorted(shown), sorted(telling[:features])
    steps = prior_steps(counts.classes, weights, question.shown_classes, **settings)[1]
    if not with_prior:
        steps = steps[:1]
    steps += question.steps()
    if unknown:
        named = ", ".join(unknown[:features]) + (
            f" and {len(unknown) - features} more" if len(unknown) > features else ""
        )
        place = next(number for number, step in enumerate(steps) if step.columns[0] == "feature")
        note = f"{steps[place].note} Never seen in training, and so left out: {named}."
        steps[place] = replace(steps[place], note=note.strip())
    hidden = len(row) - len(question.shown_features)
    more = [Words(f"({hidden} more)")] if hidden else []
    return concluded(
        Derivation(
            title=f"{question.title}, step by step",
            row=text,
            classes=tuple(counts.classes),
            prior=tuple(shares),
            joint=tuple(joints),
            steps=tuple(steps),
        ),
        question.shown_classes,
        {c: [*question.joint_factors(c), *more] for c in question.shown_classes},
        symbol=question.joint_symbol,
        adds=question.adds,
        with_prior=with_prior,
    )


def _question(
    counts: Counts,
    row: Sequence[Number],
    event_model: str,
    alpha: Any,
    alpha_sum: Number | None,
    smoothing: str,
    floor: float,
    norm_sums: Sequence[float] | None,
) -> CountQuestion:
    """Check the lengths, make the parameters exact and choose the event model."""
    kinds: dict[str, type[CountQuestion]] = {
        "multinomial": Multinomial,
        "complement": Complement,
        "bernoulli": Bernoulli,
    }
    if event_model not in kinds:
        raise ParameterError(f"event_model must be one of {', '.join(map(repr, kinds))}; got {event_model!r}")
    n_listed, n_classes = len(counts.features), len(counts.classes)
    several = not isinstance(alpha, (int, float, Fraction))
    lengths = {"row": len(row), "cells": len(counts.cells), **({"alpha": len(alpha)} if several else {})}
    for name, length in lengths.items():
        if length != n_listed:
            raise ParameterError(f"{name} must have one entry for each of the {n_listed} features; got {length}")
    for name, length in {"documents": len(counts.documents), "totals": len(counts.totals)}.items():
        if length != n_classes:
            raise ParameterError(f"{name} must have one entry for each of the {n_classes} classes; got {length}")
    alphas = [exact(a) for a in alpha] if several else exact(alpha)
    if isinstance(alphas, Fraction):
        mass = alphas * counts.n_features
    else:
        mass = exact(alpha_sum) if alpha_sum is not None else sum(alphas, Fraction(0))
    chosen = Floor if smoothing == "floor" else kinds[event_model]
    question = chosen(counts, row, alpha=alphas, alpha_sum=mass, floor=exact(floor))
    if isinstance(question, Complement):
        question.norm_sums = norm_sums
    return question
