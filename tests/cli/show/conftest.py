"""The fixture that returns what was printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Printed = Callable[[], list[str]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return a function that returns the lines printed to stdout since its last call."""

    def lines() -> list[str]:
        return capsys.readouterr().out.splitlines()

    return lines
