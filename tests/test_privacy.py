"""What was forgotten, or dropped as rare, stands in no byte of what is saved."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tallybayes import (
    Analyzer,
    CategoricalReading,
    CategoryCounter,
    GaussianReading,
    Model,
    ModelFileError,
    MultinomialReading,
    NumberCounter,
    ParameterError,
    SpaceError,
    TextClassifier,
    TextCounter,
    TfidfCounter,
    load,
)
from tallybayes.store import read_blocks, write_blocks

from .golden_models import FORMS

KEPT = (["cheap pills now", "lunch at noon", "lunch now"], ["spam", "ham", "ham"])
SECRET = (["pills for agathe schmidt"], ["spam"])
COUNTERS = {
    "text": lambda: TextCounter(Analyzer()),
    "hashed": lambda: TextCounter(Analyzer(hash=2**20)),
    "tfidf": lambda: TfidfCounter(Analyzer()),
}


def learnt(kind):
    """A model of documents, one of which is about to be forgotten."""
    model = Model(COUNTERS[kind](), MultinomialReading())
    return model.learned(KEPT[0] + SECRET[0], KEPT[1] + SECRET[1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", COUNTERS)
def test_forgotten_words_stand_in_no_byte(tmp_path, kind, form):
    path = tmp_path / f"m.{form}"
    model = learnt(kind)
    model.save(path)
    assert (b"agathe" in path.read_bytes()) == (kind != "hashed")
    # Forgotten by documents, by what was counted of them, and from the file.
    part = model.count(*SECRET)
    for rest in (model.without(*SECRET), model - part, load(path) - part):
        rest.save(path)
        assert b"agathe" not in path.read_bytes()
        assert b"schmidt" not in path.read_bytes()
        assert b"agathe" not in pickle.dumps(rest)
        assert b"pills" in path.read_bytes() or kind == "hashed"
        again = load(path)
        assert (again.counter, again.tally) == (rest.counter, rest.tally)
        np.testing.assert_array_equal(again.predict_proba(["agathe noon"]), rest.predict_proba(["noon"]))


def test_an_estimator_forgets_words_too(tmp_path):
    classifier = TextClassifier(weighting="tfidf", event_model="multinomial").fit(
        KEPT[0] + SECRET[0], KEPT[1] + SECRET[1]
    )
    classifier.forget(*SECRET).save(tmp_path / "m.tally")
    assert b"agathe" not in (tmp_path / "m.tally").read_bytes()
    assert b"agathe" not in pickle.dumps(classifier)


def test_models_of_one_idf_add_up_after_forgetting():
    whole = learnt("tfidf")
    part = whole.count(*SECRET)
    rest = whole - part
    held = Model(whole.counter, whole.reading, part)
    assert (rest + held).counter == whole.counter
    assert Model.sum([rest, held]).counter == whole.counter
    np.testing.assert_allclose((rest + held).predict_proba(["agathe pills"]), whole.predict_proba(["agathe pills"]))
    with pytest.raises(SpaceError, match="'agathe', of which the idf was forgotten: add the model that counted it"):
        rest + part
    # What the idf still has is forgotten as before, and words that came in later weigh nothing, as ever.
    assert (rest - rest.count(["lunch now"], ["ham"])).tally.class_count.tolist() == [1.0, 1.0]
    assert rest.learned(["agathe now"], ["ham"]).counter == rest.counter


def test_a_claim_of_another_origin_of_the_idf_is_refused(tmp_path):
    path = tmp_path / "m.tally"
    learnt("tfidf").without(*SECRET).save(path)
    read = read_blocks(path)
    for origin in ("0" * 64, 5, None):
        write_blocks(path, read, {**read.content, "counter": {**read.content["counter"], "origin": origin}})
        with pytest.raises(ModelFileError, match=r"idf|origin"):
            load(path)


@pytest.mark.parametrize("form", FORMS)
def test_dropped_rare_words_stand_in_no_byte(tmp_path, form):
    path = tmp_path / f"m.{form}"
    model = learnt("text")
    shared = model.without_rare(2)
    shared.save(path)
    assert shared.tally.features.labels() == ["lunch", "now", "pills"]
    assert shared.tally.class_count.tolist() == model.tally.class_count.tolist()
    assert not any(word in path.read_bytes() for word in (b"agathe", b"schmidt", b"noon", b"cheap"))
    assert load(path).tally == shared.tally
    assert shared.predict(["lunch", "pills"]).tolist() == ["ham", "spam"]
    assert model.without_rare(1).tally == model.tally


def test_rare_values_of_columns_are_dropped_too():
    model = Model(CategoryCounter(), CategoricalReading())
    model = model.learned([("Bonn", "a"), ("Bonn", "b"), ("Atlantis", "a")], ["x", "y", "x"])
    assert model.without_rare(2).tally.features.labels() == ["0000000sBonn", "0000001sa"]
    assert np.isfinite(model.without_rare(2).predict_proba([("Atlantis", "a")])).all()


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", None, True])
def test_rare_is_a_whole_number_of_rows(n):
    with pytest.raises(ParameterError, match="whole number of rows"):
        learnt("text").without_rare(n)


def test_what_cannot_be_told_rare_is_refused():
    numbers = Model(NumberCounter(), GaussianReading()).learned([[1.0], [2.0]], ["a", "b"])
    occurrences = Model(TextCounter(channels=("occurrences",)), MultinomialReading()).learned(*KEPT)
    for model, words in [
        (numbers, "no rare features"),
        (occurrences, "channels"),
        (learnt("tfidf"), "two-pass tf-idf"),
    ]:
        with pytest.raises(ParameterError, match=words):
            model.without_rare(2)
