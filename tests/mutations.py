"""Model files with claims that no program wrote, by seed: checksums are right, what they vouch for is not.

``python -m tests.mutations FIRST LAST`` tries many seeds on every kind of model and prints what is neither a refusal nor a
model that works.
"""

from __future__ import annotations

import copy
import datetime as dt
import json
import random
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from tallybayes import InputError, Model, ModelFileError, SpaceError, load
from tallybayes.model.file import _json_text as json_text
from tallybayes.store import read_blocks, write_blocks

from .golden_models import FORMS, models, path_of

# What a claim may be turned into.
ODD = (
    *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**40, 2**63 - 1, 2**63, 10**30, -(2**63), 0.0, -0.0, 0.5, 1e308, -1.5),
    *(
        "",
        "0",
        "x",
        "count",
        "text",
        "documents",
        "uniform",
        "skip",
        "codes",
        "auto",
        "\ud800",
        "é\x00",
        "words",
        "chars",
    ),
    *([], {}, [[]], [0], [1, 1], ["a"], ["documents"], {"a": 1}, {"kind": "int"}, [None], [0.5, 0.5]),
)
KEYS = ("extra", "kind", "alpha", "prior", "n_columns", "hash", "columns", "idf", "norm", "unit", "\ud800", "sha256")
WHOLE = (0, 1, -1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**53, 2**62, 2**63 - 1, -(2**63))
FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, -0.0, 1e308, 5e-324, 1e-300, 2.0**63, 0.1, 1e16)


def places(value, at=()):
    """Every place in a JSON value."""
    yield at
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*at, key))


def objects(value):
    """Every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def mutate_claim(said, rng):
    """Drop, double, rename, swap or replace one entry anywhere in a JSON value."""
    *path, key = rng.choice([at for at in places(said) if at])
    holder = said
    for step in path:
        holder = holder[step]
    value = holder[key]
    match rng.randrange(9):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        case 2 if isinstance(holder, list):
            rng.shuffle(holder)
        case 3:
            for _ in range(rng.choice([1, 5, 50, 400])):
                value = [value] if rng.random() < 0.5 else {"a": value}
            holder[key] = value
        case 4 | 5 if isinstance(value, (int, float)) and not isinstance(value, bool):
            holder[key] = value + rng.choice([-1, 1, -2, 2, 10, 1000, 10**9, 0.5])
        case 5 | 6 if isinstance(holder, dict):
            holder[rng.choice(KEYS)] = copy.deepcopy(rng.choice(ODD))
        case 7 if isinstance(value, str):
            i = rng.randrange(len(value) + 1)
            holder[key] = value[:i] + rng.choice(["", "x", "\x00", "\ud800", "é", "9"]) + value[i + rng.randrange(2) :]
        case _:
            holder[key] = copy.deepcopy(rng.choice(ODD))


def mutate_together(said, rng):
    """Make the same odd claim wherever a name stands: what is consistent is believed, unless it cannot be."""
    names = [
        "n_columns",
        "ngrams",
        "cjk",
        "channels",
        "hash",
        "columns",
        "value",
        "domain",
        "unit",
        "min_length",
        "idf",
    ]
    name, odd = rng.choice(names), copy.deepcopy(rng.choice(ODD))
    for holder in list(objects(said)):
        if name in holder:
            old = holder[name]
            holder[name] = [*old[:-1], odd] if name == "hash" and isinstance(old, list) else odd


def mutate_block(array, rng):
    """Change numbers, order, size, type or form of a block."""
    flat = array.ravel().copy()
    match rng.randrange(8):
        case 0 | 1 | 2 | 3 if len(flat):
            for _ in range(rng.choice([1, 1, 2, 5])):
                limits = (
                    (-(2**63), 2**63 - 1)
                    if flat.dtype.kind == "f"
                    else (np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max)
                )
                i = rng.randrange(len(flat))
                if flat.dtype.kind == "f":
                    flat[i] = rng.choice(FLOATS)
                else:
                    odd = rng.choice(WHOLE) if rng.random() < 0.6 else int(flat[i]) + rng.choice([-2, -1, 1, 2])
                    flat[i] = min(max(odd, limits[0]), limits[1])
            return flat.reshape(array.shape)
        case 4:
            return flat[::-1].reshape(array.shape)
        case 5:
            return array[: rng.randrange(len(array) + 1)] if len(array) else array
        case 6:
            return np.concatenate([array, array[:1]])
        case _:
            forms = [lambda: flat[np.newaxis], lambda: flat.astype(np.float64), lambda: flat.astype(np.int64)]
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return rng.choice(forms)()


def mutated(name, form, rng, path):
    """Write a mutation of the golden file of a kind, its checksums right."""
    original = path_of(name, form)
    if form == "json":
        said = json.loads(original.read_bytes())
        del said["sha256"]
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            (mutate_together if rng.random() < 0.2 else mutate_claim)(said, rng)
        path.write_bytes(json_text(said))
        return
    read = read_blocks(original)
    said, arrays = copy.deepcopy(read.content), dict(read)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind, block = rng.random(), rng.choice(sorted(arrays))
        if kind < 0.4:
            mutate_claim(said, rng)
        elif kind < 0.5:
            mutate_together(said, rng)
        elif kind < 0.53:
            del arrays[block]
        elif kind < 0.56:
            arrays[f"{block}x"] = arrays[block]
        elif kind < 0.59:
            other = rng.choice(sorted(arrays))
            arrays[block], arrays[other] = arrays[other], arrays[block]
        else:
            arrays[block] = mutate_block(arrays[block], rng)
        if not arrays:
            break
    write_blocks(path, arrays, said)


def use(model: Model, name: str, folder: Path):
    """Ask a model everything; what it answers must be numbers."""
    rows = ROWS[name]
    try:
        proba = model.predict_proba(rows)
        assert np.isfinite(proba).all(), proba
        assert not np.isnan(model.predict_joint_log_proba(rows)).any()
        model.predict(rows)
        explained = model.explain(rows[0])
        str(explained), explained.to_html()
    except (InputError, SpaceError):
        # What a file may well claim: another number of columns, that gaps, fractions or unseen values are errors.
        mine, made = model.counter, MODELS[name].counter
        strict = getattr(model.reading, "unseen", None) == "error"
        assert (
            strict
            or mine.n_columns != made.n_columns
            or getattr(mine, "missing", None) != getattr(made, "missing", None)
        )
    json.dumps(model.inspect(3))
    for form in FORMS:
        model.save(folder / f"again.{form}")
        again = load(folder / f"again.{form}")
        assert again.tally == model.tally
        assert (again.counter, again.reading) == (model.counter, model.reading)


def tried(name: str, form: str, seed: int, folder: Path) -> str:
    """Load and use one mutation; say what became of it.

    Raises
    ------
    Exception
        Whatever is neither a ModelFileError of one line nor a model that works.
    """
    rng = random.Random(f"{name} {form} {seed}")
    path = folder / f"m.{form}"
    mutated(name, form, rng, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column that is drowned, another segmenter
        try:
            model = load(path)
        except ModelFileError as error:
            said = str(error)
        else:
            use(model, name, folder)
            return "used"
    assert "\n" not in said
    assert said.startswith(f"{path}: ")
    return "refused"


MODELS = {name: model for name, (model, _) in models().items()}
ROWS = {name: rows for name, (_, rows) in models().items()}

if __name__ == "__main__":
    import resource
    import tempfile

    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    became, found = Counter(), {}
    folder = Path(tempfile.mkdtemp())
    started = dt.datetime.now()
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        for name in ROWS:
            for form in FORMS:
                try:
                    became[tried(name, form, seed, folder)] += 1
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    last = traceback.extract_tb(error.__traceback__)[-1]
                    key = (type(error).__name__, last.filename.rpartition("/")[2], last.lineno)
                    found.setdefault(key, (name, form, seed, str(error)[:200]))
                    became["wrong"] += 1
    print(dict(became), dt.datetime.now() - started)
    for key, first in found.items():
        print(key, first)
