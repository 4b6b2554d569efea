"""What every reader yields: batches of documents, each of bounded size, that know where their rows came from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from tallybayes.errors import InputError, ParameterError

__all__ = ["BATCH_BYTES", "Batch", "Gather", "Remarks", "Repeats", "prefetch"]

BATCH_BYTES = 16 << 20

if TYPE_CHECKING:
    import logging

OnError = Literal["raise", "skip"]


@dataclass(slots=True)
class Batch:
    """Some consecutive documents of a source.

    Parameters
    ----------
    documents : list
        The documents, or the cells of each row (a tuple) where columns were asked for, in the order of the source.
    labels : list or None
        The label of each document; None where the source was read without labels.
    source : str
        The file, folder or archive that they came from, as the user named it.
    places : sequence of int or str
        Where in the source each document stands: line or row numbers from 1, or the names of files.
    counted_in : str
        What a number in `places` counts: ``"line"`` or ``"row"``.
    ids : list or None
        The value of the id column, where one was asked for.
    columns : tuple of str or None
        The names of the cells; None where documents were read, and for a table without header.

    Examples
    --------
    >>> batch = Batch(["buy now", "see you at noon"], ["spam", "ham"], "mails.csv", [2, 5])
    >>> len(batch), batch.where(1)
    (2, 'mails.csv, line 5')
    """

    documents: list[Any]
    labels: list[Any] | None
    source: str
    places: Sequence[int] | Sequence[str]
    counted_in: str = "line"
    ids: list[Any] | None = None
    columns: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.documents)

    def where(self, i: int) -> str:
        """Name the place of document `i`, for a message: file and line, or the member of a folder or archive."""
        place = self.places[i]
        return f"{self.source}, {place}" if isinstance(place, str) else f"{self.source}, {self.counted_in} {place}"

    def select(self, rows: Sequence[int]) -> Batch:
        """Return the batch of the documents at the positions `rows`."""

        def pick(values: Sequence[Any]) -> list[Any]:
            return [values[i] for i in rows]

        return replace(
            self,
            documents=pick(self.documents),
            labels=None if self.labels is None else pick(self.labels),
            places=pick(self.places),
            ids=None if self.ids is None else pick(self.ids),
        )


class Remarks:
    """What a reader met on its way: the rows it skipped, and what is worth a remark.

    Parameters
    ----------
    on_error : {"raise", "skip"}
        Whether a bad row or file ends the reading with `InputError`, or is left out and counted.
    tell : callable, optional
        Called with each remark (a line of text), besides the log ``tallybayes``. The command line prints it.

    Attributes
    ----------
    skipped : int
        How many rows or files were left out because they were bad.
    first_skipped : str or None
        What was wrong with the first of them, and where it stands.
    guessed : dict of str to int
        How many files each guessed encoding was taken for.

    Examples
    --------
    >>> remarks = Remarks("skip")
    >>> remarks.bad("mails.csv, line 3: the label is empty")
    >>> remarks.skipped, remarks.first_skipped
    (1, 'mails.csv, line 3: the label is empty')
    """

    def __init__(self, on_error: OnError = "raise", tell: Callable[[str], object] | None = None) -> None:
        if on_error not in ("raise", "skip"):
            raise ParameterError(f"on_error must be 'raise' or 'skip', not {on_error!r}")
        self.skips = on_error == "skip"
        self.skipped = 0
        self.first_skipped: str | None = None
        self.guessed: dict[str, int] = {}
        self._tell = tell

    def bad(self, message: str) -> None:
        """Raise `InputError`, or count what is bad where bad rows are to be skipped."""
        if not self.skips:
            raise InputError(message)
        self.skipped += 1
        if self.first_skipped is None:
            self.first_skipped = message
        _log().debug("skipped: %s", message)

    def took(self, encoding: str, name: str) -> None:
        """Remark that `encoding` was guessed; of many files, each encoding is named with the first of them."""
        if encoding not in self.guessed:
            self.note(f"{name}: taken as {encoding} (guessed)")
        self.guessed[encoding] = self.guessed.get(encoding, 0) + 1

    def note(self, message: str) -> None:
        """Remark on something that is no error."""
        _log().info(message)
        if self._tell is not None:
            self._tell(message)


def _log() -> logging.Logger:
    import logging

    return logging.getLogger("tallybayes")


class Repeats:
    """Notices values of an id column that come twice."""

    def __init__(self, source: str, counted_in: str = "line") -> None:
        self._source, self._counted_in = source, counted_in
        self._first: dict[Any, int] = {}
        self._repeated = 0
        self._example = ""

    def see(self, ids: Iterable[Any], places: Iterable[int]) -> None:
        """Note the ids of some rows."""
        for identity, place in zip(ids, places, strict=False):
            first = self._first.setdefault(identity, place)
            if first != place:
                self._repeated += 1
                self._example = (
                    self._example or f"{identity!r} in {self._counted_in} {place}, before in {self._counted_in} {first}"
                )

    def remark(self, remarks: Remarks) -> None:
        """Remark on the repeated ids, if there were any."""
        if self._repeated:
            remarks.note(f"{self._source}: {self._repeated} repeated ids, the first {self._example}; the rows are kept")


class Gather:
    """Collects documents, or rows of cells, until they fill a batch; `take` hands the batch out.

    The bytes counted are those that Python keeps for the documents or cells. `columns` names the cells in the batches,
    and may be set as late as that is known. `idle` tells that no more input waits: what is
    there is handed out then, so that whoever sent it need not wait for a full batch.
    """

    def __init__(
        self,
        source: str,
        *,
        labelled: bool,
        counted_in: str = "line",
        limit: int = BATCH_BYTES,
        idle: Callable[[], bool] | None = None,
        cells: bool = False,
        columns: tuple[str, ...] | None = None,
    ) -> None:
        if limit < 1:
            raise ParameterError(f"a batch must hold at least 1 byte, not {limit}")
        self._source, self._labelled, self._counted_in, self._limit = source, labelled, counted_in, limit
        self._idle = idle
        self._cells, self.columns = cells, columns
        self._start()

    def _start(self) -> None:
        self._documents: list[Any] = []
        self._labels: list[Any] = []
        self._places: list[Any] = []
        self._ids: list[Any] = []
        self._bytes = 0

    def add(self, document: Any, label: Any, place: int | str, ids: Sequence[Any] = ()) -> bool:
        """Add a document, and its id if there is one; return whether the batch is full."""
        self._documents.append(document)
        self._labels.append(label)
        self._places.append(place)
        self._ids.extend(ids)
        self._bytes += sys.getsizeof(document)
        if self._cells:
            self._bytes += sum(map(sys.getsizeof, document))
        return self._bytes >= self._limit or (self._idle is not None and self._idle())

    def extend(
        self, documents: Sequence[Any], labels: Sequence[Any], places: Sequence[int], ids: Sequence[Any] = ()
    ) -> bool:
        """Add several documents at once; return whether the batch is full."""
        self._ids.extend(ids)
        self._documents.extend(documents)
        self._labels.extend(labels)
        self._places.extend(places)
        self._bytes += sum(map(sys.getsizeof, documents))
        if self._cells:
            self._bytes += sum(map(sys.getsizeof, chain.from_iterable(documents)))
        return self._bytes >= self._limit

    def take(self) -> Batch:
        """Return what was collected, and start anew."""
        batch = Batch(
            self._documents,
            self._labels if self._labelled else None,
            self._source,
            self._places,
            self._counted_in,
            self._ids or None,
            self.columns,
        )
        self._start()
        return batch

    def rest(self) -> Iterator[Batch]:
        """Yield the last batch, if anything is left for one."""
        if self._documents:
            yield self.take()


def prefetch(batches: Iterable[Batch]) -> Generator[Batch, None, None]:
    """Yield `batches` as they are, reading one ahead in a thread while the caller works on another.

    Counting leaves the interpreter free, so that reading and counting overlap. The thread has ended when the generator
    has: after the last batch, after an exception of the reader (which is raised here, in its place in the order), and
    when the caller stops early.

    Examples
    --------
    >>> [batch.documents for batch in prefetch([Batch(["a"], None, "-", [1]), Batch(["b"], None, "-", [2])])]
    [['a'], ['b']]
    """
    from concurrent.futures import ThreadPoolExecutor  # with its logging, 10 ms that one line should not cost

    iterator = iter(batches)
    try:
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="tallybayes-read") as reader:
            ahead = reader.submit(next, iterator, None)
            while (batch := ahead.result()) is not None:
                ahead = reader.submit(next, iterator, None)
                yield batch
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            close()
