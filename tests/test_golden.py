"""Files of every format number since 2.0 keep loading, to the same tallies."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tallybayes.errors import ModelFileError
from tallybayes.labels import Labels
from tallybayes.space import Space
from tallybayes.store import FORMAT, read_blocks, write_blocks
from tallybayes.tally import Tally
from tallybayes.tally.moments import MomentTally

from .strategies import tally_from

GOLDEN = Path(__file__).parent / "golden"
NAME = "tallies-{}.{}.tally"


def tallies():
    """Return a tally of each sort: text, columns, rounded, logarithms, moments."""
    both = {"occurrences": 3, "documents": 2}
    text = tally_from(
        {"ham": 4, "垃圾": 2, "empty": 0},
        {"ham": {"钱": both, "free": both}, "垃圾": {"free": {"occurrences": 7, "documents": 2}}},
        ("occurrences", "documents"),
    )
    columns = tally_from(
        {0: 3, 5: 1}, {0: {2: {"documents": 3}}, 5: {0: {"documents": 1}}}, ("documents",), columns=True
    )
    logs = tally_from({True: 1}, {True: {"a": {"occurrences": 7_272_088_183}}}, unit=32)
    labels, _ = Labels.of(np.array(["2024-02-29", "2025-01-01"], "M8[D]"))
    moments = MomentTally(
        labels, [3, 1], [[3, 2], [1, 0]], [[0.1, 1e8], [-4, 0]], [[2.5, 0.5], [0, 0]], ["长", "b"], Space("values")
    )
    return {"text": text, "columns": columns, "rounded": text * 0.3, "logs": logs, "moments": moments}


def write(path):
    blocks, content = {}, {}
    for name, tally in tallies().items():
        arrays, content[name] = tally.to_blocks(name)
        blocks |= arrays
    write_blocks(path, blocks, content)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("tallies-2.*.tally")), ids=lambda path: path.stem)
@pytest.mark.parametrize("verify", ["all", "structure"])
def test_an_old_file_gives_the_same_tallies(path, verify):
    blocks = read_blocks(path, verify)
    assert path.name == NAME.format(*blocks.version)
    for name, tally in tallies().items():
        said = blocks.content[name]
        read = Tally.kinds[said["type"]].from_blocks(name, blocks, said)
        assert read == tally
        assert read.classes == tally.classes
        assert read.classes.array.dtype == tally.classes.array.dtype
        if name in ("text", "columns", "logs"):
            assert read.digest() == tally.digest()


def test_the_current_format_has_a_golden_file_and_gives_its_bytes(tmp_path):
    write(tmp_path / "now")
    assert (tmp_path / "now").read_bytes() == (GOLDEN / NAME.format(*FORMAT)).read_bytes()


@pytest.mark.parametrize("verify", ["all", "structure"])
def test_a_file_of_format_1_is_refused_in_a_sentence_that_says_who_reads_it(verify):
    with pytest.raises(
        ModelFileError, match=r"^[^\n]*format 1\.0, which only tallybayes 0\.1 reads; learn again[^\n]*$"
    ):
        read_blocks(GOLDEN / NAME.format(1, 0), verify)


if __name__ == "__main__":
    write(Path(sys.argv[1]) / NAME.format(*FORMAT))
