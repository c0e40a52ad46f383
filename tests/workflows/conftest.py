"""A fixture: a copy of a case study."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of a case study, which is the current folder."""
    folder = tmp_path / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    monkeypatch.chdir(folder)
    return folder
