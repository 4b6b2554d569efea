"""Values of columns as features: (column, typed value) ⇄ text whose byte order is the order of columns, types, values.

``0000002s圆`` is the text 圆 in column 2, ``0000000i0217`` the number 17 in column 0. So a table of categories is a
count tally like any other, and merges, is saved and has a digest like any other.
"""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

from tallybayes.errors import InputError, InputTypeError

__all__ = ["Value", "decode_value", "encode_value", "is_missing", "plain_value", "read_value"]

Value: TypeAlias = str | int | float | bool | bytes | datetime.date
_WIDTH = 7  # digits of a column
_PLAIN: dict[type, Callable[[Any], Value]] = {str: str.__str__, int: int.__int__, float: float.__float__, bytes: bytes}
_NINES = str.maketrans("0123456789", "9876543210")


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
    """Turn a NumPy scalar into the plain value it stands for, and refuse what is no value.

    Raises
    ------
    InputTypeError
    """
    if hasattr(value, "item") and hasattr(value, "dtype"):
        value = value.item()
    if isinstance(value, datetime.datetime):
        if value.time() != datetime.time() or value.tzinfo is not None:
            raise InputTypeError(f"{value!r} is a moment, not a category: make days or text of it")
        value = value.date()
    if type(value) in (bool, int, float, str, bytes, datetime.date):
        return value  # type: ignore[no-any-return]
    for kind, plain in _PLAIN.items():  # an enum of text is text
        if isinstance(value, kind):
            return plain(value)
    raise InputTypeError(f"{value!r} is {type(value).__name__}: categories are text, numbers, booleans, bytes or dates")


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
        int: int,
        float: float,
        bytes: bytes.fromhex,
        datetime.date: datetime.date.fromisoformat,
    }
    return readers.get(kind, str)(text)


def is_missing(value: Any) -> bool:
    """Return whether a value stands for none: None, NaN, NaT, pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _payload(value: Value) -> tuple[str, str]:
    if isinstance(value, bool):
        return "b", str(int(value))
    if isinstance(value, int):
        digits = str(abs(value))
        counted = f"{len(digits):02d}{digits}"
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
        return int(text[2:])
    if kind == "h":
        return -int(text.translate(_NINES)[2:])
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
