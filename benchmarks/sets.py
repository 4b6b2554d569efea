"""The real data sets, each read once and cut as its README says.

Every function takes the folder `shared` that holds ``data/``, and returns plain lists; nothing is cleaned that the
README does not clean.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Split",
    "car",
    "house_votes",
    "langid_60",
    "mushroom",
    "newsgroups",
    "reuters_52",
    "rrna",
    "sms_spam",
    "udhr",
    "zh_articles",
    "zh_sentiment",
    "zh_spam",
    "zh_topics",
]


@dataclass(frozen=True)
class Split:
    """Documents and labels, the training part and the test part."""

    train: list[str]
    train_labels: list[str]
    test: list[str]
    test_labels: list[str]

    @staticmethod
    def of(rows: Iterable[tuple[str, str]], is_test: Callable[[int], bool]) -> Split:
        """Cut (label, document) rows by their number from 0."""
        split = Split([], [], [], [])
        for number, (label, document) in enumerate(rows):
            documents, labels = split.part(is_test(number))
            documents.append(document)
            labels.append(label)
        return split

    def part(self, test: bool) -> tuple[list[str], list[str]]:
        """Return the documents and the labels of one part."""
        return (self.test, self.test_labels) if test else (self.train, self.train_labels)


def _lines(path: Path, newline: str | None = "\n") -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline=newline) as file:
        for line in file:
            yield line.rstrip("\n")


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                content = archive.extractfile(member)
                assert content is not None
                yield member.name, content.read()


def _labelled(path: Path) -> Iterator[tuple[str, str]]:
    for line in _lines(path):
        label, document = line.split("\t", 1)
        yield label, document


def zh_articles(shared: Path) -> Split:
    """3,066 segmented Chinese articles; the course's 631 test files."""
    folder = shared / "data" / "zh-articles"
    listed = set((folder / "test-files.txt").read_text("utf-8").split())
    names, rows = [], []
    for name, content in _members(folder / "articles.tar.gz"):
        names.append(Path(name).name)
        rows.append((re.sub(r"^\d+|\..*$", "", names[-1]), content.decode("utf-8")))
    return Split.of(rows, lambda number: names[number] in listed)


def zh_spam(shared: Path) -> tuple[list[str], list[int]]:
    """10,001 raw Chinese mails, ham (1) first, then spam (0), in the order that the published split is drawn from."""
    folder = shared / "data" / "zh-spam"
    # Universal newlines: one lone carriage return makes the 5,001st spam line that the published numbers count.
    ham = list(_lines(folder / "ham_5000.utf8.gz", newline=None))
    spam = list(_lines(folder / "spam_5000.utf8.gz", newline=None))
    return ham + spam, [1] * len(ham) + [0] * len(spam)


def zh_topics(shared: Path) -> Split:
    """3,506 short Chinese texts in GB18030, 4 topics, fixed split."""
    rows, parts = [], []
    for name, content in _members(shared / "data" / "zh-topics-gbk" / "corpus.tar.gz"):
        part, topic = Path(name).parts[-3:-1]
        parts.append(part)
        rows.append((topic, content.decode("gb18030")))
    return Split.of(rows, lambda number: parts[number] == "test")


def zh_sentiment(shared: Path) -> tuple[list[str], list[str]]:
    """17,363 distinct Chinese reviews that stand in one of the two files only, negative first."""
    folder = shared / "data" / "zh-sentiment"
    texts = {
        name: dict.fromkeys(line for line in _lines(folder / f"{name}.txt.gz") if line.strip())
        for name in ("neg", "pos")
    }
    both = texts["neg"].keys() & texts["pos"].keys()
    rows = [(text, name) for name, lines in texts.items() for text in lines if text not in both]
    return [text for text, _ in rows], [name for _, name in rows]


def sms_spam(shared: Path) -> Split:
    """5,574 English text messages; every fifth is test."""
    return Split.of(_labelled(shared / "data" / "sms-spam" / "SMSSpamCollection.gz"), lambda number: number % 5 == 4)


def newsgroups(shared: Path) -> Split:
    """20 Newsgroups by date, raw posts in latin-1."""
    rows, parts = [], []
    for name, content in _members(shared / "data" / "20newsgroups" / "20news-bydate.tar.gz"):
        folder, group = Path(name).parts[-3:-1]
        parts.append(folder)
        rows.append((group, content.decode("latin-1")))
    return Split.of(rows, lambda number: parts[number].endswith("test"))


def reuters_52(shared: Path) -> Split:
    """Reuters-21578 R52: 52 very uneven classes."""
    folder = shared / "data" / "reuters-r8-r52"
    train = list(_labelled(folder / "r52-train.tsv.gz"))
    rows = train + list(_labelled(folder / "r52-test.tsv.gz"))
    return Split.of(rows, lambda number: number >= len(train))


def langid_60(shared: Path) -> Split:
    """60,000 sentences in 60 languages, 1,000 each, grouped; every fifth of a language is test."""
    return Split.of(_labelled(shared / "data" / "langid-60" / "big-test.txt.gz"), lambda number: number % 5 == 4)


def udhr(shared: Path) -> Split:
    """30,788 paragraphs in 532 languages and scripts; every fifth article is test."""
    rows, articles = [], []
    for line in _lines(shared / "data" / "udhr-languages" / "udhr.tsv.gz"):
        code, article, paragraph = line.split("\t", 2)
        articles.append(int(article))
        rows.append((code, paragraph))
    return Split.of(rows, lambda number: articles[number] > 0 and articles[number] % 5 == 0)


def rrna(shared: Path) -> Split:
    """9,137 genes of 968 genera; within each genus, in file order, every fourth is test."""
    rows, places = [], []
    seen: dict[str, int] = {}
    lines = _lines(shared / "data" / "rrna-16s-genus" / "gg_13_8_97_genus_subset.fasta.gz")
    for header, sequence in zip(lines, lines, strict=True):
        genus = header.split(" ", 1)[1]
        places.append(seen.get(genus, 0))
        seen[genus] = places[-1] + 1
        rows.append((genus, sequence))
    return Split.of(rows, lambda number: places[number] % 4 == 3)


def _table(content: str, class_column: int) -> tuple[list[list[str]], list[str]]:
    rows = [line.split(",") for line in content.split("\n") if line]
    labels = [row.pop(class_column) for row in rows]
    return rows, labels


def house_votes(shared: Path) -> tuple[list[list[str]], list[str]]:
    """435 rows of 16 votes, "?" where there is none."""
    return _table((shared / "data" / "house-votes" / "house-votes-84.data").read_text("utf-8"), 0)


def mushroom(shared: Path) -> tuple[list[list[str]], list[str]]:
    """8,124 rows of 22 letters, "?" where one is missing."""
    with gzip.open(shared / "data" / "mushroom" / "agaricus-lepiota.data.gz") as file:
        return _table(io.TextIOWrapper(file, "utf-8").read(), 0)


def car(shared: Path) -> tuple[list[list[str]], list[str]]:
    """1,728 rows of 6 values, 4 classes."""
    return _table((shared / "data" / "car" / "car.data").read_text("utf-8"), -1)
