"""``tallybayes train``: labelled documents → a saved model, tested on a part that it did not see."""

from __future__ import annotations

from typing import Any

import click
import orjson

from ..model import Model
from ..model.text import text_counter, text_reading
from ..text.analyzer import Analyzer
from ._learning import Split, learn, test, words_of
from ._options import (
    analyzer_options,
    force_option,
    given,
    jobs_option,
    output_option,
    reading_options,
    seed_option,
    source_options,
)
from ._output import check_target, note, summed_up, writing
from ._sources import SOURCE_OPTIONS, sources_of

__all__ = ["train"]

ANALYZER = ("tokens", "ngrams", "cjk", "hash", "lowercase", "normalize")
COUNTER = ("channels", "weighting", "min_df", "max_df", "max_features")


@click.command()
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@output_option
@source_options
@click.option("--holdout", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="Test on this share.")
@click.option("--test-list", metavar="FILE", help="Test on the files named in this list, one a line.")
@click.option("--report", "report_path", metavar="FILE", help="Write the test's report there, as JSON.")
@reading_options
@analyzer_options
@seed_option
@jobs_option
@force_option
def train(
    sources: tuple[str, ...],
    output: str,
    holdout: float | None,
    test_list: str | None,
    report_path: str | None,
    seed: int,
    jobs: int,
    force: bool,
    stop_words: str | None,
    **options: Any,
) -> None:
    """Learn from labelled documents and save the model.

    SOURCE is a table (.csv, .tsv, .jsonl, .parquet), a folder with a folder per class, a folder or archive (.tar, .zip)
    of files whose name tells the class (--label-pattern), or nothing with --class NAME=FILE.

    \b
    tallybayes train mails.csv --text body --label verdict --holdout 0.2 -o mails.tally
    tallybayes train --class spam=spam.txt --class ham=ham.txt -o spam.tally
    tallybayes train articles.tar.gz --label-pattern '[0-9]*(?P<label>[a-z]+)' -o topics.tally
    """
    target = check_target(output, force=force)
    if report_path is not None:
        if holdout is None and test_list is None:
            raise click.UsageError("--report needs a test: give --holdout 0.2 or --test-list FILE")
        if report_path != "-":
            check_target(report_path, force=force)
    analyzer = given(**{name: options.pop(name) for name in ANALYZER}, stop_words=words_of(stop_words))
    if analyzer.get("normalize") == "none":
        analyzer["normalize"] = None
    where = {name: options.pop(name) for name in SOURCE_OPTIONS if name in options}
    source = sources_of(sources, learning=True, **where)
    chosen = given(**options)
    if "channels" in chosen:
        chosen["channels"] = (chosen["channels"],)
    counter = text_counter(Analyzer(**analyzer), **{name: chosen[name] for name in COUNTER if name in chosen})
    chosen.pop("channels", None)
    model = Model(counter, text_reading(**{"alpha": 0.1, **chosen}), n_jobs=jobs)
    held_out = Split.of(holdout=holdout, test_list=test_list, seed=seed)
    model, rows = learn(model, source, held_out)
    if held_out.how:
        report = test(model, held_out.test(source))
        note(report.to_text())
        if report_path is not None:
            with writing(report_path, force=force) as stream:
                stream.write(orjson.dumps({**report.to_dict(), "split": held_out.how}, option=orjson.OPT_INDENT_2))
                stream.write(b"\n")
    model.save(target)
    note(f"{target}: {summed_up(model, rows)}")
