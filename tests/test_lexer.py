"""The lexer against its slow twin, and spans against the text they point into."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallybayes import _kernel

from .twins import lexer as twin

FOLDS = ["none", "lower", "nfkc", "nfkc_casefold"]
MODES = ["words", "sklearn", "space", "chars", "chars_in_words", "separated"]
# What goes wrong elsewhere: marks, jamo, sigma, iota subscript, dotted I, emoji of every make, joiners, fillers.
NASTY = [
    *"aAzZ09_ .'’-#*\t\n\x00\x1f\x85\u3000",
    *"éÉßẞŉǰİıſΣςσᾳᾴ\u0345ΐ™½①㎏ﬁ㍿",
    *"\u0301\u0300\u0323\u0338\u0316\u3099\u309a\u20e3\u20dd\ufe0f\u0483",
    *"\u200b\u200c\u200d\u00ad\u034f\u115f\u3164\uffa0\U000e0067\U000e007f",
    *"한글\u1100\u1161\u11a8\u11a7가각\uac01\u3131\uffa1",
    *"विद्या\u0958\u093c\u09c7\u09be\u0dd9\u0dcf\u0dca",
    *"我爱北京々〇ーカかガｶﾞ\u3041สวัสดี\u0e33ខ្មែរမြန်မာ\u0f66\u0f0b",
    *"😀❤☺👩🚀👍🏽🏿🇩🇪🏴☠♂©1️⃣",
    *"עבריתالعربية\u064b\u0651\u0627\u0653𝔄𐐀\U0001f1e6\U00020000\ud800\udfff",
]
characters = st.one_of(
    st.sampled_from(NASTY),
    st.sampled_from(NASTY[:20]),
    st.characters().filter(lambda c: unicodedata.category(c) != "Cn"),
)
texts = st.lists(characters, max_size=30).map("".join) | st.lists(
    st.sampled_from(["word ", "don't ", "A", "l'homme", "x" * 40, "，", "中文", "é", "\u0301", " ", "\n\n", "😀", "."]),
    max_size=40,
).map("".join)
pairs = st.tuples(st.integers(1, 3), st.integers(0, 3)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def features(text, tokens="words", ngrams=(1, 2), cjk=(1, 3), how="nfkc_casefold", stop_words=(), min_length=1):
    rules = _kernel.Rules(tokens, ngrams, cjk, how, list(stop_words), min_length)
    (found,) = _kernel.features(_kernel.Documents([text]), rules)
    return [feature.decode() for feature in found]


@given(texts, st.sampled_from(MODES), pairs, pairs, st.sampled_from(FOLDS), st.integers(1, 3))
@settings(max_examples=1500, deadline=None)
@example("α\u0345\u0301", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("ᾳ\u0301", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("1\ufe0f\u20e3", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("ΑΣ. ΑΣ", "sklearn", (1, 2), (1, 3), "lower", 1)
def test_every_mode_gives_the_features_of_its_twin(text, tokens, ngrams, cjk, how, min_length):
    expected = twin.features(text, tokens, ngrams, cjk, how, (), min_length)
    assert features(text, tokens, ngrams, cjk, how, (), min_length) == expected
