"""How near to the machine's limit? One contestant beside a bare read of the same bytes, and where its time goes.

python -m benchmarks.limits WORKLOAD CONTEST CONTESTANT [--size SIZE] [--seconds N]

CONTEST and CONTESTANT are parts of the names that `benchmarks.speed` prints. Sampling needs Linux' perf; without it
only the read is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .results import Row
from .speed import WORKLOADS
from .timing import Contest, Measured

__all__ = ["main", "read_seconds"]


def read_seconds(megabytes: float, threads: int) -> float:
    """Return the wall seconds of a bare read of so many 10^6 bytes, best of five."""
    words = np.ones(max(int(megabytes * 1e6 / 8), threads), np.uint64)
    blocks = np.array_split(words, threads)
    seconds = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            start = time.perf_counter()
            assert all(pool.map(np.bitwise_or.reduce, blocks))
            seconds.append(time.perf_counter() - start)
    return min(seconds)


def _find(workload: str, size: str, contest: str, contestant: str) -> tuple[Contest, str, Callable[[], Any]]:
    """Return the contest, and the name and function of the contestant; contests before it run once, as they may fit."""
    for found in WORKLOADS[workload].contests(size):
        if isinstance(found, Row):
            continue
        for name, run in found.contestants.items():
            if contest in found.name and contestant in name:
                return found, name, run
        for run in found.contestants.values():
            run()
    raise SystemExit(f"workload {workload!r} has no contest like {contest!r} with a contestant like {contestant!r}")


@contextmanager
def _sampled(path: Path) -> Iterator[None]:
    """Sample this process while the block runs, by the CPU clock: hardware counters are missing on many machines."""
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-p", str(os.getpid()), "-o", str(path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as sampler:
        time.sleep(0.5)  # until it has attached itself
        try:
            yield
        finally:
            sampler.send_signal(signal.SIGINT)


def _functions(path: Path, n: int = 15) -> list[str]:
    command = ["perf", "report", "-q", "--stdio", "-i", str(path), "--sort", "symbol", "--percent-limit", "1"]
    report = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace").stdout
    return [" ".join(line.split())[:160] for line in report.splitlines() if line.strip()][:n]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits", description=__doc__.partition("\n")[0])
    parser.add_argument("workload", choices=list(WORKLOADS))
    parser.add_argument("contest")
    parser.add_argument("contestant")
    parser.add_argument("--size", choices=["full", "quick", "tiny"], default="full")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to repeat the contestant")
    chosen = parser.parse_args(arguments)
    contest, name, run = _find(chosen.workload, chosen.size, chosen.contest, chosen.contestant)
    measured = Measured([], [])
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "perf.data"
        run()
        with _sampled(samples) if shutil.which("perf") else _nothing():
            end = time.perf_counter() + chosen.seconds
            while time.perf_counter() < end or not measured.wall:
                wall, cpu = time.perf_counter(), time.process_time()
                run()
                measured.wall.append(time.perf_counter() - wall)
                measured.cpu.append(time.process_time() - cpu)
        functions = _functions(samples) if samples.exists() else []
    megabytes = contest.megabytes or contest.amount
    report = {
        "contest": contest.name,
        "contestant": name,
        "runs": len(measured.wall),
        "median_wall_s": round(measured.median, 5),
        "median_cpu_s": round(Measured(measured.cpu, []).median, 5),
        "best_wall_s": round(min(measured.wall), 5),
        "megabytes": round(megabytes, 1),
        "read_1_thread_s": round(read_seconds(megabytes, 1), 5),
        "read_2_threads_s": round(read_seconds(megabytes, 2), 5),
        "functions": functions,
    }
    json.dump(report, sys.stdout, indent=1, ensure_ascii=False)
    print()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


if __name__ == "__main__":
    main()
