"""The drop-in estimators' accuracies and published counts, on the real data sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_quality import SLOW, reached

from benchmarks import table_sets


@SLOW
def test_tables_with_gaps_reach_their_accuracies(shared: Path) -> None:
    assert reached(table_sets.tables(shared)) == 6


@SLOW
def test_many_classes_reach_their_accuracies(shared: Path) -> None:
    assert reached(table_sets.many_classes(shared)) == 3


@SLOW
def test_leave_one_out_gives_the_published_counts(tmp_path: Path) -> None:
    assert reached(table_sets.left_out(tmp_path)) == 14


@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_votes_by_the_protocol_of_e1071(shared: Path, alpha: float) -> None:
    wanted = {0.0: [[238, 13], [29, 155]], 3.0: [[237, 12], [30, 156]]}
    assert table_sets.votes_by_e1071(shared, alpha) == wanted[alpha]
