"""Files, folders and frames as batches of documents: bounded memory, order kept, every complaint with its place."""

from tallybayes.readers.batch import Batch, Report, prefetch
from tallybayes.readers.columnar import read_arrow, read_parquet
from tallybayes.readers.folder import read_folder
from tallybayes.readers.frame import read_frame
from tallybayes.readers.jsonl import read_jsonl
from tallybayes.readers.lines import read_lines
from tallybayes.readers.source import Source, open_source
from tallybayes.readers.split import prepare, read_names, read_prepared, split
from tallybayes.readers.table import read_table

__all__ = [
    "Batch",
    "Report",
    "Source",
    "open_source",
    "prefetch",
    "prepare",
    "read_arrow",
    "read_folder",
    "read_frame",
    "read_jsonl",
    "read_lines",
    "read_names",
    "read_parquet",
    "read_prepared",
    "read_table",
    "split",
]
