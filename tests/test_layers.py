"""The import ranks, the optional libraries at the rim, and what a fresh process must not load.

The ranks are read from the table in ARCHITECTURE.md, so the page and the code cannot drift apart. An import is seen
wherever it stands (in a function, under TYPE_CHECKING) and in every form: as a statement, as a call of `import_module`,
and as the name of a module in a string, from which such a call takes it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest

from tallybayes import Model, Reading
from tallybayes.counters import Counter

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tallybayes"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
HEAVY = {"sklearn", "scipy", "pandas", "matplotlib", "pyarrow"}
LIGHT_VERBS = ["predict", "explain", "inspect", "serve"]

# Where a distribution is imported under another name.
IMPORT_NAMES = {
    "scikit-learn": "sklearn",
    "charset-normalizer": "charset_normalizer",
    "fast-mail-parser": "fast_mail_parser",
}


class Import(NamedTuple):
    """One import: the file that asks for it, its line, and the module it names in full."""

    source: PurePosixPath
    line: int
    module: str


def files() -> list[PurePosixPath]:
    """All modules of the package, relative to its folder."""
    return sorted(PurePosixPath(path.relative_to(PACKAGE).as_posix()) for path in PACKAGE.rglob("*.py"))


def dotted(path: PurePosixPath) -> str:
    """tally/count.py -> tallybayes.tally.count, text/__init__.py -> tallybayes.text"""
    parts = path.with_suffix("").parts
    return ".".join(("tallybayes", *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {dotted(path): path for path in files()}


def imports_of(path: PurePosixPath) -> Iterator[Import]:
    """Every import of a file, wherever it stands in it, with relative ones resolved."""
    yield from imports_in(path, (PACKAGE / path).read_text(encoding="utf-8"))


def imports_in(path: PurePosixPath, text: str) -> Iterator[Import]:
    """The imports of a file that holds `text`."""
    tree = ast.parse(text)
    strings = {node.value: node.lineno for node in ast.walk(tree) if is_text(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package_of(path)) if node.level else node.module
            for alias in node.names:
                deeper = f"{base}.{alias.name}"
                yield Import(path, node.lineno, deeper if deeper in MODULES or deeper.endswith("._kernel") else base)
        elif isinstance(node, ast.Call) and name_of(node.func) in {"import_module", "__import__"}:
            for module in modules_of_call(path, node, strings):
                yield Import(path, node.lineno, module)
        elif isinstance(node, ast.Call) and name_of(node.func) == "iter_modules":  # what it finds is loaded
            for module in MODULES:
                if module.rpartition(".")[0] == package_of(path):
                    yield Import(path, node.lineno, module)
    for value, line in strings.items():  # names for a call elsewhere: `cli/_verbs.py` has what `cli/_group.py` loads
        if (value in MODULES and value != "tallybayes") or TARGET.fullmatch(value):
            yield Import(path, line, value.partition(":")[0])


TARGET = re.compile(r"tallybayes(\.\w+)+:\w+")  # package.module:attribute


def package_of(path: PurePosixPath) -> str:
    """What relative imports of a file are relative to."""
    return dotted(path) if path.name == "__init__.py" else dotted(path).rpartition(".")[0]


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def name_of(function: ast.expr) -> str:
    """The name under which a call calls: `import_module` for `importlib.import_module` too."""
    return getattr(function, "attr", getattr(function, "id", ""))


def modules_of_call(path: PurePosixPath, call: ast.Call, strings: dict[str, int]) -> list[str]:
    """The modules that a call of `import_module` may load.

    Where only a part of the name is written there, the rest is one of the strings of the same file; where nothing is,
    so are whole names of foreign modules. Whole names of our own are found wherever they stand.
    """
    name = call.args[0]
    if is_text(name):
        return [resolve_name(name.value, package_of(path))]
    if isinstance(name, ast.JoinedStr):
        pattern = ""
        for part in name.values:
            if is_text(part):
                pattern += re.escape(part.value)
            else:
                own = isinstance(part.value, ast.Name) and part.value.id == "__name__"
                pattern += re.escape(dotted(path)) if own else f"({'|'.join(map(re.escape, strings))})"
        found = [module for module in MODULES if re.fullmatch(pattern, module)]
        assert found, f"{path}:{call.lineno} imports no module of ours: {ast.unparse(name)}"
        return found
    core, optional = dependencies()
    return [value for value in strings if value.partition(".")[0] in core | optional | HEAVY]


@cache
def all_imports() -> list[Import]:
    return [found for path in files() for found in imports_of(path)]


@cache
def ranks() -> dict[str, int]:
    """Files (``scores.py``) and folders (``tally/``) of ARCHITECTURE.md's table with their ranks."""
    found: dict[str, int] = {}
    for rank, names in re.findall(r"^\| (\d+) \| ([^|]+) \|", ARCHITECTURE, flags=re.MULTILINE):
        for name in re.findall(r"`([\w/.*]+)`", re.sub(r"\([^)]*\)", "", names)):
            found[name.rstrip("*")] = int(rank)
    return found


def rank_of(path: PurePosixPath) -> int | None:
    """A file's own rank, else that of the nearest folder named in the table."""
    for name in (str(path), *(f"{folder}/" for folder in path.parents)):
        if name in ranks():
            return ranks()[name]
    return None


def folder_of(path: PurePosixPath) -> str:
    return path.parts[0] if len(path.parts) > 1 else ""


def ranked_files() -> list[PurePosixPath]:
    """All but the root's two faces: the list of public names, and `python -m tallybayes`."""
    return [path for path in files() if str(path) not in {"__init__.py", "__main__.py"}]


def test_the_table_of_ranks_is_read():
    assert ranks()["errors.py"] == 0
    assert ranks()["tally/"] == 2
    assert rank_of(PurePosixPath("tally/count.py")) == 2
    assert rank_of(PurePosixPath("counters/text.py")) < rank_of(PurePosixPath("model/model.py"))
    assert not [name for name in ranks() if not (PACKAGE / name).exists()], "named in the table, but not there"


EVERY_FORM = """
import numpy
from .count import CountTally
from .. import labels
if TYPE_CHECKING:
    from ..space import Space
def load(name):
    from ..store import Blocks
    import_module("pandas")
    import_module("..errors", __package__)
    importlib.import_module(f"tallybayes.{name}")
    import_module(name)
HOMES = {"a": "files", "b": "layout", "c": "pyarrow.parquet", "d": "tallybayes.page:page"}
"""


def test_every_form_of_import_is_seen():
    """Ten imports, of which a look at the statements of a module alone would see three."""
    seen = {
        found.module.removeprefix("tallybayes.") for found in imports_in(PurePosixPath("tally/base.py"), EVERY_FORM)
    }
    ours = {"tally.count", "labels", "space", "store", "errors", "files", "layout", "page"}
    assert seen == {"numpy", "pandas", "pyarrow.parquet"} | ours
    everything = {(str(found.source), found.module) for found in all_imports()}
    assert {
        ("__init__.py", "tallybayes.estimators.text"),
        ("readers/__init__.py", "tallybayes.readers.table"),
        ("readers/source.py", "tallybayes.readers.columnar"),
        ("readings/__init__.py", "tallybayes.readings.gaussian"),
        ("cli/_verbs.py", "tallybayes.cli.train"),
        ("readers/columnar.py", "pyarrow"),
        ("text/segment.py", "jieba"),
    } <= everything


def test_a_module_of_ours_that_is_named_is_there():
    ours = [found for found in all_imports() if found.module.partition(".")[0] == "tallybayes"]
    assert [found for found in ours if found.module not in {*MODULES, "tallybayes._kernel"}] == []


@pytest.mark.parametrize("path", ranked_files(), ids=str)
def test_every_module_has_a_rank(path):
    assert rank_of(path) is not None, f"{path}: give it a rank in the table of ARCHITECTURE.md"


@pytest.mark.parametrize("path", ranked_files(), ids=str)
def test_a_module_imports_lower_ranks_or_its_own_folder(path):
    for found in imports_of(path):
        if found.module not in MODULES or found.module == "tallybayes":
            continue
        target = MODULES[found.module]
        lower = rank_of(target) < rank_of(path)
        sibling = rank_of(target) == rank_of(path) and folder_of(target) == folder_of(path)
        assert lower or sibling, f"{path}:{found.line} (rank {rank_of(path)}) imports {target} (rank {rank_of(target)})"


def test_no_module_imports_the_public_face():
    """`from tallybayes import X` inside the package would hide which module is meant."""
    assert [found for found in all_imports() if found.module == "tallybayes"] == []


def test_imports_have_no_cycle():
    edges: dict[str, set[str]] = {name: set() for name in MODULES}
    for found in all_imports():
        if found.module in MODULES and dotted(found.source) not in {"tallybayes", found.module}:
            edges[dotted(found.source)].add(found.module)
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for target in sorted(edges[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(edges):
        visit(name, ())


def import_names(requirements: list[str]) -> set[str]:
    names = {re.match(r"[\w-]+", requirement)[0].lower() for requirement in requirements}
    return {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names} - {"tallybayes"}


@cache
def dependencies() -> tuple[set[str], set[str]]:
    """Import names of the core dependencies, and of those that an extra brings to a user."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: wanted for name, wanted in project["optional-dependencies"].items() if name not in {"test", "dev"}}
    return import_names(project["dependencies"]), import_names([item for wanted in extras.values() for item in wanted])


def third_party() -> dict[str, set[str]]:
    """Foreign top-level packages with the files that import them."""
    found: dict[str, set[str]] = {}
    for source, _, module in all_imports():
        top = module.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "tallybayes":
            found.setdefault(top, set()).add(str(source))
    return found


def test_an_optional_library_lives_in_one_file():
    core, _ = dependencies()
    spread = {name: sorted(where) for name, where in third_party().items() if name not in core and len(where) > 1}
    assert spread == {}


def test_every_foreign_import_is_a_declared_dependency():
    core, optional = dependencies()
    undeclared = {name: sorted(where) for name, where in third_party().items() if name not in core | optional}
    assert undeclared == {}, "add it to pyproject.toml (dependencies, or an extra), or do without"


def test_only_estimators_import_scikit_learn():
    strangers = [where for where in third_party().get("sklearn", set()) if not where.startswith("estimators/")]
    assert strangers == []


def test_no_module_is_a_catch_all():
    names = {part.removesuffix(".py").strip("_") for path in files() for part in path.parts}
    assert names.isdisjoint({"utils", "util", "helpers", "helper", "common", "misc"})


def test_a_file_over_400_lines_gives_its_reason_in_the_architecture():
    reasons = dict(re.findall(r"^- `([\w/.]+)`: (\w.*)$", ARCHITECTURE, flags=re.MULTILINE))
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "native").rglob("*.[hc]pp")]
    long = []
    for path in sources:
        name, lines = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8").splitlines()
        if len(lines) > 400 and "do not edit" not in lines[0] and name not in reasons:
            long.append(f"{name}: {len(lines)} lines")
    assert long == [], "split it, or list it with its reason in ARCHITECTURE.md"
    assert PACKAGE / "errors.py" in sources


def modules_loaded_by(*words: str, **settings: Any) -> set[str]:
    """Names of the foreign packages that a fresh `python WORDS` loads, as `-X importtime` lists them."""
    loaded = []
    for arguments in (["-c", "pass"], words):  # what this environment's own start-up loads does not count
        command = [sys.executable, "-X", "importtime", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True, **settings)
        names = re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+([\w.]+)$", done.stderr, flags=re.MULTILINE)
        loaded.append({name.partition(".")[0] for name in names})
    return loaded[1] - loaded[0] - set(sys.stdlib_module_names)


def test_importing_the_package_loads_nothing_foreign():
    assert modules_loaded_by("-c", "import tallybayes") == {"tallybayes"}


def test_the_command_group_loads_nothing_but_click():
    assert modules_loaded_by("-c", "import tallybayes.cli._group") == {"tallybayes", "click"}


@pytest.mark.parametrize("verb", LIGHT_VERBS)
def test_a_light_verb_imports_nothing_heavy(verb):
    if not (PACKAGE / "cli" / f"{verb}.py").exists():
        pytest.skip(f"there is no tallybayes {verb} yet")
    loaded = modules_loaded_by("-c", f"import tallybayes.cli.{verb}")
    assert "tallybayes" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("verb", [verb for verb in LIGHT_VERBS if verb != "serve"])  # serve does not end by itself
def test_a_light_verb_runs_without_anything_heavy(verb, tmp_path):
    if not (PACKAGE / "cli" / f"{verb}.py").exists():
        pytest.skip(f"there is no tallybayes {verb} yet")
    (tmp_path / "spam.txt").write_text("buy pills now\n免费 中奖\n", encoding="utf-8")
    (tmp_path / "ham.txt").write_text("lunch at noon\n今晚 开会\n", encoding="utf-8")
    train = ["train", "--class", "spam=spam.txt", "--class", "ham=ham.txt", "-o", "m.tally"]
    subprocess.run([sys.executable, "-m", "tallybayes", *train], check=True, cwd=tmp_path, capture_output=True)
    loaded = modules_loaded_by("-m", "tallybayes", verb, "m.tally", cwd=tmp_path, input="buy lunch\n")
    assert "numpy" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("verb", [verb for verb in LIGHT_VERBS if verb != "serve"])
@pytest.mark.parametrize(
    ("kind", "event_model"), [("counts", "multinomial"), ("categories", "categorical"), ("numbers", "gaussian")]
)
def test_a_light_verb_takes_a_model_of_columns_without_anything_heavy(verb, kind, event_model, tmp_path):
    model = Model(Counter.kinds[kind](columns=("a", "b")), Reading.of(event_model))
    rows = [[1, 2], [2, 1], [5, 7], [7, 6]]
    model.learned(rows, ["low", "low", "high", "high"]).save(tmp_path / "m.tally")
    (tmp_path / "rows.csv").write_text("b,a\n1,2\n", encoding="utf-8")
    words = ["m.tally"] if verb == "inspect" else ["m.tally", "rows.csv"]
    loaded = modules_loaded_by("-m", "tallybayes", verb, *words, cwd=tmp_path)
    assert "numpy" in loaded
    assert loaded.isdisjoint(HEAVY)
