"""The features that speak most for each class: log-odds with shrinkage, not mere frequency.

Reference
---------
Monroe, Colaresi, Quinn (2008), Fightin' words, Political Analysis 16: log-odds-ratio with an informative Dirichlet
prior, divided by its standard deviation.
"""

from __future__ import annotations

import numpy as np

from ..tally import CountTally
from ..tally.selection import by_feature, values_of

__all__ = ["keywords"]


def keywords(tally: CountTally, n: int = 10, *, prior_mass: float = 1000.0) -> list[list[tuple[str, float]]]:
    """Return the features that tell each class most surely from the rest.

    Parameters
    ----------
    tally : CountTally
        K classes.
    n : int
        How many per class.
    prior_mass : float
        Pseudo-occurrences spread over the features as they are distributed over all classes together.

    Returns
    -------
    list of K lists of (feature, z)
        z is the log-odds (natural log) of the class against the rest, divided by its standard deviation; largest first.

    Examples
    --------
    >>> from tallybayes import Model
    >>> model = Model().learned(["cheap pills", "cheap watches", "lunch at noon"], ["spam", "spam", "ham"])
    >>> keywords(model.tally, 1)[1][0][0]
    'cheap'
    """
    channel = "occurrences" if "occurrences" in tally.channels else "documents"
    cells = values_of(tally, channel)
    feature_totals = by_feature(tally, cells)
    class_totals = np.bincount(tally.class_index, cells, len(tally.classes))
    total = class_totals.sum()
    of_feature = np.repeat(np.arange(len(feature_totals)), np.diff(tally.indptr))
    prior = prior_mass * feature_totals[of_feature] / total
    inside = cells + prior
    outside = feature_totals[of_feature] - cells + prior
    inside_total = class_totals[tally.class_index] + prior_mass
    outside_total = total - class_totals[tally.class_index] + prior_mass
    odds = np.log(inside) - np.log(np.maximum(inside_total - inside, 1e-9))
    odds -= np.log(outside) - np.log(np.maximum(outside_total - outside, 1e-9))
    z = odds / np.sqrt(1.0 / inside + 1.0 / outside)
    best: list[list[tuple[str, float]]] = []
    for number in range(len(tally.classes)):
        own = np.flatnonzero((tally.class_index == number) & (z > 0))
        chosen = own[np.argsort(-z[own], kind="stable")[:n]]
        best.append([(str(tally.features.label(int(of_feature[cell]))), float(z[cell])) for cell in chosen])
    return best
