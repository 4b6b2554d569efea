"""A pattern that takes time out of all proportion to a text is refused, wherever it comes from."""

from __future__ import annotations

import random
import re

import pytest

from tallybayes import Analyzer, Model, ModelFileError, ParameterError, TextCounter, load
from tallybayes.store import read_blocks, write_blocks
from tallybayes.text.backtracking import ambiguity

FINE = [
    r"\w+",
    r"[^ ]+",
    r"#([a-z]+)",
    r"\w+(?:['’-]\w+)*",
    r"(?u)\b\w\w+\b",
    r"#\w+|@\w+|https?://\S+|\w+|[^\w\s]",
    r"\d{1,3}(?:,\d{3})*(?:\.\d+)?",
    r"[\w.+-]+@[\w-]+\.[\w.-]+",
    r"(?i)[a-z]+(?:'[a-z]+)?",
    r"<[^>]+>|\w{3,20}",
    r"(?:[A-Z]\.)+|\w+(?:-\w+)*|\$?\d+(?:\.\d+)?%?|\.\.\.|[][.,;\"'?():_`-]",
    r"[\u4e00-\u9fff]|[a-zA-Z]+|\d+",
    r"[😀-🙏]+|(?<!\w)\w+(?!\w)",
]
SLOW = [
    r"(a+)+$",
    r"(?:a|ab|b)*c",
    r"(a|aa)+$",
    r"(.*)*x",
    r".*.*x",
    r"(?:a?){30}a{30}",
    r"(?:\w+){40}x",
    r"(a)\1",
    r"(?:(?:){60000}){60000}",
    r"(?:[😀-😂]+)+x",
    r"(?i)(?:a+|A+)*x",
    r"\w+\s*\w+\s*\w+\s*x",
    r"a?" * 40 + "a" * 40,
    r"(?:" * 8 + "ab" + "".join(f")+{letter}" for letter in "cdefghij"),
    "a" * 10_001,
]


@pytest.mark.parametrize("pattern", FINE)
def test_a_pattern_of_words_is_used(pattern):
    assert Analyzer(f"regex:{pattern}", ngrams=(1, 1)).features("a well-known #word 😀 1,000.5 x@y.org")


@pytest.mark.parametrize("pattern", SLOW, ids=lambda pattern: pattern[:20])
def test_a_pattern_that_may_take_very_long_is_refused(pattern):
    re.compile(pattern)
    with pytest.raises(ParameterError, match=r"may take very long: .*; write it without, or give a function") as caught:
        Analyzer(f"regex:{pattern}")
    assert len(str(caught.value)) < 400
    # Whoever insists passes a function.
    assert Analyzer(re.compile("a+").findall, ngrams=(1, 1)).features("aab") == ["aa"]


@pytest.mark.parametrize("pattern", ["(" * 5000 + ")" * 5000, "a{4294967296}", "a{99999999999999999999}", "["])
def test_what_is_no_pattern_is_refused_in_a_sentence(pattern):
    with pytest.raises(ParameterError, match="is not a regular expression"):
        Analyzer(f"regex:{pattern}")


def some_pattern(rng, depth):
    """A random pattern over a few letters."""
    inner = [some_pattern(rng, depth - 1) for _ in range(2)] if depth else []
    repeat = rng.choice(["*", "+", "?", "{2,5}", "{0,20}", "{3}", "*?", "+?"])
    forms = [lambda: rng.choice(["a", "b", "c", "[ab]", "[bc]", ".", "[^a]"])]
    if inner:
        forms += [
            lambda: inner[0] + inner[1],
            lambda: f"(?:{inner[0]}){repeat}",
            lambda: f"(?:{inner[0]}|{inner[1]})",
            lambda: inner[0] + rng.choice(["$", "(?!a)", r"\b"]),
        ]
    return rng.choice(forms)()


def test_patterns_that_pass_come_to_an_end():
    """Without the check some of these would still run tomorrow."""
    rng = random.Random(0)
    texts = ["a" * 60 + "d", "ab" * 30 + "d", "abc" * 20 + "!", "b" * 60 + "d", "aab" * 20 + "d"]
    passed = [pattern for pattern in (some_pattern(rng, 4) for _ in range(3000)) if not ambiguity(pattern)]
    for pattern in passed:
        for text in texts:
            re.findall(pattern, text)
    assert 500 < len(passed) < 2900


def test_a_pattern_from_a_model_file_is_looked_at(tmp_path):
    path = tmp_path / "m.tally"
    Model(TextCounter(Analyzer("regex:[a-z]+"))).learned(["free money"], ["spam"]).save(path)
    assert load(path).counter.analyzer.tokens == "regex:[a-z]+"
    read = read_blocks(path)
    said = read.content
    said["counter"]["analyzer"]["tokens"] = said["tally"]["space"]["rules"]["tokens"] = "regex:(a+)+$"
    write_blocks(path, read, said)
    with pytest.raises(ModelFileError, match="may take very long"):
        load(path)
