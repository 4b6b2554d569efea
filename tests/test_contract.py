"""What holds for every fitted object, whatever its rows and its event model are: one suite, one table.

A new kind of column or event model is one row of `KINDS`.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tallybayes import (
    Analyzer,
    BernoulliNB,
    BernoulliReading,
    CategoricalNB,
    CategoricalReading,
    CategoryCounter,
    ComplementNB,
    ComplementReading,
    CountCounter,
    ForgetError,
    GaussianNB,
    GaussianReading,
    InputError,
    InputTypeError,
    Model,
    MultinomialNB,
    MultinomialReading,
    NotLearnedError,
    NumberCounter,
    ParameterError,
    SpaceError,
    TallyBayesError,
    TextClassifier,
    TextCounter,
    TfidfCounter,
    load,
)

NAN = float("nan")
CLASSES = ["ham", "spam", "tea"]
LABELS = ["spam", "spam", "ham", "ham", "tea", "tea", "ham", "tea", "spam", "tea", "ham", "spam"]
EVERYONE = np.arange(len(LABELS))

DOCUMENTS = [
    "cheap pills buy now", "买 彩票 发财", "lunch at noon", "明天 开会", "buy tea, green tea", "绿茶 红茶",
    "cheap lunch now", "noon tea", "pills pills pills", "发财 买 茶", "see you at noon", "buy now cheap",
]  # fmt: skip
_DRAWN = np.random.default_rng(7)
COUNTS = _DRAWN.poisson(1.2, (12, 4)).tolist()
CODES = _DRAWN.integers(0, 3, (12, 4)).tolist()
VALUES = [["red" if code else "green", "round" if code % 2 else 7, *row[2:]] for row in CODES for code in row[:1]]
NUMBERS = _DRAWN.normal(size=(12, 4)).round(3).tolist()
GAPS = [[NAN if (i + j) % 5 == 0 else x for j, x in enumerate(row)] for i, row in enumerate(NUMBERS)]

WORDS = Analyzer(ngrams=(1, 1))


@dataclass(frozen=True)
class Kind:
    """How one kind of fitted object comes about.

    `make` gives an empty one; `bad` are rows that it refuses; `reread` are parameters of its reading, `counted` is one
    that says how rows are counted; `others` make objects that were counted otherwise, and so cannot be added.
    """

    name: str
    make: Callable[[], Any]
    rows: list[Any]
    bad: list[Any]
    counted: dict[str, Any]
    others: list[Callable[[], Any]]
    reread: dict[str, Any] = field(default_factory=lambda: {"alpha": 0.3, "prior": "uniform"})
    exact: bool = True
    derives: bool = True

    def __repr__(self) -> str:
        return self.name


def text_model(reading: Any = None, **settings: Any) -> Callable[[], Model]:
    return lambda: Model(TextCounter(**{"analyzer": WORDS, **settings}), reading)


def column_model(counter: Any, reading: Any) -> Callable[[], Model]:
    return lambda: Model(counter, reading)


def tfidf_model(n_documents: int = len(DOCUMENTS)) -> Model:
    """The idf is frozen by a first pass over all documents; only then may they come in parts."""
    counter = TfidfCounter(WORDS)
    draft = Model(counter.draft).count(DOCUMENTS[:n_documents], LABELS[:n_documents])
    return Model(counter, MultinomialReading()).settled_by(draft)


def narrower(make: Callable[[], Any], rows: list[Any]) -> Callable[[], Any]:
    return lambda: learn(make(), [row[:-1] for row in rows[:2]], LABELS[:2])


def counted_by(make: Callable[[], Any], rows: list[Any]) -> Callable[[], Any]:
    return lambda: learn(make(), rows[:2], LABELS[:2])


def kind_of_text(name: str, make: Callable[[], Any], *others: Callable[[], Any], **more: Any) -> Kind:
    return Kind(
        name,
        make,
        DOCUMENTS,
        [None, 3, b"\xff"],
        {"tokens": "chars"},
        [counted_by(other, DOCUMENTS) for other in others],
        **more,
    )


def kind_of_columns(
    name: str, make: Callable[[], Any], rows: list[Any], bad: list[Any], counted: dict[str, Any],
    *others: tuple[Callable[[], Any], list[Any]], **more: Any,
) -> Kind:  # fmt: skip
    made = [narrower(make, rows), *(counted_by(*other) for other in others)]
    return Kind(name, make, rows, [*bad, rows[0][:-1], {"w": 1}], counted, made, **more)


HASHED = Analyzer(ngrams=(1, 1), hash=64)
PRESENCE = CountCounter(("documents",))
GAUSSIAN = {"reread": {"var_smoothing": 0.5, "prior": "uniform"}, "exact": False}
SMOOTH = GaussianReading(var_smoothing=0.1)  # a class may have one value only in a column
NEGATIVE, NO_NUMBER, INFINITE, WORD = [1, -1, 0, 2], [1, NAN, 0, 2], [1.0, math.inf, 0.0, 0.0], [0, "a", 1, 2]

KINDS = [
    kind_of_text("text", text_model(), text_model(analyzer=Analyzer()), text_model(channels=("occurrences",)), text_model(value="log")),
    kind_of_text("text, hashed", text_model(analyzer=HASHED), text_model(analyzer=Analyzer(ngrams=(1, 1), hash=128)), text_model()),
    kind_of_text("text, log", text_model(MultinomialReading(), value="log"), text_model(MultinomialReading())),
    kind_of_text("tf-idf", tfidf_model, lambda: tfidf_model(7), text_model(MultinomialReading()), exact=False),
    kind_of_columns(
        "counts", column_model(CountCounter(), MultinomialReading()), COUNTS, [NEGATIVE, WORD], {"channels": ("documents",)},
        (column_model(PRESENCE, BernoulliReading()), COUNTS), (column_model(CountCounter(("occurrences", "documents")), MultinomialReading()), COUNTS),
    ),
    kind_of_columns(
        "presence", column_model(PRESENCE, BernoulliReading()), COUNTS, [NO_NUMBER, INFINITE, WORD], {"threshold": 1.0},
        (column_model(CountCounter(), ComplementReading()), COUNTS), (column_model(CountCounter(("documents",), 1.0), BernoulliReading()), COUNTS),
    ),
    kind_of_columns(
        "categories, codes", column_model(CategoryCounter(), CategoricalReading()), CODES, [NEGATIVE, WORD], {"domain": "values"},
        (column_model(CategoryCounter(), CategoricalReading()), VALUES),
    ),
    kind_of_columns(
        "categories, values", column_model(CategoryCounter(), CategoricalReading()), VALUES, [[{}, 7, 1, 1]], {"domain": "codes"},
        (column_model(CategoryCounter(), CategoricalReading()), CODES),
    ),
    kind_of_columns(
        "numbers", column_model(NumberCounter(), SMOOTH), NUMBERS, [NO_NUMBER, INFINITE, WORD], {"missing": "skip"},
        (column_model(CountCounter(), MultinomialReading()), COUNTS), **GAUSSIAN,
    ),
    kind_of_columns("numbers with gaps", column_model(NumberCounter("skip"), SMOOTH), GAPS, [INFINITE, WORD], {"missing": "error"}, **GAUSSIAN),
    kind_of_text("TextClassifier", TextClassifier, lambda: TextClassifier(ngrams=(1, 1)), lambda: TextClassifier(channels=("documents",), event_model="bernoulli")),
    kind_of_columns("GaussianNB", lambda: GaussianNB(var_smoothing=0.1), NUMBERS, [INFINITE, WORD], {"missing": "skip"}, **GAUSSIAN),
    kind_of_columns("MultinomialNB", MultinomialNB, COUNTS, [NEGATIVE, WORD], {}),
    kind_of_columns("ComplementNB", ComplementNB, COUNTS, [NEGATIVE, WORD], {}),
    kind_of_columns("BernoulliNB", BernoulliNB, COUNTS, [NO_NUMBER, INFINITE, WORD], {"binarize": 1.0}, (lambda: BernoulliNB(binarize=2.0), COUNTS)),
    kind_of_columns("CategoricalNB", CategoricalNB, CODES, [NEGATIVE, WORD], {"missing": "skip"}, (CategoricalNB, VALUES)),
]  # fmt: skip

every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)
every_column = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.rows is not DOCUMENTS], ids=str)
every_estimator = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name[0].isupper()], ids=str)


# One way to call models, which give new ones, and estimators, which change.


def model_of(it: Any) -> Model:
    return it if isinstance(it, Model) else it.model_


def learn(it: Any, rows: Any, labels: Any) -> Any:
    if isinstance(it, Model):
        return it.learned(rows, labels)
    return it.partial_fit(rows, labels, classes=None if hasattr(it, "classes_") else CLASSES)


def forget(it: Any, rows: Any, labels: Any) -> Any:
    return it.without(rows, labels) if isinstance(it, Model) else it.forget(rows, labels)


def learnt(kind: Kind, positions: Any = EVERYONE, it: Any = None) -> Any:
    return learn(kind.make() if it is None else it, take(kind.rows, positions), take(LABELS, positions))


def take(values: list[Any], positions: Any) -> list[Any]:
    return [values[i] for i in positions]


def joint(it: Any, kind: Kind) -> Any:
    return it.predict_joint_log_proba(kind.rows)


def assert_same_answers(one: Any, other: Any, kind: Kind) -> None:
    """Bit for bit."""
    assert model_of(one).classes.tolist() == model_of(other).classes.tolist()
    np.testing.assert_array_equal(joint(one, kind), joint(other, kind), strict=True)
    np.testing.assert_array_equal(one.predict_proba(kind.rows), other.predict_proba(kind.rows), strict=True)
    np.testing.assert_array_equal(one.predict(kind.rows), other.predict(kind.rows), strict=True)


def assert_learnt_the_same(one: Any, other: Any, kind: Kind) -> None:
    """The digest, and answers bit for bit; sums of fractions to rounding."""
    if kind.exact:
        assert model_of(one).tally.digest() == model_of(other).tally.digest()
        assert_same_answers(one, other, kind)
    else:
        with pytest.raises(InputError, match="no digest"):
            model_of(one).tally.digest()
        np.testing.assert_allclose(model_of(one).tally.class_count, model_of(other).tally.class_count, rtol=1e-12)
        np.testing.assert_allclose(joint(one, kind), joint(other, kind), rtol=1e-8, atol=1e-8)


def counted_like(rest: Any, never: Any) -> Any:
    """A model that never saw what `rest` forgot, without what was frozen from it: the idf of words that left with it."""
    return Model(rest.counter, never.reading, never.tally) if isinstance(never, Model) else never


class Before:
    """What an object was before a call that must change nothing."""

    def __init__(self, it: Any, kind: Kind) -> None:
        self.it, self.kind = it, kind
        self.model, self.tally, self.joint = model_of(it), model_of(it).tally, joint(it, kind)
        self.parameters = vars(it).copy()

    def assert_as_it_was(self) -> None:
        assert model_of(self.it) is self.model
        assert self.model.tally is self.tally
        np.testing.assert_array_equal(joint(self.it, self.kind), self.joint, strict=True)
        if not isinstance(self.it, Model):
            assert vars(self.it) == self.parameters


# Learning, forgetting, merging


@every_kind
def test_learning_in_any_cutting_and_order_is_learning_at_once(kind: Kind) -> None:
    whole = learnt(kind)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cut = kind.make()
        for part in np.array_split(rng.permutation(EVERYONE), rng.integers(2, len(EVERYONE) + 1)):
            cut = learnt(kind, part, cut)
        assert_learnt_the_same(cut, whole, kind)
    if not isinstance(whole, Model):
        assert_learnt_the_same(kind.make().fit(kind.rows, LABELS), whole, kind)


@every_kind
def test_what_was_forgotten_was_never_learnt(kind: Kind) -> None:
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(EVERYONE)
        gone, kept = order[:4], np.concatenate((order[4:], np.arange(6)))  # all classes stay
        both = learnt(kind, gone, learnt(kind, kept))
        rest = forget(both, take(kind.rows, gone), take(LABELS, gone))
        assert_learnt_the_same(rest, counted_like(rest, learnt(kind, kept)), kind)


@every_kind
def test_merging_is_learning_together(kind: Kind) -> None:
    first, second = np.arange(0, 7), np.arange(7, 12)
    a, b, whole = learnt(kind, first), learnt(kind, second), learnt(kind)
    before = Before(a, kind), Before(b, kind)
    for merged in (a + b, b + a, sum([a, b]), learnt(kind, second, copy.deepcopy(a))):
        assert type(merged) is type(a)
        assert_learnt_the_same(merged, whole, kind)
    assert_learnt_the_same(a + b - b, counted_like(a + b - b, a), kind)
    if isinstance(a, Model):
        assert_learnt_the_same(Model.sum([a, b]), whole, kind)
        assert_learnt_the_same(a + b.tally, whole, kind)
        assert_learnt_the_same(whole - b.tally, counted_like(whole - b.tally, a), kind)
        assert_learnt_the_same(kind.make() + a + b, whole, kind)
    for each in before:
        each.assert_as_it_was()


# What cannot be learnt changes nothing


@every_kind
def test_what_was_counted_otherwise_is_refused_by_the_call_that_brings_it(kind: Kind) -> None:
    it = learnt(kind)
    before = Before(it, kind)
    for other in (make() for make in kind.others):
        refused: list[Callable[[], Any]] = [lambda other=other: it + other, lambda other=other: it - other]  # type: ignore[misc]
        if isinstance(it, Model):
            refused += [lambda other=other: it + other.tally, lambda other=other: Model.sum([it, other])]  # type: ignore[misc]
            refused += [lambda other=other: it.require_mergeable(other)]  # type: ignore[misc]
        for call in refused:
            with pytest.raises(SpaceError, match=r"^these tallies (are|count|hold|have) .*( against |different)"):
                call()
            before.assert_as_it_was()


@every_kind
def test_labels_of_another_kind_are_refused_by_the_call_that_brings_them(kind: Kind) -> None:
    it = learnt(kind)
    before = Before(it, kind)
    numbers = [CLASSES.index(label) for label in LABELS]
    for n in (1, len(numbers)):  # a small part is not added up at once
        for call in (learn, forget):
            with pytest.raises(InputError, match="mix text and numbers|unknown label"):
                call(it, kind.rows[:n], numbers[:n])
            before.assert_as_it_was()
        other = kind.make()
        other = other.learned(kind.rows[:n], numbers[:n]) if isinstance(other, Model) else other.fit(kind.rows, numbers)
        with pytest.raises(InputError, match="labels mix text and numbers"):
            it + other
        before.assert_as_it_was()


@every_column
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_columns_of_another_name_order_or_number_are_refused_by_the_call_that_brings_them(kind: Kind) -> None:
    names = ["w", "x", "y", "z"]
    it = learn(kind.make(), pd.DataFrame(kind.rows, columns=names), LABELS)
    framed = Kind(**{**vars(kind), "rows": pd.DataFrame(kind.rows, columns=names)})
    before = Before(it, framed)
    assert list(model_of(it).counter.columns) == list(model_of(it).tally.columns) == names
    for wrong in (["x", "w", "y", "z"], ["w", "x", "y", "other"]):
        frame = pd.DataFrame(kind.rows, columns=wrong)
        for call in (learn, forget, lambda it, X, _: it.predict(X), lambda it, X, _: it.explain(X[:1])):
            with pytest.raises(ValueError, match="feature names|the columns are not those of the model"):
                call(it, frame, LABELS)
            before.assert_as_it_was()
        with pytest.raises(SpaceError, match="these tallies have different columns: number"):
            it + learn(kind.make(), frame, LABELS)
        with pytest.raises(SpaceError, match="these tallies have different columns: number"):
            Model(before.model.counter, before.model.reading, model_of(learn(kind.make(), frame, LABELS)).tally)
        before.assert_as_it_was()
    for rows in ([row[:3] for row in kind.rows], [[*row, row[0]] for row in kind.rows]):
        for call in (learn, forget, lambda it, X, _: it.predict(X), lambda it, X, _: it.explain(X[0])):
            with pytest.raises(ValueError, match="features, but .* is expecting 4 features"):
                call(it, rows, LABELS)
            before.assert_as_it_was()


@every_kind
def test_an_interrupt_leaves_everything_as_it_was(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    it = learnt(kind)
    before = Before(it, kind)
    counter = type(model_of(it).counter)
    count = counter.count

    def interrupted(*arguments: Any) -> Any:
        count(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(counter, "count", interrupted)
    calls = [learn, forget]
    if not isinstance(it, Model):
        calls.append(lambda it, X, y: it.fit(X, y))
    for call in calls:
        with pytest.raises(KeyboardInterrupt):
            call(it, kind.rows, LABELS)
        before.assert_as_it_was()
    empty = kind.make()
    with pytest.raises(KeyboardInterrupt):
        learn(empty, kind.rows, LABELS)
    monkeypatch.undo()
    assert_learnt_the_same(learn(empty, kind.rows, LABELS), it, kind)


@every_kind
def test_a_bad_row_is_named_and_leaves_everything_as_it_was(kind: Kind) -> None:
    it = learnt(kind)
    before = Before(it, kind)
    calls = [learn, forget, lambda it, X, _: it.predict(X)]
    if not isinstance(it, Model):
        calls.append(lambda it, X, y: it.fit(X, y))
    for call in calls:
        with pytest.raises((InputError, InputTypeError), match=r"(row|document) 12\b"):
            call(it, [*kind.rows, kind.bad[0]], [*LABELS, "ham"])
        before.assert_as_it_was()
    for call in calls[:3]:  # another `fit` might take values for what they are
        for bad in kind.bad:
            with pytest.raises(TallyBayesError if isinstance(it, Model) else (ValueError, TypeError)):
                call(it, [*kind.rows, bad], [*LABELS, "ham"])
            before.assert_as_it_was()
    for bad in kind.bad:
        with pytest.raises(TallyBayesError):
            it.explain(bad)


# Files, copies, snapshots


@every_kind
def test_a_saved_or_copied_one_answers_bit_for_bit_alike(kind: Kind, tmp_path: Path) -> None:
    it = learnt(kind)
    for suffix in ("tally", "json"):
        path, again = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
        it.save(path)
        loads: list[Any] = [load, Model.load, type(it).load]
        if suffix == "tally":
            loads.append(lambda path: load(path, verify="structure"))
        for read in loads:
            loaded = read(path)
            assert_same_answers(loaded, it, kind)
            assert model_of(loaded).counter == model_of(it).counter
            assert model_of(loaded).reading == model_of(it).reading
            loaded.save(again)
            assert again.read_bytes() == path.read_bytes()
    for copied in (pickle.loads(pickle.dumps(it)), copy.deepcopy(it), copy.copy(it)):
        assert type(copied) is type(it)
        assert_same_answers(copied, it, kind)
        assert_learnt_the_same(learnt(kind, EVERYONE, copied), learnt(kind, EVERYONE, learnt(kind)), kind)
    assert_same_answers(it, learnt(kind), kind)  # what the copies learnt is not in it


@every_kind
def test_a_snapshot_answers_as_before_whatever_is_learnt_meanwhile(kind: Kind) -> None:
    it = learnt(kind, np.arange(8))
    answers = model_of(it).answers
    before = (
        answers.joint(kind.rows),
        answers.proba(kind.rows),
        answers.predict(kind.rows),
        str(answers.explain(kind.rows[0])),
    )
    later = learnt(kind, np.arange(8, 12), it)
    assert not np.array_equal(joint(later, kind), before[0])
    after = (
        answers.joint(kind.rows),
        answers.proba(kind.rows),
        answers.predict(kind.rows),
        str(answers.explain(kind.rows[0])),
    )
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


# Parameters


@every_estimator
def test_parameters_come_into_force_at_the_next_fit_only(kind: Kind, tmp_path: Path) -> None:
    it, untouched = learnt(kind, np.arange(8)), learnt(kind, np.arange(8))
    it.set_params(**kind.reread, **kind.counted)
    assert_same_answers(it, untouched, kind)
    learnt(kind, np.arange(8, 12), it)
    learnt(kind, np.arange(8, 12), untouched)
    assert_same_answers(it, untouched, kind)
    it.save(tmp_path / "m.tally")
    assert_same_answers(load(tmp_path / "m.tally"), untouched, kind)
    it.fit(kind.rows, LABELS)
    assert_same_answers(it, kind.make().set_params(**kind.reread, **kind.counted).fit(kind.rows, LABELS), kind)
    assert not np.array_equal(joint(it, kind), joint(untouched, kind))


@every_kind
def test_rereading_is_learning_with_that_reading(kind: Kind) -> None:
    it = learnt(kind)
    before = Before(it, kind)
    reread = it.reread(**kind.reread)
    if isinstance(it, Model):
        expected = learnt(kind, EVERYONE, kind.make().reread(**kind.reread))
    else:
        expected = learnt(kind, EVERYONE, kind.make().set_params(**kind.reread))
    assert_same_answers(reread, expected, kind)
    assert not np.array_equal(joint(reread, kind), joint(it, kind))
    before.assert_as_it_was()
    for wrong in ({"no_such": 1}, {name: -1 for name in kind.reread if name != "prior"}, {"prior": [0.5, 0.5]}):
        with pytest.raises(ParameterError):
            it.reread(**wrong)
        before.assert_as_it_was()


@every_kind
def test_what_says_how_rows_are_counted_cannot_be_read_otherwise(kind: Kind) -> None:
    it = learnt(kind)
    before = Before(it, kind)
    for name, value in kind.counted.items():
        with pytest.raises(ParameterError, match=name):
            it.reread(**{name: value})
        before.assert_as_it_was()


@every_column
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_names_of_columns_on_one_side_only_are_kept(kind: Kind) -> None:
    names = ["w", "x", "y", "z"]
    frame = pd.DataFrame(kind.rows, columns=names)
    named, nameless = learn(kind.make(), frame, LABELS), learnt(kind)
    if kind.exact:
        assert model_of(named).tally.digest() == model_of(nameless).tally.digest()
    twice = learnt(kind, EVERYONE, learnt(kind))
    for both in (named + nameless, nameless + named, sum([nameless, named])):
        assert list(model_of(both).tally.columns) == list(model_of(both).counter.columns) == names
        assert {part.feature.split(" = ")[0] for part in both.explain(kind.rows[1]).contributions} <= set(names)
        np.testing.assert_allclose(both.predict_proba(frame), twice.predict_proba(kind.rows), rtol=1e-9)
        with pytest.raises(ValueError, match="feature names|the columns are not those"):
            both.predict(frame[names[::-1]])


# Answers


@every_kind
def test_the_answer_is_the_first_of_the_most_probable_classes(kind: Kind) -> None:
    it = learnt(kind)
    proba, log_proba = it.predict_proba(kind.rows), it.predict_log_proba(kind.rows)
    assert not np.isnan(proba).any()
    assert not np.isnan(log_proba).any()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_proba), proba, rtol=1e-12)
    assert it.predict(kind.rows).tolist() == model_of(it).classes[proba.argmax(axis=1)].tolist()
    assert it.decide(kind.rows).tolist() == it.predict(kind.rows).tolist()
    best, shares = model_of(it).answers.top(kind.rows, 2)
    assert (best[:, 0] == proba.argmax(axis=1)).all()
    np.testing.assert_array_equal(shares[:, 0], proba.max(axis=1))
    for i in range(0, len(kind.rows), 5):
        np.testing.assert_array_equal(it.predict_proba(kind.rows[i : i + 1])[0], proba[i])
    for labels in (["tea", "ham"], ["ham", "tea"]):
        twins = kind.make()
        pair = [kind.rows[6], kind.rows[6]]
        twins = twins.learned(pair, labels) if isinstance(twins, Model) else twins.fit(pair, labels)
        assert twins.predict(pair).tolist() == ["ham", "ham"]
        assert twins.predict_proba(pair).tolist() == [[0.5, 0.5]] * 2


@every_kind
def test_prior_and_likelihood_are_apart_and_come_to_the_joint_score(kind: Kind) -> None:
    model = model_of(learnt(kind))
    scores, rows = model.answers.scores, model.counter.check(kind.rows)
    likelihood = np.zeros((len(rows), len(model.classes)))
    scores.add_likelihood(rows, likelihood)
    twice = likelihood.copy()
    scores.add_likelihood(rows, twice)
    np.testing.assert_allclose(likelihood + scores.start, scores.joint(rows), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(twice, 2 * likelihood, rtol=1e-15)
    if scores.prior_enters:
        np.testing.assert_array_equal(scores.start, scores.log_prior)


@every_kind
def test_the_terms_of_an_explanation_are_the_log_odds_of_the_kernel(kind: Kind) -> None:
    it = learnt(kind, np.arange(10))
    scores = joint(it, kind)
    for row, of_row in zip(kind.rows, scores.tolist(), strict=True):
        for of, against in ((0, 1), (2, 0), (1, 2)):
            explanation = it.explain(row, of=CLASSES[of], against=CLASSES[against])
            parts = [explanation.prior, explanation.bias, *(part.value for part in explanation.contributions)]
            odds = of_row[of] - of_row[against]
            assert explanation.log_odds == odds
            assert abs(math.fsum(parts) - odds) <= 1e-12 * math.fsum(map(abs, [*parts, of_row[of], of_row[against]]))
        assert it.explain(row).of == it.explain(row).answer == it.predict([row])[0]


@every_kind
def test_a_derivation_comes_to_the_answer_of_predict(kind: Kind) -> None:
    it = learnt(kind, np.arange(10))
    if not kind.derives:
        with pytest.raises(ParameterError, match="has no derivation; explain works for it"):
            it.derive(kind.rows[0])
        return
    for row, answer, shares in zip(kind.rows, it.predict(kind.rows), it.predict_proba(kind.rows), strict=True):
        derivation = it.derive(row, features=3, classes=2)
        assert derivation.answer == answer
        logs = np.array([each.log for each in derivation.joint])
        np.testing.assert_allclose(np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum(), shares, rtol=1e-9)


# The same words in the same errors


@every_kind
def test_nothing_is_answered_before_something_was_learnt(kind: Kind, tmp_path: Path) -> None:
    it = kind.make()
    if isinstance(it, Model):
        error, words = NotLearnedError, "^this model has learnt nothing yet: learn rows with labels first$"
    else:
        from sklearn.exceptions import NotFittedError

        error, words = NotFittedError, f"^This {kind.name} instance is not fitted yet. Call 'fit' with appropriate"
    for name in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decide"):
        with pytest.raises(error, match=words):
            getattr(it, name)(kind.rows)
    for name in ("explain", "derive"):
        with pytest.raises(error, match=words):
            getattr(it, name)(kind.rows[0])
    with pytest.raises(error, match=words):
        it.save(tmp_path / "m.tally")
    assert not list(tmp_path.iterdir())


@every_kind
def test_one_mistake_has_one_wording(kind: Kind) -> None:
    it = learnt(kind)

    def says(call: Callable[[], Any], error: type[TallyBayesError], words: str) -> None:
        before = Before(it, kind)
        with pytest.raises(error) as caught:
            call()
        assert re.fullmatch(words, str(caught.value)), str(caught.value)
        before.assert_as_it_was()

    row = kind.rows[0]
    known = "unknown label 'nobody'.*; the known classes are 'ham', 'spam' and 'tea'"
    says(lambda: it.explain(row, of="nobody"), InputError, known)
    says(lambda: it.explain(row, against="nobody"), InputError, known)
    both = "an explanation compares two classes; of and against are both 'ham'"
    says(lambda: it.explain(row, of="ham", against="ham"), ParameterError, both)
    single = kind.make()
    single = (
        single.learned(kind.rows[:2], ["ham"] * 2)
        if isinstance(single, Model)
        else single.fit(kind.rows[:2], ["ham"] * 2)
    )
    alone = "an explanation compares two classes; this model has learnt one only"
    says(lambda: single.explain(row), ParameterError, alone)
    gone = "class '(ham|spam|tea)'.*: [0-9.]+ (rows|documents|occurrences) to take out, but only [0-9.]+ are in; nothing was changed"
    says(lambda: forget(it, kind.rows * 2, LABELS * 2), ForgetError, gone)
    says(lambda: learn(it, kind.rows, LABELS[:-1]), InputError, ".*12.*11.*|.*11.*12.*") if isinstance(
        it, Model
    ) else None
