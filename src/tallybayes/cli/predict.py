"""``tallybayes predict``: rows in, one line of JSON out for each, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import click
import numpy as np
import numpy.typing as npt
import orjson

from ..model import load
from ..readings import best_classes
from ._options import columns_option, encoding_option, jobs_option, table_options, text_option
from ._output import writing
from ._rows import rows_of, sources_for

__all__ = ["predict"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.argument("source", default="-", metavar="[FILE|-]")
@text_option
@columns_option
@table_options
@encoding_option
@click.option("--top", type=click.IntRange(min=1), help="Print only the most probable classes, the first one first.")
@click.option("--verify", type=click.Choice(["all", "structure"]), default="all", help="How far to check the model.")
@jobs_option
def predict(
    model_path: str, source: str, top: int | None, verify: Literal["all", "structure"], jobs: int, **options: Any
) -> None:
    """Classify rows: for each one a line {"label", "probability", "probabilities"}, in order.

    For a model of documents, FILE is a table (.csv, .tsv, .jsonl, .parquet), or plain text with a document per line; -
    is standard input: plain lines, or JSON lines if --text names the field. For a model of columns it is a table whose
    columns have the names that the model knows.

    \b
    echo '今晚 七点 开会' | tallybayes predict spam.tally
    tallybayes predict flowers.tally new.csv --top 1
    """
    model = load(model_path, verify=verify).with_jobs(jobs)
    labels = model.classes.tolist()
    answers = model.answers
    with writing("-", force=False) as stream:
        for batch in sources_for(model, source, labelled=False, **options):
            for _, log_probabilities in answers.parts(rows_of(model, batch)):
                for line in lines(labels, np.exp(log_probabilities), top):
                    stream.write(line)
            stream.flush()


def lines(labels: list[Any], probabilities: npt.NDArray[np.float64], top: int | None = None) -> Iterator[bytes]:
    """Yield a line of JSON for each row of probabilities, shape (n, K): of all classes, or of the `top` best ones."""
    names = [str(label) for label in labels]  # keys of JSON are text; the label itself keeps its type
    said = [label if isinstance(label, (str, int, float, bool)) else str(label) for label in labels]
    shares = probabilities / probabilities.sum(axis=1, keepdims=True)
    best = shares.argmax(axis=1).tolist()
    order = None if top is None else best_classes(shares, top).tolist()
    for i, row in enumerate(shares.tolist()):
        shown = dict(zip(names, row, strict=True)) if order is None else {names[c]: row[c] for c in order[i]}
        answer = {"label": said[best[i]], "probability": row[best[i]], "probabilities": shown}
        yield orjson.dumps(answer) + b"\n"
