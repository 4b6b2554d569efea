"""Labels and names with line ends and escape sequences: printed so that they neither steer a terminal nor break a line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tallybayes.evaluation import evaluate
from tallybayes.layout import width

LABELS = ["\x1b[2J\x1b[1;1Hall fine", "billing\n(old)", "退货", "ok\rspam"]
TEXTS = ["crash", "invoice", "return", "win"]


@pytest.fixture
def said(tallybayes, tmp_path):
    rows = [{"label": label, "text": text} for label, text in zip(LABELS, TEXTS, strict=True)]
    (tmp_path / "o.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows * 3))
    assert tallybayes("train", "o.jsonl", "-o", "o.tally").returncode == 0
    return tallybayes


@pytest.mark.parametrize(
    "words",
    [
        "evaluate o.tally o.jsonl",
        "inspect o.tally --top 1",
        "train o.jsonl --holdout 0.5 --seed 1 -o p.tally",
        "explain o.tally crash",
        "explain o.tally crash --of nobody",
        "derive o.tally crash",
        "derive o.tally crash --format markdown",
    ],
)
def test_no_label_steers_a_terminal(said, words):
    done = said(*words.split())
    shown = done.stdout + done.stderr
    assert not [c for c in shown if not c.isprintable() and c != "\n"]
    assert not [line for line in shown.splitlines() if line.startswith(("(old)", "spam"))]


def test_a_file_s_name_steers_no_terminal(said):
    assert said("merge", "o.tally", "-o", "\x1b[2J.tally").stderr.startswith(r"\x1b[2J.tally: 12 documents")
    assert said("inspect", "\x1b[3J.tally").stderr.startswith(r"tallybayes: \x1b[3J.tally")


def test_wide_labels_stand_in_columns():
    text = evaluate(["退货", "ham"], np.log([[0.9, 0.1], [0.6, 0.4]]), ["退货", "ham"]).to_text()
    per_class, confusion = (part.splitlines() for part in text.split("\n\n")[1:])
    assert len(set(map(width, per_class))) == 1
    assert len(set(map(width, confusion[1:]))) == 1
