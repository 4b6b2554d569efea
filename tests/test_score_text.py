"""Scoring text and turning it into rows: the kernel against its slow twin."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_count_text import WORDS, all_rules, count, features, texts, threads
from test_score_csr import kernel_table
from twins import kernel
from twins.counting import tallybayes_hash
from twins.scoring import Table, score, value_of

from tallybayes import _kernel

corpora = st.lists(texts, max_size=8)


def table_over(n_features: int, n_classes: int, seed: int) -> Table:
    """A table with lists of every length, from empty to full."""
    rng = np.random.default_rng(seed)
    deltas = []
    for _ in range(n_features):
        used = np.sort(rng.choice(n_classes, rng.integers(0, n_classes + 1), replace=False))
        deltas.append(dict(zip(used.tolist(), rng.normal(size=used.size).tolist(), strict=True)))
    shared = [rng.normal(size=n_classes).tolist() for _ in range(3)]
    return Table(*shared, deltas, rng.normal(size=n_features).tolist(), rng.random(n_features).tolist())


def pack(words: list[bytes]) -> tuple[Any, Any]:
    offsets = np.cumsum([0, *(len(w) for w in words)], dtype=np.int64)
    return np.frombuffer(b"".join(words), np.uint8), offsets


def vocabulary_of(documents: list[str], rules: Any, keep: int) -> list[bytes]:
    """A part of the features of the documents, ascending, so that some features are unknown."""
    return [f for f in sorted({f for each in features(documents, rules) for f in each}) if len(f) % 4 != keep]


@given(corpora, all_rules, st.sampled_from([1, 2, 5, 20, 40]), st.sampled_from(["count", "binary", "log"]), st.booleans(),
       st.booleans(), threads, st.integers(0, 4))  # fmt: skip
def test_scores_equal_the_twin_to_the_last_bit(documents, rules, n_classes, value, unknown, dense, jobs, keep):
    known = vocabulary_of(documents, rules, keep)
    table = table_over(len(known), n_classes, keep)
    row_of = {f: i for i, f in enumerate(known)}
    out = np.full((len(documents), n_classes), np.nan)
    lean = kernel.vocabulary(*pack(known), 7, dense)
    kernel.score_text(_kernel.Documents(documents), rules, lean, kernel_table(table, dense), out, value, unknown, jobs)
    for i, each in enumerate(features(documents, rules)):
        row = [(row_of[f], 1) for f in each if f in row_of]
        missing = [f for f in each if f not in row_of]
        extra = (
            len(missing) if value == "count" else sum(sorted(value_of(n, value, 0) for n in Counter(missing).values()))
        )
        assert out[i].tolist() == score(table, row, value, unknown=extra * unknown)


@given(corpora, all_rules, threads, st.integers(0, 4))
def test_rows_equal_the_twin(documents, rules, jobs, keep):
    known = vocabulary_of(documents, rules, keep)
    row_of = {f: i for i, f in enumerate(known)}
    indptr, indices, counts, unknown = _kernel.text_to_csr(
        _kernel.Documents(documents), rules, kernel.vocabulary(*pack(known)), jobs
    )
    for i, each in enumerate(features(documents, rules)):
        row = sorted(Counter(row_of[f] for f in each if f in row_of).items())
        part = slice(indptr[i], indptr[i + 1])
        assert list(zip(indices[part].tolist(), counts[part].tolist(), strict=True)) == row
        assert unknown[i] == sum(f not in row_of for f in each)


@given(corpora, all_rules, st.booleans())
def test_hashed_text_scores_like_its_columns(documents, rules, murmur):
    size = 64
    out = count(documents, [0] * len(documents), 1, rules, columns=size, murmur=murmur)
    columns = out["columns"][::2].copy()
    indptr, indices, counts, unknown = _kernel.text_to_csr(
        _kernel.Documents(documents), rules, kernel.columns(columns, size, murmur), 1
    )
    for i, each in enumerate(features(documents, rules)):
        hashed = _kernel.hash_features(*pack(each), size, murmur).tolist()
        if not murmur:
            assert hashed == [tallybayes_hash(f) % size for f in each]
        row = Counter(h for h in hashed if h in columns)
        part = slice(indptr[i], indptr[i + 1])
        assert dict(zip(columns[indices[part]].tolist(), counts[part].tolist(), strict=True)) == row
        assert unknown[i] == len(each) - row.total()


@given(st.lists(st.binary(max_size=20), unique=True).map(sorted), st.lists(st.binary(max_size=20)))
def test_find_features_is_a_look_up(known, wanted):
    wanted = wanted + known[::2]
    where = {f: i for i, f in enumerate(known)}
    assert _kernel.find_features(*pack(known), *pack(wanted)).tolist() == [where.get(f, -1) for f in wanted]


def test_a_document_alone_scores_like_the_document_in_a_batch():
    rng = np.random.default_rng(5)
    documents = [" ".join(rng.choice(WORDS, rng.integers(0, 40))) for _ in range(900)]
    documents[7] = " ".join(rng.choice(WORDS, 30_000))  # spans many batches
    rules = kernel.rules()
    known = vocabulary_of(documents, rules, 4)
    table = kernel_table(table_over(len(known), 20, 0))
    vocabulary = kernel.vocabulary(*pack(known))
    for value in ("count", "binary", "log"):
        together = np.empty((len(documents), 20))
        kernel.score_text(_kernel.Documents(documents), rules, vocabulary, table, together, value, True, 3)
        for i in (0, 6, 7, 8, 899):
            alone = np.empty((1, 20))
            kernel.score_text(_kernel.Documents([documents[i]]), rules, vocabulary, table, alone, value, True)
            np.testing.assert_array_equal(alone[0], together[i])


def test_a_table_of_another_size_or_a_wrong_output_is_refused():
    vocabulary, rules = kernel.vocabulary(*pack([b"a", b"b"])), kernel.rules()
    documents = _kernel.Documents(["a"])
    with pytest.raises(ValueError, match="vocabulary"):
        kernel.score_text(documents, rules, vocabulary, kernel_table(table_over(3, 2, 0)), np.empty((1, 2)))
    table = kernel_table(table_over(2, 2, 0))
    with pytest.raises(ValueError, match="shape"):
        kernel.score_text(documents, rules, vocabulary, table, np.empty((2, 2)))
    with pytest.raises(TypeError):
        kernel.score_text(documents, rules, vocabulary, table, np.empty((1, 2), np.float32))


def test_vocabularies_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="offsets"):
        kernel.vocabulary(np.zeros(3, np.uint8), np.array([0, 4], np.int64))
    with pytest.raises(ValueError, match="power of two"):
        kernel.columns(np.array([0], np.int64), 3)
    with pytest.raises(ValueError, match="out of range"):
        kernel.columns(np.array([4], np.int64), 4)
