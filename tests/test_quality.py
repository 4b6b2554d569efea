"""Every accuracy and every published number that the project promises, on the real data sets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import laws, same_as_sklearn, systems, text_sets
from benchmarks.results import Row

SLOW = pytest.mark.slow


def reached(rows: Iterator[Row]) -> int:
    """Assert that every row is what was wanted; return how many there were."""
    count = 0
    for row in rows:
        assert row.reached is not False, f"{row.data}, {row.setting}: wanted {row.wanted}, got {row.got}"
        count += 1
    return count


def test_the_article_classifier_is_right_on_613_and_614_articles(shared: Path) -> None:
    assert reached(systems.articles(shared)) == 4


def test_the_textbook_example_gives_its_fractions(tmp_path: Path) -> None:
    assert reached(systems.textbook(tmp_path)) == 8


@SLOW
def test_the_mail_filter_gives_the_published_accuracies(shared: Path) -> None:
    pytest.importorskip("jieba")
    assert reached(systems.mail(shared)) == 9


@SLOW
def test_the_defaults_reach_their_accuracies(shared: Path) -> None:
    assert reached(text_sets.defaults(shared)) == 6


@SLOW
def test_the_defaults_reach_their_accuracy_on_reviews(shared: Path) -> None:
    assert reached(text_sets.sentiment(shared)) == 1


def test_the_defaults_reach_their_accuracy_on_text_messages(shared: Path) -> None:
    from benchmarks import sets

    assert text_sets.accuracy(sets.sms_spam(shared)) >= 0.981


@SLOW
def test_one_documented_option_each_reaches_more(shared: Path) -> None:
    assert reached(text_sets.options(shared)) == 2


@SLOW
def test_scores_are_those_of_scikit_learn(shared: Path) -> None:
    assert reached(same_as_sklearn.text(shared)) == 3 * (5 * 3 + 1)


def test_scores_on_text_messages_are_those_of_scikit_learn(shared: Path) -> None:
    assert reached(islice(same_as_sklearn.text(shared), 16)) == 16


@SLOW
def test_the_digest_does_not_depend_on_cuts_order_or_threads(shared: Path) -> None:
    assert reached(laws.digest(shared)) == 24


@SLOW
def test_forgetting_is_exact(shared: Path) -> None:
    assert reached(laws.forget(shared)) == 2


@SLOW
def test_merging_is_exact(shared: Path) -> None:
    assert reached(laws.merge(shared)) == 6
