"""Scores with the row's own counts taken out, against a tally that never had the row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from twins import kernel
from twins.leaving_out import likelihoods

from tallybayes.counters import CountCounter, LabelledRows
from tallybayes.labels import Labels

MODELS = ["multinomial", "complement", "bernoulli"]


def kernel_scores(X: Any, codes: list[int], weights: list[int] | None, n_classes: int, model: str, **more: Any) -> Any:
    labels = Labels.of(list(range(n_classes)))[0]
    counter = CountCounter()
    tally = counter.count(counter.check(X), LabelledRows.of(codes, weights, len(X), labels), 1)
    # Every column is a feature, with cells or without.
    indptr = np.zeros(X.shape[1] + 1, np.int64)
    indptr[tally.features.positions + 1] = np.diff(tally.indptr)
    indptr = np.cumsum(indptr)
    if more.get("vanish"):
        assert (np.diff(indptr) > 0).all()
    rows, columns = np.nonzero(X)
    ends = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(X)))))
    out = np.full((len(X), n_classes), np.nan)
    kernel.leave_one_out(
        ends,
        np.ascontiguousarray(columns),
        X[rows, columns],
        np.array(codes, np.int32),
        None if weights is None else np.array(weights, np.float64),
        indptr,
        tally.class_index,
        tally.channels["occurrences"].astype(np.float64),
        tally.class_count.astype(np.float64),
        out,
        event_model=model,
        **more,
    )
    return out


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(2, 6), st.integers(1, 5)), elements=st.sampled_from([0, 0, 1, 2, 3])),
    st.sampled_from(MODELS),
    st.sampled_from([1.0, 0.1, 2.5, 0.0]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
    st.data(),
)
def test_scores_equal_those_of_a_tally_that_never_had_the_row(X, model, alpha, norm, vanish, jobs, data):
    if model == "bernoulli":
        X = (X > 0).astype(np.int64)
    if vanish:
        X = X[:, X.any(axis=0)]
    n_classes = data.draw(st.integers(2, 3))
    codes = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=len(X), max_size=len(X)))
    weights = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X)))
    assume(not (norm and alpha == 0))  # such weights may be infinite: their sum says nothing
    out = kernel_scores(X, codes, weights, n_classes, model, alpha=alpha, norm=norm, vanish=vanish, n_jobs=jobs)
    for i in range(len(X)):
        twin = likelihoods(
            X.tolist(), codes, weights or [1] * len(X), i, n_classes, model, alpha, norm=norm, vanish=vanish
        )
        for scored, wanted in zip(out[i], twin, strict=True):
            if not np.isnan(wanted):
                assert scored == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_a_word_that_only_the_row_has_counts_nowhere():
    X = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1]])
    out = kernel_scores(X, [0, 0, 1], None, 2, "multinomial", alpha=1.0, vanish=True)
    # Without row 0 there are two words: class 0 has the first once, class 1 both once.
    np.testing.assert_allclose(out[0], np.log([2 / 3, 2 / 4]))


def test_a_row_that_was_never_counted_is_refused():
    arrays = np.array([0, 1]), np.array([0]), np.array([2]), np.array([0], np.int32), None
    tally = np.array([0, 1]), np.array([0], np.int32), np.array([1.0]), np.array([1.0])
    with pytest.raises(ValueError, match="row 0 was not counted"):
        kernel.leave_one_out(*arrays, *tally, np.empty((1, 1)), event_model="multinomial", alpha=1.0)
    with pytest.raises(ValueError, match="model must be"):
        kernel.leave_one_out(*arrays, *tally, np.empty((1, 1)), event_model="gaussian", alpha=1.0)
