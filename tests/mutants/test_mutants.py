"""Mutation tests of a small package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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

def test_wrong():
    assert False
"""


@pytest.mark.slow
def test_small_package(tmp_path: Path) -> None:
    """Mutants are killed, survive or take too long; a test that fails without a change kills none; seeds repeat."""
    for name, text in {
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "--import-mode=importlib"',
        "small/__init__.py": "",
        "small/code.py": CODE,
        "tests/small/test_code.py": TESTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tests.mutants", "small", "--root", str(tmp_path), "--seed", "1"]
    command += ["--seconds", "2", "--patience", "2"]

    def ends() -> dict[str, str]:
        done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True, timeout=250)
        return dict(re.findall(r"^\d+/\d+ small/(\S+) (.*)$", done.stdout, re.MULTILINE))

    first = ends()
    found = set(first.values())
    assert "timeout" in found
    assert "killed by tests/small/test_code.py::test_halves" in found
    assert first["code.py:18"] == "survived"
    assert not any("test_wrong" in each for each in found)
    assert first == ends()


def test_separators_of_parameters(tmp_path: Path) -> None:
    """The `*` and `/` between parameters are not changed: they are no operators of a result."""
    code = tmp_path / "code.py"
    code.write_text(
        "def product(a, /, b, *, c):\n    return a * b / c\n\n\nhalf = lambda a, /, *, b: a * b\n", encoding="utf-8"
    )
    mutations = [mutation for seed in range(20) for mutation in sample(tmp_path, [code], 2, seed)]
    assert {mutation.line for mutation in mutations} == {2, 5}
    changed = ("def product(a, /, b, *, c)", "half = lambda a, /, *, b: a")
    for mutation in mutations:
        assert all(head in mutation.text for head in changed), mutation.change


def test_lengths_that_are_compared(tmp_path: Path) -> None:
    """A `strict` of `zip` is neither changed nor removed: it only finds mistakes in the program."""
    code = tmp_path / "code.py"
    code.write_text("pairs = list(zip([1], [2], strict=True))\nlast = sorted([3], reverse=True)\n", encoding="utf-8")
    changes = {mutation.change for seed in range(20) for mutation in sample(tmp_path, [code], 2, seed)}
    assert not any("pairs" in change and "strict=True" not in change.splitlines()[1] for change in changes)
    assert any("sorted([3])" in change for change in changes)
