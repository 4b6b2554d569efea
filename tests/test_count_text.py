"""Counting text: the kernel against its slow twin."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import kernel
from twins.counting import cells_of, count_documents, tallybayes_hash

from tallybayes import _kernel

WORDS = [
    "a",
    "b",
    "ab",
    "free",
    "Free",
    "seventeenletters1",
    "seventeenletters2",
    "sixteenletters16",
    "钱",
    "免费 领取",
    "é" * 9,
]
documents_of_words = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
texts = documents_of_words | st.text(max_size=40)
CLASSES = [1, 2, 7, 300]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[int], int]:
    n_classes = draw(st.sampled_from(CLASSES))
    documents = draw(st.lists(texts, max_size=12))
    classes = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(documents), max_size=len(documents)))
    return documents, classes, n_classes


all_rules = st.builds(
    kernel.rules,
    tokens=st.sampled_from(["words", "sklearn", "space", "chars"]),
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
)
wanted = st.sampled_from([(True, False), (False, True), (True, True)])
threads = st.integers(1, 3)
seeds = st.integers(0, 2**64 - 1)


def count(documents: list[str], classes: list[int], n_classes: int, rules: Any, **more: Any) -> Any:
    return kernel.count_text(_kernel.Documents(documents), np.array(classes, np.int32), n_classes, rules, **more)


def channels(out: Any) -> list[Any]:
    return [out[name] for name in ("occurrences", "documents") if name in out]


def features(documents: list[str], rules: Any) -> list[list[bytes]]:
    return _kernel.features(_kernel.Documents(documents), rules)


@given(corpora(), all_rules, wanted, st.sampled_from(["count", "binary", "log"]), threads, seeds)
def test_counts_equal_the_twin(corpus, rules, which, value, jobs, seed):
    documents, classes, n = corpus
    occurrences, channel = which
    out = count(documents, classes, n, rules, occurrences=occurrences, documents_channel=channel, value=value,
                n_jobs=jobs, seed=seed)  # fmt: skip
    twin = count_documents(features(documents, rules), classes, None, occurrences=occurrences,
                           documents_channel=channel, value=value)  # fmt: skip
    assert all(values.dtype == np.int64 for values in channels(out))
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


@given(corpora(), all_rules, wanted, st.sampled_from(["count", "binary", "log"]), threads, st.data())
def test_whole_weights_multiply(corpus, rules, which, value, jobs, data):
    documents, classes, n = corpus
    occurrences, channel = which
    weights = data.draw(st.lists(st.integers(0, 5), min_size=len(documents), max_size=len(documents)))
    out = count(documents, classes, n, rules, occurrences=occurrences, documents_channel=channel, value=value,
                whole_weights=np.array(weights, np.int64), n_jobs=jobs)  # fmt: skip
    twin = count_documents(features(documents, rules), classes, weights, occurrences=occurrences,
                           documents_channel=channel, value=value)  # fmt: skip
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


@given(corpora(), all_rules, threads, st.data())
def test_fractional_weights_give_floats(corpus, rules, jobs, data):
    documents, classes, n = corpus
    eighths = st.integers(0, 40).map(lambda k: k / 8)  # so that sums of doubles are exact
    weights = data.draw(st.lists(eighths, min_size=len(documents), max_size=len(documents)))
    out = count(documents, classes, n, rules, weights=np.array(weights), documents_channel=True, n_jobs=jobs)
    twin = count_documents(features(documents, rules), classes, weights, occurrences=True, documents_channel=True)
    assert all(values.dtype == np.float64 for values in channels(out))
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


@given(corpora(), all_rules, st.sampled_from([1, 2, 64, 2**16]), wanted, threads)
def test_hashed_counts_are_counts_of_hashes(corpus, rules, size, which, jobs):
    documents, classes, n = corpus
    occurrences, channel = which
    out = count(
        documents, classes, n, rules, columns=size, occurrences=occurrences, documents_channel=channel, n_jobs=jobs
    )
    hashed = [[tallybayes_hash(f) % size for f in each] for each in features(documents, rules)]
    twin = count_documents(hashed, classes, None, occurrences=occurrences, documents_channel=channel)
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


@given(st.lists(st.lists(st.sampled_from([w for w in WORDS if w != "钱"]), max_size=30).map(" ".join), max_size=6))
def test_murmur_columns_are_those_of_hashing_vectorizer(documents):
    from sklearn.feature_extraction.text import HashingVectorizer

    vectorizer = HashingVectorizer(n_features=2**10, alternate_sign=False, norm=None, ngram_range=(1, 2))
    rules = kernel.rules(tokens="sklearn", fold="lower", ngrams=(1, 2))
    out = count(documents, [0] * len(documents), 1, rules, columns=2**10, murmur=True)
    wanted_sums = np.asarray(vectorizer.transform(documents or [""]).sum(axis=0)).ravel()
    assert out["columns"].tolist() == np.flatnonzero(wanted_sums).tolist()
    assert out["occurrences"].tolist() == wanted_sums[wanted_sums > 0].tolist()


@given(corpora(), st.data())
def test_order_threads_and_seed_do_not_matter(corpus, data):
    documents, classes, n = corpus
    rules = kernel.rules()
    order = data.draw(st.permutations(range(len(documents))))
    one = count(documents, classes, n, rules, documents_channel=True)
    other = count([documents[i] for i in order], [classes[i] for i in order], n, rules, documents_channel=True,
                  n_jobs=data.draw(threads), seed=data.draw(seeds))  # fmt: skip
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name])


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("value", ["count", "log"])
def test_a_vocabulary_that_outgrows_its_table_many_times(jobs, value):
    rng = np.random.default_rng(0)
    documents = [" ".join(f"w{w}{'x' * (w % 30)}" for w in rng.integers(0, 60_000, 400)) for _ in range(300)]
    classes = [i % 3 for i in range(300)]
    rules = kernel.rules(tokens="space", ngrams=(1, 1))
    out = count(documents, classes, 3, rules, documents_channel=True, value=value, n_jobs=jobs)
    twin = count_documents([d.encode().split() for d in documents], classes, None, occurrences=True,
                           documents_channel=True, value=value)  # fmt: skip
    assert len(out["indptr"]) > 50_000
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


def test_neighbours_that_differ_only_in_their_first_bytes_stay_apart():
    """Features are sorted by their first two bytes, then by the rest: equal rests side by side are two features."""
    rules = kernel.rules("space", (1, 1), fold="none")
    words = ["a", "b", "kne", "koe", "lneeeeeeeeeeee", "loeeeeeeeeeeee"]
    for jobs in (1, 2, 3):
        out = count([" ".join(words), " ".join(words[::2]), ""], [0, 1, 2], 3, rules, n_jobs=jobs)
        starts = out["offsets"].tolist()
        found = [bytes(out["bytes"][a:b]).decode() for a, b in pairwise(starts)]
        assert found == sorted(words)


def test_features_that_differ_only_by_zero_bytes_stay_apart():
    document = "a\x1da\x00\x1da\x00\x00\x1d" + "b" * 16 + "\x1d" + "b" * 16 + "\x00"
    rules = kernel.rules(tokens="chars", ngrams=(1, 3), fold="none")
    out = count(["a", "a\x00", "a\x00\x00", document], [0, 0, 0, 0], 1, rules)
    twin = count_documents(features(["a", "a\x00", "a\x00\x00", document], rules), [0] * 4, None, occurrences=True,
                           documents_channel=False)  # fmt: skip
    assert list(cells_of(out, channels(out)).items()) == list(twin.items())


def test_keys_made_to_collide_without_a_seed_do_not_slow_the_table():
    # Without a secret, x -> fold(a, b) can be aimed at one slot. The features below all start in slot 0 under seed 0;
    # under another seed they spread, so counting them stays linear.
    rng = np.random.default_rng(1)
    aimed = [w for w in (f"{v:08x}" for v in rng.integers(0, 2**32, 400_000)) if tallybayes_hash(w.encode()) >> 56 == 0]
    rules = kernel.rules(tokens="space", ngrams=(1, 1))
    spread = count([" ".join(aimed)], [0], 1, rules, columns=2**10)  # columns take the low bits: these do spread
    assert spread["columns"].size > 700
    again = [tallybayes_hash(w.encode(), seed=987654321) >> 56 for w in aimed]
    assert np.bincount(again, minlength=256).max() < 40


def test_no_documents_and_empty_documents_give_an_empty_tally():
    for documents in ([], ["", "  "]):
        for more in ({}, {"columns": 16}, {"value": "log"}, {"n_jobs": 3}):
            out = count(documents, [0] * len(documents), 2, kernel.rules(), **more)
            assert out["indptr"].tolist() == [0]
            assert out["occurrences"].dtype == np.int64


def test_a_weighted_count_beyond_int64_is_refused():
    with pytest.raises(OverflowError, match=r"2\^63"):
        count(["a a", "a"], [0, 0], 1, kernel.rules(), whole_weights=np.array([2**62, 2**62], np.int64))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"class_index": np.array([0], np.int64)}, TypeError, "incompatible"),
        ({"class_index": np.array([2], np.int32)}, ValueError, "class_index"),
        ({"class_index": np.array([], np.int32)}, ValueError, "class_index"),
        ({"weights": np.array([1.0], np.float32)}, TypeError, "incompatible"),
        ({"weights": np.array([1.0, 1.0])}, ValueError, "weights"),
        ({"columns": 3}, ValueError, "power of two"),
        ({"value": "tf"}, ValueError, "value must be"),
        ({"occurrences": False}, ValueError, "occurrences"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(change, error, message):
    arguments = {"documents": _kernel.Documents(["a"]), "class_index": np.array([0], np.int32), "n_classes": 1,
                 "rules": kernel.rules()} | change  # fmt: skip
    with pytest.raises(error, match=message):
        kernel.count_text(**arguments)
