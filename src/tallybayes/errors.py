"""The errors of tallybayes.

Every one of them is also a built-in error, so ``except ValueError`` keeps working::

    TallyBayesError
    ├── InputError        (ValueError)   data that cannot be used: a value, a row, a label, a document
    ├── InputTypeError    (TypeError)    data of a type that cannot be used
    ├── ParameterError    (ValueError)   a parameter out of its range
    ├── SpaceError        (ValueError)   two tallies whose feature spaces differ
    ├── ForgetError       (ValueError)   more would be taken out than is in
    ├── NotLearnedError   (ValueError)   an answer asked of a model that has learnt nothing
    ├── ModelFileError    (ValueError)   a file that is no model, is damaged, or is from a newer version
    └── MissingExtraError (ImportError)  an optional package that is not installed

A message says what was wanted, what came, and what to do.
"""

from __future__ import annotations

__all__ = [
    "ForgetError",
    "InputError",
    "InputTypeError",
    "MissingExtraError",
    "ModelFileError",
    "NotLearnedError",
    "ParameterError",
    "SpaceError",
    "TallyBayesError",
]


class TallyBayesError(Exception):
    """The base of all errors that tallybayes raises on purpose."""


class InputError(TallyBayesError, ValueError):
    """Data that cannot be used: a value, a row, a label or a document."""


class InputTypeError(TallyBayesError, TypeError):
    """Data of a type that cannot be used."""


class ParameterError(TallyBayesError, ValueError):
    """A parameter out of its range, or two parameters that contradict each other."""


class SpaceError(TallyBayesError, ValueError):
    """Two tallies that count in different feature spaces; the message names the part that differs."""


class ForgetError(TallyBayesError, ValueError):
    """More would be taken out of a tally than is in it; nothing was changed."""


class NotLearnedError(TallyBayesError, ValueError):
    """An answer was asked of a model that has learnt nothing yet."""


class ModelFileError(TallyBayesError, ValueError):
    """A file that is no model, is damaged, or was written by a newer version."""


class MissingExtraError(TallyBayesError, ImportError):
    """An optional package is needed; the message says what to install."""

    @classmethod
    def of(cls, package: str, extra: str) -> MissingExtraError:
        """Return the error for a missing `package` that comes with `extra`."""
        return cls(f"this needs the package {package!r}: pip install 'tallybayes[{extra}]'")
