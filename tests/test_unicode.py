"""The generated tables, over all planes, against unicodedata, re and str of the running Python.

Code points that this Python does not know yet (3.11 has Unicode 14, the tables 15.1) are left out.
"""

from __future__ import annotations

import re
import unicodedata

import pytest

from tallybayes import _kernel

from .twins import kernel
from .twins import lexer as twin

KNOWN = [
    chr(c)
    for c in range(0x110000)
    if unicodedata.category(chr(c)) not in ("Cn", "Cs")  # a lone surrogate is no text: it becomes U+FFFD
    and not (c >= 0xF0000 and 0x100 <= c & 0xFFFF < 0xFF00)  # of the planes for private use, both ends
]
VERSION = tuple(map(int, _kernel.unicode_version.split(".")))


def features(texts, tokens, how, ngrams=(1, 1)):
    found = _kernel.features(_kernel.Documents(texts), kernel.rules(tokens, ngrams, (1, 1), how))
    return [[feature.decode() for feature in each] for each in found]


def differing(texts, tokens, how, expected, ngrams=(1, 1)):
    """What the kernel gives otherwise: at most a few, to be read by people."""
    pairs = zip(texts, features(texts, tokens, how, ngrams), map(expected, texts), strict=True)
    return [(ascii(text), ascii(got), ascii(wanted)) for text, got, wanted in pairs if got != wanted][:10]


def test_all_planes_are_looked_at():
    assert len(KNOWN) > 150_000
    assert {ord(c) >> 16 for c in KNOWN} == {0, 1, 2, 3, 14, 15, 16}


@pytest.mark.skipif(tuple(map(int, unicodedata.unidata_version.split("."))) > VERSION, reason="a newer Python")
def test_word_characters_are_those_of_re():
    assert differing([c + c for c in KNOWN], "sklearn", "none", lambda text: re.findall(r"\b\w\w+\b", text)) == []


def test_white_space_is_that_of_str_split():
    assert differing([f"a{c}b" for c in KNOWN], "space", "none", str.split) == []


def test_lower_case_is_that_of_str():
    def expected(text):
        return [text.lower()]

    texts = [c for c in KNOWN if c != "\x1f"]
    assert differing(texts, "separated", "lower", expected) == []
    # final sigma: what counts as cased, and what is looked over
    assert differing([c + "Σ" for c in texts], "separated", "lower", expected) == []
    assert differing([f"A{c}Σ" for c in texts], "separated", "lower", expected) == []
    assert differing([f"AΣ{c}" for c in texts], "separated", "lower", expected) == []


@pytest.mark.parametrize("how", ["nfkc", "nfkc_casefold"])
def test_normal_forms_are_those_of_unicodedata(how):
    def expected(text):
        folded = twin.fold(text, how)
        return [folded] if folded else []

    texts = [c for c in KNOWN if c != "\x1f"]
    assert differing(texts, "separated", how, expected) == []
    assert differing([unicodedata.normalize("NFD", c) for c in texts], "separated", how, expected) == []
    # each combining character in the wrong order, behind a letter that composes and one that does not
    marks = [c for c in texts if unicodedata.combining(c) or unicodedata.category(c)[0] == "M"]
    for base in ("a\u0301", "x\u0345\u0323", "\u1100\u1161", "\u0915\u094d", "ガ"):
        assert differing([base + c for c in marks], "separated", how, expected) == []


def test_every_pair_that_composes_does():
    pairs = [unicodedata.normalize("NFD", c) for c in KNOWN]
    pairs = [pair for pair in pairs if len(pair) > 1]
    assert len(pairs) > 12_000  # Hangul too
    assert differing(pairs, "separated", "nfkc", lambda text: [unicodedata.normalize("NFKC", text)]) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["none", "nfkc_casefold"])
def test_words_marks_runs_and_emoji_are_those_of_the_twin(how):
    def expected(text):
        return twin.features(text, "words", (1, 1), (1, 1), how)

    texts = [f"{c} a{c}1 中{c}{c}文 😀{c}\u200d👩" for c in KNOWN]  # alone, in a word, in a run, with an emoji
    assert differing(texts, "words", how, expected) == []
