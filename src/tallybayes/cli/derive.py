"""``tallybayes derive``: the steps of the textbook, from the counts to the answer."""

from __future__ import annotations

from typing import Any

import click

from ..model import load
from ._document import document_arguments, row_of, show

__all__ = ["derive"]


@click.command()
@document_arguments(["text", "markdown", "html", "json"])
@click.option(
    "--features", type=click.IntRange(min=1), default=20, show_default=True, help="How many features to show."
)
@click.option("--classes", type=click.IntRange(min=1), default=6, show_default=True, help="How many classes to show.")
def derive(
    model_path: str,
    text: str,
    form: str,
    output: str,
    force: bool,
    features: int,
    classes: int,
    **options: Any,
) -> None:
    """Derive the answer for one row step by step, in exact fractions where the counts are whole.

    The document is the text given, the contents of the file of that name, or standard input. For a model of columns it
    is a row of a table (--row), or the cells themselves. The tables show the features that tell the answer from its
    runner-up most surely; the totals are those of all.

    \b
    tallybayes derive china.tally 'Chinese Chinese Chinese Tokyo Japan'
    tallybayes derive spam.tally mail.txt --format markdown -o steps.md
    tallybayes derive fruit.tally '圆,绿色,中,甜'
    """
    model = load(model_path)
    derivation = model.derive(row_of(model, text, **options), features=features, classes=classes)
    if form == "json":
        show(derivation.to_dict(), output, force=force)
        return
    render = {"text": derivation.to_text, "markdown": derivation.to_markdown, "html": derivation.to_html}[form]
    show(render(), output, force=force)
