"""The memory of answering follows neither the rows nor the classes, however many of both there are."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROBE = """
import resource
import numpy as np
from tallybayes import Analyzer, Model, Reading, TextCounter

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

rng = np.random.default_rng(0)
words = [f"word{{i}}" for i in range(5000)]
ends = rng.integers(0, len(words), (100_000, 6)).tolist()
texts = [" ".join(words[i] for i in row) for row in ends]
labels = [f"class {{i % 1000}}" for i in range(20_000)]
model = Model(TextCounter(Analyzer(ngrams=(1, 1))), Reading.of({event_model!r}), n_jobs=2)
model = model.learned(texts[:20_000], labels)
assert len(model.predict(texts[:3000])) == 3000  # the table is built, and what the first call loads is loaded
before = peak()
answers, n_answers = model.answers, 0
{ask}
assert n_answers == len(texts)
print(peak() - before)
"""

ASKED = {
    "parts": "for first, part in answers.parts(texts):\n"
    "    assert first == n_answers and part.shape[1] == 1000\n"
    "    n_answers += len(part)",
    "top": "best, shares = answers.top(texts, 3)\nn_answers = len(best)\nassert best.shape == shares.shape == (100_000, 3)",
    "predict": "n_answers = len(answers.predict(texts))",
    "decide": "n_answers = len(answers.decide(texts, abstain=0.5))",
}


@pytest.mark.slow
@pytest.mark.parametrize("event_model", ["multinomial", "complement"])
@pytest.mark.parametrize("name", ASKED)
def test_a_hundred_thousand_texts_and_a_thousand_classes_take_300_mb_at_most(name: str, event_model: str) -> None:
    # All scores at once would be 800 MB.
    script = PROBE.format(event_model=event_model, ask=ASKED[name])
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) <= 300
