"""``tallybayes inspect``: what is in a model file."""

from __future__ import annotations

from typing import Any

import click
import orjson

from ..layout import printable
from ..model import load
from ._options import json_option
from ._output import amount, writing

__all__ = ["inspect"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True, help="Words or columns per class.")
@json_option
def inspect(model_path: str, top: int, as_json: bool) -> None:
    """Show a model of any kind: its classes and counts, what speaks most for each class, and how it was made.

    A word's number is its log-odds for the class against the rest over its standard deviation, with shrinkage: frequent
    words that all classes share do not appear.
    """
    facts = load(model_path).inspect(top)
    data = orjson.dumps(facts, option=orjson.OPT_INDENT_2) if as_json else _text(facts, top).encode()
    with writing("-", force=False) as stream:
        stream.write(data + b"\n")


def _text(facts: dict[str, Any], top: int) -> str:
    noun = "documents" if "documents" in facts else "rows"
    lines = [f"{noun:<9}  {amount(facts[noun])}", f"classes    {len(facts['classes'])}"]
    if "columns" in facts:
        lines.append(f"columns    {_listed(facts['columns'], max(top, 1))}")
    if "features" in facts:
        lines.append(f"features   {facts['features']}")
    lines += [
        f"digest     {facts['digest'] or 'none: the sums are not whole numbers'}",
        f"reading    {_pairs(facts['reading'])}",
        f"space      {_pairs(facts['space']['rules'])}",
        f"made by    {facts['producer']}",
    ]
    for entry in facts["classes"]:
        counts = [f"{amount(entry[noun])} {noun}"]
        if "occurrences" in entry:
            counts.append(f"{amount(entry['occurrences'])} occurrences")
        lines += ["", f"{entry['class']}: {', '.join(counts)}"]
        if entry.get("keywords"):
            lines.append("  " + "  ".join(f"{word['feature']} {word['z']:.1f}" for word in entry["keywords"]))
        if "mean" in entry:
            named = zip(facts["columns"], entry["mean"], entry["variance"], strict=True)
            lines += [f"  {name}: mean {mean:.6g}, variance {var:.6g}" for name, mean, var in list(named)[:top]]
    return "\n".join(map(printable, lines))


def _listed(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if value not in (None, False))
