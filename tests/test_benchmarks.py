"""The benchmarks at a small size: every contestant gives the answers it must give; no test looks at the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import limits, memory, speed
from benchmarks.results import Row, markdown
from benchmarks.timing import Contest, Measured, Target, Timed, time_contest

NEEDS = {"rivals": ["vowpalwabbit", "fasttext", "duckdb"], "chinese-raw": ["jieba", "rjieba"]}


@pytest.mark.parametrize("name", sorted(set(speed.WORKLOADS) - {"memory"}))
def test_contestants_give_the_same_answers(name: str) -> None:
    for module in NEEDS.get(name, []):
        pytest.importorskip(module)
    contests = 0
    for contest in speed.WORKLOADS[name].contests("tiny"):
        assert isinstance(contest, Contest)
        times, answers = time_contest(contest, rounds=1)
        contest.check(answers)
        named = {target.ours for target in contest.targets} | {target.rival for target in contest.targets}
        assert named | set(contest.at_most) <= set(times)
        contests += 1
    assert contests


@pytest.mark.slow
@pytest.mark.parametrize("task", list(memory.TASKS))
def test_memory_is_measured_in_a_fresh_process(task: str) -> None:
    for contestant in memory.TASKS[task].contestants:
        assert memory.peak(task, "tiny", contestant) > 0


def test_a_ratio_pairs_the_rounds() -> None:
    ours, rival = Measured([1.0, 2.0, 4.0], [1.0, 1.0, 1.0]), Measured([2.0, 8.0, 40.0], [3.0, 3.0, 3.0])
    assert ours.ratio(rival) == (4.0, 3.0)


def test_rows_compare_with_the_targets() -> None:
    contest = Contest(
        "task", {"a": lambda: 1, "b": lambda: Timed(2, 5.0, 5.0)}, 1, "rows", [Target("a", "b", 3)], at_most={"a": 0.1}
    )
    times = {"a": Measured([1.0], [1.0]), "b": Measured([4.0], [5.0])}
    assert [row.reached for row in speed.rows_of(contest, times)] == [True, False]
    assert time_contest(contest, 2)[0]["b"].wall == [5.0, 5.0]


def test_a_table_shows_what_is_short() -> None:
    table = markdown([Row.at_least("set", "a | b", 0.9, 0.8), Row.equal("set", "c", 1, 1)])
    assert table.splitlines()[2:] == ["| set | a \\| b | ≥ 0.9 | 0.8 | **short** |", "| set | c | 1 | 1 | reached |"]


def test_the_command_prints_a_table_and_json_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "lines.jsonl"
    speed.main(["gaussian", "--size", "tiny", "--rounds", "1", "--json", str(lines)])
    assert (
        "| Gaussian, float64: fit | tallybayes, 1 thread / scikit-learn GaussianNB | ≥ 20 × |" in capfd.readouterr().out
    )
    assert len(lines.read_text("utf-8").splitlines()) == 6 + 4


def test_a_read_of_memory_takes_time() -> None:
    assert 0 < limits.read_seconds(1.0, 1) < 10
