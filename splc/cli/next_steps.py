"""Next steps: commands that follow from a result, printed below it so that they can be copied."""

from __future__ import annotations

from collections.abc import Iterable

from splc.cli.printer import print_item
from splc.workflows.view import NextStep, NextSteps


def show_next_steps(steps: Iterable[NextStep]) -> None:
    """Print next steps."""
    print_item(NextSteps(steps))
