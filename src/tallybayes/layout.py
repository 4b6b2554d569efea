"""Plain text laid out for a terminal, where a Chinese character is two columns wide and a combining mark none."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

__all__ = ["aligned", "padded", "printable", "shortened", "width"]


def width(text: str) -> int:
    """Return the columns that a text takes on a terminal.

    Examples
    --------
    >>> width("naive"), width("朴素")
    (5, 4)
    """
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    # Marks join the letter before them, and so do the vowels and finals of a Korean syllable written in parts.
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str) -> str:
    r"""Return the text on one line: what breaks it or steers a terminal is written as an escape.

    Examples
    --------
    >>> printable("red \x1b[31m\nalert")
    'red \\x1b[31m\\nalert'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(text: str, columns: int) -> str:
    """Return the text cut to so many columns, the last of them an ellipsis where something was cut.

    Examples
    --------
    >>> shortened("彩票中奖", 5)
    '彩票…'
    """
    if width(text) <= columns:
        return text
    taken = 0
    for position, character in enumerate(text):
        taken += _columns(character)
        if taken > columns - 1:
            return text[:position] + "…"
    return text


def padded(text: str, columns: int, side: str = "<") -> str:
    """Return a text filled up with spaces, on its right (``<``) or its left (``>``)."""
    space = " " * (columns - width(text))
    return space + text if side == ">" else text + space


def aligned(rows: Sequence[Sequence[str]], sides: str, gap: str = "  ") -> list[str]:
    """Lay rows of cells out as lines.

    Parameters
    ----------
    rows : sequence of sequences of str
        All of one length.
    sides : str
        ``<`` or ``>`` for each column; the last one holds for the columns that follow.

    Returns
    -------
    list of str
        One line a row, without spaces at its end.

    Examples
    --------
    >>> print(*aligned([["word", "n"], ["中国", "12"]], "<>"), sep="\\n")
    word   n
    中国  12
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    sides = sides + sides[-1:] * (len(widths) - len(sides))
    return [
        gap.join(padded(*cell) for cell in zip(row, widths, sides[: len(row)], strict=True)).rstrip() for row in rows
    ]
