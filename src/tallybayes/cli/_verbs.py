"""The list of verbs: where each is defined, and its line in ``tallybayes --help``."""

from __future__ import annotations

from ._group import Verb

# In the order of use, which is also the order of the help. A verb's own docstring may say more than its line here.
VERBS: dict[str, Verb] = {
    "train": Verb("tallybayes.cli.train:train", "Learn from labelled documents, test, and save the model."),
    "evaluate": Verb("tallybayes.cli.evaluate:evaluate", "Compare a model's answers with labels."),
    "predict": Verb("tallybayes.cli.predict:predict", "Classify documents: a line of JSON for each."),
    "explain": Verb("tallybayes.cli.explain:explain", "Show why a document got its class and not another."),
    "derive": Verb("tallybayes.cli.derive:derive", "Derive an answer step by step, in fractions."),
    "inspect": Verb("tallybayes.cli.inspect:inspect", "Show what is in a model."),
    "merge": Verb("tallybayes.cli.merge:merge", "Add models up."),
    "forget": Verb("tallybayes.cli.forget:forget", "Take documents back out of a model."),
    "demo": Verb("tallybayes.cli.demo:demo", "Show it all on 60 languages, without a network."),
}
