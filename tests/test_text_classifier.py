"""TextClassifier keeps scikit-learn's contract on raw documents, and the laws of its tally."""

from __future__ import annotations

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tallybayes import TextClassifier
from tallybayes.counters import TextCounter
from tallybayes.errors import ForgetError, InputError, InputTypeError, ParameterError, SpaceError
from tallybayes.text.analyzer import Analyzer

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "runs",
    "sleeps",
    "狗",
    "猫",
    "跑步",
    "睡觉",
    "Zürich",
    "naïve",
    "don't",
    "x1",
    "②",
    "ＡＢ",
    "élan",
    "élan",
    "😀",
    "ok",
    "not",
    "never",
]


def corpus(n=120, seed=0, labels=("ham", "spam", "zzz")):
    rng = random.Random(seed)
    y = [rng.choice(labels) for _ in range(n)]
    x = [" ".join(rng.choices(WORDS, k=rng.randrange(1, 12))) + f" w{labels.index(c)}" * rng.randrange(3) for c in y]
    return x, y


X, Y = corpus()
SETTINGS = [
    {},
    {"event_model": "multinomial", "alpha": 1.0},
    {"event_model": "bernoulli", "alpha": 0.5},
    {"event_model": "complement", "norm": True},
    {"event_model": "multinomial", "smoothing": "floor"},
    {"weighting": "binary"},
    {"weighting": "log"},
    {"weighting": "idf"},
    {"weighting": "tfidf", "event_model": "multinomial"},
    {"min_df": 2, "max_df": 0.9, "max_features": 30},
    {"hash": 2**12},
    {"tokens": "chars_in_words", "ngrams": (1, 3)},
    {"prior": "words", "prior_alpha": 1.0, "event_model": "multinomial"},
    {"prior": {"ham": 0.2, "spam": 0.5, "zzz": 0.3}},
]
every_setting = pytest.mark.parametrize("params", SETTINGS, ids=lambda p: ",".join(map(str, p.values())) or "defaults")


@every_setting
def test_answers_are_shaped_and_normalised(params):
    classifier = TextClassifier(**params).fit(X, Y)
    queries = [*X[:20], "", "！？", "unknown words only"]
    joint, logs, shares = (
        getattr(classifier, f"predict_{kind}")(queries) for kind in ("joint_log_proba", "log_proba", "proba")
    )
    assert joint.shape == logs.shape == shares.shape == (23, 3)
    assert not np.isnan(joint).any()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.exp(logs), shares, atol=1e-12)
    np.testing.assert_array_equal(classifier.predict(queries), classifier.classes_[shares.argmax(axis=1)])
    alone = np.concatenate([classifier.predict_joint_log_proba([query]) for query in queries])
    np.testing.assert_array_equal(joint, alone)
    assert 0 <= classifier.score(X, Y) <= 1


@every_setting
def test_clone_parameters_and_pickle(params):
    classifier = TextClassifier(**params)
    assert clone(classifier).get_params() == classifier.get_params()
    classifier.fit(X, Y)
    assert classifier.get_params() == TextClassifier(**params).get_params(), "fit leaves parameters untouched"
    wanted = classifier.predict_joint_log_proba(X)
    for copied in (pickle.loads(pickle.dumps(classifier)), copy.deepcopy(classifier)):
        np.testing.assert_array_equal(copied.predict_joint_log_proba(X), wanted)
    assert not hasattr(clone(classifier), "classes_")


@every_setting
def test_save_and_load_answer_bit_for_bit(params, tmp_path):
    classifier = TextClassifier(**params).fit(X, Y)
    classifier.save(tmp_path / "m.tally")
    for verify in ("all", "structure"):
        loaded = TextClassifier.load(tmp_path / "m.tally", verify=verify)
        np.testing.assert_array_equal(loaded.predict_joint_log_proba(X), classifier.predict_joint_log_proba(X))
        assert loaded.predict(X).tolist() == classifier.predict(X).tolist()
        assert loaded.get_params()["event_model"] == classifier.event_model


def test_pipelines_grid_search_and_calibration():
    pipeline = make_pipeline(
        FunctionTransformer(lambda docs: [doc.replace("cat", "dog") for doc in docs]), TextClassifier()
    )
    assert pipeline.fit(X, Y).predict(X[:3]).shape == (3,)
    search = GridSearchCV(
        Pipeline([("nb", TextClassifier())]), {"nb__alpha": [0.1, 1.0], "nb__ngrams": [(1, 1), (1, 2)]}, cv=3
    )
    assert search.fit(X, Y).best_params_.keys() == {"nb__alpha", "nb__ngrams"}
    assert cross_val_score(TextClassifier(), np.array(X, object), Y, cv=3).shape == (3,)
    calibrated = CalibratedClassifierCV(TextClassifier(), cv=3).fit(np.array(X, object), Y)
    np.testing.assert_allclose(calibrated.predict_proba(X[:5]).sum(axis=1), 1.0)


def test_eight_threads_predicting_give_one_answer():
    classifier = TextClassifier(n_jobs=2).fit(X, Y)
    wanted = TextClassifier().fit(X, Y).predict_joint_log_proba(X)
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: classifier.predict_joint_log_proba(X), range(32)):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("frame", [np.array, pd.Series, pl.Series, tuple, lambda docs: pd.Series(docs, dtype="string")])
def test_columns_of_any_library_are_documents(frame):
    wanted = TextClassifier().fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(TextClassifier().fit(frame(X), Y).predict_proba(frame(X)), wanted)


@pytest.mark.parametrize("labels", [(0, 1, 2), (False, True), ("b", "a"), (2.5, -1.0)])
def test_labels_come_back_in_their_own_type(labels):
    rng = random.Random(1)
    y = np.array([rng.choice(labels) for _ in X])
    classifier = TextClassifier().fit(X, y)
    assert classifier.classes_.dtype == y.dtype
    assert classifier.predict(X).dtype == y.dtype
    assert classifier.classes_.tolist() == sorted(set(y.tolist()))


# ------------------------------------------------------------------ scikit-learn's numbers

VECTORIZERS = {
    "default": ({}, {"tokens": "sklearn", "ngrams": (1, 1)}),
    "pairs": ({"ngram_range": (1, 2)}, {"tokens": "sklearn", "ngrams": (1, 2)}),
    "char": ({"analyzer": "char", "ngram_range": (2, 3)}, {"tokens": "chars", "ngrams": (2, 3)}),
    "char_wb": ({"analyzer": "char_wb", "ngram_range": (1, 3)}, {"tokens": "chars_in_words", "ngrams": (1, 3)}),
    "space": ({"token_pattern": r"\S+", "lowercase": False}, {"tokens": "space", "ngrams": (1, 1), "lowercase": False}),
}
MODELS = {"multinomial": MultinomialNB, "complement": ComplementNB, "bernoulli": BernoulliNB}


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("event_model", MODELS)
def test_counts_equal_scikit_learn(vectorizer, event_model):
    theirs, ours = VECTORIZERS[vectorizer]
    reference = make_pipeline(CountVectorizer(**theirs), MODELS[event_model](alpha=0.3)).fit(X, Y)
    classifier = TextClassifier(event_model=event_model, alpha=0.3, **ours).fit(X, Y)
    queries = [*X[:30], "", "never seen", "Zürich 狗 狗 cat cat cat"]
    wanted = reference[-1].predict_joint_log_proba(reference[0].transform(queries))
    np.testing.assert_allclose(classifier.predict_joint_log_proba(queries), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "pruning", [{}, {"min_df": 3}, {"max_df": 0.3}, {"min_df": 0.05, "max_df": 50}, {"max_features": 12}]
)
def test_pruning_and_tfidf_equal_scikit_learn(pruning):
    ours = {"event_model": "multinomial", "alpha": 0.1, "tokens": "sklearn", "ngrams": (1, 1), **pruning}
    for theirs, weighting in (
        (CountVectorizer(**pruning), "count"),
        (CountVectorizer(binary=True, **pruning), "binary"),
        (TfidfVectorizer(**pruning), "tfidf"),
        (TfidfVectorizer(norm=None, **pruning), "idf"),
        (
            make_pipeline(CountVectorizer(**pruning), TfidfTransformer(norm=None, use_idf=False, sublinear_tf=True)),
            "log",
        ),
    ):
        reference = MultinomialNB(alpha=0.1).fit(theirs.fit_transform(X), Y)
        wanted = reference.predict_joint_log_proba(theirs.transform(X))
        classifier = TextClassifier(weighting=weighting, **ours)
        got = classifier.fit(X, Y).predict_joint_log_proba(X)
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9, err_msg=weighting)


# ------------------------------------------------------------------ laws

documents = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.sampled_from("abc")),
    min_size=2,
    max_size=20,
)


@settings(deadline=None, max_examples=40)
@given(
    documents,
    st.randoms(use_true_random=False),
    st.sampled_from([{}, {"event_model": "bernoulli"}, {"weighting": "log"}, {"hash": 64}]),
)
def test_any_cutting_and_order_gives_the_digest_of_one_fit(rows, rng, params):
    x, y = zip(*rows, strict=True)
    classes = sorted(set(y))
    try:
        whole = TextClassifier(**params).fit(x, y)
    except InputError:
        return  # no feature at all
    shuffled = rows[:]
    rng.shuffle(shuffled)
    stream = TextClassifier(n_jobs=2, **params)
    while shuffled:
        size = rng.randrange(1, 6)
        part, shuffled = shuffled[:size], shuffled[size:]
        stream.partial_fit([d for d, _ in part], [c for _, c in part], classes=classes)
    assert stream.tally_.digest() == whole.tally_.digest()
    np.testing.assert_array_equal(stream.predict_joint_log_proba(x), whole.predict_joint_log_proba(x))
    cut = rng.randrange(1, len(rows))
    left, right = (
        TextClassifier(**params, new_classes=True).partial_fit(*zip(*part, strict=True))
        for part in (rows[:cut], rows[cut:])
    )
    assert (left + right).tally_.digest() == whole.tally_.digest()
    assert (left + right).forget(*zip(*rows[cut:], strict=True)).tally_.digest() == left.tally_.digest()


def test_whole_weights_equal_copies_and_fractions_are_not_exact():
    weights = np.arange(len(X)) % 4
    copies = [i for i, w in enumerate(weights) for _ in range(w)]
    weighted = TextClassifier().fit(X, Y, sample_weight=weights)
    repeated = TextClassifier().fit([X[i] for i in copies], [Y[i] for i in copies])
    assert weighted.tally_.digest() == repeated.tally_.digest()
    half = TextClassifier(event_model="multinomial").fit(X, Y, sample_weight=np.full(len(X), 0.5))
    assert not half.tally_.exact
    twice = half.tally_ * 2
    np.testing.assert_allclose(
        twice.channels["occurrences"],
        TextClassifier(event_model="multinomial").fit(X, Y).tally_.channels["occurrences"],
    )


def test_reread_equals_learning_with_the_other_reading():
    base = TextClassifier().fit(X, Y)
    for changes in (
        {"alpha": 2.0},
        {"event_model": "multinomial", "prior": "words"},
        {"norm": True},
        {"event_model": "multinomial", "smoothing": "floor"},
        {"event_model": "bernoulli"},
        {"weighting": "binary"},
        {"weighting": "idf"},
        {"min_df": 2},
        {"max_features": 20},
    ):
        again = TextClassifier(**changes).fit(X, Y)
        np.testing.assert_array_equal(
            base.reread(**changes).predict_joint_log_proba(X), again.predict_joint_log_proba(X)
        )
    occurrences = TextClassifier(channels=("occurrences",)).fit(X, Y)
    for changes in ({"event_model": "bernoulli"}, {"weighting": "binary"}, {"weighting": "idf"}, {"min_df": 2}):
        with pytest.raises(ParameterError, match=r"documents.*channels="):
            occurrences.reread(**changes)


def test_from_tally_answers_like_the_classifier_it_came_from():
    base = TextClassifier(ngrams=(1, 1)).fit(X, Y)
    again = TextClassifier.from_tally(base.tally_, ngrams=(1, 1))
    np.testing.assert_array_equal(again.predict_joint_log_proba(X), base.predict_joint_log_proba(X))
    with pytest.raises(SpaceError, match="ngrams"):
        TextClassifier.from_tally(base.tally_, ngrams=(1, 2))


def test_adding_another_feature_space_names_the_part_that_differs():
    with pytest.raises(SpaceError, match="cjk"):
        TextClassifier().fit(X, Y) + TextClassifier(cjk=(1, 2)).fit(X, Y)


def test_decide_weighs_losses_and_may_be_unsure():
    classifier = TextClassifier().fit(X, Y)
    np.testing.assert_array_equal(classifier.decide(X), classifier.predict(X))
    unsure = classifier.decide(["", X[0]], abstain=0.01)
    assert unsure.dtype == object
    assert unsure[0] is None


# ------------------------------------------------------------------ cases


def test_empty_1_unknown_words_give_the_prior_and_absences_count_in_bernoulli():
    x = [
        "buy cheap pills",
        "cheap pills now",
        "hello dear friend",
        "see you tomorrow dear friend at noon",
        "lunch at noon",
    ]
    y = ["spam", "spam", "ham", "ham", "ham"]
    options = {"tokens": "space", "ngrams": (1, 1), "alpha": 1.0}
    strangers = ["", "!!!", "zzz qqq", " ".join(f"u{i}" for i in range(50))]
    multinomial = TextClassifier(event_model="multinomial", **options).fit(x, y)
    np.testing.assert_allclose(multinomial.predict_proba(strangers), [[3 / 5, 2 / 5]] * 4, rtol=1e-15)
    bernoulli = TextClassifier(event_model="bernoulli", **options).fit(x, y)
    wanted = np.array([34359738368, 32958984375]) / 67318722743
    np.testing.assert_allclose(bernoulli.predict_proba(strangers), [wanted] * 4, rtol=1e-12)
    complement = TextClassifier(event_model="complement", **options).fit(x, y)
    np.testing.assert_array_equal(complement.predict_proba(strangers), [[0.5, 0.5]] * 4)


@pytest.mark.parametrize("docs", [["", "  ", "!!"], []])
def test_empty_2_nothing_to_learn_from_says_what_came(docs):
    with pytest.raises(InputError, match=f"{len(docs)} documents|no document"):
        TextClassifier().fit(docs, ["a"] * len(docs))


def test_empty_2_stop_words_that_remove_everything_are_named():
    with pytest.raises(InputError, match="stop_words"):
        TextClassifier(stop_words=["the", "and", "of"], ngrams=(1, 1)).fit(["the and of"], ["a"])


@pytest.mark.parametrize("bad", [None, float("nan"), 5])
def test_empty_2_what_is_not_text_is_named_with_its_position(bad):
    classifier = TextClassifier().fit(X, Y)
    with pytest.raises((InputError, InputTypeError), match="1"):
        classifier.predict(["fine", bad])
    with pytest.raises((InputError, InputTypeError), match="1"):
        TextClassifier().fit(["fine", bad], ["a", "b"])


def test_empty_2_a_bare_string_is_refused():
    with pytest.raises((InputError, InputTypeError), match="list"):
        TextClassifier().fit(X, Y).predict("one document")


def test_empty_2_an_empty_document_counts_for_its_prior_only():
    x, y = ["a b", "c d", ""], ["p", "q", "q"]
    options = {"event_model": "multinomial", "tokens": "space", "ngrams": (1, 1), "alpha": 1.0}
    classifier = TextClassifier(**options).fit(x, y)
    np.testing.assert_allclose(classifier.predict_proba([""]), [[1 / 3, 2 / 3]])
    assert classifier.tally_.class_count.tolist() == [1, 2]


def test_tok_1_single_characters_survive_and_chinese_shares_words():
    features = Analyzer().features
    assert {"我", "爱", "北京", "他", "不", "喜欢", "上海"} <= {
        f for d in ("我 爱 北京", "他 不 喜欢 上海") for f in features(d)
    }
    raw = features("他不喜欢上海，真的！")
    assert {"喜欢", "不", "上海"} <= set(raw)


def test_inc_1_a_stranger_among_the_labels_changes_nothing():
    classifier = TextClassifier().partial_fit(X, Y, classes=["ham", "spam", "zzz"])
    before = classifier.tally_.digest()
    with pytest.raises(InputError, match="'spma'.*ham"):
        classifier.partial_fit(["fine", "not fine"], ["ham", "spma"])
    assert classifier.tally_.digest() == before
    assert TextClassifier(new_classes=True).partial_fit(X, Y).partial_fit(["fine"], ["spma"]).classes_.tolist() == [
        "ham",
        "spam",
        "spma",
        "zzz",
    ]


def test_inc_2_a_declared_class_without_data_is_never_answered():
    classifier = TextClassifier(event_model="multinomial").partial_fit(X, Y, classes=["ham", "spam", "void", "zzz"])
    assert (classifier.predict_proba([*X, ""])[:, 2] == 0).all()
    classifier.partial_fit(["brand new"], ["void"])
    assert classifier.predict(["brand new"]).tolist() == ["void"]


def test_inc_3_the_first_call_needs_the_classes_and_later_ones_must_agree():
    with pytest.raises(InputError, match="classes must be passed"):
        TextClassifier().partial_fit(X, Y)
    classifier = TextClassifier().partial_fit(X, Y, classes=["ham", "spam", "zzz"])
    with pytest.raises(InputError, match="last call"):
        classifier.partial_fit(X, Y, classes=["ham", "spam"])


@pytest.mark.parametrize("weights", [[-1.0], [float("nan")], [float("inf")], [0.0], "short"])
def test_wgt_1_nonsense_weights_are_refused(weights):
    weights = np.ones(len(X) - 1) if weights == "short" else np.resize(weights, len(X))
    with pytest.raises(InputError, match="weight"):
        TextClassifier().fit(X, Y, sample_weight=weights)


def test_wgt_2_zero_weight_is_absence_and_the_unit_does_not_matter():
    weights = np.where(np.arange(len(X)) % 3 == 0, 0, 1)
    kept = np.flatnonzero(weights)
    without = TextClassifier(event_model="multinomial").fit([X[i] for i in kept], [Y[i] for i in kept])
    weighted = TextClassifier(event_model="multinomial").fit(X, Y, sample_weight=weights)
    assert weighted.tally_.digest() == without.tally_.digest()
    tiny = TextClassifier(event_model="multinomial", alpha=1e-10).fit(X, Y, sample_weight=np.full(len(X), 1e-9))
    plain = TextClassifier(event_model="multinomial", alpha=0.1).fit(X, Y)
    np.testing.assert_allclose(tiny.predict_proba(X), plain.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_label_1_none_and_mixed_labels_are_refused_in_words():
    with pytest.raises(InputError, match="1 label.* missing.*row 1"):
        TextClassifier().fit(["a", "b", "c"], ["x", None, "y"])
    with pytest.raises(InputError, match="mix"):
        TextClassifier().fit(["a", "b"], np.array(["1", 1], object))


def test_label_2_one_class_is_certain():
    classifier = TextClassifier().fit(["a b", "b c"], ["only", "only"])
    assert classifier.predict_proba(["a", "zzz", ""]).tolist() == [[1.0]] * 3
    assert classifier.predict_log_proba(["a"]).tolist() == [[0.0]]


def test_rule_2_ties_go_to_the_first_class_and_smoothing_is_a_distribution():
    classifier = TextClassifier(event_model="multinomial", tokens="space", ngrams=(1, 1), alpha=1.0).fit(
        ["z", "a"], ["z", "a"]
    )
    assert classifier.predict(["z a", "a z", ""]).tolist() == ["a"] * 3
    reviews = TextClassifier(event_model="multinomial", alpha=1.0).fit(
        ["好 喜欢", "差 讨厌 退货 慢 坏"], ["pos", "neg"]
    )
    assert reviews.predict(["差 " * 3000]).tolist() == ["neg"]


def test_api_1_a_failed_fit_leaves_the_old_model():
    classifier = TextClassifier().fit(X, Y)
    before = classifier.predict_joint_log_proba(X)
    for broken in (
        lambda: classifier.fit(["a", None], ["x", "y"]),
        lambda: classifier.fit(["a", "b"], ["x"]),
        lambda: classifier.set_params(alpha=-1).fit(X, Y),
        lambda: classifier.partial_fit(["a"], ["stranger"]),
        lambda: classifier.forget(["never learnt"], ["ham"]),
    ):
        with pytest.raises((InputError, InputTypeError, ParameterError, ForgetError)):
            broken()
        np.testing.assert_array_equal(classifier.predict_joint_log_proba(X), before)


def test_api_1_an_interrupt_inside_learning_leaves_the_old_model(monkeypatch):
    classifier = TextClassifier().fit(X, Y)
    before = classifier.tally_.digest()

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(TextCounter, "count", interrupted)
    for call in (classifier.fit, classifier.partial_fit, classifier.forget):
        with pytest.raises(KeyboardInterrupt):
            call(X, Y)
    assert classifier.tally_.digest() == before


def test_api_1_parameters_take_effect_at_the_next_fit():
    classifier = TextClassifier(event_model="multinomial").fit(X, Y)
    before = classifier.predict_joint_log_proba(X)
    classifier.set_params(alpha=5.0)
    np.testing.assert_array_equal(classifier.predict_joint_log_proba(X), before)
    resumed = classifier.partial_fit(["cat"], ["ham"])
    assert resumed.model_.reading.alpha == 0.1
    assert not np.array_equal(classifier.fit(X, Y).predict_joint_log_proba(X), before)


def test_api_1_answers_before_fit_ask_for_fit():
    for call in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decide"):
        with pytest.raises(NotFittedError, match="not fitted"):
            getattr(TextClassifier(), call)(X)


def test_model_2_what_is_no_data_is_refused_by_name_before_training_is_lost(tmp_path):
    classifier = TextClassifier(tokens=str.split).fit(X, Y)
    with pytest.raises(ParameterError, match="split"):
        classifier.save(tmp_path / "m.tally")
    assert not list(tmp_path.iterdir())
