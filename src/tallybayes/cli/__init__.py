"""The command line: ``tallybayes VERB``; one file per verb, imported only when it is called."""

from __future__ import annotations

__all__ = ["main"]


def main() -> int:
    """Run the command of this process's arguments and return its exit status.

    Returns
    -------
    int
        0 done, 1 failed, 2 wrong usage, 130 interrupted.
    """
    try:
        from ._group import LazyGroup, run
        from ._verbs import VERBS
    except KeyboardInterrupt:  # so early that click is not there to catch it
        return 130
    return run(LazyGroup("tallybayes", verbs=VERBS, help="Naive Bayes whose model is a tally."))
