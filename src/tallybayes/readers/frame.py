"""Frames of pandas, polars, Arrow and others as batches, by way of narwhals; none of them is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallybayes.errors import InputTypeError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Report
from tallybayes.readers.columnar import ColumnRows, read_record_batches
from tallybayes.readers.wanted import Column, found_column

__all__ = ["read_frame"]

_ROWS = 16_384


def read_frame(
    frame: Any,
    *,
    text: Column = "text",
    label: Column | None = "label",
    id: Column | None = None,
    name: str = "the frame",
    report: Report | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[Batch]:
    """Read the documents and labels of a data frame.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars (lazy ones are collected), pyarrow, modin or any library that narwhals knows, or any object
        that exports an Arrow stream (``__arrow_c_stream__``), which is read piece by piece.
    text, label, id : str or int
        Columns by name, or by number from 1. ``label=None`` reads no labels. The text must be strings; labels keep the
        type that Python has for them: whole numbers stay whole, and a missing value is missing, not NaN.
    name : str
        What messages call the frame.
    report, batch_bytes
        As for `read_table`.

    Yields
    ------
    Batch
        Documents, labels, and row numbers from 1.

    Raises
    ------
    InputError
        No such column, a text that is none, a label that is missing: with the row.
    InputTypeError
        `frame` is no frame.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"body": ["buy now", "see you"], "label": pandas.array([1, 0], dtype="Int64")})
    >>> for batch in read_frame(frame, text="body"):
    ...     print(batch.labels, batch.documents, batch.where(1))
    [1, 0] ['buy now', 'see you'] the frame, row 2
    """
    import narwhals  # 60 ms that reading files should not cost

    report = report or Report()
    known = narwhals.from_native(frame, pass_through=True, allow_series=True)
    if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
        if isinstance(known, narwhals.Series) or not hasattr(frame, "__arrow_c_stream__"):
            raise InputTypeError(f"a data frame was expected, not {type(frame).__name__}; for lists need no reader")
        yield from read_record_batches(frame, name, (text, label, id), report, batch_bytes)
        return
    names = known.collect_schema().names()
    wanted = [None if column is None else names[found_column(column, names, name)] for column in (text, label, id)]
    eager = known.collect() if isinstance(known, narwhals.LazyFrame) else known
    rows = ColumnRows(name, labelled=label is not None, report=report, batch_bytes=batch_bytes)
    for start in range(0, len(eager), _ROWS):
        documents, labels, ids = (
            None if column is None else eager[column][start : start + _ROWS].to_list() for column in wanted
        )
        yield from rows.add(documents or [], labels, ids)
    yield from rows.rest()
