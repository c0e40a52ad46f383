"""Pictures in the checkout: shown on a page, and small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import CASES, ROOT

SUFFIXES = (".png", ".svg", ".pdf", ".jpg", ".gif")
LARGEST = 60_000
# Not committed: what studies, evaluations and the examples of pages write beside committed files.
_WRITTEN = re.compile(r"/(\.[^/]*|results[^/]*|build|dist)/|/model\.svg$")


def pictures() -> list[Path]:
    """Return the pictures in the checkout, relative to it."""
    folders = (CASES, ROOT / "docs", ROOT / "splc", ROOT / "tests", ROOT / "benchmarks")
    found = [path for folder in folders for path in folder.rglob("*") if path.suffix in SUFFIXES]
    return [path.relative_to(ROOT) for path in sorted(found) if not _WRITTEN.search(path.as_posix())]


def shown() -> set[Path]:
    """Return the pictures that pages show."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *CASES.rglob("README.md")]
    return {
        (page.parent / target).resolve().relative_to(ROOT)
        for page in pages
        for target in re.findall(r"!\[[^\]]*\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    }


def test_pages_show_pictures() -> None:
    """There are pictures, and every one that a page shows exists."""
    assert len(shown()) >= 10
    assert shown() <= set(pictures())


@pytest.mark.parametrize("picture", pictures(), ids=str)
def test_picture(picture: Path) -> None:
    """A picture is shown on a page, and is a PNG of at most 60 kB."""
    assert picture in shown()
    assert picture.suffix == ".png"
    assert (ROOT / picture).stat().st_size <= LARGEST
