"""A model in a file: the binary `.tally` file, and readable JSON for people and other programs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import orjson

from ..errors import ModelFileError
from ..files import replacing
from ..scores import Reading
from ..store import Blocks, read_blocks, write_blocks
from ..tally.count import CountTally, TextFeatures
from ..tally.forms import tally_from_blocks, tally_from_json, tally_to_json
from ..text.analyzer import Analyzer
from .idf import FrozenIdf, space_of

__all__ = ["Stored", "load", "save"]

KIND = "text"
JSON_FORMAT, JSON_VERSION = "tallybayes-json", 1


@dataclass(frozen=True)
class Stored:
    """What a model's file holds."""

    analyzer: Analyzer
    reading: Reading
    channels: tuple[str, ...]
    tally: CountTally
    idf: FrozenIdf | None
    producer: str


def save(model: Stored, path: str | os.PathLike[str]) -> None:
    """Write a model; a name that ends in ``.json`` asks for the readable form."""
    if os.fspath(path).endswith(".json"):
        said = {"format": JSON_FORMAT, "version": JSON_VERSION, **_said(model), "tally": tally_to_json(model.tally)}
        if model.idf is not None:
            said["idf"] = dict(zip(model.idf.features.labels(), model.idf.idf.tolist(), strict=True))
        with replacing(path) as stream:
            stream.write(orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")
        return
    blocks, tally = model.tally.to_blocks("tally.0")
    if model.idf is not None:
        blocks |= {"idf.bytes": model.idf.features.bytes, "idf.offsets": model.idf.features.offsets}
        blocks["idf.weight"] = model.idf.idf
    write_blocks(path, blocks, {**_said(model), "tallies": [tally], "idf": model.idf is not None})


def _said(model: Stored) -> dict[str, Any]:
    return {
        "kind": KIND,
        "analyzer": model.analyzer.to_json(),
        "reading": model.reading.to_json(),
        "channels": list(model.channels),
        "producer": model.producer,
    }


def load(path: str | os.PathLike[str], verify: Literal["all", "structure"] = "all") -> Stored:
    """Read what `save` wrote, in either form."""
    if os.fspath(path).endswith(".json"):
        return _load_json(path)
    blocks = read_blocks(path, verify)
    said = blocks.content
    with blocks.reading("the model"):
        _require_kind(said, blocks)
        tally = tally_from_blocks("tally.0", blocks, said["tallies"][0])
        idf = None
        if said["idf"]:
            features = TextFeatures(blocks.take("idf.bytes", np.uint8), blocks.take("idf.offsets", np.int64))
            idf = FrozenIdf(features, blocks.take("idf.weight", np.float64))
            if blocks.verified:
                idf.check()
        return _model(said, tally, idf, blocks)


def _load_json(path: str | os.PathLike[str]) -> Stored:
    blocks = Blocks({}, None, os.fspath(path))
    with open(path, "rb") as stream:
        data = stream.read()
    try:
        said = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise ModelFileError(f"{os.fspath(path)}: not a model: no JSON ({error})") from None
    if not isinstance(said, dict) or said.get("format") != JSON_FORMAT:
        raise ModelFileError(f"{os.fspath(path)}: not a model: JSON of something else")
    if said.get("version") != JSON_VERSION:
        raise ModelFileError(
            f"{os.fspath(path)}: written in version {said.get('version')!r} of the JSON form; this program reads "
            f"version {JSON_VERSION}: update tallybayes"
        )
    with blocks.reading("the model"):
        _require_kind(said, blocks)
        tally = tally_from_json(said["tally"], os.fspath(path))
        idf = None
        if "idf" in said:
            weights = {str(feature): float(weight) for feature, weight in said["idf"].items()}
            order = sorted(weights, key=str.encode)
            idf = FrozenIdf(TextFeatures.of(order), np.array([weights[feature] for feature in order], np.float64))
            idf.check()
        return _model(said, tally, idf, blocks)


def _require_kind(said: Mapping[str, Any], blocks: Blocks) -> None:
    if said["kind"] == KIND:
        return
    if said["kind"] == "estimator":
        name = said["estimator"]
        raise ModelFileError(f"{blocks.source}: holds a {name} on columns, not a model of text: use {name}.load")
    raise ModelFileError(f"{blocks.source}: holds a model of kind {said['kind']!r}, not one of text")


def _model(said: Mapping[str, Any], tally: object, idf: FrozenIdf | None, blocks: Blocks) -> Stored:
    if not isinstance(tally, CountTally):
        raise ValueError("a model of text needs counts")
    analyzer, reading = Analyzer.from_json(said["analyzer"]), Reading.from_json(said["reading"])
    channels = tuple(str(channel) for channel in said["channels"])
    # The rules of today's kernel must be those that the file was counted with.
    if difference := space_of(analyzer, reading, idf).difference(tally.space):
        raise ModelFileError(f"{blocks.source}: counted by other rules than this program's: {difference}")
    return Stored(analyzer, reading, channels, tally, idf, str(said["producer"]))
