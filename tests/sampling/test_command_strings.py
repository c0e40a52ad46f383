"""Configurations as command-line strings."""

from __future__ import annotations

import numpy as np

from sampling import command_strings
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel


def test_command_strings_are_those_of_printconfigs() -> None:
    """Prefix, quoted key, output strings with their own prefixes and postfixes, postfix."""
    model = VariabilityModel(
        "strings",
        (
            BinaryOption("a", presentation=Presentation("--all", "[", "]")),
            BinaryOption("b", presentation=Presentation("noOutput", "-x")),
            BinaryOption("c"),
            NumericOption("x", (1.0, 2.5), presentation=Presentation(None, "x=", ";")),
            NumericOption("y", (4.0, 1e20), deselected_flag=-1.0, presentation=Presentation("noOutput")),
        ),
    )
    rows = Configurations(model, np.array([[1, 1, 1, 1, 0], [0, 0, 0, 0, 2], [0, 1, 0, 0, 1]]))
    assert command_strings(rows, "run", "> log") == [
        'run "root%;%a%;%b%;%c%;%x;2.5%;%y;4%;%" [--all] x=2.5; > log',
        'run "root%;%x;1%;%" x=1; > log',
        'run "root%;%b%;%x;1%;%y;1e+20%;%" x=1; > log',
    ]
    assert command_strings(rows[1:2]) == ['prefix "root%;%x;1%;%" x=1; postfix']
    assert command_strings(rows[1:2], "", "") == ['"root%;%x;1%;%" x=1;']
