"""``tallybayes forget``: take documents back out of a model."""

from __future__ import annotations

from typing import Any

import click

from ..model import load
from ._learning import tally_of
from ._options import columns_option, force_option, jobs_option, output_option, source_options
from ._output import amount, check_target, note
from ._rows import sources_for

__all__ = ["forget"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@output_option
@source_options
@columns_option
@jobs_option
@force_option
def forget(model_path: str, sources: tuple[str, ...], output: str, jobs: int, force: bool, **options: Any) -> None:
    """Take the labelled rows of SOURCE (as for train; for a model of columns, a table) back out of a model.

    The result is the model that never saw them, digest and all. Refused, with nothing written, when more would be taken
    out than is in.

    \b
    tallybayes forget mails.tally withdrawn.csv --text body --label verdict -o mails-without.tally
    """
    target = check_target(output, force=force)
    model = load(model_path).with_jobs(jobs)
    part = tally_of(model, sources_for(model, sources, learning=True, **options))
    rest = model - part
    rest.save(target)
    noun = "documents" if model.counter.of_documents else "rows"
    left = amount(rest.tally.class_count.sum())
    note(f"{target}: {amount(part.class_count.sum())} {noun} forgotten, {left} left")
