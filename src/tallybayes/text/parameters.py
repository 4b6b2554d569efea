"""Checks of the analyzer's parameters: each gives the value to work with, or says what was wanted."""

from __future__ import annotations

import re
from typing import Any

from tallybayes.errors import ParameterError
from tallybayes.text.segment import SEGMENTERS
from tallybayes.text.tokenizers import REGEX, TokenFunction

__all__ = ["HASHES", "check_hash", "check_normalize", "check_pair", "check_stop_words", "check_tokens", "check_whole"]

KERNEL_TOKENS = ("words", "sklearn", "space", "chars", "chars_in_words")
HASHES = {"tallybayes": "tallybayes-1", "murmur3": "murmur3"}  # the names in a feature space say the version too
LONGEST_NGRAM = 64


def check_tokens(tokens: str | TokenFunction) -> str | TokenFunction:
    if isinstance(tokens, str):
        if not (tokens.startswith(REGEX) or tokens in KERNEL_TOKENS or tokens in SEGMENTERS):
            known = ", ".join([*KERNEL_TOKENS, *SEGMENTERS])
            raise ParameterError(f"tokens is one of {known}, 'regex:PATTERN' or a callable, not {tokens!r}")
    elif not callable(tokens):
        hint = f"; write {REGEX + tokens.pattern!r}" if isinstance(tokens, re.Pattern) else ""
        raise ParameterError(f"tokens is a name, 'regex:PATTERN' or a callable, not {tokens!r}{hint}")
    return tokens


def check_whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 1 <= value <= most:
        raise ParameterError(f"{name} is a whole number from 1 to {most}, not {value!r}")
    return int(value)


def check_pair(name: str, value: Any) -> tuple[int, int]:
    try:
        low, high = (check_whole(name, bound, LONGEST_NGRAM) for bound in value)
    except (TypeError, ValueError):
        low, high = 0, 0
    if not 1 <= low <= high:
        raise ParameterError(
            f"{name} is (shortest, longest), 1 <= shortest <= longest <= {LONGEST_NGRAM}, not {value!r}"
        )
    return low, high


def check_normalize(value: Any) -> str | None:
    if value not in ("auto", "nfkc", None):
        raise ParameterError(f"normalize is 'auto', 'nfkc' or None, not {value!r}")
    return value if value is None else str(value)


def check_stop_words(words: Any) -> frozenset[str] | None:
    if words is None:
        return None
    if isinstance(words, str):
        hint = (
            "from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS is one such list"
            if words == "english"
            else "put it in a list"
        )
        raise ParameterError(f"stop_words is a collection of words, not the string {words!r}; {hint}")
    found = frozenset(words)
    wrong = [word for word in found if not isinstance(word, str)]
    if wrong:
        raise ParameterError(f"stop_words are str, not {type(wrong[0]).__name__}: {wrong[0]!r}")
    return found


def check_hash(hashing: Any) -> tuple[str, int] | None:
    """(function, columns) of feature hashing."""
    if hashing is None:
        return None
    function, columns = hashing if isinstance(hashing, (tuple, list)) and len(hashing) == 2 else ("tallybayes", hashing)
    if function not in HASHES:
        raise ParameterError(f"the function of hash is one of {', '.join(HASHES)}, not {function!r}")
    return str(function), check_whole("hash", columns, 2**31)
