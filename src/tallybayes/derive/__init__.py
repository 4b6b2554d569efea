"""The textbook derivation of one answer, as data: priors, conditionals, products, posterior.

Exact fractions where the counts are whole, decimals otherwise. The functions take plain values, so that text
models and array estimators can both ask them.

References
----------
Manning, Raghavan, Schütze (2008), Introduction to Information Retrieval, chapter 13, examples 13.1 and 13.2.
Jurafsky, Martin, Speech and Language Processing, chapter 4.
"""

from __future__ import annotations

from .columns import CategoricalColumn, GaussianColumn, derive_categorical, derive_columns, derive_gaussian
from .counts import Counts, derive_counts
from .derivation import Derivation
from .joint import Joint
from .pages import Step

__all__ = [
    "CategoricalColumn",
    "Counts",
    "Derivation",
    "GaussianColumn",
    "Joint",
    "Step",
    "derive_categorical",
    "derive_columns",
    "derive_counts",
    "derive_gaussian",
]
