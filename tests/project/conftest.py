"""Fixtures of the tests of project folders: the small project of the command line's tests."""

from __future__ import annotations

from tests.cli.conftest import folder, refused, run

__all__ = ["folder", "refused", "run"]
