"""An explanation as a page: the document with its words marked in colour, a legend, and the table."""

from __future__ import annotations

import math
from html import escape

from ..page import page
from .odds import LogOdds, signed, total

__all__ = ["explanation_page"]

# Blue and orange: told apart with any kind of colour vision, on light and dark paper.
FOR, AGAINST = "37, 99, 235", "234, 88, 12"
STYLE = f"""
.odds {{ font-size: 1.05rem; margin: 0 0 1.25rem; }}
.text {{ padding: 1rem 1.15rem; border: 1px solid var(--line); border-radius: .5rem; font-size: 1.1rem; line-height: 2;
  white-space: pre-wrap; overflow-wrap: anywhere; }}
mark {{ color: inherit; border-radius: .2rem; padding: .12em 0; background: rgba({FOR}, var(--weight)); }}
mark.against {{ background: rgba({AGAINST}, var(--weight)); }}
.legend {{ display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; margin: .75rem 0; color: var(--faint);
  font-size: .9rem; }}
.swatch {{ display: inline-block; width: 6rem; height: .8rem; border-radius: .2rem; vertical-align: -.08rem;
  margin-right: .45rem; background: linear-gradient(90deg, rgba({FOR}, .06), rgba({FOR}, .7)); }}
.swatch.against {{ background: linear-gradient(90deg, rgba({AGAINST}, .06), rgba({AGAINST}, .7)); }}
td.number, th.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
td.bar {{ width: 16rem; }}
.scale {{ display: grid; grid-template-columns: 1fr 1fr; width: 16rem; }}
.scale i {{ height: .8rem; border-radius: .15rem; }}
.scale .for {{ grid-column: 2; background: rgba({FOR}, .7); }}
.scale .against {{ grid-column: 1; justify-self: end; background: rgba({AGAINST}, .7); }}
tr.sum td, tr.sum th {{ border-bottom: none; border-top: 2px solid var(--line); font-weight: 600; }}
"""


def explanation_page(explanation: LogOdds, top: int) -> str:
    """Return the page; `top` is how many features its table shows."""
    of, against = escape(str(explanation.of)), escape(str(explanation.against))
    p_of, p_against = (f"{explanation.probabilities[c]:.7g}" for c in (explanation.of, explanation.against))
    parts = [
        f"<h1>{of} rather than {against}</h1>",
        f'<p class="odds">Log-odds <strong>{signed(explanation.log_odds)}</strong> <span class="faint">(natural log)'
        f" · P({of}) = {p_of} · P({against}) = {p_against}</span></p>",
    ]
    if explanation.note:
        parts.append(f"<p>{escape(explanation.note)}</p>")
    parts.append(f'<div class="text">{_marked(explanation)}</div>')
    parts.append(
        f'<div class="legend"><span><span class="swatch"></span>speaks for {of}</span>'
        f'<span><span class="swatch against"></span>speaks for {against}</span>'
        f"<span>a character carries its share of every {explanation.noun} that covers it; "
        "point at it for the number</span></div>"
    )
    parts.append(_table(explanation, top))
    ignored = explanation.ignored
    if ignored:
        names = ", ".join(escape(part.feature) for part in ignored[:top])
        more = f" and {len(ignored) - top} more" if len(ignored) > top else ""
        parts.append(f"<h2>Never seen in training, ignored</h2><p>{names}{more}</p>")
    title = f"{explanation.of} rather than {explanation.against}"
    return page(title, "\n".join(parts), STYLE)


def _marked(explanation: LogOdds) -> str:
    pieces = list(explanation.pieces())
    largest = max((abs(mark) for _, _, mark in pieces if math.isfinite(mark)), default=0.0)
    html = []
    for start, end, mark in pieces:
        text = escape(explanation.document[start:end])
        weight = 0.0 if not mark else 0.8 if math.isinf(mark) else 0.06 + 0.64 * abs(mark) / largest
        if weight < 0.07:
            html.append(text)
            continue
        side = ' class="against"' if mark < 0 else ""
        html.append(f'<mark{side} style="--weight: {weight:.2f}" title="{signed(mark)}">{text}</mark>')
    return "".join(html)


def _table(explanation: LogOdds, top: int) -> str:
    shown, rest = explanation.entering[:top], explanation.entering[top:]
    largest = max((abs(part.value) for part in shown if math.isfinite(part.value)), default=0.0) or 1.0
    rows = []
    if explanation.prior:
        rows.append(_row("<em>prior</em>", "", explanation.prior, largest))
    if explanation.bias:
        rows.append(_row(f"<em>{explanation.noun}s that are absent</em>", "", explanation.bias, largest))
    for part in shown:
        name = escape(part.feature) + ("" if part.known else ' <span class="faint">(never seen)</span>')
        rows.append(_row(name, part.times if explanation.counted else "", part.value, largest))
    if rest:
        rows.append(_row(f"<em>{len(rest)} more {explanation.noun}s</em>", "", total(rest)))
    odds = signed(explanation.log_odds)
    rows.append(f'<tr class="sum"><th>log-odds</th><td></td><td class="number">{odds}</td><td></td></tr>')
    times = "times" if explanation.counted else ""
    head = f'<th>{explanation.noun}</th><th class="number">{times}</th><th class="number">adds</th><th></th>'
    body = "\n".join(rows)
    return (
        f'<h2>What each {explanation.noun} adds</h2><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )


def _row(name: str, times: str, value: float, largest: float = 0.0) -> str:
    """One line; `largest` is what the longest bar stands for, 0 leaves the bar out."""
    bar = ""
    if largest and value:
        side, share = "for" if value > 0 else "against", min(1.0, abs(value) / largest)
        bar = f'<div class="scale"><i class="{side}" style="width: {100 * share:.1f}%"></i></div>'
    return (
        f'<tr><th>{name}</th><td class="number">{times}</td><td class="number">{signed(value)}</td>'
        f'<td class="bar">{bar}</td></tr>'
    )
