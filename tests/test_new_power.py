"""A new power is one function that works for every model: here validation by leaving one row out."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.datasets import load_iris, load_wine

from tallybayes import GaussianReading, Model, NumberCounter

from .test_contract import EVERYONE, KINDS, LABELS, Kind, counted_like, learnt, take


def right_when_left_out(model: Model, rows: Any, labels: Any) -> int:
    """Count the rows that a model would have answered rightly, had it not learnt them."""
    right = 0
    for i, label in enumerate(labels):
        row = slice(i, i + 1)
        right += int(model.without(rows[row], labels[row]).predict(rows[row])[0] == label)
    return right


@pytest.mark.parametrize(("data", "right", "n"), [(load_iris, 143, 150), (load_wine, 174, 178)])
@pytest.mark.filterwarnings("ignore:var_smoothing")
def test_the_published_counts_of_iris_and_wine(data: Any, right: int, n: int) -> None:
    X, y = data(return_X_y=True)
    model = Model(NumberCounter(), GaussianReading()).learned(X, y)
    assert len(y) == n
    assert right_when_left_out(model, X, y) == right


@pytest.mark.parametrize("kind", [kind for kind in KINDS if isinstance(kind.make(), Model)], ids=str)
def test_it_counts_as_learning_again_without_each_row_does(kind: Kind) -> None:
    again = 0
    for i in EVERYONE:
        rest = learnt(kind).without(take(kind.rows, [i]), [LABELS[i]])
        again_learnt = counted_like(rest, learnt(kind, EVERYONE[i != EVERYONE]))
        answer = again_learnt.predict(take(kind.rows, [i]))[0]
        again += int(answer == LABELS[i])
    assert right_when_left_out(learnt(kind), kind.rows, LABELS) == again
