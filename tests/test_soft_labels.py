"""A row may belong to several classes: soft labels are weighted copies of the row, for every counter."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    Analyzer,
    CategoricalReading,
    CategoryCounter,
    CountCounter,
    GaussianReading,
    InputError,
    LabelledRows,
    Labels,
    Model,
    NumberCounter,
    TextCounter,
    TfidfCounter,
)
from tallybayes.counters import counts as counts_module
from tallybayes.tally import CountTally

from .test_moment_tally import assert_close

CLASSES = Labels.of(["a", "b", "c"])[0]
DOCUMENTS = ["a b a", "买 彩票 b", "", "c", "b b", "a 彩票"]
MATRIX = np.array([[1, 0, 3], [0, 2, 1], [0, 0, 0], [4, 1, 0], [0, 0, 5], [2, 2, 2]])
VALUES = [("red", 1), ("green", 2), (None, 2), ("blue", None), ("red", 2), ("blue", 1)]
GAPS = np.where(MATRIX == 0, np.nan, MATRIX + 0.25)
CSR = scipy.sparse.csr_array(MATRIX)
COUNTERS = {
    "text": (TextCounter(), DOCUMENTS),
    "text, logarithms": (TextCounter(value="log"), DOCUMENTS),
    "text, hashed": (TextCounter(Analyzer(hash=64), channels=("documents",)), DOCUMENTS),
    "tfidf": (TfidfCounter(), DOCUMENTS),
    "counts": (CountCounter(("occurrences", "documents"), columns=("x", "y", "z")), MATRIX),
    "counts, fractions": (CountCounter(), MATRIX * 0.5),
    "counts, sparse": (CountCounter(("occurrences", "documents")), CSR),
    "presence": (CountCounter(("documents",), 1.5), MATRIX),
    "codes": (CategoryCounter(), MATRIX),
    "codes, wide": (CategoryCounter(), MATRIX * 10_000_000),
    "values": (CategoryCounter(missing="skip"), VALUES),
    "numbers": (NumberCounter(), MATRIX * 0.5 - 1),
    "numbers, sparse": (NumberCounter(), CSR * 0.5),
    "numbers, gaps": (NumberCounter(missing="skip"), GAPS),
}
every_counter = pytest.mark.parametrize("name", COUNTERS)


def counting(name):
    """The settled counter, the checked rows and how many there are."""
    counter, X = COUNTERS[name]
    rows = counter.check(X)
    counter = counter.settled(rows, LabelledRows.of(["a"] * len(rows), None, len(rows)), 1)
    return counter, counter.check(X), len(rows)


def assert_same(a, b):
    """Equal; sums of fractions in any order."""
    assert type(a) is type(b)
    assert a.classes == b.classes
    assert a.columns == b.columns
    if not isinstance(a, CountTally):
        assert_close(a, b)
        return
    assert a.features == b.features
    np.testing.assert_allclose(a.class_count, b.class_count, rtol=1e-12)
    for channel in a.channels:
        np.testing.assert_allclose(a.dense(channel), b.dense(channel), rtol=1e-12)


shares = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0]), min_size=3, max_size=3), min_size=6, max_size=6
).filter(lambda table: any(map(any, table)))


@every_counter
@given(shares, st.sampled_from([1, 2]))
def test_soft_labels_are_weighted_copies_of_the_row(name, table, n_jobs):
    counter, rows, _ = counting(name)
    soft = counter.count(rows, LabelledRows.soft(CLASSES, table), n_jobs)
    copies = [(i, CLASSES[c], weight) for i, row in enumerate(table) for c, weight in enumerate(row) if weight]
    taken = rows.take(np.array([i for i, *_ in copies]))
    labelled = LabelledRows.of([c for _, c, _ in copies], [w for *_, w in copies], len(copies), CLASSES)
    assert_same(soft, counter.count(taken, labelled, 1))


@every_counter
@given(shares)
def test_each_class_is_learnt_as_if_it_were_alone_and_sums_of_columns_add_up(name, table):
    counter, rows, n = counting(name)
    soft = counter.count(rows, LabelledRows.soft(CLASSES, table), 1)
    for c, label in enumerate(CLASSES):
        weights = [row[c] for row in table]
        if any(weights):
            alone = counter.count(rows, LabelledRows.of([label] * n, weights, n, CLASSES), 1)
            assert soft.class_count[c] == pytest.approx(sum(weights))
            if isinstance(soft, CountTally):
                for channel in soft.channels:
                    assert soft.totals(channel)[c] == pytest.approx(alone.totals(channel)[c], rel=1e-12)
            else:
                np.testing.assert_allclose(soft.mean[c], alone.mean[c], rtol=1e-12, atol=1e-12)
                np.testing.assert_allclose(soft.weight[c], alone.weight[c], rtol=1e-12)
    together = dict.fromkeys(CLASSES, "all")
    whole = counter.count(rows, LabelledRows.of(["all"] * n, [sum(row) for row in table], n), 1)
    assert_same(soft.regrouped(together), whole)


@every_counter
def test_one_hot_soft_labels_are_hard_labels(name):
    counter, rows, n = counting(name)
    labels = ["a", "b", "a", "c", "c", "b"]
    table = [[float(label == c) for c in "abc"] for label in labels]
    soft = counter.count(rows, LabelledRows.soft(CLASSES, table), 1)
    hard = counter.count(rows, LabelledRows.of(labels, None, n, CLASSES), 1)
    assert soft == hard
    assert soft.class_count.dtype == hard.class_count.dtype
    if isinstance(hard, CountTally) and hard.exact:
        assert soft.digest() == hard.digest()


@every_counter
def test_a_row_split_in_two_is_two_weighted_rows(name):
    counter, rows, n = counting(name)
    table = np.zeros((n, 3))
    table[:, 0], table[:, 2] = 0.25, 0.75
    soft = counter.count(rows, LabelledRows.soft(CLASSES, table), 1)
    quarter, rest = (
        counter.count(rows, LabelledRows.of([label] * n, [weight] * n, n, CLASSES), 1)
        for label, weight in (("a", 0.25), ("c", 0.75))
    )
    assert_same(soft, quarter + rest)
    united, ab = soft.regrouped({"c": "a"}), Labels.of(["a", "b"])[0]
    assert_same(united, counter.count(rows, LabelledRows.of(["a"] * n, None, n, ab), 1))
    assert soft.class_count.tolist() == [0.25 * n, 0, 0.75 * n]


def test_dense_rows_in_many_blocks_are_those_in_one(monkeypatch):
    counter, rows, n = counting("counts")
    table = np.array([[0.5, 0.5, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1], [0, 0.25, 0]])
    soft = LabelledRows.soft(CLASSES, table)
    hard = LabelledRows.of(list("abcabc"), [0, 0, 1.5, 0, 1, 0], n)
    whole = [counter.count(rows, labelled, 1) for labelled in (soft, hard)]
    monkeypatch.setattr(counts_module, "BLOCK", 3)  # a row each: some have no weight at all
    assert [counter.count(rows, labelled, 1) for labelled in (soft, hard)] == whole


@pytest.mark.parametrize(
    ("counter", "X", "words"),
    [
        (CountCounter(), [[1, 1], [2, 2], [3, -1]], "row 2, column 1"),
        (CountCounter(), scipy.sparse.csr_array([[1.0, 1], [2, 2], [3, -1]]), "row 2, column 1"),
        (CategoryCounter(), [[1, 1], [2, 2], [3, -1]], "row 2, column 1"),
        (NumberCounter(), [[1, 1], [2, 2], [3, np.nan]], "row 2, column 1"),
        (NumberCounter(), scipy.sparse.csr_array([[1.0, 1], [2, 2], [3, np.inf]]), "row 2, column 1"),
    ],
)
def test_a_value_that_cannot_be_is_named_by_its_own_row(counter, X, words):
    labelled = LabelledRows.soft(Labels.of(["a", "b"])[0], [[0.5, 0.5]] * 3)
    with pytest.raises(InputError, match=words):
        Model(counter, {"numbers": GaussianReading(), "counts": None}.get(counter.kind, CategoricalReading())).learned(
            X, labelled
        )


@pytest.mark.parametrize("table", [[1.0, 0, 0], [[1.0, 0]], [[[1.0, 0, 0]]]])
def test_a_table_of_another_shape_is_refused(table):
    with pytest.raises(InputError, match="rows by 3 classes"):
        LabelledRows.soft(CLASSES, table)


@every_counter
def test_rows_of_no_class_change_nothing(name):
    counter, rows, n = counting(name)
    nothing = counter.count(rows, LabelledRows.soft(CLASSES, np.zeros((n, 3))), 1)
    assert nothing.classes == CLASSES
    assert (nothing.class_count.sum(), nothing.largest) == (0, 0)
    some = counter.count(rows, LabelledRows.of(["a", "b"] * (n // 2), None, n), 1)
    assert some + nothing == some == some - nothing
