"""A document per file, in folders and archives."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import Remarks, read_folder

Files = dict[str, bytes]


def as_folder(path: Path, files: Files) -> Path:
    for name, data in files.items():
        target = path / "folder" / name
        (target if name.endswith("/") else target.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            target.write_bytes(data)
    return path / "folder"


def as_tar(path: Path, files: Files, mode: str = "w") -> Path:
    target = path / ("corpus.tar" if mode == "w" else "corpus.tar.gz")
    with tarfile.open(target, mode) as archive:  # type: ignore[call-overload]
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name.rstrip("/"))
            entry.size = len(data)
            entry.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(entry, io.BytesIO(data))
    return target


def as_tgz(path: Path, files: Files) -> Path:
    return as_tar(path, files, "w:gz")


def as_zip(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path / "corpus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(name, data)
    return path / "corpus.zip"


@pytest.fixture(params=[as_folder, as_tar, as_tgz, as_zip], ids=["folder", "tar", "tgz", "zip"])
def pack(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Lay files out as a folder or an archive, and return its path."""
    return lambda files: request.param(tmp_path, files)


def rows(path: Path, **options: Any) -> list[tuple[Any, str, Any]]:
    return [
        row
        for batch in read_folder(path, **options)
        for row in zip(batch.labels or [None] * len(batch), batch.documents, batch.places, strict=True)
    ]


MESSY = {
    "ham/1.txt": b"hi",
    "ham/.DS_Store": b"\0\xff",
    ".git/config": b"\0",
    "__MACOSX/ham/1.txt": b"\0",
    "empty/": b"",
    "readme.txt": b"what this is",
    "spam/2.txt": "免费".encode(),
}


def test_table_2_hidden_entries_are_no_documents_and_empty_classes_are_reported(pack: Any) -> None:
    told: list[str] = []
    path = pack(MESSY)
    assert rows(path, remarks=Remarks(tell=told.append)) == [("ham", "hi", "ham/1.txt"), ("spam", "免费", "spam/2.txt")]
    assert told == [
        f"{path}: left out 1 files in no class folder, the first 'readme.txt'",
        f"{path}: class folders without a document: 'empty'",
    ]


def test_table_2_a_nested_file_is_refused_by_name(pack: Any) -> None:
    path = pack({**MESSY, "ham/deep/2.txt": b"deep"})
    with pytest.raises(InputError, match=r"ham/deep/2.txt: a file deeper than the class folder 'ham'"):
        rows(path)
    remarks = Remarks("skip")
    assert [place for *_, place in rows(path, remarks=remarks)] == ["ham/1.txt", "spam/2.txt"]
    assert remarks.skipped == 1


def test_a_pattern_finds_the_class_in_the_file_name_at_any_depth(pack: Any) -> None:
    path = pack({"10ham.seg.txt": b"a", "deep/2spam.seg.txt": b"b", ".hidden": b"c"})
    assert rows(path, label_pattern=r"^\d+(?P<label>[a-z]+)\.") == [
        ("ham", "a", "10ham.seg.txt"),
        ("spam", "b", "deep/2spam.seg.txt"),
    ]


def test_a_pattern_with_a_slash_is_searched_in_the_path(pack: Any) -> None:
    path = pack({"enron1/ham/1.txt": b"a", "enron2/spam/1.txt": b"b"})
    assert [label for label, *_ in rows(path, label_pattern=r"(?P<label>[^/]+)/[^/]+$")] == ["ham", "spam"]


def test_a_name_without_a_label_is_named_or_skipped(pack: Any) -> None:
    path = pack({"1ham.txt": b"a", "notes": b"b"})
    with pytest.raises(InputError, match=r"notes: the label pattern .* finds no label"):
        rows(path, label_pattern=r"^\d(?P<label>[a-z]+)")
    remarks = Remarks("skip")
    assert len(rows(path, label_pattern=r"^\d(?P<label>[a-z]+)", remarks=remarks)) == remarks.skipped == 1


def test_a_subfolder_is_read_as_if_it_were_the_source(pack: Any) -> None:
    path = pack({"train/ham/1": b"a", "train/spam/2": b"b", "test/ham/3": b"c", "training/x/4": b"d"})
    assert [(label, text) for label, text, _ in rows(path, subfolder="train")] == [("ham", "a"), ("spam", "b")]
    with pytest.raises(InputError, match="folder 'dev': no documents found"):
        rows(path, subfolder="dev")


def test_without_labels_files_at_any_depth_are_documents(pack: Any) -> None:
    path = pack({"1.txt": b"a", "deep/er/2.txt": b"b"})
    assert rows(path, labelled=False) == [(None, "a", "1.txt"), (None, "b", "deep/er/2.txt")]


def test_files_beside_each_other_without_a_pattern_are_refused(pack: Any) -> None:
    with pytest.raises(
        InputError, match=r"no documents found but 1 files in no class folder, the first '1ham.txt'.*label pattern"
    ):
        rows(pack({"1ham.txt": b"a"}))


def test_a_bad_file_is_named_with_line_and_offset_or_skipped(pack: Any) -> None:
    path = pack({"ham/1.txt": b"ok", "ham/2.txt": b"ok\nb\xffd", "spam/1.txt": b"fine"})
    with pytest.raises(InputError, match=r"ham/2.txt, line 2, byte offset 4: 0xff"):
        rows(path)
    remarks = Remarks("skip")
    assert [text for _, text, _ in rows(path, remarks=remarks)] == ["ok", "fine"]
    assert remarks.skipped == 1
    assert "ham/2.txt" in (remarks.first_skipped or "")


def test_encodings_hold_for_each_file_by_itself(pack: Any) -> None:
    path = pack({"a/1": "学识".encode("utf-16"), "a/2": "学识".encode(), "a/3": gzip.compress("学识".encode())})
    assert [text for _, text, _ in rows(path)] == ["学识"] * 3


def test_line_ends_and_the_order_are_kept(pack: Any) -> None:
    path = pack({f"a/{i}.txt": f"{i}\r\nx\r".encode() for i in range(12)})
    names = [place for *_, place in rows(path)]
    assert names == sorted(names)
    assert rows(path)[0][1] == "0\r\nx\r"
    assert [place for *_, place in rows(path, batch_bytes=1)] == names


def test_names_in_gbk_are_read(tmp_path: Path) -> None:
    name = "体育/1.txt".encode("gb18030")
    path = tmp_path / "corpus.tar"
    with tarfile.open(path, "w", encoding="gb18030", format=tarfile.GNU_FORMAT) as archive:
        entry = tarfile.TarInfo("体育/1.txt")
        entry.size = 2
        archive.addfile(entry, io.BytesIO(b"hi"))
    assert rows(path) == [("体育", "hi", "体育/1.txt")]
    assert rows(path, encoding="gbk") == [("体育", "hi", "体育/1.txt")]
    zipped = tmp_path / "corpus.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("XXXXX1.txt".ljust(len(name), "X"), b"hi")
    zipped.write_bytes(zipped.read_bytes().replace(b"XXXXX1.txt".ljust(len(name), b"X"), name))
    assert rows(zipped) == [("体育", "hi", "体育/1.txt")]


@pytest.mark.parametrize("make", [as_tar, as_tgz, as_zip])
def test_a_damaged_archive_is_named(make: Any, tmp_path: Path) -> None:
    path = make(tmp_path, {f"a/{i}": os.urandom(3000).hex().encode() for i in range(20)})
    path.write_bytes(path.read_bytes()[:30_000])
    with pytest.raises(InputError, match=r"corpus\.[a-z.]+.*damaged"):
        rows(path)
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"corpus\.[a-z.]+.*damaged"):
        rows(path)


def test_links_in_an_archive_are_left_out(tmp_path: Path) -> None:
    told: list[str] = []
    with tarfile.open(tmp_path / "corpus.tar", "w") as archive:
        entry = tarfile.TarInfo("ham/1")
        archive.addfile(entry, io.BytesIO())
        entry = tarfile.TarInfo("ham/passwords")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(entry)
    assert rows(tmp_path / "corpus.tar", remarks=Remarks(tell=told.append)) == [("ham", "", "ham/1")]
    assert told == [f"{tmp_path / 'corpus.tar'}: 1 links and other entries that are no files, left out"]


def test_a_linked_class_folder_is_followed_and_a_loop_is_not(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {"ham/1": b"a"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "2").write_bytes(b"b")
    (folder / "spam").symlink_to(tmp_path / "elsewhere")
    (folder / "spam" / "loop").symlink_to(folder)
    assert [label for label, *_ in rows(folder)] == ["ham", "spam"]


@pytest.mark.parametrize(
    ("pattern", "complaint"), [("(", "is no regular expression"), ("a+", "needs a group called label")]
)
def test_a_bad_pattern_is_refused(pattern: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=complaint):
        rows(tmp_path, label_pattern=pattern)


def test_a_locked_zip_is_refused(tmp_path: Path) -> None:
    path = as_zip(tmp_path, {"a/1": b"x"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="a/1: the archive is locked with a password"):
        rows(path)
