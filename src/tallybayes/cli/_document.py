"""One row, for the commands that look at a single one: given as text, in a file, or on standard input."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
import orjson

from ..errors import InputError
from ..model import Model
from ..readers.batch import Batch, Remarks
from ..readers.encoding import decode_document
from ..readers.stream import open_bytes
from ._options import columns_option, encoding, given, table_options
from ._output import note, writing
from ._rows import rows_of, sources_for

__all__ = ["document_arguments", "label_named", "row_of", "show"]

F = TypeVar("F", bound=Callable[..., Any])


def document_arguments(formats: Sequence[str]) -> Callable[[F], F]:
    """The model, the document to ask about, and where the answer goes in which of `formats`, by default the first."""
    parts = (
        click.argument("model_path", metavar="MODEL.tally"),
        click.argument("text", default="-", metavar="[TEXT|FILE|-]"),
        click.option("--format", "form", type=click.Choice(formats), default=formats[0], show_default=True),
        click.option(
            "-o", "--output", metavar="FILE", default="-", help="The file to write, by default standard output."
        ),
        click.option("--force", is_flag=True, help="Replace the file if it exists."),
        click.option("--encoding", type=encoding, metavar="NAME", help="The file's encoding, or auto to guess it."),
        click.option(
            "--row", type=click.IntRange(min=1), default=1, show_default=True, help="Which row of a table of columns."
        ),
        columns_option,
        table_options,
    )

    def decorate(command: F) -> F:
        for part in reversed(parts):
            command = part(command)
        return command

    return decorate


def document_of(text: str, encoding: str | None) -> str:
    """Return the document: the contents of a file of that name, or of standard input for ``-``, else the text itself.

    Raises
    ------
    InputError
        If the bytes are not text in that encoding.
    """
    if text != "-" and not os.path.isfile(text):
        return text
    name = "standard input" if text == "-" else text
    with open_bytes(text) as stream:
        return decode_document(stream.read(), name, encoding=encoding, remarks=Remarks(tell=note))


def row_of(model: Model, text: str, *, encoding: str | None = None, row: int = 1, **options: Any) -> Any:
    """Return the row to ask a model about: a document, or for a model of columns a row of a table or the cells given.

    Raises
    ------
    InputError
        If there is no such row, or a cell cannot be read.
    """
    options = given(**options)
    if model.counter.of_documents:
        if options:
            raise click.UsageError("options of a table go with a model of columns; this one reads a document")
        return document_of(text, encoding)
    if text == "-" or os.path.isfile(text):
        passed = 0
        for batch in sources_for(model, text, labelled=False, encoding=encoding, **options):
            if row <= passed + len(batch):
                return rows_of(model, batch.select([row - passed - 1]))[0]
            passed += len(batch)
        raise InputError(f"{text}: there is no row {row}; it has {passed}")
    return rows_of(model, Batch([_cells(model, text)], None, "the row given", [1], "row"))[0]


def _cells(model: Model, text: str) -> tuple[str, ...]:
    """Read ``name=value,name=value`` or, in the model's order, ``value,value``."""
    names, parts = model.counter.column_names(), next(csv.reader([text], skipinitialspace=True), [])
    if not any("=" in part for part in parts):
        return tuple(part.strip() for part in parts)
    found = {name.strip(): value.strip() for name, _, value in (part.partition("=") for part in parts)}
    for name in [*found, *names]:
        if name not in found or name not in names:
            trouble = "is no column of the model" if name not in names else "has no value"
            raise InputError(f"{name!r} {trouble}; the columns are {', '.join(names)}")
    return tuple(found[name] for name in names)


def label_named(classes: Sequence[Any], name: str | None) -> Any:
    """Return the class label that is written so; None stays None.

    Raises
    ------
    InputError
        If there is none; the message names those there are.
    """
    if name is None:
        return None
    for label in classes:
        if str(label) == name:
            return label
    known = ", ".join(str(label) for label in classes[:20]) + (", …" if len(classes) > 20 else "")
    raise InputError(f"the model has no class {name!r}; its classes are {known}")


def show(answer: str | dict[str, Any], output: str, *, force: bool) -> None:
    """Write text, or data as JSON, to a file or to standard output."""
    data = answer.encode() if isinstance(answer, str) else orjson.dumps(answer, option=orjson.OPT_INDENT_2)
    with writing(output, force=force) as stream:
        stream.write(data.rstrip(b"\n") + b"\n")
