"""The model: counter, tally and reading together."""

from __future__ import annotations

from .answers import Answers
from .model import Model, load

__all__ = ["Answers", "Model", "load"]
