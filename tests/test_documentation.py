"""The README and the pages under docs: every command in them runs, and gives what they say it gives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# What sets the project up is run by those who read it, and by CI: `make test` runs this test.
SETTING_UP = re.compile(r"\s*(make|python3? -m venv|pip|pipx|\.venv/bin/\w+|git|source)\b")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: the language and its lines."""

    language: str
    lines: tuple[str, ...]
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found, language, start = [], None, 0
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, start, body = line[3:].strip(), number, []
            else:
                found.append(Block(language, tuple(body), start))
                language = None
        elif language is not None:
            body.append(line)
    return found


def steps(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a console block (`$ command`), each with the lines that stand below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def comparable(line: str) -> str:
    """Return a line without what differs from run to run: times, and blanks at its end."""
    return re.sub(r"\b\d+(\.\d+)? (s|ms)\b", "TIME", line).rstrip()


def shown_in(wanted: list[str], given: list[str]) -> str | None:
    """Return the first wanted line that is not given in order (`…` stands for any lines), or None."""
    position = 0
    for line in wanted:
        if line.strip() in {"…", "..."}:
            continue
        while position < len(given) and given[position] != line:
            position += 1
        if position == len(given):
            return line
        position += 1
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_give_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    """Every `$ command` of a page ends well (or with the shown error) and prints the lines shown below it."""
    shutil.copytree(ROOT / "casestudies", tmp_path / "casestudies")
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    binaries = str(Path(sys.executable).parent)
    environment["PATH"] = binaries + os.pathsep + environment["PATH"]
    folder = tmp_path
    for block in blocks(page):
        if block.language == "python":
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", "\n".join(block.lines)],
                cwd=folder,
                capture_output=True,
                text=True,
                env=environment,
                check=False,
            )
            assert done.returncode == 0, f"{page.name}:{block.line}: {done.stderr}"
            shown = [line.split("# → ")[1] for line in block.lines if "# → " in line]
            assert shown_in(shown, done.stdout.splitlines()) is None, f"{page.name}:{block.line}: {done.stdout}"
        if block.language != "console":
            continue
        for command, wanted in steps(block):
            if SETTING_UP.match(command):
                continue
            if command.startswith("cd "):
                folder = (folder / command[3:].strip()).resolve()
                assert folder.is_dir(), f"{page.name}: {command}"
                continue
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment,
                check=False,
            )
            given = [comparable(line) for line in done.stdout.splitlines()]
            missing = shown_in([comparable(line) for line in wanted if line.strip()], given)
            assert missing is None, f"{page.name}: $ {command}\nnot printed: {missing}\nprinted:\n" + "\n".join(given)
            expected = 0 if not any(line.startswith("error:") for line in wanted) else 2
            assert done.returncode == expected, f"{page.name}: $ {command}\n{done.stdout}"


def test_pages_have_commands() -> None:
    """The README shows at least one command with its output, so that the test above can fail."""
    shown = [step for block in blocks(ROOT / "README.md") if block.language == "console" for step in steps(block)]
    assert any(command.startswith("splc learn") and lines for command, lines in shown)


def test_links_lead_somewhere() -> None:
    """Every relative link of the README and the docs names a file of the project."""
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http://", "https://")):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
