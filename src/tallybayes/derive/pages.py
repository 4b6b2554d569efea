"""Steps of a derivation, and how they are laid out: as plain text, as Markdown with LaTeX, as a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..layout import aligned, printable
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
        lines += [f"   {line}" for line in aligned([step.columns, *lines_of], "<>" if short else "<")]
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
    sections = "\n".join(_section(number, step) for number, step in enumerate(steps, 1))
    shown = f'<p class="row">{escape(row)}</p>' if row else ""
    return PAGE.format(title=escape(title), row=shown, steps=sections, answer=escape(answer))


def _section(number: int, step: Step) -> str:
    heads = "".join(f"<th>{escape(column)}</th>" for column in step.columns)
    rows = "\n".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{_mathml(cell)}</td>' for cell in row)}</tr>"
        for name, row in step.rows
    )
    formula = f'<p class="rule">{_mathml(step.formula)}</p>' if step.formula else ""
    note = f"<p>{escape(step.note)}</p>" if step.note else ""
    return (
        f"<section><h2><span>{number}</span>{escape(step.title)}</h2>{formula}{note}"
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div></section>'
    )


def _mathml(cell: Equation | str) -> str:
    return escape(cell) if isinstance(cell, str) else f'<math displaystyle="true"><mrow>{cell.mathml()}</mrow></math>'


PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark;
  --ink: #1c2430; --faint: #667085; --line: #e3e7ee; --paper: #fff; --tint: #f5f7fb; --mark: #2458c5; }}
@media (prefers-color-scheme: dark) {{ :root {{
  --ink: #e6e9ef; --faint: #97a1b3; --line: #2d3544; --paper: #12161d; --tint: #1a202b; --mark: #8fb2ff; }} }}
body {{ margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }}
h1 {{ font-size: 1.6rem; margin: 0 0 .75rem; }}
h2 {{ font-size: 1.05rem; margin: 2rem 0 .5rem; display: flex; gap: .6rem; align-items: center; }}
h2 span {{ flex: none; width: 1.6rem; height: 1.6rem; border-radius: 50%; background: var(--mark); color: var(--paper);
  display: grid; place-items: center; font-size: .85rem; }}
p {{ margin: .4rem 0; color: var(--faint); }}
p.row {{ padding: .75rem 1rem; border-left: 3px solid var(--mark); background: var(--tint); color: var(--ink);
  overflow-wrap: anywhere; }}
p.rule {{ color: var(--ink); font-size: 1.15rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; margin-top: .5rem; }}
th, td {{ padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left;
  white-space: nowrap; }}
thead th {{ color: var(--faint); font-weight: 500; }}
tbody th {{ font-weight: 600; }}
p.answer {{ margin-top: 2rem; padding: .9rem 1rem; background: var(--tint); border-radius: .5rem; color: var(--ink);
  font-size: 1.15rem; }}
</style></head>
<body>
<h1>{title}</h1>
{row}
{steps}
<p class="answer">Answer: <strong>{answer}</strong></p>
</body></html>
"""
