"""`make sanitize` proves nothing unless the kernel that it tests is the instrumented one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tallybayes import _kernel


@pytest.mark.skipif(
    "TALLYBAYES_SANITIZED" not in os.environ, reason="only `make sanitize` loads the instrumented kernel"
)
def test_the_kernel_under_test_is_the_instrumented_one():
    library = Path(_kernel.__file__ or "").read_bytes()
    assert b"__asan_report_load" in library
    assert b"__ubsan_handle" in library


@pytest.mark.skipif("TALLYBAYES_SANITIZED" in os.environ, reason="this one is about the ordinary kernel")
def test_the_installed_kernel_is_not_instrumented():
    assert b"__asan_" not in Path(_kernel.__file__ or "").read_bytes()
