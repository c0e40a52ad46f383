"""Mutation tests of a small package."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed (make mutants)")

from tests.mutants.mutations import sample

CODE = '''
def larger(a: int | float, b: int) -> bool:
    """Return whether a is larger."""
    return a > b


def halves(number: int) -> int:
    """Return how often 2 divides a number."""
    found = 0
    while number % 2 == 0:
        number = number // 2
        found += 1
    return found


def never() -> int:
    """Return a number."""
    return 3
'''
TESTS = """
from small.code import halves, larger

def test_larger():
    assert larger(2, 1)
    assert not larger(1, 2)

def test_halves():
    assert halves(12) == 2
"""


def run(root: Path, *options: str) -> dict[str, Any]:
    """Run the program for the small package, and return its results."""
    command = [
        sys.executable,
        "-m",
        "tests.mutants",
        "small",
        "--root",
        str(root),
        "--results",
        str(root),
        "--patience",
        "4",
    ]
    subprocess.run([*command, *options], check=True, cwd=ROOT, capture_output=True, timeout=250)
    return tomllib.loads((root / "small.toml").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_small_package(tmp_path: Path) -> None:
    """Mutants are killed, survive, take too long or are not executed; a reason is kept when lines move."""
    for name, text in {
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "--import-mode=importlib"',
        "small/__init__.py": "",
        "small/code.py": CODE,
        "tests/small/test_code.py": TESTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    first = run(tmp_path)
    status = {each["change"].strip(): each["status"] for each in first["survivor"]}
    kept = next(change for change, found in status.items() if found == "survived" and "return a >= b" in change)
    assert first["timeout"] >= 1
    assert first["killed"] >= 5
    assert first["tried"] == first["killed"] + first["timeout"] + len(status)
    assert "-    return 3" in next(change for change, found in status.items() if found == "not executed")
    assert "|" not in "".join(status)
    results = tmp_path / "small.toml"
    marked = results.read_text(encoding="utf-8").replace("open: not examined", "equivalent: for this test")
    results.write_text(marked, encoding="utf-8")
    code = tmp_path / "small" / "code.py"
    code.write_text(f"# A new first line.\n{CODE}", encoding="utf-8")
    second = run(tmp_path)
    again = {each["change"].strip(): each for each in second["survivor"]}
    assert again[kept]["reason"] == "equivalent: for this test"
    assert second["equivalent"] == first["open"]
    assert second["open"] == 0
    # Another test kills one of them.
    tests = tmp_path / "tests" / "small" / "test_code.py"
    tests.write_text(f"{TESTS}    assert not larger(1, 1)\n", encoding="utf-8")
    third = run(tmp_path)
    assert kept not in {each["change"].strip() for each in third["survivor"]}


def test_separators_of_parameters(tmp_path: Path) -> None:
    """The `*` and `/` between parameters are not changed: they are no operators of a result."""
    code = tmp_path / "code.py"
    code.write_text(
        "def product(a, /, b, *, c):\n    return a * b / c\n\n\nhalf = lambda a, /, *, b: a * b\n", encoding="utf-8"
    )
    places, mutations = sample(tmp_path, [code], 100, seed=0)
    assert places == 3
    changed = ("def product(a, /, b, *, c)", "half = lambda a, /, *, b: a")
    for mutation in mutations:
        assert all(head in mutation.text for head in changed), mutation.change


def test_lengths_that_are_compared(tmp_path: Path) -> None:
    """A `strict` of `zip` is neither changed nor removed: it only finds mistakes in the program."""
    code = tmp_path / "code.py"
    code.write_text("pairs = list(zip([1], [2], strict=True))\nlast = sorted([3], reverse=True)\n", encoding="utf-8")
    changes = {mutation.change for mutation in sample(tmp_path, [code], 100, seed=0)[1]}
    assert not any("pairs" in change and "strict=True" not in change.splitlines()[1] for change in changes)
    assert any("sorted([3])" in change for change in changes)
