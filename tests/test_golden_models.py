"""Model files of every kind, format number and form keep loading, to the models that were saved."""

from __future__ import annotations

import importlib.metadata
import json

import numpy as np
import pytest

from tallybayes import Model, ModelFileError, load
from tallybayes.store import FORMAT, read_blocks, write_blocks

from .golden_models import FOLDER, FORMS, answers_of, models, path_of

MODELS = models()
FILES = sorted(path for form in FORMS for path in FOLDER.glob(f"*.{form}"))
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def name_of(path):
    """The model of a file, and the number of its format."""
    name, _, number = path.stem.rpartition("-")
    return name, number


@every_file
def test_a_file_gives_the_model_and_the_answers_that_were_recorded(path):
    name, number = name_of(path)
    model, rows = MODELS[name]
    loaded = load(path)
    assert (loaded.counter, loaded.reading, loaded.tally) == (model.counter, model.reading, model.tally)
    assert loaded.classes.dtype == model.classes.dtype
    assert answers_of(loaded, rows) == answers_of(model, rows)
    recorded = json.loads((FOLDER / f"answers-{number}.hex").read_text())[name]
    # NumPy's logarithm differs in its last bit between processors with and without AVX-512.
    wanted = np.array([[float.fromhex(score) for score in row] for row in recorded])
    np.testing.assert_array_max_ulp(loaded.predict_joint_log_proba(rows), wanted, maxulp=8)


@every_file
def test_saving_again_gives_the_same_bytes(path, tmp_path, monkeypatch):
    if name_of(path)[1] != f"{FORMAT[0]}.{FORMAT[1]}":
        pytest.skip("an older format is read, and no longer written")
    loaded = load(path)
    if path.stem == "values-2.0":  # written while True and 1 were two values: it is renewed when it is read
        loaded.save(tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() != path.read_bytes()
        assert load(tmp_path / path.name).tally == loaded.tally
        return
    monkeypatch.setattr(importlib.metadata, "version", lambda _: loaded.producer.removeprefix("tallybayes "))
    for model in (loaded, MODELS[name_of(path)[0]][0]):
        model.save(tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_every_kind_has_both_forms_in_the_current_format():
    assert {path_of(name, form) for name in MODELS for form in FORMS} <= set(FILES)


def test_a_mapped_file_answers_the_same_bits():
    for name, (model, rows) in MODELS.items():
        assert answers_of(load(path_of(name, "tally"), verify="structure"), rows) == answers_of(model, rows)


def test_a_reading_of_other_rows_is_refused_in_a_sentence(tmp_path):
    said = readable("text")
    said["reading"] = readable("numbers")["reading"]
    (tmp_path / "m.json").write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match=r"^[^\n]*event_model='gaussian' reads numbers, not text$"):
        load(tmp_path / "m.json")


def readable(name):
    """A golden file's JSON, to be edited: without its checksum."""
    said = json.loads(path_of(name, "json").read_bytes())
    del said["sha256"]
    return said


def changed(said, part, name, value):
    return {**said, part: {**said[part], name: value}}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("part", "name", "value", "words"),
    [
        ("counter", "kind", "sounds", "kind of a counter must be one of .*; got 'sounds'"),
        ("counter", "kind", ["text"], "kind of a counter must be one of"),
        ("counter", "kind", None, "kind of a counter must be one of"),
        ("reading", "event_model", "poisson", "event_model must be one of .*; got 'poisson'"),
        ("reading", "event_model", {}, "event_model must be one of"),
        ("reading", "event_model", "gaussian", "alpha=0.5 belongs to event_model="),
        ("tally", "type", "sketch", "type of a tally must be one of .*; got 'sketch'"),
        ("tally", "type", ["count"], "type of a tally must be one of"),
        ("tally", "type", "moments", "class_count|no whole number"),
        ("reading", "alpha", -1, "alpha must be finite"),
        ("counter", "analyzer", {}, "is missing|tokens"),
    ],
)
def test_what_this_program_does_not_know_is_refused_in_a_sentence(tmp_path, form, part, name, value, words):
    path = tmp_path / f"m.{form}"
    original = path_of("text", form)
    if form == "json":
        path.write_text(json.dumps(changed(readable("text"), part, name, value)))
    else:
        blocks = read_blocks(original)
        write_blocks(path, blocks, changed(blocks.content, part, name, value))
    with pytest.raises(ModelFileError, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (1, "only tallybayes 0.1 reads; learn again"),
        (3, "does not know .*update tallybayes"),
        (None, "does not know"),
        ("2", "does not know"),
    ],
)
def test_json_of_another_version_is_refused_in_a_sentence(tmp_path, version, words):
    said = readable("text")
    (tmp_path / "m.json").write_text(json.dumps({**said, "version": version}))
    with pytest.raises(ModelFileError, match=words) as caught:
        load(tmp_path / "m.json")
    assert "\n" not in str(caught.value)


def test_a_model_file_of_format_1_is_refused_in_a_sentence():
    with pytest.raises(ModelFileError, match=r"^[^\n]*only tallybayes 0\.1 reads[^\n]*$"):
        load(FOLDER.parent / "tallies-1.0.tally")


def test_a_model_that_learnt_on_after_loading_is_that_of_all_rows():
    for name, (model, rows) in MODELS.items():
        loaded = load(path_of(name, "json"))
        labels = [model.labels[0]] * len(rows)
        assert (loaded.learned(rows, labels) - loaded).tally.class_count.sum() == len(rows)
        assert loaded.learned(rows, labels).tally == model.learned(rows, labels).tally
        assert isinstance(loaded, Model)
