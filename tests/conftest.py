"""Fixtures that every test may ask for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No deadlines: a shared machine may pause any example. Fixed examples on CI, so that its answer can be repeated; fewer
# under the sanitizers, which make everything several times slower.
settings.register_profile("person", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("sanitized", deadline=None, derandomize=True, max_examples=30)
settings.load_profile(
    "sanitized" if "TALLYBAYES_SANITIZED" in os.environ else "ci" if os.environ.get("CI") == "true" else "person"
)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real data sets, laid beside the checkout.

    Without it a test that asks for it is skipped; with CI=true it fails.
    """
    if "TALLYBAYES_SANITIZED" in os.environ:
        pytest.skip("under the sanitizers the real data sets take minutes and reach no other line")
    folder = Path(os.environ.get("TALLYBAYES_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "data").is_dir():
        message = f"the data sets are not laid out: no folder {folder / 'data'}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """Run a program in an empty folder, as a shell would: `program(["ls", "-l"], stdin="", NAME="value")`."""

    def run(command: list[str], stdin: str = "", **extra: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TALLYBAYES_")}
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**kept, **extra},
            timeout=120,
        )

    return run


@pytest.fixture
def tallybayes(program: Run) -> Run:
    """Run the command `tallybayes` in an empty folder: `tallybayes("inspect", "m.tally", stdin="")`."""

    def run(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return program([sys.executable, "-m", "tallybayes", *words], **settings)

    return run
