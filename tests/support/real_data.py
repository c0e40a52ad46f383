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


class Guard:
    """Refuse to open real measurements but in tests with the marker."""

    def __init__(self) -> None:
        self.allowed = False
        self.folder = str(DATA) + os.sep

    def install(self) -> None:
        """Watch every file that Python opens in this process."""
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and not self.allowed and str(arguments[0]).startswith(self.folder):
            pytest.fail(f"{arguments[0]} is opened by what is not marked {MARK}")
