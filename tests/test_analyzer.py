"""The analyzer: tokens found in Python, identity, saving, and the cases about text of CASES.md."""

from __future__ import annotations

import math
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallybayes import _kernel
from tallybayes.errors import InputError, InputTypeError, MissingExtraError, ParameterError
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.segment import SEGMENTERS


def by_document(analyzer, raw):
    found = _kernel.features(analyzer.documents(raw), analyzer.rules)
    return [[feature.decode() for feature in features] for features in found]


# ---- TOK-1, TOK-2 ----


def test_tok_1_every_word_and_character_of_segmented_text_is_a_token():
    first, second = by_document(Analyzer(), ["我 爱 北京", "他 不 喜欢 上海"])
    assert {"我", "爱", "北京"} <= set(first)
    assert {"他", "不", "喜欢", "上海"} <= set(second)
    assert by_document(Analyzer("space", ngrams=(1, 1)), ["我 爱 北京"]) == [["我", "爱", "北京"]]


@pytest.mark.parametrize("tokens", ["words", "jieba", "rjieba"])
def test_tok_1_a_sentence_without_spaces_shares_its_words_and_keeps_the_negation(tokens):
    first, second = by_document(Analyzer(tokens), ["我爱北京。", "他不喜欢上海,真的!"])
    (alike,) = by_document(Analyzer(tokens), ["喜欢上海"])
    assert "北京" in first
    assert "不" in second
    assert {"喜欢", "上海"} <= set(second) & set(alike)


def test_tok_1_chinese_and_english_settings_are_saved():
    analyzer = Analyzer(ngrams=(1, 3), cjk=(2, 4), min_length=2)
    assert Analyzer.from_json(analyzer.to_json()).features("I love you 我爱北京") == analyzer.features(
        "I love you 我爱北京"
    )
    assert Analyzer.from_json(analyzer.to_json()).space == analyzer.space


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("cafe\u0301", ["café"]),
        ("विद्या", ["विद्या"]),
        ("Brand™", ["brandtm"]),
        ("İSTANBUL", ["i̇stanbul"]),
        ("１００ 100", ["100", "100"]),
        ("love it ❤️", ["love", "it", "❤"]),
        ("awful 😠", ["awful", "😠"]),
        ("v\u200bi\u200ba\u200bg\u200br\u200ba", ["viagra"]),
        ("vi\u00adagra", ["viagra"]),
        ("don't DON’T", ["don't", "don't"]),
        ("l'homme d'un rock'n'roll 'quoted' dogs'", ["l", "homme", "d'un", "rock'n", "roll", "quoted", "dogs"]),
        ("👩‍🚀👍🏽🇩🇪🇫🇷1️⃣#️⃣ 👨‍👩‍👧", ["👩🚀", "👍🏽", "🇩🇪", "🇫🇷", "1⃣", "#⃣", "👨👩👧"]),
        ("\u0301 \u093e ! \u0338 a", ["a"]),
        ("Straße STRASSE ﬁn", ["strasse", "strasse", "fin"]),
        ("한\u1100\u1161", ["한가"]),
        ("ὈΔΥΣΣΕΎΣ ὀδυσσεύς", ["ὀδυσσεύσ", "ὀδυσσεύσ"]),
    ],
)
def test_tok_2_one_word_is_one_token(text, tokens):
    assert Analyzer(ngrams=(1, 1)).features(text) == tokens


@pytest.mark.parametrize("tokens", ["words", "regex:[^ ]+", "rjieba"])
def test_tok_2_composed_and_decomposed_text_give_equal_features(tokens):
    analyzer = Analyzer(tokens)
    assert analyzer.features("Ångström Crème brûlée がぎ") == analyzer.features(
        "A\u030angstro\u0308m Cre\u0300me bru\u0302le\u0301e か\u3099き\u3099"
    )


# ---- EMPTY-2 ----


@pytest.mark.parametrize("tokens", ["words", "regex:[a-z]+"])
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (["a", None], r"document 1 is missing \(None\)"),
        ([math.nan], r"document 0 is missing \(nan\)"),
        (["a", "b", 5], "document 2 is the number 5"),
        ([np.float64(1.5)], "document 0 is the number"),
        (pd.Series(["a", None]), "document 1 is missing"),
        (pd.Series([pd.NA, "a"], dtype="string"), "document 0 is missing"),
        (pl.Series(["a", None]), "document 1 is missing"),
        (pa.array(["a", "b", None]), "document 2 is missing"),
        (pa.chunked_array([["a"], ["b", None]]), "document 2 is missing"),
        (pa.array([1, 2]), "document 0 is the number 1"),
        (np.array([["a", "b"]]), "one column"),
        (pd.DataFrame({"text": ["a"], "more": ["b"]}), "one column"),
        ("one document", "put it in a list"),
        (b"one document", "put it in a list"),
        (["ok", "é".encode("latin-1")], "document 1 is not UTF-8: the byte at offset 0"),
    ],
)
def test_empty_2_what_is_no_text_is_refused_with_its_position(raw, said, tokens):
    with pytest.raises(InputError, match=said):
        Analyzer(tokens).documents(raw)


@pytest.mark.parametrize("raw", [5, None, {"a": 1}, {"a"}, [["a"]], [object()]])
def test_empty_2_another_type_is_a_type_error(raw):
    with pytest.raises(InputTypeError, match="wanted"):
        Analyzer().documents(raw)


@pytest.mark.parametrize("raw", [["", "  ", "!!"], [], [""]])
def test_empty_2_documents_without_a_token_have_no_features(raw):
    assert by_document(Analyzer(), raw) == [[] for _ in raw]


# ---- Columns ----

WORDS = ["Hello", "你好 é", "", "😀"]


@pytest.mark.parametrize(
    "raw",
    [
        tuple(WORDS),
        iter(WORDS),
        np.array(WORDS),
        np.array(WORDS, dtype=object),
        [word.encode() for word in WORDS],
        pd.Series(WORDS),
        pd.Series(WORDS, dtype="string[pyarrow]"),
        pd.Categorical(WORDS),
        pl.Series(WORDS),
        pa.array(WORDS),
        pa.array(WORDS, pa.large_string()),
        pa.array(["x", *WORDS, "y"])[1:5],
        pa.chunked_array([WORDS[:1], WORDS[1:]]),
        pa.array(WORDS).dictionary_encode(),
    ],
    ids=lambda raw: f"{type(raw).__module__}.{type(raw).__name__}",
)
@pytest.mark.parametrize("tokens", ["words", "space", "regex:\\w+"])
def test_columns_of_every_library_give_the_same_features(raw, tokens):
    if hasattr(raw, "__next__"):
        raw = iter(WORDS)  # a generator can be read once only
    assert by_document(Analyzer(tokens), raw) == by_document(Analyzer(tokens), WORDS)


def test_no_characters_of_a_sliced_arrow_column_are_copied():
    column = pa.array(["x" * 1000, "abc", "y" * 1000], pa.large_string())
    assert Analyzer().documents(column).nbytes == 2003
    assert Analyzer().documents(column[1:2]).nbytes == 3
    assert Analyzer().documents(pa.array([], pa.string())).nbytes == 0


# ---- Tokens found in Python ----


def test_a_pattern_is_matched_in_the_normalised_document_and_may_have_a_group():
    assert Analyzer("regex:[a-z]+", ngrams=(1, 1)).features("ＡＢＣ d-E1") == ["abc", "d", "e"]
    assert Analyzer("regex:#([a-z]+)", ngrams=(1, 2)).features("#One two #Three") == ["one", "three", "one three"]
    assert Analyzer("regex:[a-z]+", lowercase=False).features("aBc") == ["a", "c", "a c"]


def test_a_callables_tokens_are_taken_as_they_are():
    assert Analyzer(str.split, ngrams=(1, 1)).features("Ａ Bé") == ["Ａ", "Bé"]
    assert Analyzer(str.split, stop_words=["B"], min_length=2).features("aa B cc") == ["aa", "cc", "aa cc"]


def test_a_callable_that_gives_something_else_is_refused():
    with pytest.raises(InputTypeError, match=r"gave 1 of type int for the document 'a'"):
        Analyzer(lambda text: [1]).documents(["a"])


@pytest.mark.parametrize("tokens", ["jieba", "rjieba"])
def test_a_segmenters_words_have_no_punctuation_and_point_into_the_text(tokens):
    text = "Ｈｅｌｌｏ，他不喜欢上海  真的😀！"
    analyzer = Analyzer(tokens, ngrams=(1, 1))
    assert analyzer.features(text) == ["hello", "他", "不", "喜欢", "上海", "真的", "😀"]
    assert [text[start:end] for _, start, end in analyzer.spans(text)] == [
        "Ｈｅｌｌｏ",
        *("他", "不", "喜欢", "上海", "真的", "😀"),
    ]


def test_spans_of_a_pattern_point_into_the_text_before_it_was_normalised():
    text = "ﬁne \u00a0\t ＣＡＦＥ\u0301\u200b! x"
    spans = Analyzer("regex:\\w+").spans(text)
    assert [(feature, text[start:end]) for feature, start, end in spans] == [
        ("fine", "ﬁne"),
        ("café", "ＣＡＦＥ\u0301"),
        ("fine café", "ﬁne \u00a0\t ＣＡＦＥ\u0301"),
        ("x", "x"),
        ("café x", "ＣＡＦＥ\u0301\u200b! x"),
    ]


def test_a_callables_token_that_is_not_in_the_text_has_no_span():
    spans = Analyzer(lambda text: ["run", "stem", "runs"]).spans("run runs")
    assert spans == [("run", 0, 3), ("runs", 4, 8)]


# ---- Stop words, length, identity ----


def test_stop_words_are_normalised_and_leave_before_ngrams_are_built():
    analyzer = Analyzer(stop_words=["THE", "Don’t", "的", "e\u0301t"])
    assert analyzer.features("the old the don't man") == ["old", "man", "old man"]
    assert analyzer.features("ét") == []
    assert analyzer.features("我的") == ["我", "我的"]
    assert Analyzer("sklearn", stop_words=["THE"]).features("the THE") == ["the", "the", "the the"]


def test_short_words_leave_before_ngrams_but_emoji_and_characters_of_runs_stay():
    analyzer = Analyzer(min_length=2)
    assert analyzer.features("a bb c dd 😀 é\u0323 我") == ["bb", "dd", "bb dd", "😀", "dd 😀", "我"]


def test_the_space_names_what_differs():
    assert "cjk" in Analyzer().space.difference(Analyzer(cjk=(1, 2)).space)
    assert "stop words" in Analyzer().space.difference(Analyzer(stop_words=["a"]).space)
    assert "hash" in Analyzer().space.difference(Analyzer(hash=2**18).space)
    assert "segmenter version" in Analyzer("space").space.difference(Analyzer("rjieba").space)
    assert Analyzer("space", cjk=(1, 2)).space == Analyzer("space").space  # where no such runs are looked at
    assert Analyzer(stop_words=["The", "A"]).space == Analyzer(stop_words=["a", "the"]).space
    assert Analyzer(normalize="nfkc").space == Analyzer().space


EVERY = ["words", "sklearn", "space", "chars", "chars_in_words", "jieba", "rjieba", "regex:\\w+"]


@pytest.mark.parametrize("tokens", EVERY)
def test_rules_come_back_from_json_and_pickle(tokens):
    analyzer = Analyzer(tokens, (1, 3), (2, 2), False, None, ["b"], 2, ("murmur3", 64))
    for copy in (Analyzer.from_json(analyzer.to_json()), pickle.loads(pickle.dumps(analyzer))):
        assert copy == analyzer
        assert hash(copy) == hash(analyzer)
        assert copy.space == analyzer.space
        assert copy.features("Aa b 上海 ccc") == analyzer.features("Aa b 上海 ccc")


def test_a_pickled_segmenter_cuts_in_another_process():
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(Analyzer("rjieba", ngrams=(1, 1)).features, "我爱北京").result() == ["我", "爱", "北京"]


def test_another_version_of_the_segmenter_warns_and_stays_recorded():
    data = Analyzer("rjieba").to_json()
    data["segmenter"] = data["segmenter"] | {"version": "0.0.1"}
    with pytest.warns(UserWarning, match=r"0\.0\.1.*may cut other words"):
        analyzer = Analyzer.from_json(data)
    assert analyzer.space.rules["segmenter version"] == "0.0.1"
    assert pickle.loads(pickle.dumps(analyzer)).space == analyzer.space


@pytest.mark.parametrize("name", SEGMENTERS)
def test_a_missing_segmenter_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"tallybayes\[zh\]"):
        Analyzer(name)


def test_a_callable_is_refused_by_name_when_saving():
    with pytest.raises(ParameterError, match=r"str\.split"):
        Analyzer(str.split).to_json()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tokens": "word"}, "words, sklearn, space"),
        ({"tokens": 5}, "a callable, not 5"),
        ({"tokens": __import__("re").compile("a+")}, r"write 'regex:a\+'"),
        ({"tokens": "regex:("}, "not a regular expression"),
        ({"tokens": "regex:(a)(b)"}, "2 groups"),
        ({"ngrams": (2, 1)}, r"ngrams is \(shortest, longest\)"),
        ({"ngrams": 2}, "ngrams"),
        ({"ngrams": (0, 1)}, "ngrams"),
        ({"cjk": (1, 65)}, "cjk"),
        ({"normalize": "nfd"}, "normalize is"),
        ({"stop_words": "english"}, "ENGLISH_STOP_WORDS"),
        ({"stop_words": [1]}, "stop_words are str, not int"),
        ({"min_length": 0}, "min_length is a whole number from 1"),
        ({"hash": 0}, "hash is a whole number"),
        ({"hash": ("md5", 8)}, "function of hash"),
        ({"hash": True}, "hash is a whole number"),
    ],
)
def test_a_parameter_out_of_its_range_is_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        Analyzer(**options)


@pytest.mark.parametrize("change", [{"tokens": None}, {"colour": 1}, {"ngrams": [3, 1]}])
def test_json_that_is_no_rules_is_refused(change):
    with pytest.raises(ParameterError):
        Analyzer.from_json(Analyzer().to_json() | change)
