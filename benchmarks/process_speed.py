"""Whole processes: import, the commands, and a gigabyte from file to model."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import data, rivals
from .timing import Contest, Timed, python, run_process

__all__ = ["commands", "files"]

IMPORT = "import tallybayes beyond numpy"


def _timed(*arguments: str, stdin: bytes = b"") -> Timed:
    wall, cpu, _, output = run_process(python(*arguments), stdin)
    return Timed(output.decode(), wall, cpu)


def _beyond_numpy() -> Timed:
    base, full = _timed("-c", "import numpy"), _timed("-c", "import numpy, tallybayes, tallybayes._kernel")
    return Timed(None, full.wall - base.wall, full.cpu - base.cpu)


def commands(**size: Any) -> Iterator[Contest]:
    """What one call costs, start of the interpreter included."""
    from tallybayes import TextClassifier

    text = data.text(**size)
    with rivals.temporary_folder() as folder:
        model = str(Path(folder) / "model.tally")
        classifier = TextClassifier().fit(text.train, [f"class {label}" for label in text.train_labels])
        classifier.save(model)
        line = text.test[0].encode()

        def check(answers: Any) -> None:
            expected = classifier.predict(text.test[:1])[0]
            assert json.loads(answers["tallybayes predict, one line"])["label"] == expected
            assert expected in answers["tallybayes explain, one document"]

        command = ("-m", "tallybayes")
        contestants = {
            IMPORT: _beyond_numpy,
            "tallybayes --help": lambda: _timed(*command, "--help"),
            "tallybayes predict, one line": lambda: _timed(*command, "predict", model, "-", stdin=line),
            "tallybayes explain, one document": lambda: _timed(*command, "explain", model, "-", stdin=line),
            "import scikit-learn's NB and vectorizers": lambda: _timed(
                "-c", "import sklearn.naive_bayes, sklearn.feature_extraction.text"
            ),
        }
        for run in contestants.values():
            run()  # the first start of a fresh installation compiles its modules
        yield Contest(
            "whole process",
            contestants,
            1.0,
            "calls",
            check=check,
            at_most={
                IMPORT: 0.030,
                "tallybayes --help": 0.2,
                "tallybayes predict, one line": 0.25,
                "tallybayes explain, one document": 0.3,
            },
        )


def _write(path: Path, text: data.Text, size: float) -> None:
    """Write about `size` MB of rows, the documents over and over."""
    rows = list(zip(text.train, text.train_labels, strict=True))
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.writer(file)
            writer.writerow(["text", "label"])
            write = writer.writerows
        else:

            def write(rows: Any) -> None:
                file.writelines(json.dumps({"text": text, "label": f"{label}"}) + "\n" for text, label in rows)

        while file.tell() < size * 1e6:
            write(rows)


def files(size: float, **text_size: Any) -> Iterator[Contest]:
    """`tallybayes train` on one large file, two threads; standard error gets the peak memory above the vocabulary."""
    text = data.text(**text_size)
    with rivals.temporary_folder() as name:
        folder = Path(name)
        for kind in ("jsonl", "csv"):
            path = folder / f"rows.{kind}"
            _write(path, text, size)
            megabytes = path.stat().st_size / 1e6

            def train(*options: str, path: Path = path) -> Timed:
                model = path.with_suffix(".tally")
                arguments = ["train", str(path), "-o", str(model), "--text", "text", "--label", "label", "--force"]
                command = python("-m", "tallybayes", *arguments, "--jobs", "2", *options)
                wall, cpu, peak, _ = run_process(command)
                above = (peak - model.stat().st_size) / 1e6
                report = {"file": path.name, "options": options, "peak_MB": peak / 1e6, "above_vocabulary_MB": above}
                print(json.dumps(report), file=sys.stderr)
                return Timed(above, wall, cpu)

            words = ("--ngrams", "1")
            yield Contest(
                f"{size / 1000:g} GB {kind}, file to model",
                {
                    "tallybayes train, words": lambda train=train, words=words: train(*words),  # type: ignore[misc]
                    "tallybayes train, defaults (words and pairs)": train,
                },
                megabytes,
                "MB",
                rounds=1,
                at_most={"tallybayes train, words": megabytes / 100},
            )
            os.unlink(path)
