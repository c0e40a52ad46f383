"""Configurations to predict, with and without measured values."""

from __future__ import annotations

import numpy as np
import pytest

from splc.errors import ConfigurationError, InputError
from splc.formats.measurements.configurations import PredictionInputs, read_prediction_inputs
from splc.formats.measurements.rows import Policy
from splc.io.files import Source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

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
