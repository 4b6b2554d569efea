"""The text model: tally, reading and analyzer together."""

from __future__ import annotations

from .model import Model, total

__all__ = ["Model", "total"]
