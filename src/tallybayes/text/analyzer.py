"""Document → features, by rules that are part of every model."""

from __future__ import annotations

import hashlib
import json
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import tallybayes._kernel as _kernel
from tallybayes.errors import ParameterError
from tallybayes.space import Space
from tallybayes.text.documents import read_documents, read_texts
from tallybayes.text.parameters import (
    HASHES,
    check_hash,
    check_normalize,
    check_pair,
    check_stop_words,
    check_tokens,
    check_whole,
)
from tallybayes.text.segment import Segmenter
from tallybayes.text.tokenizers import Function, Pattern, TokenFunction, name_of, tokenizer_of

__all__ = ["Analyzer", "Span"]

RULE_VERSION = 1  # of what the kernel's lexer makes of a document; raise it with every change of a feature
SEPARATOR = "\x1f"  # parts the tokens found in Python on their way to the kernel


class Span(NamedTuple):
    """A feature and where it stands: ``document[start:end]``, in code points."""

    feature: str
    start: int
    end: int


class Analyzer:
    r"""The rules by which a document becomes features.

    Parameters
    ----------
    tokens : str or callable, default "words"
        ``"words"``: words in every script. NFKC, case folding, default-ignorable characters removed; marks stay with
        their letter; emoji are tokens; an apostrophe with one or two letters behind it stays in the word (``don't``,
        ``we'll``), with more it parts two words (``l'homme``). Scripts written without spaces (Chinese, Japanese, Thai,
        Khmer, ...) give n-grams of characters inside each run instead, by `cjk`.
        ``"sklearn"``: as scikit-learn's CountVectorizer, ``\b\w\w+\b``. ``"space"``: parted by white space.
        ``"chars"``, ``"chars_in_words"``: n-grams of characters by `ngrams`, as scikit-learn's analyzers ``char`` and
        ``char_wb``. ``"jieba"``, ``"rjieba"``: Chinese words (extra ``zh``). ``"regex:PATTERN"``: what the pattern
        matches in the normalised document (or its group, if it has one). A callable: document → tokens, taken as they
        are, whatever `lowercase` and `normalize` say; it cannot be saved.
    ngrams : tuple of (int, int), default (1, 2)
        Shortest and longest n-gram of neighbouring words, from 1 to 64; characters in the two chars rules.
    cjk : tuple of (int, int), default (1, 4)
        Shortest and longest n-gram of characters in a run of a script without spaces, for ``"words"``.
    lowercase : bool, default True
        Fold case; without NFKC, as `str.lower` does.
    normalize : {"auto", "nfkc", None}, default "auto"
        ``"nfkc"`` removes default-ignorable characters (zero-width spaces, soft hyphens, emoji selectors) and makes
        composed, decomposed, full-width and other compatible forms one. ``"auto"`` is ``"nfkc"`` for words, segmenters
        and patterns, and None for the rules that are scikit-learn's and for ``"space"``.
    stop_words : iterable of str or None, default None
        Tokens that are left out before n-grams are built, normalised as documents are (under ``"sklearn"`` taken as
        they are). In a run without spaces, the n-gram that is a stop word itself is left out.
    min_length : int, default 1
        Words of fewer characters are left out; a character is a letter with its marks. Emoji stay.
    hash : int, (str, int) or None, default None
        Hash features into so many columns; with a name the hash function, ``"tallybayes"`` (default) or ``"murmur3"``
        for the columns of scikit-learn's HashingVectorizer. None keeps the exact, growing vocabulary.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    MissingExtraError
        If the segmenter is not installed.

    Examples
    --------
    >>> Analyzer().features("Don't panic! 我爱北京")
    ["don't", 'panic', "don't panic", '我', '爱', '我爱', '北', '爱北', '我爱北', '京', '北京', '爱北京', '我爱北京']
    >>> Analyzer("sklearn", ngrams=(1, 1)).spans("İstanbul, 2 cats")
    [Span(feature='stanbul', start=1, end=8), Span(feature='cats', start=12, end=16)]
    """

    def __init__(
        self,
        tokens: str | TokenFunction = "words",
        ngrams: tuple[int, int] = (1, 2),
        cjk: tuple[int, int] = (1, 4),
        lowercase: bool = True,
        normalize: str | None = "auto",
        stop_words: Iterable[str] | None = None,
        min_length: int = 1,
        hash: int | tuple[str, int] | None = None,
    ) -> None:
        self.tokens = check_tokens(tokens)
        self.ngrams = check_pair("ngrams", ngrams)
        self.cjk = check_pair("cjk", cjk)
        self.lowercase = bool(lowercase)
        self.normalize = check_normalize(normalize)
        self.stop_words = check_stop_words(stop_words)
        self.min_length = check_whole("min_length", min_length, 2**31 - 1)
        self.hash = check_hash(hash)
        self._tokenizer = tokenizer_of(tokens)
        self._segmenter = self._tokenizer.identity if isinstance(self._tokenizer, Segmenter) else None
        self.rules = _kernel.Rules(
            tokens=str(tokens) if self._tokenizer is None else "separated",
            ngrams=self.ngrams,
            cjk=self.cjk,
            fold="none" if isinstance(self._tokenizer, Pattern) else self._fold,
            stop_words=self._folded_stop_words(),
            min_length=self.min_length,
        )

    # ---- Rules and identity ----

    @property
    def _form(self) -> str | None:
        """The normalisation that is done; what "auto" stands for."""
        if isinstance(self._tokenizer, Function):
            return None
        if self.normalize != "auto":
            return self.normalize
        return "nfkc" if self.tokens == "words" or self._tokenizer else None

    @property
    def _fold(self) -> str:
        if isinstance(self._tokenizer, Function):
            return "none"
        if self._form:
            return "nfkc_casefold" if self.lowercase else "nfkc"
        return "lower" if self.lowercase else "none"

    @property
    def _first_fold(self) -> str:
        """What is done before Python looks for tokens: a pattern sees small letters, a segmenter's words have case."""
        if isinstance(self._tokenizer, Pattern):
            return self._fold
        return "nfkc" if isinstance(self._tokenizer, Segmenter) and self._form else "none"

    def _folded_stop_words(self) -> list[str]:
        words = sorted(self.stop_words or ())
        if self.tokens == "sklearn":
            return words
        if self.tokens == "words":
            words = [word.replace("’", "'") for word in words]
        return sorted(set(_folded(words, self._fold)))

    @property
    def space(self) -> Space:
        """The identity of these rules: tallies of different spaces cannot be added."""
        rules: dict[str, Any] = {
            "tokens": self.tokens if isinstance(self.tokens, str) else f"callable {name_of(self.tokens)}",
            "rule version": RULE_VERSION,
            "unicode": _kernel.unicode_version,
            "ngrams": self.ngrams,
            "lowercase": self._fold in ("lower", "nfkc_casefold"),
            "normalize": self._form,
        }
        if self.tokens == "words":
            rules["cjk"] = self.cjk
        if self.tokens not in ("chars", "chars_in_words"):
            rules["min_length"] = self.min_length
            stop_words = "\n".join(self._folded_stop_words())
            rules["stop words"] = hashlib.sha256(stop_words.encode()).hexdigest() if stop_words else None
        if self._segmenter:
            rules |= {"segmenter version": self._segmenter["version"], "dictionary": self._segmenter["dictionary"]}
        return Space("text", rules, hash=self.hash and (HASHES[self.hash[0]], 0, self.hash[1]))

    # ---- Documents and features ----

    def documents(self, raw: Any) -> _kernel.Documents:
        """Return documents, checked, as the kernel reads them, which finds their features by `rules`.

        Parameters
        ----------
        raw : sequence of str or of UTF-8 bytes, length n
            A list, tuple, generator, NumPy array, or a column of pandas, polars or Arrow.

        Raises
        ------
        InputError
            If a document is missing, a number or not UTF-8, with its position; if `raw` is a single string.
        InputTypeError
            If `raw` or a document is of another type; if a callable gives anything but str.
        """
        if self._tokenizer is None or isinstance(raw, _kernel.Documents):  # the latter were prepared here already
            return read_documents(raw)
        texts = _folded(read_texts(raw), self._first_fold)
        return _kernel.Documents([SEPARATOR.join(self._tokenizer.cut(text)) for text in texts])

    def features(self, document: str) -> list[str]:
        """Return the features of one document, in the order in which they end; a repeated one is repeated."""
        (found,) = _kernel.features(self.documents([document]), self.rules)
        return [feature.decode() for feature in found]

    def spans(self, document: str) -> list[Span]:
        """The features of one document with their places in it.

        A feature of which a callable's tokens do not literally stand in the document has no span.

        Returns
        -------
        list of Span
            ``document[start:end]`` is what the feature was made from: from its first to its last character.
        """
        if self._tokenizer is None:
            found = _kernel.spans(self.documents([document]), self.rules, 0)
            return [Span(feature.decode(), start, end) for feature, start, end in found]
        (text,) = read_texts([document])
        text, places = _folded_places(text, self._first_fold)
        tokens = self._tokenizer.cut(text)
        found = _kernel.spans(_kernel.Documents([SEPARATOR.join(tokens)]), self.rules, 0)
        return list(_placed(found, tokens, self._tokenizer.starts(text, tokens), places))

    # ---- Saving ----

    def to_json(self) -> dict[str, Any]:
        """Return the rules as plain JSON values.

        Raises
        ------
        ParameterError
            If `tokens` is a callable: a file never holds code.
        """
        if not isinstance(self.tokens, str):
            raise ParameterError(
                f"tokens is the callable {name_of(self.tokens)}, which cannot be saved: a file holds no code; use a "
                "named rule or 'regex:PATTERN', or segment the documents first and use tokens='space'"
            )
        return {
            "tokens": self.tokens,
            "ngrams": list(self.ngrams),
            "cjk": list(self.cjk),
            "lowercase": self.lowercase,
            "normalize": self.normalize,
            "stop_words": None if self.stop_words is None else sorted(self.stop_words),
            "min_length": self.min_length,
            "hash": None if self.hash is None else list(self.hash),
            "segmenter": self._segmenter,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Analyzer:
        """Return the rules rebuilt from `to_json`; warns if the installed segmenter is not the recorded one.

        Raises
        ------
        ParameterError
            If the data does not describe rules.
        MissingExtraError
            If the segmenter is not installed.
        """
        options = dict(data)
        recorded = options.pop("segmenter", None)
        if not isinstance(options.get("tokens"), str):
            raise ParameterError(f"saved rules name their tokens, not {options.get('tokens')!r}")
        try:
            analyzer = cls(**options)
        except TypeError as error:
            raise ParameterError(f"saved rules with something unknown: {error}") from None
        if recorded != analyzer._segmenter:
            warnings.warn(
                f"these rules were made with the segmenter {recorded}; installed is {analyzer._segmenter}, which may "
                "cut other words",
                stacklevel=2,
            )
            analyzer._segmenter = recorded  # what the tally of the same file was counted with
        return analyzer

    def _state(self) -> tuple[Any, ...]:
        stop_words = self.stop_words and sorted(self.stop_words)
        options = (self.tokens, self.ngrams, self.cjk, self.lowercase, self.normalize, stop_words, self.min_length)
        return options, self.hash, self._segmenter

    def __reduce__(self) -> tuple[Any, ...]:
        options, hashing, segmenter = self._state()
        return _restored, (*options, hashing, segmenter)

    def __eq__(self, other: object) -> bool:
        return self._state() == other._state() if isinstance(other, Analyzer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.tokens, self.ngrams, self.cjk, self.min_length))

    def __repr__(self) -> str:
        shown = json.dumps(self.tokens) if isinstance(self.tokens, str) else name_of(self.tokens)
        return f"Analyzer({shown}, ngrams={self.ngrams}, cjk={self.cjk})"


def _restored(*state: Any) -> Analyzer:
    """Unpickle: the kernel's rules and the segmenter are made anew."""
    *options, segmenter = state
    analyzer = Analyzer(*options)
    analyzer._segmenter = segmenter
    return analyzer


def _pieces(tokens: str, fold: str) -> _kernel.Rules:
    """Rules that give the normalised text back piece by piece: every token, and nothing made of several."""
    return _kernel.Rules(tokens, ngrams=(1, 1), cjk=(1, 1), fold=fold, stop_words=[], min_length=1)


def _folded(texts: list[str], fold: str) -> list[str]:
    """Each text normalised by the kernel, as one single token."""
    if fold == "none":
        return texts
    rules = _pieces("separated", fold)
    parted = _kernel.Documents([text.replace(SEPARATOR, " ") for text in texts])
    return ["".join(map(bytes.decode, found)) for found in _kernel.features(parted, rules)]


def _folded_places(text: str, fold: str) -> tuple[str, list[tuple[int, int]]]:
    """The normalised text, and from where in the text each of its characters comes."""
    if fold == "none":
        return text, [(i, i + 1) for i in range(len(text))]
    (folded,) = _folded([text], fold)
    rules = _pieces("chars", fold)
    found = iter(_kernel.spans(_kernel.Documents([text.replace(SEPARATOR, " ")]), rules, 0))
    places: list[tuple[int, int]] = []
    for i, c in enumerate(folded):
        # "chars" makes one character of several white-space ones
        inside_gap = i > 0 and c.isspace() and folded[i - 1].isspace()
        places.append(places[-1] if inside_gap else next(found)[1:])
    return folded, places


def _placed(
    found: list[tuple[bytes, int, int]], tokens: list[str], starts: list[int], places: list[tuple[int, int]]
) -> Iterator[Span]:
    """Spans in the joined tokens → spans in the document, through the text in which the tokens were found."""
    joined = list(accumulate((len(token) + 1 for token in tokens), initial=0))  # where each token begins
    for feature, start, end in found:
        first, last = bisect_right(joined, start) - 1, bisect_right(joined, end - 1) - 1
        if starts[first] >= 0 and starts[last] >= 0:
            begin = places[starts[first] + start - joined[first]][0]
            yield Span(feature.decode(), begin, places[starts[last] + end - 1 - joined[last]][1])
