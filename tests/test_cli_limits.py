"""What an option cannot be is said in one sentence, and numbers are printed in full."""

from __future__ import annotations

import pytest

from tallybayes import Analyzer, ParameterError, TextCounter
from tallybayes.cli._output import amount
from tallybayes.model import Model

SOURCE = "label,text\nspam,win\nham,lunch\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mails.csv").write_text(SOURCE)
    Model(TextCounter(Analyzer("space"))).learned(["win", "lunch"], ["spam", "ham"]).save(tmp_path / "m.tally")
    return tmp_path


@pytest.mark.parametrize("jobs", ["0", "-2", "1025", "99999999999", "two"])
@pytest.mark.parametrize("words", ["train mails.csv -o new.tally", "predict m.tally mails.csv"])
def test_an_absurd_number_of_threads_is_one_sentence(tallybayes, folder, words, jobs):
    done = tallybayes(*words.split(), "--jobs", jobs)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{jobs}' is not a number of threads from 1 to 1024, nor -1" in " ".join(done.stderr.split())
    assert not (folder / "new.tally").exists()


def test_more_threads_than_the_kernel_starts_are_refused_from_python_too():
    with pytest.raises(ParameterError, match="at most 1024 threads; got 1025"):
        Model(TextCounter(Analyzer("space")), n_jobs=1025)


@pytest.mark.parametrize("words", ["train mails.csv", "merge m.tally", "forget m.tally mails.csv"])
def test_a_model_is_not_written_to_standard_output(tallybayes, folder, words):
    done = tallybayes(*words.split(), "-o", "-")
    said = "tallybayes: a model is not written to standard output; name a file (./- for one named -)\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert not (folder / "-").exists()
    assert tallybayes("merge", "m.tally", "-o", "./-").returncode == 0
    assert (folder / "-").exists()


def test_a_report_may_go_to_standard_output(tallybayes, folder):
    (folder / "more.csv").write_text(SOURCE + SOURCE.partition("\n")[2] * 20)
    done = tallybayes("train", "more.csv", "--holdout", "0.5", "--report", "-", "-o", "new.tally")
    assert (done.returncode, done.stdout[:1]) == (0, "{")


def test_many_documents_are_written_in_full(tallybayes, folder):
    model = Model(TextCounter(Analyzer("space"))).learned(["a", "b"], [0, 1], weights=[2_400_000, 2_400_001])
    model.save(folder / "many.tally")
    assert tallybayes("merge", "many.tally", "-o", "sum.tally").stderr.startswith("sum.tally: 4,800,001 documents")
    assert [amount(n) for n in (4.8e6, 4_800_000.5, 2.5)] == ["4,800,000", "4,800,000", "2.5"]
