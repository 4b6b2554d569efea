"""A model in a file: the binary `.tally` file, and JSON for people and other programs.

A file holds a counter, a tally and a reading, each by its kind and as data. A kind that this program does not know is
refused by its name.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson

from ..counters import Counter
from ..errors import ModelFileError, ParameterError
from ..files import replacing
from ..labels import Labels
from ..readings import Reading
from ..store import FORMAT, Blocks, read_blocks, read_file, strict_json, write_blocks
from ..tally import Tally
from .claims import require_fitting, require_same_claims

__all__ = ["Stored", "read_model", "write_model"]

JSON_FORMAT = "tallybayes-json"
_SUM = b'  "sha256": "%s",\n'
_SUMMED = re.compile(rb'\{\r?\n  "sha256": "([0-9a-f]{64})",\r?\n')


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
    try:
        require_fitting(counter, tally)
    except ValueError as error:
        raise ParameterError(f"this cannot be stored in a model file: {error}") from None
    if os.fspath(path).endswith(".json"):
        said["counter"] |= counter.readable()
        said |= {"format": JSON_FORMAT, "version": FORMAT[0], "tally": tally.to_json()}
        text = _json_text(said)
        with replacing(path) as stream:
            stream.write(text)
        return
    blocks, said["tally"] = tally.to_blocks("tally")
    write_blocks(path, blocks | counter.arrays("counter"), said)


def read_model(path: str | os.PathLike[str], verify: Literal["all", "structure"]) -> Stored:
    """Read what `write_model` wrote, in either form. See `tallybayes.load`."""
    readable = os.fspath(path).endswith(".json")
    blocks = _read_json(path) if readable else read_blocks(path, verify)
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
        reading, producer = Reading.from_json(said["reading"]), said["producer"]
        # What was read must say of itself what the file says: no entry that nobody looked at, none of another type.
        again = {
            "counter": {"kind": counter.kind, **counter.to_json(), **(counter.readable() if readable else {})},
            "producer": str(producer),
            "reading": reading.to_json(),
            "tally": {**_numbers(said["tally"], tally), **tally.described()} if readable else tally.described(),
        }
        require_same_claims(said, again, ignore_unknown=blocks.newer)
        blocks.require_all_taken()
        require_fitting(counter, tally)
        if blocks.verified:
            counter.check_counted(tally)
        return Stored(counter, reading, tally, producer, blocks)


def _numbers(said: Mapping[str, Any], tally: Tally) -> dict[str, Any]:
    """Return the entries of a readable tally that are its numbers: read one by one, and none of another type."""
    names = tally._with_classes(np.zeros(0, np.intp), Labels()).to_json().keys()
    return {name: said[name] for name in names if name in said}


def _json_text(said: Mapping[str, Any]) -> bytes:
    """Write the readable form: one entry is a checksum over all other lines.

    Raises
    ------
    ParameterError
        If it holds what is no JSON value.
    """
    try:
        try:
            text = _dumped(said)
        except TypeError:  # half a surrogate pair (names of files), which orjson does not write
            indented = json.dumps(said, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
            text = indented.encode("utf-8", "backslashreplace")
    except (TypeError, ValueError) as error:
        raise ParameterError(f"this cannot be stored in a model file: {error}") from None
    return text[:2] + _SUM % _checksum(text) + text[2:]


def _dumped(said: Mapping[str, Any]) -> bytes:
    return orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def _checksum(lines: bytes) -> bytes:
    return hashlib.sha256(lines.replace(b"\r\n", b"\n")).hexdigest().encode()


def _parsed(text: bytes, *, summed: bool) -> Any:
    """Read strict JSON; what is written just as we write it is strict, and read faster."""
    if summed:
        with suppress(TypeError, ValueError):
            said = orjson.loads(text)
            if _dumped(said) == text:
                return said
    return strict_json(text)


def _read_json(path: str | os.PathLike[str]) -> Blocks:
    name = os.fspath(path)
    text = read_file(path).tobytes()
    found = _SUMMED.match(text)
    if found:
        text = b"{\n" + text[found.end() :]
    summed = found is not None and found[1] == _checksum(text)
    try:
        said = _parsed(text, summed=summed)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ModelFileError(f"{name}: not a model: no JSON ({reason})") from None
    if not isinstance(said, dict) or said.pop("format", None) != JSON_FORMAT:
        raise ModelFileError(f"{name}: not a model: JSON of something else")
    version = said.pop("version", None)
    if type(version) is not int or version != FORMAT[0]:
        older = type(version) is int and version < FORMAT[0]
        raise ModelFileError(
            f"{name}: written in version {version!r} of the JSON form, which "
            + (
                "only tallybayes 0.1 reads; learn again, or read it with that version"
                if older
                else f"this program does not know (it reads version {FORMAT[0]}): update tallybayes"
            )
        )
    if not summed and (found or "sha256" in said):
        raise ModelFileError(
            f"{name}: the file is damaged: its contents do not match its checksum; if you edited it on purpose, take "
            'the entry "sha256" out'
        )
    # Without a checksum it was edited, or written by another program: its claims are looked at, as always.
    return Blocks({}, said, name, summed=summed)
