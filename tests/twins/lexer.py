"""A slow, readable twin of native/text.hpp: the rules of every token mode, in plain Python.

It uses `unicodedata`, `re` and `regex` where the kernel uses its generated tables, whole strings where the kernel
streams, and knows nothing of scratch, blocks or UTF-8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import regex

Pair = tuple[int, int]
KEYCAP, JOINER, SEPARATOR = "\u20e3", "\u200d", "\x1f"
DENSE = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}"
    r"\p{Script=Ahom}\p{Script=Javanese}\p{Script=Balinese}\p{Script=Yi}\p{Script=Nushu}\p{Script=Tangut}"
    r"\p{Script=Khitan_Small_Script}]"
)
DENSE_SHARED = regex.compile(r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}]")
IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
EMOJI = regex.compile(r"\p{Extended_Pictographic}")
SKIN_TONE = regex.compile(r"\p{Emoji_Modifier}")
REGIONAL = regex.compile(r"\p{Regional_Indicator}")
JOINER_BEFORE_EMOJI = regex.compile(r"\u200d(?=\p{Default_Ignorable_Code_Point}*\p{Extended_Pictographic})")


@cache
def kind(c: str) -> str:
    """What "words" sees in a character."""
    if c.isalnum() or c == "_":
        shared = DENSE_SHARED.match(c) and unicodedata.category(c) in ("Lm", "Lo")
        return "dense" if DENSE.match(c) or shared else "word"
    if unicodedata.category(c)[0] == "M" or IGNORABLE.match(c):
        return "mark"
    if c in "'’":
        return "apostrophe"
    if SKIN_TONE.match(c):
        return "skin tone"
    if REGIONAL.match(c):
        return "regional"
    return "emoji" if EMOJI.match(c) else "other"


def fold(text: str, how: str) -> str:
    """The whole document as the tokens are cut from it, default-ignorable characters gone where it is normalised."""
    if how == "none":
        return text
    if how == "lower":
        return text.lower()
    text = unicodedata.normalize("NFKC", IGNORABLE.sub("", text))
    return text if how == "nfkc" else unicodedata.normalize("NFC", text.casefold())


class Unit(NamedTuple):
    """A word, an emoji or a run without spaces; the characters of a run."""

    kind: str
    text: str
    characters: tuple[str, ...]


def clusters(text: str, joined: set[int]) -> Iterator[tuple[str, str]]:
    """(kind, base with its marks); `joined` are the places in `text` before which a zero-width joiner stood."""
    at = 0
    while at < len(text):
        start = at
        what = kind(text[at])
        at += 1
        if text[start] in "0123456789#*" and text[at : at + 1] == KEYCAP:
            what = "emoji"
        elif what == "regional":
            at += text[at : at + 1] != "" and kind(text[at]) == "regional"
        if what in ("emoji", "skin tone", "regional"):
            what = "emoji"
            while at < len(text) and (
                kind(text[at]) in ("mark", "skin tone")
                or (kind(text[at]) == "emoji" and (at in joined or text[at - 1] == JOINER))
            ):
                at += 1
        while at < len(text) and kind(text[at]) == "mark":
            at += 1
        yield what, text[start:at]


def word_parts(characters: Sequence[str]) -> Iterator[list[str]]:
    """Cut a run of word characters and apostrophes: more than two letters behind an apostrophe part two words."""
    words: list[list[str]] = [[]]
    for c in characters:
        if c in "'’":
            words.append([])
        else:
            words[-1].append(c)
    whole: list[str] = []
    for i, word in enumerate(words):
        if i and whole and word and len(word) <= 2:
            whole += ["'", *word]
        else:
            if whole:
                yield whole
            whole = list(word)
    if whole:
        yield whole


def units(text: str, how: str) -> Iterator[Unit]:
    """The words, emoji and runs of a document."""
    joined = set()
    if how.startswith("nfkc"):
        # A private-use character carries the joiners through the folding, which would remove them.
        carried = fold(JOINER_BEFORE_EMOJI.sub("\ue000", text.replace("\ue000", "\ue001")), how)
        text = ""
        for c in carried:
            if c == "\ue000":
                joined.add(len(text))
            else:
                text += c
    else:
        text = fold(text, how)
    run: list[str] = []
    run_kind = ""

    def end() -> Iterator[Unit]:
        if run_kind == "dense":
            yield Unit("dense", "".join(run), tuple(run))
        else:
            for word in word_parts(run):
                yield Unit("word", "".join(word), tuple(word))
        run.clear()

    for what, cluster in clusters(text, joined):
        marked_apostrophe = what == "apostrophe" and len(cluster) > 1
        group = "word" if what == "apostrophe" and not marked_apostrophe else what
        if group != run_kind or what == "emoji":
            yield from end()
            run_kind = group
        if what == "emoji":
            yield Unit("emoji", cluster, ())
        elif group in ("word", "dense"):
            run.append(cluster)
    yield from end()


def word_ngrams(words: Sequence[str], ngrams: Pair) -> Iterator[str]:
    for end in range(1, len(words) + 1):
        for n in range(ngrams[0], min(ngrams[1], end) + 1):
            yield " ".join(words[end - n : end])


def features(
    text: str,
    tokens: str = "words",
    ngrams: Pair = (1, 2),
    cjk: Pair = (1, 3),
    how: str = "nfkc_casefold",
    stop_words: Sequence[str] = (),
    min_length: int = 1,
) -> list[str]:
    """The features of a document, in the kernel's order: by where they end, shorter ones first."""
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    if tokens == "words":
        return list(words_features(text, ngrams, cjk, how, stop_words, min_length))
    text = fold(text, how)
    if tokens == "chars":
        return list(char_ngrams(re.sub(r"\s\s+", " ", text), ngrams))
    if tokens == "chars_in_words":
        return [feature for word in text.split() for feature in char_ngrams(f" {word} ", ngrams, whole=True)]
    if tokens == "sklearn":
        found = re.findall(r"(?u)\b\w\w+\b", text)
    elif tokens == "space":
        found = text.split()
    else:
        found = [token for token in text.split(SEPARATOR) if token]
    kept = [token for token in found if len(token) >= min_length and token not in stop_words]
    return list(word_ngrams(kept, ngrams))


def words_features(
    text: str, ngrams: Pair, cjk: Pair, how: str, stop_words: Sequence[str], min_length: int
) -> Iterator[str]:
    chain: list[str] = []
    for unit in units(text, how):
        if unit.kind == "dense":
            yield from word_ngrams(chain, ngrams)
            chain = []
            for end in range(1, len(unit.characters) + 1):
                for n in range(cjk[0], min(cjk[1], end) + 1):
                    feature = "".join(unit.characters[end - n : end])
                    if feature not in stop_words:
                        yield feature
        elif unit.text not in stop_words and (unit.kind == "emoji" or len(unit.characters) >= min_length):
            chain.append(unit.text)
    yield from word_ngrams(chain, ngrams)


def char_ngrams(text: str, ngrams: Pair, whole: bool = False) -> Iterator[str]:
    for end in range(1, len(text) + 1):
        for n in range(ngrams[0], min(ngrams[1], end) + 1):
            yield text[end - n : end]
    if whole and len(text) < ngrams[0]:
        yield text
