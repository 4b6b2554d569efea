"""The features of a count tally: strictly ascending, either UTF-8 text or numbers of columns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import tallybayes._kernel as _kernel

__all__ = ["ColumnFeatures", "Features", "TextFeatures", "gather_rows", "read_only"]

Int64s: TypeAlias = NDArray[np.int64]


def read_only(values: Any, dtype: Any) -> NDArray[Any]:
    """Return an array of a dtype that cannot be written through; copied only if the dtype asks for it."""
    array = np.ascontiguousarray(values, dtype=dtype).view(np.ndarray).view()
    array.flags.writeable = False
    return array


def gather_rows(starts: Int64s, sizes: Int64s) -> Int64s:
    """Return the positions of all elements of some rows of a ragged array, row after row."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - ends + sizes, sizes)


def _laid_out(features: Iterable[str]) -> tuple[NDArray[np.uint8], Int64s]:
    """Lay text out as bytes and offsets."""
    encoded = [feature.encode() for feature in features]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(feature) for feature in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


class TextFeatures:
    """Features that are pieces of text, in one buffer (the layout of Arrow's large_string).

    Parameters
    ----------
    bytes : uint8 array
        The UTF-8 of all features, one after another, ascending as bytes.
    offsets : int64 array of shape (V + 1,)
        Feature i is ``bytes[offsets[i]:offsets[i + 1]]``.

    Raises
    ------
    ValueError
        If the offsets do not lead from 0 to the number of bytes. `check` looks at the contents too.

    Examples
    --------
    >>> features = TextFeatures.of(["free", "钱"])
    >>> features.bytes.tobytes().decode(), features.offsets.tolist()
    ('free钱', [0, 4, 7])
    """

    kind = "text"
    __slots__ = ("bytes", "offsets")

    def __init__(self, bytes: NDArray[np.uint8], offsets: Int64s) -> None:
        self.bytes: NDArray[np.uint8] = read_only(bytes, np.uint8)
        self.offsets: Int64s = read_only(offsets, np.int64)
        if not len(self.offsets) or self.offsets[0] != 0 or self.offsets[-1] != len(self.bytes):
            raise ValueError("the offsets of the features do not lead from 0 to the number of bytes")

    @classmethod
    def of(cls, features: Iterable[str]) -> TextFeatures:
        """Return features that already ascend, laid out.

        Examples
        --------
        >>> TextFeatures.of(["free", "钱"]).labels()
        ['free', '钱']
        """
        return cls(*_laid_out(features))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, in the order in which files and kernel take them."""
        return {"bytes": self.bytes, "offsets": self.offsets}

    @property
    def width(self) -> int:
        """The number of columns of a dense table: the features there are."""
        return len(self)

    @property
    def positions(self) -> Int64s:
        """The column of each feature in a dense table."""
        return np.arange(len(self), dtype=np.int64)

    def raw(self) -> list[bytes]:
        """Return all features as UTF-8."""
        data, offsets = self.bytes.tobytes(), self.offsets.tolist()
        return [data[begin:end] for begin, end in pairwise(offsets)]

    def label(self, position: int) -> str:
        """Return one feature."""
        begin, end = self.offsets[position], self.offsets[position + 1]
        return self.bytes[begin:end].tobytes().decode()

    def labels(self) -> list[str]:
        """Return all features."""
        return [feature.decode() for feature in self.raw()]

    def take(self, positions: Int64s) -> TextFeatures:
        """Return the features at ascending positions."""
        starts = self.offsets[positions]
        sizes = self.offsets[positions + 1] - starts
        offsets = np.zeros(len(positions) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        return TextFeatures(self.bytes[gather_rows(starts, sizes)], offsets)

    def find(self, wanted: Iterable[str]) -> Int64s:
        """Return where each of some features stands among these; -1 where it does not.

        Examples
        --------
        >>> TextFeatures.of(["free", "钱"]).find(["钱", "gratis"]).tolist()
        [1, -1]
        """
        return np.asarray(_kernel.find_features(self.bytes, self.offsets, *_laid_out(wanted)), np.int64)

    def check(self) -> None:
        """Look at everything that the kernel relies on.

        Raises
        ------
        ValueError
            If offsets fall, or the features are not UTF-8 or do not ascend strictly.
        """
        _kernel.check_text_features(self.bytes, self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextFeatures):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.bytes, other.bytes)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TextFeatures({len(self):,} features)"

    def __reduce__(self) -> tuple[Any, ...]:
        return TextFeatures, (self.bytes, self.offsets)


class ColumnFeatures:
    """Features that are columns of a matrix, or of hashed text.

    Parameters
    ----------
    columns : int64 array of shape (V,)
        The columns that were ever seen, ascending.
    n_columns : int
        How many columns there are.

    Examples
    --------
    >>> ColumnFeatures([1, 4], 5).labels()
    [1, 4]
    """

    kind = "columns"
    __slots__ = ("columns", "n_columns")

    def __init__(self, columns: Int64s, n_columns: int) -> None:
        self.columns: Int64s = read_only(columns, np.int64)
        self.n_columns = int(n_columns)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, in the order in which files and kernel take them."""
        return {"columns": self.columns}

    @property
    def width(self) -> int:
        """The number of columns of a dense table, those never seen included."""
        return self.n_columns

    @property
    def positions(self) -> Int64s:
        """The column of each feature in a dense table."""
        return self.columns

    def label(self, position: int) -> int:
        """Return the column of one feature."""
        return int(self.columns[position])

    def labels(self) -> list[int]:
        """Return all columns that were ever seen."""
        return [int(column) for column in self.columns]

    def take(self, positions: Int64s) -> ColumnFeatures:
        """Return the features at ascending positions."""
        return ColumnFeatures(self.columns[positions], self.n_columns)

    def find(self, wanted: Any) -> Int64s:
        """Return where each of some columns stands among those that were seen; -1 where it does not.

        Examples
        --------
        >>> ColumnFeatures([1, 4], 5).find([4, 2]).tolist()
        [1, -1]
        """
        columns = np.asarray(wanted, np.int64)
        at = np.searchsorted(self.columns, columns)
        found = at < len(self.columns)
        found[found] = self.columns[at[found]] == columns[found]
        return np.where(found, at, -1)

    def check(self) -> None:
        """Look at everything that the kernel relies on.

        Raises
        ------
        ValueError
            If the columns do not ascend strictly within the number of columns.
        """
        columns = self.columns
        if (columns[1:] <= columns[:-1]).any():
            raise ValueError("the columns do not ascend")
        if len(columns) and not 0 <= columns[0] <= columns[-1] < self.n_columns:
            raise ValueError(f"a column is not within 0 to {self.n_columns - 1}")

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnFeatures):
            return NotImplemented
        return self.n_columns == other.n_columns and np.array_equal(self.columns, other.columns)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ColumnFeatures({len(self):,} of {self.n_columns:,} columns)"

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnFeatures, (self.columns, self.n_columns)


Features: TypeAlias = TextFeatures | ColumnFeatures
