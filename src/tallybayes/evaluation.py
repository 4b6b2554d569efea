"""How good the answers are: one report from true labels and predicted probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError
from .layout import aligned, printable
from .readings import predicted

__all__ = ["Evaluation", "Report", "evaluate"]

BINS = 15  # of equal width, for the calibration error

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

    Examples
    --------
    >>> evaluate(["a"], np.log([[0.9, 0.1]]), ["a", "b"]).brier.__round__(3)
    0.02
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
        names = [printable(str(label)) for label in self.classes]
        table = [["class", "precision", "recall", "F1", "rows"]]
        for name, row in zip(names, self.per_class, strict=True):
            table.append([name, *(f"{row[share]:.4f}" for share in ("precision", "recall", "f1")), str(row["n"])])
        lines += ["", *aligned(table, "<>")]
        if len(names) <= 20:
            counts = [[name, *map(str, row)] for name, row in zip(names, self.confusion.tolist(), strict=True)]
            lines += ["", "confusion (rows: true, columns: answered)", *aligned([["", *names], *counts], "<>")]
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
    evaluation = Evaluation(classes)
    evaluation.add(truth, log_probabilities)
    return evaluation.report()


class Evaluation:
    """An evaluation that answers are added to, some at a time: its memory does not grow with the number of rows.

    Parameters
    ----------
    classes : sequence of labels, length K

    Examples
    --------
    >>> evaluation = Evaluation(["a", "b"])
    >>> evaluation.add(["a"], np.log([[0.9, 0.1]]))
    >>> evaluation.add(["b"], np.log([[0.6, 0.4]]))
    >>> evaluation.report().accuracy
    0.5
    """

    def __init__(self, classes: Sequence[Any]) -> None:
        self._names = list(classes)
        self._n_known = len(self._names)
        self._number = {label: position for position, label in enumerate(self._names)}
        self._confusion = np.zeros((self._n_known, self._n_known), np.int64)
        self._losses: list[float] = []
        self._squares: list[float] = []
        self._bins = np.zeros((2, BINS))  # right answers, and the confidence they were given with
        self._rows = self._unseen = 0

    def add(self, truth: Sequence[Any], log_probabilities: Floats) -> None:
        """Add the answers for n rows.

        Parameters
        ----------
        truth : sequence of labels, length n
        log_probabilities : ndarray of float64, shape (n, K)
            Natural log, one column per class.

        Raises
        ------
        InputError
            If the lengths differ.
        """
        n = len(truth)
        if log_probabilities.shape != (n, self._n_known):
            raise InputError(
                f"{n} labels and {self._n_known} classes need scores of shape {(n, self._n_known)}; got "
                f"{log_probabilities.shape}"
            )
        if not n:
            return
        for label in truth:
            if label not in self._number:
                self._number[label] = len(self._names)
                self._names.append(label)
        true = np.array([self._number[label] for label in truth])
        known = true < self._n_known
        answer = predicted(log_probabilities, np.zeros(self._n_known))
        if len(self._confusion) < len(self._names):
            grown = np.zeros((len(self._names), len(self._names)), np.int64)
            grown[: len(self._confusion), : len(self._confusion)] = self._confusion
            self._confusion = grown
        np.add.at(self._confusion, (true, answer), 1)
        probabilities = np.exp(log_probabilities)
        own = log_probabilities[np.flatnonzero(known), true[known]]
        squared = (probabilities**2).sum(axis=1)
        squared[known] += 1.0 - 2.0 * np.exp(own)
        squared[~known] += 1.0
        confidence, right = probabilities.max(axis=1), answer == true
        place = np.minimum((confidence * BINS).astype(np.intp), BINS - 1)
        self._bins += np.bincount(place, right, BINS), np.bincount(place, confidence, BINS)
        self._losses.append(float(-own.sum()))
        self._squares.append(float(squared.sum()))
        self._rows += n
        self._unseen += int((~known).sum())

    def report(self) -> Report:
        """Return the report of all that was added.

        Raises
        ------
        InputError
            If that is nothing.
        """
        n, names, confusion = self._rows, self._names, self._confusion
        if n == 0:
            raise InputError("there is nothing to evaluate: no labelled rows came")
        right, asked, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
        precision = np.divide(right, said, out=np.zeros(len(names)), where=said > 0)
        recall = np.divide(right, asked, out=np.zeros(len(names)), where=asked > 0)
        f1 = np.divide(2 * right, asked + said, out=np.zeros(len(names)), where=asked + said > 0)
        occurs = asked + said > 0
        n_known = n - self._unseen
        return Report(
            n=n,
            accuracy=float(right.sum() / n),
            baseline=float(asked.max() / n),
            macro_f1=float(f1[occurs].mean()),
            weighted_f1=float((f1 * asked).sum() / n),
            log_loss=math.fsum(self._losses) / n_known if n_known else float("inf"),
            brier=math.fsum(self._squares) / n,
            ece=float(np.abs(self._bins[0] - self._bins[1]).sum() / n),
            classes=names,
            confusion=confusion,
            per_class=[
                {"class": name, "precision": float(p), "recall": float(r), "f1": float(f), "n": int(rows)}
                for name, p, r, f, rows in zip(names, precision, recall, f1, asked, strict=True)
            ],
            unseen=self._unseen,
        )
