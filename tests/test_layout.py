"""Plain text in columns: a Chinese character takes two, a combining mark none."""

from __future__ import annotations

import pytest

from tallybayes.layout import aligned, printable, shortened, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("naive", 5),
        ("朴素", 4),
        ("ａ", 2),
        ("e\u0301", 1),
        ("a\u200db", 2),
        ("한글", 4),
        ("\u1112\u1161\u11ab", 2),
    ],
)
def test_width_on_a_terminal(text, columns):
    assert width(text) == columns


def test_columns_are_aligned_by_width():
    assert aligned([["词", "n", "x"], ["word", "12", "y"]], "<>") == ["词     n  x", "word  12  y"]


@pytest.mark.parametrize(
    ("text", "cut"), [("彩票中奖", "彩票…"), ("彩票", "彩票"), ("abcdef", "abcd…"), ("a彩票b", "a彩…")]
)
def test_long_text_is_cut_to_five_columns(text, cut):
    assert shortened(text, 5) == cut
    assert width(cut) <= 5


def test_what_steers_a_terminal_is_escaped():
    assert printable("a\x1b[2J\r\n\u202eb中") == r"a\x1b[2J\r\n\u202eb中"
