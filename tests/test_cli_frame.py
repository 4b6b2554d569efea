"""The frame of every command: where its words go, how it ends, and what it never does."""

from __future__ import annotations

import os
import pty
import signal
import stat
import subprocess
import sys
import termios
from importlib.metadata import version
from pathlib import Path

import pytest

PROBE = [sys.executable, str(Path(__file__).with_name("cli_probe.py"))]


@pytest.fixture
def probe(program):
    return lambda *words, **settings: program([*PROBE, *words], **settings)


def test_the_version_is_the_package_s(tallybayes):
    done = tallybayes("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"tallybayes {version('tallybayes')}\n", "")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_goes_to_stdout(tallybayes, flag):
    done = tallybayes(flag)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: tallybayes ")
    assert done.stderr == ""


def test_help_lists_every_verb_without_importing_one(probe):
    done = probe("--help")
    assert done.returncode == 0
    for line in ("refuse   Raise an error.", "broken   Cannot be imported."):
        assert line in done.stdout


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_a_verb_has_its_own_help(probe, flag):
    done = probe("write", flag)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: probe write ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing-of-the-kind"], "No such command 'nothing-of-the-kind'"),
        (["--nothing"], "No such option"),
        (["refuse"], "Missing argument"),
        (["refuse", "eggs"], "'eggs' is not one of"),
        (["options", "--ngrams", "2,1"], "'2,1': wanted 1 <= MIN <= MAX"),
        (["options", "--ngrams", "two"], "'two' is not MIN,MAX"),
        (["options", "--hash", "2^40"], "'2^40' is not a number of columns"),
        (["options", "--alpha", "nan"], "'nan': wanted a finite number"),
        (["options", "--alpha", "-1"], "'-1': wanted a finite number"),
        (["options", "--alpha", "much"], "'much' is not a number"),
        (["options", "--prior", "a=2"], "'a=2' is none of documents, words, uniform"),
        (["options", "--prior", "evenly"], "'evenly' is none of"),
        (["options", "--encoding", "klingon"], "'klingon' is not a text encoding"),
        (["options", "--encoding", "rot13"], "'rot13' is not a text encoding"),
        (["options", "--label-pattern", "("], "'(' is not a regular expression"),
        (["options", "--label-pattern", "(.*)"], "has no group named label"),
        (["options", "--class", "spam"], "'spam' is not NAME=FILE"),
        (["options", "--min-df", "1.5"], "'1.5' is not a number of documents"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_was_wanted(probe, words, said):
    done = probe(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


def test_a_group_without_a_verb_is_wrong_usage(probe):
    done = probe()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: probe" in done.stderr


def test_options_arrive_typed_and_only_those_given(probe):
    words = "--class spam=a=b.txt --class ham=- --ngrams 2 --cjk 1,3 --hash 2^20 --alpha 1e-3 --prior a=b=0.25,c=0.75"
    done = probe(
        "options", *words.split(), "--min-df", "2", "--max-df", "0.5", "--no-lowercase", "--encoding", "GB18030"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert dict(line.split(" ", 1) for line in done.stdout.splitlines()) == {
        "class_files": "(('spam', 'a=b.txt'), ('ham', '-'))",
        "encoding": "'GB18030'",
        "ngrams": "(2, 2)",
        "cjk": "(1, 3)",
        "hash": "1048576",
        "lowercase": "False",
        "alpha": "0.001",
        "prior": "{'a=b': 0.25, 'c': 0.75}",
        "min_df": "2",
        "max_df": "0.5",
        "seed": "0",
        "jobs": "-1",
        "as_json": "False",
    }


def test_an_option_may_come_from_the_environment(probe):
    assert "ngrams (1, 3)" in probe("options", PROBE_OPTIONS_NGRAMS="1,3").stdout


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("own", r"line 3: wanted a label, came \x1b[31m'eggs'"),
        ("missing", "mails.csv: No such file or directory"),
        ("encoding", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        ("memory", "out of memory"),
        ("fault", "unexpected KeyError: 'x' (a fault of tallybayes; `tallybayes --debug` shows where)"),
    ],
)
def test_an_error_is_one_line_and_exits_1(probe, kind, line):
    done = probe("refuse", kind)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"tallybayes: {line}\n")


def test_a_verb_that_cannot_be_imported_is_one_line(probe):
    done = probe("broken")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("tallybayes: unexpected ModuleNotFoundError: No module named 'no_such_module'")
    assert done.stderr.count("\n") == 1


def test_a_cut_off_gzip_file_is_a_failure_not_an_interruption(probe, tmp_path):
    import gzip

    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"some text" * 100)[:-12])
    done = probe("unzip", "cut.gz")
    assert done.returncode == 1
    assert done.stderr.startswith("tallybayes: Compressed file ended before")


@pytest.mark.parametrize("settings", [{"words": ["--debug"]}, {"words": [], "PROBE_DEBUG": "1"}])
def test_debug_shows_the_traceback(probe, settings):
    done = probe(*settings.pop("words"), "refuse", "fault", **settings)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("tallybayes: unexpected KeyError")


def test_data_goes_to_stdout_as_utf_8_and_the_rest_to_stderr(probe):
    done = probe("talk", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (0, "数据\n")
    assert done.stderr == "one row\ntallybayes: warning: the row is short\n"


def test_progress_is_shown_at_a_terminal_only():
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (24, 80))
    done = subprocess.run([*PROBE, "talk"], stdout=subprocess.PIPE, stderr=writer, encoding="utf-8", timeout=60)
    os.close(writer)
    shown = os.read(reader, 100_000).decode()
    os.close(reader)
    assert done.stdout == "数据\n"
    assert "talking" in shown
    assert "1 rows" in shown
    assert "B/s" in shown


def test_a_closed_pipe_is_quiet():
    process = subprocess.Popen([*PROBE, "count"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stdout.readline() == "1\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 1
    assert process.stderr.read() == ""
    process.stderr.close()


def test_a_pipe_closed_before_the_last_flush_is_quiet():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROBE, "third"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (3, b"")  # nothing to write: the pipe does not matter
    done = subprocess.run([*PROBE, "talk"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr == b"one row\ntallybayes: warning: the row is short\n"


def test_ctrl_c_exits_130_with_one_line():
    process = subprocess.Popen([*PROBE, "wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "tallybayes: interrupted\n")
    assert process.returncode == 130


def test_a_number_that_a_verb_returns_is_the_exit_status(probe):
    assert probe("third").returncode == 3


def test_a_file_is_written_and_not_overwritten_unless_forced(probe, tmp_path):
    assert probe("write", "new", "-o", "a.txt").returncode == 0
    assert (tmp_path / "a.txt").read_text() == "new"
    done = probe("write", "newer", "-o", "a.txt")
    assert (done.returncode, done.stderr) == (1, "tallybayes: a.txt exists already; --force replaces it\n")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert probe("write", "newer", "-o", "a.txt", "--force").returncode == 0
    assert (tmp_path / "a.txt").read_text() == "newer"


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(probe, tmp_path):
    (tmp_path / "a.txt").write_text("old")
    done = probe("write", "new", "-o", "a.txt", "--force", "--fail")
    assert (done.returncode, done.stderr) == (1, "tallybayes: half way\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.txt", "old")]


@pytest.mark.parametrize(
    ("path", "said"), [(".", ". is a folder; name a file"), ("no/a.txt", "there is no folder no to write a.txt into")]
)
def test_a_place_that_cannot_be_written_is_named(probe, path, said):
    done = probe("write", "new", "-o", path)
    assert (done.returncode, done.stderr) == (1, f"tallybayes: {said}\n")


def test_a_dash_is_stdout_and_a_device_is_not_replaced(probe):
    assert probe("write", "数", "-o", "-").stdout == "数"
    assert probe("write", "x", "-o", "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_link_is_followed_and_permissions_are_kept(probe, tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert probe("write", "new", "-o", "link.txt", "--force").returncode == 0
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()
    assert stat.S_IMODE((tmp_path / "real.txt").stat().st_mode) == 0o640
