"""One door to all readers, and the counts of the real data sets."""

from __future__ import annotations

import io
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tallybayes.errors import InputError, ParameterError
from tallybayes.readers import open_source


def rows(*sources: Any, **options: Any) -> list[tuple[Any, str]]:
    return [
        row
        for batch in open_source(*sources, **options)
        for row in zip(batch.labels or [None] * len(batch), batch.documents, strict=True)
    ]


def counts(*sources: Any, **options: Any) -> Counter[str]:
    return Counter(label for label, _ in rows(*sources, **options))


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes, buffered: bool = True) -> None:
    stream = io.BufferedReader(io.BytesIO(data)) if buffered else io.BytesIO(data)  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": stream}))


def test_the_kind_is_told_by_the_suffix(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,text\nx,one\n")
    (tmp_path / "b.jsonl").write_text('{"label":"y","text":"two"}\n')
    (tmp_path / "classes" / "z").mkdir(parents=True)
    (tmp_path / "classes" / "z" / "3.txt").write_text("three")
    (tmp_path / "lines.txt").write_text("four\nfive\n")
    sources = [tmp_path / "a.csv", tmp_path / "b.jsonl", tmp_path / "classes"]
    assert rows(sources, classes={"w": tmp_path / "lines.txt"}) == [
        ("x", "one"),
        ("y", "two"),
        ("z", "three"),
        ("w", "four"),
        ("w", "five"),
    ]


def test_a_class_may_have_several_files(tmp_path: Path) -> None:
    (tmp_path / "1").write_text("a")
    (tmp_path / "2").write_text("b\n")
    assert rows(classes=[("x", tmp_path / "1"), ("y", tmp_path / "2"), ("x", tmp_path / "2")]) == [
        ("x", "a"),
        ("y", "b"),
        ("x", "b"),
    ]


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (b"one\ntwo\n", {"labelled": False}, [(None, "one"), (None, "two")]),
        (b'{"text":"one"}\n', {"labelled": False}, [(None, '{"text":"one"}')]),
        (b'\xef\xbb\xbf {"body":"one"}\n', {"labelled": False, "text": "body"}, [(None, "one")]),
        (b'{"text":"one","label":3}\n', {}, [(3, "one")]),
        ('{"text":"one","label":3}'.encode("utf-16"), {}, [(3, "one")]),
        (b"a,body\n1,one\n", {"labelled": False, "text": "body"}, [(None, "one")]),
        (b"x\tone\n", {"text": 2, "label": 1, "header": False, "quotes": False}, [("x", "one")]),
        (b"x\tone\n", {"text": "2", "label": "1", "header": False, "separator": "tab"}, [("x", "one")]),
    ],
)
def test_the_kind_of_standard_input_is_told_by_its_beginning_and_the_options(
    data: bytes, options: Any, expected: Any, buffered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, data, buffered)
    assert rows("-", **options) == expected


def test_errors_name_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"ok\n\xff\n")
    with pytest.raises(InputError, match=r"^standard input, line 2, byte offset 3: 0xff"):
        rows("-", labelled=False)


def test_a_source_can_be_read_twice_and_counts_anew(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,text\nx,one\n,two\n")
    source = open_source(tmp_path / "a.csv", on_error="skip")
    assert [batch.documents for batch in source] == [["one"]] == [batch.documents for batch in source]
    assert source.skipped == 1
    assert source.remarks.first_skipped == f"{tmp_path / 'a.csv'}, line 3: the label is empty"


def test_sources_that_cannot_be_read_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "mails.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"no file or folder 'nowhere.csv'"):
        open_source("nowhere.csv")
    with pytest.raises(InputError, match=r"mails.xlsx: files of this kind are not read; save it as CSV in UTF-8"):
        open_source(tmp_path / "mails.xlsx")
    with pytest.raises(ParameterError, match="no source to read"):
        open_source()
    with pytest.raises(ParameterError, match="kind must be one of table, jsonl"):
        open_source("-", kind="excel")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no encoding is called"):
        open_source("-", encoding="klingon")
    with pytest.raises(ParameterError, match="classes give labels"):
        open_source(classes={"x": "-"}, labelled=False)


def test_plain_lines_without_a_class_have_no_labels(tmp_path: Path) -> None:
    (tmp_path / "mails.txt").write_text("one\n")
    with pytest.raises(InputError, match=r"mails.txt: plain lines have no labels; .*--class NAME=FILE"):
        rows(tmp_path / "mails.txt")


def test_zh_spam_is_read_with_universal_newlines(shared: Path) -> None:
    folder = shared / "data" / "zh-spam"
    classes = {"ham": folder / "ham_5000.utf8.gz", "spam": folder / "spam_5000.utf8.gz"}
    assert counts(classes=classes) == {"ham": 5000, "spam": 5001}


def test_the_other_sets_with_a_document_per_line(shared: Path) -> None:
    data = shared / "data"
    zh = {"neg": data / "zh-sentiment" / "neg.txt.gz", "pos": data / "zh-sentiment" / "pos.txt.gz"}
    assert counts(classes=zh) == {"neg": 18_576, "pos": 16_548}
    en = {name: data / "en-sentiment" / f"rt-polarity.{name}.gz" for name in ("neg", "pos")}
    assert counts(classes=en) == {"neg": 5331, "pos": 5331}


def test_zh_articles_by_a_pattern(shared: Path) -> None:
    path = shared / "data" / "zh-articles" / "articles.tar.gz"
    assert counts(path, label_pattern=r"^\d+(?P<label>[^.]+)\.") == {"auto": 1020, "business": 1028, "sports": 1018}


def test_zh_topics_in_gb18030(shared: Path) -> None:
    path = shared / "data" / "zh-topics-gbk" / "corpus.tar.gz"
    train = {"体育": 1337, "女性": 954, "文学": 766, "校园": 249}
    assert counts(path, subfolder="train", encoding="gb18030") == train
    assert counts(path, subfolder="test", encoding="gb18030") == {"体育": 115, "女性": 38, "文学": 31, "校园": 16}
    with pytest.raises(InputError, match=r"train.*gb18030|looks like gb18030"):
        counts(path, subfolder="train")
    told: list[str] = []
    source = open_source(path, subfolder="train", encoding="auto", tell=told.append)
    assert [len(batch) for batch in source] == [3306]
    assert source.remarks.guessed["gb18030"] >= 3300
    source = open_source(path, subfolder="train", encoding="gbk", on_error="skip")
    assert [len(batch) for batch in source] == [3305]
    assert source.skipped == 1


def test_20newsgroups_in_latin_1(shared: Path) -> None:
    path = shared / "data" / "20newsgroups" / "20news-bydate.tar.gz"
    train = counts(path, subfolder="20news-bydate-train", encoding="latin-1")
    assert (len(train), train.total()) == (20, 11_314)
    assert counts(path, subfolder="20news-bydate-test", encoding="latin-1").total() == 7532


def test_the_sets_of_tab_separated_lines(shared: Path) -> None:
    data = shared / "data"
    plain: dict[str, Any] = {"header": False, "quotes": False, "label": 1}
    assert counts(data / "sms-spam" / "SMSSpamCollection.gz", text=2, **plain) == {"ham": 4827, "spam": 747}
    languages = counts(data / "langid-60" / "big-test.txt.gz", text=2, **plain)
    assert set(languages.values()) == {1000}
    assert len(languages) == 60
    articles = counts(data / "udhr-languages" / "udhr.tsv.gz", text=3, **plain)
    assert (len(articles), articles.total()) == (532, 30_788)
    names = rows(data / "udhr-languages" / "languages.tsv", text=5, label=1, quotes=False)
    assert len(names) == 532
    expected = {"r8-train": (8, 5485), "r8-test": (8, 2189), "r52-train": (52, 6532), "r52-test": (52, 2568)}
    for name, (classes, documents) in expected.items():
        topics = counts(data / "reuters-r8-r52" / f"{name}.tsv.gz", text=2, **plain)
        assert (len(topics), topics.total()) == (classes, documents)
