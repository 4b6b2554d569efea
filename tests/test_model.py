"""The model is a value: what it refuses at once, what it copies, and what it does not look at before it must."""

from __future__ import annotations

import numpy as np
import pytest

from tallybayes import (
    Analyzer,
    BernoulliReading,
    ComplementReading,
    CountCounter,
    GaussianReading,
    InputError,
    LabelledRows,
    Labels,
    Model,
    MultinomialReading,
    NumberCounter,
    ParameterError,
    TextClassifier,
    TextCounter,
    TfidfCounter,
    load,
)
from tallybayes.tally.count import StoredChannels

DOCUMENTS = ["cheap pills now", "cheap cheap watches", "lunch at noon", "dinner at eight"]
LABELS = ["spam", "spam", "ham", "ham"]


@pytest.mark.parametrize(
    ("counter", "reading", "words"),
    [
        (TextCounter(channels=("occurrences",)), BernoulliReading(), "needs the counts of documents.*channels="),
        (TextCounter(channels=("documents",)), MultinomialReading(), "needs the counts of occurrences.*channels="),
        (TextCounter(channels=("occurrences",)), ComplementReading(min_df=2), "documents.*channels="),
        (TextCounter(channels=("documents",)), BernoulliReading(prior="words"), "occurrences.*channels="),
        (TfidfCounter(), BernoulliReading(), "documents.*no such counts"),
        (CountCounter(), BernoulliReading(), "documents.*channels="),
        (NumberCounter(), MultinomialReading(), "reads text or tfidf or counts, not numbers"),
        (TextCounter(), GaussianReading(), "reads numbers, not text"),
    ],
)
def test_a_reading_of_what_is_not_counted_is_refused_before_anything_is_learnt(counter, reading, words):
    with pytest.raises(ParameterError, match=words):
        Model(counter, reading)


def test_rereading_what_was_not_counted_is_refused_and_changes_nothing():
    model = Model(TextCounter(channels=("occurrences",))).learned(DOCUMENTS, LABELS)
    before = model.predict_joint_log_proba(DOCUMENTS)
    with pytest.raises(ParameterError, match="needs the counts of documents"):
        model.reread(event_model="bernoulli")
    np.testing.assert_array_equal(model.predict_joint_log_proba(DOCUMENTS), before)


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("kind", ["text", "counts", "numbers"])
def test_labels_that_are_ready_must_be_of_as_many_rows_as_came(kind, n):
    counter, reading, rows = {
        "text": (TextCounter(), None, DOCUMENTS),
        "counts": (CountCounter(), MultinomialReading(), np.ones((4, 2))),
        "numbers": (NumberCounter(), GaussianReading(), np.ones((4, 2))),
    }[kind]
    ready = LabelledRows.of(["a", "b", "a", "b", "a"][:n], None, n)
    with pytest.raises(InputError, match=f"4 rows came with labels of {n}"):
        Model(counter, reading).learned(rows, ready)
    soft = LabelledRows.soft(ready.classes, np.ones((n, len(ready.classes))))
    with pytest.raises(InputError, match=f"4 rows came with labels of {n}"):
        Model(counter, reading).learned(rows, soft)


@pytest.mark.parametrize(
    ("bad", "words"), [(-1.0, "-1.0 at row 2, class 'b'"), (float("nan"), "nan at row 2, class 'b'")]
)
def test_a_soft_label_that_cannot_be_is_named_by_its_row_and_class(bad, words):
    table = np.zeros((4, 2))
    table[0, 0], table[2, 1] = 1.0, bad
    with pytest.raises(InputError, match=words):
        LabelledRows.soft(Labels.of(["a", "b"])[0], table)


def test_a_prior_that_the_caller_changes_later_is_the_one_that_was_given():
    prior = {"ham": 0.2, "spam": 0.8}
    model = Model(reading=MultinomialReading(prior=prior)).learned(DOCUMENTS, LABELS)
    before = model.predict_proba([""])
    prior["ham"] = prior["spam"] = 0.5
    np.testing.assert_array_equal(model.reread(alpha=1.0).predict_proba([""]), before)


def test_a_tally_brings_its_columns_to_a_counter_that_has_seen_none():
    learnt = Model(NumberCounter(), GaussianReading()).learned([[1.0, 2.0], [3.0, 4.0], [9.0, 8.0]], ["a", "a", "b"])
    again = Model(NumberCounter(), GaussianReading(), learnt.tally)
    assert again.counter == learnt.counter
    np.testing.assert_array_equal(again.predict_proba([[2.0, 3.0]]), learnt.predict_proba([[2.0, 3.0]]))


def test_one_channel_may_be_given_by_its_name():
    assert TextClassifier(channels="documents", event_model="bernoulli").fit(
        DOCUMENTS, LABELS
    ).tally_.channels.keys() == {"documents"}
    with pytest.raises(ParameterError, match="channels must be 'occurrences', 'documents' or both; got 'words'"):
        TextClassifier(channels="words").fit(DOCUMENTS, LABELS)


@pytest.mark.parametrize("factor", ["2", None, [2]])
def test_a_model_is_scaled_by_a_number_only(factor):
    with pytest.raises(TypeError, match="Model"):
        Model().learned(DOCUMENTS, LABELS) * factor


def test_scaling_halves_what_was_learnt():
    model = Model().learned(DOCUMENTS, LABELS)
    assert (model * 0.5).tally.class_count.tolist() == [1.0, 1.0]
    assert (2 * model).tally.digest() == (model + model).tally.digest()


def test_a_mapped_file_is_opened_without_a_look_at_its_channels(tmp_path):
    model = Model().learned(DOCUMENTS, LABELS)
    model.save(tmp_path / "m.tally")
    mapped = load(tmp_path / "m.tally", verify="structure")
    assert isinstance(mapped.tally.channels, StoredChannels)
    assert mapped.tally.channels._wide == {}
    np.testing.assert_array_equal(mapped.predict_proba(DOCUMENTS), model.predict_proba(DOCUMENTS))
    assert mapped.tally.digest() == model.tally.digest()
    assert (mapped + model).tally == (model + model).tally


def test_learning_from_a_model_shares_nothing_that_can_change():
    first = Model(TextCounter(Analyzer(ngrams=(1, 1)))).learned(DOCUMENTS, LABELS)
    answers, digest = first.answers, first.tally.digest()
    before = answers.proba(DOCUMENTS)
    second = first.learned(["brand new words"], ["other"])
    assert second.classes.tolist() == ["ham", "other", "spam"]
    assert first.tally.digest() == digest
    np.testing.assert_array_equal(answers.proba(DOCUMENTS), before)
    np.testing.assert_array_equal(first.predict_proba(DOCUMENTS), before)


def test_many_small_parts_are_the_model_of_one_learning():
    whole, parts = Model().learned(DOCUMENTS * 25, LABELS * 25), Model()
    for document, label in zip(DOCUMENTS * 25, LABELS * 25, strict=True):
        parts = parts.learned([document], [label])
    assert parts.labels == whole.labels
    assert parts.tally.digest() == whole.tally.digest()


def test_parts_that_would_overflow_together_are_refused_by_the_call_that_brings_them():
    model = Model(CountCounter(), MultinomialReading()).learned(np.array([[2**52]]), ["a"], weights=[1])
    large = model * 1023  # close to 2**62
    with pytest.raises(InputError, match="more than a tally can hold"):
        large + large + large
