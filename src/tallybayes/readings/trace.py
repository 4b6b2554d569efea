"""The intermediate tables of a reading and of an answer, in the log ``tallybayes`` at level DEBUG.

Nothing is computed unless somebody listens.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..tally import CountTally
from .terms import Floats

__all__ = ["trace_answers", "trace_reading"]

LOG = logging.getLogger("tallybayes")
COLUMNS, ROWS = 12, 10  # how much of a table the log shows


def trace_reading(
    tally: CountTally,
    event_model: str,
    channel: str,
    log_prior: Floats,
    weights_of: Callable[[npt.NDArray[np.integer]], Floats],
) -> None:
    """Log what a reading makes of a tally: counts, log prior, and what one occurrence of a feature adds to each score.

    For the multinomial event model that is log P(feature | class).
    """
    if not LOG.isEnabledFor(logging.DEBUG):
        return
    weight = "log P(feature given class)" if event_model == "multinomial" else f"{event_model} weights"
    shown = np.arange(min(COLUMNS, len(tally.features)))
    names = ", ".join(str(tally.features.label(number)) for number in shown.tolist())
    left_out = len(tally.features) - len(shown)
    LOG.debug("classes: %s", ", ".join(str(label) for label in tally.classes))
    LOG.debug("samples per class: %s", _list(tally.class_count))
    LOG.debug("features: %s%s", names, f" and {left_out} more" if left_out else "")
    few = tally.select(shown)
    counts = np.zeros((len(tally.classes), len(shown)), few.values(channel).dtype)
    counts[few.class_index, np.repeat(shown, np.diff(few.indptr))] = few.values(channel)
    LOG.debug("counts per class and feature: %s", _table(counts))
    LOG.debug("log prior: %s", _list(log_prior))
    LOG.debug("%s: %s", weight, _table(weights_of(shown).T))


def trace_answers(joint: Floats, shares: Floats) -> None:
    """Log joint log scores and the posterior of the first rows."""
    if not LOG.isEnabledFor(logging.DEBUG):
        return
    LOG.debug("joint log score: %s", _table(joint[:ROWS]))
    LOG.debug("posterior: %s", _table(shares[:ROWS]))


def _table(rows: npt.NDArray[np.generic]) -> str:
    return ", ".join(f"[{_line(row, ' ')}]" for row in rows)


def _list(values: npt.NDArray[np.generic]) -> str:
    return _line(values, ", ")


def _line(values: npt.NDArray[np.generic], gap: str) -> str:
    """Whole numbers as they are, others with eight places and no zeros at their end."""
    if np.issubdtype(values.dtype, np.integer):
        return gap.join(map(str, values.tolist()))
    return gap.join(f"{value:.8f}".rstrip("0").rstrip(".") for value in values.tolist())
