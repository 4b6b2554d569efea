"""``explain`` and ``derive`` as a user meets them."""

from __future__ import annotations

import json

import pytest

from tallybayes import Analyzer, Model, MultinomialReading, TextCounter

CHINESE = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
QUERY = "Chinese Chinese Chinese Tokyo Japan"


@pytest.fixture
def model(tmp_path):
    model = Model(TextCounter(Analyzer("space", ngrams=(1, 1))), MultinomialReading(alpha=1.0))
    model = model.learned(CHINESE, ["yes", "yes", "yes", "no"])
    model.save(tmp_path / "china.tally")
    return model


@pytest.fixture
def said(model, tallybayes):
    def run(*words, **settings):
        done = tallybayes(*words, **settings)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def test_explain_prints_what_the_model_says(said, model):
    assert said("explain", "china.tally", QUERY) == f"{model.explain(QUERY)}\n"
    swapped = model.explain(QUERY, of="no", against="yes").to_text(top=1)
    assert said("explain", "china.tally", QUERY, "--of", "no", "--against", "yes", "--top", "1") == f"{swapped}\n"


@pytest.mark.parametrize("verb", ["explain", "derive"])
def test_a_document_comes_as_text_from_a_file_or_from_standard_input(said, tmp_path, verb):
    (tmp_path / "query.txt").write_text(QUERY, encoding="utf-8-sig")
    (tmp_path / "query.gbk").write_bytes(f"{QUERY} 东京".encode("gb18030"))
    wanted = said(verb, "china.tally", QUERY)
    assert said(verb, "china.tally", "query.txt") == wanted
    assert said(verb, "china.tally", stdin=QUERY) == wanted
    assert said(verb, "china.tally", "-", stdin=QUERY) == wanted
    assert "东京" in said(verb, "china.tally", "query.gbk", "--encoding", "gb18030")


def test_the_formats(said, model, tmp_path):
    data = json.loads(said("explain", "china.tally", QUERY, "--format", "json"))
    assert data == json.loads(json.dumps(model.explain(QUERY).to_dict()))
    assert json.loads(said("derive", "china.tally", QUERY, "--format", "json"))["joint"][1]["exact"] == "81/268912"
    assert r"\frac{81}{268912}" in said("derive", "china.tally", QUERY, "--format", "markdown")
    assert said("explain", "china.tally", QUERY, "--format", "html", "-o", "why.html") == ""
    assert (tmp_path / "why.html").read_text(encoding="utf-8") == model.explain(QUERY).to_html(20)
    assert "<mn>268912</mn>" in said("derive", "china.tally", QUERY, "--format", "html")


def test_derive_prints_the_fractions(said):
    text = said("derive", "china.tally", QUERY)
    assert " = 81/268912 ≈ " in text
    assert "4782969/6934265 ≈ 0.68975861" in text
    assert "2 more features enter as well" in said("derive", "china.tally", QUERY, "--features", "1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", "china.tally", "x", "--of", "maybe"], "the model has no class 'maybe'; its classes are no, yes"),
        (["explain", "china.tally", "x", "--of", "yes", "--against", "yes"], "compares two classes"),
        (["explain", "missing.tally", "x"], "missing.tally: the file cannot be opened"),
        (["derive", "china.tally", "broken.txt"], "broken.txt"),
        (["derive", "china.tally", "x", "-o", "china.tally"], "china.tally exists already; --force replaces it"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(model, tallybayes, tmp_path, words, message):
    (tmp_path / "broken.txt").write_bytes(b"caf\xe9 noir")
    done = tallybayes(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_wrong_usage(model, tallybayes):
    assert tallybayes("explain", "china.tally", "x", "--format", "pdf").returncode == 2
    assert tallybayes("derive").returncode == 2


def test_labels_that_are_no_text_are_named_as_they_are_written(tmp_path, tallybayes):
    model = Model(TextCounter(Analyzer("space"))).learned(["a b", "c d"], [1, 2])
    model.save(tmp_path / "numbers.tally")
    done = tallybayes("explain", "numbers.tally", "a c c", "--of", "1", "--format", "json")
    data = json.loads(done.stdout)
    assert (data["of"], data["against"]) == (1, 2)
