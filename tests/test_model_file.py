"""A model's file: damage is one sentence, never a crash or another model; a failed or interrupted run leaves the old one."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tallybayes import Analyzer, Model, load
from tallybayes.errors import ModelFileError

from .strategies import counted_and_read

DOCUMENTS = ["cheap pills now", "买 彩票 发财", "lunch at noon", "明天上午开会"]
LABELS = ["spam", "spam", "ham", "ham"]


def small(**reading):
    return Model(*counted_and_read(Analyzer(), "multinomial", **reading)).learned(DOCUMENTS, LABELS)


@pytest.mark.parametrize(
    "reading", [{}, {"weighting": "tfidf"}, {"weighting": "log"}, {"prior": {"ham": 0.4, "spam": 0.6}}]
)
@pytest.mark.parametrize("suffix", ["tally", "json"])
def test_model_1_a_model_comes_back_bit_for_bit(tmp_path, reading, suffix):
    model = small(**reading)
    model.save(tmp_path / f"m.{suffix}")
    loaded = load(tmp_path / f"m.{suffix}")
    np.testing.assert_array_equal(loaded.predict_joint_log_proba(DOCUMENTS), model.predict_joint_log_proba(DOCUMENTS))
    assert loaded.reading == model.reading
    assert loaded.tally == model.tally
    loaded.save(tmp_path / f"n.{suffix}")
    assert (tmp_path / f"n.{suffix}").read_bytes() == (tmp_path / f"m.{suffix}").read_bytes()


def test_model_1_a_thousand_corruptions_are_a_sentence_each(tmp_path):
    small(weighting="tfidf").save(tmp_path / "m.tally")
    whole = (tmp_path / "m.tally").read_bytes()
    rng = random.Random(0)
    path = tmp_path / "bad.tally"
    for _ in range(1000):
        data = bytearray(whole)
        kind = rng.randrange(4)
        if kind == 0:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[rng.randrange(len(data)) :]
        elif kind == 2:
            at = rng.randrange(len(data))
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
        else:
            a, b = sorted(rng.sample(range(len(data)), 2))
            data[a:b] = data[a:b][::-1]
        if bytes(data) == whole:
            continue
        path.write_bytes(data)
        with pytest.raises(ModelFileError) as caught:
            load(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_model_1_json_that_is_no_model_is_refused_in_a_sentence(tmp_path):
    small().save(tmp_path / "m.json")
    whole = (tmp_path / "m.json").read_text(encoding="utf-8")
    path = tmp_path / "bad.json"
    for text in ("", "[]", "{}", whole[:-20], whole.replace('"occurrences"', '"x"'), whole.replace(": 1", ": -1")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ModelFileError, match=r"bad\.json"):
            load(path)


def test_model_2_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.tally"
    small().save(path)
    before = path.read_bytes()
    large = Model().learned([" ".join(f"word{i}" for i in range(5000))], ["a"])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            large.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.tally"]


def test_an_interrupted_training_keeps_the_old_model_and_exits_130(tmp_path):
    small().save(tmp_path / "m.tally")
    before = (tmp_path / "m.tally").read_bytes()
    os.mkfifo(tmp_path / "endless.csv")
    words = ("train", "endless.csv", "--text", "text", "--label", "label", "-o", "m.tally", "--force")
    process = subprocess.Popen(
        [sys.executable, "-m", "tallybayes", *words], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with open(tmp_path / "endless.csv", "w") as pipe:
        pipe.write("label,text\nspam,cheap pills\n" * 50)
        pipe.flush()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert b"Traceback" not in said
    assert (tmp_path / "m.tally").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["endless.csv", "m.tally"]
