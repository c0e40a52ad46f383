"""Configurations as a CSV table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.formats.measurements.configurations import read_configurations, write_configurations
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.format_strategies import configurations

HEADER = "rc-lookahead,fast,left,right,x,tile-size"


@given(configurations())
def test_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, some: Configurations) -> None:
    """Written configurations read back equal, in order and with repetitions; additional columns are ignored."""
    path = tmp_path_factory.getbasetemp() / "written.csv"
    write_configurations(some, path, {"predicted value": np.linspace(0, 1, len(some))})
    assert read_configurations(path, some.system) == some


def test_text_of_the_file(tmp_path: Path, system: VariabilityModel) -> None:
    """Options are in model order, deselected options are flags, and NaN in an additional column is an empty field."""
    some = Configurations(system, np.array([[1, 0, 1, 0, 1, 3], [0, 0, 0, 1, 0, 0]]))
    write_configurations(some, tmp_path / "c.csv", {"t": np.array([np.nan, 0.1])})
    assert (tmp_path / "c.csv").read_text() == HEADER + ",t\n1,0,1,0,5,-1,\n0,0,0,1,1,8,0.1\n"


def test_one_column_and_a_separator_at_its_end(tmp_path: Path) -> None:
    """A header of one name may end with a separator; then fields behind it are empty."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)),))
    (tmp_path / "c.csv").write_text("x,\n2,\n1,\n")
    assert read_configurations(tmp_path / "c.csv", system).value("x").tolist() == [2.0, 1.0]


def test_a_header_alone_is_no_configuration(tmp_path: Path, system: VariabilityModel) -> None:
    """A table without rows has no configurations."""
    path = tmp_path / "c.csv"
    path.write_text(HEADER + "\n")
    assert len(read_configurations(path, system)) == 0


def test_a_column_with_the_name_of_an_option(tmp_path: Path, system: VariabilityModel) -> None:
    """An additional column cannot have the name of an option."""
    some = Configurations(system, np.array([[1, 0, 1, 0, 1, 3]]))
    with pytest.raises(ConfigurationError):
        write_configurations(some, tmp_path / "c.csv", {"x": np.array([1.0])})
