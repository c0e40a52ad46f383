"""The small project of the command line's tests."""

from tests.cli.conftest import folder

__all__ = ["folder"]
