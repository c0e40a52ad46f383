"""The tracked files of the checkout: not those that commands, studies and the examples of pages write beside them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT


def tracked(*folders: Path, pattern: str = "*") -> list[Path]:
    """Return the tracked files in folders of the checkout (default: all) whose paths in it match a pattern, sorted."""
    wanted = folders or (ROOT,)
    return [
        path
        for path in _files()
        if path.relative_to(ROOT).match(pattern) and any(path.is_relative_to(each) for each in wanted)
    ]


def copy_tracked(folder: Path, target: Path) -> Path:
    """Copy the tracked files of a folder of the checkout into a folder, which is made, and return that folder."""
    for path in tracked(folder):
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return target


@cache
def _files() -> tuple[Path, ...]:
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False)
        if listed.returncode == 0:
            found = (ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name)
            return tuple(sorted(path for path in found if path.is_file()))
    return tuple(sorted(not_ignored(ROOT)))


def not_ignored(root: Path) -> Iterator[Path]:
    """Yield the files of a copy of the checkout that `.gitignore` does not name: of an archive, those that it has."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    patterns = [line.rstrip("/") for line in lines if line and not line.startswith("#")]
    ignored = {path for pattern in patterns if pattern.startswith("/") for path in root.glob(pattern[1:])}
    names = (".git", *(pattern for pattern in patterns if not pattern.startswith("/")))

    def kept(path: Path) -> bool:
        return path not in ignored and not any(fnmatch(path.name, pattern) for pattern in names)

    for place, folders, files in os.walk(root):
        here = Path(place)
        folders[:] = [name for name in folders if kept(here / name)]
        yield from (here / name for name in files if kept(here / name))


DECISIONS = tracked(ROOT / "docs" / "decisions", pattern="*.md")
# Decisions are records: what they quote was true when they were written.
PAGES = (ROOT / "README.md", *(page for page in tracked(ROOT / "docs", pattern="*.md") if page not in DECISIONS))
