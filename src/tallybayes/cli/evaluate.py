"""``tallybayes evaluate``: how good a model's answers are on labelled documents."""

from __future__ import annotations

from typing import Any

import click
import orjson

from ..model import load
from ._learning import test
from ._options import columns_option, force_option, jobs_option, json_option, source_options
from ._output import writing
from ._rows import sources_for

__all__ = ["evaluate"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@source_options
@columns_option
@click.option("--report", "report_path", metavar="FILE", help="Write the report there too, as JSON.")
@json_option
@jobs_option
@force_option
def evaluate(
    model_path: str,
    sources: tuple[str, ...],
    report_path: str | None,
    as_json: bool,
    jobs: int,
    force: bool,
    **options: Any,
) -> None:
    """Compare a model's answers with the labels of SOURCE (as for train; for a model of columns, a table).

    \b
    tallybayes evaluate mails.tally more.csv --text body --label verdict
    tallybayes evaluate flowers.tally more.csv --label species
    """
    model = load(model_path).with_jobs(jobs)
    report = test(model, sources_for(model, sources, **options))
    data = orjson.dumps(report.to_dict(), option=orjson.OPT_INDENT_2) + b"\n"
    if report_path is not None:
        with writing(report_path, force=force) as stream:
            stream.write(data)
    with writing("-", force=force) as stream:
        stream.write(data if as_json else (report.to_text() + "\n").encode())
