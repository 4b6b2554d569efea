"""The file of named blocks behind ``.tally``: a safetensors file that says what it is and proves that it is whole.

Format 2.0. The file is a valid safetensors file: 8 bytes with the length of the header, the header as JSON, the arrays.
Its metadata has one entry, ``"nb"`` (several would be written in random order by the library), a canonical JSON text::

    {"content": ..., "format": "tallybayes", "sha256": ..., "version": [2, 0]}

``content`` belongs to whoever writes the file. ``sha256`` is taken over the canonical JSON of the other three entries,
and of every block in the order of their names: the JSON of ``[name, dtype, shape]`` followed by its bytes. So no bit
that means anything can change unnoticed, and the same content always gives the same bytes.

How a format may change: a reader refuses a newer major number, and ignores entries it does not know of a newer minor
one. Raise the minor number when something is added that old readers may ignore, else the major number; keep reading
every released one, and add a golden file of the new number to ``tests/golden``. (Format 1 was never released.)
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tallybayes.errors import ModelFileError, ParameterError
from tallybayes.files import replacing

__all__ = ["FORMAT", "Blocks", "canonical_json", "narrowed", "read_blocks", "read_file", "strict_json", "write_blocks"]

FORMAT = (2, 0)
_NAME = "tallybayes"
# Names of the dtypes we write, in the order in which the safetensors library lays them out (descending, as it does).
_DTYPES: dict[str, np.dtype[Any]] = {
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
}
_CODES = {dtype: code for code, dtype in _DTYPES.items()}
_MAX_HEADER = 100_000_000  # safetensors' own limit
_FOREIGN = (
    (b"\x80", "a Python pickle, which is never opened because it can run code"),
    (b"\x1f\x8b", "a gzip file"),
    (b"PK", "a zip archive"),
    (b"{", "JSON text"),
    (b"[", "JSON text"),
)


class Blocks(Mapping[str, NDArray[Any]]):
    """Named arrays and what they mean, as read from a file.

    Parameters
    ----------
    arrays : mapping of str to array
    content : JSON value
        What the writer said about the arrays.
    source : str
        Name of the file, for messages.
    verified : bool
        Whether everything was read; contents need checking only where it makes sense to read all of them.
    summed : bool
        Whether the file had a checksum.
    version : tuple of (int, int)
        Format number of the file.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        content: Any,
        source: str = "memory",
        *,
        verified: bool = True,
        summed: bool = True,
        version: tuple[int, int] = FORMAT,
    ) -> None:
        self._arrays = dict(arrays)
        self._taken: set[str] = set()
        self.content = content
        self.source = source
        self.verified = verified
        self.summed = summed
        self.version = version

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def take(self, name: str, dtype: DTypeLike, ndim: int = 1) -> NDArray[Any]:
        """Return a block of which dtype and dimensions are known.

        Raises
        ------
        ModelFileError
            If the file has no such block, or one of another form.
        """
        if name not in self._arrays:
            self.damaged(f"the block {name!r} is missing")
        array = self._arrays[name]
        if array.dtype != np.dtype(dtype) or array.ndim != ndim:
            self.damaged(f"the block {name!r} is {array.dtype} of {array.ndim} dimensions")
        self._taken.add(name)
        return array

    def take_narrowed(self, name: str, dtype: DTypeLike) -> NDArray[Any]:
        """Give a one-dimensional block of numbers of `dtype`, which may be stored in fewer bytes (see `narrowed`).

        Raises
        ------
        ModelFileError
            If the file has no such block, or one that `dtype` does not hold.
        """
        wanted = np.dtype(dtype)
        held = self._arrays[name].dtype if name in self._arrays else wanted
        fits = held.kind in "iu" and wanted.kind == "i" and np.can_cast(held, wanted)
        return self.take(name, held if fits else wanted)

    @property
    def newer(self) -> bool:
        """Whether a newer minor version may have written what this one does not know, and may ignore."""
        return self.version > FORMAT

    def require_all_taken(self) -> None:
        """Refuse a file with a block that no part of its model asked for.

        Raises
        ------
        ModelFileError
        """
        unknown = sorted(self._arrays.keys() - self._taken)
        if unknown and not self.newer:
            self.damaged(f"the block {unknown[0]!r} belongs to no part of the model")

    @contextmanager
    def reading(self, part: str) -> Iterator[None]:
        """Say of what goes wrong while `part` is built from these blocks that the file is damaged.

        Raises
        ------
        ModelFileError
            In place of whatever a claim of the file leads to that cannot be.
        """
        try:
            yield
        except ModelFileError:
            raise
        except KeyError as error:
            self.damaged(f"{part}: {error} is missing")
        except RecursionError:
            self.damaged(f"{part}: it is nested too deeply")
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self.damaged(f"{part}: {error}")

    def damaged(self, reason: str) -> NoReturn:
        """Refuse the file: it was read, but cannot be what it says."""
        raise ModelFileError(f"{self.source}: the file is damaged: {reason}")


def narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the fewest bytes that hold them all (1, 2, 4 or 8); other numbers as they are."""
    if array.dtype.kind != "i":
        return array
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    for dtype in (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.int32)):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return array.astype(dtype, copy=False)
    return array


def write_blocks(path: str | os.PathLike[str], blocks: Mapping[str, NDArray[Any]], content: Any) -> None:
    """Write arrays and what they mean; the file is whole or is not touched.

    Parameters
    ----------
    path : path
        The name asked for is the name written; an existing file is replaced, and keeps its permissions.
    blocks : mapping of str to array
        Arrays of uint8, uint16, int32, uint32, float32, int64, uint64 or float64, of one or more dimensions.
    content : JSON value
        Said about the blocks.

    Raises
    ------
    ParameterError
        If a block or the content cannot be stored.
    OSError
        If the file cannot be written; an older file of that name is as it was.

    Examples
    --------
    >>> import numpy as np
    >>> write_blocks("counts.tally", {"counts": np.arange(3)}, {"words": ["a", "b", "c"]})
    >>> blocks = read_blocks("counts.tally")
    >>> blocks["counts"].tolist(), blocks.content
    ([0, 1, 2], {'words': ['a', 'b', 'c']})
    """
    arrays = {name: _storable(name, blocks[name]) for name in blocks}
    order = sorted(arrays, key=lambda name: (list(_DTYPES).index(_CODES[arrays[name].dtype]), name))
    said = {"content": content, "format": _NAME, "version": list(FORMAT)}
    try:
        said["sha256"] = _checksum(said, arrays)
        header: dict[str, Any] = {"__metadata__": {"nb": canonical_json(said)}}
    except (TypeError, ValueError) as error:
        raise ParameterError(f"this cannot be stored in a model file: {error}") from None
    end = 0
    for name in order:
        begin, end = end, end + arrays[name].nbytes
        header[name] = {"dtype": _CODES[arrays[name].dtype], "shape": arrays[name].shape, "data_offsets": [begin, end]}
    text = _compact(header)
    text += b" " * (-len(text) % 8)  # so that all arrays are aligned
    # The safetensors library writes the same bytes (a test compares them), but to a name: it neither forces them to the
    # disk, nor keeps permissions, nor says which error the system gave.
    with replacing(path) as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            stream.write(arrays[name].data)


def read_blocks(path: str | os.PathLike[str], verify: Literal["all", "structure"] = "all") -> Blocks:
    """Read a file that `write_blocks` wrote.

    Parameters
    ----------
    path : path
    verify : {"all", "structure"}, default="all"
        "all" reads everything into memory and compares the checksum. "structure" checks only that all blocks lie within
        the file, and maps it: for files that you trust, and that do not change while they are used.

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or was made by a newer version. Nothing in a file is ever executed.
    """
    if verify not in ("all", "structure"):
        raise ParameterError(f"verify must be 'all' or 'structure', not {verify!r}")
    return _parse(os.fspath(path), read_file(path, mapped=verify == "structure"), verified=verify == "all")


def read_file(path: str | os.PathLike[str], *, mapped: bool = False) -> NDArray[np.uint8]:
    """Read, or map, all bytes of a file that may be a model: of a regular file, so that it ends.

    Raises
    ------
    ModelFileError
        If it cannot be opened or read, or is a folder, a pipe or a device.
    """
    source = os.fspath(path)
    try:
        # O_NONBLOCK: a pipe would otherwise wait for its other end before it can be refused.
        descriptor = os.open(source, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{source}: the file cannot be opened: {_reason(error)}") from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise ModelFileError(f"{source}: not a model: this is a folder")
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{source}: not a model: this is no regular file")
        return _load(descriptor, status.st_size, mapped)
    except OSError as error:
        raise ModelFileError(f"{source}: the file cannot be read: {_reason(error)}") from None
    finally:
        os.close(descriptor)


def _load(descriptor: int, size: int, mapped: bool) -> NDArray[np.uint8]:
    if mapped and size:
        return np.frombuffer(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ), np.uint8)
    data = np.empty(size, np.uint8)
    done = 0
    while done < size:
        step = os.readv(descriptor, [data[done : done + (1 << 30)].data])
        if step == 0:
            break  # it was cut while it was read
        done += step
    data = data[:done]
    data.flags.writeable = False
    return data


def _parse(source: str, data: NDArray[np.uint8], *, verified: bool) -> Blocks:
    def refuse(reason: str) -> NoReturn:
        raise ModelFileError(f"{source}: {reason}")

    if not len(data):
        refuse("not a model: the file is empty")
    length = int.from_bytes(data[:8].tobytes(), "little")
    looks_whole = len(data) >= 8 and length <= _MAX_HEADER and data[8:9].tobytes() == b"{"
    if not looks_whole:
        start = data[:2].tobytes()
        kind = next((name for magic, name in _FOREIGN if start.startswith(magic)), None)
        refuse(f"not a model: this is {kind}" if kind else "not a model, or its first bytes are damaged")
    if length > len(data) - 8:
        refuse(f"the file is cut short: its header alone has {length} bytes, but only {len(data) - 8} follow")
    try:
        text = data[8 : 8 + length].tobytes()
        header = strict_json(text)
        # One text for one meaning: a damaged letter of an escape such as \u4E2D would otherwise pass.
        if not isinstance(header, dict) or _compact(header) != text.rstrip(b" "):
            raise ValueError("it is not written as safetensors writes it")
        said = _read_said(header)
    except (ValueError, RecursionError) as error:
        refuse(f"the file is damaged: its header cannot be read: {error}")
    if said is None:
        refuse("not a model: this safetensors file was not written by tallybayes")
    version = said.get("version")
    if not (isinstance(version, list) and len(version) == 2 and all(type(n) is int and n >= 0 for n in version)):
        refuse("the file is damaged: it has no format number")
    if version[0] > FORMAT[0]:
        refuse(
            f"the file has format {version[0]}.{version[1]}, made by a newer version of tallybayes; this one reads "
            f"formats up to {FORMAT[0]}: update tallybayes to read it"
        )
    if version[0] < 1:
        refuse(f"the file is damaged: there never was a format {version[0]}.{version[1]}")
    if version[0] < FORMAT[0]:
        refuse(
            f"the file has format {version[0]}.{version[1]}, which only tallybayes 0.1 reads; learn again, or read it "
            "with that version"
        )
    try:
        arrays = _cut(header, data[8 + length :])
    except ValueError as error:
        refuse(f"the file is damaged: {error}")
    if verified:
        claimed = said.pop("sha256", None)
        if claimed != _checksum(said, arrays):
            refuse("the file is damaged: its contents do not match its checksum")
    return Blocks(arrays, said.get("content"), source, verified=verified, version=(version[0], version[1]))


def _read_said(header: dict[str, Any]) -> dict[str, Any] | None:
    """Take the metadata out of a header; None if the file is not ours."""
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not isinstance(metadata.get("nb"), str):
        return None
    if len(metadata) > 1:
        raise ValueError("there is more than one entry of metadata")
    said = strict_json(metadata["nb"].encode("utf-8", "surrogatepass"))
    if not isinstance(said, dict) or said.get("format") != _NAME:
        return None
    if canonical_json(said) != metadata["nb"]:
        raise ValueError("its metadata are not canonical JSON")
    return said


def _cut(header: dict[str, Any], data: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """Cut the data into arrays after comparing every size with what is there; nothing is allocated."""
    spans: list[tuple[int, int, str]] = []
    arrays: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"the block {name!r} is not described by dtype, shape and offsets")
        code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        dtype = _DTYPES.get(code) if isinstance(code, str) else None
        if dtype is None:
            raise ValueError(f"the block {name!r} has the unknown dtype {code!r}")
        if not (_are_sizes(shape) and len(shape) <= 8 and _are_sizes(offsets) and len(offsets) == 2):
            raise ValueError(f"the block {name!r} has no proper shape and offsets")
        begin, end = offsets
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        if begin > end or end - begin != size:
            raise ValueError(f"the block {name!r} has a shape of {size} bytes, but {end - begin} bytes of data")
        if end > len(data):
            raise ValueError(f"it is cut short: {end} bytes of data are announced, {len(data)} are there")
        spans.append((begin, end, name))
        array = data[begin:end]
        if begin % dtype.itemsize or array.ctypes.data % dtype.itemsize:
            raise ValueError(f"the block {name!r} is not aligned")
        arrays[name] = array.view(dtype).reshape(shape)
    reached = 0
    for begin, end, name in sorted(spans):
        if begin != reached:
            raise ValueError(f"the block {name!r} does not start where the one before it ends")
        reached = end
    if reached != len(data):
        raise ValueError(f"{len(data) - reached} bytes follow the last block")
    return arrays


def _are_sizes(values: Any) -> bool:
    # Below 2**63, so that no product of a shape that is not refused is slow to compute.
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2**63 for value in values)


def _storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(array)
    little = array.dtype.newbyteorder("<")
    if little not in _CODES or name == "__metadata__" or not array.ndim:
        raise ParameterError(
            f"the block {name!r} ({array.dtype}, {array.ndim} dimensions) cannot be stored in a model file"
        )
    return np.ascontiguousarray(array, dtype=little)


def _checksum(said: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    sha = hashlib.sha256(canonical_json(said).encode())
    for name in sorted(arrays):
        array = arrays[name]
        sha.update(canonical_json([name, _CODES[array.dtype], list(array.shape)]).encode())
        sha.update(array.data)
    return sha.hexdigest()


def canonical_json(value: Any) -> str:
    """Return the one text of a JSON value: keys sorted, no spaces, ASCII.

    Raises
    ------
    TypeError, ValueError
        If it is no JSON value, such as NaN.

    Examples
    --------
    >>> canonical_json({"words": ["é"], "alpha": 0.1})
    '{"alpha":0.1,"words":["\\\\u00e9"]}'
    """
    # ASCII, so that text with lone surrogates (names of files) can be stored too.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _compact(header: dict[str, Any]) -> bytes:
    return json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()


def strict_json(text: bytes) -> Any:
    """Read strict JSON: no NaN, and no key twice, of which readers would choose one each in their own way.

    Raises
    ------
    ValueError, RecursionError
        If it is no such text, or nested too deeply.

    Examples
    --------
    >>> strict_json(b'{"alpha": 0.1, "alpha": 1.0}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'alpha' stands twice in one object
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            left = dict.fromkeys(found)
            twice = next(key for key, _ in pairs if left.pop(key, key) is not None)
            raise ValueError(f"the key {twice!r:.60} stands twice in one object")
        return found

    def never(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON")

    return json.loads(text.decode("utf-8", "surrogatepass"), object_pairs_hook=once, parse_constant=never)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
