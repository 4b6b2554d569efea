"""Reading a tally gives the numbers of the textbook formulas, for every model, smoothing, prior and zero."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf
from tallybayes.scores import LinearScores, Reading, decide, log_posterior, posterior, predicted, prune, read
from twins import reading as twin

from tallybayes.errors import ParameterError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.tally.count import ColumnFeatures, CountTally


def tally_of(counts, documents, channel="occurrences"):
    """A tally of columns from a dense table, shape (K, V)."""
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
        Space("columns", {"n_columns": counts.shape[1]}),
        exact=True,
    )


def joint_of(table: LinearScores, row, unknown=0):
    """Score one row (over the table's features) from the definition of the linear form."""
    row = np.asarray(row, float)
    score = table.base + table.scale * unknown * table.unit * table.unknown
    for i in np.flatnonzero(row):
        score = score + row[i] * table.weights(i) if np.isfinite(table.weights(i)).all() else score
    zeros = table.zeros
    if zeros is not None:
        counted = zeros.base + sum((zeros.weights(i) for i in np.flatnonzero(row)), np.zeros(len(zeros.base)))
        finite = table.base.copy()
        bare = LinearScores(**{**{f: getattr(table, f) for f in table.__dataclass_fields__}, "zeros": None})
        for i in np.flatnonzero(row):
            finite = finite + row[i] * bare.weights(i)
        return table.finish(finite[None], counted[None])[0]
    return table.finish(score[None].copy(), None)[0]


def log_of(fractions):
    with mp.workdps(60):
        return np.array(
            [-np.inf if f == 0 else float(mp.log(mpf(f.numerator)) - mp.log(mpf(f.denominator))) for f in fractions]
        )


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


def kept(counts, row):
    """Columns that the tally holds: a column without a count is no feature of it."""
    columns = np.flatnonzero(np.asarray(counts).any(axis=0))
    assume(columns.size)
    return [[n[i] for i in columns] for n in counts], [row[i] for i in columns], columns


@given(tables, st.booleans())
def test_multinomial_equals_its_exact_twin(case, one_alpha):
    counts, documents, row, alphas = case
    full, (counts, row, columns) = counts, kept(counts, row)
    alpha = [Fraction(alphas[0 if one_alpha else i]) for i in columns]
    table = read(tally_of(full, documents), Reading(alpha=float(alpha[0]) if one_alpha else tuple(map(float, alpha))))
    prior = [Fraction(n, sum(documents)) for n in documents]
    wanted = log_of(twin.multinomial(counts, alpha, prior, row))
    np.testing.assert_allclose(joint_of(table, row), wanted, rtol=1e-11, atol=1e-11)


@given(tables, st.booleans())
def test_complement_equals_its_exact_twin(case, one_alpha):
    counts, documents, row, alphas = case
    full, (counts, row, columns) = counts, kept(counts, row)
    alpha = [Fraction(alphas[0 if one_alpha else i]) for i in columns]
    assume(len(counts) > 1 and all(a > 0 for a in alpha))
    reading = Reading("complement", alpha=float(alpha[0]) if one_alpha else tuple(map(float, alpha)))
    wanted = log_of(twin.complement(counts, alpha, row))
    np.testing.assert_allclose(joint_of(read(tally_of(full, documents), reading), row), wanted, rtol=1e-11, atol=1e-11)


@given(tables, st.booleans())
def test_bernoulli_equals_its_exact_twin(case, one_alpha):
    counts, documents, row, alphas = case
    full = [[min(n, d) for n in ns] for ns, d in zip(counts, documents, strict=True)]
    counts, row, columns = kept(full, row)
    alpha = [Fraction(alphas[0 if one_alpha else i]) for i in columns]
    reading = Reading("bernoulli", alpha=float(alpha[0]) if one_alpha else tuple(map(float, alpha)))
    prior = [Fraction(n, sum(documents)) for n in documents]
    wanted = log_of(twin.bernoulli(counts, documents, alpha, prior, row))
    got = joint_of(read(tally_of(full, documents, "documents"), reading), np.minimum(row, 1))
    np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-11)


@given(tables, st.sampled_from(["0.1", "1", "3"]), st.integers(0, 3))
def test_floor_equals_its_exact_twin(case, floor, unknown):
    counts, documents, row, _ = case
    assume(all(any(n) for n in counts))
    full, (counts, row, _) = counts, kept(counts, row)
    table = read(tally_of(full, documents), Reading(smoothing="floor", floor=float(floor)))
    prior = [Fraction(n, sum(documents)) for n in documents]
    wanted = log_of(twin.floored(counts, Fraction(floor), prior, row, unknown))
    np.testing.assert_allclose(joint_of(table, row, unknown), wanted, rtol=1e-11, atol=1e-11)


def test_subnormal_alpha_keeps_every_digit():
    table = read(tally_of([[3, 0], [1, 2]], [1, 1]), Reading(alpha=5e-324))
    wanted = [np.log(0.5) + np.log(5e-324) - np.log(3), np.log(0.5) + np.log(2 / 3)]
    np.testing.assert_allclose(joint_of(table, [0, 1]), wanted, rtol=1e-12)


def test_alpha_1_zero_smoothing_gives_zero_or_the_prior_never_nan():
    for model, channel in (("multinomial", "occurrences"), ("bernoulli", "documents")):
        table = read(tally_of([[1, 0], [0, 1]], [1, 1], channel), Reading(model, alpha=0.0))
        joint = np.stack([joint_of(table, row) for row in ([1, 0], [0, 1], [1, 1])])
        np.testing.assert_array_equal(posterior(joint, table.log_prior), [[1, 0], [0, 1], [0.5, 0.5]])
    for alpha, words in (([1.0, float("nan")], "position 1"), (-1, "-1.0"), (float("inf"), "inf")):
        with pytest.raises(ParameterError, match=words):
            Reading(alpha=alpha)
    with pytest.raises(ParameterError, match="3 numbers for 2 features"):
        read(tally_of([[1, 0], [0, 1]], [1, 1]), Reading(alpha=(1.0, 1.0, 1.0)))


def test_rule_1_complement_weights_are_those_derived_by_hand():
    tally = tally_of([[2, 1, 0], [0, 3, 1], [1, 0, 4]], [1, 1, 1])
    table = read(tally, Reading("complement", alpha=1.0))
    weights = np.stack([table.weights(i) for i in range(3)]).T
    wanted = np.log([[6, 3, 2], [11 / 4, 11 / 2, 11 / 5], [10 / 3, 2, 5]])
    np.testing.assert_allclose(weights, wanted, rtol=1e-14)
    got = posterior(joint_of(table, [1, 2, 0])[None], table.log_prior)
    np.testing.assert_allclose(got[0], [0.358754325, 0.552664360, 0.088581315], atol=1e-9)
    np.testing.assert_allclose(posterior(joint_of(table, [0, 0, 0])[None], table.log_prior)[0], [1 / 3] * 3)
    single = read(tally_of([[1], [2]], [1, 1]), Reading("complement", norm=True))
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
            read(tally, Reading(prior=bad))
    ten = tally_of(np.eye(10, dtype=int), [1] * 10)
    np.testing.assert_allclose(read(ten, Reading(prior=[0.1] * 10)).base, np.log([0.1] * 10))
    assert read(tally, Reading(prior=[1.0, 0.0])).base.tolist() == [0.0, -np.inf]


def test_prior_2_a_mapping_names_its_classes():
    tally = tally_of([[1, 0], [0, 1]], [1, 1])
    np.testing.assert_allclose(read(tally, Reading(prior={"c01": 0.9, "c00": 0.1})).base, np.log([0.1, 0.9]))
    with pytest.raises(ParameterError, match="'spam' is no class"):
        read(tally, Reading(prior={"c01": 0.9, "spam": 0.1}))
    skewed = [read(tally, Reading("complement", prior=p)).base for p in ([0.999, 0.001], [0.001, 0.999])]
    assert skewed[0].argmax() != skewed[1].argmax(), "a prior given to the complement model is used"


def test_inc_2_a_class_without_data_has_probability_zero():
    tally = tally_of([[3, 1], [0, 2], [0, 0]], [1, 1, 0])
    got = posterior(joint_of(read(tally, Reading()), [1, 1])[None], np.zeros(3))
    np.testing.assert_allclose(got[0], [32 / 59, 27 / 59, 0], rtol=1e-14)
    assert np.isfinite(read(tally, Reading(prior_alpha=1.0)).base).all()
    assert read(tally, Reading(prior="uniform")).base[2] == -np.inf


def test_wgt_2_complement_gives_a_weightless_class_nothing():
    table = read(tally_of([[4, 1], [0, 0]], [2, 0]), Reading("complement"))
    np.testing.assert_array_equal(posterior(joint_of(table, [0, 3])[None], table.log_prior)[0], [1.0, 0.0])


def test_norm_2_a_gap_beyond_exp_stays_finite_in_logs():
    table = read(tally_of([[3, 1], [1, 3]], [1, 1]), Reading())
    logs = log_posterior(joint_of(table, [5000, 0])[None], table.log_prior)
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
    np.testing.assert_allclose(np.exp(read(tally, Reading(prior="words")).base), [0.8, 0.2])
    np.testing.assert_allclose(np.exp(read(tally, Reading(prior_alpha=2.0)).base), [3 / 8, 5 / 8])


def test_pruning_keeps_what_the_reading_asks_for():
    tally = tally_of([[5, 1, 0, 2], [0, 1, 3, 2]], [5, 5], "documents")
    binary = Reading(weighting="binary")
    assert prune(tally, binary.replace(min_df=3)).features.labels() == [0, 2, 3]
    assert prune(tally, binary.replace(max_df=0.4)).features.labels() == [1, 2, 3]
    assert prune(tally, binary.replace(max_features=2)).features.labels() == [0, 3]
    with pytest.raises(ParameterError, match="keeps fewer"):
        prune(tally, binary.replace(min_df=9, max_df=0.1))


def test_a_missing_channel_is_named():
    with pytest.raises(ParameterError, match="needs the counts of documents, the tally holds occurrences"):
        read(tally_of([[1]], [1]), Reading("bernoulli"))


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
        ({"model": "gaussian"}, "model must be one of"),
        ({"smoothing": "floor", "model": "bernoulli"}, "multinomial"),
        ({"smoothing": "floor", "floor": 0}, "above 0"),
        ({"norm": True}, "complement"),
        ({"min_df": -1}, "min_df"),
        ({"max_features": 0}, "max_features"),
        ({"prior": "weird"}, "prior must be one of"),
        ({"prior": 3}, "prior must be"),
        ({"prior_alpha": float("nan")}, "prior_alpha"),
        ({"alpha": "1"}, "alpha must be a number"),
        ({"model": "bernoulli", "weighting": "log"}, "weighting"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_name(bad, words):
    with pytest.raises(ParameterError, match=words):
        Reading(**bad)
