"""What is in a model: its classes and counts, what speaks most for each class, and how it was made."""

from __future__ import annotations

from typing import Any

from ..tally import CountTally, MomentTally
from .keywords import keywords

__all__ = ["summary"]


def summary(model: Any, top: int) -> dict[str, Any]:
    """Return what is in a model, as plain JSON values; see `Model.inspect`."""
    tally = model.tally
    labels, rows = list(tally.classes), tally.class_count.tolist()
    noun = "documents" if model.counter.of_documents else "rows"
    classes: list[dict[str, Any]] = [
        {"class": str(label), noun: count} for label, count in zip(labels, rows, strict=True)
    ]
    facts: dict[str, Any] = {"kind": model.counter.kind, "classes": classes, noun: float(tally.class_count.sum())}
    if model.counter.n_columns is not None:
        facts["columns"] = model.counter.column_names()
    exact = isinstance(tally, CountTally) and tally.exact
    if isinstance(tally, CountTally):
        facts["features"] = len(tally.features)
        if "occurrences" in tally.channels:
            for entry, total in zip(classes, tally.totals("occurrences").tolist(), strict=True):
                entry["occurrences"] = total
    if isinstance(tally, CountTally) and model.counter.of_documents:
        for entry, best in zip(classes, keywords(tally, top), strict=True):
            entry["keywords"] = [{"feature": feature, "z": round(z, 4)} for feature, z in best]
    if isinstance(tally, MomentTally):
        for entry, mean, variance in zip(classes, tally.mean.tolist(), tally.variance().tolist(), strict=True):
            entry |= {"mean": mean, "variance": variance}
    return {
        **facts,
        "exact": exact,
        "digest": tally.digest() if exact else None,
        "space": {"id": tally.space.id, **tally.space.to_json()},
        "reading": model.reading.to_json(),
        "producer": model.producer,
    }
