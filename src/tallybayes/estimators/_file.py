"""An estimator in a file: its tally, and its parameters as plain values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import numpy as np

from ..errors import ModelFileError, ParameterError
from ..store import read_blocks, write_blocks
from ..tally.forms import tally_from_blocks

__all__ = ["load_estimator", "save_estimator"]

KIND = "estimator"

Made = TypeVar("Made")


def save_estimator(path: str | os.PathLike[str], name: str, tally: Any, parameters: Mapping[str, Any]) -> None:
    """Write a tally and the parameters to read it with."""
    said = {parameter: _plain(parameter, value) for parameter, value in parameters.items()}
    blocks, described = tally.to_blocks("tally.0")
    write_blocks(path, blocks, {"kind": KIND, "estimator": name, "parameters": said, "tallies": [described]})


def load_estimator(
    path: str | os.PathLike[str], name: str, make: Callable[..., Made], verify: Literal["all", "structure"]
) -> Made:
    """Make an estimator of this name of the tally and the parameters in a file."""
    blocks = read_blocks(path, verify)
    with blocks.reading("the estimator"):
        said = blocks.content
        if said["kind"] != KIND:
            raise ModelFileError(f"{blocks.source}: holds a model of {said['kind']}, not a {name}: use Model.load")
        if said["estimator"] != name:
            held = said["estimator"]
            raise ModelFileError(f"{blocks.source}: holds a {held}, not a {name}: use {held}.load")
        parameters = {parameter: _value(value) for parameter, value in said["parameters"].items()}
        (described,) = said["tallies"]
        return make(tally_from_blocks("tally.0", blocks, described), **parameters)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):  # a prior by label; JSON's own objects know labels of text only
        return {"by label": [[_plain(name, label), _plain(name, share)] for label, share in value.items()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(name, each) for each in (value.tolist() if isinstance(value, np.ndarray) else value)]
    raise ParameterError(f"{name}={value!r} cannot be saved: give it as numbers, text, a list or a mapping")


def _value(said: Any) -> Any:
    return dict(said["by label"]) if isinstance(said, dict) else said
