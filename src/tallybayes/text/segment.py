"""Chinese words: the two segmenters of the extra ``zh``, loaded when first used."""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from unicodedata import category

from tallybayes.errors import MissingExtraError

__all__ = ["SEGMENTERS", "Segmenter", "locate"]


def _load_jieba() -> tuple[Callable[[str], list[str]], str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba 0.42.1 warns on every import: invalid escapes, pkg_resources
        jieba = import_module("jieba")

    jieba.setLogLevel(logging.WARNING)  # it announces its dictionary on stderr otherwise
    tokenizer = jieba.Tokenizer()  # its own, so that words the caller adds to jieba do not leak in
    digest = hashlib.sha256()
    with tokenizer.get_dict_file() as dictionary:
        digest.update(dictionary.read())
    return tokenizer.lcut, digest.hexdigest()


def _load_rjieba() -> tuple[Callable[[str], list[str]], str]:
    rjieba = import_module("rjieba")
    return rjieba.Jieba().cut, "built in"  # the version says which; the file of the library differs by platform


SEGMENTERS = {"jieba": _load_jieba, "rjieba": _load_rjieba}


class Segmenter:
    """Cuts Chinese text into words.

    Parameters
    ----------
    name : {"jieba", "rjieba"}
        rjieba is some fourteen times as fast and cuts 98.8 % of lines alike.

    Raises
    ------
    MissingExtraError
        If the package is not installed.

    Examples
    --------
    >>> Segmenter("rjieba").cut("我爱北京，真的！")
    ['我', '爱', '北京', '真的']
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._load()

    def _load(self) -> None:
        try:
            self._version = version(self.name)
            self._cut, self._dictionary = SEGMENTERS[self.name]()
        except (ImportError, PackageNotFoundError):
            raise MissingExtraError.of(self.name, "zh") from None

    @property
    def identity(self) -> dict[str, str]:
        """Name, version and dictionary (its SHA-256 where it is a file): another of these may cut other words."""
        return {"name": self.name, "version": self._version, "dictionary": self._dictionary}

    def cut(self, text: str) -> list[str]:
        """Return the words of `text`; punctuation and white space are left out."""
        return [word for word in self._cut(text) if word[0].isalnum() or _is_word(word)]

    def starts(self, text: str, tokens: list[str]) -> list[int]:
        """Return where in the text each of its words begins."""
        return locate(text, tokens)

    def __reduce__(self) -> tuple[Any, ...]:
        return Segmenter, (self.name,)  # a segmenter holds what cannot be pickled; the other side loads its own


def locate(text: str, tokens: list[str]) -> list[int]:
    """Where each token begins, looked for behind the one before; -1 where it does not literally stand."""
    starts, at = [], 0
    for token in tokens:
        start = text.find(token, at)
        starts.append(start)
        at = start + len(token) if start >= 0 else at
    return starts


def _is_word(text: str) -> bool:
    """Whether there is a letter, a digit or a symbol such as an emoji in `text`."""
    return any(c.isalnum() or category(c) == "So" for c in text)
