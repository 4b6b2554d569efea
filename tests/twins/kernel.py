"""The kernel's functions for tests: what a test is not about is filled in here, since the kernel itself has no defaults."""

from __future__ import annotations

from typing import Any

from tallybayes import _kernel

# ---- Text ----


def rules(
    tokens: str = "words",
    ngrams: tuple[int, int] = (1, 2),
    cjk: tuple[int, int] = (1, 3),
    fold: str = "nfkc_casefold",
    stop_words: list[str] | None = None,
    min_length: int = 1,
) -> _kernel.Rules:
    return _kernel.Rules(tokens, ngrams, cjk, fold, stop_words or [], min_length)


def vocabulary(data: Any, offsets: Any, seed: int = 0, index: bool = True) -> _kernel.Vocabulary:
    return _kernel.Vocabulary(data, offsets, seed, index)


def columns(columns: Any, size: int, murmur: bool = False) -> _kernel.Columns:
    return _kernel.Columns(columns, size, murmur)


def count_text(
    documents: Any,
    class_index: Any,
    n_classes: int,
    rules: Any,
    columns: int = 0,
    murmur: bool = False,
    seed: int = 0,
    whole_weights: Any = None,
    weights: Any = None,
    value: str = "count",
    occurrences: bool = True,
    documents_channel: bool = False,
    n_jobs: int = 1,
) -> Any:
    return _kernel.count_text(
        documents, class_index, n_classes, rules, columns, murmur, seed, whole_weights, weights, value, occurrences,
        documents_channel, n_jobs,
    )  # fmt: skip


def score_text(
    documents: Any,
    rules: Any,
    vocabulary: Any,
    table: Any,
    out: Any,
    value: str = "count",
    unknown: bool = False,
    n_jobs: int = 1,
) -> None:
    _kernel.score_text(documents, rules, vocabulary, table, out, value, unknown, n_jobs)


# ---- CSR rows ----


def count_csr(
    indptr: Any,
    indices: Any,
    data: Any,
    n_columns: int,
    class_index: Any,
    n_classes: int,
    weights: Any = None,
    whole_weights: bool = True,
    occurrences: bool = True,
    documents: bool = False,
    threshold: float = 0.0,
    negative: bool = False,
    spare: int | None = None,
    n_jobs: int = 1,
) -> Any:
    return _kernel.count_csr(
        indptr, indices, data, n_columns, class_index, n_classes, weights, whole_weights, occurrences, documents,
        threshold, negative, spare, n_jobs,
    )  # fmt: skip


def score_csr(
    indptr: Any,
    indices: Any,
    data: Any,
    table: Any,
    out: Any,
    value: str = "count",
    threshold: float = 0.0,
    negative: bool = False,
    unknown: Any = None,
    n_jobs: int = 1,
) -> Any:
    return _kernel.score_csr(indptr, indices, data, table, out, value, threshold, negative, unknown, n_jobs)


def leave_one_out(
    *arrays: Any, event_model: str, alpha: float, norm: bool = False, vanish: bool = False, n_jobs: int = 1
) -> None:
    _kernel.leave_one_out(*arrays, event_model, alpha, norm, vanish, n_jobs)


# ---- Values and codes ----


def moments(
    X: Any, class_index: Any, n_classes: int, weights: Any = None, missing: bool = False, n_jobs: int = 1
) -> Any:
    return _kernel.moments(X, class_index, n_classes, weights, missing, n_jobs)


def moments_csr(
    indptr: Any,
    indices: Any,
    data: Any,
    n_columns: int,
    class_index: Any,
    n_classes: int,
    weights: Any = None,
    missing: bool = False,
    n_jobs: int = 1,
) -> Any:
    return _kernel.moments_csr(indptr, indices, data, n_columns, class_index, n_classes, weights, missing, n_jobs)


def count_codes(
    X: Any,
    class_index: Any,
    n_classes: int,
    weights: Any = None,
    missing: bool = False,
    limit: int = 1 << 24,
    n_jobs: int = 1,
) -> Any:
    return _kernel.count_codes(X, class_index, n_classes, weights, missing, limit, n_jobs)


# ---- Tables ----


def separated_rows(
    text: str,
    line: int,
    separator: str,
    width: int,
    text_column: int,
    label_column: int = -1,
    id_column: int = -1,
    final: bool = False,
) -> Any:
    return _kernel.separated_rows(text, line, separator, width, text_column, label_column, id_column, final)
