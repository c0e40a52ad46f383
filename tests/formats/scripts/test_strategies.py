"""Samplings of scripts as specs, and specs as lines of scripts."""

from __future__ import annotations

import pytest

from sampling import parse_spec
from sampling.spec import BINARY, NUMERIC
from splc.errors import SpecError, SplcError
from splc.formats.scripts.samplings import sampling_of, spec_of
from splc.formats.scripts.strategies import STRATEGIES, Kind, script_lines
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

BINARIES = VariabilityModel("a", (BinaryOption("a"), BinaryOption("b")))


@pytest.mark.parametrize(
    ("kind", "arguments", "spec"),
    [
        ("binary", "allbinary", "all"),
        ("binary", "featurewise", "optionwise"),
        ("binary", "OptionWise", "optionwise"),
        ("binary", "random numConfigs:asOW", "random:asOW,seed=0"),
        ("numeric", "plackettburman", "pb:9,3,compat"),
        ("numeric", "plackettburman level:5 measurements:125", "pb:125,5,compat"),
        ("numeric", "random sampleSize:7 seed:3", "random:7,seed=3"),
        ("numeric", "centralcomposite", "cci:compat"),
        ("numeric", "fullfactorial", "ff"),
    ],
)
def test_specs(kind: Kind, arguments: str, spec: str) -> None:
    """A strategy with its defaults is a spec of ours."""
    assert sampling_of(kind, arguments).spec == spec


def test_the_number_of_binary_options() -> None:
    """`random` without a number draws as many configurations as there are binary options."""
    assert spec_of([sampling_of("binary", "random")], BINARIES) == "random:2,seed=0"


def test_validation_and_options() -> None:
    """`validation` and `[a, b]` may be anywhere."""
    found = sampling_of("binary", "validation pairwise [a, b]")
    assert (found.validation, found.options, found.spec) == (True, ("a", "b"), "pairwise")
    assert sampling_of("numeric", "fullfactorial validation:true").validation
    with pytest.raises(SpecError):
        sampling_of("numeric", "fullfactorial validation:maybe")


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        ("pb:9,3", ("numeric plackettburman measurements:9 level:3",)),
        ("pairwise+pb:25,5,compat", ("binary pairwise", "numeric plackettburman measurements:25 level:5")),
        ("twise:2", ("binary twise t:2",)),
        ("henard:9", ("binary satoutput numConfigs:9 seed:4 henard:true",)),
        ("optionwise+random:7,seed=1", ("binary featurewise", "numeric random numConfigs:7 seed:1")),
        ("measured", ("select-all-measurements true",)),
        ("measured:50", ()),
        ("random:50", ()),
    ],
)
def test_lines(spec: str, lines: tuple[str, ...]) -> None:
    """A spec is the lines of a script, where SPL Conqueror has the sampling."""
    assert script_lines(spec, 4) == lines


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: f"{each.kind} {each.name} {each.flag}")
def test_lines_are_read_back(strategy: object) -> None:
    """The line of a spec is read back as that spec, for every strategy whose design is built."""
    row = next(each for each in STRATEGIES if each is strategy)
    flag = f" {row.flag}:true" if row.flag else ""
    needed = "".join(f" {key.name}:2" for key in row.keys if key.default is None)
    try:
        spec = sampling_of(row.kind, row.name + needed + flag).resolved(2)
    except SplcError:
        assert row.design not in {**BINARY, **NUMERIC}
        pytest.skip(f"the design {row.design} is not built")
    if row.kind == "numeric":
        spec = f"all+{spec}"
    elif row.kind == "binary":
        spec = f"{spec}+ff"
    line = script_lines(spec)[1 if row.kind == "numeric" else 0]
    again = sampling_of(row.kind, line.removeprefix(row.kind))
    assert parse_spec(spec_of([again], _system(row.kind))).text == parse_spec(spec).text


def _system(kind: Kind) -> VariabilityModel:
    numeric = NumericOption("x", (1.0, 2.0))
    return BINARIES if kind == "hybrid" else VariabilityModel("b", (*BINARIES.options, numeric))
