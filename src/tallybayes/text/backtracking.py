"""Whether a regular expression can take time out of all proportion to the text: it is refused before it meets one.

Python's ``re`` tries every way in which repeats can share the text between them. Where two of them can match the same
characters with nothing that must stand between them, as in ``(a+)+`` or ``.*.*x``, the ways are as many as there are
places to cut. A pattern may come from a model file, so it is looked at: what is refused may be harmless, what is passed
takes at worst the square of a text's length.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, TypeAlias

__all__ = ["ambiguity"]

Set: TypeAlias = frozenset[str]

# The parser has no public name, and there is no other: re.compile keeps nothing of what it read.
compiler: Any = import_module("re._compiler")
op: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_EVERY = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10000)]))
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_ATOMS = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
_FEW = 16  # a repeat of so many at most, around single characters, is counted as choices
_CHOICES = 4096
_LONGEST, _DEEPEST = 10_000, 6


class _AmbiguousError(Exception):
    """Says what can be matched in too many ways."""


def ambiguity(expression: str) -> str | None:
    r"""Return why an expression, which compiles, might take too long; None if it does not.

    Examples
    --------
    >>> ambiguity(r"\w+(?:['-]\w+)*"), ambiguity(r"#\w+|\d{1,3}(?:,\d{3})*(?:\.\d+)?")
    (None, None)
    >>> ambiguity(r"(a+)+$")
    'a repeat can match the same text as one before it or around it'
    """
    if len(expression) > _LONGEST:
        return f"it has more than {_LONGEST:,} characters"
    parsed = parser.parse(expression)
    try:
        _Walk(parsed).walk(parsed, [], parsed.state.flags, 0)
    except _AmbiguousError as error:
        return str(error)
    return None


class _Walk:
    """Follows a parsed expression, with the sets of characters of repeats whose end is still open."""

    def __init__(self, parsed: Any) -> None:
        self._state = parsed.state
        self._sample = _EVERY + "".join({chr(code) for code in _codes(parsed) if code > 0xFFFF})
        self._sets: dict[tuple[str, int], Set] = {}
        self._choices = 1

    def walk(self, sequence: Iterable[Any], before: list[Set], flags: int, depth: int) -> list[Set]:
        """Return the repeats that are open after a sequence; `depth` is the number of repeats around it."""
        if depth > _DEEPEST:
            raise _AmbiguousError(f"its repeats stand in each other more than {_DEEPEST} deep")
        for kind, held in sequence:
            if kind in _ATOMS:
                characters = self._set(kind, held, flags)
                before = [each for each in before if each & characters]  # what cannot hold this one has ended
            elif kind in _REPEATS:
                before = self._repeat(held, before, flags, depth)
            elif kind is op.SUBPATTERN:
                _, more, less, inner = held
                before = self.walk(inner, before, (flags | more) & ~less, depth)
            elif kind is op.ATOMIC_GROUP:
                before = self.walk(held, before, flags, depth)
            elif kind is op.BRANCH:
                before = self._branch(held[1], before, flags, depth)
            elif kind in (op.ASSERT, op.ASSERT_NOT):
                self.walk(held[1], [], flags, depth)
            elif kind is not op.AT and kind is not op.FAILURE:
                raise _AmbiguousError("it refers to one of its groups")
        return before

    def _repeat(self, repeat: Any, before: list[Set], flags: int, depth: int) -> list[Set]:
        least, most, inner = repeat
        if most > 1 and not inner.getwidth()[0]:
            raise _AmbiguousError("what it repeats can be empty")
        simple = all(kind in _ATOMS for kind, _ in inner)
        around = depth + (most > 1 and not simple)
        after = self.walk(inner, before, flags, around)
        if most > 1:
            self.walk(inner, after, flags, around)  # what is open at the end of a round meets the next one
        if least == most:
            return after
        if depth == 0 and (most == 1 or (simple and most <= _FEW)):
            self._chosen(int(most) - least + 1)
        else:
            characters = self._all(inner, flags)
            if any(each & characters for each in before if any(each is one for one in after)):
                raise _AmbiguousError("a repeat can match the same text as one before it or around it")
            after = [*after, characters]
        return [*before, *after] if least == 0 else after

    def _branch(self, ways: list[Any], before: list[Set], flags: int, depth: int) -> list[Set]:
        self._chosen(len(ways) if depth == 0 else 1)
        if depth:
            first = [self._first(way, flags) for way in ways]
            if not all(first) or sum(map(len, first)) != len(frozenset().union(*first)):
                raise _AmbiguousError("alternatives inside a repeat can begin with the same character")
        return [each for way in ways for each in self.walk(way, before, flags, depth)]

    def _chosen(self, ways: int) -> None:
        self._choices *= ways
        if self._choices > _CHOICES:
            raise _AmbiguousError(f"there are more than {_CHOICES:,} combinations of its alternatives")

    def _first(self, sequence: Any, flags: int) -> Set:
        """Return the characters with which a sequence begins; none where that is not plain to see."""
        for kind, held in sequence:
            if kind in _ATOMS:
                return self._set(kind, held, flags)
            if kind is op.SUBPATTERN:
                return self._first(held[3], (flags | held[1]) & ~held[2])
            if kind in _REPEATS and held[0]:
                return self._first(held[2], flags)
            break
        return frozenset()

    def _all(self, sequence: Any, flags: int) -> Set:
        """Return every character that a sequence can hold."""
        found: set[str] = set()
        for kind, held in sequence:
            if kind in _ATOMS:
                found |= self._set(kind, held, flags)
            elif kind in _REPEATS:
                found |= self._all(held[2], flags)
            elif kind is op.SUBPATTERN:
                found |= self._all(held[3], (flags | held[1]) & ~held[2])
            elif kind is op.ATOMIC_GROUP:
                found |= self._all(held, flags)
            elif kind is op.BRANCH:
                for way in held[1]:
                    found |= self._all(way, flags)
        return frozenset(found)

    def _set(self, kind: Any, held: Any, flags: int) -> Set:
        key = (f"{kind} {held}", flags)
        if key not in self._sets:
            alone = parser.SubPattern(self._state, [(kind, held)])
            self._sets[key] = frozenset(compiler.compile(alone, flags).findall(self._sample))
        return self._sets[key]


def _codes(tree: Any) -> Iterable[int]:
    """Return the numbers in a parsed expression; those of characters are among them."""
    if isinstance(tree, int):
        return [tree] if tree <= 0x10FFFF else []
    if isinstance(tree, (list, tuple, parser.SubPattern)):
        return [code for each in tree for code in _codes(each)]
    return []
