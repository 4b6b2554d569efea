"""``tallybayes forget``: take documents back out of a model."""

from __future__ import annotations

from typing import Any

import click

from ..model import Model
from ._learning import tally_of
from ._options import force_option, jobs_option, output_option, source_options
from ._output import check_target, note
from ._sources import sources_of

__all__ = ["forget"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@output_option
@source_options
@jobs_option
@force_option
def forget(model_path: str, sources: tuple[str, ...], output: str, jobs: int, force: bool, **options: Any) -> None:
    """Take the labelled documents of SOURCE (as for train) back out of a model.

    The result is the model that never saw them, digest and all. Refused, with nothing written, when more would be taken
    out than is in.

    \b
    tallybayes forget mails.tally withdrawn.csv --text body --label verdict -o mails-without.tally
    """
    target = check_target(output, force=force)
    model = Model.load(model_path)
    model.n_jobs = jobs
    part = tally_of(model, sources_of(sources, **options))
    rest = model.without(part)
    rest.save(target)
    note(f"{target}: {part.class_count.sum():g} documents forgotten, {rest.tally.class_count.sum():g} left")
