"""Rows for a model of any kind: documents as they are, or the cells of a table as the model's counter takes them."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from ..model import Model
from ..readers.batch import Batch
from ..readers.source import Source
from ..tally.values import read_value
from ._sources import sources_of

__all__ = ["labels_of", "rows_of", "sources_for"]


def sources_for(
    model: Model,
    sources: str | tuple[str, ...],
    *,
    labelled: bool = True,
    text_column: str | None = None,
    columns: tuple[str, ...] | None = None,
    **options: Any,
) -> Source:
    """Open the sources of rows for a model: a column of documents, or the columns that the model learnt.

    Raises
    ------
    click.UsageError
        If an option does not go with such a model.
    """
    if model.counter.of_documents:
        if columns:
            raise click.UsageError("--columns goes with a model of columns; this one reads documents (--text)")
        return sources_of(sources, labelled=labelled, text_column=text_column, **options)
    if text_column is not None:
        raise click.UsageError("--text goes with a model of documents; this one reads columns (--columns)")
    wanted: Any = columns or model.counter.columns or "all"
    return sources_of(sources, labelled=labelled, columns=wanted, **options)


def rows_of(model: Model, batch: Batch) -> Any:
    """Return the rows of a batch as the model's counter takes them.

    Raises
    ------
    InputError
        If a cell cannot be read; the message has its place.
    """
    if batch.columns is None and model.counter.of_documents:
        return batch.documents
    return model.counter.from_cells(batch.documents, batch.where, model.tally)


def labels_of(model: Model, batch: Batch) -> list[Any]:
    """Return the labels of a batch as the kind of label that the model knows: text, which has no type, is read as it.

    Raises
    ------
    InputError
        If a label cannot be read so, or has another type: ``1`` is neither ``"1"`` nor ``true``.
    """
    labels, known = list(batch.labels or ()), model.labels
    if not len(known) or {type(known[0])}.issuperset(map(type, labels)):
        return labels
    kind = type(known[0])
    read: dict[str, Any] = {}
    for i, label in enumerate(labels):
        try:
            if type(label) is not kind:
                labels[i] = read[label] if type(label) is str and label in read else _read(kind, label)
        except ValueError:
            wanted = "text" if kind is str else kind.__name__
            raise InputError(
                f"{batch.where(i)}: the label {label!r:.40} is no {wanted}, as the model's classes are: {known.named()}"
            ) from None
        if type(label) is str:
            read[label] = labels[i]
    return labels


def _read(kind: type, label: Any) -> Any:
    if type(label) is not str:
        raise ValueError
    # As a category the word true is the number 1; as a label it is not.
    return kind(label) if kind in (int, float) else read_value(kind, label)
