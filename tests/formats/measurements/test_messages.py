"""Messages of readers: file and line, what is wrong, the text, and what to do."""

from __future__ import annotations

import pytest

from splc.formats.measurements.assignment import parse_configuration
from splc.formats.measurements.inference import infer_system
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.messages import Reader, message_of

SYSTEM = VariabilityModel("small", (BinaryOption("cache"), NumericOption("x", (1.0, 2.5, 4.0))))
# Kind → the suffix of a file, and the reader.
READERS: dict[str, Reader] = {
    "configuration": ("", lambda source: parse_configuration(source.text(), SYSTEM)),
    "infer": ("csv", infer_system),
}


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("configuration", "cache", ["no value for x", "add for example x=1"]),
        ("configuration", "x=1,x=4", ["x has two values", "name each option once"]),
        ("configuration", "cache=2", ["cache: '2' is neither 0 nor 1", "it is a binary option"]),
        ("configuration", "x", ["the numeric option 'x' needs a value", "write for example x=1"]),
        ("configuration", "x=3", ["x cannot be 3; its values are 1, 2.5, 4"]),
        ("configuration", "zzz", ["unknown option 'zzz'", "known are: cache, x"]),
        ("configuration", "x=many", ["x: 'many' is not a number"]),
        (
            "infer",
            "a,b\nx,y\n",
            [
                "f.csv: no column seems to be a property",
                "name the column of the measured values and the options: --property and --options, or nfp and options",
            ],
        ),
        (
            "infer",
            "time\n1.5\n2.5\n",
            [
                "f.csv: no column seems to be an option",
                "name the columns that are options with --options (in Python the argument options)",
            ],
        ),
    ],
)
def test_messages(kind: str, text: str, message: list[str]) -> None:
    """A message has the place, the text and what to do, and nothing else."""
    assert message_of(READERS[kind], text) == message
