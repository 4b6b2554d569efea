"""Options that several commands share, and the types of their values.

An option that is not given is not passed on (`given`), so that a default is written once: in the function or class
that has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..counters.rows import THREADS
from ..readings import Reading
from ..tally import CHANNELS

__all__ = [
    "analyzer_options",
    "columns_option",
    "encoding_option",
    "force_option",
    "given",
    "jobs_option",
    "json_option",
    "output_option",
    "reading_options",
    "seed_option",
    "source_options",
    "table_options",
    "text_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def given(**options: Any) -> dict[str, Any]:
    """The options that were given: those that are not None, and of the repeatable ones those not empty.

    Examples
    --------
    >>> given(alpha=0.5, prior=None, lowercase=False, classes=())
    {'alpha': 0.5, 'lowercase': False}
    """
    return {name: value for name, value in options.items() if value is not None and value != ()}


def span(text: str) -> tuple[int, int]:
    """``MIN,MAX``, two whole numbers from 1 up; or ``N``, which is ``N,N``."""
    match = re.fullmatch(r"\s*(\d{1,6})\s*(?:,\s*(\d{1,6})\s*)?", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not MIN,MAX (two whole numbers, such as 1,2) or one whole number")
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high:
        raise click.BadParameter(f"{text!r}: wanted 1 <= MIN <= MAX")
    return low, high


def width(text: str) -> int:
    """A number of hash columns: a whole number, or a power such as ``2^20``."""
    match = re.fullmatch(r"(\d{1,10})|2(?:\^|\*\*)(\d\d?)", text)
    columns = 0 if match is None else int(match[1]) if match[1] else 2 ** int(match[2])
    if not 1 <= columns <= 2**31:
        raise click.BadParameter(f"{text!r} is not a number of columns from 1 to 2^31, such as 1048576 or 2^20")
    return columns


def number(text: str) -> float:
    """A finite number, not below 0."""
    try:
        value = float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number") from None
    if not 0.0 <= value < float("inf"):
        raise click.BadParameter(f"{text!r}: wanted a finite number, not below 0")
    return value


def frequency(text: str) -> int | float:
    """A document frequency: a whole number of documents, or a share of them from 0.0 to 1.0."""
    if re.fullmatch(r"\d{1,18}", text):
        return int(text)
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise click.BadParameter(f"{text!r} is not a number of documents, such as 5, or a share, such as 0.5")
    return share


def threads(text: str | int) -> int:
    """A number of threads from 1 to `THREADS`, or -1 for one a core."""
    if not re.fullmatch(r"-1|[1-9]\d{0,3}", str(text)) or int(text) > THREADS:
        raise click.BadParameter(f"{text!r} is not a number of threads from 1 to {THREADS}, nor -1 for one a core")
    return int(text)


PRIORS = ("documents", "words", "uniform")


def prior(text: str) -> str | dict[str, float]:
    """One of `PRIORS`, or the probability of each class: ``NAME=P,NAME=P``."""
    if text in PRIORS:
        return text
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, probability = part.rpartition("=")
        try:
            found[name] = float(probability)
        except ValueError:
            found[name] = -1.0
        if not name or not 0.0 <= found[name] <= 1.0:
            wanted = f"{', '.join(PRIORS)}, or NAME=P,NAME=P with P from 0 to 1"
            raise click.BadParameter(f"{text!r} is none of {wanted}")
    return found


def names(text: str) -> tuple[str, ...]:
    """``NAME,NAME``: names of columns, or their numbers from 1."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise click.BadParameter(f"{text!r} is not NAME,NAME, such as age,town")
    return found


def encoding(text: str) -> str:
    """The name of a text encoding that Python knows, or ``auto``."""
    if text == "auto":
        return text
    try:
        "".encode(text)
    except (LookupError, ValueError):
        known = "utf-8, gb18030, big5 or latin-1"
        raise click.BadParameter(f"{text!r} is not a text encoding, such as {known}, nor auto") from None
    return text


def label_pattern(text: str) -> re.Pattern[str]:
    """A regular expression with a group named ``label``."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}") from None
    if "label" not in pattern.groupindex:
        raise click.BadParameter(f"{text!r} has no group named label, such as (?P<label>[a-z]+)")
    return pattern


def class_file(text: str) -> tuple[str, str]:
    """``NAME=FILE``: a class and the file of its documents, one a line."""
    name, _, path = text.partition("=")
    if not name or not path:
        raise click.BadParameter(f"{text!r} is not NAME=FILE, such as spam=spam.txt")
    return name, path


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator of several options, listed in the help in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


text_option = click.option(
    "--text", "text_column", metavar="COLUMN", help="The column of the text, by name, or by number from 1."
)
columns_option = click.option(
    "--columns",
    type=names,
    metavar="NAME,NAME",
    help="The table's columns, where the model's own names are not theirs; for models of columns.",
)
encoding_option = click.option(
    "--encoding", type=encoding, metavar="NAME", help="The files' encoding, or auto to guess it once a file."
)
table_options = _together(
    click.option("--no-header", "header", flag_value=False, default=None, help="The table's first row names nothing."),
    click.option("--separator", metavar="CHAR", help="What parts a table's cells: a character, comma, tab, semicolon."),
    click.option("--no-quotes", "quotes", flag_value=False, default=None, help="Quotes mean nothing; rows are lines."),
)
source_options = _together(
    text_option,
    click.option("--label", "label_column", metavar="COLUMN", help="The column of the label."),
    table_options,
    click.option(
        "--label-pattern",
        type=label_pattern,
        metavar="REGEX",
        help="The label is this group of the file's name: label.",
    ),
    click.option("--subfolder", metavar="NAME", help="Read only this folder inside a folder or archive."),
    click.option(
        "--class",
        "class_files",
        type=class_file,
        metavar="NAME=FILE",
        multiple=True,
        help="A class and its file, one document a line; repeatable.",
    ),
    encoding_option,
    click.option(
        "--on-error", type=click.Choice(["raise", "skip"]), help="Stop at a bad row, or leave it out and count it."
    ),
)

analyzer_options = _together(
    click.option(
        "--tokens",
        metavar="RULE",
        help="words, sklearn, space, chars, chars_in_words, jieba, rjieba, or regex:PATTERN.",
    ),
    click.option("--ngrams", type=span, metavar="MIN,MAX", help="Lengths of the word n-grams; N alone is N,N."),
    click.option(
        "--cjk", type=span, metavar="MIN,MAX", help="Lengths of the n-grams of Chinese, Japanese, Thai characters."
    ),
    click.option("--hash", type=width, metavar="N", help="Hash the features into so many columns, such as 2^20."),
    click.option("--lowercase/--no-lowercase", default=None, help="Whether case is folded."),
    click.option("--normalize", type=click.Choice(["auto", "nfkc", "none"]), help="The Unicode normalisation."),
    click.option("--stop-words", metavar="FILE", help="Words to leave out, one a line."),
)

event_models = [name for name, reading in Reading.event_models.items() if "text" in reading.counters]
reading_options = _together(
    click.option("--event-model", type=click.Choice(event_models), help="How the counts are read."),
    click.option("--alpha", type=number, metavar="NUMBER", help="What smoothing adds to every count."),
    click.option("--prior", type=prior, metavar="PRIOR", help="documents, words, uniform, or NAME=P,NAME=P."),
    click.option("--prior-alpha", type=number, metavar="NUMBER", help="What smoothing adds to every class."),
    click.option("--smoothing", type=click.Choice(["additive", "floor"]), help="How an unseen word is scored."),
    click.option("--floor", type=number, metavar="NUMBER", help="The m of the floor, m / (1 + words of the class)."),
    click.option(
        "--weighting",
        type=click.Choice(["count", "binary", "log", "idf", "tfidf"]),
        help="What a word counts.",
    ),
    click.option(
        "--channels", type=click.Choice(CHANNELS), help="Count this alone: a tenth faster, but read in fewer ways."
    ),
    click.option("--norm/--no-norm", default=None, help="Whether complement weights are normalised in each class."),
    click.option("--min-df", type=frequency, metavar="N", help="Leave out features of fewer documents (or 0.01)."),
    click.option("--max-df", type=frequency, metavar="N", help="Leave out features of more documents (or 0.5)."),
    click.option("--max-features", type=click.IntRange(min=1), help="Keep only the most frequent features."),
)

output_option = click.option("-o", "--output", metavar="FILE", required=True, help="The file to write.")
force_option = click.option("--force", is_flag=True, help="Replace the file if it exists.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The seed of every draw."
)
jobs_option = click.option(
    "--jobs", type=threads, metavar="N", default=-1, show_default=True, help="Threads; -1 is one a core."
)
