"""Matrices of every kind give the tally of their dense form."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from test_score_csr import kernel_table
from twins.scoring import Table, score

from tallybayes.counters import CountCounter, LabelledRows
from tallybayes.counters import counts as engine
from tallybayes.errors import InputError, InputTypeError, SpaceError
from tallybayes.labels import Labels

counts = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(0, 4))
FORMS = [np.asarray, np.asfortranarray, sp.csr_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array, sp.lil_matrix, list]
DTYPES = [np.int64, np.int8, np.uint16, np.float16, np.float32, np.float64, np.longdouble, object, ">i4", ">f8"]


def count_matrix(X, labels, *, channels=("occurrences",), weights=None, classes=None):
    counter = CountCounter(channels)
    rows = counter.check(X)
    labelled = LabelledRows.of(labels, weights, len(rows), classes)
    return counter.settled(rows, labelled, 1).count(rows, labelled, 1)


class Given:
    """A score table as a look-up asks for it."""

    zeros, unknown = None, False

    def __init__(self, table, value):
        self._table, self.value = table, value

    def laid_out(self, *, dense=True):
        return kernel_table(self._table, dense)


def score_matrix(X, table, *, value="count", n_jobs=1):
    rows = CountCounter(n_columns=len(table.deltas)).check(X)
    out = np.full((len(rows), len(table.base)), np.nan)
    assert rows.lookup(Given(table, value)).score(rows, out, n_jobs) is None
    return out


def class_sums(X, codes, n_classes, weights=None):
    sums = np.zeros((n_classes, X.shape[1]))
    np.add.at(sums, codes, X if weights is None else X * np.asarray(weights)[:, None])
    return sums


@given(counts, st.sampled_from(FORMS), st.sampled_from(DTYPES), st.data())
def test_every_form_and_type_counts_like_the_dense_matrix(X, form, dtype, data):
    typed = X.astype(dtype)
    if form not in (np.asarray, np.asfortranarray, list) and (
        dtype is object or typed.dtype in (np.float16, ">i4", ">f8")
    ):
        typed = X.astype(np.float64)  # scipy has no such sparse matrices
    codes = data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X)))
    tally = count_matrix(form(typed), codes, channels=("occurrences", "documents"), classes=Labels.of([0, 1, 2])[0])
    assert tally.exact
    np.testing.assert_array_equal(tally.dense("occurrences"), class_sums(X, codes, 3))
    np.testing.assert_array_equal(tally.dense("documents"), class_sums(X > 0, codes, 3))
    assert tally.class_count.tolist() == np.bincount(codes, minlength=3).tolist()
    tally.check()


@given(counts, st.data())
def test_dense_blocks_add_up_to_one_count(X, data):
    codes = data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X)))
    weights = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X)))
    whole = count_matrix(X, codes, weights=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "BLOCK", 5)
        assert count_matrix(X, codes, weights=weights) == whole


@given(counts, st.data())
def test_fractional_weights_and_values_make_the_tally_inexact(X, data):
    codes = [0] * len(X)
    weights = data.draw(st.lists(st.integers(1, 9).map(lambda w: w / 4 + 0.125), min_size=len(X), max_size=len(X)))
    tally = count_matrix(X, codes, weights=weights)
    assert not tally.exact
    np.testing.assert_array_equal(tally.dense("occurrences"), class_sums(X, codes, 1, weights))
    halves = count_matrix(sp.csr_array(X + 0.5), codes)
    assert not halves.exact
    np.testing.assert_array_equal(halves.dense("occurrences"), class_sums(X + 0.5, codes, 1))


def test_the_input_is_not_changed_and_may_be_read_only():
    X = sp.csr_matrix(([1.0, 2.0, 4.0], [2, 0, 2], [0, 3]), shape=(1, 3))  # unsorted, with a duplicate
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    before = X.data.tolist(), X.indices.tolist()
    tally = count_matrix(X, ["a"], channels=("occurrences", "documents"))
    assert tally.dense("occurrences").tolist() == [[2, 0, 5]]
    assert tally.dense("documents").tolist() == [[1, 0, 1]]
    assert (X.data.tolist(), X.indices.tolist()) == before


@given(counts, st.sampled_from([np.asarray, sp.csr_array, sp.csc_array]), st.sampled_from(["count", "binary", "log"]))
def test_every_form_scores_like_the_twin(X, form, value):
    rng = np.random.default_rng(0)
    columns = X.shape[1]
    deltas = [dict(enumerate(rng.normal(size=3).tolist())) for _ in range(columns)]
    table = Table([0.1, 0.2, 0.3], [1.0, 2.0, 1.0], [-1.0, -2.0, -3.0], deltas)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "BLOCK", 9)
        out = score_matrix(form(X), table, value=value, n_jobs=2)
    for scored, row in zip(out, X, strict=True):
        entries = [(j, int(x)) for j, x in enumerate(row) if x]
        np.testing.assert_allclose(scored, score(table, entries, value), rtol=1e-13)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("bad", "message"), [(np.nan, "NaN: row 4, column 1"), (-np.inf, "infinity"), (-2, "row 4, column 1 is -2")]
)
def test_a_value_that_cannot_be_used_is_named(form, bad, message, monkeypatch):
    monkeypatch.setattr(engine, "BLOCK", 4)
    X = np.ones((6, 2))
    X[4, 1] = bad
    with pytest.raises(InputError, match=message):
        count_matrix(form(X), [0] * 6)
    with pytest.raises(InputError, match=message):
        score_matrix(form(X), Table([0.0], [1.0], [0.0], [{0: 1.0}, {}]))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1, 2], InputError, "2D"),
        ([["a", "b"]], InputTypeError, "TextClassifier"),
        ([[1j]], InputTypeError, "complex"),
        (np.array([[{}]], object), InputTypeError, "numbers"),
        (sp.csr_array([[1j]]), InputTypeError, "complex"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        count_matrix(X, [0])


def test_another_number_of_columns_is_refused():
    for X in ([[1, 2, 3]], sp.csr_array([[1, 2, 3]])):
        with pytest.raises(SpaceError, match="3 features, but the model is expecting 1"):
            score_matrix(X, Table([0.0], [1.0], [0.0], [{0: 1.0}]))


def test_no_rows_give_the_empty_tally():
    tally = count_matrix(np.zeros((0, 3)), [], classes=Labels.of(["a"])[0])
    assert tally.dense("occurrences").tolist() == [[0, 0, 0]]


def test_counting_a_sparse_matrix_imports_no_scipy():
    code = (
        "import sys, types, numpy as np\n"
        "from tallybayes import CountCounter, Model, MultinomialReading\n"
        "X = types.SimpleNamespace(indptr=np.array([0, 1]), indices=np.array([1]), data=np.array([2.0]), shape=(1, 2))\n"
        "model = Model(CountCounter(), MultinomialReading()).learned(X, ['a'])\n"
        "assert model.tally.dense('occurrences').tolist() == [[0, 2]]\n"
        "assert model.predict(X).tolist() == ['a']\n"
        "assert 'scipy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
