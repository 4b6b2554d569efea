"""``tallybayes explain``: why this class and not that one."""

from __future__ import annotations

from typing import Any

import click

from ..model import load
from ._document import document_arguments, label_named, row_of, show

__all__ = ["explain"]


@click.command()
@document_arguments(["text", "json", "html"])
@click.option("--of", metavar="CLASS", help="The class to speak for; by default the answer.")
@click.option(
    "--against", metavar="CLASS", help="The class to compare it with; by default the most probable other one."
)
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="How many features to show.")
def explain(
    model_path: str,
    text: str,
    form: str,
    output: str,
    force: bool,
    of: str | None,
    against: str | None,
    top: int,
    **options: Any,
) -> None:
    """Show what each feature of one row adds to the log-odds of one class against another.

    The document is the text given, the contents of the file of that name, or standard input. For a model of columns it
    is a row of a table (--row), or the cells themselves. JSON always holds every feature, with its places.

    \b
    tallybayes explain spam.tally 'free lunch for you'
    tallybayes explain spam.tally mail.txt --format html -o why.html
    tallybayes explain flowers.tally 'length=5.1,width=3.5'
    """
    model = load(model_path)
    labels = model.classes.tolist()
    explanation = model.explain(
        row_of(model, text, **options), of=label_named(labels, of), against=label_named(labels, against)
    )
    if form == "json":
        show(explanation.to_dict(), output, force=force)
    else:
        show(explanation.to_html(top) if form == "html" else explanation.to_text(top), output, force=force)
