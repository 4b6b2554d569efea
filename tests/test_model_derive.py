"""What a model derives is what its kernel answers, for every reading; and the numbers of the tutorials, from raw documents."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Analyzer, InputTypeError, Model, TextClassifier

from .strategies import counted_and_read

SPACE = Analyzer("space", ngrams=(1, 1))
READINGS = {
    "multinomial": {"event_model": "multinomial"},
    "word prior": {"event_model": "multinomial", "prior": "words", "prior_alpha": 1.0},
    "given prior": {"event_model": "multinomial", "prior": {"a": 0.5, "b": 0.25, "c": 0.25}},
    "uniform prior": {"event_model": "bernoulli", "prior": "uniform"},
    "floor": {"event_model": "multinomial", "smoothing": "floor"},
    "binary": {"event_model": "multinomial", "weighting": "binary"},
    "log": {"event_model": "multinomial", "weighting": "log"},
    "idf": {"event_model": "multinomial", "weighting": "idf"},
    "tfidf": {"event_model": "multinomial", "weighting": "tfidf"},
    "complement": {"event_model": "complement"},
    "complement norm": {"event_model": "complement", "norm": True, "prior": "documents"},
    "bernoulli": {"event_model": "bernoulli"},
    "pruned": {"event_model": "multinomial", "max_features": 2},
}
DECIMAL = {"log", "idf", "tfidf"}
corpora = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from("uvwxyz"), max_size=6).map(" ".join)),
    min_size=1,
    max_size=10,
)


def learnt(pairs, **reading):
    return Model(*counted_and_read(SPACE, **reading)).learned(
        [text for _, text in pairs], [label for label, _ in pairs]
    )


@pytest.mark.parametrize("name", READINGS)
@given(
    pairs=corpora,
    words=st.lists(st.sampled_from([*"uvwxyz", "never"]), max_size=8),
    alpha=st.sampled_from([0, 0.1, 1.0]),
    features=st.sampled_from([1, 20]),
)
def test_the_derived_joint_is_that_of_the_kernel(name, pairs, words, alpha, features):
    pairs = [*pairs, ("a", "u"), ("b", "v"), ("c", "w")]
    model = learnt(pairs, alpha=alpha, **READINGS[name])
    document = " ".join(words)
    derivation = model.derive(document, features=features)
    wanted = model.predict_joint_log_proba([document])[0].tolist()
    assert [joint.log for joint in derivation.joint] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    shares = model.predict_proba([document])[0].tolist()
    assert [float(share) for share in derivation.posterior] == pytest.approx(shares, abs=1e-9)
    if sorted(shares)[-1] - sorted(shares)[-2] > 1e-9:
        assert derivation.answer == model.predict([document])[0]
    if name not in DECIMAL and not name.startswith("complement"):
        assert all(joint.is_exact for joint in derivation.joint)
    assert "nan" not in str(derivation)


@pytest.mark.parametrize("model_name", ["multinomial", "bernoulli", "complement"])
def test_alpha_may_differ_by_feature(model_name):
    model = learnt([("a", "u v v"), ("b", "u w"), ("b", "v")], event_model=model_name, alpha=(0.5, 1.0, 2.0))
    derivation = model.derive("v w w")
    wanted = model.predict_joint_log_proba(["v w w"])[0].tolist()
    assert [joint.log for joint in derivation.joint] == pytest.approx(wanted, rel=1e-12)


CHINESE = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
ANSWERS = ["yes", "yes", "yes", "no"]
QUERY = "Chinese Chinese Chinese Tokyo Japan"


@pytest.mark.parametrize(
    ("reading", "fractions"),
    [
        ({"event_model": "multinomial"}, ["81/268912", "8/59049", "4782969/6934265"]),
        ({"event_model": "multinomial", "prior": "words"}, ["54/184877", "32/216513", "531441/800353"]),
        ({"event_model": "bernoulli"}, ["81/15625", "16/729"]),
    ],
)
def test_system_d_from_raw_documents(reading, fractions):
    classifier = TextClassifier(tokens="space", ngrams=(1, 1), alpha=1, **reading).fit(CHINESE, ANSWERS)
    derivation = classifier.derive(QUERY)
    text = str(derivation)
    assert all(f" {fraction} " in text.replace("= ", " ") for fraction in fractions)
    assert derivation.joint[1].fraction == Fraction(fractions[0])
    assert derivation.answer == classifier.predict([QUERY])[0]


def test_system_d_complement_with_and_without_normalised_weights():
    plain = learnt(list(zip(ANSWERS, CHINESE, strict=True)), event_model="complement", alpha=1.0)
    text = str(plain.derive(QUERY))
    assert "≈ 7.82000824" in text
    assert "≈ 7.52038698" in text
    normed = plain.reread(norm=True).derive(QUERY)
    assert [round(joint.log, 6) for joint in normed.joint] == [0.653675, 0.677274]
    assert "≈ 0.653675" in str(normed)
    assert normed.answer == "yes"


def test_jurafsky_and_martin_from_raw_documents():
    model = learnt(
        [
            ("-", "just plain boring"),
            ("-", "entirely predictable and lacks energy"),
            ("-", "no surprises and very few laughs"),
            ("+", "very powerful"),
            ("+", "the most fun film of the summer"),
        ],
        event_model="multinomial",
        alpha=1.0,
    )
    text = str(model.derive("predictable with no fun"))
    assert " = 3/49130 " in text
    assert " = 4/121945 " in text
    assert "Never seen in training, and so left out: with." in text
    assert text.endswith("Answer: -")


def test_system_b_floor_is_shown():
    model = learnt([("a", "x x x y"), ("b", "z")], event_model="multinomial", smoothing="floor", floor=0.1)
    text = str(model.derive("x never"))
    assert "m = 1/10" in text
    assert "(1/10)/(1 + 4) = 1/50" in text


def test_hashed_features_are_derived_by_column():
    model = Model(*counted_and_read(Analyzer(hash=8), event_model="bernoulli", alpha=1.0))
    model = model.learned(["cheap pills buy", "lunch at noon", "buy now"], ["spam", "ham", "spam"])
    derivation = model.derive("buy lunch")
    wanted = model.predict_joint_log_proba(["buy lunch"])[0].tolist()
    assert [joint.log for joint in derivation.joint] == pytest.approx(wanted, rel=1e-12)


def test_a_large_vocabulary_of_bernoulli_is_exact_and_quick():
    words = [f"w{i}" for i in range(5000)]
    pairs = [("ab"[i % 2], " ".join(words[i * 7 % 4000 :: 97])) for i in range(60)]
    model = learnt(pairs, event_model="bernoulli", alpha=1.0)
    derivation = model.derive("w1 w2 w3")
    wanted = model.predict_joint_log_proba(["w1 w2 w3"])[0].tolist()
    assert [joint.log for joint in derivation.joint] == pytest.approx(wanted, rel=1e-12)
    assert derivation.joint[0].is_exact
    assert len(str(derivation)) < 6000
    assert not any(math.isnan(joint.log) for joint in derivation.joint)


def test_one_document_is_a_string():
    with pytest.raises(InputTypeError, match="one document is a str; got list"):
        learnt([("a", "x")], event_model="multinomial").derive(["x"])
