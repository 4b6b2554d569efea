"""How fast? The workloads of the target table against their rivals, on this machine.

python -m benchmarks.speed [WORKLOAD...] [--quick | --size SIZE] [--rounds N] [--json FILE] [--markdown FILE]

Every workload runs in a process of its own, in which its contestants take turns; ratios are medians over the rounds.
Memory is measured with each contestant in a fresh process. Each result is one JSON line; the table is Markdown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from .results import Row, machine, markdown, versions
from .timing import Contest, Measured, clean_environment, python, time_contest

__all__ = ["WORKLOADS", "Workload", "main", "rows_of"]


@dataclass(frozen=True)
class Workload:
    """Where a workload is defined, and its sizes: "full" as in the target table, "quick", and "tiny" for tests."""

    home: str
    full: dict[str, Any]
    tiny: dict[str, Any]
    quick: dict[str, Any] | None = None
    rounds: int = 5

    def contests(self, size: str) -> Iterator[Contest | Row]:
        """Make the data of one size and yield the contests on it, or rows where it is not seconds that are compared."""
        module, name = self.home.split(".")
        make = getattr(import_module(f"{__package__}.{module}"), name)
        contests: Iterator[Contest | Row] = make(**getattr(self, size))
        return contests


_DOCS = {"docs": 200_000, "test": 50_000}
_TINY_DOCS = {"docs": 400, "test": 100, "vocabulary": 3_000}
_TINY_CSR = {"rows": 600, "columns": 500, "nonzeros": 30_000}

WORKLOADS: dict[str, Workload] = {
    "english": Workload("text_speed.english", _DOCS, _TINY_DOCS, {"docs": 20_000, "test": 10_000}, 3),
    "english-40": Workload("text_speed.english_small", {"docs": 40_000, "test": 1}, {**_TINY_DOCS, "test": 1}),
    "rivals": Workload("text_speed.english_rivals", _DOCS, {**_TINY_DOCS, "docs": 4_000, "test": 500}, None, 3),
    "chinese": Workload(
        "text_speed.chinese",
        {"docs": 100_000, "test": 1},
        {"docs": 300, "test": 1},
        {"docs": 10_000, "test": 1},
        3,
    ),
    "chinese-raw": Workload("text_speed.chinese_raw", {"size": 20}, {"size": 0.2}, {"size": 3}, 3),
    "short": Workload(
        "text_speed.short_document",
        {"repeats": 300, "docs": 20_000, "test": 1_000},
        {"repeats": 20, **_TINY_DOCS},
        {"repeats": 300, "docs": 5_000, "test": 1_000},
    ),
    "csr": Workload(
        "array_speed.sparse",
        {"classes": (2, 20), "test_rows": 200_000},
        {"classes": (2, 20), "test_rows": 600, **_TINY_CSR},
        {"classes": (2, 20), "test_rows": 50_000, "rows": 50_000, "nonzeros": 5_300_000},
    ),
    "csr-models": Workload(
        "array_speed.sparse_models", {"test_rows": 200_000}, {"test_rows": 600, **_TINY_CSR}, None, 3
    ),
    "csr-1000": Workload(
        "array_speed.sparse",
        {"classes": (1000,), "test_rows": 20_000},
        {"classes": (300,), "test_rows": 600, **_TINY_CSR},
    ),
    "csr-10000": Workload(
        "array_speed.sparse_ten_thousand",
        {"classes": 10_000, "test_rows": 20_000},
        {"classes": 300, "test_rows": 600, **_TINY_CSR},
        None,
        3,
    ),
    "gaussian": Workload("array_speed.gaussian", {}, {"rows": 3_000, "columns": 7}, {"rows": 200_000}),
    "categorical": Workload("array_speed.categorical", {}, {"rows": 3_000, "columns": 5}, {"rows": 200_000}),
    "commands": Workload(
        "process_speed.commands", {"docs": 2_000, "test": 10}, _TINY_DOCS, {"docs": 2_000, "test": 10}, 9
    ),
    "files": Workload("process_speed.files", {"size": 1_000, "docs": 50_000, "test": 1}, {"size": 0.5, **_TINY_DOCS}),
    "memory": Workload("memory.contests", {"size": "full"}, {"size": "tiny"}, None, 1),
}


def rows_of(contest: Contest, times: dict[str, Measured]) -> Iterator[Row]:
    """Compare the times of a contest with its targets."""
    for target in contest.targets:
        wall, cpu = times[target.ours].ratio(times[target.rival])
        got = f"{wall:.1f} × (CPU {cpu:.1f} ×)"
        yield Row(contest.name, f"{target.ours} / {target.rival}", f"≥ {target.factor:g} ×", got, wall >= target.factor)
    for name, limit in contest.at_most.items():
        got = f"{times[name].median:.3f} s"
        yield Row(contest.name, name, f"≤ {limit:.3g} s", got, times[name].median <= limit)


def _child(name: str, size: str, rounds: int | None) -> None:
    """Run one workload in this process: JSON lines with the seconds of each contestant, then with the rows."""
    workload = WORKLOADS[name]
    for contest in workload.contests(size):
        if isinstance(contest, Row):
            print(json.dumps({"row": vars(contest)}, ensure_ascii=False), flush=True)
            continue
        start = time.perf_counter()
        times, answers = time_contest(contest, rounds or workload.rounds)
        try:
            contest.check(answers)
            same = ""
        except AssertionError as error:
            same = str(error) or "the answers differ"
        del answers
        for who, measured in times.items():
            rate = f"{contest.amount / measured.median:.4g} {contest.unit}/s"
            line = {"workload": name, "size": size, "contest": contest.name, "contestant": who, "rate": rate}
            print(json.dumps({**line, "wall": measured.wall, "cpu": measured.cpu}, ensure_ascii=False), flush=True)
        rows = list(rows_of(contest, times))
        if same:
            rows.append(Row(contest.name, "the answers are the same", "equal", same, False))
        for row in rows:
            row.seconds = round(time.perf_counter() - start, 1)
            print(json.dumps({"row": vars(row)}, ensure_ascii=False), flush=True)


def _parent(name: str, size: str, rounds: int | None, stream: TextIO) -> tuple[list[Row], list[dict[str, Any]]]:
    """Run one workload in a process of its own and collect what it prints."""
    command = python("-m", "benchmarks.speed", name, "--size", size, "--child")
    command += [] if rounds is None else ["--rounds", str(rounds)]
    rows: list[Row] = []
    timings: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=clean_environment(), encoding="utf-8") as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", file=stream, flush=True)
            found = json.loads(line)
            if "row" in found:
                rows.append(Row(**found["row"]))
            else:
                timings.append(found)
    if process.returncode:
        rows.append(Row(name, "(the workload ended here)", "no error", f"exit status {process.returncode}", False))
    return rows, timings


def _rates(timings: list[dict[str, Any]]) -> str:
    lines = ["| task | contestant | median wall s | median CPU s | rate |", "|--|--|--|--|--|"]
    for line in timings:
        wall, cpu = Measured(line["wall"], []).median, Measured(line["cpu"], []).median
        lines.append(f"| {line['contest']} | {line['contestant']} | {wall:.4g} | {cpu:.4g} | {line['rate']} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen workloads and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__.partition("\n")[0])
    parser.add_argument("workload", nargs="*", help=f"any of {', '.join(WORKLOADS)}; default all")
    parser.add_argument("--size", choices=["full", "quick", "tiny"], default="full")
    parser.add_argument(
        "--quick", action="store_const", const="quick", dest="size", help="the headline ratios, minutes"
    )
    parser.add_argument("--rounds", type=int, help="how often each contestant runs; default by workload")
    parser.add_argument("--json", type=Path, help="write the JSON lines here instead of to standard error")
    parser.add_argument("--markdown", type=Path, help="write the tables here too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.workload) - set(WORKLOADS):
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    if chosen.child:
        _child(chosen.workload[0], chosen.size, chosen.rounds)
        return 0
    names = chosen.workload or [name for name, known in WORKLOADS.items() if getattr(known, chosen.size) is not None]
    rows: list[Row] = []
    timings: list[dict[str, Any]] = []
    with open(chosen.json, "w", encoding="utf-8") if chosen.json else nullcontext(sys.stderr) as stream:
        for name in names:
            more_rows, more_timings = _parent(name, chosen.size, chosen.rounds, stream)
            rows += more_rows
            timings += more_timings
    tools = versions("tallybayes", "numpy", "scipy", "scikit-learn", "vowpalwabbit", "fasttext-numpy2-wheel", "duckdb")
    page = f"{machine()}; {tools}; size {chosen.size}\n\n{markdown(rows)}\n\n{_rates(timings)}"
    print(page)
    if chosen.markdown:
        chosen.markdown.write_text(page + "\n", "utf-8")
    return int(any(row.reached is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
