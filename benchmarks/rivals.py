"""What other tools do for the same task, each as its own users would write it."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .timing import Timed, clean_environment, python

__all__ = ["DuckDB", "FastText", "VowpalWabbit", "sklearn_fit", "sklearn_predict"]


def sklearn_fit(vectorizer: Any, estimator: Any, documents: list[str], labels: Sequence[int]) -> tuple[Any, Any]:
    """Fit a vectorizer and an estimator; return both."""
    X = vectorizer.fit_transform(documents)
    return vectorizer, estimator.fit(X, labels)


def sklearn_predict(fitted: tuple[Any, Any], documents: list[str]) -> np.ndarray:
    """Return the labels of documents."""
    vectorizer, estimator = fitted
    return estimator.predict(vectorizer.transform(documents))  # type: ignore[no-any-return]


def _plain(document: str) -> str:
    """What users of tools that split at spaces do first, and what is not timed here."""
    return re.sub(r"[.,:|]", " ", document.lower())


class VowpalWabbit:
    """One pass of one-against-all logistic regression over a file on disk, 2^20 weights."""

    def __init__(self, folder: Path, documents: list[str], labels: list[int], test: list[str]) -> None:
        self.folder, self.classes = folder, max(labels) + 1
        lines = (f"{label + 1} | {_plain(text)}\n" for label, text in zip(labels, documents, strict=True))
        (folder / "train.vw").write_text("".join(lines), "utf-8")
        (folder / "test.vw").write_text("".join(f"1 | {_plain(text)}\n" for text in test), "utf-8")

    def fit(self) -> str:
        """Train from the file to a model file; return its path."""
        import vowpalwabbit

        model = str(self.folder / "model.vw")
        options = f"--oaa {self.classes} -b 20 --quiet --loss_function logistic"
        vowpalwabbit.Workspace(f"{options} -d {self.folder / 'train.vw'} -f {model}").finish()
        return model

    def predict(self) -> np.ndarray:
        """Predict the test file; return the labels."""
        import vowpalwabbit

        answers = self.folder / "answers.vw"
        test = f"-t --quiet -d {self.folder / 'test.vw'} -p {answers}"
        vowpalwabbit.Workspace(f"-i {self.folder / 'model.vw'} {test}").finish()
        return np.loadtxt(answers, dtype=int) - 1


class FastText:
    """One epoch of 20 dimensions with two threads, in a process of its own.

    Its own process, since fastText leaves part of its input matrix as malloc returned it (`DenseMatrix::uniform` with
    fewer than ten threads), which is NaN now and then in a process that has freed memory before; there, glibc is told
    to hand out zeros. Seconds are measured inside that process, start and imports left out.
    """

    def __init__(self, folder: Path, documents: list[str], labels: list[int], test: list[str]) -> None:
        self.folder = folder
        lines = (f"__label__{label} {_plain(text)}\n" for label, text in zip(labels, documents, strict=True))
        (folder / "train.ft").write_text("".join(lines), "utf-8")
        (folder / "test.ft").write_text("".join(_plain(text) + "\n" for text in test), "utf-8")

    def _run(self, verb: str) -> Timed:
        import subprocess

        environment = clean_environment() | {"MALLOC_PERTURB_": "255"}
        command = python("-m", "benchmarks.rivals", verb, str(self.folder))
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
        answer = json.loads(done.stdout)
        return Timed(np.array(answer["labels"]), answer["wall"], answer["cpu"])

    def fit(self) -> Timed:
        """Train from the file to a model file."""
        return self._run("fit")

    def predict(self) -> Timed:
        """Predict the test file; the answer is the labels."""
        return self._run("predict")


def _fasttext(verb: str, folder: Path) -> dict[str, Any]:
    import fasttext

    model, labels = str(folder / "model.ft"), []
    if verb == "fit":
        wall, cpu = time.perf_counter(), time.process_time()
        trained = fasttext.train_supervised(str(folder / "train.ft"), thread=2, verbose=0, epoch=1, dim=20, lr=0.5)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        trained.save_model(model)
    else:
        loaded = fasttext.load_model(model)
        wall, cpu = time.perf_counter(), time.process_time()
        documents = (folder / "test.ft").read_text("utf-8").splitlines(keepends=True)
        answers = loaded.f.multilinePredict(documents, 1, 0.0, "strict")[0]
        labels = [int(answer[0].removeprefix("__label__")) for answer in answers]
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall": wall, "cpu": cpu, "labels": labels}


class DuckDB:
    """Counts per word and class by GROUP BY over a Parquet file, two threads."""

    def __init__(self, folder: Path, documents: list[str], labels: list[int]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = folder / "train.parquet"
        table = pa.table({"text": documents, "label": pa.array(labels, pa.int32())})
        pq.write_table(table, self.path, row_group_size=25_000)

    def fit(self) -> tuple[int, int]:
        """Return the number of distinct words and of all words."""
        import duckdb

        with duckdb.connect() as connection:
            connection.execute("SET threads = 2")
            words = r"unnest(regexp_extract_all(lower(text), '\b\w\w+\b'))"
            connection.execute(
                f"CREATE TABLE cells AS SELECT word, label, count(*) AS n FROM "
                f"(SELECT {words} AS word, label FROM '{self.path}') GROUP BY word, label"
            )
            row = connection.execute("SELECT count(DISTINCT word), sum(n)::BIGINT FROM cells").fetchone()
        assert row is not None
        return int(row[0]), int(row[1])


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is gone when the object is."""
    return tempfile.TemporaryDirectory(prefix="tallybayes-bench-")


if __name__ == "__main__":
    print(json.dumps(_fasttext(sys.argv[1], Path(sys.argv[2]))))
