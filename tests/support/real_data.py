"""The real measurements of others, and the rule that a test that reads them has the marker `real_data`.

Where they are absent (`casestudies/real_data.py` says where they are), tests with the marker are skipped. A test
without it that opens one of their files fails, so that the others do not depend on them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from casestudies import real_data

DATA = real_data.DATA
MARK = "real_data"
SYSTEMS = ("x264", "LLVM", "Dune", "exastencils", "imagemagick", "deeparch")
ABSENT = f"the real measurements of others are not in {DATA}"


def real(*names: str) -> Path:
    """Return a file or folder of the real measurements."""
    return DATA.joinpath(*names)


def with_real(*cases: Any) -> list[Any]:
    """Return cases of a parametrized test, with the marker where the name, or the first value, is of a real system."""
    named = ((case, str(case[0] if isinstance(case, tuple) else case)) for case in cases)
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.real_data)
        if name.replace(",", " ").split()[0] in SYSTEMS
        else case
        for case, name in named
    ]


class _Guard:
    """Refuse to open real measurements but in tests with the marker."""

    def __init__(self) -> None:
        self.allowed = False
        self.folder = str(DATA) + os.sep

    def hook(self, event: str, arguments: tuple[object, ...]) -> None:
        """Watch every file that Python opens in this process."""
        if event == "open" and not self.allowed and str(arguments[0]).startswith(self.folder):
            pytest.fail(f"{arguments[0]} is opened by what is not marked {MARK}")


_GUARD = _Guard()


def pytest_sessionstart() -> None:
    """Refuse to read real measurements outside of the tests that are marked."""
    sys.addaudithook(_GUARD.hook)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test of real measurements where they are absent."""
    _GUARD.allowed = item.get_closest_marker(MARK) is not None
    if _GUARD.allowed and not DATA.is_dir():
        pytest.skip(ABSENT)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped because the real measurements are absent."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if ABSENT in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests were skipped because {ABSENT}")
