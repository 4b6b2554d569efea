"""Tokens that Python finds rather than the kernel: by a pattern, a segmenter or a caller's function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeAlias

from tallybayes.errors import InputTypeError, ParameterError
from tallybayes.text.segment import SEGMENTERS, Segmenter, locate

__all__ = ["REGEX", "Function", "Pattern", "TokenFunction", "Tokenizer", "name_of", "tokenizer_of"]

TokenFunction: TypeAlias = Callable[[str], Iterable[str]]
REGEX = "regex:"


class Tokenizer(Protocol):
    """What finds the tokens of a text."""

    def cut(self, text: str) -> list[str]:
        """Return the tokens."""

    def starts(self, text: str, tokens: list[str]) -> list[int]:
        """Return where in the text each of its tokens begins; -1 where one does not literally stand there."""


class Pattern:
    """What a regular expression matches, or its group if it has one."""

    def __init__(self, expression: str) -> None:
        from tallybayes.text.backtracking import ambiguity  # what few need, and takes its time to load

        try:
            self._pattern = re.compile(expression)
            reason = ambiguity(expression)
        except (re.error, OverflowError, RecursionError) as error:
            said = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise ParameterError(f"tokens={REGEX + expression!r:.80} is not a regular expression: {said}") from None
        if reason:
            raise ParameterError(
                f"tokens={REGEX + expression!r:.80} may take very long: {reason}; write it without, or give a function "
                "(re.compile(…).findall), which is not saved"
            )
        self._group = self._pattern.groups
        if self._group > 1:
            raise ParameterError(
                f"tokens={REGEX + expression!r} has {self._group} groups, wanted at most one: the token; write the "
                "others (?:...)"
            )

    def cut(self, text: str) -> list[str]:
        """Return the matches that are not empty."""
        return [token for token in self._pattern.findall(text) if token]

    def starts(self, text: str, tokens: list[str]) -> list[int]:
        """Return where each match begins."""
        return [match.start(self._group) for match in self._pattern.finditer(text) if match[self._group]]


class Function:
    """A caller's function, its tokens checked."""

    def __init__(self, function: TokenFunction) -> None:
        self._function = function

    def cut(self, text: str) -> list[str]:
        """Return the tokens that the function finds."""
        tokens = list(self._function(text))
        for token in tokens:
            if not isinstance(token, str):
                raise InputTypeError(
                    f"{name_of(self._function)} gave {token!r} of type {type(token).__name__} for the document "
                    f"{text[:40]!r}; wanted str"
                )
        return tokens

    def starts(self, text: str, tokens: list[str]) -> list[int]:
        """Look for each token behind the one before."""
        return locate(text, tokens)


def tokenizer_of(tokens: str | TokenFunction) -> Tokenizer | None:
    """Choose the tokenizer that the parameter `tokens` asks for; None where the kernel itself finds them."""
    if not isinstance(tokens, str):
        return Function(tokens)
    if tokens.startswith(REGEX):
        return Pattern(tokens.removeprefix(REGEX))
    return Segmenter(tokens) if tokens in SEGMENTERS else None


def name_of(function: Any) -> str:
    """Name a callable, as error messages and feature spaces do."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', 'builtins')}.{named.__qualname__}"
