"""What cannot be added is refused by the call that brings it, whatever it lacks, and the model answers as before."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    Analyzer,
    BernoulliReading,
    CategoricalReading,
    CategoryCounter,
    ComplementReading,
    CountCounter,
    GaussianReading,
    InputError,
    Model,
    MultinomialReading,
    NotLearnedError,
    NumberCounter,
    ParameterError,
    SpaceError,
    TextCounter,
    TfidfCounter,
)
from tallybayes.tally import CountTally, Tally

from .strategies import tallies, tally_from

DOCUMENTS, LABELS = ["a b a", "b c", "买 彩票", "c"], ["x", "y", "x", "y"]
MATRIX = np.array([[1, 0, 3], [0, 2, 1], [4, 1, 0], [1, 1, 1]])
VALUES = [("red", 1), ("green", 2), ("red", 2), ("blue", 1)]


def text(analyzer=None, y=LABELS, **parameters):
    return Model(TextCounter(analyzer or Analyzer(), **parameters), ComplementReading()).learned(DOCUMENTS, y)


def counts(X=MATRIX, y=LABELS, **parameters):
    return Model(CountCounter(**parameters), MultinomialReading()).learned(X, y)


def present(**parameters):
    return Model(CountCounter(("documents",), **parameters), BernoulliReading()).learned(MATRIX, LABELS)


def categories(X=VALUES, y=LABELS, **parameters):
    return Model(CategoryCounter(**parameters), CategoricalReading()).learned(X, y)


def numbers(X=MATRIX, y=LABELS, **parameters):
    return Model(NumberCounter(**parameters), GaussianReading()).learned(X, y)


def tfidf(documents=DOCUMENTS):
    return Model(TfidfCounter(), MultinomialReading()).learned(documents, LABELS)


ABC, ABD = ("a", "b", "c"), ("a", "b", "d")
PAIRS = {
    "space": (text(), text(Analyzer(ngrams=(1, 1))), SpaceError, "ngrams"),
    "hashing": (text(Analyzer(hash=64)), text(Analyzer(hash=128)), SpaceError, "hash size: "),
    "value": (text(), text(value="log"), SpaceError, "value: "),
    "idf": (tfidf(), tfidf(["a a", "b", "c", "d e"]), SpaceError, "idf: "),
    "threshold": (present(), present(threshold=1.0), SpaceError, "binarize: "),
    "domain": (categories(), categories([[0, 1], [1, 0], [2, 1], [0, 0]]), SpaceError, "domain: "),
    "channels of text": (text(), text(channels=("occurrences",)), SpaceError, "different channels"),
    "channels of counts": (counts(), counts(channels=("occurrences", "documents")), SpaceError, "different channels"),
    "kind of label of text": (text(), text(y=[1, 2, 1, 2]), InputError, "labels mix"),
    "kind of label of counts": (counts(), counts(y=[True, False] * 2), InputError, "labels mix"),
    "kind of label of categories": (categories(), categories(y=[1.5, 2.5] * 2), InputError, "labels mix"),
    "kind of label of numbers": (numbers(), numbers(y=[b"x", b"y"] * 2), InputError, "labels mix"),
    "names of counts": (counts(columns=ABC), counts(columns=ABD), SpaceError, "number 2 is 'c' against 'd'|'d' against 'c'"),
    "names of numbers": (numbers(columns=ABC), numbers(columns=ABD), SpaceError, "number 2 is "),
    "names of categories": (categories(columns=ABC[:2]), categories(columns=ABC[1:]), SpaceError, "number 0 is "),
    "width of counts": (counts(), counts(MATRIX[:, :2]), SpaceError, "different numbers of columns"),
    "width of numbers": (numbers(), numbers(MATRIX[:, :2]), SpaceError, "different numbers of columns"),
    "width of categories": (categories(), categories([(*row, 0) for row in VALUES]), SpaceError, "n_columns: "),
    "type": (counts(), numbers(), SpaceError, "different types: (count against moments|moments against count)"),
    "text and columns": (text(), counts(), SpaceError, "feature spaces: kind: "),
    "text and values": (text(), categories(), SpaceError, "feature spaces: kind: "),
}  # fmt: skip
OF_TALLIES = {
    "asked": lambda a, b: a.require_mergeable(b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "sum": lambda a, b: Tally.sum([a, b]),
    "sum of three": lambda a, b: Tally.sum([a, a, b]),
    "built-in sum": lambda a, b: sum([a, b]),
    "nothing of it": lambda a, b: a + b * 0,
}
OF_MODELS = {
    "asked": lambda a, b: a.require_mergeable(b),
    "asked of a tally": lambda a, b: a.require_mergeable(b.tally),
    "+": lambda a, b: a + b,
    "+ tally": lambda a, b: a + b.tally,
    "-": lambda a, b: a - b,
    "- tally": lambda a, b: a - b.tally,
    "sum": lambda a, b: Model.sum([a, b]),
    "sum of three": lambda a, b: Model.sum([a, a, b]),
    "built-in sum": lambda a, b: sum([a, b]),
    "nothing of it": lambda a, b: a + b * 0,
    "after a small part": lambda a, b: a * 3 + a * 0 + b,
}  # fmt: skip


def rows_of(model):
    """Rows that the model can be asked about."""
    counter = model.counter
    if counter.of_documents:
        return DOCUMENTS
    if counter.kind == "categories" and counter.domain == "values":
        return [(*row, 0)[: counter.n_columns] for row in VALUES]
    return MATRIX[:, : counter.n_columns]


def refused(call, *arguments):
    try:
        call(*arguments)
    except (SpaceError, InputError) as error:
        return type(error), str(error)
    return None


# ------------------------------------------------------------------ tallies

any_tally = st.one_of(
    tallies().map(lambda one: one[0]),
    tallies().map(lambda one: one[0] * 0.5),
    st.sampled_from([tally for model, other, *_ in PAIRS.values() for tally in (model.tally, other.tally)]),
)


@given(any_tally, any_tally)
def test_what_is_mergeable_can_be_added_and_nothing_else(a, b):
    refusal = refused(a.require_mergeable, b)
    for call in (lambda: a + b, lambda: Tally.sum([a, b]), lambda: Tally.sum([a, a, b])):
        assert refused(call) == refusal
    backwards = refused(b.require_mergeable, a)
    assert (backwards is None) == (refusal is None), "both ways or not at all"
    assert backwards is None or backwards[0] == refusal[0]
    if refusal is None:
        assert refused(lambda: (a + b) - b) is None
    else:
        assert refused(lambda: a - b) == refusal


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("call", OF_TALLIES)
def test_a_tally_that_lacks_something_is_refused_by_its_name(case, call):
    mine, other, error, words = PAIRS[case]
    for a, b in ((mine.tally, other.tally), (other.tally, mine.tally)):
        with pytest.raises(error, match=words):
            OF_TALLIES[call](a, b)


def test_it_is_asked_before_anything_is_added(monkeypatch):
    monkeypatch.setattr(CountTally, "_merge", lambda *_: pytest.fail("something was added"))
    mine, other = text(), text(Analyzer(ngrams=(1, 1)))
    with pytest.raises(SpaceError, match="ngrams"):
        Tally.sum([mine.tally] * 9 + [other.tally])
    with pytest.raises(SpaceError, match="ngrams"):
        Model.sum([mine] * 9 + [other])


def test_another_unit_or_another_kind_of_feature_is_refused():
    cells = {"ham": {"a": {"occurrences": 1}}}
    plain, units = tally_from({"ham": 1}, cells), tally_from({"ham": 1}, cells, unit=32)
    for call in OF_TALLIES.values():
        with pytest.raises(SpaceError, match=r"units: 2\*\*-0 against 2\*\*-32"):
            call(plain, units)
    columns = CountTally.empty(plain.space, n_columns=3)
    with pytest.raises(SpaceError, match="different features: text against columns"):
        plain + columns


def test_names_on_one_side_are_those_of_the_sum_whichever_side():
    for make in (counts, numbers):
        bare, named = make().tally, make(columns=ABC).tally
        for result in (bare + named, named + bare, Tally.sum([bare, bare, named]), (bare + named) - bare):
            assert result.columns == ABC


# ------------------------------------------------------------------ models


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("call", OF_MODELS)
def test_a_model_refuses_at_once_and_answers_as_before(case, call):
    mine, other, error, words = PAIRS[case]
    for a, b in ((mine, other), (other, mine)):
        before, counter, tally = a.predict_joint_log_proba(rows_of(a)), a.counter, a.tally
        with pytest.raises(error, match=words):
            OF_MODELS[call](a, b)
        assert (a.counter, a.tally) == (counter, tally)
        np.testing.assert_array_equal(a.predict_joint_log_proba(rows_of(a)), before)


BATCHES = {
    "kind of label of text": (text(), DOCUMENTS, [1, 2, 1, 2], "labels mix"),
    "kind of label of counts": (counts(), MATRIX, [1, 2, 1, 2], "labels mix"),
    "kind of label of categories": (categories(), VALUES, [1, 2, 1, 2], "labels mix"),
    "kind of label of numbers": (numbers(), MATRIX, [1, 2, 1, 2], "labels mix"),
    "kind of label of tfidf": (tfidf(), DOCUMENTS, [1, 2, 1, 2], "labels mix"),
    "width of counts": (counts(), MATRIX[:, :2], LABELS, "X has 2 features, but the model is expecting 3"),
    "width of numbers": (numbers(), MATRIX[:, :2], LABELS, "X has 2 features, but the model is expecting 3"),
    "width of categories": (categories(), [(1,)] * 4, LABELS, "X has 1 features, but the model is expecting 2"),
    "names of counts": (counts(columns=ABC), pd.DataFrame(MATRIX, columns=ABD), LABELS, "'d', wanted 'c'"),
    "names of numbers": (numbers(columns=ABC), pd.DataFrame(MATRIX, columns=ABD), LABELS, "'d', wanted 'c'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BATCHES)
@pytest.mark.parametrize("verb", ["learned", "without"])
def test_a_batch_that_cannot_be_added_is_refused_by_the_call_that_brings_it(case, verb):
    model, X, y, words = BATCHES[case]
    before = model.predict_joint_log_proba(rows_of(model))
    for learnt in (model, model * 3 + model):
        with pytest.raises((SpaceError, InputError), match=words):
            getattr(learnt, verb)(X, y)
    np.testing.assert_array_equal(model.predict_joint_log_proba(rows_of(model)), before)


def test_names_that_a_small_later_part_brought_are_asked_for_too():
    one = np.zeros((1, 10), int)
    one[0, 0] = 1
    large = counts(np.arange(1, 41).reshape(4, 10))
    named = large + counts(one, ["x"], columns=tuple("abcdefghij"))
    with pytest.raises(SpaceError, match="number 0 is 'A', wanted 'a'"):
        named + counts(one, ["x"], columns=tuple("ABCDEFGHIJ"))
    assert named.tally.columns == named.counter.columns == tuple("abcdefghij")


def test_the_names_of_the_counter_count_where_the_tally_has_none():
    model = Model(CountCounter(columns=ABC), MultinomialReading(), counts().tally)
    for call in OF_MODELS.values():
        with pytest.raises(SpaceError, match="number 2 is 'c' against 'd'|number 2 is 'd', wanted 'c'"):
            call(model, counts(columns=ABD))
    assert Model.sum([model, counts()]).counter.columns == ABC
    assert Model.sum([counts(), model, counts(columns=ABC)]).counter.columns == ABC


# ------------------------------------------------------------------ models that have learnt nothing

EMPTY = {
    "text": Model(),
    "tfidf": Model(TfidfCounter(), MultinomialReading()),
    "counts": Model(CountCounter(), MultinomialReading()),
    "present": Model(CountCounter(("documents",)), BernoulliReading()),
    "categories": Model(CategoryCounter(), CategoricalReading()),
    "numbers": Model(NumberCounter(), GaussianReading()),
}
LEARNT = {
    "text": text(),
    "tfidf": tfidf(),
    "counts": counts(columns=ABC),
    "present": present(),
    "categories": categories(),
    "numbers": numbers(columns=ABC),
}


@pytest.mark.parametrize("kind", EMPTY)
@pytest.mark.parametrize("other", EMPTY)
def test_an_empty_model_takes_what_its_counter_may_have_counted_and_nothing_else(kind, other):
    empty, learnt = EMPTY[kind], LEARNT[other]
    if kind == other:
        total = empty + learnt
        assert total.tally == learnt.tally
        assert total.counter == learnt.counter
        assert sum([learnt], empty).tally == learnt.tally
        if kind != "tfidf":  # whose idf a tally does not hold
            assert (empty + learnt.tally).counter == learnt.counter
    else:
        for call in (lambda: empty + learnt, lambda: empty + learnt.tally, lambda: empty.require_mergeable(learnt)):
            with pytest.raises((SpaceError, ParameterError)):
                call()
    with pytest.raises(NotLearnedError):
        empty - learnt
    with pytest.raises(NotLearnedError):
        learnt + empty


def test_what_an_empty_model_was_told_is_not_given_up():
    for empty, learnt, words in (
        (Model(TfidfCounter(Analyzer(ngrams=(1, 1))), MultinomialReading()), tfidf(), "ngrams"),
        (Model(CountCounter(columns=ABC), MultinomialReading()), counts(columns=ABD), "number 2"),
        (Model(NumberCounter(n_columns=2), GaussianReading()), numbers(), "numbers of columns: 2 against 3"),
        (
            Model(CategoryCounter(domain="codes"), CategoricalReading()),
            categories(),
            "domain: 'codes' against 'values'",
        ),
        (Model(CategoryCounter(columns=ABC), CategoricalReading()), categories(), "n_columns: 3 against 2"),
        (Model(CategoryCounter(n_columns=3), CategoricalReading()), categories(columns=("a", "b")), "3 against 2"),
    ):
        for part in (learnt, learnt.tally) if learnt.counter.kind != "tfidf" else (learnt,):
            with pytest.raises(SpaceError, match=words):
                empty + part
    named = Model(CountCounter(columns=ABC), MultinomialReading())
    assert (named + counts().tally).counter.columns == ABC


@pytest.mark.parametrize("make", [CountCounter, NumberCounter, CategoryCounter])
def test_names_say_how_many_columns_there_are(make):
    assert make(columns=ABC).n_columns == 3
    assert make(columns=list(ABC)) == make(columns=ABC)
    with pytest.raises(ParameterError, match="3 names for 2 columns"):
        make(columns=ABC, n_columns=2)
    reading = {CountCounter: MultinomialReading, NumberCounter: GaussianReading, CategoryCounter: CategoricalReading}
    with pytest.raises(SpaceError, match="X has 2 features, but the model is expecting 3"):
        Model(make(columns=ABC), reading[make]()).learned(MATRIX[:, :2], LABELS)


def test_what_is_no_model_and_no_tally_is_a_type_error():
    model = text()
    for other in (1, "x", None, [model]):
        for call in (lambda other=other: model + other, lambda other=other: model - other):
            with pytest.raises(TypeError):
                call()
