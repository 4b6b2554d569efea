"""Explanations: the parts sum to what predict's kernel says, they stand where the words stand, and they read well."""

from __future__ import annotations

import gzip
import json
import math
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Analyzer, InputError, InputTypeError, Model, ParameterError
from tallybayes.layout import width

from .strategies import counted_and_read

SPACE = Analyzer("space", ngrams=(1, 1))
MAILS = [
    ("spam", "免费 领取 彩票 大奖，点击链接"),
    ("ham", "明天下午三点开会"),
    ("spam", "cheap pills buy now"),
    ("ham", "lunch at noon tomorrow?"),
    ("spam", "恭喜您中奖了，请速领取"),
]
READINGS = {
    "multinomial": {"event_model": "multinomial"},
    "word prior": {"event_model": "multinomial", "prior": "words", "prior_alpha": 1.0},
    "given prior": {"event_model": "multinomial", "prior": {"a": 0.5, "b": 0.25, "c": 0.25}},
    "floor": {"event_model": "multinomial", "smoothing": "floor"},
    "binary": {"event_model": "multinomial", "weighting": "binary"},
    "log": {"event_model": "multinomial", "weighting": "log"},
    "idf": {"event_model": "multinomial", "weighting": "idf"},
    "tfidf": {"event_model": "multinomial", "weighting": "tfidf"},
    "complement": {"event_model": "complement"},
    "complement norm": {"event_model": "complement", "norm": True, "prior": "documents"},
    "complement log": {"event_model": "complement", "weighting": "log"},
    "bernoulli": {"event_model": "bernoulli"},
    "pruned": {"event_model": "multinomial", "max_features": 2},
}


def learnt(pairs, analyzer=None, **reading):
    parts = counted_and_read(analyzer or Analyzer(), **{"event_model": "complement", "alpha": 0.1, **reading})
    return Model(*parts).learned([document for _, document in pairs], [label for label, _ in pairs])


def parts_of(explanation):
    return [explanation.prior, explanation.bias, *(part.value for part in explanation.contributions)]


def assert_sums_up(explanation, joint=()):
    """The sum is exact to 1e-12 of its terms (and of the scores, whose rounding is all that is left where terms cancel)."""
    parts = parts_of(explanation)
    assert not any(map(math.isnan, [*parts, explanation.log_odds]))
    if math.isinf(explanation.log_odds):
        assert sum(parts) == explanation.log_odds
    else:
        off = abs(math.fsum(parts) - explanation.log_odds)
        assert off <= 1e-12 * math.fsum(map(abs, [*parts, *joint])), explanation


def test_explain_1_evidence_is_the_log_odds_of_each_occurrence_not_its_frequency():
    model = learnt(
        [("ham", "w0 w0 w0 w2 w2"), ("spam", "w0 w1 w1 w1 w1 w2 w2")], SPACE, event_model="multinomial", alpha=1.0
    )
    explanation = model.explain("w0 w1 w1 w2 new", of="spam", against="ham")
    evidence = {part.feature: part.value / part.count for part in explanation.contributions}
    assert evidence["w0"] == pytest.approx(math.log(2 / 5), abs=1e-12)
    assert evidence["w1"] == pytest.approx(math.log(4), abs=1e-12)
    assert evidence["w2"] == pytest.approx(math.log(4 / 5), abs=1e-12)
    assert [part.feature for part in explanation.unknown] == ["new"]
    assert "never seen in training, ignored: new" in str(explanation)
    swapped = model.explain("w0 w1 w1 w2 new", of="ham", against="spam")
    assert parts_of(swapped) == [-part for part in parts_of(explanation)]
    assert swapped.log_odds == -explanation.log_odds
    assert_sums_up(explanation)


corpora = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from("uvwxyz"), max_size=6).map(" ".join)),
    min_size=2,
    max_size=12,
)


@pytest.mark.parametrize("name", READINGS)
@given(
    pairs=corpora, words=st.lists(st.sampled_from([*"uvwxyz", "never"]), max_size=8), alpha=st.sampled_from([0, 0.1, 1])
)
def test_parts_sum_to_the_log_odds_of_predict(name, pairs, words, alpha):
    reading = READINGS[name]
    pairs = [*pairs, ("a", "u"), ("b", "v"), ("c", "w")]
    model = learnt(pairs, SPACE, alpha=alpha, **reading)
    document = " ".join(words)
    joint = model.predict_joint_log_proba([document])[0]
    explanation = model.explain(document)
    assert explanation.answer == explanation.of == model.predict([document])[0]
    for first, second in (("a", "b"), ("c", "a"), ("b", "c")):
        explanation = model.explain(document, of=first, against=second)
        swapped = model.explain(document, of=second, against=first)
        assert parts_of(swapped) == [-part for part in parts_of(explanation)]
        assert swapped.log_odds == -explanation.log_odds
        odds = joint["abc".index(first)], joint["abc".index(second)]
        if odds[0] != odds[1] or math.isfinite(odds[0]):
            assert explanation.log_odds == odds[0] - odds[1]
            assert_sums_up(explanation, odds)
        else:
            assert explanation.note
            assert not math.isnan(explanation.log_odds)


@pytest.mark.parametrize("model_name", ["multinomial", "bernoulli"])
@given(pairs=corpora, words=st.lists(st.sampled_from("uvwxyz"), max_size=8))
def test_contributions_are_those_of_the_exact_derivation(model_name, pairs, words):
    pairs = [*pairs, ("a", "u"), ("b", "v"), ("c", "u v w x y z")]
    model = learnt(pairs, SPACE, event_model=model_name, alpha=0.5)
    document = " ".join(words)
    explanation, derivation = model.explain(document, of="a", against="b"), model.derive(document)
    exact = [math.log(joint.fraction.numerator) - math.log(joint.fraction.denominator) for joint in derivation.joint]
    assert explanation.log_odds == pytest.approx(exact[0] - exact[1], abs=1e-10)
    for part in explanation.contributions:
        counts = [sum(document.split().count(part.feature) for label, document in pairs if label == c) for c in "ab"]
        held = [sum(part.feature in document.split() for label, document in pairs if label == c) for c in "ab"]
        rows = [sum(label == c for label, _ in pairs) for c in "ab"]
        if model_name == "multinomial":
            totals = [sum(len(document.split()) for label, document in pairs if label == c) for c in "ab"]
            logs = [part.count * math.log((n + 0.5) / (total + 3)) for n, total in zip(counts, totals, strict=True)]
        else:  # of being there, against being absent: the absent words are in the bias
            logs = [math.log((n + 0.5) / (total - n + 0.5)) for n, total in zip(held, rows, strict=True)]
        assert part.value == pytest.approx(logs[0] - logs[1], abs=1e-12)


def test_alpha_1_a_word_that_only_the_other_class_has_rules_a_class_out():
    model = learnt([("a", "u v"), ("b", "u w")], SPACE, event_model="multinomial", alpha=0.0)
    explanation = model.explain("u v")
    assert (explanation.of, explanation.log_odds) == ("a", math.inf)
    assert {part.feature: part.value for part in explanation.contributions} == {"u": 0.0, "v": math.inf}
    assert "+∞" in str(explanation)
    assert explanation.to_dict()["log_odds"] == "inf"
    json.dumps(explanation.to_dict(), allow_nan=False)
    both = model.explain("v w")
    assert both.log_odds == 0
    assert "Every class is impossible" in str(both)


def test_bernoulli_without_smoothing_misses_the_word_that_every_document_has():
    model = learnt([("a", "u v"), ("a", "u"), ("b", "v"), ("b", "w u")], SPACE, event_model="bernoulli", alpha=0.0)
    explanation = model.explain("v", of="b", against="a")
    assert explanation.bias == math.inf, "class a has u in every document, and here it is absent"
    assert math.isfinite(next(part.value for part in explanation.contributions))
    assert_sums_up(explanation)


def test_features_stand_where_the_text_has_them():
    model = learnt(MAILS)
    document = "ＣＨＥＡＰ  Pills, 恭喜 中奖!"
    explanation = model.explain(document)
    places = {part.feature: [document[start:end] for start, end in part.places] for part in explanation.contributions}
    assert places["cheap"] == ["ＣＨＥＡＰ"]
    assert places["cheap pills"] == ["ＣＨＥＡＰ  Pills"]
    assert places["恭喜"] == ["恭喜"]


def test_marks_share_every_contribution_over_the_characters_it_covers():
    model = learnt(MAILS)
    document = "cheap pills for 恭喜您 today"
    explanation = model.explain(document)
    marks = explanation.marks
    assert marks.shape == (len(document),)
    assert math.fsum(marks) == pytest.approx(math.fsum(part.value for part in explanation.contributions), abs=1e-12)
    value = {part.feature: part.value for part in explanation.contributions}
    assert marks[0] == pytest.approx(value["cheap"] / 5 + value["cheap pills"] / 10)
    assert marks[document.index(" ")] == 0
    assert marks[document.index("喜")] == pytest.approx(
        value["喜"] + value["恭喜"] / 2 + value["喜您"] / 2 + value["恭喜您"] / 3
    )
    assert not marks[document.index("for") : document.index("for") + 3].any()


def test_a_feature_that_comes_twice_shares_its_value_between_its_places():
    explanation = MODEL.explain("now, then now")
    (now,) = (part for part in explanation.contributions if part.feature == "now")
    assert now.places == ((0, 3), (10, 13))
    assert explanation.marks[[0, 12]] == pytest.approx(now.value / 6)


@given(st.lists(st.sampled_from(["免费", "cheap", " ", "pills", "，", "xyz", "中奖", "\n"]), max_size=20).map("".join))
def test_pieces_are_the_document_and_its_marks(document):
    explanation = MODEL.explain(document)
    pieces = list(explanation.pieces())
    assert "".join(document[start:end] for start, end, _ in pieces) == document
    assert math.fsum(mark for *_, mark in pieces) == pytest.approx(math.fsum(explanation.marks), abs=1e-9)


MODEL = learnt(MAILS)


def test_hashed_features_that_share_a_column_are_one():
    model = learnt(MAILS, Analyzer(hash=4), event_model="multinomial")
    explanation = model.explain("cheap pills buy lunch 免费")
    assert len(explanation.contributions) <= 4
    assert any(" / " in part.feature for part in explanation.contributions)
    assert sum(part.count for part in explanation.contributions) == 10
    assert_sums_up(explanation)


def test_the_answer_is_compared_with_its_runner_up():
    pairs = [("a", "u u v"), ("b", "u v v"), ("c", "w w w")]
    model = learnt(pairs, SPACE, event_model="multinomial")
    explanation = model.explain("u u v")
    assert (explanation.of, explanation.against) == ("a", "b")
    assert model.explain("u u v", of="c").against == "a"
    assert model.explain("u u v", against="a").of == "b"
    assert (model.explain("u u v", against="c").of, explanation.answer) == ("a", "a")


def test_wrong_questions_are_refused():
    with pytest.raises(InputTypeError, match="one document is a str; got list"):
        MODEL.explain(["cheap"])
    with pytest.raises(InputError, match="'eggs'"):
        MODEL.explain("cheap", of="eggs")
    with pytest.raises(ParameterError, match="both 'spam'"):
        MODEL.explain("cheap", of="spam", against="spam")
    with pytest.raises(ParameterError, match="learnt one only"):
        learnt([("a", "x")]).explain("x")


def test_text_is_aligned_and_shows_the_largest_first():
    text = MODEL.explain("恭喜！明天免费领取彩票 cheap lunch").to_text(top=5)
    head, *rows = text.split("\n\n")[1].splitlines()
    times = width(head)
    assert all(width(row) == times for row in rows[:5])
    values = [abs(float(row.split()[0].replace("−", "-"))) for row in rows[:5]]
    assert values == sorted(values, reverse=True)
    assert "more features)" in rows[5]


def test_a_document_cannot_steer_the_terminal_or_the_page():
    analyzer = Analyzer("regex:[^ ]+")
    model = learnt([("<i>", "\x1b[31m <b>"), ("b", "x")], analyzer)
    explanation = model.explain("\x1b[31m <b> \x1b[32m <script>")
    assert "\x1b" not in str(explanation)
    page = explanation.to_html()
    assert "<b>" not in page
    assert "<script" not in page
    assert "<i>" not in page


def test_the_page_marks_words_in_the_colour_of_their_class():
    page = MODEL.explain("cheap lunch &", of="spam", against="ham").to_html()
    assert 'title="+' in page.split("cheap</mark>")[0].split("<mark")[-1]
    assert '<mark class="against"' in page.split("lunch</mark>")[0].split("/mark>")[-1]
    assert "&amp;" in page
    assert "http" not in page


def test_data_for_json_is_whole():
    explanation = MODEL.explain("cheap lunch xyz", of="spam", against="ham")
    data = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert data["of"] == "spam"
    assert math.fsum(
        [data["prior"], data["bias"], *(part["value"] for part in data["contributions"])]
    ) == pytest.approx(data["log_odds"], abs=1e-12)
    assert {"feature": "xyz", "count": 1, "value": 0.0, "places": [[12, 15]], "known": False} in data["contributions"]


def documents_of(shared):
    """Ten thousand short and long documents in two languages, with the labels of two classes each."""
    data = shared / "data"
    with gzip.open(data / "sms-spam" / "SMSSpamCollection.gz", "rt", encoding="utf-8", newline="\n") as lines:
        sms = [tuple(line.rstrip("\n").split("\t", 1)) for line in lines]
    mails = []
    for name, label in (("ham_5000.utf8.gz", "ham"), ("spam_5000.utf8.gz", "spam")):
        with gzip.open(data / "zh-spam" / name, "rt", encoding="utf-8", newline="\n") as lines:
            mails += [(label, line.rstrip("\n")) for line in islice(lines, 2300)]
    return {"english": sms, "chinese": mails}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["complement", "multinomial", "bernoulli", "log"])
def test_ten_thousand_real_documents_sum_up_to_1e_12(shared, name):
    checked = 0
    for pairs in documents_of(shared).values():
        model = learnt(pairs, Analyzer(ngrams=(1, 1), cjk=(1, 2)), alpha=0.1, **READINGS[name])
        for _, document in pairs:
            assert_sums_up(model.explain(document))
            checked += 1
    assert checked >= 10_000
