"""The commands as a user meets them: files in, model and JSON lines out, one sentence for what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MAILS = [
    ("spam", "cheap pills buy now"),
    ("ham", "lunch at noon tomorrow"),
    ("spam", "买 彩票 发财 中奖"),
    ("ham", "明天 上午 开会 讨论 方案"),
    ("spam", "cheap watches buy cheap"),
    ("ham", "see you at the meeting"),
]


def tallybayes(*words, stdin="", cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "tallybayes", *map(str, words)], input=stdin, capture_output=True, text=True, cwd=cwd
    )


def done(*words, **how):
    result = tallybayes(*words, **how)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result


def refused(*words, status=1, **how):
    result = tallybayes(*words, **how)
    assert result.returncode == status, result
    assert "Traceback" not in result.stderr
    if status == 1:
        assert len(result.stderr.strip().splitlines()) == 1, result.stderr
        assert result.stdout == ""
    return result.stderr


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{label},{text}\n" for label, text in MAILS)
    (tmp_path / "mails.csv").write_text("label,text\n" + rows, encoding="utf-8")
    (tmp_path / "mails.jsonl").write_text(
        "".join(json.dumps({"label": label, "text": text}) + "\n" for label, text in MAILS), encoding="utf-8"
    )
    for label in ("spam", "ham"):
        (tmp_path / f"{label}.txt").write_text("".join(f"{t}\n" for c, t in MAILS if c == label), encoding="utf-8")
    for number, (label, text) in enumerate(MAILS):
        (tmp_path / "folders" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "folders" / label / f"{number}.txt").write_text(text, encoding="utf-8")
        (tmp_path / "named").mkdir(exist_ok=True)
        (tmp_path / "named" / f"{number}{label}.seg.txt").write_text(text, encoding="utf-8")
    return tmp_path


def digest(path):
    return json.loads(done("inspect", path, "--json").stdout)["digest"]


def test_every_kind_of_source_gives_the_same_model(folder):
    table = ("--text", "text", "--label", "label")
    for name, words in {
        "csv": ("mails.csv", *table),
        "jsonl": ("mails.jsonl", *table),
        "files": ("--class", "spam=spam.txt", "--class", "ham=ham.txt"),
        "folder": ("folders",),
        "names": ("named", "--label-pattern", r"\d(?P<label>[a-z]+)"),
    }.items():
        done("train", *words, "-o", f"{name}.tally", cwd=folder)
    digests = {name: digest(folder / f"{name}.tally") for name in ("csv", "jsonl", "files", "folder", "names")}
    assert len(set(digests.values())) == 1, digests


@pytest.fixture
def model(folder):
    done("train", "mails.csv", "--text", "text", "--label", "label", "-o", "m.tally", cwd=folder)
    return folder / "m.tally"


def test_predict_answers_a_line_for_a_line_in_order(model):
    result = done("predict", model, stdin="cheap pills\n\n明天 开会\n")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [a["label"] for a in answers][::2] == ["spam", "ham"]
    assert answers[1]["probabilities"] == {"ham": 0.5, "spam": 0.5}, "an empty line is an empty document"
    for answer in answers:
        assert answer["probability"] == max(answer["probabilities"].values())
        assert sum(answer["probabilities"].values()) == pytest.approx(1)
    from_json = done("predict", model, "-", "--text", "body", stdin='{"body": "cheap pills"}\n')
    assert json.loads(from_json.stdout) == answers[0]
    from_file = done("predict", model, model.parent / "mails.jsonl", "--text", "text").stdout.splitlines()
    assert [json.loads(line)["label"] for line in from_file] == [label for label, _ in MAILS]


@pytest.mark.parametrize(
    ("words", "line"), [((), "cheap pills\n"), (("--text", "t"), '{"t": "cheap pills"}\n')], ids=["lines", "json"]
)
def test_predict_answers_a_line_before_the_next_one_comes(model, words, line):
    process = subprocess.Popen(
        [sys.executable, "-m", "tallybayes", "predict", str(model), "-", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        for _ in range(3):
            process.stdin.write(line)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["label"] == "spam"
        process.stdin.close()
        assert process.stdout.read() == ""
    assert process.returncode == 0


def test_train_tests_on_a_holdout_and_writes_the_report(folder):
    result = done(
        *("train", "mails.csv", "--text", "text", "--label", "label", "-o", "m.tally"),
        *("--holdout", "0.34", "--seed", "1", "--report", "report.json"),
        cwd=folder,
    )
    assert "accuracy" in result.stderr
    assert result.stdout == ""
    report = json.loads((folder / "report.json").read_text())
    keys = ("n", "accuracy", "macro_f1", "weighted_f1", "log_loss", "brier", "ece", "classes", "confusion", "per_class")
    assert all(key in report for key in keys)
    assert report["n"] == sum(map(sum, report["confusion"]))
    again = done(
        *("train", "mails.csv", "--text", "text", "--label", "label", "-o", "n.tally"),
        *("--holdout", "0.34", "--seed", "1"),
        cwd=folder,
    )
    assert again.stderr.splitlines()[:-1] == result.stderr.splitlines()[:-1]
    assert digest(folder / "m.tally") == digest(folder / "n.tally")


def test_a_test_list_names_the_files_to_test_on(folder):
    (folder / "list.txt").write_text("0spam.seg.txt\n1ham.seg.txt\n")
    done(
        *("train", "named", "--label-pattern", r"\d(?P<label>[a-z]+)", "-o", "m.tally"),
        *("--test-list", "list.txt", "--report", "r.json"),
        cwd=folder,
    )
    assert json.loads((folder / "r.json").read_text())["n"] == 2
    assert json.loads(done("inspect", folder / "m.tally", "--json").stdout)["documents"] == 4


def test_evaluate_reports_on_stdout(model):
    result = done("evaluate", model, model.parent / "mails.csv", "--text", "text", "--label", "label", "--json")
    assert json.loads(result.stdout)["accuracy"] == 1.0
    assert "accuracy" in done("evaluate", model, model.parent / "folders").stdout


def test_inspect_shows_counts_words_and_how_it_was_made(model):
    text = done("inspect", model).stdout
    for words in ("documents  6", "spam: 3 documents", "cheap", "complement", "alpha 0.1"):
        assert words in text
    facts = json.loads(done("inspect", model, "--json").stdout)
    assert [entry["class"] for entry in facts["classes"]] == ["ham", "spam"]


def test_merge_and_forget_give_the_digest_of_one_training(folder, model):
    rows = (folder / "mails.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "a.csv").write_text("".join(rows[:4]), encoding="utf-8")
    (folder / "b.csv").write_text("".join([rows[0], *rows[4:]]), encoding="utf-8")
    for part in "ab":
        done("train", f"{part}.csv", "--text", "text", "--label", "label", "-o", f"{part}.tally", cwd=folder)
    done("merge", "a.tally", "b.tally", "-o", "c.tally", cwd=folder)
    assert digest(folder / "c.tally") == digest(model)
    done("forget", "c.tally", "b.csv", "--text", "text", "--label", "label", "-o", "d.tally", cwd=folder)
    assert digest(folder / "d.tally") == digest(folder / "a.tally")
    message = refused("forget", "a.tally", "b.csv", "--text", "text", "--label", "label", "-o", "e.tally", cwd=folder)
    assert "out" in message
    assert not (folder / "e.tally").exists()
    done("train", "a.csv", "--text", "text", "--label", "label", "--cjk", "1,2", "-o", "other.tally", cwd=folder)
    assert "cjk" in refused("merge", "a.tally", "other.tally", "-o", "e.tally", cwd=folder)


def test_an_existing_file_is_kept_without_force(folder, model):
    before = model.read_bytes()
    words = ("train", "mails.csv", "--text", "text", "--label", "label", "-o", model)
    assert "--force" in refused(*words, cwd=folder)
    assert model.read_bytes() == before
    done(*words, "--alpha", "1", "--force", cwd=folder)
    assert model.read_bytes() != before


def test_a_failed_training_leaves_the_old_model(folder, model):
    before = model.read_bytes()
    (folder / "bad.csv").write_text("label,text\nspam,ok\n,no label\n")
    message = refused("train", "bad.csv", "--text", "text", "--label", "label", "-o", model, "--force", cwd=folder)
    assert "bad.csv" in message
    assert "3" in message
    assert model.read_bytes() == before
    result = done(
        "train", "bad.csv", "--text", "text", "--label", "label", "-o", "s.tally", "--on-error", "skip", cwd=folder
    )
    assert "skipped" in result.stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("train",), 2, "-o"),
        (("train", "mails.csv", "-o", "x.tally", "--alpha", "-1"), 2, "alpha"),
        (("train", "mails.csv", "-o", "x.tally", "--report", "r.json"), 2, "holdout"),
        (("train", "no-such-file.csv", "-o", "x.tally"), 1, "no-such-file"),
        (("train", "mails.csv", "--text", "body", "--label", "label", "-o", "x.tally"), 1, "body"),
        (("train", "mails.csv", "--smoothing", "floor", "-o", "x.tally"), 1, "multinomial"),
        (("predict", "mails.csv"), 1, "mails.csv"),
        (("predict", "no.tally"), 1, "no.tally"),
        (("inspect",), 2, "MODEL"),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(folder, words, status, said):
    assert said in refused(*words, status=status, cwd=folder)
    assert not (folder / "x.tally").exists()


def test_the_verbs_that_answer_load_nothing_heavy(model):
    code = (
        "import sys; from tallybayes.cli import main\n"
        f"sys.argv = ['tallybayes', 'predict', {str(model)!r}]\n"
        "main()\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'matplotlib', 'pyarrow'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    result = subprocess.run([sys.executable, "-c", code], input="hi\n", capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_demo_runs_offline_and_reaches_its_accuracy():
    pytest.importorskip("eld")
    text = done("demo").stdout
    assert "60 languages" in text
    share = float(text.split("% right")[0].rsplit(" ", 1)[1])
    assert share >= 99.4
    assert "→ zh" in text
    assert "→ en" in text
