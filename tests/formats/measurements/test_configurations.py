"""Configurations as a CSV table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, InputError
from splc.formats.measurements.configurations import (
    PredictionInputs,
    read_configurations,
    read_prediction_inputs,
    write_configurations,
)
from splc.formats.measurements.rows import Policy
from splc.io.files import Source
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


SYSTEM = VariabilityModel("small", (NumericOption("x", (1.0, 2.0, 4.0)),))


def inputs(
    text: str, nfp: str | None = None, expected: str | None = None, policy: Policy | None = None
) -> PredictionInputs:
    """Return the configurations of a table."""
    return read_prediction_inputs(Source("t.csv", text.encode()), SYSTEM, policy or Policy(), nfp, expected)


def test_configurations_alone() -> None:
    """Rows without measured values are kept as they are, with their lines."""
    found = inputs("x\n4\n1\n\n4\n")
    assert found.configurations.column("x").tolist() == [4, 1, 4]
    assert (found.nfp, found.measured, found.properties, found.lines.tolist()) == (None, None, (), [2, 3, 5])


@pytest.mark.parametrize(
    ("nfp", "expected", "name"),
    [(None, None, None), ("t", None, "t"), (None, "u", "u"), (None, "v", None), ("t", "u", "t")],
)
def test_measured_values(nfp: str | None, expected: str | None, name: str | None) -> None:
    """The property is the named one, else that of the model if the file has it."""
    found = inputs("x,t,u\n4,10.5,1.5\n1,20.5,2.5\n4,12.5,3.5\n", nfp, expected)
    assert (found.nfp, found.properties) == (name, ("t", "u"))
    if name is None:
        assert found.measured is None
    else:
        np.testing.assert_array_equal(found.measured, {"t": [11.5, 20.5], "u": [2.5, 2.5]}[name])
        assert found.configurations.column("x").tolist() == [4, 1]
        assert found.lines.tolist() == [2, 3]


def test_names_with_spaces() -> None:
    """The only property of a file is used, also if its name has more spaces than in the model."""
    text = "x,run  time\n4,10.5\n1,20.5\n"
    for expected in (None, "run time", "run  time"):
        assert inputs(text, expected=expected).nfp == "run  time"
    assert inputs(text, expected="runtime").nfp is None


def test_a_property_that_the_file_does_not_have() -> None:
    """The message has the properties of the file."""
    with pytest.raises(InputError) as caught:
        inputs("x,time\n4,10.5\n1,20.5\n", "tme")
    assert [(each.message, each.file, each.hint) for each in caught.value.problems] == [
        ("there is no column for the property 'tme'", "t.csv", "did you mean 'time'?")
    ]


def test_invalid_configurations() -> None:
    """Invalid rows are errors with their lines, or are left out and reported."""
    with pytest.raises(ConfigurationError) as caught:
        inputs("x\n4\n3\n1\n5\n")
    assert [(each.file, each.line) for each in caught.value.problems] == [("t.csv", 3), ("t.csv", 5)]
    found = inputs("x\n4\n3\n1\n5\n", policy=Policy(invalid="drop"))
    assert found.configurations.column("x").tolist() == [4, 1]
    assert (found.lines.tolist(), [line for line, _ in found.report.invalid]) == ([2, 4], [3, 5])
    assert found.report.rows == 4
