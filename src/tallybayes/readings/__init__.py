"""Readings: prior + smoothing → what a tally says of rows. One file for each event model.

Every module here is loaded together with the package, so that an event model is known by its name as soon as its file
is here.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from .base import Reading, Scores
from .bernoulli import BernoulliReading
from .categorical import CategoricalReading
from .complement import ComplementReading
from .decision import best_classes, chosen_labels, decide
from .gaussian import GaussianReading
from .linear import LinearReading, LinearScores, LinearTable
from .multinomial import MultinomialReading
from .posterior import log_posterior, posterior, predicted
from .terms import Floats, Terms

__all__ = [
    "BernoulliReading",
    "CategoricalReading",
    "ComplementReading",
    "Floats",
    "GaussianReading",
    "LinearReading",
    "LinearScores",
    "LinearTable",
    "MultinomialReading",
    "Reading",
    "Scores",
    "Terms",
    "best_classes",
    "chosen_labels",
    "decide",
    "log_posterior",
    "posterior",
    "predicted",
]

for _module in iter_modules(__path__, f"{__name__}."):
    if not _module.name.rpartition(".")[2].startswith("_"):
        import_module(_module.name)
