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
    from .counters import CategoryCounter as CategoryCounter
    from .counters import CountCounter as CountCounter
    from .counters import LabelledRows as LabelledRows
    from .counters import NumberCounter as NumberCounter
    from .counters import TextCounter as TextCounter
    from .counters import TfidfCounter as TfidfCounter
    from .derive import Derivation as Derivation
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
    from .evaluation import Report as Report
    from .evaluation import evaluate as evaluate
    from .labels import Labels as Labels
    from .model import Model as Model
    from .model import load as load
    from .model.explain import Explanation as Explanation
    from .readers import open_source as open_source
    from .readings import BernoulliReading as BernoulliReading
    from .readings import CategoricalReading as CategoricalReading
    from .readings import ComplementReading as ComplementReading
    from .readings import GaussianReading as GaussianReading
    from .readings import MultinomialReading as MultinomialReading
    from .readings import Reading as Reading
    from .space import Space as Space
    from .tally import ColumnFeatures as ColumnFeatures
    from .tally import CountTally as CountTally
    from .tally import MomentTally as MomentTally
    from .tally import TextFeatures as TextFeatures
    from .text.analyzer import Analyzer as Analyzer

    __version__: str

# A public name and the module that defines it. Each has its line above too, for type checkers and editors;
# tests/test_exports.py keeps the two alike and sorted.
_HOMES = {
    "Analyzer": "text.analyzer",
    "BernoulliNB": "estimators.bernoulli",
    "BernoulliReading": "readings",
    "CategoricalNB": "estimators.categorical",
    "CategoricalReading": "readings",
    "CategoryCounter": "counters",
    "ColumnFeatures": "tally",
    "ComplementNB": "estimators.complement",
    "ComplementReading": "readings",
    "CountCounter": "counters",
    "CountTally": "tally",
    "Derivation": "derive",
    "Explanation": "model.explain",
    "ForgetError": "errors",
    "GaussianNB": "estimators.gaussian",
    "GaussianReading": "readings",
    "InputError": "errors",
    "InputTypeError": "errors",
    "LabelledRows": "counters",
    "Labels": "labels",
    "MissingExtraError": "errors",
    "Model": "model",
    "ModelFileError": "errors",
    "MomentTally": "tally",
    "MultinomialNB": "estimators.multinomial",
    "MultinomialReading": "readings",
    "NotLearnedError": "errors",
    "NumberCounter": "counters",
    "ParameterError": "errors",
    "Reading": "readings",
    "Report": "evaluation",
    "Space": "space",
    "SpaceError": "errors",
    "TallyBayesError": "errors",
    "TextClassifier": "estimators.text",
    "TextCounter": "counters",
    "TextFeatures": "tally",
    "TfidfCounter": "counters",
    "evaluate": "evaluation",
    "load": "model",
    "open_source": "readers",
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
