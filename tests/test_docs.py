"""Every example of the documentation is run, and every link between its pages leads somewhere.

A page's blocks run in their order in one temporary folder. `python` blocks share one namespace: doctests where they
hold ``>>>``, plain code elsewhere. `console` blocks run in bash: ``$ `` starts a command, ``> `` continues it, the
other lines are what the terminal shows (``...`` stands for anything). Only commands of `SETUP` are not run.
"""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

import pytest

import tallybayes
from tallybayes.counters import Counter
from tallybayes.readings import Reading
from tallybayes.tally import Tally

ROOT = Path(__file__).parents[1]
RUN_PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = sorted({*RUN_PAGES, *ROOT.glob("*.md")})
SETUP = {"pip", "make", "git", "cd", "python3"}  # what installs or builds; everything else is an example and is run
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MARK = "tallybayes-documentation-status"


class Block(NamedTuple):
    language: str
    line: int
    text: str


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page with the line on which each one's text starts."""
    fences = re.finditer(
        r"^(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)$", page, re.DOTALL | re.MULTILINE
    )
    return [Block(found["language"], page[: found.start("text")].count("\n") + 1, found["text"]) for found in fences]


def commands_of(block: Block) -> list[tuple[int, str, str]]:
    """The commands of a console block: line, command, and the output that the page shows."""
    found: list[tuple[int, list[str], list[str]]] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif found and not found[-1][2] and (line == ">" or line.startswith("> ")):
            found[-1][1].append(line[2:])
        else:
            assert found, f"line {number}: a console block starts with a command: '$ '"
            found[-1][2].append(line)
    return [(number, "\n".join(command), "\n".join(output)) for number, command, output in found]


def run_console(block: Block, folder: Path) -> None:
    """Run a console block's commands in one bash and compare what each prints."""
    commands = commands_of(block)
    first_words = {command.split()[0] for _, command, _ in commands}
    if first_words & SETUP:
        assert first_words <= SETUP, f"line {block.line}: put examples and set-up commands into blocks of their own"
        return
    script = "\n".join(f"{command}\n_status=$?; echo {MARK} $_status; (exit $_status)" for _, command, _ in commands)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"},
    )
    parts = re.split(rf"{MARK} (\d+)\n", done.stdout)
    assert len(parts) == 2 * len(commands) + 1, f"line {block.line}: bash ended early:\n{done.stdout}"
    for index, (number, command, wanted) in enumerate(commands):
        got, status = parts[2 * index], int(parts[2 * index + 1])
        if not matches(wanted, got):
            pytest.fail(f"line {number}: $ {command}\nwanted:\n{wanted}\ngot:\n{got}", pytrace=False)
        shown = index + 1 < len(commands) and commands[index + 1][1] == "echo $?"
        assert status == 0 or shown, f"line {number}: $ {command}\nexits {status}, which the page does not show:\n{got}"


def matches(wanted: str, got: str) -> bool:
    """Whether an output is as the page shows it; spaces at the ends of lines do not count."""
    tidy = ["".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines()) for text in (wanted, got)]
    return doctest.OutputChecker().check_output(*tidy, doctest.ELLIPSIS)


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    """Run a Python block in its page's namespace."""
    if ">>> " not in block.text:
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        try:
            exec(code, namespace)
        except Exception:
            pytest.fail(traceback.format_exc(), pytrace=False)
        return
    test = doctest.DocTestParser().get_doctest(block.text, namespace, page.name, str(page), block.line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    if runner.run(test, out=report.append, clear_globs=False).failed:
        pytest.fail("".join(report), pytrace=False)
    namespace.update(test.globs)


def check_page(page: Path, folder: Path) -> int:
    """Run a page's blocks in their order; how many there were."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    blocks = [block for block in blocks_of(page.read_text(encoding="utf-8")) if block.language in {"python", "console"}]
    for block in blocks:
        if block.language == "console":
            run_console(block, folder)
        else:
            run_python(block, page, namespace)
    return len(blocks)


@pytest.fixture
def kinds(monkeypatch):
    """What a page registers by defining it (an event model, a kind of column) is forgotten after it."""
    for known in (Reading.event_models, Counter.kinds, Tally.kinds):
        monkeypatch.setattr(known, "_members", dict(known._members))


@pytest.mark.parametrize("page", RUN_PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch, kinds):
    monkeypatch.chdir(tmp_path)
    check_page(page, tmp_path)


GOOD_PAGE = """
```console
$ printf 'eggs\\nspam\\n' > food.txt
$ cat food.txt | sort -r
spam
eg...
$ cat <<'END'
> one
>
> two
> END
one

two
$ false
$ echo $?
1
```

```python
>>> from pathlib import Path
>>> food = Path("food.txt").read_text().split()
>>> food
['eggs', 'spam']
```

```python
assert food == ["eggs", "spam"]
```

```console
$ pip install nothing-that-exists-anywhere
```
"""


def test_a_page_is_run_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(GOOD_PAGE, encoding="utf-8")
    assert check_page(page, tmp_path) == 4


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("spam\neg...", "spam\nham"),
        ("$ echo $?\n1", "$ echo 1\n1"),
        ("['eggs', 'spam']", "['eggs']"),
        ('assert food == ["eggs", "spam"]', "assert not food"),
        ("$ pip", "$ pop"),
        ("one\n\ntwo\n$", "one\ntwo\n$"),
    ],
)
def test_a_page_that_is_wrong_fails(tmp_path, monkeypatch, right, wrong):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    assert right in GOOD_PAGE
    page.write_text(GOOD_PAGE.replace(right, wrong), encoding="utf-8")
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_page(page, tmp_path)


def modules() -> list[str]:
    """The names of all modules of the installed package, except the one that runs the command."""
    found = pkgutil.walk_packages(tallybayes.__path__, "tallybayes.")
    return ["tallybayes", *(name for _, name, _ in found if name not in {"tallybayes.__main__", "tallybayes._kernel"})]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_a_module_s_docstrings_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert result.failed == 0


def anchors_of(page: str) -> set[str]:
    """The anchors of a page's headings, as code hosts form them."""
    prose = re.sub(r"^(```+).*?^\1$", "", page, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ +(.*)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"^(```+).*?^\1$|`[^`\n]+`", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = page if not path else (page.parent / path).resolve()
        assert linked.exists(), f"{page.name} links to {target}, which is not there"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors_of(linked.read_text(encoding="utf-8")), f"{page.name}: no heading for {target}"
