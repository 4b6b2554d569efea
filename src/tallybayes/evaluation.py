"""How good the answers are: one report from true labels and predicted probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError
from .readings import predicted

__all__ = ["Report", "evaluate"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Report:
    """The evaluation of n answers.

    Attributes
    ----------
    n : int
        Rows evaluated.
    accuracy, baseline : float
        Share of right answers, and what always answering the commonest class would reach.
    macro_f1, weighted_f1 : float
        F1 averaged over the classes that occur in truth or answers, plainly and by their number of rows.
    log_loss : float
        Mean of -ln P(truth), natural log, over rows whose class the model knows; infinite if one had probability 0.
    brier : float
        Mean over rows of the squared error summed over classes, from 0 to 2.
    ece : float
        Expected calibration error: |accuracy - confidence| in 15 bins of equal width, weighted by their rows.
    classes : list
        The classes of the confusion matrix, the model's first, then those that only the truth has.
    confusion : ndarray of int64, shape (C, C)
        Rows are true classes, columns answers.
    per_class : list of dict
        ``class, precision, recall, f1, n`` for each class.
    unseen : int
        Rows whose true class the model has never seen; they count as wrong.
    """

    n: int
    accuracy: float
    baseline: float
    macro_f1: float
    weighted_f1: float
    log_loss: float
    brier: float
    ece: float
    classes: list[Any]
    confusion: npt.NDArray[np.int64]
    per_class: list[dict[str, Any]]
    unseen: int

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values; an infinite log loss is null."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["confusion"] = self.confusion.tolist()
        values["log_loss"] = self.log_loss if np.isfinite(self.log_loss) else None
        return values

    def to_text(self) -> str:
        """Return the report as aligned lines; the confusion matrix only up to 20 classes."""
        right = int(np.trace(self.confusion))
        lines = [
            f"rows         {self.n}",
            f"accuracy     {self.accuracy:.6f}  ({right} right; always the commonest class: {self.baseline:.6f})",
            f"macro F1     {self.macro_f1:.6f}",
            f"weighted F1  {self.weighted_f1:.6f}",
            f"log loss     {self.log_loss:.6f}",
            f"Brier        {self.brier:.6f}",
            f"calibration error  {self.ece:.6f}",
        ]
        if self.unseen:
            lines.append(f"rows of classes never seen in training  {self.unseen} (counted as wrong)")
        names = [str(label) for label in self.classes]
        width = max(map(len, [*names, "class"]))
        lines += ["", f"{'class':<{width}}  precision  recall      F1       rows"]
        for name, row in zip(names, self.per_class, strict=True):
            lines.append(
                f"{name:<{width}}  {row['precision']:9.4f}  {row['recall']:6.4f}  {row['f1']:6.4f}  {row['n']:9d}"
            )
        if len(names) <= 20:
            cell = max(6, *(len(name) + 2 for name in names), len(str(self.confusion.max(initial=0))) + 2)
            lines += ["", "confusion (rows: true, columns: answered)"]
            lines.append(" " * width + "".join(f"{name:>{cell}}" for name in names))
            for name, counts in zip(names, self.confusion.tolist(), strict=True):
                lines.append(f"{name:<{width}}" + "".join(f"{count:>{cell}d}" for count in counts))
        return "\n".join(lines)


def evaluate(truth: Sequence[Any], log_probabilities: Floats, classes: Sequence[Any]) -> Report:
    """Compare predicted probabilities with the truth.

    Parameters
    ----------
    truth : sequence of labels, length n
    log_probabilities : ndarray of float64, shape (n, K)
        Natural log, one column per class.
    classes : sequence of labels, length K

    Returns
    -------
    Report

    Raises
    ------
    InputError
        If there is nothing to evaluate or the lengths differ.

    Examples
    --------
    >>> report = evaluate(["a", "b"], np.log([[0.9, 0.1], [0.6, 0.4]]), ["a", "b"])
    >>> report.accuracy, report.confusion.tolist()
    (0.5, [[1, 0], [1, 0]])
    """
    n, n_known = len(truth), len(classes)
    if n == 0:
        raise InputError("there is nothing to evaluate: no labelled rows came")
    if log_probabilities.shape != (n, n_known):
        raise InputError(
            f"{n} labels and {n_known} classes need scores of shape {(n, n_known)}; got {log_probabilities.shape}"
        )
    names = list(classes)
    number = {label: position for position, label in enumerate(names)}
    for label in truth:
        if label not in number:
            number[label] = len(names)
            names.append(label)
    true = np.array([number[label] for label in truth])
    known = true < n_known
    answer = predicted(log_probabilities, np.zeros(n_known))
    confusion = np.zeros((len(names), len(names)), np.int64)
    np.add.at(confusion, (true, answer), 1)

    right, asked, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    precision = np.divide(right, said, out=np.zeros(len(names)), where=said > 0)
    recall = np.divide(right, asked, out=np.zeros(len(names)), where=asked > 0)
    f1 = np.divide(2 * right, asked + said, out=np.zeros(len(names)), where=asked + said > 0)
    occurs = asked + said > 0

    probabilities = np.exp(log_probabilities)
    own = log_probabilities[np.flatnonzero(known), true[known]]
    squared = (probabilities**2).sum(axis=1)
    squared[known] += 1.0 - 2.0 * np.exp(own)
    squared[~known] += 1.0
    return Report(
        n=n,
        accuracy=float(right.sum() / n),
        baseline=float(asked.max() / n),
        macro_f1=float(f1[occurs].mean()),
        weighted_f1=float((f1 * asked).sum() / n),
        log_loss=float(-own.mean()) if own.size else float("inf"),
        brier=float(squared.mean()),
        ece=_calibration_error(probabilities.max(axis=1), answer == true),
        classes=names,
        confusion=confusion,
        per_class=[
            {"class": name, "precision": float(p), "recall": float(r), "f1": float(f), "n": int(rows)}
            for name, p, r, f, rows in zip(names, precision, recall, f1, asked, strict=True)
        ],
        unseen=int((~known).sum()),
    )


def _calibration_error(confidence: Floats, right: npt.NDArray[np.bool_], bins: int = 15) -> float:
    """Weighted mean over equal-width bins of |share right - mean confidence|."""
    place = np.minimum((confidence * bins).astype(np.intp), bins - 1)
    gap = np.bincount(place, right, bins) - np.bincount(place, confidence, bins)
    return float(np.abs(gap).sum() / len(confidence))
