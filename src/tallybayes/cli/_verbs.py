"""The list of verbs: where each is defined, and its line in ``tallybayes --help``."""

from __future__ import annotations

from ._group import Verb

# In the order of use, which is also the order of the help. A verb's own docstring may say more than its line here.
VERBS: dict[str, Verb] = {}
