"""Labels of other types than the model's: text is read as the model's kind, and what has a type of its own is refused."""

from __future__ import annotations

import json

import pytest

SOURCES = {
    "n.csv": "label,text\n1,win a prize\n0,see you\n",
    "b.csv": "label,text\ntrue,win a prize\nfalse,see you\n",
    "n.jsonl": '{"label":1,"text":"win a prize"}\n{"label":0,"text":"see you"}\n',
    "b.jsonl": '{"label":true,"text":"win a prize"}\n{"label":false,"text":"see you"}\n',
}


@pytest.fixture
def said(tallybayes, tmp_path):
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)

    def run(*words, stdin=""):
        done = tallybayes(*words, stdin=stdin)
        assert "Traceback" not in done.stderr
        return done

    for name in SOURCES:
        assert run("train", name, "-o", f"{name}.tally").returncode == 0
    return run


@pytest.mark.parametrize(
    ("first", "second", "matched"),
    [
        ("n.jsonl", "n.csv", True),  # the cells of a table have no type
        ("b.jsonl", "n.csv", True),
        ("b.jsonl", "b.csv", True),
        ("n.jsonl", "b.csv", False),  # the word true is a number as a category, not as a label
        ("n.csv", "n.jsonl", False),
        ("n.csv", "b.jsonl", False),
        ("n.jsonl", "b.jsonl", False),
        ("b.jsonl", "n.jsonl", False),
    ],
)
def test_labels_of_another_type_are_read_or_refused_alike_everywhere(said, tmp_path, first, second, matched):
    model = f"{first}.tally"
    for words in (
        ["evaluate", model, second, "--json"],
        ["forget", model, second, "-o", "rest.tally"],
        ["train", first, second, "-o", "both.tally"],
    ):
        done = said(*words)
        assert done.returncode == (0 if matched else 1), words
        if matched and words[0] == "evaluate":
            assert (json.loads(done.stdout)["accuracy"], json.loads(done.stdout)["unseen"]) == (1, 0)
        if not matched:
            assert done.stderr.count("\n") == 1
            assert f"{second}, line {1 + second.endswith('csv')}: the label " in done.stderr
            assert ", as the model's classes are: " in done.stderr
    assert (tmp_path / "both.tally").exists() is matched
    done = said("merge", model, f"{second}.tally", "-o", "sum.tally")
    assert (done.returncode, "labels mix" in done.stderr) == (1, True), "two models both have types"


@pytest.mark.parametrize(("source", "label"), [("n.csv", "1"), ("n.jsonl", 1), ("b.jsonl", True)])
def test_every_verb_prints_a_label_with_its_type(said, source, label):
    model = f"{source}.tally"
    answer = json.loads(said("predict", model, stdin="win a prize\n").stdout)
    assert (answer["label"], type(answer["label"])) == (label, type(label))
    assert json.loads(said("evaluate", model, source, "--json").stdout)["classes"][1] == label
    assert json.loads(said("explain", model, "win a prize", "--format", "json").stdout)["answer"] == label
