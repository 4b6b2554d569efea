"""Folders and archives with a document per file; the class is the folder's name, or is found in the file's name."""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from tallybayes.errors import InputError
from tallybayes.readers.batch import BATCH_BYTES, Batch, Gather, Remarks
from tallybayes.readers.encoding import checked_encoding, decode_document, is_whole
from tallybayes.readers.names import checked_pattern, is_archive, shown_name
from tallybayes.readers.stream import LINE_LIMIT, named_damage, open_bytes

__all__ = ["read_folder"]

# What operating systems put beside the user's files, besides names that begin with a dot.
_HIDDEN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini", "Icon\r"})
_TOP = PurePosixPath()


@dataclass(frozen=True, slots=True)
class _Member:
    """A file or folder inside a source; `read` returns the first bytes of a file, and is None for a folder."""

    path: PurePosixPath
    read: Callable[[int], bytes] | None


def read_folder(
    path: str | os.PathLike[str],
    *,
    labelled: bool = True,
    label_pattern: str | re.Pattern[str] | None = None,
    subfolder: str | None = None,
    encoding: str | None = None,
    remarks: Remarks | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[Batch]:
    r"""Read a folder, or a tar or zip archive in place, with a document per file.

    Without a pattern, each folder in `path` is a class and each file in it a document. A file deeper down is refused by
    name, since its class is in doubt; a file beside the class folders, and a class folder without a document, are
    remarked on. Hidden entries (a name with a dot first, ``__MACOSX`` and the like) are passed over. A folder is read
    in the order of the names, an archive in its own order. Files may be compressed with gzip.

    Parameters
    ----------
    path : str or path
        A folder, or a file whose name ends in ``.tar``, ``.tar.gz``, ``.tgz``, ``.tar.bz2``, ``.tar.xz`` or ``.zip``.
    labelled : bool
        False: no labels are read, and files count at any depth.
    label_pattern : str or compiled pattern, optional
        A regular expression with a group ``label``, searched in the name of each file, at any depth; where it holds a
        ``/``, in the path inside `path`. A file that does not match is a bad row.
    subfolder : str, optional
        Read only what lies in this folder inside `path`, as if it were `path`: ``"train"``.
    encoding : str, optional
        Of each file by itself; see `decode`. Names inside an archive that are not UTF-8 are taken to be in it as well.
    remarks, batch_bytes
        As for `read_table`; a bad file counts as one row.

    Yields
    ------
    Batch
        Documents, labels of type str, and the path of each file as its place.

    Raises
    ------
    InputError
        A bad byte, a file in doubt, a damaged archive, no document at all: with the name of the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, text in {"ham1.txt": "see you", "spam1.txt": "buy now"}.items():
    ...     _ = (folder / name).write_text(text)
    >>> for batch in read_folder(folder, label_pattern=r"^(?P<label>[a-z]+)"):
    ...     print(batch.labels, batch.documents, batch.places)
    ['ham', 'spam'] ['see you', 'buy now'] ['ham1.txt', 'spam1.txt']
    """
    remarks = remarks or Remarks()
    name = shown_name(path)
    encoding = checked_encoding(encoding)
    members = _archive(path, name, encoding, remarks) if is_archive(path) else _walk(path)
    if subfolder is not None:
        members = _inside(members, PurePosixPath(subfolder))
    rule = _Rule(name, labelled, checked_pattern(label_pattern), remarks)
    gather = Gather(name, labelled=labelled, limit=batch_bytes)
    with closing(members):
        for member in members:
            if any(part.startswith(".") or part in _HIDDEN for part in member.path.parts):
                continue
            label = rule.label(member)
            if member.read is None or label is None:
                continue
            document = _document(member.read, f"{name}, {member.path}", encoding, remarks)
            rule.read(label)
            if document is not None and gather.add(document, label, str(member.path)):
                yield gather.take()
    yield from gather.rest()
    rule.remark(subfolder)


class _Rule:
    """Finds the class of each file, and says at the end what was not as one would think."""

    def __init__(self, name: str, labelled: bool, pattern: re.Pattern[str] | None, remarks: Remarks) -> None:
        self._name, self._labelled, self._pattern, self._report = name, labelled, pattern, remarks
        self._documents: dict[str, int] = {}
        self._beside: list[str] = []

    def label(self, member: _Member) -> str | None:
        """Return the label of a file ("" where labels are not read); None for what is no document."""
        path = member.path
        if not self._labelled:
            return ""
        if self._pattern is not None:
            if member.read is None:
                return None
            found = self._pattern.search(str(path) if "/" in self._pattern.pattern else path.name)
            if found is None or not found["label"]:
                self._report.bad(f"{self._name}, {path}: the label pattern {self._pattern.pattern!r} finds no label")
                return None
            return found["label"]
        if member.read is None:
            if len(path.parts) == 1:
                self._documents.setdefault(path.name, 0)
            return None
        if len(path.parts) == 1:
            self._beside.append(path.name)
            return None
        if len(path.parts) > 2:
            self._report.bad(
                f"{self._name}, {path}: a file deeper than the class folder {path.parts[0]!r}; move it, name the "
                f"subfolder that holds the classes, or give a label pattern with a '/'"
            )
            return None
        return path.parts[0]

    def read(self, label: str) -> None:
        """Count a document of the class."""
        self._documents[label] = self._documents.get(label, 0) + 1

    def remark(self, subfolder: str | None) -> None:
        """Remarks what was left out; refuse a source without a document."""
        beside = f"{len(self._beside)} files in no class folder, the first {self._beside[0]!r}" if self._beside else ""
        if not any(self._documents.values()):
            where = self._name if subfolder is None else f"{self._name}, folder {subfolder!r}"
            raise InputError(
                f"{where}: no documents found{' but ' + beside if beside else ''}; a folder per class was "
                f"expected, or a label pattern that finds the class in the name of a file"
            )
        if beside:
            self._report.note(f"{self._name}: left out {beside}")
        empty = [label for label, count in self._documents.items() if count == 0]
        if empty:
            self._report.note(f"{self._name}: class folders without a document: {', '.join(map(repr, empty[:20]))}")


def _document(read: Callable[[int], bytes], name: str, encoding: str | None, remarks: Remarks) -> str | None:
    """Return the text of a file; None where it is bad and skipped."""
    try:
        with named_damage(name):
            data = read(LINE_LIMIT + 1)
            if data.startswith(b"\x1f\x8b"):
                data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(LINE_LIMIT + 1)
        if len(data) > LINE_LIMIT:
            raise InputError(f"{name}: more than {LINE_LIMIT >> 20} MB; is this a document?")
        text = decode_document(data, name, encoding=encoding, remarks=remarks)
    except InputError as error:
        remarks.bad(str(error))
        return None
    if remarks.skips and not is_whole(text):
        remarks.bad(f"{name}: bytes that are no text")
        return None
    return text


def _walk(folder: str | os.PathLike[str], inside: PurePosixPath = _TOP) -> Generator[_Member, None, None]:
    """Yield what a folder holds in the order of names; links to folders are followed at the top only."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = inside / entry.name
        if entry.is_dir(follow_symlinks=inside == _TOP):
            yield _Member(path, None)
            if not entry.name.startswith("."):
                yield from _walk(entry.path, path)
        elif entry.is_file():
            yield _Member(path, partial(_read_file, entry.path))


def _inside(members: Iterator[_Member], folder: PurePosixPath) -> Generator[_Member, None, None]:
    """Yield the members in `folder`, by their path from there."""
    for member in members:
        if member.path != folder and member.path.is_relative_to(folder):
            yield _Member(member.path.relative_to(folder), member.read)


def _archive(
    path: str | os.PathLike[str], name: str, encoding: str | None, remarks: Remarks
) -> Generator[_Member, None, None]:
    """Yield what an archive holds in its own order; every entry must be read before the next is asked for."""
    is_zip = os.fspath(path).lower().endswith(".zip")
    with named_damage(name):
        yield from _zip(path, name, encoding) if is_zip else _tar(path, name, encoding, remarks)


def _tar(path: str | os.PathLike[str], name: str, encoding: str | None, remarks: Remarks) -> Iterator[_Member]:
    links = 0
    with open_bytes(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for entry in archive:
            inside = _member_path(entry.name, encoding)
            if entry.isfile():
                yield _Member(inside, partial(_read_tar, archive, entry))
            elif entry.isdir():
                yield _Member(inside, None)
            else:
                links += 1
            archive.members = []  # type: ignore[attr-defined]  # or the list of what has been read grows with the archive
    if links:
        remarks.note(f"{name}: {links} links and other entries that are no files, left out")


def _member_path(name: str, encoding: str | None) -> PurePosixPath:
    """Return the path of an entry; bytes that are not UTF-8 come as lone surrogates and are read in `encoding`."""
    if not is_whole(name):
        raw = name.encode("utf-8", "surrogateescape")
        name = raw.decode("gb18030" if encoding in (None, "auto") else encoding, "replace")
    return PurePosixPath(name.lstrip("/"))


def _zip(path: str | os.PathLike[str], name: str, encoding: str | None) -> Iterator[_Member]:
    with open_bytes(path) as stream, zipfile.ZipFile(stream) as archive:
        for entry in archive.infolist():
            inside = entry.filename
            if not entry.flag_bits & 0x800:  # not said to be UTF-8: zipfile has taken the bytes for code page 437
                inside = inside.encode("cp437").decode("utf-8", "surrogateescape")
            if entry.flag_bits & 1:
                raise InputError(f"{name}, {inside}: the archive is locked with a password; unpack it first")
            yield _Member(
                _member_path(inside, encoding), None if entry.is_dir() else partial(_read_zip, archive, entry)
            )


def _read_file(path: str, size: int) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read(size)


def _read_tar(archive: tarfile.TarFile, entry: tarfile.TarInfo, size: int) -> bytes:
    stream = archive.extractfile(entry)
    assert stream is not None  # only files are asked for
    with stream:
        return stream.read(size)


def _read_zip(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, size: int) -> bytes:
    with archive.open(entry) as stream:
        return stream.read(size)
