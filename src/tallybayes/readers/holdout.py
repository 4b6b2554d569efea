"""A test part that is held out: at random with a seed, or by a list of names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal

import numpy as np
import orjson

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather
from tallybayes.readers.lines import read_lines

__all__ = ["prepare", "read_names", "read_prepared", "split"]

_FILES = {"train": "train.jsonl", "test": "test.jsonl", "words": "words.txt"}


def split(
    batches: Iterable[Batch], *, holdout: float = 0.2, seed: int = 0, test_names: Iterable[str] | None = None
) -> Iterator[tuple[Batch, Batch]]:
    """Part each batch into training and test documents.

    Parameters
    ----------
    batches : iterable of Batch
        The documents.
    holdout : float
        The share of documents that goes to the test part, each with this probability.
    seed : int
        The same seed takes the same rows, whatever the size of the batches: a row is judged by its number alone.
    test_names : iterable of str, optional
        Names that make the test part, instead of chance: of files, with or without their folders; or ids, where an id
        column was read.

    Yields
    ------
    training, test : Batch
        Either may be empty.

    Raises
    ------
    ParameterError
        A `holdout` that is not between 0 and 1.
    InputError
        A name that is not among the documents; a part that is empty in the end.

    Examples
    --------
    >>> batches = [Batch(list("abcdefgh"), None, "f", range(1, 9))]
    >>> [(training.documents, test.documents) for training, test in split(batches, holdout=0.3, seed=1)]
    [(['a', 'b', 'd', 'e', 'f', 'g', 'h'], ['c'])]
    """
    chosen = _Chance(holdout, seed) if test_names is None else _Names(test_names)
    sizes = [0, 0]
    for batch in batches:
        in_test = chosen.rows(batch)
        parts = [[i for i, taken in enumerate(in_test) if taken == side] for side in (False, True)]
        sizes = [size + len(part) for size, part in zip(sizes, parts, strict=True)]
        yield batch.select(parts[0]), batch.select(parts[1])
    chosen.finish()
    if 0 in sizes:
        raise InputError(
            f"the {'training' if sizes[0] == 0 else 'test'} part is empty: of {sum(sizes)} documents, none"
        )


class _Chance:
    """Judges rows by a random number each."""

    def __init__(self, holdout: float, seed: int) -> None:
        if not 0 < holdout < 1:
            raise ParameterError(f"holdout must be a share between 0 and 1, not {holdout}")
        # Raw numbers of a bit generator: NumPy keeps those for good, and promises it of nothing made of them.
        self._numbers = np.random.PCG64(seed)
        self._below = int(holdout * 2**64)

    def rows(self, batch: Batch) -> Sequence[bool]:
        return [number < self._below for number in self._numbers.random_raw(len(batch)).tolist()]

    def finish(self) -> None:
        pass


class _Names:
    """Judges rows by their names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = set(names)
        self._missing = set(self._names)

    def rows(self, batch: Batch) -> Sequence[bool]:
        if batch.ids is not None:
            keys = [(str(identity), "") for identity in batch.ids]
        elif batch.places and isinstance(batch.places[0], str):
            keys = [(str(place), PurePosixPath(str(place)).name) for place in batch.places]
        else:
            raise InputError(f"{batch.source} has no names to look up in the test list; read an id column with it")
        found = [self._names.intersection(key) for key in keys]
        self._missing.difference_update(*found)
        return [bool(names) for names in found]

    def finish(self) -> None:
        if self._missing:
            some = ", ".join(map(repr, sorted(self._missing)[:5]))
            raise InputError(
                f"{len(self._missing)} of {len(self._names)} test names are not among the documents: {some}"
            )


def read_names(path: str | os.PathLike[str]) -> list[str]:
    """Read a list of names, one a line; blank lines are passed over."""
    return [name for batch in read_lines(path) for name in map(str.strip, batch.documents) if name]


def prepare(
    batches: Iterable[Batch],
    folder: str | os.PathLike[str],
    *,
    holdout: float = 0.2,
    seed: int = 0,
    test_names: Iterable[str] | None = None,
    force: bool = False,
) -> dict[str, int]:
    r"""Number the words of labelled documents, split them, and write both parts as files that can be looked at.

    Words are runs of characters without white space, numbered from 1 in the order in which they first appear.
    ``words.txt`` holds them, one a line; ``train.jsonl`` and ``test.jsonl`` hold a document per line: its place, label
    and word numbers.

    Parameters
    ----------
    batches : iterable of Batch
        The documents, with labels.
    folder : str or path
        Where to write; made if it is not there.
    holdout, seed, test_names
        As for `split`.
    force : bool
        Whether files of an earlier run may be replaced.

    Returns
    -------
    dict
        The number of ``train`` and ``test`` documents and of ``words``.

    Raises
    ------
    InputError
        The files are there already; documents without labels; and whatever `split` raises.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> batches = [Batch(["buy now", "see you now"], ["spam", "ham"], "corpus", ["1spam.txt", "2ham.txt"])]
    >>> prepare(batches, folder, test_names=["2ham.txt"])
    {'train': 1, 'test': 1, 'words': 4}
    >>> (folder / "test.jsonl").read_text()
    '{"place":"2ham.txt","label":"ham","words":[3,4,2]}\n'
    >>> [batch.documents for batch in read_prepared(folder, "test")]
    [['see you now']]
    """
    folder = Path(folder)
    targets = {part: folder / name for part, name in _FILES.items()}
    there = [str(path) for path in targets.values() if path.exists()]
    if there and not force:
        raise InputError(f"{', '.join(there)} would be overwritten; choose another folder, or allow it with force")
    folder.mkdir(parents=True, exist_ok=True)
    written = {part: path.with_name(path.name + ".part") for part, path in targets.items()}
    numbers: dict[str, int] = {}
    counts = {"train": 0, "test": 0}
    try:
        with open(written["train"], "wb") as train, open(written["test"], "wb") as test:
            parted = split(_numbered(batches, numbers), holdout=holdout, seed=seed, test_names=test_names)
            for batch_parts in parted:
                for part, file, batch in zip(counts, (train, test), batch_parts, strict=True):
                    file.writelines(_records(batch))
                    counts[part] += len(batch)
        written["words"].write_text("".join(f"{word}\n" for word in numbers), encoding="utf-8")
        for part, path in written.items():
            path.replace(targets[part])
    finally:
        for path in written.values():
            path.unlink(missing_ok=True)
    return {**counts, "words": len(numbers)}


def _numbered(batches: Iterable[Batch], numbers: dict[str, int]) -> Iterator[Batch]:
    """Put the numbers of its words for each document; new words get the next number."""
    for batch in batches:
        if batch.labels is None:
            raise InputError(f"{batch.source} was read without labels; preparing a corpus needs them")
        if batch.documents and isinstance(batch.documents[0], tuple):
            raise InputError(f"{batch.source} was read as rows of cells; preparing a corpus needs one text column")
        documents = [
            " ".join(str(numbers.setdefault(word, len(numbers) + 1)) for word in document.split())
            for document in batch.documents
        ]
        yield replace(batch, documents=documents)


def _records(batch: Batch) -> Iterator[bytes]:
    for document, label, place in zip(batch.documents, batch.labels or [], batch.places, strict=True):
        record = {"place": place, "label": label, "words": list(map(int, document.split()))}
        yield orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def read_prepared(
    folder: str | os.PathLike[str], part: Literal["train", "test"], *, batch_bytes: int = BATCH_BYTES
) -> Iterator[Batch]:
    """Read back what `prepare` wrote: documents of words parted by one space.

    Raises
    ------
    InputError
        Files that `prepare` did not write, with the line.
    """
    words = [""]
    for batch in read_lines(Path(folder, _FILES["words"])):
        words.extend(batch.documents)
    path = Path(folder, _FILES[part])
    gather = Gather(str(path), labelled=True, limit=batch_bytes)
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                record = orjson.loads(line)
                document = " ".join([words[word] for word in record["words"]])
                full = gather.add(document, record["label"], record["place"])
            except (ValueError, LookupError, TypeError) as error:
                raise InputError(f"{path}, line {number}: no line that prepare wrote ({error})") from error
            if full:
                yield gather.take()
    yield from gather.rest()
