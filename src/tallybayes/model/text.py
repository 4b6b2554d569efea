"""The counter and the reading of text that a choice of event model and weighting asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..counters import Counter, TextCounter, TfidfCounter
from ..counters.text import checked_channels
from ..readings import Reading
from ..tally import CHANNELS
from ..tally.selection import Selection
from ..text.analyzer import Analyzer

__all__ = ["text_counter", "text_reading"]

COUNTED = ("log", "tfidf")  # weightings that are counted; all others are read


def text_counter(
    analyzer: Analyzer,
    *,
    weighting: str = "count",
    channels: Iterable[str] = CHANNELS,
    min_df: int | float = 1,
    max_df: int | float = 1.0,
    max_features: int | None = None,
) -> Counter:
    """Return the counter of documents; the last three parameters are its own only for two-pass tf-idf.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    """
    if weighting == "tfidf":
        return TfidfCounter(analyzer, Selection(min_df=min_df, max_df=max_df, max_features=max_features))
    return TextCounter(analyzer, checked_channels(channels), "log" if weighting == "log" else "count")


def text_reading(event_model: str = "complement", *, weighting: str = "count", **parameters: Any) -> Reading:
    """Return the reading of counted documents; what `text_counter` does already is left out of it.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    """
    if weighting == "tfidf":
        parameters = {name: value for name, value in parameters.items() if name not in Selection.__dataclass_fields__}
    return Reading.of(event_model, weighting="count" if weighting in COUNTED else weighting, **parameters)
