"""Reading a count tally: prior + smoothing → scores that are linear in the counts of a row.

All four count models end in one form (natural logarithms throughout)::

    score_c(x) = base_c + scale_c · ( Σ x_i feature_i + |x| · unit_c + Σ x_i delta_ic )

with ``delta`` over the non-zero counts only, because log(n + α) = log α + log(1 + n/α). Factors that are exactly zero
(α = 0) are no numbers in that sum; a companion table of whole numbers counts them, so that 0 · ∞ cannot arise.

References
----------
Manning, Raghavan, Schütze (2008), Introduction to Information Retrieval, chapter 13 (multinomial, Bernoulli).
Rennie, Shih, Teevan, Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers (complement).
"""

from __future__ import annotations

from .decision import chosen_labels, decide
from .models import check, read
from .posterior import log_posterior, posterior, predicted
from .prior import given_prior, log_prior
from .reading import Reading
from .table import LinearScores
from .weighting import prune, smooth_idf

__all__ = [
    "LinearScores",
    "Reading",
    "check",
    "chosen_labels",
    "decide",
    "given_prior",
    "log_posterior",
    "log_prior",
    "posterior",
    "predicted",
    "prune",
    "read",
    "smooth_idf",
]
