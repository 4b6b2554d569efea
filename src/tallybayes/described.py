"""What one row holds, in the words of its reader: from a counter, for the reasons of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Described", "Place"]

Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Described:
    """What one row holds, in the words of its reader.

    Attributes
    ----------
    text : str
        The row: a document itself, or columns and values as text.
    noun : str
        What an entry is called: feature, column.
    names : list of str, length n
        What each entry is called.
    keys : sequence of length n
        How the tally knows each: a feature's text, a column, a column and its value.
    counts : list of numbers, length n
        How much of each the row holds, as it came.
    amounts : ndarray of float64, shape (n,)
        The same as it was counted: a logarithm or a weight for a count where the counter says so.
    places : list of lists of (start, end), length n
        Where each stands in `text`, in code points.
    left_out : list of str
        What the row has no value of.
    """

    text: str
    noun: str
    names: list[str]
    keys: Sequence[Any]
    counts: list[int | float]
    amounts: npt.NDArray[np.float64]
    places: list[list[Place]]
    left_out: Sequence[str] = ()

    @classmethod
    def of_columns(
        cls,
        names: Sequence[str],
        pieces: Sequence[str],
        keys: Sequence[Any],
        counts: Sequence[int | float],
        amounts: npt.NDArray[np.float64],
        left_out: Sequence[str] = (),
    ) -> Described:
        """Return the description of a row of columns: its text is the `pieces`, one after another."""
        text, places = "", []
        for piece in pieces:
            text += ", " if text else ""
            places.append([(len(text), len(text) + len(piece))])
            text += piece
        return cls(text, "column", list(names), keys, list(counts), amounts, places, left_out)
