"""The count tally is an algebra: laws, refusals, and a dict of dicts as its slow twin."""

from __future__ import annotations

import pickle
import random
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import ForgetError, InputError, ParameterError, SpaceError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.tally.count import CountTally
from tallybayes.tally.features import ColumnFeatures, TextFeatures

from .strategies import TEXT, tallies, tally_from
from .twins import tally as twin

HUGE = 2**62


def snapshot(tally):
    return pickle.dumps(tally)


def empty_like(tally):
    n_columns = tally.features.n_columns if isinstance(tally.features, ColumnFeatures) else None
    return CountTally.empty(tally.space, list(tally.channels), n_columns=n_columns)


def small(**changes):
    parts = {
        "rows": {"ham": 1, "spam": 2},
        "table": {"ham": {"a": {"occurrences": 1}}, "spam": {"b": {"occurrences": 5}}},
    }
    return tally_from(**(parts | changes))


# Laws


@given(tallies(2))
def test_taking_out_what_was_added_leaves_the_same_tally(pair):
    a, b = pair
    assert (a + b) - b == a
    assert ((a + b) - b).digest() == a.digest()
    ((a + b) - b).check()


@given(tallies(3))
def test_addition_commutes_and_associates(three):
    a, b, c = three
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert (a + b).digest() == (b + a).digest()


@given(tallies())
def test_the_empty_tally_changes_nothing(one):
    (a,) = one
    empty = empty_like(a)
    assert a + empty == a == empty + a == a - empty
    assert a - a == empty
    assert (a - a).digest() == empty.digest()


@given(tallies(5), st.randoms(use_true_random=False))
def test_any_order_and_any_sharding_gives_one_digest(parts, chance):
    shuffled = chance.sample(parts, len(parts))
    cut = chance.randrange(1, len(parts))
    whole = sum(parts).digest()
    assert CountTally.sum(shuffled).digest() == whole
    assert (CountTally.sum(shuffled[:cut]) + sum(shuffled[cut:])).digest() == whole
    assert CountTally.sum(parts) == reduce(lambda a, b: a + b, parts)


@given(tallies(), st.integers(0, 4))
def test_scaling_by_a_whole_number_is_repeated_addition(one, times):
    (a,) = one
    assert a * times == times * a == a * float(times) == CountTally.sum([empty_like(a)] + [a] * times)
    assert (a * times).exact
    (a * times).check()


@given(tallies())
def test_decay_by_powers_of_two_can_be_undone(one):
    (a,) = one
    half = a * 0.5
    assert not half.exact
    assert (half + half).channels.keys() == a.channels.keys()
    for name, values in (half + half).channels.items():
        assert values.tolist() == a.channels[name].tolist()


def test_cells_that_vanish_in_scaling_are_not_kept():
    counts = {"a": 1e-300, "b": 2.0, "钱": 3.0}
    table = {
        "ham": {feature: {"occurrences": count} for feature, count in counts.items()},
        "spam": {"b": {"occurrences": 1e-300}},
    }
    scaled = tally_from({"ham": 1.0, "spam": 1.0}, table, exact=False) * 1e-100
    scaled.check()
    assert twin.table_of(scaled) == {"ham": {"b": {"occurrences": 2e-100}, "钱": {"occurrences": 3e-100}}, "spam": {}}
    assert small() * 0 == CountTally.empty(TEXT)


@given(tallies(2, counts=st.floats(0, 5), exact=False))
def test_float_sums_cancel_within_rounding(pair):
    a, b = pair
    back = (a + b) - b
    back.check()
    for channel in a.channels:
        for label, cells in twin.table_of(a).items():
            for feature, cell in cells.items():
                got = twin.table_of(back).get(label, {}).get(feature, {}).get(channel, 0.0)
                assert got == pytest.approx(cell[channel], abs=1e-7)


def test_rows_that_cancel_but_for_rounding_leave_no_row():
    tenth, fifth, most = (tally_from({"ham": n}, {}, exact=False) for n in (0.1, 0.2, 0.3))
    assert (tenth + fifth).class_count.tolist() != [0.3]
    assert ((tenth + fifth) - most).class_count.tolist() == [0.0]
    assert (most - (tenth + fifth)).class_count.tolist() == [0.0]


# Twins


@given(tallies(2), st.sampled_from([1, -1]))
def test_merge_equals_its_slow_twin(pair, sign):
    a, b = pair
    rows = twin.merged_rows(twin.rows_of(a), twin.rows_of(b), sign)
    table = twin.merged(twin.table_of(a), twin.table_of(b), sign)
    counts = [*rows.values(), *(n for cells in table.values() for cell in cells.values() for n in cell.values())]
    if min(counts, default=0) < 0:
        before = snapshot(a), snapshot(b)
        with pytest.raises(ForgetError):
            a - b
        assert (snapshot(a), snapshot(b)) == before
        return
    result = a + b if sign > 0 else a - b
    result.check()
    assert twin.rows_of(result) == rows
    assert twin.table_of(result) == table


@given(tallies())
def test_digest_equals_its_slow_twin(one):
    (a,) = one
    n_columns = a.features.n_columns if isinstance(a.features, ColumnFeatures) else None
    expected = twin.digest(twin.rows_of(a), twin.table_of(a), list(a.channels), a.space.id, n_columns, a.unit)
    assert a.digest() == expected


@given(tallies())
def test_dense_tables_and_totals_equal_the_twin(one):
    (a,) = one
    table = twin.table_of(a)
    for channel in a.channels:
        dense = a.dense(channel)
        for row, label in enumerate(a.classes):
            for position, column in enumerate(a.features.positions):
                expected = table[label].get(a.features.label(position), {}).get(channel, 0)
                assert dense[row, column] == expected
        assert dense.sum() == a.values(channel).sum()
        assert a.totals(channel).tolist() == dense.sum(axis=1).tolist()
        assert a.feature_totals(channel).tolist() == dense.sum(axis=0)[a.features.positions].tolist()


@given(tallies(), st.randoms(use_true_random=False))
def test_selection_keeps_the_cells_of_some_features(one, chance):
    (a,) = one
    mask = np.array([chance.random() < 0.5 for _ in range(len(a.features))], bool)
    kept = a.select(mask)
    kept.check()
    assert kept == a.select(np.flatnonzero(mask))
    names = {a.features.label(i) for i in np.flatnonzero(mask)}
    assert twin.table_of(kept) == {
        label: {feature: cell for feature, cell in cells.items() if feature in names}
        for label, cells in twin.table_of(a).items()
    }
    assert twin.rows_of(kept) == twin.rows_of(a)


# What is and is not the same


def test_digest_tells_apart_what_differs():
    base = small()
    others = [
        small(rows={"ham": 1, "spam": 3}),
        small(rows={"ham": 1, "spam": 2, "x": 1}),
        small(table={"ham": {"a": {"occurrences": 1}}, "spam": {"b": {"occurrences": 4}}}),
        small(table={"ham": {"a": {"occurrences": 1}}, "spam": {"c": {"occurrences": 5}}}),
        small(table={"spam": {"a": {"occurrences": 1}, "b": {"occurrences": 5}}}),
        small(unit=32),
        base._replaced(space=Space("text", {"tokens": "chars"})),
        base._replaced(channels={"documents": base.channels["occurrences"]}),
    ]
    digests = {tally.digest() for tally in [base, *others]}
    assert len(digests) == len(others) + 1
    assert all(base != other for other in others)


def test_digest_tells_types_of_labels_apart():
    digests = set()
    for values in ([0, 1], ["0", "1"], [0.0, 1.0], [False, True]):
        labels, _ = Labels.of(values)
        digests.add(small()._replaced(classes=labels).digest())
    assert len(digests) == 4
    narrow, _ = Labels.of(np.array([0, 1], np.int8))
    assert small()._replaced(classes=narrow).digest() == small()._replaced(classes=Labels.of([0, 1])[0]).digest()


def test_empty_classes_do_not_matter_to_equality_and_digest():
    declared = CountTally.empty(TEXT, classes=Labels.of(["ham", "other", "spam"])[0]) + small()
    assert declared.classes.values == ("ham", "other", "spam")
    assert declared == small()
    assert declared.digest() == small().digest()


def test_the_digest_is_the_same_in_every_release():
    assert small().digest() == "a727747ce6a993a08ed56e9bf646344359a63b7d3221c0650bff1f73f863d8d7"


# Refusals


def test_taking_out_too_much_names_class_feature_and_numbers():
    with pytest.raises(ForgetError, match=r"class 'spam', feature 'b': 6 occurrences to take out, but only 5 are in"):
        small() - small(table={"spam": {"b": {"occurrences": 6}}})
    with pytest.raises(ForgetError, match=r"class 'spam': 3 rows to take out, but only 2 are in"):
        small() - small(rows={"ham": 1, "spam": 3})
    with pytest.raises(ForgetError, match=r"class 'ham', feature '钱': 1 occurrences to take out, but only 0 are in"):
        small() - small(table={"ham": {"钱": {"occurrences": 1}}})
    with pytest.raises(ForgetError, match=r"class 'new': 1 rows"):
        small() - tally_from({"new": 1}, {})
    columns = [tally_from({0: 1}, {0: {3: {"documents": count}}}, ("documents",), columns=True) for count in (1, 2)]
    with pytest.raises(ForgetError, match=r"class 0, feature 'column 3': 2 documents to take out, but only 1 are in"):
        columns[0] - columns[1]


def test_numbers_in_a_refusal_have_the_unit_taken_out():
    def logs(count):
        return small(table={"ham": {"a": {"occurrences": count * 2**32}}}, unit=32)

    with pytest.raises(ForgetError, match=r"2\.0 occurrences to take out, but only 1\.0 are in"):
        logs(1) - logs(2)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (
            small()._replaced(space=Space("text", {"tokens": "chars", "ngrams": [1, 2]})),
            "tokens: 'words' against 'chars'",
        ),
        (small()._replaced(unit=32), r"2\*\*-0 against 2\*\*-32"),
        (
            small()._replaced(channels={"documents": small().channels["occurrences"]}),
            "channels: occurrences against documents",
        ),
        (small()._replaced(features=ColumnFeatures([1, 2], 3)), "text against columns"),
    ],
)
def test_what_cannot_be_added_is_refused_and_named(other, named):
    for operation in (CountTally.__add__, CountTally.__sub__):
        with pytest.raises(SpaceError, match=named):
            operation(small(), other)


def test_different_numbers_of_columns_are_refused():
    three, four = (CountTally.empty(Space("columns"), n_columns=n) for n in (3, 4))
    with pytest.raises(SpaceError, match="different numbers of columns: 3 against 4"):
        three + four


def test_labels_of_different_kinds_are_not_mixed():
    with pytest.raises(InputError, match="labels mix text and numbers"):
        small() + small()._replaced(classes=Labels.of([0, 1])[0])


def test_sums_beyond_int64_are_refused():
    big = small(table={"ham": {"a": {"occurrences": HUGE}}})
    with pytest.raises(InputError, match=r"class 'ham', feature 'a': 4611686018427387904 \+ 4611686018427387904"):
        big + big
    with pytest.raises(InputError, match=r"class 'ham': 4611686018427387904 \+ 4611686018427387904 rows"):
        small(rows={"ham": HUGE, "spam": 0}) + small(rows={"ham": HUGE, "spam": 0})
    with pytest.raises(InputError, match="occurrences times 2"):
        big * 2
    with pytest.raises(InputError, match="occurrences times"):
        (big * 0.5) * 1e300


def test_totals_beyond_int64_are_rounded_not_wrapped():
    big = small(table={"ham": {"a": {"occurrences": HUGE}, "b": {"occurrences": HUGE}, "c": {"occurrences": 7}}})
    assert big.totals("occurrences").tolist() == [float(2 * HUGE), 0.0]
    assert big.feature_totals("occurrences").tolist() == [HUGE, HUGE, 7]


def test_inexact_tallies_have_no_digest():
    with pytest.raises(InputError, match="no digest"):
        (small() * 0.5).digest()
    assert not (small() + small() * 0.5).exact
    assert small() * 0.5 != small()


@pytest.mark.parametrize("factor", [-1, float("nan"), float("inf"), -0.5])
def test_impossible_factors_are_refused(factor):
    with pytest.raises(ParameterError, match="finite number >= 0"):
        small() * factor


@pytest.mark.parametrize("other", ["a", None, True, [1]])
def test_foreign_operands_are_type_errors(other):
    with pytest.raises(TypeError):
        small() + other
    with pytest.raises(TypeError):
        small() - other
    with pytest.raises(TypeError):
        other + small()
    with pytest.raises(TypeError):
        small() * other


def test_no_tallies_have_no_sum():
    with pytest.raises(InputError, match="no tallies"):
        CountTally.sum([])


# Layout


def test_logarithms_are_read_in_their_unit():
    logs = small(table={"ham": {"a": {"occurrences": 3 * 2**31}}}, unit=32)
    assert logs.values("occurrences").tolist() == [1.5]
    assert logs.totals("occurrences").tolist() == [1.5, 0.0]
    assert logs.dense("occurrences").tolist() == [[1.5], [0.0]]


def test_arrays_of_a_tally_cannot_be_written_through():
    tally = small()
    for array in [tally.class_count, tally.indptr, tally.features.bytes, *tally.channels.values()]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_pickling_keeps_everything():
    for tally in (small(), small() * 0.5, CountTally.empty(Space("columns"), n_columns=4)):
        assert pickle.loads(pickle.dumps(tally)) == tally


WRONG = [
    ({"indptr": [0, 2, 2]}, "no cell"),
    ({"indptr": [0, 0, 2]}, "no cell"),
    ({"class_index": [0, 2]}, "none of the 2 classes"),
    ({"class_index": [-1, 0]}, "none of the 2 classes"),
    ({"indptr": [0, 2], "features": TextFeatures.of(["a"]), "class_index": [1, 0]}, "do not ascend"),
    ({"indptr": [0, 2], "features": TextFeatures.of(["a"]), "class_index": [1, 1]}, "do not ascend"),
    ({"class_count": [-1, 1]}, "class_count holds a negative"),
    ({"channels": {"occurrences": [1, -1]}}, "occurrences holds a negative"),
    ({"channels": {"occurrences": [1, 0]}}, "a cell is zero"),
    ({"channels": {"occurrences": [1, np.nan]}, "exact": False}, "not finite"),
    ({"channels": {"occurrences": [1, np.inf]}, "exact": False}, "not finite"),
    ({"features": TextFeatures.of(["b", "a"])}, "features do not ascend"),
    ({"features": TextFeatures.of(["a", "a"])}, "features do not ascend"),
    ({"features": TextFeatures(np.frombuffer(b"a\xff", np.uint8), [0, 1, 2])}, "not UTF-8"),
    ({"features": TextFeatures(np.frombuffer("é".encode(), np.uint8), [0, 1, 2])}, "not UTF-8"),
    ({"features": TextFeatures(np.frombuffer(b"ab", np.uint8), [0, 3, 2])}, "offsets"),
    ({"features": ColumnFeatures([3, 1], 5)}, "columns do not ascend"),
    ({"features": ColumnFeatures([1, 5], 5)}, "not within 0 to 4"),
    ({"features": ColumnFeatures([-1, 3], 5)}, "not within 0 to 4"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_a_check_finds_every_wrong_content(change, said):
    small().check()
    with pytest.raises(ValueError, match=said):
        small()._replaced(**change).check()


@pytest.mark.parametrize(
    "change",
    [
        {"class_count": [1]},
        {"indptr": [0, 1]},
        {"indptr": [0, 1, 3]},
        {"indptr": [1, 1, 2]},
        {"class_index": [0]},
        {"channels": {"occurrences": [1]}},
        {"channels": {}},
        {"channels": {"words": [1, 2]}},
    ],
)
def test_arrays_of_wrong_sizes_never_become_a_tally(change):
    with pytest.raises(ValueError, match=r"sizes of a tally|channels of a tally"):
        small()._replaced(**change)


@pytest.mark.parametrize("offsets", [[1, 1, 2], [0, 1], [0, 3], []])
def test_offsets_that_do_not_cover_the_bytes_never_become_features(offsets):
    with pytest.raises(ValueError, match="offsets"):
        TextFeatures(np.frombuffer(b"ab", np.uint8), offsets)


def test_large_random_tallies_merge_like_dense_tables():
    generator = np.random.default_rng(7)
    dense = [generator.integers(0, 3, (40, 500)) * (generator.random((40, 500)) < 0.2) for _ in range(2)]
    space = Space("columns")

    def tally(table):
        columns, classes = np.nonzero(table.T)
        present = np.unique(columns)
        indptr = np.searchsorted(columns, np.append(present, 500))
        counts = {"occurrences": table.T[columns, classes]}
        labels = Labels.of(list(range(40)))[0]
        return CountTally(labels, table.sum(axis=1), ColumnFeatures(present, 500), indptr, classes, counts, space)

    a, b = map(tally, dense)
    assert ((a + b).dense("occurrences") == dense[0] + dense[1]).all()
    assert a + b == tally(dense[0] + dense[1])
    shards = [tally(dense[0] * (np.arange(40) % 7 == k)[:, None]) for k in range(7)]
    random.Random(3).shuffle(shards)
    assert CountTally.sum(shards).digest() == a.digest()
