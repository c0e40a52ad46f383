"""Pages as Markdown, in the golden files `tests/golden/report/*.pages`: every section, table and answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, run
from tests.support.golden import FOLDER, check_sessions

__all__ = ["run"]


@pytest.mark.parametrize("file", sorted(FOLDER.glob("report/*.pages")), ids=lambda file: file.stem)
def test_pages(file: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of page has the answers, tables and captions below its command; its pictures have their own tests."""
    monkeypatch.setattr("splc.report.document.chart_file", lambda *_: b"")
    check_sessions(file, run, tmp_path, monkeypatch)
