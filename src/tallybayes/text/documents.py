"""Raw documents, in whatever a caller holds them, → the kernel's `Documents`."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

import tallybayes._kernel as _kernel
from tallybayes.errors import InputError, InputTypeError
from tallybayes.labels import one_column

__all__ = ["read_documents", "read_texts"]


def read_documents(raw: Any) -> _kernel.Documents:
    """Check documents and hand them to the kernel, which reads them where they lie.

    Parameters
    ----------
    raw : sequence of str or of UTF-8 bytes, length n
        A list, tuple, generator, NumPy array, or a column of pandas, polars or Arrow. Arrow columns are not copied.

    Raises
    ------
    InputError
        If a document is missing (None, NaN), a number, or bytes that are not UTF-8; if `raw` is one string or has more
        than one column. The message has the position.
    InputTypeError
        If `raw`, or one of the documents, is of another type.

    Examples
    --------
    >>> len(read_documents(["Hello", "你好"]))
    2
    >>> read_documents(["Hello", None])
    Traceback (most recent call last):
    ...
    tallybayes.errors.InputError: document 1 is missing (None): fill it in, or leave the row out together with its label
    """
    if isinstance(raw, _kernel.Documents):
        return raw
    raw = _column(raw)
    column = _arrow_column(raw)
    return _from_items(_items(raw)) if column is None else _from_arrow(column)


def read_texts(raw: Any) -> list[str]:
    """Check documents as `read_documents` does and return them as str, for tokens that Python finds."""
    if isinstance(raw, _kernel.Documents):
        raise InputTypeError("these documents are prepared for the kernel; tokens found in Python need the text itself")
    items = _items(_column(raw))
    _from_items(items)
    return [item if isinstance(item, str) else item.decode() for item in items]


def _column(raw: Any) -> Any:
    """Take the documents out of what holds one column of them, and refuse what is no sequence."""
    if isinstance(raw, (str, bytes, bytearray)):
        shown = repr(raw[:20]) + ("..." if len(raw) > 20 else "")
        raise InputError(f"wanted a sequence of documents, got one string, {shown}: put it in a list, [document]")
    raw = one_column(raw, "documents")
    if isinstance(raw, (Mapping, Set)) or not isinstance(raw, Iterable):
        raise InputTypeError(f"wanted a sequence of documents (list, array, column), got {type(raw).__name__}")
    if getattr(raw, "ndim", 1) != 1:
        raise InputError(
            f"wanted one column of documents, got {type(raw).__name__} of shape {getattr(raw, 'shape', '?')}: "
            "choose the column with the text"
        )
    return raw


def _items(raw: Any) -> list[Any] | tuple[Any, ...]:
    if isinstance(raw, (list, tuple)):
        return raw
    for method in ("tolist", "to_pylist"):  # NumPy and pandas; Arrow, whose own iterator gives no Python values
        if hasattr(raw, method):
            return list(getattr(raw, method)())
    return list(raw)


def _from_items(items: list[Any] | tuple[Any, ...]) -> _kernel.Documents:
    try:
        return _kernel.Documents(items)
    except TypeError:
        raise _wrong_type(items) from None
    except ValueError as error:
        raise InputError(f"{error}; decode it with its own encoding first, as bytes.decode('gb18030')") from None


def _arrow_column(raw: Any) -> Any:
    """The column of text as Arrow holds it, if it is one of Arrow or polars; else None."""
    library = type(raw).__module__.partition(".")[0]
    arrow = sys.modules.get("pyarrow")  # never imported for this: without it polars' own iterator will do
    if arrow is None or library not in ("pyarrow", "polars"):
        return None
    column = raw.to_arrow() if library == "polars" else raw
    text = arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)
    return column.cast(arrow.large_string()) if text else None


def _from_arrow(column: Any) -> _kernel.Documents:
    """The documents of a large_string column, without a copy if it is one chunk."""
    if column.null_count:
        raise _missing(column.is_null().to_pylist().index(True), None)
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    if len(column) == 0:
        return _kernel.Documents([])
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, np.int64, len(column) + 1, 8 * column.offset)
    try:
        return _kernel.Documents.from_utf8(np.frombuffer(data or b"", np.uint8), starts)
    except ValueError as error:
        raise InputError(str(error)) from None


def _missing(position: int, value: Any) -> InputError:
    return InputError(
        f"document {position} is missing ({value}): fill it in, or leave the row out together with its label"
    )


def _wrong_type(items: list[Any] | tuple[Any, ...]) -> InputError | InputTypeError:
    """The error for the first item that is no text."""
    position, item = next((i, item) for i, item in enumerate(items) if not isinstance(item, (str, bytes)))
    name = type(item).__name__
    if item is None or name in ("NAType", "NaTType") or (isinstance(item, float) and math.isnan(item)):
        return _missing(position, item)
    if isinstance(item, numbers.Number):
        return InputError(
            f"document {position} is the number {item!r} ({name}), wanted text: choose the column with the text, or "
            "convert with str()"
        )
    return InputTypeError(f"document {position} is of type {name}, wanted text (str, or bytes in UTF-8)")
