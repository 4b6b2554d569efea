"""A small model of every kind, and what it is asked: the golden model files are made of these.

``python -m tests.golden_models`` writes the files of the current format number under ``tests/golden/models``.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np

from tallybayes import (
    Analyzer,
    BernoulliReading,
    CategoricalReading,
    CategoryCounter,
    ComplementReading,
    CountCounter,
    GaussianReading,
    Model,
    MultinomialReading,
    NumberCounter,
    TextCounter,
    TfidfCounter,
)
from tallybayes.store import FORMAT
from tallybayes.tally.selection import Selection

FOLDER = Path(__file__).parent / "golden" / "models"
FORMS = ("tally", "json")

MAILS = ["cheap pills now, cheap!", "买彩票，发大财", "lunch at noon?", "明天上午开会", "Zürich now"]
KINDS = ["spam", "spam", "ham", "ham", "新"]
QUERIES = ["cheap lunch", "明天买彩票", "never seen", ""]
WORDS = Analyzer("space", ngrams=(1, 1), stop_words=["at"])
MATRIX = [[3, 0, 1, 0], [0, 2, 0, 0], [1, 1, 4, 0], [0, 5, 1, 0]]
FRUIT = [
    ("red", True, 3, b"x", dt.date(2024, 2, 29)),
    ("green", False, -7, None, dt.date(2025, 1, 1)),
    (None, True, 3, b"y", dt.date(2024, 2, 29)),
    ("红", False, 0.5, b"x", None),
]
GAPS = [[0.5, 1e8, np.nan], [1.5, 1e8 + 1, 2.0], [np.nan, 1e8 + 5, -3.0], [-2.0, 1e8 + 9, 4.0]]


def models() -> dict[str, tuple[Model, Any]]:
    """Return a model of each kind, and rows to ask it about."""
    prior = {"ham": 0.25, "spam": 0.25, "新": 0.5}
    days = np.array(["2024-02-29", "2024-02-29", "2025-01-01", "2025-01-01"], "M8[D]")
    names = ("size", "weight", "年龄")
    full = np.nan_to_num(GAPS, nan=0.25)
    seen = [("red", False, 3, b"y", dt.date(2025, 1, 1)), ("blue", True, -7, None, None)]
    text = TextCounter(Analyzer(ngrams=(1, 2), cjk=(1, 2)))
    return {
        "text": (Model(text, MultinomialReading(alpha=0.5, prior=prior)).learned(MAILS, KINDS), QUERIES),
        "text-log": (Model(TextCounter(WORDS, value="log"), ComplementReading()).learned(MAILS, KINDS), QUERIES),
        "text-hashed": (
            Model(TextCounter(Analyzer(hash=64)), BernoulliReading()).learned(MAILS, KINDS, weights=[1, 0.5, 2, 1, 1]),
            QUERIES,
        ),
        "tfidf": (
            Model(TfidfCounter(WORDS, Selection(min_df=1, max_features=9)), MultinomialReading()).learned(MAILS, KINDS),
            QUERIES,
        ),
        "counts": (
            Model(CountCounter(columns=("a", "b", "c", "d")), ComplementReading(norm=True)).learned(
                MATRIX, [1, 2, 1, 5]
            ),
            [[1, 2, 0, 0], [0, 0, 0, 3], [0.5, 0, 7, 1]],
        ),
        "counts-present": (
            Model(CountCounter(("documents",), 0.5), BernoulliReading(alpha=0.1)).learned(MATRIX, [True, False] * 2),
            [[1, 2, 0, 0], [0, 0, 0, 3], [0.4, 0, 7, 1]],
        ),
        "codes": (
            Model(CategoryCounter(), CategoricalReading()).learned(np.array(MATRIX), days),
            np.array([[3, 1, 9, 0], [0, 0, 0, 0]]),
        ),
        "values": (
            Model(
                CategoryCounter(missing="skip", columns=("a", "b", "c", "d", "e")), CategoricalReading(alpha=0.5)
            ).learned(FRUIT, [b"p", b"q", b"p", b"q"]),
            seen,
        ),
        "numbers": (
            Model(NumberCounter(columns=names), GaussianReading()).learned(full, [0.5, 2.5, 0.5, 2.5]),
            [[0.0, 1e8, 0.0], [1.0, 1e8 + 4, 1.0]],
        ),
        "numbers-gaps": (
            Model(NumberCounter(missing="skip"), GaussianReading(ddof=1, prior="uniform")).learned(GAPS, list("abab")),
            [[0.0, np.nan, 0.0], [1.0, 1e8 + 4, 1.0]],
        ),
    }


def path_of(name: str, form: str) -> Path:
    """Return where a model's file of the current format stands."""
    return FOLDER / f"{name}-{FORMAT[0]}.{FORMAT[1]}.{form}"


def answers_of(model: Model, rows: Any) -> list[list[str]]:
    """Return the joint log scores to the last bit."""
    return [[score.hex() for score in row] for row in model.predict_joint_log_proba(rows).tolist()]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = models()
    for name, (model, _) in made.items():
        for form in FORMS:
            model.save(path_of(name, form))
    answers = {name: answers_of(model, rows) for name, (model, rows) in made.items()}
    path_of("answers", "hex").write_text(json.dumps(answers, indent=1) + "\n")
