"""Fixtures of the tests of measuring: small systems and programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel

PYTHON = sys.executable
Program = Callable[[str], str]


@pytest.fixture
def model() -> VariabilityModel:
    """Return a system with a binary option, a numeric one, and one that can be deselected."""
    return VariabilityModel(
        "small",
        (
            BinaryOption("cache", presentation=Presentation("--cache on")),
            NumericOption("x", (1.0, 2.5, 1e6), presentation=Presentation(prefix="-x")),
            NumericOption("level", (3.0, 4.0), deselected_flag=-1.0, presentation=Presentation(prefix="--level=")),
        ),
    )


@pytest.fixture
def configurations(model: VariabilityModel) -> Configurations:
    """Return four configurations: (cache, x, level) = (0, 1, 3), (1, 2.5, 4), (0, 1e6, -), (1, 1, -)."""
    return Configurations(model, np.array([[0, 0, 0], [1, 1, 1], [0, 2, 2], [1, 0, 2]]))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return a function that makes an executable Python script, without site-packages so that it starts fast."""

    def make(code: str, name: str = "program") -> str:
        path = tmp_path / name
        path.write_text(f"#!{PYTHON} -IS\n{code}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return make
