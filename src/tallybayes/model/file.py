"""A model in a file: the binary `.tally` file, and JSON for people and other programs.

A file holds a counter, a tally and a reading, each by its kind and as data. A kind that this program does not know is
refused by its name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import orjson

from ..counters import Counter
from ..errors import ModelFileError
from ..files import replacing
from ..readings import Reading
from ..store import FORMAT, Blocks, read_blocks, write_blocks
from ..tally import Tally

__all__ = ["Stored", "read_model", "write_model"]

JSON_FORMAT = "tallybayes-json"


class Stored(NamedTuple):
    """What a model's file holds."""

    counter: Counter
    reading: Reading
    tally: Tally
    producer: str
    blocks: Blocks


def write_model(path: str | os.PathLike[str], counter: Counter, reading: Reading, tally: Tally) -> None:
    """Write a model; a name that ends in ``.json`` asks for the readable form. See `Model.save`."""
    from importlib.metadata import version

    said: dict[str, Any] = {
        "counter": {"kind": counter.kind, **counter.to_json()},
        "reading": reading.to_json(),
        "producer": f"tallybayes {version('tallybayes')}",
    }
    if os.fspath(path).endswith(".json"):
        said["counter"] |= counter.readable()
        said |= {"format": JSON_FORMAT, "version": FORMAT[0], "tally": tally.to_json()}
        with replacing(path) as stream:
            stream.write(orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")
        return
    blocks, said["tally"] = tally.to_blocks("tally")
    write_blocks(path, blocks | counter.arrays("counter"), said)


def read_model(path: str | os.PathLike[str], verify: Literal["all", "structure"]) -> Stored:
    """Read what `write_model` wrote, in either form. See `tallybayes.load`."""
    readable = os.fspath(path).endswith(".json")
    blocks = Blocks({}, _read_json(path), os.fspath(path)) if readable else read_blocks(path, verify)
    with blocks.reading("the model"):
        said = blocks.content
        of_type = Tally.kinds[said["tally"]["type"]]
        tally = of_type.from_json(said["tally"]) if readable else of_type.from_blocks("tally", blocks, said["tally"])
        described = dict(said["counter"])
        counter = Counter.kinds[described.pop("kind")].from_json(described, blocks, "counter")
        tally = counter.renewed(tally)
        # The rules of today's kernel must be those that the file was counted with.
        if difference := counter.space.difference(tally.space):
            raise ModelFileError(f"{blocks.source}: counted by other rules than this program's: {difference}")
        return Stored(counter, Reading.from_json(said["reading"]), tally, str(said["producer"]), blocks)


def _read_json(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    name = os.fspath(path)
    with open(path, "rb") as stream:
        data = stream.read()
    try:
        said = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise ModelFileError(f"{name}: not a model: no JSON ({error})") from None
    if not isinstance(said, dict) or said.get("format") != JSON_FORMAT:
        raise ModelFileError(f"{name}: not a model: JSON of something else")
    version = said.get("version")
    if version != FORMAT[0]:
        older = isinstance(version, int) and version < FORMAT[0]
        raise ModelFileError(
            f"{name}: written in version {version!r} of the JSON form, which "
            + (
                "only tallybayes 0.1 reads; learn again, or read it with that version"
                if older
                else f"this program does not know (it reads version {FORMAT[0]}): update tallybayes"
            )
        )
    return said
