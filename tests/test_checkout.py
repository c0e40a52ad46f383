"""The files of the checkout: those that git lists, without what commands leave there."""

from __future__ import annotations

from pathlib import Path

from tests.support.paths import ROOT
from tests.support.tracked import not_ignored, tracked

# What the demo and README's examples, studies and users write; the last ones are in no list of ignored files.
IGNORED = ("casestudies/smg2000/2d/learned.png", "casestudies/smg2000/2d/comparison.svg", "build/demo/2d/learned.png")
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
