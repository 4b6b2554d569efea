"""The headers under native/ as C++, and the kernel's signatures."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tallybayes import _kernel

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


def signatures() -> Iterator[tuple[str, str]]:
    """Every function and method of the kernel: its name, and its signature with an equals sign before a default value."""
    for owner in (_kernel, *(each for each in vars(_kernel).values() if isinstance(each, type))):
        for name, function in vars(owner).items():
            for signature, _, _ in getattr(function, "__nb_signature__", ()):
                yield f"{owner.__name__}.{name}", signature


def test_a_kernel_function_has_no_defaults():
    """What a caller does not say is decided once, by the public Python function or class that takes it from a user."""
    found = dict(signatures())
    assert "tallybayes._kernel.count_text" in found
    assert "Rules.__init__" in found
    assert [name for name, signature in signatures() if " = " in signature] == []
