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
    """Return the labels of a batch; text is read as the kind of label that the model knows, as in ``--of``."""
    labels, known = list(batch.labels or ()), model.labels
    if known.kind == "str" or not all(isinstance(label, str) for label in labels):
        return labels
    kind = type(known[0])
    read: dict[str, Any] = {}
    for i, label in enumerate(labels):
        if label not in read:
            try:
                read[label] = read_value(kind, label)
            except ValueError:
                raise InputError(
                    f"{batch.where(i)}: the label {label!r:.40} is no {kind.__name__}, as the model's classes are: "
                    f"{known.named()}"
                ) from None
        labels[i] = read[label]
    return labels
