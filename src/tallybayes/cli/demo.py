"""``tallybayes demo``: the whole tool in a minute, on real sentences in 60 languages, without a network."""

from __future__ import annotations

import time
from importlib.resources import files

import click

from ..counters import TextCounter
from ..errors import MissingExtraError
from ..evaluation import evaluate
from ..model import Model
from ..readings import MultinomialReading
from ..text.analyzer import Analyzer
from ._options import jobs_option
from ._output import summed_up

__all__ = ["demo"]

FORGOTTEN = 100
SENTENCES = {"Chinese": "今天晚上七点我们一起去看电影吧", "English": "we are going to the cinema at seven tonight"}


@click.command()
@jobs_option
def demo(jobs: int) -> None:
    """Learn to tell 60 languages apart from the sentences that the package `eld` ships, and show what follows."""
    documents, labels = sentences()
    click.echo(f"{len(documents):,} sentences in {len(set(labels))} languages; every fifth is held out for the test\n")
    held_out = [number % 5 == 4 for number in _position_in_class(labels)]
    train = [row for row, test in zip(zip(documents, labels, strict=True), held_out, strict=True) if not test]
    test = [row for row, test in zip(zip(documents, labels, strict=True), held_out, strict=True) if test]
    counter = TextCounter(Analyzer(tokens="chars_in_words", ngrams=(1, 3)))
    empty = Model(counter, MultinomialReading(alpha=0.1), n_jobs=jobs)
    start = time.perf_counter()
    model = empty.learned(*_columns(train))
    learnt = time.perf_counter()
    documents, labels = _columns(test)
    scores = model.predict_log_proba(documents)
    answered = time.perf_counter()
    report = evaluate(labels, scores, model.classes.tolist())
    click.echo(f"learnt    {summed_up(model)} in {learnt - start:.2f} s")
    click.echo(f"answered  {len(test):,} sentences in {answered - learnt:.2f} s: {report.accuracy:.4%} right")
    worst = sorted(report.per_class, key=lambda row: row["f1"])[:5]
    click.echo("hardest   " + ", ".join(f"{row['class']} (F1 {row['f1']:.3f})" for row in worst) + "\n")
    for language, sentence in SENTENCES.items():
        answer, probability = model.predict([sentence])[0], model.predict_proba([sentence]).max()
        click.echo(f"{language}: {sentence}\n→ {answer} (probability {probability:.6f})")
        click.echo(model.explain(sentence).to_text(top=4) + "\n")
    start = time.perf_counter()
    rest = model.without(*_columns(train[:FORGOTTEN]))
    forgot = time.perf_counter()
    never = empty.learned(*_columns(train[FORGOTTEN:]))
    equal = "equal to" if rest.tally.digest() == never.tally.digest() else "NOT equal to"
    click.echo(f"forgot    {FORGOTTEN} sentences in {forgot - start:.2f} s; digest {rest.tally.digest()[:16]}…,")
    click.echo(f"          {equal} that of a model that never saw them: {never.tally.digest()[:16]}…")


def sentences() -> tuple[list[str], list[str]]:
    """Read the sentences and their language codes from the package `eld`.

    Raises
    ------
    MissingExtraError
        If the package is not installed.
    """
    try:
        text = (files("eld") / "tests" / "data" / "big-test.txt").read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        raise MissingExtraError.of("eld", "demo") from None
    rows = [line.split("\t", 1) for line in text.split("\n") if line]
    return [document for _, document in rows], [label for label, _ in rows]


def _position_in_class(labels: list[str]) -> list[int]:
    """Number the sentences of each language from 0, in their order."""
    seen: dict[str, int] = {}
    positions = []
    for label in labels:
        positions.append(seen.get(label, 0))
        seen[label] = positions[-1] + 1
    return positions


def _columns(rows: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Part rows into documents and labels."""
    return [document for document, _ in rows], [label for _, label in rows]
