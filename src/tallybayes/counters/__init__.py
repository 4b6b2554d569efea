"""Counters: how raw rows become sums. Here is decided what cannot be changed without the data."""

from __future__ import annotations

from .base import Counter
from .categories import CategoryCounter
from .counts import CountCounter
from .numbers import NumberCounter
from .rows import LabelledRows, Rows, threads
from .text import TextCounter
from .tfidf import TfidfCounter

__all__ = [
    "CategoryCounter",
    "CountCounter",
    "Counter",
    "LabelledRows",
    "NumberCounter",
    "Rows",
    "TextCounter",
    "TfidfCounter",
    "threads",
]
