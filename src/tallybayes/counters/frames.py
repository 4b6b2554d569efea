"""Tables as callers have them: the names of a frame's columns, one row by itself, the cells of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError, InputTypeError

__all__ = ["names_of", "number_cells", "one_row", "table"]

_UNORDERED = (dict, set, frozenset)
MISSING = ("", "?", "NA", "NaN", "nan", "null")  # cells of a text table that stand for no number


def names_of(X: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns; None where it has none, or where they are no text.

    Raises
    ------
    InputError
        If two columns have one name: no rule says which is which; or if cells of an array are masked.
    InputTypeError
        If rows are dicts or sets, which have no order of columns.
    """
    _refuse_unordered(X)
    found: Any = getattr(X, "column_names", None)  # Arrow, whose `columns` are the data
    if found is None:
        found = getattr(X, "columns", ())
    names = tuple(found)
    seen: set[str] = set()
    for name in names:
        if isinstance(name, str) and name in seen:
            raise InputError(f"X has two columns named {name!r}: give each column its own name")
        seen.add(name if isinstance(name, str) else "")
    return names if names and all(isinstance(name, str) for name in names) else None


def _refuse_unordered(X: Any) -> None:
    rows = X if isinstance(X, (list, tuple)) else ()
    i, odd = next(((i, row) for i, row in enumerate(rows) if isinstance(row, _UNORDERED)), (None, X))
    if isinstance(odd, _UNORDERED) and not hasattr(odd, "tocsr"):  # SciPy has a matrix that is a dict
        where = "X" if i is None else f"row {i}"
        advice = "pandas.DataFrame(X)" if isinstance(odd, dict) else "lists"
        raise InputTypeError(f"{where} is a {type(odd).__name__}, which has no order of columns: pass {advice}")
    if isinstance(X, np.ma.MaskedArray) and np.ma.getmaskarray(X).any():
        place = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        at = ", column ".join(map(str, place))
        raise InputError(
            f"X is masked at row {at}: fill it in, or pass X.astype(float).filled(nan) with missing='skip'"
        )


def table(X: Any) -> npt.NDArray[Any]:
    """Return rows as an array of shape (n, d).

    Raises
    ------
    InputError
        If the rows have no columns, or some more than others; the message names the first.
    """
    _refuse_unordered(X)
    try:
        values = np.asarray(X)
    except ValueError as error:
        widths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        odd = next((i for i, width in enumerate(widths) if width != widths[0]), None)
        if odd is None:
            raise InputError(f"X is no table of rows and columns: {error}") from None
        raise InputError(f"row {odd} has {widths[odd]} values, expected {widths[0]}") from None
    if values.ndim != 2:
        raise InputError(
            f"Expected 2D array, a table of rows and columns; got {values.ndim} dimension(s). Reshape your data: a "
            "single row is X.reshape(1, -1)"
        )
    return values


def one_row(row: Any) -> Any:
    """Make a table of one row; what is a table of one row already stays as it is.

    Raises
    ------
    InputError, InputTypeError
        If it is not one row.
    """
    if isinstance(row, (str, bytes, Mapping)) or not (hasattr(row, "__len__") or hasattr(row, "tocsr")):
        raise InputTypeError(f"one row is a sequence of values, one per column; got {type(row).__name__}: {row!r:.60}")
    if hasattr(row, "to_frame") and hasattr(row, "index"):  # a row of a pandas frame knows its columns
        table = row.to_frame().T
    elif hasattr(row, "tocsr") or hasattr(row, "columns"):
        table = row
    elif isinstance(row, np.ndarray):
        table = row if row.ndim != 1 else row[None]
    else:
        values = list(row)
        nested = (
            bool(values) and isinstance(values[0], (Sequence, np.ndarray)) and not isinstance(values[0], (str, bytes))
        )
        table = values if nested else [values]
    n_rows = table.shape[0] if hasattr(table, "shape") else len(table)
    if n_rows != 1:
        raise InputError(f"one row is explained at a time; got {n_rows}")
    return table


def number_cells(
    rows: Sequence[Sequence[Any]], where: Callable[[int], str], names: Sequence[str], *, missing: bool
) -> npt.NDArray[np.float64]:
    """Read cells as numbers, shape (n, d); with `missing` an empty one is NaN.

    Raises
    ------
    InputError
        If a cell is no number: the message has its place and the name of the column.
    """
    table = np.empty((len(rows), len(names)))
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise InputError(f"{where(i)}: {len(row)} columns, the model is expecting {len(names)}")
        for j, cell in enumerate(row):
            try:
                table[i, j] = np.nan if cell is None or (isinstance(cell, str) and cell.strip() in MISSING) else cell
            except (TypeError, ValueError):
                raise InputError(f"{where(i)}: {names[j]} is {cell!r:.40}, a number was expected") from None
            if np.isnan(table[i, j]) and not missing:
                raise InputError(
                    f"{where(i)}: {names[j]} has no value; fill it in, leave the row out, or learn with missing='skip'"
                )
    return table
