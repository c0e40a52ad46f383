"""Samplings of scripts as specs, and specs as lines of scripts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sampling import parse_spec
from splc.errors import SpecError
from splc.formats.scripts.commands import STRATEGIES, Kind, script_lines
from splc.formats.scripts.reader import sampling_of, spec_of
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

BINARIES = VariabilityModel("a", (BinaryOption("a"), BinaryOption("b")))


@pytest.mark.parametrize(
    ("kind", "arguments", "spec"),
    [
        ("binary", "allbinary", "all"),
        ("binary", "featurewise", "optionwise"),
        ("binary", "OptionWise", "optionwise"),
        ("binary", "random numConfigs:asOW", "random:asOW,compat,seed=0"),
        ("numeric", "plackettburman", "pb:9,3,compat"),
        ("numeric", "plackettburman level:5 measurements:125", "pb:125,5,compat"),
        ("numeric", "random sampleSize:7 seed:3", "random:7,compat,seed=3"),
        ("numeric", "centralcomposite", "cci:compat"),
        ("numeric", "fullfactorial", "ff"),
        ("numeric", "boxbehnken", "bbd:compat"),
        ("numeric", "factorial", "factorial:2,compat"),
        ("numeric", "onefactoratatime distinctValuesPerOption:5", "ofat:5,compat"),
        ("numeric", "hypersampling precision:40", "hyper:40,compat"),
        ("numeric", "kexchange", "dopt:100,capped,k=5"),
        ("binary", "negfw", "negoptionwise"),
        ("binary", "NegOptionwise", "negoptionwise"),
        ("binary", "optionwise", "optionwise"),
        ("binary", "twise t:3", "twise:3"),
        ("binary", "satoutput", "solver:2"),
        ("binary", "satoutput numConfigs:9 seed:3", "solver:9,seed=3"),
        ("binary", "satoutput numConfigs:9 henard:true", "henard:9,seed=0"),
        ("binary", "satoutput numConfigs:9 henard:false", "solver:9"),
        ("binary", "distance-based optionWeight:3", "distance:asOW,weight=3"),
        ("hybrid", "distribution-aware", "distaware:asTW2,seed=0"),
        (
            "hybrid",
            "distribution-aware distance-metric:Manhattan distribution:binomial selection:SolverSelection "
            "optimization:local number-weight-optimization:1-2 numConfigs:9 seed:1 use-whole-population:false",
            "distaware:9,distribution=binomial,metric=manhattan,seed=1,selection=solver,optimization=local,weights=1-2",
        ),
        (
            "hybrid",
            "distribution-aware optimization:NONE number-weight-optimization:1",
            "distaware:asTW2,seed=0,optimization=none",
        ),
        ("hybrid", "distribution-aware optimization:local number-weight-optimization:0", "distaware:asTW2,seed=0"),
        ("hybrid", "distribution-preserving selection:RandomSelection numConfigs:4", "distpreserving:4,seed=0"),
    ],
)
def test_specs(kind: Kind, arguments: str, spec: str) -> None:
    """A strategy with its defaults is a spec of ours."""
    assert sampling_of(kind, arguments).spec == spec


def test_the_number_of_binary_options() -> None:
    """`random` without a number draws as many configurations as there are binary options."""
    assert spec_of([sampling_of("binary", "random")], BINARIES) == "random:2,compat,seed=0"


def test_draws_of_the_program_before_june_2023() -> None:
    """Random binary selections have the rule of the older program; other samplings are the same."""
    for arguments, spec in (("random numConfigs:5 seed:3", "random:5,compat=2018,seed=3"), ("negfw", "negoptionwise")):
        assert spec_of([replace(sampling_of("binary", arguments), redraws=True)], BINARIES) == spec
    numeric = [sampling_of("binary", "allbinary"), sampling_of("numeric", "random sampleSize:2 seed:1")]
    assert spec_of([replace(each, redraws=True) for each in numeric], _system("binary")) == "all+random:2,compat,seed=1"


def test_validation_and_options() -> None:
    """`validation` and `[a, b]` may be anywhere."""
    found = sampling_of("binary", "validation pairwise [a, b]")
    assert (found.validation, found.options, found.spec) == (True, ("a", "b"), "pairwise[a,b]")
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
    """The line of a spec is read back as that spec, for every strategy."""
    row = next(each for each in STRATEGIES if each is strategy)
    flag = f" {row.flag}:true" if row.flag else ""
    needed = "".join(f" {key.name}:2" for key in row.keys if key.default is None)
    spec = sampling_of(row.kind, row.name + needed + flag).resolved(2)
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


def test_parts_of_hybrid_samplings() -> None:
    """A hybrid sampling of one kind of options is a part, which is joined with the other kind."""
    found = sampling_of("hybrid", "distribution-aware onlyBinary:true numConfigs:3")
    assert found.kind == "binary"
    assert spec_of([found], _system("binary")) == "distaware:3,seed=0+ff"
    assert sampling_of("hybrid", "distribution-aware onlyNumeric:true onlyBinary:false").kind == "numeric"


def test_a_file_to_draw_from() -> None:
    """The file takes its place in the spec when the script runs; a name with signs of specs is refused."""
    found = sampling_of("binary", "random numConfigs:3 fromFile:../all.csv")
    assert (found.file, spec_of([found], BINARIES, "/tmp/all.csv")) == (
        "../all.csv",
        "random:3,compat,seed=0,from=/tmp/all.csv",
    )


def test_options_in_lines() -> None:
    """A restriction to options is part of the line."""
    assert script_lines("pairwise[a,b]+pb:9,3[x]") == (
        "binary pairwise [a,b]",
        "numeric plackettburman measurements:9 level:3 [x]",
    )
