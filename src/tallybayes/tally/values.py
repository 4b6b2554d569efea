"""Values of columns as features: (column, typed value) ⇄ text whose byte order is the order of columns, types, values.

``0000002s圆`` is the text 圆 in column 2, ``0000000i0217`` the number 17 in column 0. So a table of categories is a
count tally like any other, and merges, is saved and has a digest like any other.

Numbers are values, whatever type they came in: 4, 4.0, float32(4) and Int64(4) are the category 4, and True is 1. So a
gap that turns the other numbers of a pandas column into floats changes nothing. Text, bytes and dates stay apart.
"""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

from tallybayes.errors import InputError, InputTypeError
from tallybayes.labels import plain_label

__all__ = ["INEXACT", "Value", "decode_value", "encode_value", "plain_value", "read_value", "renewed"]

Value: TypeAlias = str | int | float | bool | bytes | datetime.date
_WIDTH = 7  # digits of a column
_NINES = str.maketrans("0123456789", "9876543210")
_LONG = 99  # a number of so many digits or more says how many in six places
_MOST_BITS = 3300  # of a whole number: about a thousand digits
INEXACT = 2**53  # from here on a float no longer tells whole numbers apart


def encode_value(column: int, value: Value) -> str:
    """Name a value of a column.

    Raises
    ------
    InputError
        If text holds half a surrogate pair, which no file can hold.

    Examples
    --------
    >>> encode_value(2, "圆"), encode_value(0, 17), encode_value(0, -3)
    ('0000002s圆', '0000000i0217', '0000000h986')
    """
    kind, text = _payload(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"the value {value!r} in column {column} holds half a surrogate pair and is no text") from None
    return f"{column:0{_WIDTH}d}{kind}{text}"


def renewed(feature: str) -> str:
    """Name a value as it is named today: up to 0.2, 4.0 and True had names of their own beside those of 4 and 1."""
    column, value = decode_value(feature)
    try:
        return encode_value(column, plain_value(value))
    except InputError:  # a float beyond 2^53 stays what it was
        return feature


def decode_value(feature: str) -> tuple[int, Value]:
    """Read the column and the value of `encode_value` back.

    Raises
    ------
    ValueError
        If the text is no such name.

    Examples
    --------
    >>> decode_value('0000002s圆'), decode_value('0000000h986')
    ((2, '圆'), (0, -3))
    """
    column, kind, text = int(feature[:_WIDTH]), feature[_WIDTH : _WIDTH + 1], feature[_WIDTH + 1 :]
    return column, _read(kind, text)


def plain_value(value: Any) -> Value:
    """Turn a value of any type into the plain value that it is a category by, and refuse what is none.

    Raises
    ------
    InputTypeError
        If it is no text, number, boolean, bytes or date.
    InputError
        If it is a number that may have lost digits, or has more than about a thousand.

    Examples
    --------
    >>> plain_value(4.0), plain_value(True), plain_value(2.5), plain_value(datetime.datetime(2024, 1, 1))
    (4, 1, 2.5, datetime.date(2024, 1, 1))
    """
    plain = plain_label(value)
    if isinstance(plain, float) and plain.is_integer():
        if abs(plain) >= INEXACT:
            raise InputError(
                f"{plain!r} is a float beyond 2^53, where whole numbers that differ become one: give whole numbers "
                "(int64, or Int64 where there are gaps) or text"
            )
        return int(plain)
    if isinstance(plain, int):
        if plain.bit_length() > _MOST_BITS:
            raise InputError("a whole number of more than a thousand digits is no category: make text of it")
        return int(plain)
    if type(plain) in (float, str, bytes, datetime.date):
        return plain  # type: ignore[no-any-return]
    if isinstance(plain, datetime.datetime):
        raise InputTypeError(f"{plain!r} is a moment, not a category: make days or text of it")
    raise InputTypeError(f"{plain!r} is {type(plain).__name__}: categories are text, numbers, booleans, bytes or dates")


def read_value(kind: type, text: str) -> Value:
    """Read a value of a type from the text of a table's cell.

    Raises
    ------
    ValueError
        If the text is no such value.

    Examples
    --------
    >>> read_value(int, "17"), read_value(bool, "true")
    (17, True)
    """
    if kind is bool:
        known = {"true": True, "1": True, "false": False, "0": False}
        if text.strip().lower() not in known:
            raise ValueError(f"{text!r} is neither true nor false")
        return known[text.strip().lower()]
    readers: dict[type, Callable[[str], Value]] = {
        int: _number,
        float: _number,
        bytes: bytes.fromhex,
        datetime.date: datetime.date.fromisoformat,
    }
    return readers.get(kind, str)(text)


def _number(text: str) -> Value:
    word = text.strip().lower()
    if word in ("true", "false"):  # a boolean is the number that it is
        return int(word == "true")
    try:
        return int(text)
    except ValueError:
        return plain_value(float(text))


def _payload(value: Value) -> tuple[str, str]:
    if isinstance(value, bool):
        return "b", str(int(value))
    if isinstance(value, int):
        digits = str(abs(value))
        n = len(digits)
        counted = f"{n:02d}{digits}" if n < _LONG else f"{_LONG}{n:06d}{digits}"
        # Of negative numbers the longer and larger comes first: nines' complement, and a letter before theirs.
        return ("i", counted) if value >= 0 else ("h", counted.translate(_NINES))
    if isinstance(value, float):
        (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))  # -0.0 is 0.0
        ordered = bits ^ (0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63)
        return "f", f"{ordered:016x}"
    if isinstance(value, bytes):
        return "c", value.hex()
    if isinstance(value, datetime.date):
        return "d", value.isoformat()
    return "s", value


def _read(kind: str, text: str) -> Value:
    if kind == "s":
        return text
    if kind == "i":
        return _digits(text)
    if kind == "h":
        return -_digits(text.translate(_NINES))
    if kind == "b":
        return text == "1"
    if kind == "c":
        return bytes.fromhex(text)
    if kind == "d":
        return datetime.date.fromisoformat(text)
    if kind == "f":
        ordered = int(text, 16)
        bits = ordered ^ ((1 << 63) if ordered >> 63 else 0xFFFFFFFFFFFFFFFF)
        (number,) = struct.unpack(">d", struct.pack(">Q", bits))
        return float(number)
    raise ValueError(f"a value of unknown kind {kind!r}")


def _digits(counted: str) -> int:
    """Read a whole number behind the number of its digits."""
    return int(counted[8:] if counted.startswith(str(_LONG)) else counted[2:])
