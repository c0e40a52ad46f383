"""Fixtures of the tests of benchmark tools: a function that runs a command in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import refused, run

__all__ = ["place", "refused", "run"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
