"""Classes renamed or united: regrouping commutes with adding, and gives what learning with the other labels gives."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import CategoryCounter, CountCounter, InputError, Model, NumberCounter, Reading, TextCounter
from tallybayes.labels import Labels
from tallybayes.tally.count import CountTally

from .strategies import tallies, tally_from
from .test_moment_tally import assert_close, data, tally_of
from .twins import tally as twin

HUGE = 2**62


def mappings(classes, to):
    return st.dictionaries(st.sampled_from(classes), st.sampled_from(to))


def drawn_mapping(drawing, tally):
    """A mapping of some of the classes to names among which are theirs."""
    if not len(tally.classes):
        return {}
    classes = list(tally.classes)
    new = ["animal", "ham", "钱"] if isinstance(classes[0], str) else [-5, 0, 10]
    return drawing.draw(mappings(classes, [*classes, *new]))


@given(tallies(), st.data())
def test_the_table_is_that_of_the_twin(one, drawing):
    (tally,) = one
    mapping = drawn_mapping(drawing, tally)
    regrouped = tally.regrouped(mapping)
    rows, table = twin.rows_of(tally), twin.table_of(tally)
    wanted_rows, wanted = {}, {}
    for label in tally.classes:
        name = mapping.get(label, label)
        wanted_rows = twin.merged_rows(wanted_rows, {name: rows[label]}, 1)
        wanted = twin.merged(wanted, {name: table[label]}, 1)
    assert twin.rows_of(regrouped) == wanted_rows
    assert twin.table_of(regrouped) == wanted
    regrouped.check()
    assert regrouped.digest() == twin.digest(
        wanted_rows, wanted, list(tally.channels), tally.space.id, tally.n_columns, tally.unit
    )


@given(tallies(3), st.sampled_from([1, 0.5]), st.data())
def test_regrouping_the_parts_and_adding_is_adding_and_regrouping(parts, factor, drawing):
    parts = [part * factor for part in parts]
    whole = parts[0] + parts[1] + parts[2]
    mapping = drawn_mapping(drawing, whole)
    apart = CountTally.sum([part.regrouped(mapping) for part in parts])
    together = whole.regrouped(mapping)
    assert apart == together
    assert apart.classes == together.classes
    assert apart.class_count.tolist() == together.class_count.tolist()
    if together.exact:
        assert apart.digest() == together.digest()


@given(data, st.dictionaries(st.sampled_from("abc"), st.sampled_from("abcxyz")))
def test_moments_of_parts_regrouped_and_added_are_those_of_the_sum_regrouped(drawn, mapping):
    X, y, weights, cut = drawn
    parts = [tally_of(X[part], y[part], weights[part]) for part in (slice(cut), slice(cut, None))]
    apart = parts[0].regrouped(mapping) + parts[1].regrouped(mapping)
    assert_close(apart, (parts[0] + parts[1]).regrouped(mapping))
    assert_close(apart, tally_of(X, [mapping.get(label, label) for label in y], weights))


@given(tallies(), st.data())
def test_one_regrouping_after_another_is_the_regrouping_by_both(one, drawing):
    (tally,) = one
    first = drawn_mapping(drawing, tally)
    second = drawn_mapping(drawing, tally.regrouped(first))
    both = {label: second.get(first.get(label, label), first.get(label, label)) for label in tally.classes}
    assert tally.regrouped(first).regrouped(second) == tally.regrouped(both)


@given(tallies())
def test_renaming_changes_names_alone_and_can_be_undone(one):
    (tally,) = one
    there = {label: position for position, label in enumerate(reversed(list(tally.classes)))}
    renamed = tally.regrouped(there)
    back = renamed.regrouped({new: old for old, new in there.items()})
    assert back == tally
    assert back.classes == tally.classes
    assert back.digest() == tally.digest()
    for name in tally.channels:
        np.testing.assert_array_equal(renamed.dense(name)[::-1], tally.dense(name))
    assert renamed.class_count.tolist()[::-1] == tally.class_count.tolist()


@given(tallies())
def test_names_of_no_class_and_of_themselves_have_no_effect(one):
    (tally,) = one
    same = tally.regrouped({**{label: label for label in tally.classes}, "nobody": 7, None: 8})
    assert same == tally
    assert same.classes == tally.classes


# ------------------------------------------------------------------ what is learnt

ANIMALS = {"cat": "animal", "dog": "animal", "oak": "plant"}
CLASSES = Labels.of(["cat", "dog", "fir", "none", "oak"])[0]
Y = ["cat", "dog", "oak", "cat", "fir", "dog"]
MERGED = [ANIMALS.get(label, label) for label in Y]
DOCUMENTS = ["a b", "b 猫", "c c a", "", "a a a", "b"]
MATRIX = np.array([[1, 0, 3], [0, 2, 1], [4, 0, 0], [1, 1, 1], [0, 0, 5], [2, 0, 2]])


@pytest.mark.parametrize("weights", [None, [2, 1, 1, 3, 0, 1], [0.5, 0.25, 1, 1, 2, 0.5]], ids=str)
@pytest.mark.parametrize(
    ("counter", "rows", "event_model"),
    [
        (TextCounter(), DOCUMENTS, "multinomial"),
        (TextCounter(value="log", channels="occurrences"), DOCUMENTS, "multinomial"),
        (CountCounter(("occurrences", "documents"), columns=("x", "y", "z")), MATRIX, "complement"),
        (CountCounter(("documents",), 1.5), MATRIX, "bernoulli"),
        (CategoryCounter(), MATRIX, "categorical"),
        (CategoryCounter(), [("x", i % 2, i > 3) for i in range(6)], "categorical"),
        (NumberCounter(columns=("x", "y", "z")), MATRIX, "gaussian"),
    ],
    ids=lambda case: case.kind if hasattr(case, "kind") else "",
)
def test_uniting_classes_is_learning_with_the_united_labels(counter, rows, event_model, weights):
    empty = Model(counter, Reading.of(event_model))
    model = empty.learned(rows, Y, weights=weights, classes=CLASSES)
    regrouped = model.regrouped(ANIMALS)
    wanted = empty.learned(rows, MERGED, weights=weights, classes=Labels.of(["animal", "fir", "none", "plant"])[0])
    assert regrouped.labels == wanted.labels
    assert regrouped.tally.columns == model.tally.columns
    if event_model == "gaussian":
        assert_close(regrouped.tally, wanted.tally)
    else:
        assert regrouped.tally == wanted.tally
        assert regrouped.tally.exact == (weights is None or weights[0] == 2)
        if regrouped.tally.exact:
            assert regrouped.tally.digest() == wanted.tally.digest()
    answers, others = (each.predict_joint_log_proba(rows) for each in (regrouped, wanted))
    np.testing.assert_allclose(answers, others, rtol=1e-12)
    assert model.labels == CLASSES, "the model itself stays as it is"


def test_moments_of_a_class_without_rows_stay_nothing():
    tally = tally_of([[1.0], [3.0]], ["a", "b"])
    empty = tally._with_classes(np.array([], np.intp), Labels.of([])[0])
    assert (tally + empty.regrouped({})).regrouped({"a": "b"}).mean.tolist() == [[2.0]]


def test_classes_may_become_labels_of_another_kind_but_not_of_two():
    tally = tally_from({"ham": 1, "spam": 2}, {"ham": {"a": {"occurrences": 1}}})
    days = tally.regrouped({"ham": dt.date(2025, 1, 1), "spam": dt.date(2024, 2, 29)})
    assert list(days.classes) == [dt.date(2024, 2, 29), dt.date(2025, 1, 1)]
    assert days.class_count.tolist() == [2, 1]
    for mapping in ({"ham": 1}, {"ham": 1, "spam": 2.5}, {"ham": None}):
        with pytest.raises(InputError):
            tally.regrouped(mapping)
    with pytest.raises(InputError, match="mix"):
        tally_of([[1.0], [2.0]], ["a", "b"]).regrouped({"a": 1})


def test_a_united_class_of_more_than_a_tally_can_hold_is_refused():
    tally = tally_from({"ham": 1, "spam": 2}, {c: {"a": {"occurrences": HUGE}} for c in ("ham", "spam")})
    with pytest.raises(InputError, match="more than a tally can hold"):
        tally.regrouped({"ham": "spam"})
