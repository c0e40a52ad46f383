"""Every path through every test has an assertion."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hollow import hollow_tests
from tests.support.paths import ROOT
from tests.support.tracked import tracked

FILES = tracked(ROOT / "tests", pattern="test_*.py")
HELPERS = """
from tests.support.refusal import check_read_or_refused

def compare(one, other):
    assert one == other

def value(text):
    assert text
    return float(text)

def broken():
    raise KeyError

"""
# Bodies of tests, and whether a path through them has no assertion.
BODIES = [
    ("f()", True),
    ("assert f()", False),
    ("if f():\n  assert 1", True),
    ("if f():\n  assert 1\nelse:\n  compare(1, 2)", False),
    ("if f():\n  return\nassert 1", True),
    ("if f():\n  assert 1\n  return\nassert 2", False),
    ("for x in f():\n  if x:\n    assert x", True),
    ("for x in f():\n  assert x", False),
    ("try:\n  assert 1\nexcept KeyError:\n  return", True),
    ("try:\n  f()\nexcept KeyError:\n  reject()\nassert 1", False),
    ("with suppress(KeyError):\n  assert f()", True),
    ("with pytest.raises(KeyError):\n  f()", False),
    ("match f():\n  case 1:\n    assert 1", True),
    ("value('1')", True),
    ("f(broken)", True),
    ("check_read_or_refused(f)", False),
    ("check(f)", False),
    ("space.check(f)", True),
    ("subprocess.run('a', check=True)", False),
    ("np.testing.assert_allclose(1, 2)", False),
    ("assert f()\nx = f()", True),
]


@pytest.mark.parametrize("folder", sorted({file.parent for file in FILES}), ids=lambda folder: str(folder.name))
def test_every_path_asserts(folder: Path) -> None:
    """No path through a test ends without an assertion."""
    files = [file for file in FILES if file.parent == folder]
    assert {file.name: found for file in files if (found := hollow_tests(file))} == {}


def test_paths(tmp_path: Path) -> None:
    """Branches, early returns, exceptions and calls for a value have paths without an assertion."""
    file = tmp_path / "test_paths.py"
    tests = [f"def test_{at}():\n  {body.replace(chr(10), chr(10) + '  ')}\n" for at, (body, _) in enumerate(BODIES)]
    file.write_text(HELPERS + "\n".join(tests), encoding="utf-8")
    assert hollow_tests(file) == [f"test_{at}" for at, (_, wrong) in enumerate(BODIES) if wrong]
