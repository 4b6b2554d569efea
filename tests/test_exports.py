"""The public names: sorted, complete, lazy, and documented."""

from __future__ import annotations

import ast
import dataclasses
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
    """What the docstring of a function, or of a class for its parameters, lacks."""
    faults = []
    described = documented.get("Parameters", "")
    if dataclasses.is_dataclass(function):  # its attributes are its parameters, those of its bases too
        described += documented.get("Attributes", "")
        for base in function.__mro__[1:]:
            inherited = sections(inspect.getdoc(base) or "")
            described += inherited.get("Parameters", "") + inherited.get("Attributes", "")
    named = [p.name for p in inspect.signature(function).parameters.values() if p.name not in {"self", "cls"}]
    if len(named) == 1 and inspect.isfunction(function):
        return []  # the sentence says what the one parameter is for
    for parameter in named:
        listed = re.search(rf"^\s*\*{{0,2}}(\w+, )*{parameter}\b", described, re.MULTILINE)
        # A method of a few words may name its parameters in its text, or say of which other one it has them.
        if not (
            listed or f"`{parameter}`" in documented[""] or re.search(r"[Ss]ee `|those of `|from `", documented[""])
        ):
            faults.append(f"{name}: parameter {parameter} is not described")
    return faults


def public_methods(cls: type) -> dict[str, object]:
    """The methods that users of a class of ours call, inherited ones of ours among them, with their functions."""
    found: dict[str, object] = {}
    for base in cls.__mro__:
        if not base.__module__.startswith("tallybayes."):
            continue
        for name, member in vars(base).items():
            function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
            if not name.startswith("_") and inspect.isfunction(function):
                found.setdefault(name, function)
    return found


def documentation(cls: type, name: str) -> str:
    """What is said of a method: by itself, or by the method of a base that it does again."""
    return next(filter(None, (inspect.getdoc(vars(base)[name]) for base in cls.__mro__ if name in vars(base))), "")


def returns_something(function: object) -> bool:
    return inspect.signature(function).return_annotation not in {"None", None, "NoReturn"}


def says_what_it_returns(said: dict[str, str]) -> bool:
    """In a section, or as a sentence that starts with it: `Return the classes.`"""
    return bool({"Returns", "Yields"} & set(said)) or re.match(r"(Return|Yield)\b", said[""]) is not None


@pytest.mark.parametrize("name", tallybayes.__all__)
def test_a_public_name_is_documented(name):
    thing = getattr(tallybayes, name)
    documented = sections(inspect.getdoc(thing) or "")
    assert re.match(r"\S.*\.", documented[""]), f"{name}: the docstring starts with a sentence"
    if isinstance(thing, type) and issubclass(thing, Exception):
        return
    faults = [] if "Examples" in documented else [f"{name}: no Examples"]
    if isinstance(thing, type):
        faults += faults_of_function(name, thing, documented)
        functions = public_methods(thing)
    else:
        functions = {name: thing}
        if "Returns" not in documented and returns_something(thing):
            faults.append(f"{name}: no Returns")
    for method, function in functions.items():
        said = sections(documentation(thing, method) if isinstance(thing, type) else inspect.getdoc(function) or "")
        label = f"{name}.{method}" if isinstance(thing, type) else name
        if not said[""].strip():
            faults.append(f"{label}: no docstring")
            continue
        faults += faults_of_function(label, function, said)
        if returns_something(function) and not says_what_it_returns(said):
            faults.append(f"{label}: does not say what it returns")
        if raises_by_itself(function) and "Raises" not in said:
            faults.append(f"{label}: no Raises")
    assert faults == []


class Base:
    def inherited(self, one: int, two: int) -> int:
        """Give something."""


class Subclass(Base):
    def own(self) -> int:
        """Return one."""

    def inherited(self, one: int, two: int) -> int:
        return one


def test_inherited_methods_are_looked_at(monkeypatch):
    for cls in (Base, Subclass):
        monkeypatch.setattr(cls, "__module__", "tallybayes.made_up")
    assert list(public_methods(Subclass)) == ["own", "inherited"]
    said = sections(documentation(Subclass, "inherited"))
    assert faults_of_function("inherited", Subclass.inherited, said) == [
        "inherited: parameter one is not described",
        "inherited: parameter two is not described",
    ]
    assert not says_what_it_returns(said)
    assert says_what_it_returns(sections(documentation(Subclass, "own")))
