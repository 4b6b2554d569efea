"""The log at level DEBUG shows the intermediate tables, and costs nothing when nobody listens."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from tallybayes import Analyzer, Model, Reading
from tallybayes.counters import TextCounter
from tallybayes.readings import trace

X0 = [5, 3, 2, 1, 0, 5, 12, 12, 10, 7, 8, 3, 0, 0, 1]
X1 = [11, 10, 6, 8, 7, 0, 0, 0, 0, 3, 1, 9, 1, 7, 0]
X2 = [7, 1, 9, 2, 12, 2, 15, 2, 2, 0, 0, 12, 4, 9, 1]
Y = [1, 1, 0, 0, 2, 1, 1, 2, 1, 2, 1, 0, 0, 0, 1]


def document(*row):
    return " ".join(f"x{i}" for i, count in enumerate(row) for _ in range(count))


@pytest.fixture
def system_a():
    model = Model(TextCounter(Analyzer("space", ngrams=(1, 1))), Reading.of("multinomial", alpha=1.0))
    return model.learned([document(*row) for row in zip(X0, X1, X2, strict=True)], Y)


def test_every_intermediate_table_of_system_a_is_logged(system_a, caplog):
    with caplog.at_level(logging.DEBUG, logger="tallybayes"):
        system_a.predict_proba([document(17, 25, 39)])
    said = dict(message.split(": ", 1) for message in caplog.messages)
    assert said["samples per class"] == "5, 7, 3"
    assert said["counts per class and feature"] == "[6 31 36], [44 22 28], [19 10 14]"
    assert said["log prior"] == "-1.09861229, -0.76214005, -1.60943791"
    assert said["log P(feature given class)"] == (
        "[-2.38482319 -0.86499744 -0.71981543], [-0.76804849 -1.43921676 -1.20741515], "
        "[-0.83290912 -1.43074612 -1.1205912]"
    )
    assert said["joint log score"] == "[-91.33834415 -96.88857422 -95.24060271]"
    assert said["posterior"] == "[0.97648353 0.00379516 0.0197213]"


def test_nothing_is_made_for_a_log_that_nobody_reads(system_a, monkeypatch):
    monkeypatch.setattr(trace, "_table", lambda rows: pytest.fail("a table was made"))
    assert not logging.getLogger("tallybayes").isEnabledFor(logging.DEBUG)
    system_a.predict_proba([document(1, 2, 3)])


def test_a_large_vocabulary_is_shown_in_part(caplog):
    model = Model(reading=Reading.of("complement"))
    model = model.learned([" ".join(f"w{i}" for i in range(500)), "other"], ["a", "b"])
    with caplog.at_level(logging.DEBUG, logger="tallybayes"):
        model.predict_proba(["w1"] * 500)
    assert "more" in next(message for message in caplog.messages if message.startswith("features:"))
    assert all(len(message) < 1000 for message in caplog.messages)
    assert np.isfinite(model.answers.scores.table.delta).all()
