"""Fixtures of the tests of formats: real files, and a small system with one option of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.formats.detect import read_variability_model
from splc.system.variability import VariabilityModel
from tests.support.reader_golden import READER_FILES
from tests.support.real_data import real

SYSTEM = READER_FILES / "systems" / "everything.xml"


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real files, or skip."""
    return real()


@pytest.fixture(scope="session")
def system() -> VariabilityModel:
    """Return a small system with options and constraints of every kind."""
    return read_variability_model(SYSTEM)
