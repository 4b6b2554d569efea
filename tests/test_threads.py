"""Many threads learn into one estimator while others ask it: no row is lost, and no answer mixes two states."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tallybayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, TextClassifier

COLUMNS = 5
MAKERS: dict[str, Callable[[], Any]] = {
    "TextClassifier": lambda: TextClassifier(new_classes=True),
    "GaussianNB": lambda: GaussianNB(var_smoothing=0.1),
    "MultinomialNB": MultinomialNB,
    "ComplementNB": ComplementNB,
    "BernoulliNB": BernoulliNB,
    "CategoricalNB": CategoricalNB,
}


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    """Python changes threads every 5 ms by itself, longer than a batch here takes to be learnt."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def batch(number: int, text: bool) -> tuple[list[Any], list[str]]:
    """Return six rows that no other batch has; text brings classes of its own from time to time."""
    rng = np.random.default_rng(number)
    labels = [f"class {number // 20 % 7 if text and i == 0 else i % 3}" for i in range(6)]
    if text:
        return [f"word{number} " + " ".join(f"w{w}" for w in rng.integers(0, 40, 8)) for _ in range(6)], labels
    return rng.integers(0, 4, (6, COLUMNS)).tolist(), labels


def race(make: Callable[[], Any], learners: int, askers: int, batches: int, seconds: float) -> None:
    """Let threads learn distinct batches, and others predict meanwhile; then compare with one fit of all batches."""
    text = isinstance(make(), TextClassifier)
    classes = None if text else [f"class {k}" for k in range(3)]
    made = [[batch(learner * batches + number, text) for number in range(batches)] for learner in range(learners)]
    model, learnt, errors = make(), [0] * learners, []
    asked = made[0][0][0] + made[-1][-1][0]
    ready, over, until = threading.Barrier(learners + askers), threading.Event(), time.monotonic() + seconds

    def learn(learner: int) -> None:
        for rows, labels in made[learner]:
            if time.monotonic() > until:
                return
            model.partial_fit(rows, labels, classes=classes)
            learnt[learner] += 1

    def ask(_: int) -> None:
        while not over.is_set():
            if not hasattr(model, "classes_"):
                continue
            known = set(model.classes_.tolist())
            proba, answers = model.predict_proba(asked), model.predict(asked)
            assert known <= set(model.classes_.tolist())  # classes come, and never go
            assert len(known) <= proba.shape[1] <= len(model.classes_)
            assert np.isfinite(proba).all()
            np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
            assert len(answers) == len(asked)
            assert set(answers.tolist()) <= set(model.classes_.tolist())
            snapshot = model.model_
            assert snapshot.predict_proba(asked).shape == (len(asked), len(snapshot.classes))
            assert snapshot.tally.class_count.sum() % 6 == 0  # whole batches only

    def guarded(work: Callable[[int], None], number: int) -> None:
        try:
            ready.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    learning = [threading.Thread(target=guarded, args=(learn, number)) for number in range(learners)]
    asking = [threading.Thread(target=guarded, args=(ask, number)) for number in range(askers)]
    for thread in learning + asking:
        thread.start()
    for thread in learning:
        thread.join()
    over.set()
    for thread in asking:
        thread.join()
    if errors:
        raise errors[0]

    parts = [part for mine, count in zip(made, learnt, strict=True) for part in mine[:count]]
    assert len(parts) > learners
    everything = [row for rows, _ in parts for row in rows], [label for _, labels in parts for label in labels]
    whole = make().partial_fit(*everything, classes=classes)
    assert model.classes_.tolist() == whole.classes_.tolist()
    assert model.class_count_.tolist() == whole.class_count_.tolist()
    assert model.class_count_.sum() == 6 * len(parts)
    if isinstance(model, GaussianNB):
        np.testing.assert_allclose(model.predict_proba(asked), whole.predict_proba(asked), rtol=1e-9)
    else:
        assert model.tally_.digest() == whole.tally_.digest()
        np.testing.assert_array_equal(model.predict_proba(asked), whole.predict_proba(asked))


@pytest.mark.parametrize("name", MAKERS)
def test_threads_that_learn_at_the_same_time_lose_nothing(name: str) -> None:
    race(MAKERS[name], learners=4, askers=2, batches=40, seconds=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["TextClassifier", "MultinomialNB"])
def test_sixteen_threads_for_long_lose_nothing(name: str) -> None:
    race(MAKERS[name], learners=8, askers=8, batches=4000, seconds=20)


def test_threads_that_forget_and_learn_lose_nothing() -> None:
    parts = [batch(number, text=False) for number in range(80)]
    gone, come = parts[:40], parts[40:]
    model = MultinomialNB()
    for part in gone:
        model.partial_fit(*part, classes=["class 0", "class 1", "class 2"])
    forgetting = threading.Thread(target=lambda: [model.forget(*part) for part in gone])
    learning = threading.Thread(target=lambda: [model.partial_fit(*part) for part in come])
    for thread in (forgetting, learning):
        thread.start()
    for thread in (forgetting, learning):
        thread.join()
    whole = MultinomialNB().fit([row for rows, _ in come for row in rows], [y for _, labels in come for y in labels])
    assert model.tally_.digest() == whole.tally_.digest()
