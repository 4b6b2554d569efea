"""Files, folders and frames as batches of documents: bounded memory, order kept, every complaint with its place.

Each name is loaded when it is first asked for: who predicts one line pays for no archives and no frames.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .batch import Batch as Batch
    from .batch import Remarks as Remarks
    from .batch import prefetch as prefetch
    from .columnar import read_arrow as read_arrow
    from .columnar import read_parquet as read_parquet
    from .folder import read_folder as read_folder
    from .frame import read_frame as read_frame
    from .holdout import prepare as prepare
    from .holdout import read_names as read_names
    from .holdout import read_prepared as read_prepared
    from .holdout import split as split
    from .jsonl import read_jsonl as read_jsonl
    from .lines import read_lines as read_lines
    from .source import Source as Source
    from .source import open_source as open_source
    from .table import read_table as read_table

_HOMES = {
    "Batch": "batch",
    "Remarks": "batch",
    "Source": "source",
    "open_source": "source",
    "prefetch": "batch",
    "prepare": "holdout",
    "read_arrow": "columnar",
    "read_folder": "folder",
    "read_frame": "frame",
    "read_jsonl": "jsonl",
    "read_lines": "lines",
    "read_names": "holdout",
    "read_parquet": "columnar",
    "read_prepared": "holdout",
    "read_table": "table",
    "split": "holdout",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
