"""Reading a tally gives the numbers of the textbook formulas, for every model, smoothing, prior and zero."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf
from twins import reading as twin

from tallybayes.counters import CountCounter
from tallybayes.errors import ParameterError
from tallybayes.labels import Labels
from tallybayes.readings import LinearScores, Reading, decide, log_posterior, posterior, predicted
from tallybayes.space import Space
from tallybayes.tally.count import ColumnFeatures, CountTally
from tallybayes.tally.selection import Selection

COLUMNS, HASHED = Space("columns"), Space("text", hash=("fast", 0, 8))


def tally_of(counts, documents, channel="occurrences", space=COLUMNS):
    """A tally from a dense table, shape (K, V): of columns, which all are features, or of text hashed to columns."""
    counts = np.asarray(counts)
    columns = np.flatnonzero(counts.any(axis=0))
    cells = [(c, counts[c, i]) for i in columns for c in range(len(counts)) if counts[c, i]]
    lengths = (counts[:, columns] > 0).sum(axis=0)
    labels, _ = Labels.of([f"c{c:02d}" for c in range(len(counts))])
    return CountTally(
        labels,
        np.asarray(documents, np.int64),
        ColumnFeatures(columns.astype(np.int64), counts.shape[1]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([c for c, _ in cells], np.int32),
        {channel: np.array([n for _, n in cells], np.int64)},
        space,
        exact=True,
    )


def read(tally, event_model="multinomial", **parameters):
    return Reading.of(event_model, **parameters).read(tally)


def joint_of(scores: LinearScores, row, unknown=0):
    """Score one row, over the features of the table, from the definition of the linear form; the kernel says the same."""
    table, there = scores.table, np.flatnonzero(row)
    amounts = np.asarray(row, float)[there]
    start = scores.start + table.base
    joint = start + table.scale * unknown * table.each * scores.reading.unknown + amounts @ table.weights(there)
    if table.zeros is not None:
        zeros = table.zeros.base + table.zeros.weights(there).sum(axis=0)
        joint = np.where(zeros > 0, -np.inf, np.where(zeros < 0, np.inf, joint))
    joint = np.where(np.isneginf(start), -np.inf, joint)
    if not unknown:
        rows = CountCounter((scores.reading.channel,)).check([row])
        np.testing.assert_allclose(scores.joint(rows)[0], joint, rtol=1e-11, atol=1e-11)
    return joint


def log_of(fractions):
    with mp.workdps(60):
        return np.array(
            [-np.inf if f == 0 else float(mp.log(mpf(f.numerator)) - mp.log(mpf(f.denominator))) for f in fractions]
        )


spaces = st.sampled_from([COLUMNS, HASHED])
tables = st.integers(1, 4).flatmap(
    lambda k: st.integers(1, 5).flatmap(
        lambda v: st.tuples(
            st.lists(st.lists(st.integers(0, 6), min_size=v, max_size=v), min_size=k, max_size=k),
            st.lists(st.integers(1, 9), min_size=k, max_size=k),
            st.lists(st.integers(0, 3), min_size=v, max_size=v),
            st.lists(st.sampled_from(["0", "1e-10", "0.01", "0.5", "1", "7"]), min_size=v, max_size=v),
        )
    )
)


def kept(counts, row, space):
    """The features that are smoothed over: all columns of a matrix, but of text only what was seen."""
    columns = np.arange(len(row)) if space == COLUMNS else np.flatnonzero(np.asarray(counts).any(axis=0))
    assume(columns.size)
    return [[n[i] for i in columns] for n in counts], [row[i] for i in columns], columns


@given(tables, spaces, st.booleans())
def test_multinomial_equals_its_exact_twin(case, space, one_alpha):
    counts, documents, row, alphas = case
    full, (counts, row, columns) = counts, kept(counts, row, space)
    alpha = [Fraction(alphas[0 if one_alpha else i]) for i in columns]
    given_alpha = float(alpha[0]) if one_alpha else tuple(map(float, alpha))
    scores = read(tally_of(full, documents, space=space), alpha=given_alpha)
    prior = [Fraction(n, sum(documents)) for n in documents]
    wanted = log_of(twin.multinomial(counts, alpha, prior, row))
    np.testing.assert_allclose(joint_of(scores, row), wanted, rtol=1e-11, atol=1e-11)


@given(tables, spaces, st.booleans())
def test_complement_equals_its_exact_twin(case, space, one_alpha):
    counts, documents, row, alphas = case
    full, (counts, row, columns) = counts, kept(counts, row, space)
    alpha = [Fraction(alphas[0 if one_alpha else i]) for i in columns]
    assume(len(counts) > 1 and all(a > 0 for a in alpha))
    given_alpha = float(alpha[0]) if one_alpha else tuple(map(float, alpha))
    scores = read(tally_of(full, documents, space=space), "complement", alpha=given_alpha)
    wanted = log_of(twin.complement(counts, alpha, row))
    np.testing.assert_allclose(joint_of(scores, row), wanted, rtol=1e-11, atol=1e-11)


@given(tables, spaces, st.booleans())
def test_bernoulli_equals_its_exact_twin(case, space, one_alpha):
    counts, documents, row, alphas = case
    full = [[min(n, d) for n in ns] for ns, d in zip(counts, documents, strict=True)]
    counts, row, columns = kept(full, row, space)
    alpha = [Fraction(alphas[0 if one_alpha else i]) for i in columns]
    given_alpha = float(alpha[0]) if one_alpha else tuple(map(float, alpha))
    prior = [Fraction(n, sum(documents)) for n in documents]
    wanted = log_of(twin.bernoulli(counts, documents, alpha, prior, row))
    scores = read(tally_of(full, documents, "documents", space), "bernoulli", alpha=given_alpha)
    np.testing.assert_allclose(joint_of(scores, np.minimum(row, 1)), wanted, rtol=1e-11, atol=1e-11)


@given(tables, spaces, st.sampled_from(["0.1", "1", "3"]), st.integers(0, 3))
def test_floor_equals_its_exact_twin(case, space, floor, unknown):
    counts, documents, row, _ = case
    assume(all(any(n) for n in counts))
    full, (counts, row, _) = counts, kept(counts, row, space)
    scores = read(tally_of(full, documents, space=space), smoothing="floor", floor=float(floor))
    prior = [Fraction(n, sum(documents)) for n in documents]
    wanted = log_of(twin.floored(counts, Fraction(floor), prior, row, unknown))
    np.testing.assert_allclose(joint_of(scores, row, unknown), wanted, rtol=1e-11, atol=1e-11)


def test_subnormal_alpha_keeps_every_digit():
    scores = read(tally_of([[3, 0], [1, 2]], [1, 1]), alpha=5e-324)
    wanted = [np.log(0.5) + np.log(5e-324) - np.log(3), np.log(0.5) + np.log(2 / 3)]
    np.testing.assert_allclose(joint_of(scores, [0, 1]), wanted, rtol=1e-12)


def test_alpha_1_zero_smoothing_gives_zero_or_the_prior_never_nan():
    for model, channel in (("multinomial", "occurrences"), ("bernoulli", "documents")):
        scores = read(tally_of([[1, 0], [0, 1]], [1, 1], channel), model, alpha=0.0)
        joint = np.stack([joint_of(scores, row) for row in ([1, 0], [0, 1], [1, 1])])
        np.testing.assert_array_equal(posterior(joint, scores.log_prior), [[1, 0], [0, 1], [0.5, 0.5]])
    for alpha, words in (([1.0, float("nan")], "position 1"), (-1, "-1.0"), (float("inf"), "inf")):
        with pytest.raises(ParameterError, match=words):
            Reading.of("multinomial", alpha=alpha)
    with pytest.raises(ParameterError, match="Got 3 elements instead of 2"):
        read(tally_of([[1, 0], [0, 1]], [1, 1]), alpha=(1.0, 1.0, 1.0))


def test_rule_1_complement_weights_are_those_derived_by_hand():
    tally = tally_of([[2, 1, 0], [0, 3, 1], [1, 0, 4]], [1, 1, 1])
    scores = read(tally, "complement", alpha=1.0)
    weights = scores.table.weights(np.arange(3)).T
    wanted = np.log([[6, 3, 2], [11 / 4, 11 / 2, 11 / 5], [10 / 3, 2, 5]])
    np.testing.assert_allclose(weights, wanted, rtol=1e-14)
    got = posterior(joint_of(scores, [1, 2, 0])[None], scores.log_prior)
    np.testing.assert_allclose(got[0], [0.358754325, 0.552664360, 0.088581315], atol=1e-9)
    np.testing.assert_allclose(posterior(joint_of(scores, [0, 0, 0])[None], scores.log_prior)[0], [1 / 3] * 3)
    single = read(tally_of([[1], [2]], [1, 1]), "complement", norm=True)
    np.testing.assert_array_equal(posterior(joint_of(single, [4])[None], single.log_prior)[0], [0.5, 0.5])


def test_prior_1_sums_within_rounding_pass_and_nonsense_is_refused():
    tally = tally_of([[1, 0], [0, 1]], [1, 1])
    for bad, words in (
        ([0.9, 0.9], "should be 1"),
        ([-1, 2], "non-negative"),
        ([0, 0], "should be 1"),
        ([float("nan"), 1], "finite"),
        ([1.0], "must match"),
    ):
        with pytest.raises(ParameterError, match=words):
            read(tally, prior=bad)
    ten = tally_of(np.eye(10, dtype=int), [1] * 10)
    np.testing.assert_allclose(read(ten, prior=[0.1] * 10).start, np.log([0.1] * 10))
    assert read(tally, prior=[1.0, 0.0]).start.tolist() == [0.0, -np.inf]


def test_prior_2_a_mapping_names_its_classes():
    tally = tally_of([[1, 0], [0, 1]], [1, 1])
    np.testing.assert_allclose(read(tally, prior={"c01": 0.9, "c00": 0.1}).start, np.log([0.1, 0.9]))
    with pytest.raises(ParameterError, match="'spam' is no class"):
        read(tally, prior={"c01": 0.9, "spam": 0.1})
    skewed = [read(tally, "complement", prior=p).start for p in ([0.999, 0.001], [0.001, 0.999])]
    assert skewed[0].argmax() != skewed[1].argmax(), "a prior given to the complement model is used"


def test_inc_2_a_class_without_data_has_probability_zero():
    tally = tally_of([[3, 1], [0, 2], [0, 0]], [1, 1, 0])
    got = posterior(joint_of(read(tally), [1, 1])[None], np.zeros(3))
    np.testing.assert_allclose(got[0], [32 / 59, 27 / 59, 0], rtol=1e-14)
    assert np.isfinite(read(tally, prior_alpha=1.0).start).all()
    assert read(tally, prior="uniform").start[2] == -np.inf


def test_wgt_2_complement_gives_a_weightless_class_nothing():
    scores = read(tally_of([[4, 1], [0, 0]], [2, 0]), "complement")
    np.testing.assert_array_equal(posterior(joint_of(scores, [0, 3])[None], scores.log_prior)[0], [1.0, 0.0])


def test_norm_2_a_gap_beyond_exp_stays_finite_in_logs():
    scores = read(tally_of([[3, 1], [1, 3]], [1, 1]))
    logs = log_posterior(joint_of(scores, [5000, 0])[None], scores.log_prior)
    np.testing.assert_allclose(logs[0], [0.0, -5000 * np.log(2)], atol=1e-9)


@given(st.lists(st.lists(st.floats(-1e9, 1e9) | st.just(-np.inf), min_size=3, max_size=3), min_size=1, max_size=6))
def test_norm_1_rows_sum_to_one_and_do_not_depend_on_their_batch(rows):
    joint, prior = np.array(rows), np.log([0.5, 0.25, 0.25])
    together = posterior(joint, prior)
    assert np.isfinite(together).all()
    np.testing.assert_allclose(together.sum(axis=1), 1.0, atol=1e-12)
    alone = np.concatenate([posterior(row[None], prior) for row in joint])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(predicted(joint, prior), together.argmax(axis=1))


def test_word_prior_and_prior_alpha():
    tally = tally_of([[6, 2], [1, 1]], [1, 3])
    np.testing.assert_allclose(np.exp(read(tally, prior="words").start), [0.8, 0.2])
    np.testing.assert_allclose(np.exp(read(tally, prior_alpha=2.0).start), [3 / 8, 5 / 8])


def test_pruning_keeps_what_the_reading_asks_for():
    tally = tally_of([[5, 1, 0, 2], [0, 1, 3, 2]], [5, 5], "documents", HASHED)

    def kept(**pruning):
        labels = read(tally, weighting="binary", **pruning).tally.features.labels()
        assert Selection(**pruning).kept(tally, "documents").features.labels() == labels
        return labels

    assert kept(min_df=3) == [0, 2, 3]
    assert kept(max_df=0.4) == [1, 2, 3]
    assert kept(max_features=2) == [0, 3]
    with pytest.raises(ParameterError, match="keeps fewer"):
        kept(min_df=9, max_df=0.1)
    with pytest.raises(ParameterError, match="prune features of text"):
        read(tally_of([[1], [2]], [1, 1]), max_features=1)


def test_a_missing_channel_is_named():
    with pytest.raises(ParameterError, match="needs the counts of documents, the tally holds occurrences"):
        read(tally_of([[1]], [1]), "bernoulli")


def test_decide_takes_the_least_expected_loss_and_may_abstain():
    shares = np.array([[0.7, 0.3], [0.5, 0.5], [0.05, 0.95]])
    assert decide(shares).tolist() == [0, 0, 1]
    assert decide(shares, loss=[[0, 9], [1, 0]]).tolist() == [1, 1, 1]
    assert decide(shares, abstain=0.1).tolist() == [-1, -1, 1]
    with pytest.raises(ParameterError, match="2 answers by 2"):
        decide(shares, loss=[[0, 1]])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"event_model": "poisson"}, "event_model must be one of"),
        ({"smoothing": "floor", "event_model": "bernoulli"}, "multinomial"),
        ({"smoothing": "floor", "floor": 0}, "above 0"),
        ({"norm": True}, "complement"),
        ({"min_df": -1}, "min_df"),
        ({"max_features": 0}, "max_features"),
        ({"prior": "weird"}, "prior must be one of"),
        ({"prior": 3}, "prior must be"),
        ({"prior_alpha": float("nan")}, "prior_alpha"),
        ({"alpha": "1"}, "alpha must be a number"),
        ({"event_model": "bernoulli", "weighting": "log"}, "weighting"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_name(bad, words):
    with pytest.raises(ParameterError, match=words):
        Reading.of(**{"event_model": "multinomial", **bad})
