"""The lexer against its slow twin, and spans against the text they point into."""

from __future__ import annotations

import re
import time
import unicodedata
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tallybayes import _kernel

from .twins import kernel
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
    *"\u3fff\u4000\u4dff\u4e00\u9fff\ua000",
    *"עבריתالعربية\u064b\u0651\u0627\u0653𝔄𐐀\U0001f1e6\U00020000\ud800\udfff",
]
characters = st.one_of(
    st.sampled_from(NASTY),
    st.sampled_from(NASTY[:20]),
    st.characters().filter(lambda c: unicodedata.category(c) != "Cn"),
)
texts = st.lists(characters, max_size=30).map("".join) | st.lists(
    st.sampled_from(
        [
            "word ",
            "don't ",
            "A",
            "l'homme",
            "x" * 40,
            "，",
            "中文",
            "一",
            "䷿",
            "é",
            "e",
            "\u0301",
            " ",
            "\n\n",
            "😀",
            ".",
        ]
    ),
    max_size=60,
).map("".join)
pairs = st.tuples(st.integers(1, 3), st.integers(0, 3)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def features(text, tokens="words", ngrams=(1, 2), cjk=(1, 3), how="nfkc_casefold", stop_words=(), min_length=1):
    rules = kernel.rules(tokens, ngrams, cjk, how, list(stop_words), min_length)
    (found,) = _kernel.features(_kernel.Documents([text]), rules)
    return [feature.decode() for feature in found]


@given(texts, st.sampled_from(MODES), pairs, pairs, st.sampled_from(FOLDS), st.integers(1, 3))
@settings(max_examples=1500, deadline=None)
@example("α\u0345\u0301", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("ᾳ\u0301", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("e\u00ad\u0301 中\u200b\u0301", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("a\u0305\u0301", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("🇩🇪🇫🇷🇮", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("1\ufe0f\u20e3", "words", (1, 1), (1, 3), "nfkc_casefold", 1)
@example("ΑΣ. ΑΣ", "sklearn", (1, 2), (1, 3), "lower", 1)
def test_every_mode_gives_the_features_of_its_twin(text, tokens, ngrams, cjk, how, min_length):
    expected = twin.features(text, tokens, ngrams, cjk, how, (), min_length)
    assert features(text, tokens, ngrams, cjk, how, (), min_length) == expected


# Chinese characters in a row, and what may end a row: some n-grams lie in it, some reach out of it.
rows = st.lists(
    st.tuples(
        st.sampled_from(["中", "文字", "一龥", "A", "9 ", "é", "，", "カ", "𠀀", "\u0301", "的"]), st.integers(1, 9)
    ),
    max_size=12,
).map(lambda parts: "".join(piece * n for piece, n in parts))


@given(rows, st.sampled_from(MODES), pairs, pairs, st.sampled_from(FOLDS), st.sampled_from([(), ("的", "文"), ("a",)]))
@settings(max_examples=500, deadline=None)
def test_rows_of_chinese_characters_give_the_features_of_the_twin(text, tokens, ngrams, cjk, how, stop_words):
    expected = twin.features(text, tokens, ngrams, cjk, how, stop_words, 1)
    assert features(text, tokens, ngrams, cjk, how, stop_words) == expected


@pytest.mark.parametrize("tokens", ["words", "chars", "chars_in_words"])
def test_scratch_may_end_anywhere_in_a_row_of_chinese_characters(tokens):
    for length in range(5440, 5475):  # three bytes each, and 16,384 in all
        text = "中文" * (length // 2) + "x" * (length % 7) + "汉字" * 20 + "\u0301字"
        assert features(text, tokens, (1, 3), (1, 4)) == twin.features(text, tokens, (1, 3), (1, 4))


# Characters that become more than one token, or part of two, cannot be read again from their place in the text.
WHOLE = [c for c in NASTY if c not in "™½①㎏ﬁ㍿ŉ\u0e33\ud800\udfff"]


@given(st.lists(st.sampled_from(WHOLE), max_size=30).map("".join), pairs, pairs)
@settings(deadline=None)
def test_spans_are_the_features_with_the_text_they_were_made_from(text, ngrams, cjk):
    rules = kernel.rules("words", ngrams, cjk)
    spans = _kernel.spans(_kernel.Documents([text]), rules, 0)
    assert [feature.decode() for feature, _, _ in spans] == features(text, "words", ngrams, cjk)
    for feature, begin, end in spans:
        assert 0 <= begin < end <= len(text)
        assert twin.features(text[begin:end], "words", ngrams, cjk)[-1] == feature.decode()


@given(texts, st.sampled_from(MODES), st.sampled_from(FOLDS), pairs)
@settings(deadline=None)
def test_spans_of_every_mode_rise_and_stay_in_the_text(text, tokens, how, ngrams):
    rules = kernel.rules(tokens, ngrams, (1, 2), how)
    spans = _kernel.spans(_kernel.Documents([text]), rules, 0)
    assert [feature.decode() for feature, _, _ in spans] == features(text, tokens, ngrams, (1, 2), how)
    assert all(0 <= begin <= end <= len(text) for _, begin, end in spans)
    # in the order in which features end; a mark that NFC puts elsewhere may end one character later
    ends = [end for _, _, end in spans]
    assert how.startswith("nfkc") or ends == sorted(ends)


def test_places_count_code_points_of_every_width():
    text = "aé中😀 ﬀ Ω\u0301x"
    spans = _kernel.spans(_kernel.Documents([text]), kernel.rules(ngrams=(1, 1), cjk=(1, 1)), 0)
    assert [(feature.decode(), text[begin:end]) for feature, begin, end in spans] == [
        ("aé", "aé"),
        ("中", "中"),
        ("😀", "😀"),
        ("ff", "ﬀ"),
        ("ώx", "Ω\u0301x"),
    ]


PIECES = [
    "word ",
    "it's ",
    "中文",
    "字，",
    "Ünïcode ",
    "e\u0301 ",
    "😀",
    "สวัสดี",
    "\n\n",
    "x" * 700,
    "。",
    "ab\u0301c",
    "1 ",
]


@pytest.mark.parametrize("tokens", MODES)
@pytest.mark.parametrize("how", FOLDS)
def test_a_document_longer_than_the_scratch_gives_the_same_features(tokens, how):
    random = Random(7)
    text = "".join(random.choices(PIECES, k=4000))
    assert len(text.encode()) > 200_000
    ngrams = (2, 5) if tokens.startswith("chars") else (1, 4)
    assert features(text, tokens, ngrams, (1, 4), how) == twin.features(text, tokens, ngrams, (1, 4), how)


def test_scratch_may_end_at_any_character_of_a_word():
    for length in range(16384 - 230, 16384 + 30):
        text = "x" * length + " l'homme don't e\u0301'tre 中文字 😀\u200d👩 z"
        assert features(text, "words", (1, 2), (1, 2)) == twin.features(text, "words", (1, 2), (1, 2))


def test_documents_in_one_call_do_not_touch_each_other():
    documents = ["a don'", "t b", "中", "文", "e", "\u0301x", "👩\u200d", "🚀", "", "ΑΣ", "Α", " ", "c"]
    for tokens in MODES:
        rules = kernel.rules(tokens, (1, 3))
        assert _kernel.features(_kernel.Documents(documents), rules) == [
            _kernel.features(_kernel.Documents([document]), rules)[0] for document in documents
        ]


@given(st.lists(st.sampled_from(["the", "The", "a", "cat", "我", "的", "我的", "é", "don't", "😀"]), max_size=12))
@settings(deadline=None)
def test_stop_words_leave_before_ngrams_are_built(words):
    stop_words = ["the", "我的", "的", "é", "don't", "😀"]
    for text in (" ".join(words), "".join(words)):
        for tokens in ("words", "sklearn", "space"):
            expected = twin.features(text, tokens, (1, 3), (1, 3), "nfkc_casefold", stop_words)
            assert features(text, tokens, (1, 3), (1, 3), "nfkc_casefold", stop_words) == expected


@given(texts, st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 3), (1, 5)]), st.booleans())
@settings(deadline=None, max_examples=300)
@example("ΑΣ. ΟΔΟΣ İi", (1, 2), True)
@example("a  b\n\tc \n", (1, 5), True)
def test_the_modes_of_scikit_learn_are_count_vectorizers(text, ngrams, lowercase):
    text = re.sub("[\ud800-\udfff]", "", text)  # the kernel gives U+FFFD for what cannot be written as UTF-8
    how = "lower" if lowercase else "none"
    for tokens, analyzer in [("sklearn", "word"), ("chars", "char"), ("chars_in_words", "char_wb")]:
        count = CountVectorizer(analyzer=analyzer, ngram_range=ngrams, lowercase=lowercase).build_analyzer()
        assert sorted(features(text, tokens, ngrams, how=how)) == sorted(count(text))


LONG = 10_000_000
ENDLESS = {
    "ascii": "a" * LONG,
    "latin": "é" * LONG,
    "hangul": "가" * LONG,
    "one letter's marks": "a" + "\u0301" * LONG,
    "marks to sort": "a" + "\u0345\u0323" * (LONG // 2),
    "apostrophes": "a'" * (LONG // 2),
    "parted by apostrophes": "a'bcd" * (LONG // 50),
    "joined emoji": "😀\u200d" * (LONG // 2),
    "a run": "中" * (LONG // 10),
    "sigma": "Σ" + "'" * LONG,
    "sigmas": "Σ'" * (LONG // 2),
    "fillers": "\u115f" * LONG,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_tok_2_a_word_of_ten_million_characters_takes_linear_time(name):
    text = ENDLESS[name]

    def seconds(part, how):
        start = time.process_time()
        _kernel.features(_kernel.Documents([part]), kernel.rules(ngrams=(1, 2), cjk=(1, 1), fold=how))
        return time.process_time() - start

    for how in ("nfkc_casefold", "lower"):
        # Quadratic would be 100 times. Whatever else the machine does only adds time, so one good try of three is proof.
        assert any(seconds(text, how) < 30 * max(seconds(text[: len(text) // 10], how), 0.02) for _ in range(3))
