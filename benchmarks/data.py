"""Seeded data made on the spot: text with a Zipf vocabulary, sparse counts, dense rows.

The text is easy to classify, so it measures speed only; quality is measured on real sets (`benchmarks.quality`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import scipy.sparse as sp

__all__ = ["Text", "categorical", "chinese_raw", "gaussian", "megabytes", "sparse_counts", "text"]

_LETTERS = np.array(list("etaoinshrdlucmfwypvbgkjxqz"))
_SEPARATORS = (" ", ", ", ". ")
_BLOCK = 10_000


@dataclass(frozen=True)
class Text:
    """Labelled documents, the training part and the test part; labels are 0 … K - 1."""

    train: list[str]
    train_labels: list[int]
    test: list[str]
    test_labels: list[int]


def megabytes(documents: list[str]) -> float:
    """Return the size of documents as UTF-8, in 10^6 bytes."""
    return sum(len(document.encode()) for document in documents) / 1e6


def _zipf(n: int, exponent: float) -> np.ndarray:
    """Cumulated probabilities of n ranks."""
    shares = np.cumsum(1.0 / np.arange(1, n + 1) ** exponent)
    return shares / shares[-1]


def _latin_words(rng: np.random.Generator) -> Iterator[str]:
    """Draw words of letters; the first, most frequent ones are short, as in English."""
    of_letter = np.cumsum(1.0 / np.arange(2, 28))
    of_letter /= of_letter[-1]
    for start in range(0, 1 << 40, _BLOCK):
        mean = np.where((ranks := start + np.arange(_BLOCK)) < 300, 3, np.where(ranks < 5000, 6, 8))
        lengths = np.clip(rng.normal(mean, 1.6), 1, 16).astype(int)
        letters = "".join(_LETTERS[np.searchsorted(of_letter, rng.random(lengths.sum()))])
        ends = np.cumsum(lengths)
        yield from (letters[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True))


def _chinese_words(rng: np.random.Generator) -> Iterator[str]:
    """Draw words of one to four Chinese characters; the first, most frequent ones are mostly short."""
    for start in range(0, 1 << 40, _BLOCK):
        common = (start + np.arange(_BLOCK))[:, None] < 2000
        shares = np.where(common, [0.45, 0.95, 0.99, 1.0], [0.02, 0.72, 0.92, 1.0])
        lengths = 1 + (rng.random(_BLOCK)[:, None] > shares).sum(axis=1)
        total = int(lengths.sum())
        codes = 0x4E00 + (np.minimum(rng.zipf(1.3, total), 1 << 40) * 37 + rng.integers(0, 2500, total)) % 8000
        characters = codes.astype("<u4").tobytes().decode("utf-32-le")
        ends = np.cumsum(lengths)
        yield from (characters[e - n : e] for e, n in zip(ends.tolist(), lengths.tolist(), strict=True))


def _vocabulary(rng: np.random.Generator, size: int, chinese: bool) -> list[str]:
    words: dict[str, None] = {}
    for word in _chinese_words(rng) if chinese else _latin_words(rng):
        words[word] = None
        if len(words) == size:
            break
    return list(words)


def text(
    docs: int = 200_000,
    test: int = 50_000,
    *,
    vocabulary: int = 200_000,
    classes: int = 20,
    tokens: int = 158,
    chinese: bool = False,
    seed: int = 0,
) -> Text:
    """Return documents of Poisson length over a Zipf vocabulary; 15 % of the tokens follow the class's own ranking.

    English-like (capitals, commas, full stops), or Chinese words parted by spaces.
    """
    rng = np.random.default_rng(seed)
    words = _vocabulary(rng, vocabulary, chinese)
    cumulated = _zipf(vocabulary, 1.02)
    if chinese:
        pieces = [word + " " for word in words]
    else:
        capitals = [word.capitalize() for word in words]
        pieces = [word + separator for form in (words, capitals) for separator in _SEPARATORS for word in form]
    parts: list[tuple[list[str], list[int]]] = []
    for n in (docs, test):
        labels = rng.integers(0, classes, n)
        documents: list[str] = []
        for start in range(0, n, _BLOCK):
            label = labels[start : start + _BLOCK]
            lengths = np.maximum(rng.poisson(tokens, len(label)), 3)
            total = int(lengths.sum())
            ids = np.searchsorted(cumulated, rng.random(total))
            own = rng.random(total) < 0.15
            ids = np.where(own, (ids + 200 + np.repeat(label, lengths) * 3001) % vocabulary, ids)
            starts = np.cumsum(lengths) - lengths
            if not chinese:
                ids = _punctuated(rng, ids, starts, vocabulary)
            stream = iter(ids.tolist())
            end = "" if chinese else "."
            for length in lengths.tolist():
                line = "".join([pieces[i] for i in islice(stream, length)])
                documents.append(line.rstrip(" .,") + end)
        parts.append((documents, labels.tolist()))
    return Text(*parts[0], *parts[1])


def _punctuated(rng: np.random.Generator, ids: np.ndarray, starts: np.ndarray, vocabulary: int) -> np.ndarray:
    """Turn word numbers into piece numbers: 6 % are followed by a comma, 6 % by a full stop and a capital."""
    drawn = rng.random(len(ids))
    separator = np.where(drawn < 0.06, 1, np.where(drawn < 0.12, 2, 0))
    capital = np.zeros(len(ids), dtype=bool)
    capital[1:] = separator[:-1] == 2
    capital[starts] = True
    return ids + (capital * len(_SEPARATORS) + separator) * vocabulary


def chinese_raw(size: float = 20.0, classes: int = 20, seed: int = 0) -> tuple[list[str], list[int]]:
    """Return unsegmented Chinese of `size` MB: lines of 200 words of jieba's dictionary by its frequencies."""
    import jieba

    words, weights = [], []
    with jieba.get_dict_file() as lines:
        for line in lines:
            word, weight = line.decode("utf-8").split(" ")[:2]
            if all("\u4e00" <= character <= "\u9fff" for character in word):
                words.append(word)
                weights.append(int(weight))
    rng = np.random.default_rng(seed)
    cumulated = np.cumsum(weights) / sum(weights)
    documents: list[str] = []
    written = 0
    while written < size * 1e6:
        drawn = [words[i] for i in np.searchsorted(cumulated, rng.random(200)).tolist()]
        for i in range(11, 200, 12):
            drawn[i] += "，" if i % 24 else "。"
        documents.append("".join(drawn))
        written += len(documents[-1].encode())
    return documents, rng.integers(0, classes, len(documents)).tolist()


def sparse_counts(
    rows: int = 200_000, columns: int = 200_000, nonzeros: int = 21_300_000, seed: int = 0
) -> sp.csr_matrix:
    """Return Zipf-distributed counts, float64 with int32 indices, about `nonzeros` of them."""
    rng = np.random.default_rng(seed)
    cumulated = _zipf(columns, 0.9)
    column_of_rank = rng.permutation(columns).astype(np.int32)
    drawn = int(nonzeros * 1.1)  # what falls on the same cell is summed
    row = np.repeat(np.arange(rows, dtype=np.int32), drawn // rows)
    column = column_of_rank[np.searchsorted(cumulated, rng.random(len(row)))]
    X = sp.csr_matrix((np.ones(len(row)), (row, column)), shape=(rows, columns))
    X.sum_duplicates()
    X.sort_indices()
    return X


def gaussian(
    rows: int = 2_000_000, columns: int = 50, classes: int = 10, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return normal rows around class means, float64, and their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    mean = rng.normal(size=(classes, columns)) * 0.3
    X = np.empty((rows, columns))
    for start in range(0, rows, 100_000):
        block = X[start : start + 100_000]
        rng.standard_normal(out=block)
        block += mean[y[start : start + 100_000]]
    return X, y


def categorical(
    rows: int = 1_000_000, columns: int = 20, values: int = 10, classes: int = 10, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return uniform codes, int64, and random classes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, values, (rows, columns)), rng.integers(0, classes, rows)
