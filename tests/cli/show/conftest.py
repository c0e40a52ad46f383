"""The fixture that returns the lines of a view, or what was printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from splc.cli.printer import print_view
from splc.workflows.view import View

Printed = Callable[..., list[str]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return a function that prints a view and returns the lines printed to stdout since its last call."""

    def lines(view: View = ()) -> list[str]:
        print_view(view)
        return capsys.readouterr().out.splitlines()

    return lines
