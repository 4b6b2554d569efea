"""The public names: sorted, complete, lazy, and documented."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from importlib.metadata import version
from pathlib import Path

import pytest

import tallybayes

FACE = Path(__file__).parents[1] / "src" / "tallybayes" / "__init__.py"


def names_for_type_checkers() -> dict[str, str]:
    """The names that the package imports under TYPE_CHECKING, with the module of each."""
    branch = next(node for node in ast.parse(FACE.read_text(encoding="utf-8")).body if isinstance(node, ast.If))
    found = {}
    for node in branch.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                assert alias.asname == alias.name, f"write `import {alias.name} as {alias.name}`: it is a re-export"
                found[alias.name] = node.module or ""
    return found


def test_the_two_lists_of_names_are_alike_and_sorted():
    assert names_for_type_checkers() == tallybayes._HOMES
    assert list(tallybayes._HOMES) == sorted(tallybayes._HOMES)


def test_all_and_dir_list_the_names():
    assert tallybayes.__all__ == sorted(tallybayes._HOMES)
    assert {*tallybayes.__all__, "__version__"} <= set(dir(tallybayes))


def test_star_import_gives_every_name():
    namespace: dict[str, object] = {}
    exec("from tallybayes import *", namespace)
    assert set(tallybayes.__all__) <= set(namespace)


@pytest.mark.parametrize("home", sorted({"errors", *tallybayes._HOMES.values()} & {"errors", "estimators"}))
def test_a_public_module_is_exported_whole(home):
    module = importlib.import_module(f"tallybayes.{home}")
    assert set(module.__all__) <= set(tallybayes.__all__)


def test_a_name_is_loaded_when_it_is_asked_for():
    script = """
    import sys, tallybayes
    assert "tallybayes.errors" not in sys.modules
    error = tallybayes.InputError
    assert "InputError" in vars(tallybayes) and sys.modules["tallybayes.errors"].InputError is error
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


def test_the_version_is_the_package_s():
    assert tallybayes.__version__ == version("tallybayes")


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'tallybayes' has no attribute 'nothing'"):
        tallybayes.nothing  # noqa: B018  (asking for it is the test)


def sections(text: str) -> dict[str, str]:
    """The numpydoc sections of a docstring by title; the text before the first one is under ''."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def raises_by_itself(function: object) -> bool:
    """Whether a function's own body holds a `raise` with an error."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


def faults_of_function(name: str, function: object, documented: dict[str, str]) -> list[str]:
    """What a function's docstring lacks."""
    faults = []
    named = [p.name for p in inspect.signature(function).parameters.values() if p.name not in {"self", "cls"}]
    if len(named) == 1 and inspect.isfunction(function):
        return []  # the sentence says what the one parameter is for
    for parameter in named:
        listed = re.search(rf"^\s*\*{{0,2}}(\w+, )*{parameter}\b", documented.get("Parameters", ""), re.MULTILINE)
        # A method of a few words may name its parameters in its text, or say of which other one it has them.
        if not (
            listed or f"`{parameter}`" in documented[""] or re.search(r"[Ss]ee `|those of `|from `", documented[""])
        ):
            faults.append(f"{name}: parameter {parameter} is not described")
    return faults


def public_methods(cls: type) -> list[tuple[str, object]]:
    """The methods that a class of ours adds itself, with their functions."""
    found = []
    for name, member in vars(cls).items():
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if not name.startswith("_") and inspect.isfunction(function):
            found.append((name, function))
    return found


@pytest.mark.parametrize("name", tallybayes.__all__)
def test_a_public_name_is_documented(name):
    thing = getattr(tallybayes, name)
    documented = sections(inspect.getdoc(thing) or "")
    assert re.match(r"\S.*\.", documented[""]), f"{name}: the docstring starts with a sentence"
    if isinstance(thing, type) and issubclass(thing, Exception):
        return
    faults = [] if "Examples" in documented else [f"{name}: no Examples"]
    functions = public_methods(thing) if isinstance(thing, type) else [(name, thing)]
    if isinstance(thing, type):
        faults += faults_of_function(name, thing, documented)
    for method, function in functions:
        said = sections(inspect.getdoc(function) or "")
        label = f"{name}.{method}" if isinstance(thing, type) else name
        if not said[""].strip():
            faults.append(f"{label}: no docstring")
            continue
        faults += faults_of_function(label, function, said)
        returns = inspect.signature(function).return_annotation not in {"None", None}
        if returns and not isinstance(thing, type) and not {"Returns", "Yields"} & set(said):
            faults.append(f"{label}: no Returns")
        if raises_by_itself(function) and "Raises" not in said:
            faults.append(f"{label}: no Raises")
    assert faults == []
