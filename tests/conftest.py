"""Fixtures that every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real data sets, laid beside the checkout.

    Without it a test that asks for it is skipped; with CI=true it fails.
    """
    folder = Path(os.environ.get("TALLYBAYES_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "data").is_dir():
        message = f"the data sets are not laid out: no folder {folder / 'data'}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder
