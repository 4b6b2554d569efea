"""Commands for tests/test_cli_frame.py, each of which meets one of the ends that a command can meet."""

from __future__ import annotations

import gzip
import sys
import time
import warnings
from pathlib import Path

import click

from tallybayes.cli import _options
from tallybayes.cli._group import LazyGroup, Verb, run
from tallybayes.cli._output import note, writing
from tallybayes.cli._progress import progress
from tallybayes.errors import InputError

REFUSALS = {
    "own": InputError("line 3: wanted a label,\ncame \x1b[31m'eggs'"),
    "missing": FileNotFoundError(2, "No such file or directory", "mails.csv"),
    "encoding": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    "memory": MemoryError(),
    "fault": KeyError("x"),
}


@click.command()
@click.argument("kind", type=click.Choice(sorted(REFUSALS)))
def refuse(kind: str) -> None:
    """Raise an error."""
    raise REFUSALS[kind]


@click.command()
@click.argument("path", type=click.Path())
def unzip(path: str) -> None:
    """Read a gzip file."""
    click.echo(gzip.decompress(Path(path).read_bytes()))


@click.command()
def count() -> None:
    """Print numbers for ever."""
    number = 0
    while True:
        number += 1
        print(number)


@click.command()
def wait() -> None:
    """Say that it is there, then wait."""
    print("waiting", flush=True)
    time.sleep(60)


@click.command()
def talk() -> None:
    """Data, a word to the user, a warning, and progress."""
    with progress("talking", total=10) as advance:
        time.sleep(0.2)  # a bar is drawn anew after a tenth of a second at the earliest
        advance(rows=1, size=10)
    note("one row")
    warnings.warn("the row is short", UserWarning, stacklevel=1)
    print("数据")


@click.command()
@click.argument("text")
@click.option("--fail", is_flag=True)
@_options.output_option
@_options.force_option
def write(text: str, fail: bool, output: str, force: bool) -> None:
    """Write a file."""
    with writing(output, force=force) as stream:
        stream.write(text.encode())
        if fail:
            raise InputError("half way")


@click.command()
@_options.source_options
@_options.analyzer_options
@_options.reading_options
@_options.seed_option
@_options.jobs_option
@_options.json_option
def options(**values: object) -> None:
    """Print what was given."""
    for name, value in _options.given(**values).items():
        print(name, repr(value))


@click.command()
def third() -> int:
    """Return an exit status of its own."""
    return 3


VERBS = {
    command.name: Verb(f"cli_probe:{command.name}", command.help)
    for command in (refuse, unzip, count, wait, talk, write, options, third)
}
VERBS["broken"] = Verb("no_such_module:broken", "Cannot be imported.")

if __name__ == "__main__":
    sys.exit(run(LazyGroup("probe", verbs=VERBS, help="A probe.")))
