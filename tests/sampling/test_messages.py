"""Messages about samplings that cannot be drawn: what is wrong, and what to write instead."""

from __future__ import annotations

import pytest

from sampling import draw_sample
from sampling.spec import known, parse_spec
from splc.errors import SpecError, SplcError
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 3]}, name="tool")
DISTAWARE = (
    "write distaware:N[,distribution=uniform|binomial|geometric|normal][,selection=random|solver]"
    "[,optimization=none|local|global][,weights=T|T-U][,seed=S]"
)


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("random:asTW9", "asTW9 is 0 for tool: no such sets of unrelated options can be selected", "state a number"),
        ("twise:9", "twise:9 selects no configuration of tool", "use another sampling"),
        ("twise:3,x", "twise:3,x: the number of arguments must be 1, not 2", "write twise:T"),
        (
            "random:x",
            "random:x: 'x' is not a number of configurations",
            "write an integer, asOW, or asTW2 (T = 1 to 9)",
        ),
        (
            "random:1000001",
            "random:1000001: 1,000,001 configurations are too many (the limit is 1,000,000)",
            "ask for as many as you can measure",
        ),
        ("measured:9", "measured:9: no measurements are given", "give measurements, or use another sampling"),
        (
            "suggest:3",
            "suggest:3: suggestions depend on measured values",
            "use it in splc learn or splc study; splc suggest names configurations that are not measured yet",
        ),
        ("covering:9", "covering:9: the number of binary options is only 3", "use covering:3, or all"),
        ("random:25", "25 distinct configurations are requested, but only 24 are valid", "ask for at most 24"),
        ("random:9+ff", "random:9: there are only 8 valid binary parts, not 9", "ask for at most 8"),
        ("distance:25", "distance:25: there are only 24 valid configurations, not 25", "ask for at most 24"),
        *(
            (f"all+{name}:4", f"{name}:4: there are only 3 valid numeric parts, not 4", "ask for at most 3")
            for name in ("random", "lhs", "sobol", "dopt")
        ),
        (
            "distance:2,weight=1001",
            "distance:2,weight=1001: the weight must be at most 1,000, not 1,001",
            "write distance:N[,weight=W]",
        ),
        (
            "distaware:3,weights=2",
            "distaware:3,weights=2: weights counts combinations of options, which needs optimization=local or global",
            DISTAWARE,
        ),
        (
            "distaware:3,weights=7,optimization=local",
            "distaware:3,weights=7,optimization=local: combinations of 7 options are too many, at most 6 are counted",
            DISTAWARE,
        ),
        (
            "distaware:3,weights=3-2,optimization=local",
            "distaware:3,weights=3-2,optimization=local: the number of options in combinations must be an integer of "
            "at least 3, not '2'",
            DISTAWARE,
        ),
        (
            "distaware:3,distribution=norml",
            "distaware:3,distribution=norml: unknown distribution 'norml'; did you mean 'normal'?",
            "known are uniform, binomial, geometric, normal",
        ),
        (
            "hyper:101",
            "hyper:101: the percentage of values must be at most 100, not 101",
            "write hyper:P[,compat]",
        ),
        (
            "all+dopt:1",
            "dopt:1: a first-order polynomial of 1 numeric options has more than 1 terms",
            "ask for at least 2 rows",
        ),
        ("all+ff[y]", "ff[y]: 'y' is not a numeric option of tool", "known are: x"),
        ("pairwise[q]+ff", "pairwise[q]: 'q' is not a binary option of tool", "known are: a, b, c"),
        ("pairwise[a,a]", "pairwise[a,a]: a name is missing or a duplicate", "write pairwise[NAME,NAME]"),
        (
            "random:5,",
            "random: empty argument in 'random:5,'",
            "write random:N[,compat[=2018]][,seed=S][,from=FILE]",
        ),
        (
            "random:5,seed=",
            "random: empty argument in 'random:5,seed='",
            "write random:N[,compat[=2018]][,seed=S][,from=FILE]",
        ),
        (
            "measured:seed=3",
            "measured:seed=3: without a number, everything measured is taken and nothing is drawn",
            "write measured[:N|:P%][,seed=S]",
        ),
        ("all+cci+ff", "all+cci+ff: a spec has at most two parts", "a binary and a numeric one, joined by +"),
        (
            "all+factorial:4",
            "factorial:4: fewer than 4 values: x (3)",
            "use fewer levels, restrict the design to other options as in factorial:4[a,b], or use hyper:P, whose "
            "levels depend on the number of values",
        ),
        ("all+all", "all+all: both parts are binary", f"join a binary and a numeric part; known are {known()}"),
        ("pairwize", "unknown sampling 'pairwize'; did you mean 'pairwise'?", f"known are {known()}"),
        ("+ff", "'' names no sampling", f"known are {known()}"),
        (
            "random:3,compat,seed=4294967296",
            "the seed 4294967296 does not fit into .NET's 32 bits",
            "use at most 2147483647",
        ),
    ],
)
def test_messages(spec: str, message: str, hint: str) -> None:
    """The error states the problem of a spec and its cure."""
    with pytest.raises(SplcError) as caught:
        draw_sample(SYSTEM, spec)
    (problem,) = caught.value.problems
    assert (problem.message, problem.hint) == (message, hint)


def test_specs_given_twice_or_not_at_all() -> None:
    """A spec is either whole, or of two parts."""
    for arguments, message, hint in (
        (
            {"text": "all", "numeric": "cci"},
            "all: the sampling is given twice",
            "give either a whole spec, or a binary and a numeric one",
        ),
        ({}, "no sampling is given", f"known are {known()}"),
        ({"binary": "cci"}, "unknown binary sampling 'cci'", f"known are {known()}"),
    ):
        with pytest.raises(SpecError) as caught:
            parse_spec(**arguments)
        (problem,) = caught.value.problems
        assert (problem.message, problem.hint) == (message, hint)


@pytest.mark.parametrize("spec", ["random:5", "measured", "distance:3"])
def test_whole_configurations_cannot_be_restricted(spec: str) -> None:
    """Options in brackets belong to a binary or numeric part."""
    with pytest.raises(SpecError) as caught:
        draw_sample(SYSTEM, f"{spec}[a]")
    (problem,) = caught.value.problems
    assert problem.message == f"{spec}[a]: a sampling of whole configurations cannot be restricted to options"


def test_the_summary_of_a_sample() -> None:
    """A sample states its size, spec, seed and notes."""
    found = draw_sample(SYSTEM, "pairwise", seed=4)
    assert found.summary() == (
        "9 configurations of tool, sampled by pairwise with seed 4\n"
        "note: no numeric sampling is given: all combinations of numeric values are taken (ff)"
    )
    assert found.to_columns()["x"].tolist() == [1, 2, 3] * 3
