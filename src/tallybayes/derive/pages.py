"""Steps of a derivation, and how they are laid out: as plain text, as Markdown with LaTeX, as a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..layout import aligned, printable
from ..page import page
from .expression import Equation

__all__ = ["Step", "to_html", "to_markdown", "to_text"]


@dataclass(frozen=True)
class Step:
    """One step on the way: a table.

    Attributes
    ----------
    title : str
    columns : tuple of str
        Heads of the columns; the first is that of the names of the rows.
    rows : tuple of (str, tuple of Equation or str)
    formula : Equation or None
        The rule that the rows follow, in symbols.
    note : str
        What a reader should know besides.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Equation | str, ...]], ...]
    formula: Equation | None = None
    note: str = ""


def to_text(title: str, row: str, steps: Sequence[Step], answer: str) -> str:
    """Return plain text, aligned for a terminal."""
    lines = [title]
    if row:
        lines.append(printable(row))
    for number, step in enumerate(steps, 1):
        lines += ["", f"{number}. {step.title}"]
        if step.formula:
            lines.append(f"   {step.formula.text()}")
        if step.note:
            lines.append(f"   {printable(step.note)}")
        lines_of = [(printable(name), *(_plain(cell) for cell in cells)) for name, cells in step.rows]
        short = all(len(cell) < 24 for line in lines_of for cell in line[1:])
        lines += [
            f"   {line}" for line in aligned([[*map(printable, step.columns)], *lines_of], "<>" if short else "<")
        ]
    lines += ["", f"Answer: {printable(answer)}"]
    return "\n".join(lines)


def _plain(cell: Equation | str) -> str:
    return printable(cell) if isinstance(cell, str) else cell.text()


def to_markdown(title: str, row: str, steps: Sequence[Step], answer: str) -> str:
    """Return Markdown with LaTeX between dollar signs, as notebooks, GitHub and pandoc read it."""
    lines = [f"# {title}"]
    if row:
        lines += ["", f"> {_escaped(row)}"]
    for number, step in enumerate(steps, 1):
        lines += ["", f"## {number}. {step.title}"]
        if step.formula:
            lines += ["", f"$${step.formula.latex()}$$"]
        if step.note:
            lines += ["", _escaped(step.note)]
        lines += ["", f"| {' | '.join(_escaped(column) for column in step.columns)} |", "|--" * len(step.columns) + "|"]
        for name, cells in step.rows:
            shown = [_escaped(cell) if isinstance(cell, str) else f"${cell.latex()}$" for cell in cells]
            lines.append(f"| {' | '.join([_escaped(name), *shown])} |")
    lines += ["", f"**Answer:** {_escaped(answer)}", ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text that means nothing to Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", printable(text))


def to_html(title: str, row: str, steps: Sequence[Step], answer: str) -> str:
    """Return a page that needs nothing else: style inside, fractions in MathML."""
    parts = [f"<h1>{escape(title)}</h1>"]
    if row:
        parts.append(f'<p class="row">{escape(row)}</p>')
    parts += [_section(number, step) for number, step in enumerate(steps, 1)]
    parts.append(f'<p class="answer">Answer: <strong>{escape(answer)}</strong></p>')
    return page(title, "\n".join(parts), STYLE)


def _section(number: int, step: Step) -> str:
    heads = "".join(f"<th>{escape(column)}</th>" for column in step.columns)
    rows = "\n".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{_mathml(cell)}</td>' for cell in row)}</tr>"
        for name, row in step.rows
    )
    formula = f'<p class="rule">{_mathml(step.formula)}</p>' if step.formula else ""
    note = f'<p class="faint">{escape(step.note)}</p>' if step.note else ""
    return (
        f"<section><h2><span>{number}</span>{escape(step.title)}</h2>{formula}{note}"
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div></section>'
    )


def _mathml(cell: Equation | str) -> str:
    return escape(cell) if isinstance(cell, str) else f'<math displaystyle="true"><mrow>{cell.mathml()}</mrow></math>'


STYLE = """
h2 { display: flex; gap: .6rem; align-items: center; }
h2 span { flex: none; width: 1.6rem; height: 1.6rem; border-radius: 50%; background: var(--mark); color: var(--paper);
  display: grid; place-items: center; font-size: .85rem; }
p { margin: .4rem 0; }
.row { padding: .75rem 1rem; border-left: 3px solid var(--mark); background: var(--tint); overflow-wrap: anywhere; }
.rule { font-size: 1.15rem; }
.answer { margin-top: 2rem; padding: .9rem 1rem; background: var(--tint); border-radius: .5rem; font-size: 1.15rem; }
"""
