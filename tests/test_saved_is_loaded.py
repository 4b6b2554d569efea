"""Whatever model can be made can be saved, and what was saved is loaded as the same model; else the call refused it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tallybayes import (
    Analyzer,
    BernoulliReading,
    CategoricalReading,
    CategoryCounter,
    ComplementReading,
    CountCounter,
    GaussianReading,
    InputError,
    Model,
    MultinomialReading,
    NumberCounter,
    TallyBayesError,
    TextCounter,
    TfidfCounter,
    load,
)
from tallybayes.tally.selection import Selection

from .golden_models import FORMS

WHOLE = st.sampled_from([1, 2, 7, np.int64(2), np.uint8(3), np.int32(1)])
SMOOTHING = st.sampled_from(
    [0, 1, 0.5, 1e-300, 1e300, np.float32(0.1), np.float64(2), np.int64(1), np.array(0.5), 5e-324]
)
TRUTH = st.sampled_from([True, False, np.True_, np.False_])
PRIOR = st.sampled_from(
    [None, "documents", "uniform", [0.25, 0.75], (0, 1), np.array([0.5, 0.5]), np.array([0.5, 0.5], np.float32)]
)
LABELS = [
    *(["a", "b"], ["", "\x00"], ["\ud800", "\udce4.txt"], [b"", b"\xff"], [True, False], [0, 1], [-(2**63), 2**63 - 1]),
    *(
        [0.5, 1e308],
        [5e-324, -0.0],
        np.array([1, 2], np.uint8),
        np.array([1.5, 2.5], np.float32),
        np.array(["x", "yy"]),
    ),
    *([np.str_("x"), np.str_("y")], [np.int64(3), 4], ["1", "1.0"], ["a\nb", "a\tb"], [2**70, 1]),
]
TEXTS = st.lists(
    st.sampled_from(
        ["", "a", "free free money", "免费 \U0001f600", "\x00", "é\u0301", "don't 'x'", "\x1f|\x1e", "a" * 300]
    ),
    min_size=4,
    max_size=6,
)
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 1e8, 1e-300, 1e150, 5e-324, -3.25, 2.0**53, 1e308])
COUNTS = st.sampled_from([0, 1, 3, 0.5, 1e-300, 1e300, 2.0**53, 2.0**62])
VALUES = st.sampled_from(["", "x", "\x00", "圆", 0, -7, 2**63, 10**30, 0.5, -0.0, 1e308, True, b"\xff", "1"])
WEIGHTS = st.sampled_from([None, 1, 2, 0, 2**40, 0.5, 1e-300, 1e300, np.float32(0.1)])
KIND = st.sampled_from(["text", "log", "hashed", "tfidf", "counts", "present", "codes", "values", "numbers"])


def rows_of(cells, width=2):
    return st.lists(st.tuples(*[cells] * width), min_size=4, max_size=6)


@st.composite
def made(draw):
    """A counter and a reading with odd parameters that they take, and rows for them."""
    try:
        return drawn(draw)
    except TallyBayesError:
        reject()


def drawn(draw):
    kind = draw(KIND)
    prior = {"prior": draw(PRIOR), "prior_alpha": draw(SMOOTHING)}
    linear = {**prior, "alpha": draw(SMOOTHING)}
    pruned = {
        **linear,
        "min_df": draw(st.sampled_from([1, np.int64(1), 0.0, np.float64(0.1)])),
        "max_features": draw(WHOLE),
    }
    of_text = draw(
        st.sampled_from(
            [
                lambda: MultinomialReading(**pruned, floor=np.float32(0.5)),
                lambda: ComplementReading(**pruned, norm=draw(TRUTH)),
                lambda: MultinomialReading(**linear, smoothing="floor", weighting="binary"),
            ]
        )
    )
    ngrams = (draw(WHOLE), np.int64(7))
    if kind in ("text", "log"):
        words = Analyzer(ngrams=ngrams, cjk=[np.int8(1), 2], stop_words={np.str_("a")}, min_length=draw(WHOLE))
        return TextCounter(words, value="log" if kind == "log" else "count"), of_text(), draw(TEXTS)
    if kind == "hashed":
        return TextCounter(Analyzer(hash=("murmur3", np.int64(2**20)))), of_text(), draw(TEXTS)
    if kind == "tfidf":
        return TfidfCounter(Analyzer(), Selection(max_features=draw(WHOLE))), MultinomialReading(**linear), draw(TEXTS)
    if kind == "counts":
        return (
            CountCounter(),
            draw(st.sampled_from([MultinomialReading, ComplementReading]))(**linear),
            draw(rows_of(COUNTS)),
        )
    if kind == "present":
        counter = CountCounter(("documents",), draw(st.sampled_from([0.5, np.float32(0.1), np.int64(1)])))
        return counter, BernoulliReading(**linear), draw(rows_of(COUNTS))
    if kind == "numbers":
        reading = GaussianReading(**prior, var_smoothing=draw(SMOOTHING), ddof=draw(st.sampled_from([0, np.int64(1)])))
        return NumberCounter(columns=(np.str_("x"), "\x00"), n_columns=np.int64(2)), reading, draw(rows_of(NUMBERS))
    least = draw(st.sampled_from([None, np.int64(3), [1, 2], np.array([4, 5])]))
    reading = CategoricalReading(**linear, min_categories=least)
    if kind == "codes":
        return CategoryCounter(), reading, np.array(draw(rows_of(st.sampled_from([0, 1, 5, 10**6, 2**62]))))
    return CategoryCounter(domain="values", missing="skip"), reading, draw(rows_of(VALUES | st.none()))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(made(), st.sampled_from(LABELS), st.lists(WEIGHTS, min_size=6, max_size=6), st.booleans())
def test_what_was_saved_is_loaded_as_the_same_model(tmp_path_factory, parts, labels, weights, weighted):
    counter, reading, rows = parts
    y = [labels[i % 2] for i in range(len(rows))]
    w = [1 if each is None else each for each in weights[: len(rows)]] if weighted else None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = Model(counter, reading).learned(rows, y, weights=w).checked()
        except TallyBayesError:
            return
        folder = tmp_path_factory.mktemp("m")
        for form in FORMS:
            model.save(folder / f"m.{form}")
            loaded = load(folder / f"m.{form}")
            assert (loaded.counter, loaded.reading, loaded.tally) == (model.counter, model.reading, model.tally)
            assert loaded.classes.dtype == model.classes.dtype
            assert loaded.classes.tolist() == model.classes.tolist()


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_tally_comes_back(tmp_path, form):
    for counter in (
        TextCounter(),
        CountCounter(n_columns=3),
        CategoryCounter(domain="values", n_columns=0),
        NumberCounter(n_columns=0),
    ):
        reading = {"numbers": GaussianReading(), "categories": CategoricalReading()}.get(
            counter.kind, MultinomialReading()
        )
        nothing = Model().labels
        model = Model(counter, reading, counter.empty(nothing))
        model.save(tmp_path / f"m.{form}")
        assert load(tmp_path / f"m.{form}").tally == model.tally


@pytest.mark.parametrize("weights", [[2**40, 1], [1e300, 1.0]])
def test_weights_that_make_sums_too_large_are_refused_by_the_call(weights):
    model = Model(TextCounter(value="log"), MultinomialReading())
    with pytest.raises(InputError, match="use smaller weights"):
        model.learned(["free free money", "see"], ["a", "b"], weights=weights)
    half = Model(TextCounter(), MultinomialReading()).learned(["free", "see"], ["a", "b"], weights=[8e307, 1.5])
    with pytest.raises(InputError, match="smaller weights|more than a tally can hold"):
        half + half * 1.5
