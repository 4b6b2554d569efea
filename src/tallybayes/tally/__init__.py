"""The sums: what was counted or measured of each class."""

from __future__ import annotations

from .base import Tally
from .count import CHANNELS, CountTally
from .features import ColumnFeatures, Features, TextFeatures
from .moments import MomentTally

__all__ = ["CHANNELS", "ColumnFeatures", "CountTally", "Features", "MomentTally", "Tally", "TextFeatures"]
