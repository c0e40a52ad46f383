"""The README and the pages under docs: every command in them runs, and prints what the page shows.

A line of a page and a printed line agree if their texts are the same and their numbers agree one by one. Whole numbers
agree if they are equal. Others agree if they differ by at most 1e-9 of the printed one, since kernels of linear algebra
differ in the last digits, or if the page shows the printed number rounded to `DIGITS` significant digits, the most that
pages show.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from splc.cli.app import app
from tests.support.golden import NUMBER, same_line, significant, whole
from tests.support.golden_messages import check_calls
from tests.support.paths import CASES, ROOT
from tests.support.tracked import DECISIONS, PAGES, copy_tracked, not_ignored, tracked

# What sets the project up is run by those who read it, and by CI: `make test` runs this test.
SETTING_UP = re.compile(r"\s*(make|python3? -m venv|pip|pipx|\.venv/bin/\w+|git|source)\b")
DIGITS = 6
# The site and the repository do not exist yet: pages link files of the checkout.
NOT_YET = "splc-project"
# The output of benchmark tools, for docs/howto/benchmark-tools.md.
OUTPUTS = ROOT / "tests" / "formats" / "benchmarks" / "data"

NOTEBOOKS = tracked(ROOT / "docs", pattern="*.ipynb")
# Pages whose commands take longer: `.ci/run` runs them as another CPU computes them.
SLOW = {
    "bad-model", "best-setting", "ci", "from-other-tuners", "gpu-kernel", "learning", "observed", "own-formula",
    "programs", "python", "reports", "solver-options", "studies", "ten-minutes", "trust", "tune", "versions",
}  # fmt: skip


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: the language, the file that it shows (`title="name"`), and its lines."""

    language: str
    file: str
    lines: tuple[str, ...]
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found, language, file, start = [], None, "", 0
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, _, title = line[3:].strip().partition(" title=")
                file, start, body = title.strip('"'), number, []
            else:
                found.append(Block(language, file, tuple(body), start))
                language = None
        elif language is not None:
            body.append(line)
    return found


def steps(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a console block (`$ command`), each with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def comparable(line: str) -> str:
    """Return a line without what differs from run to run: how long it took, and trailing spaces."""
    return re.sub(r"(\btime:? +|\babout )\d+(\.\d+)?(e-\d+)? (s|ms)\b", r"\1TIME", line).rstrip()


def same_number(shown: str, printed: str) -> bool:
    """Return whether a number of a page is the printed one: see the top of this file."""
    if whole(shown) and whole(printed):
        return int(shown) == int(printed)
    if math.isclose(float(shown), float(printed), rel_tol=1e-9):
        return True
    if significant(shown) != DIGITS or significant(printed) <= DIGITS:
        return False
    return math.isclose(float(shown), float(f"{float(printed):.{DIGITS - 1}e}"), rel_tol=1e-9)


def shown_in(wanted: list[str], given: list[str]) -> str | None:
    """Return the first wanted line that is not given in order (`…` matches any lines), or None."""
    position = 0
    for line in wanted:
        if line.strip() in {"…", "..."}:
            continue
        while position < len(given) and not same_line(line, given[position], same_number):
            position += 1
        if position == len(given):
            return line
        position += 1
    return None


def simple(command: str) -> bool:
    """Return whether a command is a call of `splc` with plain and quoted words, which needs no shell."""
    first, *words = shlex.shlex(command, posix=False, punctuation_chars=True)
    special = any(set(word) & set("()<>|&;*?~") for word in words if word[0] not in "\"'")
    return first == "splc" and not special and not set(command) & set("$`")


def outcome(command: str, folder: Path) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed. Calls of `splc` need no process of their own."""
    if simple(command):
        printed = io.StringIO()
        with chdir(folder), redirect_stdout(printed), redirect_stderr(printed), pytest.raises(SystemExit) as end:
            app(shlex.split(command)[1:])
        assert isinstance(end.value.code, int)
        return end.value.code, printed.getvalue()
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def run_session(lines: list[str], folder: Path, page: str) -> None:
    """Run lines of Python; the texts after `# → ` are what they print, in order."""
    command = [sys.executable, "-W", "error", "-c", "\n".join(lines)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{page}: {done.stderr}"
    shown = [line.split("# → ")[1] for line in lines if "# → " in line]
    missing = shown_in(shown, done.stdout.splitlines())
    assert missing is None, f"{page}: not printed: {missing}\nprinted:\n{done.stdout}"


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.name, marks=pytest.mark.slow if page.stem in SLOW else ()) for page in PAGES]
)
def test_commands_give_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `$ command` of a page ends well (or with the shown error) and prints the lines shown below it.

    The docstring of this file defines what is compared, and how exactly. A block with the title `name` is written as
    this file. Blocks of Python without commands between them are one session. Inside the case studies, commands write
    only what `.gitignore` names: tests of an unpacked archive do not take it for committed files.
    """
    for place in (CASES, OUTPUTS):
        copy_tracked(place, tmp_path / place.relative_to(ROOT))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    # Lines of stdout and stderr in the order of a terminal.
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    folder = tmp_path
    session: list[str] = []
    for block in (*blocks(page), Block("console", "", (), 0)):
        if block.file:
            (folder / block.file).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.language == "python":
            session += block.lines
        if block.language != "console":
            continue
        if session:
            run_session(session, folder, page.name)
            session = []
        for command, wanted in steps(block):
            if SETTING_UP.match(command):
                continue
            if command.startswith("cd "):
                folder = (folder / command[3:].strip()).resolve()
                assert folder.is_dir(), f"{page.name}: {command}"
                continue
            code, printed = outcome(command, folder)
            given = [comparable(line) for line in printed.splitlines()]
            missing = shown_in([comparable(line) for line in wanted if line.strip()], given)
            assert missing is None, f"{page.name}: $ {command}\nnot printed: {missing}\nprinted:\n" + "\n".join(given)
            expected = 0 if not any(line.startswith("error:") for line in wanted) else 2
            assert code == expected, f"{page.name}: $ {command}\n{printed}"
    committed = {path.relative_to(ROOT) for path in tracked(CASES)}
    written = {path.relative_to(tmp_path) for path in not_ignored(tmp_path)} - committed
    assert {path for path in written if path.is_relative_to("casestudies")} == set(), "add them to .gitignore"


def code_of(notebook: Path) -> str:
    """Return the code cells of a notebook, which has no outputs."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells), f"{notebook.name}: strip the outputs"
    return "\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(notebook: Path, tmp_path: Path) -> None:
    """The cells of a notebook run one after the other, and print what comments show."""
    run_session(code_of(notebook).splitlines(), tmp_path, notebook.name)


def agrees(shown: str, printed: str) -> bool:
    """Return whether a line of a page agrees with a printed one."""
    return same_line(shown, printed, same_number)


def test_lines_and_commands() -> None:
    """Numbers agree to a relative 1e-9 or rounded to six digits; a shell is used only where it changes anything."""
    check_calls("pages", agrees, simple)


def test_pages_show_few_digits() -> None:
    """Printed numbers on pages have at most six significant digits."""
    for page in PAGES:
        for block in blocks(page):
            for _, lines in steps(block) if block.language == "console" else ():
                for number in NUMBER.findall("\n".join(lines)):
                    assert whole(number) or significant(number) <= DIGITS, f"{page.name}: {number}"


def test_pages_have_commands() -> None:
    """The README shows at least one command with its output, so that the test above can fail."""
    shown = [step for block in blocks(ROOT / "README.md") if block.language == "console" for step in steps(block)]
    assert any(command.startswith("splc learn") and lines for command, lines in shown)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    found, inside = set(), False
    for line in page.read_text(encoding="utf-8").splitlines():
        inside ^= line.startswith("```")
        if line.startswith("#") and not inside:
            found.add(re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-"))
    return found


def test_links_lead_somewhere() -> None:
    """Every link of a page is to an existing site, or to a file of the project and a heading of it."""
    others = (ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *tracked(CASES, ROOT / "tests", pattern="README.md"))
    for page in (*PAGES, *DECISIONS, *NOTEBOOKS, *others):
        for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            assert NOT_YET not in target, f"{page.name}: {target}"
            if target.startswith(("http://", "https://")):
                continue
            file = page.parent / target if target else page
            assert file.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(file), f"{page.name}: {target}#{anchor}"
