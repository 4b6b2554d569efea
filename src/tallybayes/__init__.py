"""Naive Bayes whose model is a tally.

*A tally is a sum over rows; a model is a tally read with a prior.* Learning adds, forgetting subtracts, machines merge
by adding, and another smoothing or prior never needs the data again.

Every public name is loaded when it is first asked for, so that ``import tallybayes`` costs next to nothing and
scikit-learn is imported only by those who use an estimator.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import ForgetError as ForgetError
    from .errors import InputError as InputError
    from .errors import InputTypeError as InputTypeError
    from .errors import MissingExtraError as MissingExtraError
    from .errors import ModelFileError as ModelFileError
    from .errors import NotLearnedError as NotLearnedError
    from .errors import ParameterError as ParameterError
    from .errors import SpaceError as SpaceError
    from .errors import TallyBayesError as TallyBayesError
    from .estimators.bernoulli import BernoulliNB as BernoulliNB
    from .estimators.categorical import CategoricalNB as CategoricalNB
    from .estimators.complement import ComplementNB as ComplementNB
    from .estimators.gaussian import GaussianNB as GaussianNB
    from .estimators.multinomial import MultinomialNB as MultinomialNB
    from .estimators.text import TextClassifier as TextClassifier
    from .model import Model as Model
    from .scores import Reading as Reading
    from .tally.count import CountTally as CountTally
    from .tally.moments import MomentTally as MomentTally
    from .text.analyzer import Analyzer as Analyzer

    __version__: str

# A public name and the module that defines it. Each has its line above too, for type checkers and editors;
# tests/test_exports.py keeps the two alike and sorted.
_HOMES = {
    "Analyzer": "text.analyzer",
    "BernoulliNB": "estimators.bernoulli",
    "CategoricalNB": "estimators.categorical",
    "ComplementNB": "estimators.complement",
    "CountTally": "tally.count",
    "ForgetError": "errors",
    "GaussianNB": "estimators.gaussian",
    "InputError": "errors",
    "InputTypeError": "errors",
    "MissingExtraError": "errors",
    "Model": "model",
    "ModelFileError": "errors",
    "MomentTally": "tally.moments",
    "MultinomialNB": "estimators.multinomial",
    "NotLearnedError": "errors",
    "ParameterError": "errors",
    "Reading": "scores",
    "SpaceError": "errors",
    "TallyBayesError": "errors",
    "TextClassifier": "estimators.text",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    value: object
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version(__name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "__version__"})
