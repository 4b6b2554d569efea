"""The feature space: one id for one way from input to features."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.space import Space

json_values = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3) | st.lists(st.integers(0, 3), max_size=2)
)
spaces = st.builds(
    Space,
    kind=st.sampled_from(["text", "columns", "values"]),
    rules=st.dictionaries(st.sampled_from(["tokens", "ngrams", "unicode"]), json_values),
    hash=st.none() | st.tuples(st.sampled_from(["fast", "murmur3"]), st.integers(0, 2**64 - 1), st.integers(1, 2**20)),
    value=st.sampled_from(["count", "binary", "log"]),
    idf=st.none() | st.just("ab"),
)


@given(spaces, spaces)
def test_equal_id_hash_and_difference_say_the_same(a, b):
    assert (a == b) == (a.id == b.id) == (not a.difference(b))
    if a == b:
        assert hash(a) == hash(b)


@given(spaces)
def test_round_trips(space):
    for copy in (Space.from_json(space.to_json()), pickle.loads(pickle.dumps(space))):
        assert copy == space
        assert copy.id == space.id


def test_the_difference_names_each_part_with_both_values():
    a = Space("text", {"tokens": "words", "unicode": "16.0", "stop": None}, hash=("fast", 0, 1024))
    b = Space("text", {"tokens": "chars", "unicode": "16.0"}, value="log")
    assert set(a.difference(b).split("; ")) == {
        "value: 'count' against 'log'",
        "hash function: 'fast' against none",
        "hash seed: 0 against none",
        "hash size: 1024 against none",
        "tokens: 'words' against 'chars'",
        "stop: None against none",
    }


def test_later_changes_of_the_callers_rules_do_not_reach_the_space():
    rules = {"ngrams": [1, 2]}
    space = Space("text", rules)
    rules["ngrams"].append(3)
    assert space.rules["ngrams"] == [1, 2]
    with pytest.raises(TypeError):
        space.rules["ngrams"] = []


@pytest.mark.parametrize(
    "change", [{"kind": "x"}, {"rules": []}, {"hash": ["f", 1]}, {"hash": ["f", "1", 2]}, {"value": 3}, {"idf": 1}]
)
def test_json_that_is_no_space_is_refused(change):
    with pytest.raises(ValueError, match="feature space"):
        Space.from_json(Space("text").to_json() | change)
    with pytest.raises(ValueError, match="feature space"):
        Space.from_json({"kind": "text"})


def test_values_that_python_calls_equal_are_told_apart():
    space = Space("text", {"min_length": 1})
    for other in (True, 1.0):
        assert space != Space("text", {"min_length": other})
        assert space.difference(Space("text", {"min_length": other})) == f"min_length: 1 against {other}"
