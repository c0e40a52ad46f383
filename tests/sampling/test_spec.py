"""Sampling specs, messages about samplings that cannot be drawn, and configurations as command lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling import Space, command_strings, draw_sample, parse_spec
from sampling.designs.whole import RandomWhole
from sampling.space.analysis import describe
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc import read_variability_model
from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_lines, check_messages


@pytest.mark.parametrize(
    ("spec", "binary", "numeric"),
    [
        ("pb:9,3", None, "pb:9,3"),
        ("cci:compat", None, "cci:compat"),
        ("all", "all", None),
        ("pairwise+pb:25,5", "pairwise", "pb:25,5"),
        (" pb:25,5 + pairwise ", "pairwise", "pb:25,5"),
        ("random:5+pb:9,3", "random:5", "pb:9,3"),
        ("pb:9,3+random:5", "random:5", "pb:9,3"),
        ("all+random:5", "all", "random:5"),
        ("random:5,seed=2+all", "all", "random:5,seed=2"),
        ("random:5+random:6", "random:5", "random:6"),
        ("ff+optionwise", "optionwise", "ff"),
    ],
)
def test_parts_of_a_spec(spec: str, binary: str | None, numeric: str | None) -> None:
    """Names decide the kinds of the parts, in any order; missing parts are None."""
    found = parse_spec(spec)
    assert found.whole is None
    assert (found.binary.text if found.binary else None) == binary
    assert (found.numeric.text if found.numeric else None) == numeric
    assert found.text == "+".join(part for part in (binary, numeric) if part)


def test_a_single_random_draws_whole_configurations() -> None:
    """`random` alone draws whole configurations; beside another part it draws the rest."""
    assert isinstance(parse_spec("random:5").whole, RandomWhole)
    for spec, kind in ((parse_spec("random:5+ff"), "binary"), (parse_spec("all+random:5"), "numeric")):
        part = getattr(spec, kind)
        assert (part.text, part.kind) == ("random:5", kind)


@pytest.mark.parametrize(
    ("spec", "seed"),
    [
        ("random:5", None),
        ("random:5,seed=4", 4),
        ("random:5,compat+ff", None),
        ("all+lhs:5[a]", None),
        ("all+sobol:5,seed=0[a]", 0),
        ("all+dopt:5", None),
        ("all+bbd[a]", 0),
        ("all+bbd", 0),
    ],
)
def test_designs_that_draw_have_a_seed(spec: str, seed: int | None) -> None:
    """Studies repeat a sampling with several seeds if a part has a seed and the spec does not state it."""
    found = parse_spec(spec)
    part = found.whole or (found.binary if "all" not in spec else found.numeric)
    assert getattr(part, "seed", 0) == seed


@pytest.mark.parametrize("name", sorted({*BINARY, *NUMERIC, *WHOLE}))
def test_missing_and_superfluous_arguments(name: str) -> None:
    """Each sampling without the arguments that its usage requires, or with too many, is an error."""
    usage = next(table[name][0] for table in (WHOLE, BINARY, NUMERIC) if name in table)
    required = ":" in usage.partition("[")[0]
    for text in ([name] if required else []) + [f"{name}:{','.join('9' * 9)}"]:
        with pytest.raises(SpecError, match=r"argument|number|variant"):
            parse_spec(text)
    if not required:
        assert parse_spec(name).text == name


@pytest.mark.parametrize("name", sorted({*BINARY, *NUMERIC, *WHOLE}))
def test_unknown_keys(name: str) -> None:
    """No sampling takes a key that it does not have, whatever the number of its other arguments is."""
    for count in range(4):
        with pytest.raises(SpecError, match=r"no argument 'sead'|number|variant"):
            parse_spec(f"{name}:{','.join([*'2' * count, 'sead=1'])}")


SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 3]}, name="tool")


def test_messages() -> None:
    """The error states the problem of a spec and its cure."""
    check_messages("sampling", lambda spec: draw_sample(SYSTEM, spec))


def test_findings() -> None:
    """Each suspicious part of a description is stated once, as a sentence with its line."""
    system = read_variability_model(Path(__file__).parent / "space" / "suspicious.xml")
    check_lines("findings", [f"{each.kind}: {each}" for each in describe(Space(system)).findings])


def test_the_summary_of_a_sample() -> None:
    """A sample states its size, spec, seed and notes."""
    found = draw_sample(SYSTEM, "pairwise", seed=4)
    assert found.summary() == (
        "9 configurations of tool, sampled by pairwise with seed 4\n"
        "note: no numeric sampling is given: all combinations of numeric values are taken (ff)"
    )
    assert found.to_columns()["x"].tolist() == [1, 2, 3] * 3


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
