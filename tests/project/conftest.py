"""Fixtures of the tests of project folders: the small project of the command line's tests."""

from __future__ import annotations

from tests.cli.conftest import folder

__all__ = ["folder"]
