"""One measured row, and how rows are printed: JSON lines for machines, a Markdown table for people."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

__all__ = ["Row", "emit", "machine", "markdown", "versions"]


@dataclass
class Row:
    """What was wanted of one setting and what came out.

    `reached` is None where nothing was wanted and the row only informs.
    """

    data: str
    setting: str
    wanted: str
    got: str
    reached: bool | None
    seconds: float = 0.0

    @classmethod
    def at_least(cls, data: str, setting: str, wanted: float, got: float) -> Row:
        """Return a row that is reached from `wanted` upwards."""
        return cls(data, setting, f"≥ {wanted:g}", f"{got:.6g}", bool(got >= wanted))

    @classmethod
    def equal(cls, data: str, setting: str, wanted: Any, got: Any) -> Row:
        """Return a row that is reached by equality only."""
        return cls(data, setting, str(wanted), str(got), bool(wanted == got))

    @classmethod
    def within(cls, data: str, setting: str, limit: float, got: float) -> Row:
        """Return a row that is reached up to `limit`."""
        return cls(data, setting, f"≤ {limit:g}", f"{got:.3g}", bool(got <= limit))


def emit(name: str, rows: Iterable[Row], stream: TextIO) -> Iterator[Row]:
    """Write each row as one JSON line when it comes, with the seconds it took, and pass it on."""
    start = time.perf_counter()
    for row in rows:
        row.seconds = round(time.perf_counter() - start, 2)
        print(json.dumps({"group": name, **asdict(row)}, ensure_ascii=False), file=stream, flush=True)
        yield row
        start = time.perf_counter()


def markdown(rows: Iterable[Row]) -> str:
    """Return a Markdown table of rows."""
    lines = ["| data | setting | wanted | got | |", "|--|--|--|--|--|"]
    for row in rows:
        verdict = {True: "reached", False: "**short**", None: ""}[row.reached]
        cells = (row.data, row.setting, row.wanted, row.got, verdict)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def machine() -> str:
    """Describe the machine, and how busy it is, in one line."""
    found = re.search(r"model name\s*:\s*(.+)", _read("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s*(\d+)", _read("/proc/meminfo"))
    parts = [
        found.group(1) if found else platform.processor() or platform.machine(),
        f"{len(os.sched_getaffinity(0))} cores",
        f"{int(memory.group(1)) / 2**20:.0f} GiB" if memory else "",
        f"{platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}",
        f"load average {os.getloadavg()[0]:.1f}",
    ]
    return ", ".join(part for part in parts if part)


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def versions(*packages: str) -> str:
    """Name the installed versions of packages, leaving out those that are not there."""
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
