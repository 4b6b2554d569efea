"""Every verb works on a model of any kind: also on one of columns, whose rows come from a table by the columns' names."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from tallybayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
    TextClassifier,
    load,
)

FRUIT = [
    ("圆", "红色", "中", "不甜", "苹果"),
    ("圆", "绿色", "中", "不甜", "苹果"),
    ("椭圆", "绿色", "小", "甜", "葡萄"),
    ("椭圆", "绿色", "小", "甜", "葡萄"),
    ("圆", "红色", "中", "不甜", "葡萄"),
    ("圆", "绿色", "大", "甜", "西瓜"),
    ("圆", "红色", "小", "甜", "葡萄"),
    ("圆", "红色", "中", "甜", "苹果"),
    ("椭圆", "绿色", "中", "甜", "西瓜"),
    ("椭圆", "绿色", "中", "不甜", "西瓜"),
]


def frame(names, rows):
    import pandas

    return pandas.DataFrame(dict(zip(names, zip(*rows, strict=True), strict=True)))


def table(path, names, rows, labels=None):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow([*names, *([] if labels is None else ["label"])])
        for i, row in enumerate(rows):
            out.writerow([*row, *([] if labels is None else [labels[i]])])


NUMBERS = [(5.1, 3.5), (4.9, 3.0), (6.3, 3.3), (5.8, 2.7), (7.1, 3.0)]
COUNTS = [(3, 0, 1), (0, 2, 0), (1, 0, 2), (0, 4, 1), (2, 1, 1)]
LABELS = ["a", "a", "b", "b", "b"]
KINDS = {
    "numbers": (GaussianNB, ("length", "width"), NUMBERS, LABELS),
    "counts": (MultinomialNB, ("x", "y", "z"), COUNTS, LABELS),
    "complement": (ComplementNB, ("x", "y", "z"), COUNTS, LABELS),
    "presence": (BernoulliNB, ("x", "y", "z"), COUNTS, LABELS),
    "codes": (CategoricalNB, ("x", "y", "z"), COUNTS, [1, 1, 2, 2, 2]),
    "values": (CategoricalNB, ("形状", "颜色", "大小", "甜度"), [row[:4] for row in FRUIT], [row[4] for row in FRUIT]),
}


@pytest.fixture(params=list(KINDS))
def case(request, tmp_path):
    estimator, names, rows, labels = KINDS[request.param]
    fitted = estimator().fit(frame(names, rows), labels)
    fitted.save(tmp_path / "m.tally")
    # In the file the columns stand in another order, with a label among them.
    order = list(range(len(names)))[::-1]
    table(tmp_path / "rows.csv", [names[j] for j in order], [[row[j] for j in order] for row in rows], labels)
    return fitted, names, rows, labels


@pytest.fixture
def said(tallybayes):
    def run(*words, **settings):
        done = tallybayes(*words, **settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_predict_reads_the_columns_by_their_names(case, said):
    fitted, names, rows, _ = case
    answers = [json.loads(line) for line in said("predict", "m.tally", "rows.csv").splitlines()]
    wanted = fitted.predict_proba(frame(names, rows))
    got = [list(answer["probabilities"].values()) for answer in answers]
    np.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert [answer["label"] for answer in answers] == fitted.predict(frame(names, rows)).tolist()
    top = [json.loads(line) for line in said("predict", "m.tally", "rows.csv", "--top", "1").splitlines()]
    assert [list(answer["probabilities"]) for answer in top] == [[str(answer["label"])] for answer in answers]


def test_evaluate_and_forget_read_labels_as_the_kind_that_the_model_knows(case, said):
    fitted, names, rows, labels = case
    report = json.loads(said("evaluate", "m.tally", "rows.csv", "--json"))
    assert report["accuracy"] == np.mean(fitted.predict(frame(names, rows)) == np.array(labels))
    assert report["unseen"] == 0
    said("forget", "m.tally", "rows.csv", "-o", "rest.tally")


def test_forgetting_what_a_table_holds_gives_the_model_that_never_saw_it(case, said, tmp_path):
    fitted, names, rows, labels = case
    table(tmp_path / "two.csv", names, rows[:2], labels[:2])
    said("forget", "m.tally", "two.csv", "-o", "rest.tally")
    never = type(fitted)().fit(frame(names, rows[2:]), labels[2:])
    left = load(tmp_path / "rest.tally")
    asked = frame(names, rows[2:])
    for label, column in zip(never.classes_.tolist(), never.predict_proba(asked).T, strict=True):
        place = left.classes.tolist().index(label)
        np.testing.assert_allclose(left.predict_proba(asked)[:, place], column, rtol=1e-9, atol=1e-12)


def test_merge_adds_models_of_any_kind(case, said, tmp_path):
    fitted, names, _, _ = case
    said("merge", "m.tally", "m.tally", "-o", "twice.tally")
    twice = load(tmp_path / "twice.tally")
    assert twice.tally.class_count.tolist() == (2 * fitted.class_count_).tolist()
    assert twice.counter.columns == names


def test_explain_and_derive_take_a_row_of_a_table_or_the_cells(case, said):
    fitted, names, rows, _ = case
    cells = ",".join(map(str, rows[1]))
    named = ",".join(f"{name}={value}" for name, value in zip(names, rows[1], strict=True))
    wanted = f"{fitted.explain(frame(names, rows[1:2]))}\n"
    assert said("explain", "m.tally", "rows.csv", "--row", "2") == wanted
    assert said("explain", "m.tally", cells) == wanted
    assert said("explain", "m.tally", named) == wanted
    derived = said("derive", "m.tally", named)
    assert derived == f"{fitted.derive(frame(names, rows[1:2]))}\n"
    assert f"Answer: {fitted.predict(frame(names, rows[1:2]))[0]}" in derived


def test_inspect_says_what_columns_there_are(case, said):
    fitted, names, rows, _ = case
    facts = json.loads(said("inspect", "m.tally", "--json"))
    assert facts["columns"] == list(names)
    assert facts["rows"] == len(rows)
    assert [entry["class"] for entry in facts["classes"]] == [str(label) for label in fitted.classes_]
    assert ", ".join(names) in said("inspect", "m.tally")


def test_the_fruit_table_derived_from_its_cells_gives_the_textbook_s_fractions(said, tmp_path):
    CategoricalNB(alpha=0).fit([row[:4] for row in FRUIT], [row[4] for row in FRUIT]).save(tmp_path / "fruit.tally")
    answer = json.loads(said("derive", "fruit.tally", "圆,绿色,中,甜", "--format", "json"))
    assert [joint["exact"] for joint in answer["joint"]] == ["1/30", "3/160", "2/45"]


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("predict", "m.tally", "other.csv"), 1, "no column 'length'; found 'a', 'b'"),
        (("predict", "m.tally", "bad.csv"), 1, "bad.csv, line 3: width is 'wide', a number was expected"),
        (("predict", "m.tally", "gap.csv"), 1, "gap.csv, line 2: width has no value"),
        (("predict", "m.tally", "bad.csv", "--text", "length"), 2, "--text goes with a model of documents"),
        (("explain", "m.tally", "1,2,3"), 1, "the row given, row 1: 3 columns, the model is expecting 2"),
        (("explain", "m.tally", "length=1,height=2"), 1, "'height' is no column of the model"),
        (("explain", "m.tally", "length=1"), 1, "'width' has no value; the columns are length, width"),
        (("explain", "m.tally", "gap.csv", "--row", "9"), 1, "gap.csv: there is no row 9; it has 1"),
        (("merge", "m.tally", "text.tally", "-o", "x.tally"), 1, "different types: moments against count"),
        (("predict", "text.tally", "bad.csv", "--columns", "length"), 2, "--columns goes with a model of columns"),
        (("evaluate", "codes.tally", "labels.csv"), 1, "labels.csv, line 2: the label 'many' is no int"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_with_its_place(tallybayes, tmp_path, words, status, sentence):
    GaussianNB().fit(frame(("length", "width"), NUMBERS), LABELS).save(tmp_path / "m.tally")
    TextClassifier().fit(["a b", "c d"], ["x", "y"]).save(tmp_path / "text.tally")
    CategoricalNB().fit(frame(("length", "width"), [(1, 0), (0, 1)]), [1, 2]).save(tmp_path / "codes.tally")
    table(tmp_path / "other.csv", ("a", "b"), [(1, 2)])
    table(tmp_path / "bad.csv", ("length", "width"), [(1, 2), (3, "wide")])
    table(tmp_path / "gap.csv", ("length", "width"), [(1, "")])
    table(tmp_path / "labels.csv", ("length", "width"), [(1, 0)], ["many"])
    done = tallybayes(*words)
    assert done.returncode == status
    assert sentence in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_model_without_names_takes_all_columns_of_the_table_or_those_named(said, tmp_path):
    fitted = GaussianNB().fit(NUMBERS, LABELS)
    fitted.save(tmp_path / "m.tally")
    table(tmp_path / "rows.csv", ("id", "length", "width"), [(i, *row) for i, row in enumerate(NUMBERS)])
    table(tmp_path / "just.csv", ("length", "width"), NUMBERS)
    wanted = [str(label) for label in fitted.predict(NUMBERS)]
    for words in (("just.csv",), ("rows.csv", "--columns", "length,width")):
        lines = said("predict", "m.tally", *words).splitlines()
        assert [json.loads(line)["label"] for line in lines] == wanted


def test_gaps_of_a_table_are_left_out_where_the_model_leaves_them_out(said, tmp_path):
    nan = float("nan")
    fitted = GaussianNB(missing="skip").fit([(1.0, nan), (2.0, 1.0), (8.0, 9.0), (9.0, nan)], ["s", "s", "l", "l"])
    fitted.save(tmp_path / "m.tally")
    table(tmp_path / "gaps.csv", ("a", "b"), [(1.5, ""), ("", 8)])
    answers = [json.loads(line) for line in said("predict", "m.tally", "gaps.csv").splitlines()]
    np.testing.assert_allclose(
        [list(answer["probabilities"].values()) for answer in answers],
        fitted.predict_proba([(1.5, nan), (nan, 8)]),
        rtol=1e-12,
    )
