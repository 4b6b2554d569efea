"""``tallybayes derive``: the steps of the textbook, from the counts to the answer."""

from __future__ import annotations

import click

from ..model import Model
from ._document import document_arguments, document_of, show

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
    encoding: str | None,
    features: int,
    classes: int,
) -> None:
    """Derive the answer for one document step by step, in exact fractions.

    The document is the text given, the contents of the file of that name, or standard input. The tables show the
    features that tell the answer from its runner-up most surely; the totals are those of all features and classes.

    \b
    tallybayes derive china.tally 'Chinese Chinese Chinese Tokyo Japan'
    tallybayes derive spam.tally mail.txt --format markdown -o steps.md
    """
    derivation = Model.load(model_path).derive(document_of(text, encoding), features=features, classes=classes)
    if form == "json":
        show(derivation.to_dict(), output, force=force)
        return
    render = {"text": derivation.to_text, "markdown": derivation.to_markdown, "html": derivation.to_html}[form]
    show(render(), output, force=force)
