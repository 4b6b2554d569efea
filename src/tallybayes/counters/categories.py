"""Columns of categories: whole numbers that are codes, or values of any kind."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import tallybayes._kernel as _kernel

from ..described import Described
from ..errors import InputError, ParameterError
from ..labels import Labels
from ..space import Space
from ..tally import CountTally, Tally, TextFeatures
from ..tally.base import INT64_MAX
from ..tally.values import Value, decode_value, encode_value, read_value, renewed
from .category_rows import (
    LARGEST,
    CategoryRows,
    Codes,
    code_rows,
    code_table,
    holds_codes,
    raw_rows,
    refuse_large,
    refuse_negative,
)
from .columns import ColumnCounter, check_missing
from .frames import names_of
from .rows import LabelledRows
from .text import counted

__all__ = ["CategoryCounter"]

_SAID = {int: "numbers", datetime.date: "dates"}
TABLE = 1 << 24  # cells of classes × codes up to which codes are counted in a dense table


@dataclass(frozen=True)
class CategoryCounter(ColumnCounter):
    """Counts the values of columns.

    Parameters
    ----------
    domain : {"auto", "codes", "values"}
        What rows hold: codes 0 … n - 1 (arrays and frames of numbers), or values (everything else).
    missing : {"error", "skip"}
        "skip" leaves NaN and None out.
    columns, n_columns
        As in `tallybayes.counters.columns.ColumnCounter`.

    Examples
    --------
    >>> counter = CategoryCounter()
    >>> rows = counter.check([("red", "round"), ("green", "long")])
    >>> labelled = LabelledRows.of(["apple", "melon"], None, 2)
    >>> counter.settled(rows, labelled, 1).count(rows, labelled, 1).features.labels()
    ['0000000sgreen', '0000000sred', '0000001slong', '0000001sround']
    """

    domain: Literal["auto", "codes", "values"] = "auto"
    missing: Literal["error", "skip"] = "error"

    kind = "categories"
    free_columns = 1 << 16  # each has a list of its values

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.domain not in ("auto", "codes", "values"):
            raise ParameterError(f"domain must be 'auto', 'codes' or 'values'; got {self.domain!r}")
        check_missing(self.missing)

    @property
    def skips(self) -> bool:
        """Whether gaps are left out."""
        return self.missing == "skip"

    @cached_property
    def space(self) -> Space:
        return Space("values", {"domain": self.domain, "n_columns": self.n_columns})

    @property
    def ready(self) -> bool:
        return self.n_columns is not None and self.domain != "auto"

    def _learnt_from(self, rows: CategoryRows) -> dict[str, Any]:
        return {"domain": "codes" if rows.values is None else "values"}

    def _n_columns_of(self, tally: Any) -> int:
        return int(tally.space.rules["n_columns"])

    def settled_for(self, tally: Tally) -> CategoryCounter:
        found = tally.space.rules.get("domain", "values") if self.domain == "auto" else self.domain
        return replace(super().settled_for(tally), domain=found)

    def takes_codes(self, X: Any) -> bool:
        """Return whether X is read as codes."""
        return self.domain == "codes" or (self.domain == "auto" and holds_codes(X))

    def check(self, X: Any) -> CategoryRows:
        names = names_of(X)
        if self.takes_codes(X):
            codes = code_rows(code_table(X), self.skips)
            rows = CategoryRows(np.ascontiguousarray(codes), None, names, self.skips)
        else:
            rows = raw_rows(X, self.skips, names)
        self.require_columns(rows.n_columns, names)
        return rows

    def count(self, rows: CategoryRows, labelled: LabelledRows, n_jobs: int) -> CountTally:
        rows = labelled.spread(rows)
        codes, values = rows.numbered()
        slots, counts, named = self._cells(codes, values, labelled, n_jobs)
        order = sorted(range(len(slots)), key=named.__getitem__)  # as bytes: UTF-8 keeps the order of code points
        sizes = np.diff(counts["indptr"])[order]
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        cells = np.arange(ends[-1]) + np.repeat(counts["indptr"][:-1][order] - ends[:-1], sizes)
        counts = {
            "indptr": ends,
            "class_index": counts["class_index"][cells],
            "documents": counts["documents"][cells],
        }
        exact = counts["documents"].dtype == np.int64
        features = TextFeatures.of(named[i] for i in order)
        return counted(counts, labelled, features, self.space, ("documents",), exact=exact, columns=self.columns)

    def _cells(
        self, codes: Codes, values: list[list[Value]] | None, labelled: LabelledRows, n_jobs: int
    ) -> tuple[Any, dict[str, npt.NDArray[Any]], list[str]]:
        """Count codes: the features with a cell, their cells by class, and their names."""
        n_classes, n_columns = len(labelled.classes), codes.shape[1]
        gaps = codes.dtype != np.uint8 and self.skips
        found = _kernel.count_codes(
            codes, labelled.codes, n_classes, labelled.weights, gaps, limit=TABLE, n_jobs=n_jobs
        )
        if found["negative"] is not None:
            row, column = found["negative"]
            refuse_negative(int(codes[row, column]), labelled.row(row), column)
        if found["too_wide"] and codes.max() > LARGEST:
            row, column = np.argwhere(codes > LARGEST)[0].tolist()
            refuse_large(int(codes[row, column]), labelled.row(row), column)
        counts: dict[str, npt.NDArray[Any]]
        if not found["too_wide"]:
            sizes = found["size"]
            table = found["cells"].reshape(n_classes, -1).T
            filled = np.flatnonzero(table.any(axis=1))
            column_of = np.repeat(np.arange(n_columns), sizes)
            code_of = np.arange(len(column_of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            table = table[filled]
            feature, class_index = np.nonzero(table)
            counts = {
                "indptr": np.concatenate([[0], np.cumsum(np.bincount(feature, minlength=len(filled)))]),
                "class_index": class_index,
                "documents": table[feature, class_index],
            }
            column_of, code_of = column_of[filled], code_of[filled]
        else:
            # Few of very many codes, or very many classes: cells only where something was counted.
            distinct = [np.unique(codes[:, j], return_inverse=True) for j in range(n_columns)]
            starts = np.cumsum([0] + [len(each) for each, _ in distinct])
            numbered = np.stack(
                [numbers + start for (_, numbers), start in zip(distinct, starts, strict=False)], axis=1
            )
            there = codes >= 0
            counts = _kernel.count_csr(
                np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64),
                numbered[there].astype(np.int64),
                np.ones(int(there.sum()), np.uint8),
                int(starts[-1]),
                labelled.codes,
                n_classes,
                weights=None if labelled.weights is None else labelled.weights.astype(np.float64),
                whole_weights=labelled.exact,
                occurrences=False,
                documents=True,
                threshold=0.0,
                negative=False,
                spare=None,
                n_jobs=n_jobs,
            )
            filled = counts["columns"]
            column_of = np.searchsorted(starts, filled, side="right") - 1
            code_of = np.concatenate([each for each, _ in distinct])[filled]
        pairs = zip(column_of.tolist(), code_of.tolist(), strict=True)
        return filled, counts, [encode_value(j, code if values is None else values[j][code]) for j, code in pairs]

    def check_counted(self, tally: Tally) -> None:
        super().check_counted(tally)
        assert isinstance(tally, CountTally)  # or it was refused
        for feature in tally.features.labels():
            column, value = decode_value(str(feature))
            code = type(value) is int and 0 <= value <= INT64_MAX
            if column >= (self.n_columns or 0) or encode_value(column, value) != feature:
                raise ValueError(f"{feature!r:.60} is no value of one of {self.n_columns} columns")
            if self.domain == "codes" and not code:
                raise ValueError(f"{value!r:.60} in column {column} is no code")

    def describe(self, rows: CategoryRows, i: int) -> Described:
        row, names = rows.row(i), self.column_names()
        there = [j for j, value in enumerate(row) if value is not None]
        texts = [f"{names[j]} = {row[j]}" for j in there]
        left_out = [name for j, name in enumerate(names) if row[j] is None]
        keys = [(j, row[j]) for j in there]
        return Described.of_columns(texts, texts, keys, [1] * len(there), np.ones(len(there)), left_out)

    def empty(self, classes: Labels) -> CountTally:
        return CountTally(
            classes,
            np.zeros(len(classes)),
            TextFeatures.of([]),
            [0],
            [],
            {"documents": []},
            self.space,
            columns=self.columns,
        )

    def renewed(self, tally: Tally) -> Tally:
        if not isinstance(tally, CountTally) or not isinstance(tally.features, TextFeatures):
            return tally
        old = [str(feature) for feature in tally.features.labels()]
        named = list(map(renewed, old))
        if named == old:
            return tally
        names = sorted(set(named))
        position, n_classes = {name: i for i, name in enumerate(names)}, max(len(tally.classes), 1)
        feature = np.repeat(np.array([position[name] for name in named]), np.diff(tally.indptr))
        cells, place = np.unique(feature * n_classes + tally.class_index, return_inverse=True)
        counts = tally.channels["documents"]
        summed = np.zeros(len(cells), counts.dtype)
        np.add.at(summed, place, counts)
        ends = np.searchsorted(cells, np.arange(len(names) + 1) * n_classes)
        return CountTally(
            tally.classes,
            tally.class_count,
            TextFeatures.of(names),
            ends,
            (cells % n_classes).astype(np.int32),
            {"documents": summed},
            tally.space,
            tally.exact,
            tally.unit,
            tally.columns,
        )

    def from_cells(self, rows: Sequence[Sequence[Any]], where: Callable[[int], str], tally: Tally | None = None) -> Any:
        names = self.column_names()
        types: list[set[type]] = [set() for _ in names]
        for feature in tally.features.labels() if isinstance(tally, CountTally) else ():
            column, value = decode_value(str(feature))
            types[column].add(int if type(value) in (bool, float) else type(value))
        read = []
        for i, row in enumerate(rows):
            if len(row) != len(names):
                raise InputError(f"{where(i)}: {len(row)} columns, the model is expecting {len(names)}")
            cells: list[Any] = []
            for name, kinds, cell in zip(names, types, row, strict=True):
                if cell is None or cell == "":
                    cells.append(None)
                elif not isinstance(cell, str) or str in kinds or len(kinds) != 1:
                    cells.append(cell)
                else:
                    (kind,) = kinds
                    try:
                        cells.append(read_value(kind, cell))
                    except ValueError:
                        raise InputError(
                            f"{where(i)}: {name} is {cell!r:.40}; the model knows "
                            f"{_SAID.get(kind, kind.__name__)} there"
                        ) from None
            read.append(cells)
        return read
