"""Every number of the tutorials and textbooks, read off the text that an estimator's derivation prints."""

from __future__ import annotations

import logging
import re
from typing import Any

import numpy as np
import pytest

from tallybayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from tallybayes.derive import CategoricalColumn, GaussianColumn, derive_columns

from .test_categorical_nb import FRUIT_LABELS, FRUIT_QUERY, FRUIT_ROWS
from .test_count_nb import CHINA, CHINA_CLASSES, CHINA_QUERY, CLASSES, SAMPLES
from .test_derive import HUMIDITY, PEOPLE, TEMPERATURE, WEATHER, table

WEATHER_ROWS = [line.split() for line in WEATHER.splitlines()]
PLAY = [row[-1] for row in WEATHER_ROWS]


def test_system_a_prints_every_table_of_the_tutorial() -> None:
    text = str(MultinomialNB().fit(SAMPLES, CLASSES).derive([17, 25, 39]))
    assert "column 0 = 17, column 1 = 25, column 2 = 39" in text
    of_each = table(text, "Rows of each class")
    assert [of_each[c].split()[-1] for c in ("0", "1", "2", "all")] == ["5", "7", "3", "15"]
    prior = table(text, "Prior")
    assert [prior[c].split()[-1] for c in "012"] == ["-1.09861229", "-0.76214005", "-1.60943791"]
    counts = re.findall(r"^ +column \d +(\d+) +(\d+) +(\d+)$", text, re.MULTILINE)
    assert counts == [("6", "44", "19"), ("31", "22", "10"), ("36", "28", "14")]
    for line in (
        "column 0  -2.38482319  -0.76804849  -0.83290912",
        "column 1  -0.86499744  -1.43921676  -1.43074612",
        "column 2  -0.71981543  -1.20741515   -1.1205912",
    ):
        assert line in text
    joint = table(text, "Joint probability")
    assert [joint[c].split()[-1] for c in "012"] == ["-91.33834415", "-96.88857422", "-95.24060271"]
    assert "1/3 · (7/76)^17 · (8/19)^25 · (37/76)^39" in joint["0"]
    posterior = table(text, "Posterior")
    assert [posterior[c].split()[-1] for c in "012"] == ["0.97648353", "0.00379516", "0.0197213"]
    assert text.endswith("Answer: 0")


def test_system_a_logs_every_table_at_level_debug(caplog: Any) -> None:
    with caplog.at_level(logging.DEBUG, logger="tallybayes"):
        MultinomialNB().fit(SAMPLES, CLASSES).predict_proba([[17, 25, 39]])
    said = dict(message.split(": ", 1) for message in caplog.messages)
    assert said["samples per class"] == "5, 7, 3"
    assert said["counts per class and feature"] == "[6 31 36], [44 22 28], [19 10 14]"
    assert said["log prior"] == "-1.09861229, -0.76214005, -1.60943791"
    assert said["log P(feature given class)"] == (
        "[-2.38482319 -0.86499744 -0.71981543], [-0.76804849 -1.43921676 -1.20741515], "
        "[-0.83290912 -1.43074612 -1.1205912]"
    )
    assert said["joint log score"] == "[-91.33834415 -96.88857422 -95.24060271]"
    assert said["posterior"] == "[0.97648353 0.00379516 0.0197213]"


@pytest.mark.parametrize(
    ("parameters", "joints", "posterior"),
    [
        ({"alpha": 0}, ["1/30", "3/160", "2/45"], "0.46043165"),
        ({"alpha": 1, "prior_alpha": 1}, ["128/4875", "5/273", "48/1625"], "0.39857651"),
        ({"alpha": 1}, ["16/625", "2/105", "18/625"], "0.39211618"),
    ],
)
def test_systems_c_and_e_print_the_fruit_table(parameters: Any, joints: list[str], posterior: str) -> None:
    text = str(CategoricalNB(**parameters).fit(FRUIT_ROWS, FRUIT_LABELS).derive(FRUIT_QUERY[0]))
    assert "column 0 = 圆, column 1 = 绿色, column 2 = 中, column 3 = 甜" in text
    printed = table(text, "Joint probability")
    for name, fraction in zip(["苹果", "葡萄", "西瓜"], joints, strict=True):
        assert re.search(rf" = {fraction} [≈=] ", printed[name])
    assert table(text, "Posterior")["西瓜"].endswith(f"≈ {posterior}")
    assert text.endswith("Answer: 西瓜")


def test_system_c_bernoulli_prints_the_factors_of_absent_columns() -> None:
    text = str(BernoulliNB().fit(CHINA, CHINA_CLASSES).derive(CHINA_QUERY[0]))
    joint = table(text, "Joint probability")
    assert " · (1 − 2/5) · " in joint["yes"]
    assert " = 81/15625 " in joint["yes"]
    assert " = 16/729 " in joint["no"]
    assert "≈ 0.19106679" in table(text, "Posterior")["yes"]


def test_system_d_complement_prints_its_scores() -> None:
    text = str(ComplementNB().fit(CHINA, CHINA_CLASSES).derive(CHINA_QUERY[0]))
    assert "≈ 7.82000824" in text
    assert "≈ 7.52038698" in text
    assert text.endswith("Answer: no")
    normed = str(ComplementNB(norm=True).fit(CHINA, CHINA_CLASSES).derive(CHINA_QUERY[0]))
    assert "≈ 0.653675" in normed
    assert normed.endswith("Answer: yes")


def test_the_weather_table_of_names() -> None:
    nominal = CategoricalNB(alpha=0).fit([row[:-1] for row in WEATHER_ROWS], PLAY)
    text = str(nominal.derive(["sunny", "cool", "high", "true"]))
    joint = table(text, "Joint probability")
    assert " = 1/189 " in joint["yes"]
    assert " = 18/875 " in joint["no"]
    assert "≈ 0.20458265" in table(text, "Posterior")["yes"]


@pytest.mark.parametrize(
    ("ddof", "yes", "no", "posterior"),
    [(1, "3.578708e-5", "1.363472e-4", "0.20790207"), (0, "3.45971e-5", "1.441556e-4", "0.19354725")],
)
def test_the_weather_table_of_both_kinds_from_two_estimators(ddof: int, yes: str, no: str, posterior: str) -> None:
    nominal = CategoricalNB(alpha=0).fit([(row[0], row[3]) for row in WEATHER_ROWS], PLAY)
    measured = GaussianNB(ddof=ddof, var_smoothing=0).fit(np.column_stack([TEMPERATURE, HUMIDITY]), PLAY)
    columns: list[Any] = []
    for j, (name, value) in enumerate([("outlook", "sunny"), ("windy", "true")]):
        counts, values = nominal.category_count_[j], nominal.categories_[j].tolist()
        of_value = counts[:, values.index(value)].astype(int).tolist()
        totals = counts.sum(axis=1).astype(int).tolist()
        columns.append(CategoricalColumn(name, value, of_value, totals, len(values), alpha=0))
    for j, (name, value) in enumerate([("temperature", 66), ("humidity", 90)]):
        columns.append(GaussianColumn(name, value, measured.theta_[:, j].tolist(), measured.var_[:, j].tolist()))
    text = str(derive_columns(["no", "yes"], [5, 9], columns))
    joint = table(text, "Joint probability")
    assert f"≈ {yes}" in joint["yes"]
    assert f"≈ {no}" in joint["no"]
    assert table(text, "Posterior")["yes"].split()[-1] == posterior
    # The same densities stand in the derivation of the Gaussian model alone.
    alone = str(measured.derive([66, 90]))
    for j, value in enumerate(("66", "90")):
        density = [line for line in text.splitlines() if line.strip().startswith(f"{columns[2 + j].name} = {value}")]
        mine = [line for line in alone.splitlines() if line.strip().startswith(f"column {j} = {value} ")]
        assert density[-1].split()[-2:] == mine[-1].split()[-2:]


def test_the_person_by_height_weight_and_foot_size() -> None:
    rows = [row for people in PEOPLE.values() for row in people]
    labels = [sex for sex, people in PEOPLE.items() for _ in people]
    derivation = GaussianNB(ddof=1, var_smoothing=0).fit(rows, labels).derive([6, 130, 8])
    text = str(derivation)
    joint = table(text, "Joint probability")
    assert "≈ 6.197072e-9" in joint["male"]
    assert "≈ 5.377909e-4" in joint["female"]
    density = next(line.split()[-1] for line in text.splitlines() if line.strip().startswith("column 0 = 6 "))
    assert float(density) > 1
    assert text.endswith("Answer: female")
