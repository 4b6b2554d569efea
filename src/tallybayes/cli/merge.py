"""``tallybayes merge``: the model that learnt what several models learnt."""

from __future__ import annotations

import click

from ..model import Model, load
from ._options import force_option, output_option
from ._output import check_target, note, summed_up

__all__ = ["merge"]


@click.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL.tally...")
@output_option
@force_option
@click.option(
    "--drop-rare",
    type=click.IntRange(min=2),
    metavar="N",
    help="Leave out what fewer than N documents or rows hold, for giving the model to others.",
)
def merge(models: tuple[str, ...], output: str, force: bool, drop_rare: int | None) -> None:
    """Add models up. The result is the model of one training on all documents together, digest and all.

    The models, of any kind, must count in one feature space (same tokens, n-grams, columns …); the sum is read as the
    first one is. One MODEL alone is copied: with --drop-rare, without what tells most about single documents.
    """
    target = check_target(output, force=force)
    merged = Model.sum(load(path) for path in models)
    if drop_rare is not None:
        merged = merged.without_rare(drop_rare)
    merged.save(target)
    note(f"{target}: {summed_up(merged)}")
