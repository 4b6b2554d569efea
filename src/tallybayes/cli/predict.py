"""``tallybayes predict``: documents in, one line of JSON out for each, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import click
import numpy as np
import numpy.typing as npt
import orjson

from ..model import Model
from ._options import encoding_option, jobs_option, table_options, text_option
from ._output import writing
from ._sources import sources_of

__all__ = ["predict"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.argument("source", default="-", metavar="[FILE|-]")
@text_option
@table_options
@encoding_option
@click.option("--verify", type=click.Choice(["all", "structure"]), default="all", help="How far to check the model.")
@jobs_option
def predict(model_path: str, source: str, verify: Literal["all", "structure"], jobs: int, **options: Any) -> None:
    """Classify documents: for each one a line {"label", "probability", "probabilities"}, in order.

    FILE is a table (.csv, .tsv, .jsonl, .parquet), or plain text with a document per line; - is standard input: plain
    lines, or JSON lines if --text names the field.

    \b
    echo '今晚 七点 开会' | tallybayes predict spam.tally
    """
    model = Model.load(model_path, verify=verify)
    model.n_jobs = jobs
    names = [label if isinstance(label, str) else str(label) for label in model.classes.tolist()]
    with writing("-", force=False) as stream:
        for batch in sources_of(source, labelled=False, **options):
            for line in answers(names, model.predict_proba(batch.documents)):
                stream.write(line)
            stream.flush()


def answers(names: list[str], probabilities: npt.NDArray[np.float64]) -> Iterator[bytes]:
    """Yield a line of JSON for each row of probabilities, shape (n, K)."""
    for row, best in zip(probabilities.tolist(), probabilities.argmax(axis=1).tolist(), strict=True):
        answer: dict[str, Any] = {
            "label": names[best],
            "probability": row[best],
            "probabilities": dict(zip(names, row, strict=True)),
        }
        yield orjson.dumps(answer) + b"\n"
