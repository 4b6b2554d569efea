"""Frames of pandas, polars, Arrow and others as batches, by way of narwhals; none of them is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallybayes.errors import InputTypeError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Remarks
from tallybayes.readers.columnar import ColumnRows, read_record_batches
from tallybayes.readers.wanted import Column, Columns, Wanted, found_column

__all__ = ["read_frame"]

_ROWS = 16_384


def read_frame(
    frame: Any,
    *,
    text: Column | None = None,
    label: Column | None = "label",
    id: Column | None = None,
    columns: Columns | None = None,
    name: str = "the frame",
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[Batch]:
    """Read the documents (or some columns) and labels of a data frame.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars (lazy ones are collected), pyarrow, modin or any library that narwhals knows, or any object
        that exports an Arrow stream (``__arrow_c_stream__``), which is read piece by piece.
    text, label, id : str or int
        Columns by name, or by number from 1; the text is ``"text"`` unless given. ``label=None`` reads no labels. The
        text must be strings; labels keep the type that Python has for them: whole numbers stay whole, and a missing
        value is missing, not NaN.
    columns : sequence of str or int, or "all", optional
        Instead of a text, the cells of these columns, in this order; ``"all"`` takes every column but label and id, as
        they stand. What the frame holds to be missing is None.
    name : str
        What messages call the frame.
    remarks, batch_bytes
        As for `read_table`.

    Yields
    ------
    Batch
        Documents (or tuples of cells), labels, and row numbers from 1.

    Raises
    ------
    InputError
        No such column, a text that is none, a cell that is a list or the like, a label that is missing: with the row.
    ParameterError
        Both `text` and `columns`.
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

    wanted = Wanted.of(text, columns, label, id)
    remarks = remarks or Remarks()
    known = narwhals.from_native(frame, pass_through=True, allow_series=True)
    if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
        if isinstance(known, narwhals.Series) or not hasattr(frame, "__arrow_c_stream__"):
            raise InputTypeError(f"a data frame was expected, not {type(frame).__name__}; for lists need no reader")
        yield from read_record_batches(frame, name, wanted, remarks, batch_bytes)
        return
    names = list(map(str, known.collect_schema().names()))
    found = wanted.found(names, lambda column: found_column(column, names, name), name)
    eager = known.collect() if isinstance(known, narwhals.LazyFrame) else known
    rows = ColumnRows(name, wanted, tuple(names[i] for i in found.columns), remarks=remarks, batch_bytes=batch_bytes)
    for start in range(0, len(eager), _ROWS):
        piece = eager[start : start + _ROWS]
        labels, ids = (None if position is None else _values(piece, position) for position in (found.label, found.id))
        yield from rows.add([_values(piece, position) for position in found.columns], labels, ids)
    yield from rows.rest()


def _values(frame: Any, position: int) -> list[Any]:
    """Return the values of a column, None for what is missing, whatever the library puts there."""
    column = frame[:, position]
    values: list[Any] = column.to_list()
    missing = column.is_null()
    if missing.any():
        return [None if no else value for value, no in zip(values, missing.to_list(), strict=True)]
    return values
