"""What holds for all five estimators: scikit-learn's contract, frames, labels, single classes, pickles, threads, memory."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallybayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    CountCounter,
    GaussianNB,
    InputError,
    MultinomialNB,
    NotLearnedError,
)

FIVE = [BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB]
NAMES = [each.__name__ for each in FIVE]

FRACTIONS = "hands over random fractions as category codes, which are refused rather than cut off (CAT-2)"


def expected_failures(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, CategoricalNB):
        return {
            "check_sample_weight_equivalence_on_dense_data": FRACTIONS,
            "check_classifiers_one_label_sample_weights": FRACTIONS,
        }
    return {}


@parametrize_with_checks(
    [each() for each in FIVE] + [GaussianNB(missing="skip"), CategoricalNB(missing="skip"), ComplementNB(norm=True)],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning", "ignore:var_smoothing adds")
def test_scikit_learns_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def rows(n: int = 30, d: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, d)), np.arange(n) % 3


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frame_1_columns_in_another_order_are_refused_by_name(model: Any, frame: Any) -> None:
    fitted = model().fit(frame({"a": [3, 0], "b": [0, 3]}), [0, 1])
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert fitted.predict(frame({"a": [3], "b": [0]})).tolist() == [0]
    for wrong, words in (
        ({"b": [3], "a": [0]}, "order|names"),
        ({"a": [3], "b": [0], "c": [1]}, "c"),
        ({"a": [3]}, "b"),
    ):
        with pytest.raises(ValueError, match=words):
            fitted.predict(frame(wrong))
        with pytest.raises(ValueError, match=words):
            fitted.partial_fit(frame(wrong), [0])
    assert fitted.class_count_.tolist() == [1, 1]


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
def test_frame_1_two_columns_of_one_name_are_named(model: Any) -> None:
    for frame in (
        pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
        pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"]),
    ):
        with pytest.raises(InputError, match="two columns named 'a'"):
            model().fit(frame, [0, 1])


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (pd.Series([1, 1, 2, 2], dtype="Int64"), "i"),
        (pd.Series([True, True, False, False], dtype="boolean"), "b"),
        (pd.Series(list("aabb"), dtype="string"), "OUT"),
        (pd.Series(list("aabb"), dtype="category"), "OUT"),
        (pd.Series(list("aabb"), dtype="string[pyarrow]"), "OUT"),
        (pl.Series(list("aabb"), dtype=pl.Categorical), "OUT"),
        (pa.array(list("aabb")), "OUT"),
        (np.array([1, 1, 2, 2], object), "iO"),
        (np.array([True, True, False, False], object), "bO"),
    ],
    ids=str,
)
def test_frame_2_labels_come_back_as_what_they_were(model: Any, labels: Any, kind: str) -> None:
    fitted = model().fit([[0], [1], [5], [6]], labels)
    assert fitted.classes_.dtype.kind in kind
    given = (
        labels.to_pylist()
        if hasattr(labels, "to_pylist")
        else list(labels.to_list() if hasattr(labels, "to_list") else labels.tolist())
    )
    assert set(fitted.predict([[0], [6]]).tolist()) <= set(given)
    assert all(type(label) in (type(each) for each in given) for label in fitted.classes_.tolist())


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
@pytest.mark.parametrize("dtype", ["Int64", "boolean", "string", "string[pyarrow]", "category"])
def test_frame_2_missing_labels_are_counted(model: Any, dtype: str) -> None:
    values: list[Any] = {"Int64": [1, None, 2, None], "boolean": [True, None, False, None]}.get(
        dtype, ["a", None, "b", None]
    )
    with pytest.raises(InputError, match="2 labels missing, first at row 1"):
        model().fit([[0], [1], [5], [6]], pd.Series(values, dtype=dtype))


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["1", 1, "1", 1], "mix text and numbers"),
        (np.array(["1", 1, "1", 1], object), "mix text and numbers"),
        (["a", None, "b", "b"], "1 label missing, first at row 1"),
        (["a", float("nan"), "b", "b"], "1 label missing, first at row 1"),
        ([0.5, 1.5, 0.5, 1.5], "Unknown label type: continuous"),
    ],
)
def test_label_1_labels_that_cannot_be_sorted_out_are_refused(model: Any, labels: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        model().fit([[0], [1], [2], [3]], labels)


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
@pytest.mark.parametrize("fit_prior", [True, False])
def test_label_2_one_class_is_certain(model: Any, fit_prior: bool) -> None:
    parameters = {} if model is GaussianNB else {"fit_prior": fit_prior}
    X = [[0, 1], [1, 0], [2, 2], [1, 1]]
    for fitted in (
        model(**parameters).fit(X, ["only"] * 4),
        model(**parameters).partial_fit(X, ["only"] * 4, classes=["only"]),
    ):
        assert fitted.predict_proba(X).tolist() == [[1]] * 4
        assert fitted.predict_log_proba(X).tolist() == [[0]] * 4
        assert fitted.predict(X).tolist() == ["only"] * 4


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
def test_nothing_is_answered_before_anything_is_learnt(model: Any) -> None:
    new = model()
    for ask in (new.predict, new.predict_proba, new.decide, lambda X: new.forget(X, [0]), lambda X: new.reread()):
        with pytest.raises((NotFittedError, NotLearnedError)):
            ask([[0]])
    assert not hasattr(model(), "classes_")


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
def test_an_estimator_survives_pickling_cloning_and_the_tools_around_it(model: Any) -> None:
    X, y = rows()
    fitted = model().fit(X, y)
    expected = fitted.predict_proba(X)
    assert (pickle.loads(pickle.dumps(fitted)).predict_proba(X) == expected).all()
    assert not hasattr(clone(fitted), "tally_")
    pipe = make_pipeline(FunctionTransformer(), model()).fit(X, y)
    assert (pipe.predict_proba(X) == expected).all()
    grid = {"var_smoothing": [1e-9, 0.1]} if model is GaussianNB else {"alpha": [0.1, 1.0]}
    search = GridSearchCV(model(), grid, cv=2).fit(X, y)
    assert search.best_params_.keys() == grid.keys()
    if model is not CategoricalNB:
        CalibratedClassifierCV(model(), cv=2).fit(X, y).predict(X)
    with ThreadPoolExecutor(8) as pool:
        fresh = model().fit(X, y)
        answers = list(pool.map(lambda _: fresh.predict_proba(X), range(16)))
    assert all((each == expected).all() for each in answers)


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
def test_a_row_scores_alike_alone_and_in_a_batch_whatever_the_chunks(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rows(5000)
    fitted = model().fit(X, y)
    whole = fitted.predict_proba(X)
    assert whole.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert (fitted.predict(X) == fitted.classes_[whole.argmax(axis=1)]).all()
    monkeypatch.setattr("tallybayes.model.answers.CHUNK", 1)  # then 64 rows at a time
    assert (fitted.predict_proba(X) == whole).all()
    for i in (0, 63, 64, 4999):
        assert (fitted.predict_proba(X[[i]])[0] == whole[i]).all()


@pytest.mark.parametrize("model", FIVE, ids=NAMES)
def test_a_bad_value_is_named_by_its_own_row_in_a_later_chunk(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows(3000)
    fitted = model().fit(X, y)
    bad = X.astype(np.float64)
    bad[2500, 1] = np.nan
    monkeypatch.setattr("tallybayes.model.answers.CHUNK", 1)
    with pytest.raises(InputError, match="row 2500, column 1"):
        fitted.predict(bad)


# Many classes


PROBE = """
import resource, sys
import numpy as np
from scipy import sparse
from {package} import {name}
rng = np.random.default_rng(0)
n, d, K, per = {n}, {d}, {K}, {per}
y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
if "{name}" == "CategoricalNB":
    X = rng.integers(0, 6, (n, d))
else:
    X = sparse.csr_matrix((rng.integers(1, 4, n * per).astype(np.float64), rng.integers(0, d, n * per),
                           np.arange(0, n * per + 1, per)), shape=(n, d))
    X.sum_duplicates()
{name}().fit(X[:10 * K], y[:10 * K] % 3).predict(X[:5])  # what the first call loads is not the fit's
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = {name}().fit(X, y)
answers = model.predict(X[:200])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def peak(package: str, name: str, **sizes: int) -> float:
    """Peak of memory, in MB, that fitting and a little predicting add in a process of its own."""
    script = textwrap.dedent(PROBE).format(package=package, name=name, **sizes)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_sparse_2_memory_follows_the_cells_not_classes_by_columns(name: str) -> None:
    # 3,000 classes × 20,000 columns are 480 MB in float64, and more than one such table is needed when dense.
    sizes = {"n": 20_000, "d": 20 if name == "CategoricalNB" else 20_000, "K": 3000, "per": 10}
    ours, other = peak("tallybayes", name, **sizes), peak("sklearn.naive_bayes", name, **sizes)
    assert ours <= other / 10 + 8


def test_many_classes_are_scored_as_few_are() -> None:
    rng = np.random.default_rng(0)
    n, d, n_classes = 3000, 400, 700
    X = sparse.csr_array(rng.poisson(0.05, (n, d)))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    dense = X.toarray()
    for model in (MultinomialNB(), BernoulliNB(), ComplementNB()):
        fitted = model.fit(X, y)
        weights = fitted.feature_log_prob_
        if isinstance(model, MultinomialNB):
            expected = dense @ weights.T + fitted.class_log_prior_
        elif isinstance(model, BernoulliNB):
            absent = np.log1p(-np.exp(weights))
            expected = (dense > 0) @ (weights - absent).T + absent.sum(axis=1) + fitted.class_log_prior_
        else:
            expected = dense @ weights.T
        np.testing.assert_allclose(fitted.predict_joint_log_proba(X), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
def test_rows_of_a_sparse_matrix_are_taken_without_a_copy(container: Any) -> None:
    X = container(np.arange(60).reshape(20, 3) % 5)
    (part,) = CountCounter().check(X).part(1, 3).blocks()
    assert np.shares_memory(part.data, X.data)
    assert np.shares_memory(part.indices, X.indices)
    again = container((part.data, part.indices, part.indptr), (2, 3))
    np.testing.assert_array_equal(again.toarray(), X.toarray()[1:3])
