"""Committed pictures: shown on a page, and small."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.paths import CASES, ROOT
from tests.support.tracked import PAGES, tracked

SUFFIXES = (".png", ".svg", ".pdf", ".jpg", ".gif")
LARGEST = 60 * 1024


def pictures() -> list[Path]:
    """Return the committed pictures, relative to the checkout."""
    return [path.relative_to(ROOT) for path in tracked() if path.suffix in SUFFIXES]


def shown() -> set[Path]:
    """Return the pictures that pages show."""
    pages = [*PAGES, *tracked(CASES, pattern="README.md")]
    return {
        (page.parent / target).resolve().relative_to(ROOT)
        for page in pages
        for target in re.findall(r"!\[[^\]]*\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    }


def test_pages_show_pictures() -> None:
    """There are pictures, and every one that a page shows exists."""
    assert len(shown()) >= 10
    assert shown() <= set(pictures())


def test_pictures() -> None:
    """Every picture is shown on a page, and is a PNG or SVG of at most 60 KiB."""
    assert set(pictures()) <= shown()
    assert {picture.suffix for picture in pictures()} == {".png", ".svg"}
    assert [picture for picture in pictures() if (ROOT / picture).stat().st_size > LARGEST] == []
