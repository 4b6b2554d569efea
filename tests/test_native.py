"""The headers under native/ as C++."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[1] / "native"
HEADERS = sorted(path.name for path in NATIVE.glob("*.hpp"))
COMPILER = next(filter(None, map(shutil.which, filter(None, [os.environ.get("CXX"), "c++", "g++", "clang++"]))), None)


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler here")
@pytest.mark.parametrize("order", [HEADERS, HEADERS[::-1]], ids=["a to z", "z to a"])
def test_all_headers_compile_together_in_any_order(order, tmp_path):
    """Two types of one name, a header without its guard, or one that needs what only its neighbours include."""
    unit = tmp_path / "all.cpp"
    unit.write_text("".join(f'#include "{name}"\n' for name in [*order, *order]), encoding="utf-8")
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-I", NATIVE, unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
