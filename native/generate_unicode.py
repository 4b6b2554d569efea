"""Write native/unicode.hpp, the per-code-point tables of the lexer.

A developer's tool, run by hand when the Unicode version of the tables is to rise::

    python3.13 -m pip install regex && python3.13 native/generate_unicode.py > native/unicode.hpp

Everything comes from the running Python's own Unicode version (3.13: 15.1), since the rule for "sklearn" tokens is what
that Python's ``re`` and ``str.lower`` do; `regex` adds Script, Extended_Pictographic and Default_Ignorable. Raising
the version changes what a feature is: raise `text/space.py`'s rule version with it.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator

import regex

ALL = range(0x110000)
HANGUL = range(0xAC00, 0xD7A4)
FLAGS = (
    "word",  # Python's \w: str.isalnum() or _
    "mark",  # category M: stays with its letter
    "dense",  # \w of a script written without spaces between words
    "emoji",  # Extended_Pictographic
    "skin_tone",  # Emoji_Modifier
    "regional",  # Regional_Indicator: two make a flag
    "ignorable",  # Default_Ignorable_Code_Point
    "cased",  # Cased and not Case_Ignorable: decides the final sigma of str.lower
    "case_ignorable",
    "space",  # str.isspace()
    "folds",  # NFKC or case folding changes it
    "lowers",  # str.lower() changes it
    "joins",  # NFC may join it to what stands before, or replaces it: NFC_QC is not Yes
)
# Scripts that line breaking (UAX #14) treats as written without spaces (classes SA, ID, CJ, AK/AS). Not Tibetan: its
# tsheg parts syllables as a space parts words. Not Hangul: Korean is written with spaces.
DENSE_SCRIPTS = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tai_Le}\p{New_Tai_Lue}"
    r"\p{Tai_Tham}\p{Tai_Viet}\p{Ahom}\p{Javanese}\p{Balinese}\p{Yi}\p{Nushu}\p{Tangut}\p{Khitan_Small_Script}]"
)
DENSE_EXTENSIONS = r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}]"


def members(pattern: str) -> frozenset[int]:
    """Code points that match a one-character pattern."""
    return frozenset(map(ord, regex.findall(pattern, "".join(map(chr, ALL)))))


def assigned(c: int) -> bool:
    return unicodedata.category(chr(c)) != "Cn"


def words() -> frozenset[int]:
    return frozenset(c for c in ALL if chr(c).isalnum() or c == ord("_"))


def dense(word: frozenset[int]) -> frozenset[int]:
    """Word characters of the dense scripts; ー and its like are Common, but extend kana (Script_Extensions)."""
    shared = {c for c in members(DENSE_EXTENSIONS) if unicodedata.category(chr(c)) in ("Lm", "Lo")}
    return (members(DENSE_SCRIPTS) | shared) & word


def compositions() -> dict[tuple[int, int], int]:
    """The primary composites: (first, second) -> composed. Hangul is computed, not listed."""
    found = {}
    for c in ALL:
        parts = unicodedata.decomposition(chr(c))
        if parts and "<" not in parts and " " in parts and unicodedata.is_normalized("NFC", chr(c)):
            first, second = (int(part, 16) for part in parts.split())
            found[first, second] = c
    return found


def flags() -> list[int]:
    word = words()
    seconds = {second for _, second in compositions()} | {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}
    cased = frozenset(c for c in ALL if (chr(c) + "Σ").lower().endswith("ς"))
    sets: dict[str, frozenset[int]] = {
        "word": word,
        "mark": frozenset(c for c in ALL if unicodedata.category(chr(c))[0] == "M"),
        "dense": dense(word),
        "emoji": members(r"\p{Extended_Pictographic}"),
        "skin_tone": members(r"\p{Emoji_Modifier}"),
        "regional": members(r"\p{Regional_Indicator}"),
        "ignorable": members(r"\p{Default_Ignorable_Code_Point}"),
        "cased": cased,
        "case_ignorable": frozenset(c for c in ALL if ("A" + chr(c) + "Σ").lower().endswith("ς")) - cased,
        "space": frozenset(c for c in ALL if chr(c).isspace()),
        "folds": frozenset(c for c in ALL if nfkc(c) != chr(c) or chr(c).casefold() != chr(c)),
        "lowers": frozenset(c for c in ALL if chr(c).lower() != chr(c)),
        "joins": frozenset(c for c in ALL if c in seconds or not unicodedata.is_normalized("NFC", chr(c))),
    }
    return [sum(1 << bit for bit, name in enumerate(FLAGS) if c in sets[name]) for c in ALL]


def nfkc(c: int) -> str:
    return unicodedata.normalize("NFKC", chr(c))


def literal(values: list[int]) -> Iterator[str]:
    """Lines of numbers, at most 118 characters long."""
    line = ""
    for value in values:
        text = f"{value},"
        if len(line) + len(text) > 118:
            yield line
            line = ""
        line += text
    yield line


def array(kind: str, name: str, values: list[int]) -> None:
    print(f"inline constexpr {kind} {name}[{len(values)}] = {{")
    print("\n".join(literal(values)) + "};")


def smallest(most: int) -> str:
    return "uint8_t" if most < 1 << 8 else "uint16_t" if most < 1 << 16 else "uint32_t"


def stages(name: str, values: list[int]) -> None:
    """A two-stage table: blocks[index[c >> shift] << shift | low bits of c], with the shift that prints shortest."""
    best: tuple[int, int, list[int], list[int]] | None = None
    for shift in range(4, 9):
        known: dict[tuple[int, ...], int] = {}
        index = [
            known.setdefault(tuple(values[at : at + (1 << shift)]), len(known))
            for at in range(0, len(values), 1 << shift)
        ]
        blocks = [value for block in known for value in block]
        size = sum(len(str(value)) + 1 for value in index + blocks)
        if best is None or size < best[0]:
            best = size, shift, index, blocks
    assert best is not None
    _, shift, index, blocks = best
    print(f"inline constexpr unsigned {name}_shift = {shift};")
    array(smallest(max(index)), f"{name}_index", index)
    array(smallest(max(blocks)), f"{name}_blocks", blocks)


def mapping(name: str, function: Callable[[int], str], pool: list[int], places: dict[str, int]) -> None:
    """A stage table of places in the pool (0: unchanged), where a length and that many code points stand."""
    values = []
    for c in ALL:
        text = chr(c) if 0xD800 <= c < 0xE000 else function(c)
        if text == chr(c):
            values.append(0)
            continue
        if text not in places:
            places[text] = len(pool)
            pool += [len(text), *map(ord, text)]
        values.append(places[text])
    stages(name, values)


def main() -> None:
    bits = flags()
    classes = [bits[c] << 8 | unicodedata.combining(chr(c)) for c in ALL]
    records = sorted(set(classes), key=lambda record: (-classes.count(record), record))
    assert len(records) <= 256, len(records)
    number = {record: i for i, record in enumerate(records)}
    print("// Unicode tables of the lexer. Made by native/generate_unicode.py; do not edit.")
    print("#pragma once")
    print("#include <cstdint>")
    print()
    print("namespace tb::unicode {")
    print(f'inline constexpr char version[] = "{unicodedata.unidata_version}";')
    print("// What a code point is: a bit each.")
    for bit, name in enumerate(FLAGS):
        print(f"inline constexpr uint32_t {name} = 1u << {bit};")
    print("// The distinct (flags << 8 | combining class), and which of them each code point has.")
    array("uint32_t", "records", records)
    stages("record", [number[record] for record in classes])
    print("// Replacements: the place in `pool` of a length and so many code points; 0 is no change.")
    pool = [0]
    places: dict[str, int] = {}
    mapping("nfkc", nfkc, pool, places)
    mapping("casefold", lambda c: chr(c).casefold(), pool, places)
    mapping("lower", lambda c: chr(c).lower(), pool, places)
    array("uint32_t", "pool", pool)
    pairs = compositions()
    print("// Canonical composition: first, second, composed; ascending by (first, second). Hangul is computed.")
    ordered = sorted(pairs)
    print(f"inline constexpr uint32_t compositions[{len(ordered)}][3] = {{")
    triples = [f"{{{first},{second},{pairs[first, second]}}}" for first, second in ordered]
    for at in range(0, len(triples), 5):
        print(",".join(triples[at : at + 5]) + ",")
    print("};")
    print("// The rows of `compositions`, ascending by what they compose.")
    rows = sorted(range(len(ordered)), key=lambda row: pairs[ordered[row]])
    array("uint16_t", "decompositions", rows)
    print("}  // namespace tb::unicode")
    for c in ALL:  # the lexer maps once: the result must be stable
        if not 0xD800 <= c < 0xE000:
            once = nfkc(c).casefold()
            twice = "".join(nfkc(ord(d)).casefold() for d in once)
            if twice != once:
                print(f"not stable: U+{c:04X} {once!r} {twice!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
