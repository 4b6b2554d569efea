"""The text systems of the textbooks give their printed numbers: word and document models, priors, floors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tallybayes import TextClassifier

CHINA = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
CHINA_LABELS = ["yes", "yes", "yes", "no"]
QUERY = ["Chinese Chinese Chinese Tokyo Japan"]
WORDS = {"tokens": "space", "ngrams": (1, 1), "lowercase": False, "alpha": 1.0}


def joint(classifier, query):
    return dict(zip(classifier.classes_.tolist(), np.exp(classifier.predict_joint_log_proba(query)[0]), strict=True))


@pytest.mark.parametrize(
    ("params", "yes", "no", "posterior"),
    [
        ({"event_model": "multinomial"}, "81/268912", "8/59049", "4782969/6934265"),
        ({"event_model": "multinomial", "prior": "words"}, "54/184877", "32/216513", "531441/800353"),
        ({"event_model": "bernoulli"}, "81/15625", "16/729", None),
    ],
)
def test_system_d_joint_and_posterior(params, yes, no, posterior):
    classifier = TextClassifier(**WORDS, **params).fit(CHINA, CHINA_LABELS)
    got = joint(classifier, QUERY)
    assert got["yes"] == pytest.approx(float(Fraction(yes)), rel=1e-13)
    assert got["no"] == pytest.approx(float(Fraction(no)), rel=1e-13)
    share = Fraction(yes) / (Fraction(yes) + Fraction(no))
    if posterior is not None:
        assert share == Fraction(posterior)
    assert classifier.predict_proba(QUERY)[0, 1] == pytest.approx(float(share), rel=1e-13)
    assert classifier.predict(QUERY).tolist() == ["yes" if share > Fraction(1, 2) else "no"]


def test_system_d_complement_scores():
    plain = TextClassifier(event_model="complement", **WORDS).fit(CHINA, CHINA_LABELS)
    np.testing.assert_allclose(plain.predict_joint_log_proba(QUERY), [[7.820008, 7.520387]], atol=5e-7)
    assert plain.predict(QUERY).tolist() == ["no"]
    normed = TextClassifier(event_model="complement", norm=True, **WORDS).fit(CHINA, CHINA_LABELS)
    np.testing.assert_allclose(normed.predict_joint_log_proba(QUERY), [[0.653675, 0.677274]], atol=5e-7)
    assert normed.predict(QUERY).tolist() == ["yes"]


def test_jurafsky_martin_reviews_drop_unknown_words():
    reviews = [
        "just plain boring",
        "entirely predictable and lacks energy",
        "no surprises and very few laughs",
        "very powerful",
        "the most fun film of the summer",
    ]
    classifier = TextClassifier(event_model="multinomial", **WORDS).fit(reviews, ["-", "-", "-", "+", "+"])
    got = joint(classifier, ["predictable with no fun"])
    assert got["-"] == pytest.approx(float(Fraction(3, 49130)), rel=1e-13)
    assert got["+"] == pytest.approx(float(Fraction(4, 121945)), rel=1e-13)
    assert classifier.predict(["predictable with no fun"]).tolist() == ["-"]


def test_system_b_floor_charges_words_never_seen_too():
    classifier = TextClassifier(event_model="multinomial", smoothing="floor", floor=0.1, **WORDS)
    classifier.fit(["甲 甲 乙", "丙 乙"], ["x", "y"])
    got = joint(classifier, ["甲 丙 丁"])
    assert got["x"] == pytest.approx(1 / 2 * 2 / 3 * (0.1 / 4) ** 2, rel=1e-13)
    assert got["y"] == pytest.approx(1 / 2 * 1 / 2 * (0.1 / 3) ** 2, rel=1e-13)


@pytest.mark.parametrize(
    ("smoothing", "right", "confusion"),
    [
        ("floor", 613, [[202, 1, 4], [11, 202, 0], [2, 0, 209]]),
        ("additive", 614, [[203, 1, 3], [11, 202, 0], [2, 0, 209]]),
    ],
)
def test_system_b_on_the_courses_own_split(shared, smoothing, right, confusion):
    import re
    import tarfile

    folder = shared / "data" / "zh-articles"
    held_out = set((folder / "test-files.txt").read_text().split())
    parts = {True: ([], []), False: ([], [])}
    with tarfile.open(folder / "articles.tar.gz") as archive:
        for member in archive:
            if member.isfile():
                name = member.name.rpartition("/")[2]
                texts, labels = parts[name in held_out]
                texts.append(archive.extractfile(member).read().decode())
                labels.append(re.match(r"\d*([a-z]+)", name)[1])
    classifier = TextClassifier(
        event_model="multinomial",
        smoothing=smoothing,
        floor=0.1,
        tokens="space",
        ngrams=(1, 1),
        lowercase=False,
        alpha=0.1,
    ).fit(*parts[False])
    texts, truth = parts[True]
    answers = classifier.predict(texts)
    order = ["business", "auto", "sports"]
    got = [[sum(t == a and p == b for t, p in zip(truth, answers, strict=True)) for b in order] for a in order]
    assert len(texts) == 631
    assert got == confusion
    assert sum(got[i][i] for i in range(3)) == right
