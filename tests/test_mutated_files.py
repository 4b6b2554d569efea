"""Whatever a model file claims, it is refused in a sentence or it is a model that works: see `tests.mutations`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tallybayes import (
    Analyzer,
    CountCounter,
    Model,
    ModelFileError,
    MultinomialReading,
    ParameterError,
    TextCounter,
    load,
)
from tallybayes.labels import Labels
from tallybayes.model.claims import require_fitting
from tallybayes.store import read_blocks, write_blocks
from tallybayes.tally import ColumnFeatures, CountTally

from .golden_models import FORMS, models, path_of
from .mutations import tried

SEEDS = int(os.environ.get("TALLYBAYES_MUTATIONS", "250"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", models())
def test_a_file_with_odd_claims_is_refused_or_works(tmp_path, name, form):
    became = [tried(name, form, seed, tmp_path) for seed in range(SEEDS)]
    # Most claims cannot be; but a test in which nothing was ever used would show nothing.
    assert became.count("used") > SEEDS // 100
    assert became.count("refused") > SEEDS // 2


def test_no_flipped_bit_of_the_readable_form_is_another_model(tmp_path):
    model = Model().learned(["free 免费"], ["spam"])
    path = tmp_path / "m.json"
    model.save(path)
    whole = path.read_bytes()
    same = 0
    for at in range(len(whole)):
        for bit in (0, 3, 5):  # a digit, a digit or a bracket, a small letter or a capital
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                loaded = load(path)
            except ModelFileError:
                continue
            assert (loaded.counter, loaded.reading, loaded.tally) == (model.counter, model.reading, model.tally)
            assert loaded.producer == Model.load(path).producer
            same += 1
    assert same < len(whole)  # a space for a line's end, and the like


def edited(tmp_path, change):
    """A saved model's JSON, edited by hand with its checksum taken out."""
    path = tmp_path / "m.json"
    Model(reading=MultinomialReading(alpha=0.5)).learned(["free 免费", "see"], ["spam", "ham"]).save(path)
    said = json.loads(path.read_bytes())
    del said["sha256"]
    change(said)
    path.write_text(json.dumps(said))
    return path


def test_an_edited_file_loads_with_a_remark_once_its_checksum_is_taken_out(tmp_path):
    path = edited(tmp_path, lambda said: said["reading"].update(alpha=2))
    with pytest.warns(UserWarning, match="no checksum"):
        assert load(path).reading.alpha == 2.0
    said = json.loads(path.read_bytes())
    path.write_text(json.dumps({**said, "sha256": "0" * 64}))
    with pytest.raises(ModelFileError, match='if you edited it on purpose, take the entry "sha256" out'):
        load(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda said: said["reading"].update(alpah=2.0), "alpah"),
        (lambda said: said.update(notes="mine"), "'notes' is unknown"),
        (lambda said: said["counter"].update(notes="mine"), "'counter.notes' is unknown"),
        (lambda said: said["tally"].update(notes="mine"), "'tally.notes' is unknown"),
        (lambda said: said["tally"]["space"].update(notes="mine"), "'tally.space.notes' is unknown"),
        (lambda said: said["tally"]["classes"].update(notes="mine"), "'tally.classes.notes' is unknown"),
        (lambda said: said["counter"]["analyzer"].update(lowercase=1), "counter.analyzer.lowercase is 1"),
        (lambda said: said["counter"]["analyzer"].update(ngrams=[True, 2]), "ngrams"),
        (lambda said: said["reading"].update(alpha=True), "alpha"),
        (lambda said: said["reading"].update(prior=["0.5", "0.5"]), "reading.prior"),
        (lambda said: said["tally"].update(channels=["occurrences", "documents", "documents"]), "channels"),
        (lambda said: said["tally"].update(columns=[]), "columns"),
        (lambda said: said.update(producer=["me"]), "producer"),
    ],
)
def test_an_entry_that_nobody_reads_or_of_another_type_is_refused(tmp_path, change, words):
    with pytest.raises(ModelFileError, match=words):
        load(edited(tmp_path, change))


def test_a_block_that_nobody_reads_is_refused(tmp_path):
    read = read_blocks(path_of("text", "tally"))
    write_blocks(tmp_path / "m.tally", {**read, "notes": np.zeros(3)}, read.content)
    with pytest.raises(ModelFileError, match="the block 'notes' belongs to no part of the model"):
        load(tmp_path / "m.tally")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "tallybayes-json", "format": "tallybayes-json"}', "'format' stands twice"),
        ('{"format": NaN}', "NaN is no JSON"),
        ('{"format": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"format": "tallybayes-json", "version": 2, "tally": ' + '{"a":' * 900 + "1" + "}" * 900 + "}", "m.json"),
        ("\ufeff{}", "no JSON"),
        ('{"format": "tallybayes-json", "version": 2, "tally": 1' + "0" * 5000 + "}", "no JSON"),
    ],
)
def test_json_that_readers_take_in_different_ways_is_refused(tmp_path, text, words):
    path = tmp_path / "m.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileError, match=words) as caught:
        load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", FORMS)
def test_only_a_regular_file_is_read_as_a_model(tmp_path, form):
    os.mkfifo(tmp_path / f"pipe.{form}")
    (tmp_path / f"zero.{form}").symlink_to("/dev/zero")
    (tmp_path / f"folder.{form}").mkdir()
    (tmp_path / f"empty.{form}").touch()
    for name, words in [("pipe", "no regular file"), ("zero", "no regular file"), ("folder", "this is a folder")]:
        with pytest.raises(ModelFileError, match=words):
            load(tmp_path / f"{name}.{form}")
    for name in ("empty", "missing", "nul\0"):
        with pytest.raises(ModelFileError):
            load(tmp_path / f"{name}.{form}")


@pytest.mark.parametrize("form", FORMS)
def test_a_small_file_does_not_ask_for_gigabytes(tmp_path, form):
    wide, (labels, _) = TextCounter(Analyzer(hash=2**31)), Labels.of(["a"])
    counts = {"occurrences": [1], "documents": [1]}
    tally = CountTally(labels, [1], ColumnFeatures(np.array([7]), 2**31), [0, 1], [0], counts, wide.space)
    model = Model(wide, MultinomialReading(), tally)
    with pytest.raises(ParameterError, match=r"2,147,483,648 columns for 1 numbers, .*fewer columns"):
        model.save(tmp_path / f"m.{form}")
    assert not list(tmp_path.iterdir())
    columns = ColumnFeatures(np.arange(2**14), 2**24)
    cells = np.ones(2**14, np.int64)
    counter = CountCounter(n_columns=2**24)
    full = CountTally(labels, [1], columns, np.arange(2**14 + 1), cells * 0, {"occurrences": cells}, counter.space)
    require_fitting(counter, full)  # as many columns as there are, where there are many numbers


@pytest.mark.skipif(
    "TALLYBAYES_SANITIZED" in os.environ, reason="AddressSanitizer itself reserves terabytes of addresses"
)
def test_a_claim_of_many_columns_is_refused_before_it_takes_memory(tmp_path):
    read = read_blocks(path_of("text-hashed", "tally"))
    said = read.content
    said["counter"]["analyzer"]["hash"][1] = said["tally"]["n_columns"] = said["tally"]["space"]["hash"][2] = 2**31
    write_blocks(tmp_path / "m.tally", read, said)
    code = f"""
import resource
from tallybayes import ModelFileError, load
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
try:
    load({str(tmp_path / "m.tally")!r}).predict(["free"])
except ModelFileError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "2,147,483,648 columns" in done.stdout
