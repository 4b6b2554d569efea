"""Hypothesis strategies that several tests use."""

from __future__ import annotations

from hypothesis import strategies as st

from tallybayes.labels import Labels
from tallybayes.model.text import text_counter, text_reading
from tallybayes.space import Space
from tallybayes.tally.count import CountTally
from tallybayes.tally.features import ColumnFeatures, TextFeatures

N_COLUMNS = 6
TEXT = Space("text", {"tokens": "words", "ngrams": [1, 2]})
COLUMNS = Space("columns")
WORDS = ["a", "ab", "b", "钱", "钱袋", "\U0001f600"]


def tally_from(rows, table, channels=("occurrences",), *, columns=False, exact=True, unit=0):
    """Build a tally from dicts as in twins/tally.py, in the layout the kernel writes."""
    labels, _ = Labels.of(list(rows))
    features = sorted(
        {feature for cells in table.values() for feature in cells}, key=lambda f: f if columns else f.encode()
    )
    indptr, class_index, values = [0], [], {name: [] for name in channels}
    for feature in features:
        for position, label in enumerate(labels):
            if feature in table.get(label, {}):
                class_index.append(position)
                for name in channels:
                    values[name].append(table[label][feature][name])
        indptr.append(len(class_index))
    return CountTally(
        labels,
        [rows[label] for label in labels],
        ColumnFeatures(features, N_COLUMNS) if columns else TextFeatures.of(features),
        indptr,
        class_index,
        values,
        COLUMNS if columns else TEXT,
        exact,
        unit,
    )


def counted_and_read(analyzer, event_model, **parameters):
    """Return the counter and the reading of text by parameters as those of `TextClassifier`."""
    counter = text_counter(analyzer, weighting=parameters.get("weighting", "count"))
    return counter, text_reading(event_model, **parameters)


@st.composite
def tables(draw, classes=("ham", "spam", "x", "中"), columns=False, channels=("occurrences",), counts=None):
    """Rows and a table as in twins/tally.py."""
    counts = st.integers(0, 3) if counts is None else counts
    feature = st.integers(0, N_COLUMNS - 1) if columns else st.sampled_from(WORDS)
    rows, table = {}, {}
    for label in draw(st.lists(st.sampled_from(classes), unique=True)):
        rows[label] = draw(counts)
        cells = draw(st.dictionaries(feature, st.fixed_dictionaries(dict.fromkeys(channels, counts)), max_size=5))
        table[label] = {name: cell for name, cell in cells.items() if any(cell.values())}
    return rows, table


@st.composite
def tallies(draw, n=1, counts=None, exact=True):
    """`n` tallies that may be added: of text or of columns, with one or two channels."""
    columns = draw(st.booleans())
    channels = draw(st.sampled_from([("occurrences",), ("documents",), ("occurrences", "documents")]))
    classes = draw(st.sampled_from([("ham", "spam", "x", "中"), (-1, 0, 1, 10)]))
    drawn = [draw(tables(classes, columns, channels, counts)) for _ in range(n)]
    return [tally_from(rows, table, channels, columns=columns, exact=exact) for rows, table in drawn]
