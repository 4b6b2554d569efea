"""Memory that does not grow with the file: each source is read in a process of its own."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

# A first, tiny reading loads every library and so sets the base.
PROBE = """
import resource, sys
from tallybayes.readers import open_source, prefetch
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
options = dict(classes={"x": sys.argv[2]}) if sys.argv[1] == "lines" else dict(sources=sys.argv[2])
if sys.argv[1] == "cells":
    options["columns"] = "all"
next(iter(open_source(**options, batch_bytes=1)))
base = peak()
rows = sum(len(batch) for batch in prefetch(open_source(**options)))
print(rows, peak() - base)
"""
TEXT = " ".join(f"word{i}" for i in range(60))
DOCUMENTS = 250_000  # of about 410 bytes: 100 MB


def write_csv(path: Path) -> Path:
    with open(path / "big.csv", "w") as file:
        file.write("label,text\n")
        file.writelines(f'{i % 7},"{TEXT}\n, ""{i}"""\n' for i in range(DOCUMENTS))
    return path / "big.csv"


def write_cells(path: Path) -> Path:
    cells = ",".join(f"cell {i}" for i in range(60))
    with open(path / "cells.csv", "w") as file:
        file.write(",".join(["label", *map(str, range(60))]) + "\n")
        file.writelines(f"{i % 7},{cells}\n" for i in range(DOCUMENTS))
    return path / "cells.csv"


def write_jsonl(path: Path) -> Path:
    with open(path / "big.jsonl", "w") as file:
        file.writelines(f'{{"label": {i % 7}, "text": "{TEXT}"}}\n' for i in range(DOCUMENTS))
    return path / "big.jsonl"


def write_lines(path: Path) -> Path:
    with gzip.open(path / "big.txt.gz", "wt", compresslevel=1) as file:
        for _ in range(DOCUMENTS // 1000):
            file.write(f"{TEXT}\n" * 1000)
    return path / "big.txt.gz"


def write_tar(path: Path) -> Path:
    with tarfile.open(path / "big.tar", "w") as archive:
        for i in range(DOCUMENTS // 20):
            data = (TEXT * 20).encode()
            entry = tarfile.TarInfo(f"{i % 7}/{i}.txt")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path / "big.tar"


def write_columns(path: Path, suffix: str) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.table(
        {"label": [str(i % 7) for i in range(DOCUMENTS)], "text": [TEXT + str(i) for i in range(DOCUMENTS)]}
    )
    target = path / f"big.{suffix}"
    parquet.write_table(table, target) if suffix == "parquet" else feather.write_feather(table, target)
    return target


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "cells", "jsonl", "lines", "tar", "parquet", "feather"])
def test_a_file_of_100_mb_is_read_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    writers = {"csv": write_csv, "cells": write_cells, "jsonl": write_jsonl, "lines": write_lines, "tar": write_tar}
    path = writers[kind](tmp_path) if kind in writers else write_columns(tmp_path, kind)
    probe = subprocess.run([sys.executable, "-c", PROBE, kind, str(path)], capture_output=True, text=True, check=True)
    rows, grown = map(float, probe.stdout.split())
    assert rows == (DOCUMENTS // 20 if kind == "tar" else DOCUMENTS)
    assert grown < 90  # three batches of 16 MB: the caller's, the one read ahead, the one being filled; MB
