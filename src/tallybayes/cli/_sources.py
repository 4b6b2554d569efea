"""The sources of a command line."""

from __future__ import annotations

from typing import Any

from ..readers.batch import BATCH_BYTES
from ..readers.source import Source, open_source
from ._options import given
from ._output import note

__all__ = ["SOURCE_OPTIONS", "sources_of"]

LEARNING_BYTES = 48 << 20
SOURCE_OPTIONS = (
    "text_column",
    "label_column",
    "header",
    "separator",
    "quotes",
    "label_pattern",
    "subfolder",
    "class_files",
    "encoding",
    "on_error",
    "columns",
)


def sources_of(
    sources: str | tuple[str, ...], *, labelled: bool = True, learning: bool = False, **options: Any
) -> Source:
    """Open the sources of a command line, to learn from or to answer; `options` are those of `source_options`."""
    found = given(**options)
    renamed = {"text_column": "text", "label_column": "label", "class_files": "classes"}
    found = {renamed.get(name, name): value for name, value in found.items()}
    if "label_pattern" in found:
        found["label_pattern"] = found["label_pattern"].pattern
    # Large batches to learn from: each is a tally of its own, and fewer of them are added up.
    batch_bytes = LEARNING_BYTES if learning else BATCH_BYTES
    return open_source(sources, labelled=labelled, tell=note, batch_bytes=batch_bytes, **found)
