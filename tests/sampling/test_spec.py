"""Sampling specs, messages about samplings that cannot be drawn, and configurations as command lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling import Space, command_strings, draw_sample, parse_spec
from sampling.space.analysis import describe
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc import read_variability_model
from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls, check_lines, check_messages


def parsed(spec: str) -> str:
    """Return the parts of a spec in normal form, and the seed of each; studies repeat a sampling whose seed is None."""
    found = parse_spec(spec)
    parts = (("whole", found.whole), ("binary", found.binary), ("numeric", found.numeric))
    own = (f"{kind} {part.text} {getattr(part, 'seed', 0)}" for kind, part in parts if part is not None)
    return f"{found.text}: {'; '.join(own)}"


def test_parts_of_specs() -> None:
    """Names decide the kinds of the parts, in any order; parts are in normal form, brackets last."""
    check_calls("parts-of-specs", parsed)


@pytest.mark.parametrize("name", sorted({*BINARY, *NUMERIC, *WHOLE}))
def test_wrong_arguments(name: str) -> None:
    """Missing and superfluous arguments, and keys that a sampling does not have, are errors, whatever else is given."""
    usage = next(table[name][0] for table in (WHOLE, BINARY, NUMERIC) if name in table)
    required = ":" in usage.partition("[")[0]
    for text in ([name] if required else []) + [f"{name}:{','.join('9' * 9)}"]:
        with pytest.raises(SpecError, match=r"argument|number|variant"):
            parse_spec(text)
    if not required:
        assert parse_spec(name).text == name
    for count in range(4):
        with pytest.raises(SpecError, match=r"no argument 'sead'|number|variant"):
            parse_spec(f"{name}:{','.join([*'2' * count, 'sead=1'])}")


SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 3]}, name="tool")


def test_messages() -> None:
    """The error states the problem of a spec and its cure."""
    check_messages("sampling", lambda spec: draw_sample(SYSTEM, spec))
    found = draw_sample(SYSTEM, "pairwise", seed=4)
    first, note = found.summary().splitlines()
    assert first == "9 configurations of tool, sampled by pairwise with seed 4"
    assert note == "note: no numeric sampling is given: all combinations of numeric values are taken (ff)"
    assert found.to_columns()["x"].tolist() == [1, 2, 3] * 3


def test_findings() -> None:
    """Each suspicious part of a description is stated once, as a sentence with its line."""
    system = read_variability_model(Path(__file__).parent / "space" / "suspicious.xml")
    check_lines("findings", [f"{each.kind}: {each}" for each in describe(Space(system)).findings])


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
