"""Files that commands left in the checkout are no concern of tests, with git and in an unpacked archive."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.programs import untraced
from tests.support.tracked import copy_tracked, not_ignored, tracked

CONCERNED = ("tests/casestudies/test_pictures.py", "tests/test_language.py", "tests/test_structure.py")
# The quick ones of each.
CHOSEN = "test_picture or nobody or test_docstrings or test_modules or test_no_file or test_file"
# What the demo and README's examples, studies and users write; the last ones are in no list of ignored files.
IGNORED = ("casestudies/smg2000/2d/learned.png", "casestudies/smg2000/2d/comparison.svg", "build/demo/2d/learned.png")
OTHERS = ("casestudies/boomeramg/mine.png", "docs/figures/mine.svg", "casestudies/mine.py", "splc/mine.py", "docs/x.md")
# No test of the source or of the pages accepts it.
TEXT = "nobody\n" * 1000


def test_the_checkout_is_what_gitignore_does_not_name() -> None:
    """No tracked file is ignored, so that an unpacked archive has the files that git would list."""
    assert set(tracked()) <= set(not_ignored(ROOT))


def test_leftovers_are_ignored(tmp_path: Path) -> None:
    """What commands write beside committed files is not listed."""
    for name in IGNORED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    (tmp_path / "casestudies" / "committed.py").write_text("", encoding="utf-8")
    assert list(not_ignored(tmp_path)) == [tmp_path / "casestudies" / "committed.py"]


@pytest.mark.slow
@pytest.mark.parametrize("git", [True, False], ids=["git", "archive"])
def test_leftovers_are_no_concern_of_tests(git: bool, tmp_path: Path) -> None:
    """Tests about committed files pass where commands have written others beside them."""
    copy = copy_tracked(ROOT, tmp_path / "checkout")
    left: tuple[str, ...] = IGNORED
    if git:
        if shutil.which("git") is None:
            pytest.skip("git is not installed")
        for command in (["init", "--quiet"], ["add", "--all"]):
            subprocess.run(["git", "-C", str(copy), *command], check=True)
        left += OTHERS
    for name in left:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(TEXT, encoding="utf-8")
    # The copy is no part of what coverage traces.
    environment = untraced() | {"PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *CONCERNED]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
