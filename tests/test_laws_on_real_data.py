"""Forgetting and merging on real data give the digest of a model that learnt just the rest, or the whole."""

from __future__ import annotations

import gzip
import random
import re
import tarfile

import pytest

from tallybayes import Model
from tallybayes.tally.count import CountTally


@pytest.fixture(scope="module", params=["sms-spam", "zh-articles"])
def rows(request, shared):
    folder = shared / "data" / request.param
    if request.param == "sms-spam":
        text = gzip.decompress((folder / "SMSSpamCollection.gz").read_bytes()).decode()
        return [tuple(line.split("\t", 1)[::-1]) for line in text.split("\n") if line]
    found = []
    with tarfile.open(folder / "articles.tar.gz") as archive:
        for member in archive:
            if member.isfile():
                label = re.match(r"\d*([a-z]+)", member.name.rpartition("/")[2])[1]
                found.append((archive.extractfile(member).read().decode(), label))
    return found


def learnt(rows, **options):
    return Model(**options).learned([document for document, _ in rows], [label for _, label in rows])


def test_forgetting_30_percent_in_random_order_equals_never_having_seen_them(rows):
    shuffled = rows[:]
    random.Random(7).shuffle(shuffled)
    cut = len(rows) * 3 // 10
    gone, kept = shuffled[:cut], shuffled[cut:]
    model = learnt(rows)
    for start in range(0, cut, 331):
        part = gone[start : min(start + 331, cut)]
        model = model.without([document for document, _ in part], [label for _, label in part])
    assert model.tally.digest() == learnt(kept, n_jobs=2).tally.digest()


@pytest.mark.parametrize("n_parts", [2, 5, 50])
def test_merging_parts_equals_one_fit(rows, n_parts):
    parts = [learnt(rows[start::n_parts]).tally for start in range(n_parts)]
    assert CountTally.sum(parts).digest() == learnt(rows).tally.digest()
    assert sum(parts[::-1]).digest() == learnt(rows).tally.digest()


def test_the_digest_does_not_depend_on_chunks_order_or_threads(rows):
    whole = learnt(rows).tally.digest()
    shuffled = rows[:]
    random.Random(1).shuffle(shuffled)
    for n_chunks in (1, 2, 7):
        for n_jobs in (1, 2):
            model = Model(n_jobs=n_jobs)
            for chunk in range(n_chunks):
                part = shuffled[chunk::n_chunks]
                model = model.learned([document for document, _ in part], [label for _, label in part])
            assert model.tally.digest() == whole
