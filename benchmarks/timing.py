"""Interleaved timing in one process, and peak memory in a process of its own."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "Contest",
    "Measured",
    "Target",
    "Timed",
    "clean_environment",
    "peak_above",
    "python",
    "run_process",
    "time_contest",
]


@dataclass(frozen=True)
class Timed:
    """An answer with the seconds that were measured elsewhere, such as inside a child process."""

    answer: Any
    wall: float
    cpu: float


@dataclass(frozen=True)
class Target:
    """How many times faster than a rival one of our contestants has to be."""

    ours: str
    rival: str
    factor: float


@dataclass
class Contest:
    """The same task for several contestants.

    `contestants` are called without arguments and return their answer; `check` gets the answers of the first round by
    name and raises AssertionError when they differ. `amount` and `unit` turn seconds into a rate. `at_most` holds
    absolute limits in wall seconds; `megabytes` is the size of the input, which no contestant can read faster than the
    machine reads memory.
    """

    name: str
    contestants: Mapping[str, Callable[[], Any]]
    amount: float
    unit: str
    targets: list[Target] = field(default_factory=list)
    check: Callable[[Mapping[str, Any]], None] = lambda answers: None
    rounds: int | None = None
    at_most: Mapping[str, float] = field(default_factory=dict)
    megabytes: float = 0.0


@dataclass(frozen=True)
class Measured:
    """Wall and CPU seconds (all threads) of each round."""

    wall: list[float]
    cpu: list[float]

    @property
    def median(self) -> float:
        """Median wall seconds."""
        return statistics.median(self.wall)

    def ratio(self, rival: Measured) -> tuple[float, float]:
        """Return how often this is faster than `rival`: median over the rounds, by wall and by CPU seconds."""
        pairs = ((self.wall, rival.wall), (self.cpu, rival.cpu))
        wall, cpu = (statistics.median(b / max(a, 1e-9) for a, b in zip(*pair, strict=True)) for pair in pairs)
        return wall, cpu


def time_contest(contest: Contest, rounds: int) -> tuple[dict[str, Measured], dict[str, Any]]:
    """Time every contestant once a round, in turn, so that a busy machine slows all alike.

    Returns
    -------
    times, answers
        The answers are those of the first round.
    """
    times: dict[str, Measured] = {name: Measured([], []) for name in contest.contestants}
    answers: dict[str, Any] = {}
    for _ in range(contest.rounds or rounds):
        for name, run in contest.contestants.items():
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            answer = run()
            spent = Timed(answer, time.perf_counter() - wall, time.process_time() - cpu)
            if isinstance(answer, Timed):
                spent = answer
            times[name].wall.append(spent.wall)
            times[name].cpu.append(spent.cpu)
            answers.setdefault(name, spent.answer)
            del answer, spent
    return times, answers


def peak_above(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return by how many 10^6 bytes `run` raised this process's resident memory at most, and its answer.

    Linux only; meaningful in a fresh process that holds the input and little else.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else `run` would live on what the making of its input has freed
    Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark to what is resident now
    before = _resident("VmHWM")
    answer = run()
    return (_resident("VmHWM") - before) / 1e6, answer


def _resident(name: str) -> int:
    found = re.search(rf"{name}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found.group(1)) * 1024


def clean_environment() -> dict[str, str]:
    """Return the environment without settings that slow NumPy's BLAS, or every start of Python."""
    slow = ("OPENBLAS_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(slow)}


def run_process(command: list[str], stdin: bytes | None = None) -> tuple[float, float, int, bytes]:
    """Run a command; return wall seconds, CPU seconds, peak resident bytes and its standard output.

    Raises
    ------
    RuntimeError
        If it fails; with what it wrote to standard error.
    """
    start = time.perf_counter()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, env=clean_environment(), **pipes) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        with process.stdin as pipe:
            pipe.write(stdin or b"")
        # Small outputs only: neither pipe fills up while the other is read.
        output, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {errors.decode()[-2000:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output


def python(*arguments: str) -> list[str]:
    """Return the command that runs this interpreter, isolated from the user's own site packages."""
    return [sys.executable, "-s", *arguments]
