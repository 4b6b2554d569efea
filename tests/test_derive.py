"""The derivation prints the numbers of the textbooks, exactly: read off the rendered text, not only off the data."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import ParameterError
from tallybayes.derive import (
    CategoricalColumn,
    Counts,
    GaussianColumn,
    Joint,
    derive_categorical,
    derive_columns,
    derive_counts,
    derive_gaussian,
)
from tallybayes.derive.numbers import decimal, exact, log

CHINESE = [("yes", "Chinese Beijing Chinese"), ("yes", "Chinese Chinese Shanghai"), ("yes", "Chinese Macao")]
CHINESE += [("no", "Tokyo Japan Chinese")]
REVIEWS = [
    ("-", "just plain boring"),
    ("-", "entirely predictable and lacks energy"),
    ("-", "no surprises and very few laughs"),
    ("+", "very powerful"),
    ("+", "the most fun film of the summer"),
]
FRUIT = """圆 红色 中 不甜 苹果
圆 绿色 中 不甜 苹果
椭圆 绿色 小 甜 葡萄
椭圆 绿色 小 甜 葡萄
圆 红色 中 不甜 葡萄
圆 绿色 大 甜 西瓜
圆 红色 小 甜 葡萄
圆 红色 中 甜 苹果
椭圆 绿色 中 甜 西瓜
椭圆 绿色 中 不甜 西瓜"""
WEATHER = """sunny hot high false no
sunny hot high true no
overcast hot high false yes
rainy mild high false yes
rainy cool normal false yes
rainy cool normal true no
overcast cool normal true yes
sunny mild high false no
sunny cool normal false yes
rainy mild normal false yes
sunny mild normal true yes
overcast mild high true yes
overcast hot normal false yes
rainy mild high true no"""
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]
PEOPLE = {
    "male": [(6, 180, 12), (5.92, 190, 11), (5.58, 170, 12), (5.92, 165, 10)],
    "female": [(5, 100, 6), (5.5, 150, 8), (5.42, 130, 7), (5.75, 150, 9)],
}


def text_counts(data, query, *, present=False):
    """Counts of a corpus for a query by plain counting; every feature of the vocabulary listed where `present`."""
    classes = sorted({label for label, _ in data})
    words = {c: Counter() for c in classes}
    for label, document in data:
        tokens = document.split()
        words[label].update(set(tokens) if present else tokens)
    vocabulary = sorted(set().union(*words.values()))
    asked = Counter(query.split())
    features = vocabulary if present else [word for word in asked if word in vocabulary]
    counts = Counts(
        classes=classes,
        documents=[sum(label == c for label, _ in data) for c in classes],
        features=features,
        cells=[[words[c][word] for c in classes] for word in features],
        totals=[sum(words[c].values()) for c in classes],
        n_features=len(vocabulary),
    )
    row = [int(word in asked) if present else asked[word] for word in features]
    return counts, row, [word for word in asked if word not in vocabulary]


def derive_text(data, query, **settings):
    counts, row, unknown = text_counts(data, query, present=settings.get("event_model") == "bernoulli")
    return derive_counts(counts, row, unknown=unknown, text=query, **settings)


def table(text, title):
    """Rows of a printed step, by the first word of each line."""
    section = re.search(rf"^\d+\. {re.escape(title)}.*?\n(.*?)(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    assert section, f"no step {title!r} in\n{text}"
    return {line.split()[0]: line.strip() for line in section[1].splitlines()}


QUERY = "Chinese Chinese Chinese Tokyo Japan"


def test_multinomial_with_document_prior_prints_every_fraction_of_example_13_1():
    derivation = derive_text(CHINESE, QUERY)
    text = str(derivation)
    assert derivation.answer == "yes"
    assert table(text, "Prior")["yes"].startswith("yes    3/4 = 0.75")
    conditionals = table(text, "Conditional probabilities")
    assert "(1 + 1)/(3 + 6) = 2/9 " in conditionals["Chinese"]
    assert "(5 + 1)/(8 + 6) = 3/7 " in conditionals["Chinese"]
    assert "(0 + 1)/(8 + 6) = 1/14 " in conditionals["Tokyo"]
    joint = table(text, "Joint probability")
    assert "3/4 · (3/7)^3 · 1/14 · 1/14 = 81/268912 " in joint["yes"]
    assert "1/4 · (2/9)^3 · 2/9 · 2/9 = 8/59049 " in joint["no"]
    assert "4782969/6934265 ≈ 0.68975861" in table(text, "Posterior")["yes"]
    assert text.endswith("Answer: yes")


def test_multinomial_with_word_prior_prints_its_fractions():
    text = str(derive_text(CHINESE, QUERY, prior="words"))
    assert "8/11 " in table(text, "Prior")["yes"]
    joint = table(text, "Joint probability")
    assert " = 54/184877 " in joint["yes"]
    assert " = 32/216513 " in joint["no"]
    assert "531441/800353 ≈ 0.66400826" in table(text, "Posterior")["yes"]


def test_bernoulli_counts_absent_words_and_prints_the_fractions_of_example_13_2():
    derivation = derive_text(CHINESE, QUERY, event_model="bernoulli")
    text = str(derivation)
    joint = table(text, "Joint probability")
    assert joint["yes"].startswith("yes    3/4 · (1 − 2/5) · 4/5 · 1/5 · (1 − 2/5) · (1 − 2/5) · 1/5 = 81/15625 ")
    assert " = 16/729 " in joint["no"]
    assert "≈ 0.19106679" in table(text, "Posterior")["yes"]
    assert derivation.answer == "no"


def test_complement_prints_the_weights_of_the_other_classes():
    text = str(derive_text(CHINESE, QUERY, event_model="complement"))
    assert "6 − 1 = 5" in table(text, "Occurrences of each feature in all classes but this one")["Chinese"]
    scores = table(text, "Scores")
    assert scores["no"].endswith("≈ 7.82000824")
    assert scores["yes"].endswith("≈ 7.52038698")
    assert text.endswith("Answer: no")


def test_complement_with_normalised_weights():
    counts, row, _ = text_counts(CHINESE, QUERY)
    every, _, _ = text_counts(CHINESE, " ".join(sorted({w for _, d in CHINESE for w in d.split()})))
    totals = [sum(cells) for cells in every.cells]
    sums = []
    for c in range(2):
        below = sum(every.totals) - every.totals[c] + 6
        sums.append(
            sum(-math.log((total - cells[c] + 1) / below) for total, cells in zip(totals, every.cells, strict=True))
        )
    derivation = derive_counts(counts, row, event_model="complement", norm_sums=sums)
    scores = table(str(derivation), "Scores")
    assert "≈ 0.653675" in scores["no"]
    assert "≈ 0.677274" in scores["yes"]
    assert derivation.answer == "yes"


def test_the_reviews_of_jurafsky_and_martin():
    derivation = derive_text(REVIEWS, "predictable with no fun")
    text = str(derivation)
    joint = table(text, "Joint probability")
    assert " = 3/49130 " in joint["-"]
    assert " = 4/121945 " in joint["+"]
    assert derivation.answer == "-"
    assert "Never seen in training, and so left out: with." in text


def categorical(rows, query, **settings):
    table = [line.split() for line in rows.splitlines()]
    classes = sorted({row[-1] for row in table})
    counts = [
        [sum(row[i] == value and row[-1] == c for row in table) for c in classes] for i, value in enumerate(query)
    ]
    n_values = [len({row[i] for row in table}) for i in range(len(query))]
    names = settings.pop("names", [f"x{i}" for i in range(len(query))])
    documents = [sum(row[-1] == c for row in table) for c in classes]
    return derive_categorical(classes, documents, names, query, counts, n_values, **settings)


@pytest.mark.parametrize(
    ("settings", "joints", "posterior"),
    [
        ({"alpha": 0}, {"苹果": "1/30", "葡萄": "3/160", "西瓜": "2/45"}, "0.46043165"),
        ({"alpha": 1, "prior_alpha": 1}, {"苹果": "128/4875", "葡萄": "5/273", "西瓜": "48/1625"}, "0.39857651"),
        ({"alpha": 1}, {"苹果": "16/625", "葡萄": "2/105", "西瓜": "18/625"}, "0.39211618"),
    ],
)
def test_the_fruit_table(settings, joints, posterior):
    derivation = categorical(FRUIT, ["圆", "绿色", "中", "甜"], names=["形状", "颜色", "大小", "甜度"], **settings)
    text = str(derivation)
    printed = table(text, "Joint probability")
    for name, fraction in joints.items():
        assert re.search(rf" = {fraction} [≈=] ", printed[name])
    assert table(text, "Posterior")["西瓜"].endswith(f"≈ {posterior}")
    assert text.endswith("Answer: 西瓜")


def test_the_fruit_table_shows_how_a_smoothed_conditional_comes_about():
    text = str(categorical(FRUIT, ["圆", "绿色", "中", "甜"], alpha=1, prior_alpha=1))
    assert "(3 + 1)/(3 + 2) = 4/5" in table(text, "Conditional probabilities")["x0"]
    assert "(3 + 1)/(10 + 3 · 1) = 4/13" in table(text, "Prior")["苹果"]


def test_the_weather_table():
    text = str(categorical(WEATHER, ["sunny", "cool", "high", "true"], alpha=0))
    joint = table(text, "Joint probability")
    assert " = 1/189 " in joint["yes"]
    assert " = 18/875 " in joint["no"]
    assert "≈ 0.20458265" in table(text, "Posterior")["yes"]


@pytest.mark.parametrize(
    ("ddof", "yes", "no", "posterior"),
    [(1, "3.578708e-5", "1.363472e-4", "0.20790207"), (0, "3.45971e-5", "1.441556e-4", "0.19354725")],
)
def test_the_weather_table_with_numeric_columns(ddof, yes, no, posterior):
    rows = [line.split() for line in WEATHER.splitlines()]
    classes, columns = ["no", "yes"], []
    documents = [5, 9]
    for i, value in ((0, "sunny"), (3, "true")):
        counts = [sum(row[i] == value and row[-1] == c for row in rows) for c in classes]
        columns.append(CategoricalColumn(f"x{i}", value, counts, documents, len({row[i] for row in rows}), alpha=0))
    for name, value, numbers in (("temperature", 66, TEMPERATURE), ("humidity", 90, HUMIDITY)):
        mean, variance = moments(
            [[x for x, row in zip(numbers, rows, strict=True) if row[-1] == c] for c in classes], ddof
        )
        columns.insert(-1, GaussianColumn(name, value, mean, variance))
    text = str(derive_columns(classes, documents, columns))
    joint = table(text, "Joint probability")
    assert f"≈ {yes}" in joint["yes"]
    assert f"≈ {no}" in joint["no"]
    assert table(text, "Posterior")["yes"].split()[-1] == posterior


def moments(samples, ddof):
    means = [sum(numbers) / len(numbers) for numbers in samples]
    deviations = [sum((x - mean) ** 2 for x in numbers) for numbers, mean in zip(samples, means, strict=True)]
    return means, [total / (len(numbers) - ddof) for numbers, total in zip(samples, deviations, strict=True)]


def test_the_person_by_height_weight_and_foot_size():
    classes = ["female", "male"]
    columns = [moments([[row[i] for row in PEOPLE[c]] for c in classes], 1) for i in range(3)]
    mean = [[column[0][c] for column in columns] for c in range(2)]
    variance = [[column[1][c] for column in columns] for c in range(2)]
    names = ["height", "weight", "foot"]
    derivation = derive_gaussian(classes, [4, 4], names, [6, 130, 8], mean, variance)
    joint = table(str(derivation), "Joint probability")
    assert "≈ 6.197072e-9" in joint["male"]
    assert "≈ 5.377909e-4" in joint["female"]
    assert derivation.answer == "female"
    assert "1.57888318" in table(str(derivation), "Densities")["height"], "a density may exceed 1"


X0 = [5, 3, 2, 1, 0, 5, 12, 12, 10, 7, 8, 3, 0, 0, 1]
X1 = [11, 10, 6, 8, 7, 0, 0, 0, 0, 3, 1, 9, 1, 7, 0]
X2 = [7, 1, 9, 2, 12, 2, 15, 2, 2, 0, 0, 12, 4, 9, 1]
Y = [1, 1, 0, 0, 2, 1, 1, 2, 1, 2, 1, 0, 0, 0, 1]


def system_a():
    cells = [[sum(x for x, y in zip(column, Y, strict=True) if y == c) for c in range(3)] for column in (X0, X1, X2)]
    return Counts(
        classes=[0, 1, 2],
        documents=[Y.count(c) for c in range(3)],
        features=["x0", "x1", "x2"],
        cells=cells,
        totals=[sum(column) for column in zip(*cells, strict=True)],
        n_features=3,
    )


def test_every_table_of_system_a_is_printed():
    derivation = derive_counts(system_a(), [17, 25, 39])
    text = str(derivation)
    documents = table(text, "Documents of each class")
    assert [documents[c].split()[-1] for c in "012"] == ["5", "7", "3"]
    prior = table(text, "Prior")
    assert [prior[c].split()[-1] for c in "012"] == ["-1.09861229", "-0.76214005", "-1.60943791"]
    counts = table(text, "Occurrences")
    assert [counts[x].split()[1:] for x in ("x0", "x1", "x2")] == [
        ["6", "44", "19"],
        ["31", "22", "10"],
        ["36", "28", "14"],
    ]
    logs = table(text, "The same as natural logarithms")
    assert logs["x0"].split()[1:] == ["-2.38482319", "-0.76804849", "-0.83290912"]
    assert logs["x1"].split()[1:] == ["-0.86499744", "-1.43921676", "-1.43074612"]
    assert logs["x2"].split()[1:] == ["-0.71981543", "-1.20741515", "-1.1205912"]
    joint = table(text, "Joint probability")
    assert [joint[c].split()[-1] for c in "012"] == ["-91.33834415", "-96.88857422", "-95.24060271"]
    posterior = table(text, "Posterior")
    assert [posterior[c].split()[-1] for c in "012"] == ["0.97648353", "0.00379516", "0.0197213"]
    assert (
        derivation.joint[0].fraction
        == Fraction(1, 3) * Fraction(7, 76) ** 17 * Fraction(32, 76) ** 25 * Fraction(37, 76) ** 39
    )


def test_alpha_is_the_decimal_it_was_written_as():
    derivation = derive_text(CHINESE, QUERY, alpha=0.1)
    assert derivation.joint[1].fraction == Fraction(3, 4) * Fraction(51, 86) ** 3 * Fraction(1, 86) ** 2
    assert "(5 + 1/10)/(8 + 3/5) = 51/86" in str(derivation)


def test_alpha_may_differ_by_feature():
    derivation = derive_counts(system_a(), [1, 0, 0], alpha=[0.5, 1, 2])
    assert derivation.joint[0].fraction == Fraction(1, 3) * Fraction(13, 2) / Fraction(153, 2)


def test_the_floor_leaves_seen_words_unsmoothed():
    counts = Counts(["a", "b"], [1, 1], ["x", "new"], [[3, 0], [0, 0]], [4, 9], 5)
    derivation = derive_counts(counts, [1, 1], smoothing="floor", floor=0.1)
    assert [joint.fraction for joint in derivation.joint] == [
        Fraction(1, 2) * Fraction(3, 4) * Fraction(1, 50),
        Fraction(1, 2) * Fraction(1, 100) ** 2,
    ]
    assert "(1/10)/(1 + 9) = 1/100" in str(derivation)


def test_smoothed_prior_and_given_prior():
    smoothed = derive_text(CHINESE, QUERY, prior_alpha=1)
    assert smoothed.prior == (Fraction(2, 6), Fraction(4, 6))
    given_prior = derive_text(CHINESE, QUERY, prior=[1 / 3, 2 / 3])
    assert given_prior.prior == (Fraction(1, 3), Fraction(2, 3))
    assert derive_text(CHINESE, QUERY, prior="uniform").prior == (Fraction(1, 2), Fraction(1, 2))


def test_alpha_1_impossible_under_every_class_answers_the_prior():
    counts = Counts(["a", "b"], [3, 1], ["x", "y"], [[1, 0], [0, 1]], [1, 1], 2)
    derivation = derive_counts(counts, [1, 1], alpha=0)
    assert [joint.log for joint in derivation.joint] == [-math.inf, -math.inf]
    assert derivation.posterior == (Fraction(3, 4), Fraction(1, 4))
    assert "Every class is impossible" in str(derivation)
    one = derive_counts(counts, [1, 0], alpha=0)
    assert one.posterior == (1, 0)
    assert "nan" not in str(one).lower()


def test_a_long_document_shows_few_features_and_totals_all():
    n = 3000
    counts = Counts(["a", "b"], [1, 1], [f"w{i}" for i in range(n)], [[1, i % 3] for i in range(n)], [n, n], n)
    derivation = derive_counts(counts, [2] * n, text="字" * 5000)
    text = str(derivation)
    assert len(text) < 8000
    assert "字… (5,000 characters)" in text
    assert derivation.row == "字" * 5000
    assert "2980 more features enter as well and are not shown." in text
    assert "(2980 more)" in table(text, "Joint probability")["a"]
    expected = 2 * math.fsum(math.log((i % 3 + 1) / (2 * n)) for i in range(n)) + math.log(0.5)
    assert derivation.joint[1].log == pytest.approx(expected, rel=1e-14)
    assert re.search(r"≈ [\d.]+e-20\d{3}", table(text, "Joint probability")["a"])
    assert json.loads(json.dumps(derivation.to_dict()))["answer"] == derivation.answer


def test_many_classes_show_the_most_probable():
    counts = Counts([f"c{i:02}" for i in range(40)], [1] * 40, ["w"], [list(range(40))], [50] * 40, 3)
    derivation = derive_counts(counts, [1])
    shown = table(str(derivation), "Posterior")
    assert {f"c{i:02}" for i in range(34, 40)} < set(shown)
    assert "c33" not in shown
    assert sum(derivation.posterior) == 1
    assert "34 less probable classes are not shown." in str(derivation)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=6),
    st.sampled_from(["multinomial", "bernoulli"]),
    st.sampled_from([0, 0.1, 0.5, 1, 2.5]),
)
def test_exact_joint_is_the_product_of_the_formula(features, event_model, alpha):
    a, b, row = zip(*features, strict=True)
    n = len(features)
    documents = [9, 12]
    row = [min(x, 1) for x in row] if event_model == "bernoulli" else list(row)
    counts = Counts(
        ["a", "b"], documents, [f"w{i}" for i in range(n)], list(zip(a, b, strict=True)), [sum(a) + 1, sum(b) + 1], n
    )
    derivation = derive_counts(counts, row, event_model=event_model, alpha=alpha)
    rate = Fraction(str(alpha))
    for c, cells in enumerate((a, b)):
        expected = Fraction(documents[c], 21)
        for cell, amount in zip(cells, row, strict=True):
            if event_model == "bernoulli":
                p = (cell + rate) / (documents[c] + 2 * rate)
                expected *= p if amount else 1 - p
            else:
                expected *= ((cell + rate) / (sum(cells) + 1 + n * rate)) ** amount
        assert derivation.joint[c].fraction == expected
    if any(joint.fraction for joint in derivation.joint):
        total = sum(joint.fraction for joint in derivation.joint)
        assert derivation.posterior == tuple(joint.fraction / total for joint in derivation.joint)


def test_decimals_where_the_counts_are_no_whole_numbers():
    counts = Counts(["a", "b"], [1.5, 2.5], ["x"], [[0.25, 2.0]], [1.0, 4.0], 2)
    derivation = derive_counts(counts, [1.5])
    assert not derivation.joint[0].is_exact
    assert derivation.joint[0].log == pytest.approx(math.log(1.5 / 4) + 1.5 * math.log(1.25 / 3), rel=1e-15)
    assert sum(derivation.posterior) == pytest.approx(1)


def test_unlisted_absent_features_of_bernoulli_are_multiplied_in():
    listed = derive_text(CHINESE, QUERY, event_model="bernoulli")
    counts, row, _ = text_counts(CHINESE, QUERY, present=True)
    present = [f for f, x in enumerate(row) if x]
    absent = [f for f, x in enumerate(row) if not x]
    few = Counts(
        counts.classes,
        counts.documents,
        [counts.features[f] for f in present],
        [counts.cells[f] for f in present],
        counts.totals,
        counts.n_features,
        rest=[Counter(counts.cells[f][c] for f in absent) for c in range(2)],
    )
    derivation = derive_counts(few, [1] * len(present), event_model="bernoulli")
    assert [joint.fraction for joint in derivation.joint] == [joint.fraction for joint in listed.joint]
    assert "the others, all absent" in str(derivation)


def test_wrong_lengths_are_refused_with_both_numbers():
    counts, row, _ = text_counts(CHINESE, QUERY)
    with pytest.raises(ParameterError, match="row must have one entry for each of the 3 features; got 2"):
        derive_counts(counts, row[:2])
    with pytest.raises(ParameterError, match="column 'x' must have numbers for 3 classes"):
        derive_columns([1, 2, 3], [1, 1, 1], [GaussianColumn("x", 0.0, [1.0, 2.0], [1.0, 1.0])])
    with pytest.raises(ParameterError, match="variances of at least 0; got -1"):
        derive_columns([1], [1], [GaussianColumn("x", 0.0, [1.0], [-1.0])])


def test_markdown_has_latex_fractions_and_harmless_names():
    data = [*CHINESE, ("yes", "a|b <i>$x$*")]
    page = derive_text(data, "Chinese a|b <i>$x$*").to_markdown()
    assert r"\frac{5 + 1}{10 + 8} = \frac{1}{3}" in page
    assert r"| a\|b |" in page
    assert r"\<i\>\$x\$\*" in page
    assert all(line.count("$") % 2 == 0 for line in page.replace(r"\$", "").splitlines())


class Balanced(HTMLParser):
    """Checks that every element that is opened is closed, and collects what a page would load."""

    def __init__(self):
        super().__init__()
        self.open, self.loads, self.tags = [], [], Counter()

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        self.loads += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing():
    page = derive_text([*CHINESE, ("no", "<script>alert(1)</script>")], "Chinese <script>alert(1)</script>").to_html()
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert parser.loads == []
    assert parser.tags["script"] == 0
    assert "<mfrac><mn>2</mn><mn>5</mn></mfrac>" in page
    assert "http" not in page


def test_data_for_json_holds_every_number_and_equation():
    data = json.loads(json.dumps(derive_text(CHINESE, QUERY).to_dict()))
    assert data["joint"][1]["exact"] == "81/268912"
    assert data["posterior"][1] == {"exact": "4782969/6934265", "decimal": pytest.approx(0.68975861)}
    joint = next(step for step in data["steps"] if step["title"].startswith("Joint"))
    assert joint["rows"][1][1]["equation"].startswith("3/4 · (3/7)^3 · 1/14 · 1/14 = 81/268912")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.0, "0"),
        (-1e-12, "-1e-12"),
        (Fraction(1, 8), "0.125"),
        (1 / 3, "0.33333333"),
        (3.578708e-5, "3.578708e-5"),
        (Fraction(7, 10**400), "7e-400"),
        (Fraction(-7 * 10**400), "-7e400"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_decimals_are_readable(value, shown):
    assert decimal(value) == shown


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_logarithm_of_a_fraction(value):
    assert log(value) == pytest.approx(math.log(value), rel=1e-9, abs=1e-15)


def test_logarithm_near_one_keeps_its_digits():
    assert log(1 + Fraction(1, 10**15)) == pytest.approx(1e-15, rel=1e-12)


@given(st.decimals(min_value=0, max_value=1000, places=4))
def test_a_parameter_is_exact_as_written(value):
    assert exact(float(value)) == Fraction(value)


def test_a_product_with_a_zero_factor_is_zero():
    assert Joint([(Fraction(1, 2), 3), (0, 0)]).fraction == Fraction(1, 8)
    joint = Joint([(Fraction(1, 2), 3), (0, 1)])
    assert (joint.log, joint.value) == (-math.inf, 0)
