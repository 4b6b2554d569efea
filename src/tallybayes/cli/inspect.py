"""``tallybayes inspect``: what is in a model file."""

from __future__ import annotations

from typing import Any

import click
import orjson

from ..model import Model
from ..model.keywords import keywords
from ._options import json_option
from ._output import writing

__all__ = ["inspect"]


@click.command()
@click.argument("model_path", metavar="MODEL.tally")
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True, help="Words shown per class.")
@json_option
def inspect(model_path: str, top: int, as_json: bool) -> None:
    """Show a model: its classes and counts, the words that speak most for each class, and how it was made.

    A word's number is its log-odds for the class against the rest over its standard deviation, with shrinkage: frequent
    words that all classes share do not appear.
    """
    facts = summary(Model.load(model_path), top)
    data = orjson.dumps(facts, option=orjson.OPT_INDENT_2) if as_json else _text(facts).encode()
    with writing("-", force=False) as stream:
        stream.write(data + b"\n")


def summary(model: Model, top: int) -> dict[str, Any]:
    """Return what `inspect` shows, as plain JSON values."""
    tally = model.tally
    counted = {channel: tally.totals(channel).tolist() for channel in sorted(tally.channels)}
    best = keywords(tally, top)
    classes = [
        {
            "class": str(label),
            "documents": documents,
            **{channel: sums[number] for channel, sums in counted.items()},
            "keywords": [{"feature": feature, "z": round(z, 4)} for feature, z in best[number]],
        }
        for number, (label, documents) in enumerate(
            zip(tally.classes.array.tolist(), tally.class_count.tolist(), strict=True)
        )
    ]
    return {
        "classes": classes,
        "documents": float(tally.class_count.sum()),
        "features": len(tally.features),
        "exact": tally.exact,
        "digest": tally.digest() if tally.exact else None,
        "space": {"id": tally.space.id, **tally.space.to_json()},
        "reading": model.reading.to_json(),
        "producer": model.producer,
    }


def _text(facts: dict[str, Any]) -> str:
    lines = [
        f"documents  {facts['documents']:g}",
        f"classes    {len(facts['classes'])}",
        f"features   {facts['features']}",
        f"digest     {facts['digest'] or 'none: the counts are not whole numbers'}",
        f"reading    {_pairs(facts['reading'])}",
        f"space      {_pairs(facts['space']['rules'])}",
        f"made by    {facts['producer']}",
    ]
    for entry in facts["classes"]:
        counts = ", ".join(f"{entry[name]:g} {name}" for name in ("documents", "occurrences") if name in entry)
        lines += ["", f"{entry['class']}: {counts}"]
        if entry["keywords"]:
            lines.append("  " + "  ".join(f"{word['feature']} {word['z']:.1f}" for word in entry["keywords"]))
    return "\n".join(lines)


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if value not in (None, False))
