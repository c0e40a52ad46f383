"""Processes that coverage does not trace: of copies of the checkout, and those that are killed."""

from __future__ import annotations

import os


def untraced() -> dict[str, str]:
    """Return the environment of a process that coverage does not trace."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
