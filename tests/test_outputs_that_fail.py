"""Standard streams that are full, closed, or read by nobody: a sentence where there is a place for it, never a trace."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

MAILS = "label,text\nspam,win a free prize now\nham,lunch at noon tomorrow\nspam,free pills\nham,see you at noon\n"
ANSWERING = [
    "predict m.tally mails.csv",
    "evaluate m.tally mails.csv",
    "inspect m.tally",
    "explain m.tally free",
    "derive m.tally free",
    "train --help",
    "--help",
    "--version",
]
WRITING = ["train mails.csv -o new.tally", "merge m.tally -o new.tally", "forget m.tally one.csv -o new.tally"]


@pytest.fixture(params=["buffered", "unbuffered"])
def shell(request, tmp_path):
    """Run a command with the redirections of a shell: `shell("predict m.tally", "> /dev/full")`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    kept |= {"PYTHONUNBUFFERED": "1"} if request.param == "unbuffered" else {}

    def run(words, redirections):
        line = f"{shlex.quote(sys.executable)} -m tallybayes {words} {redirections}"
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=kept,
            timeout=120,
        )

    (tmp_path / "mails.csv").write_text(MAILS)
    (tmp_path / "one.csv").write_text("".join(MAILS.splitlines(keepends=True)[:2]))
    assert run("train mails.csv -o m.tally", "").returncode == 0
    return run


@pytest.mark.parametrize("words", ANSWERING)
def test_an_output_that_takes_nothing_is_one_sentence(shell, words):
    done = shell(words, "> /dev/full")
    assert (done.returncode, done.stderr) == (1, "tallybayes: standard output: No space left on device\n")
    done = shell(words, ">&-")
    assert (done.returncode, done.stderr) == (1, "tallybayes: standard output: it is closed\n")


@pytest.mark.parametrize("words", ANSWERING)
def test_a_reader_that_has_gone_is_no_trouble_to_tell(shell, words):
    done = shell(words, "| exec <&-")  # pipefail: the status is the command's own
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@pytest.mark.parametrize("closed", ["2>&-", "2> /dev/full", "2> >(true)", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", WRITING)
def test_what_cannot_be_said_keeps_nothing_from_being_written(shell, tmp_path, words, closed):
    done = shell(words, closed)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert shell("inspect new.tally", "").stdout.startswith("documents")
    assert not list(tmp_path.glob(".tallybayes-*"))


@pytest.mark.parametrize("closed", ["2>&-", "2> /dev/full"])
def test_an_answer_and_a_status_need_no_stderr(shell, closed):
    assert shell("inspect m.tally", closed).stdout == shell("inspect m.tally", "").stdout
    done = shell("inspect nowhere.tally", closed)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert shell("no-such-verb", closed).returncode == 2
    assert shell("--help", f"> /dev/full {closed}").returncode == 1


@pytest.mark.parametrize("words", ["predict m.tally", "explain m.tally", "train - -o new.tally"])
def test_a_closed_input_is_one_sentence(shell, tmp_path, words):
    done = shell(words, "<&-")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "tallybayes: standard input: it is closed\n")
    assert not (tmp_path / "new.tally").exists()


def test_a_file_does_not_take_the_place_of_a_closed_stream(shell, tmp_path):
    """The next file that is opened would get its number, and what is said would land in the model."""
    assert shell("train mails.csv -o quiet.tally", "<&- >&- 2>&-").returncode == 0
    assert (tmp_path / "quiet.tally").read_bytes() == (tmp_path / "m.tally").read_bytes()


@pytest.mark.parametrize("words", ["explain m.tally free -o", "evaluate m.tally mails.csv --report"])
def test_a_result_file_on_a_full_disk_is_one_sentence(shell, words):
    done = shell(f"{words} /dev/full", "")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("No space left on device\n")
    assert done.stderr.count("\n") == 1
