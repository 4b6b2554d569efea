"""Labels, values, priors and documents are what they are, whatever type or container they come in."""

from __future__ import annotations

import datetime as dt
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from tallybayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    InputError,
    InputTypeError,
    Labels,
    Model,
    MultinomialNB,
    ParameterError,
    TextClassifier,
    load,
)

from .test_contract import Kind, every_column, every_estimator, learn, take

COUNTS = [[3, 0], [1, 1], [0, 2], [1, 3]]
MONTHS = ["2024-01-01", "2024-02-01"]
FORMS = [".tally", ".json"]

# Numbers of one value


FOURS = [4, 4.0, np.float32(4), np.int8(4), np.uint64(4), np.array(4)[()]]


@pytest.mark.parametrize("four", FOURS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_one_value_are_one_category(four: Any, form: str, tmp_path: Path) -> None:
    model = CategoricalNB(missing="skip", domain="values").fit([["a", 4], ["b", 2]], ["x", "y"])
    model.partial_fit([["a", four]], ["x"])
    model.save(tmp_path / f"m{form}")
    again = CategoricalNB.load(tmp_path / f"m{form}")
    assert again.categories_[1].tolist() == [2, 4]
    assert again.category_count_[1].tolist() == [[0, 2], [1, 0]]
    np.testing.assert_array_equal(again.predict_proba([["a", four]]), model.predict_proba([["a", 4]]))
    assert again.explain(["a", four]).contributions[0].known


FRAMES = {
    "pandas with a gap": lambda rows: pd.DataFrame(rows, columns=["t", "n"]),
    "pandas Int64": lambda rows: pd.DataFrame(rows, columns=["t", "n"]).astype({"n": "Int64"}),
    "polars": lambda rows: pl.DataFrame(rows, schema={"t": pl.String, "n": pl.Int64}, orient="row"),
    "arrow": lambda rows: pa.table({"t": [row[0] for row in rows], "n": [row[1] for row in rows]}),
    "objects": lambda rows: np.array(rows, object),
    "lists": list,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_gap_in_another_row_changes_no_category(make: Any) -> None:
    whole, gappy = [("a", 4), ("b", 2), ("a", 4)], [("a", 4), ("b", None), ("a", 4)]
    model = CategoricalNB(missing="skip").fit(make(whole), ["x", "y", "x"])
    model.partial_fit(make(gappy), ["x", "y", "x"])
    assert model.categories_[1].tolist() == [2, 4]
    assert all(type(value) is int for value in model.categories_[1])
    assert model.category_count_[1].tolist() == [[0, 4], [1, 0]]


WIDE = {
    "int64 and float64": lambda ids, k: pd.DataFrame({"id": ids, "k": np.array(k, float)}),
    "int64 and uint64": lambda ids, k: pd.DataFrame({"id": np.array(ids, np.uint64), "k": np.array(k)}),
    "Int64": lambda ids, k: pd.DataFrame({"id": pd.array(ids, dtype="Int64"), "k": pd.array(k, dtype="Int64")}),
    "polars": lambda ids, k: pl.DataFrame({"id": ids, "k": [float(each) for each in k]}),
    "objects": lambda ids, k: np.array(list(zip(ids, k, strict=True)), object),
}


@pytest.mark.parametrize("make", WIDE.values(), ids=WIDE)
def test_whole_numbers_above_2_53_stay_distinct(make: Any) -> None:
    ids, k, y = [2**53 + i for i in range(4)], [0, 1, 0, 1], ["a", "b", "a", "b"]
    model = CategoricalNB(missing="skip").fit(make(ids, k), y)
    right = CategoricalNB().fit(np.array(list(zip(ids, k, strict=True))), y)
    assert model.tally_.digest() == right.tally_.digest()
    assert len(model.tally_.features) == 6


@pytest.mark.parametrize("rows", [np.array([[2.0**53]]), [[2.0**53, "a"]]], ids=["codes", "values"])
def test_floats_that_may_have_lost_digits_are_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="2\\^53.*Int64"):
        CategoricalNB().fit(rows, ["a"])


@pytest.mark.parametrize("code", [2**63 - 1, 2**64 - 1])
def test_the_largest_codes_are_refused_and_nothing_is_learnt(code: int) -> None:
    model = CategoricalNB().fit([[0], [1]], [0, 1])
    before = model.tally_.digest()
    for dtype in (np.uint64, object):
        with pytest.raises(InputError, match=f"too large: {code} at row 1, column 0"):
            model.partial_fit(np.array([[1], [code]], dtype), [0, 1])
    assert model.tally_.digest() == before
    assert model.predict([[0]]).tolist() == [0]


def test_numbers_of_a_hundred_digits_come_back(tmp_path: Path) -> None:
    numbers = [7, -(10**98), -(10**100), 10**98, 10**99, 10**100]
    model = CategoricalNB().fit([["a", number] for number in numbers], numbers)
    model.save(tmp_path / "m.tally")
    assert CategoricalNB.load(tmp_path / "m.tally").categories_[1].tolist() == sorted(numbers)


# Dates


@pytest.mark.parametrize("unit", ["M", "D", "h", "m", "s", "ms", "us", "ns"])
@pytest.mark.parametrize("form", FORMS)
def test_dates_as_labels_of_every_unit_round_trip_and_are_shown_as_dates(unit: str, form: str, tmp_path: Path) -> None:
    y = np.array(MONTHS, f"M8[{unit}]")
    for make, rows in ((MultinomialNB, COUNTS[::2]), (GaussianNB, COUNTS[::2]), (TextClassifier, ["a b", "c d"])):
        model = make().fit(list(rows) * 2, np.concatenate([y, y]))
        model.save(tmp_path / f"m{form}")
        again = load(tmp_path / f"m{form}")
        np.testing.assert_array_equal(again.classes, y, strict=True)
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows), strict=True)
        assert MONTHS[0] in str(again.derive(rows[0]))
        assert MONTHS[0] in str(again.explain(rows[0]))
        assert [each["class"] for each in again.inspect()["classes"]] == MONTHS


DATES = [
    dt.date.fromisoformat,
    dt.datetime.fromisoformat,
    pd.Timestamp,
    np.datetime64,
    lambda day: np.datetime64(day, "ns"),
]


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("unit", ["D", "ns"])
def test_the_prior_of_a_date_is_met_by_any_type_of_date(date: Any, unit: str) -> None:
    prior = {date(MONTHS[1]): 0.75, date(MONTHS[0]): 0.25}
    model = MultinomialNB(class_prior=prior).fit(COUNTS[::2], np.array(MONTHS, f"M8[{unit}]"))
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.25, 0.75])


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "column",
    [
        np.array([[day] for day in MONTHS], "M8[ns]"),
        np.array([[day] for day in MONTHS], "M8[D]"),
        pd.DataFrame({"day": pd.to_datetime(MONTHS)}),
        pl.DataFrame({"day": [dt.date.fromisoformat(day) for day in MONTHS]}),
        [[np.datetime64(day, "ns")] for day in MONTHS],
        [[pd.Timestamp(day)] for day in MONTHS],
    ],
    ids=["ns", "D", "pandas", "polars", "scalars", "timestamps"],
)
def test_dates_as_categories_round_trip_and_are_shown_as_dates(column: Any, form: str, tmp_path: Path) -> None:
    model = CategoricalNB(alpha=0).fit(column, [0, 1])
    model.save(tmp_path / f"m{form}")
    again = CategoricalNB.load(tmp_path / f"m{form}")
    assert again.categories_[0].tolist() == [dt.date.fromisoformat(day) for day in MONTHS]
    assert again.predict(column).tolist() == [0, 1]
    assert again.predict([[dt.datetime(2024, 2, 1)]]).tolist() == [1]
    assert MONTHS[0] in str(again.derive([dt.date(2024, 1, 1)]))


def test_a_date_that_is_none_is_a_gap() -> None:
    days = np.array([["2024-01-01"], ["NaT"]], "M8[ns]")
    with pytest.raises(InputError, match="column 0 at row 1"):
        CategoricalNB().fit(days, [0, 1])
    model = CategoricalNB(missing="skip").fit(days, [0, 1])
    assert model.categories_[0].tolist() == [dt.date(2024, 1, 1)]


# Containers


COLUMNS = {
    "array": lambda y: np.array(y)[:, None],
    "lists": lambda y: [[each] for each in y],
    "tuples": lambda y: [(each,) for each in y],
    "pandas": lambda y: pd.DataFrame({"y": y}),
    "polars": lambda y: pl.DataFrame({"y": y}),
    "arrow": lambda y: pa.table({"y": y}),
}


@every_estimator
@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
def test_labels_in_one_column_are_labels(kind: Kind, make: Any) -> None:
    rows, labels = take(kind.rows, range(8)), [*"aabbaabb"]
    column = make(labels)
    right = kind.make().fit(rows, labels)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = kind.make().fit(rows, column)
    np.testing.assert_array_equal(model.predict_proba(rows), right.predict_proba(rows))
    with pytest.warns(DataConversionWarning):
        model.partial_fit(rows, column)
    with pytest.warns(DataConversionWarning):
        model.forget(rows, column)
    np.testing.assert_allclose(model.class_count_, right.class_count_)
    assert Model(model.model_.counter, model.model_.reading).learned(rows, column).classes.tolist() == ["a", "b"]


@every_estimator
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ({"a", "b"}, "set has no order"),
        (np.ma.masked_array(["a", "b"], mask=[0, 1]), "1 label missing, first at row 1"),
        (pl.LazyFrame({"y": ["a", "b"]}), "collect"),
        (pl.DataFrame({"y": ["a", "b"], "z": ["a", "b"]}), "1d array"),
    ],
    ids=["set", "masked", "lazy", "two columns"],
)
def test_labels_that_are_no_column_are_refused(kind: Kind, labels: Any, says: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=says):
        kind.make().fit(take(kind.rows, range(2)), labels)


@every_column
@pytest.mark.parametrize("make", [dict, set, frozenset])
def test_rows_without_an_order_are_refused(kind: Kind, make: Any) -> None:
    row = kind.rows[0]
    unordered = dict(zip("abcd", row, strict=False)) if make is dict else make([1, 2, 3])
    with pytest.raises(InputTypeError, match=f"row 1 is a {make.__name__}, which has no order of columns: pass"):
        learn(kind.make(), [row, unordered], ["ham", "spam"])


@pytest.mark.parametrize("make", [MultinomialNB, ComplementNB, BernoulliNB, CategoricalNB, GaussianNB])
def test_what_is_masked_is_no_number(make: Any) -> None:
    X = np.array(COUNTS)
    with pytest.raises(InputError, match="masked at row 0, column 0"):
        make().fit(np.ma.masked_array(X, mask=X == 3), [0, 0, 1, 1])
    with pytest.raises(InputError, match="sample_weight is masked at row 1"):
        make().fit(X, [0, 0, 1, 1], sample_weight=np.ma.masked_array([1, 9, 1, 1], mask=[0, 1, 0, 0]))


DOCUMENTS = ["cheap pills", "see you"]


@pytest.mark.parametrize(
    "documents",
    [
        pd.DataFrame({"text": DOCUMENTS}),
        pl.DataFrame({"text": DOCUMENTS}),
        pa.table({"text": DOCUMENTS}),
        np.array(DOCUMENTS)[:, None],
        np.ma.masked_array(DOCUMENTS, mask=[False, False]),
    ],
    ids=["pandas", "polars", "arrow", "array", "masked"],
)
def test_documents_in_one_column_are_documents(documents: Any) -> None:
    model = TextClassifier().fit(documents, ["spam", "ham"])
    assert model.tally_.digest() == TextClassifier().fit(DOCUMENTS, ["spam", "ham"]).tally_.digest()
    assert model.predict(documents).tolist() == ["spam", "ham"]


@every_estimator
def test_a_prior_with_an_index_is_matched_by_its_labels(kind: Kind) -> None:
    name = "priors" if kind.name == "GaussianNB" else "prior"
    rows, labels = take(kind.rows, range(4)), ["spam", "spam", "ham", "ham"]
    shares = {}
    for prior in (pd.Series({"spam": 0.2, "ham": 0.8}), {"spam": 0.2, "ham": 0.8}, pd.Series([0.8, 0.2]), (0.8, 0.2)):
        model = kind.make().set_params(**{name: prior}).fit(rows, labels).model_
        shares[repr(prior)] = np.exp(model.reading.log_prior(model.tally)).round(12).tolist()
    assert set(map(tuple, shares.values())) == {(0.8, 0.2)}
    with pytest.raises(ParameterError, match="'eggs' is no class"):
        kind.make().set_params(**{name: pd.Series({"spam": 0.2, "eggs": 0.8})}).fit(rows, labels)


# Parameters, attributes, pages


@every_estimator
@pytest.mark.parametrize("form", FORMS)
def test_parameters_that_are_numpy_numbers_are_saved(kind: Kind, form: str, tmp_path: Path) -> None:
    model = kind.make().set_params(prior_alpha=np.array(0.5))
    model.set_params(**({"alpha": np.array(0.5)} if "alpha" in model.get_params() else {"ddof": np.int64(1)}))
    model.fit(take(kind.rows, range(4)), ["spam", "spam", "ham", "ham"]).save(tmp_path / f"m{form}")
    again = type(model).load(tmp_path / f"m{form}").get_params()
    assert again["prior_alpha"] == 0.5
    assert again.get("alpha", 0.5) == 0.5


@every_estimator
def test_float_labels_are_the_whole_numbers_that_were_learnt(kind: Kind) -> None:
    rows = take(kind.rows, range(4))
    model = kind.make().partial_fit(rows, [0, 0, 1, 1], classes=[0, 1])
    model.partial_fit(rows, [0.0, 0.0, 1.0, 1.0], classes=[0.0, 1.0]).forget(rows, [0.0, 0.0, 1.0, 1.0])
    assert model.class_count_.tolist() == [2, 2]
    with pytest.raises(InputError, match="2"):
        model.partial_fit(rows, [0.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize("make", [MultinomialNB, CategoricalNB])
def test_a_page_in_a_notebook_lays_out_no_table(make: Any) -> None:
    wide = np.eye(100, 10_000, dtype=int) if make is MultinomialNB else np.array([[0], [2_000_000]])
    model = make().fit(wide, np.arange(len(wide)))
    model._repr_html_()
    tracemalloc.start()
    page = model._repr_html_()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "classes_" in page
    assert peak < 4e6  # a table of 100 classes and 10,000 columns takes 8 MB


def test_a_text_classifier_names_its_features_as_vectorizers_do() -> None:
    model = TextClassifier(ngrams=(1, 1), min_df=2).fit(["buy now", "see you now", "see it"], ["a", "b", "b"])
    assert model.get_feature_names_out().tolist() == ["now", "see"]
    assert model.vocabulary_ == {"now": 0, "see": 1}
    assert model.n_features_in_ == 2
    assert not hasattr(TextClassifier(hash=64).fit(["a"], ["b"]), "vocabulary_")
    assert not hasattr(TextClassifier(), "vocabulary_")


# One long label, and labels that look alike


def test_one_long_label_does_not_widen_the_others(tmp_path: Path) -> None:
    labels = [*(f"label {i}" for i in range(2000)), "x" * 100_000]
    Model().learned(["word"] * len(labels), labels).save(tmp_path / "m.tally")
    tracemalloc.start()
    model = load(tmp_path / "m.tally")
    answers = model.predict(["word"] * 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.classes.tolist() == sorted(labels)
    assert answers.dtype == object
    assert peak < 2e7  # an array of fixed width takes 800 MB


def test_classes_that_look_alike_are_remarked_on() -> None:
    y = ["ham", " ham", "Spam", "spam", "\ufefftea", "tea", "A", "a"]
    with pytest.warns(UserWarning, match="' ham', 'ham'; 'Spam', 'spam'; 'tea', '\\\\ufefftea'$"):
        TextClassifier().fit(["word"] * len(y), y)
    assert Labels.of(["ham", "spam", "A", "a"])[0].remark() == ""
