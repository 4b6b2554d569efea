"""Are the answers right? Every number that the project promises, on the real data sets.

python -m benchmarks.quality [GROUP...] [--shared FOLDER] [--json FILE]

Prints one Markdown table with what was wanted and what came out; each result is also one JSON line (on standard error,
or in FILE). The exit status is 1 when a row falls short.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

from .results import Row, emit, machine, markdown, versions

__all__ = ["GROUPS", "main"]

# A group and the function that yields its rows; loaded when it is run.
GROUPS = {
    "articles": "systems.articles",
    "textbook": "systems.textbook",
    "mail": "systems.mail",
    "defaults": "text_sets.defaults",
    "sentiment": "text_sets.sentiment",
    "options": "text_sets.options",
    "sklearn": "same_as_sklearn.text",
    "digest": "laws.digest",
    "tables": "table_sets.tables",
    "many-classes": "table_sets.many_classes",
    "left-out": "table_sets.left_out",
    "forget": "laws.forget",
    "merge": "laws.merge",
}


def run(name: str, shared: Path) -> Iterator[Row]:
    """Yield the rows of one group; an error ends the group as a row of its own, so that the others still run."""
    module, function = GROUPS[name].split(".")
    try:
        yield from getattr(import_module(f"{__package__}.{module}"), function)(shared)
    except Exception as error:
        traceback.print_exc()
        yield Row(name, "(the group ended here)", "no error", f"{type(error).__name__}: {error}"[:200], False)


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen groups and print their table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__.partition("\n")[0])
    parser.add_argument("group", nargs="*", choices=[*GROUPS, []], help=f"any of {', '.join(GROUPS)}; default all")
    default = os.environ.get("TALLYBAYES_SHARED", str(Path(__file__).parents[2] / "shared"))
    parser.add_argument("--shared", type=Path, default=default, help="the folder with data/ (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the JSON lines here instead of to standard error")
    chosen = parser.parse_args(arguments)
    if not (chosen.shared / "data").is_dir():
        parser.error(f"no folder {chosen.shared / 'data'}: name the folder of the data sets with --shared")
    rows: list[Row] = []
    with open(chosen.json, "w", encoding="utf-8") if chosen.json else nullcontext(sys.stderr) as stream:
        for name in chosen.group or GROUPS:
            rows += emit(name, run(name, chosen.shared), stream)
    print(f"{machine()}; {versions('tallybayes', 'numpy', 'scikit-learn', 'jieba')}\n")
    print(markdown(rows))
    return int(any(row.reached is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
