"""Peak memory above the input, each contestant in a fresh process.

python -m benchmarks.memory TASK SIZE CONTESTANT   -> {"peak_MB": ...}
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import data
from .results import Row
from .timing import peak_above, python, run_process

__all__ = ["TASKS", "Task", "contests", "peak"]

OURS, THEIRS = "tallybayes", "scikit-learn"


@dataclass(frozen=True)
class Task:
    """What is run: `contestants` make, from the input, a function that fits and predicts.

    `share` is the part of scikit-learn's peak, and `limit` the 10^6 bytes, that ours may take at most.
    """

    full: dict[str, Any]
    tiny: dict[str, Any]
    make: Callable[..., Any]
    contestants: Mapping[str, Callable[[Any], Any]]
    share: float | None = None
    limit: float | None = None


def _text_ours(text: data.Text) -> Any:
    from tallybayes import TextClassifier

    # What the rival counts.
    setting = {"event_model": "multinomial", "tokens": "sklearn", "ngrams": (1, 1), "channels": ("occurrences",)}
    return TextClassifier(**setting).fit(text.train, text.train_labels)


def _text_theirs(text: data.Text) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB().fit(CountVectorizer().fit_transform(text.train), text.train_labels)


def _sparse(classes: int, **size: Any) -> tuple[Any, np.ndarray]:
    X = data.sparse_counts(**size)
    return X, np.arange(X.shape[0]) % classes


def _codes(classes: int, rows: int, values: int) -> tuple[Any, np.ndarray]:
    X, _ = data.categorical(rows=rows, values=values)
    return X, np.arange(rows) % classes


def _estimator(package: str, model: str) -> Callable[[tuple[Any, np.ndarray]], Any]:
    def run(table: tuple[Any, np.ndarray]) -> Any:
        from importlib import import_module

        X, y = table
        return getattr(import_module(package), model)().fit(X, y).predict(X[:1000])

    return run


def _both(model: str) -> dict[str, Callable[[Any], Any]]:
    return {OURS: _estimator("tallybayes", model), THEIRS: _estimator("sklearn.naive_bayes", model)}


_CSR_TINY = {"classes": 50, "rows": 2_000, "columns": 2_000, "nonzeros": 50_000}

TASKS: dict[str, Task] = {
    "text fit, 195 MB, 20 classes": Task(
        {"docs": 200_000, "test": 1},
        {"docs": 2_000, "test": 1, "vocabulary": 20_000},
        data.text,
        {OURS: _text_ours, THEIRS: _text_theirs},
        share=1 / 3,
    ),
    **{
        f"CSR, K = 1,000: {model} fit, predict 1,000 rows": Task(
            {"classes": 1000}, _CSR_TINY, _sparse, _both(model), share=1 / 10
        )
        for model in ("MultinomialNB", "ComplementNB", "BernoulliNB")
    },
    "codes, K = 1,000: CategoricalNB fit, predict 1,000 rows": Task(
        {"classes": 1000, "rows": 200_000, "values": 1000},
        {"classes": 50, "rows": 2_000, "values": 20},
        _codes,
        _both("CategoricalNB"),
        share=1 / 10,
    ),
    "CSR, K = 10,000: MultinomialNB fit, predict 1,000 rows": Task(
        {"classes": 10_000},
        _CSR_TINY,
        _sparse,
        {OURS: _estimator("tallybayes", "MultinomialNB")},
        limit=1500,
    ),
}


def peak(task: str, size: str, contestant: str) -> float:
    """Return the peak of one contestant in a fresh process, 10^6 bytes above the input."""
    *_, output = run_process(python("-m", "benchmarks.memory", task, size, contestant))
    return float(json.loads(output)["peak_MB"])


def contests(size: str) -> Iterator[Row]:
    """Measure every task and compare with its target."""
    for name, task in TASKS.items():
        peaks = {contestant: peak(name, size, contestant) for contestant in task.contestants}
        got = ", ".join(f"{contestant} {megabytes:,.0f} MB" for contestant, megabytes in peaks.items())
        if task.share is not None:
            wanted, reached = f"≤ 1/{1 / task.share:g}", peaks[OURS] <= peaks[THEIRS] * task.share
        else:
            assert task.limit is not None
            wanted, reached = f"≤ {task.limit:,.0f} MB", peaks[OURS] <= task.limit
        yield Row(name, "peak memory above the input", wanted, got, reached)


def main(task: str, size: str, contestant: str) -> None:
    """Measure in this process."""
    chosen = TASKS[task]
    run = chosen.contestants[contestant]
    __import__("tallybayes.estimators" if contestant == OURS else "sklearn.naive_bayes")  # libraries are not counted
    made = chosen.make(**getattr(chosen, size))
    megabytes, _ = peak_above(lambda: run(made))
    print(json.dumps({"peak_MB": round(megabytes, 1)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
