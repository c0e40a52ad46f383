"""Printed lines and JSON of described systems and measurements, from results with given numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sampling.space.analysis import Description, Finding
from splc.cli.show import describe
from splc.cli.show.measurements import MOST_COUNTED, MeasurementsObject, show_measurements
from splc.data.summary import Drift, PropertySummary
from splc.io.json_object import json_object
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

LEFT, RIGHT = (
    BinaryOption(name, optional=False, excluded=((other,), ("cache",)), line=line)
    for name, other, line in (("left", "right", 4), ("right", "left", 5))
)
SYSTEM = VariabilityModel(
    "s",
    (
        BinaryOption("base", optional=False, line=2),
        BinaryOption("cache", "base", implied=(("left", "right"), ("base",)), line=3),
        LEFT,
        RIGHT,
        NumericOption("x", (1.0, 2.0, 4.0), step="x * 2", line=6),
        NumericOption("y", (0.5,), deselected_flag=-1.0),
    ),
    source="s.xml",
    observed=("C_0", "C_1", "C_2", "D_0", "D_1"),
)
OCCURRENCES = {"base": (0, 3), "cache": (2, 1), "left": (3, 0), "right": (0, 3)}
FINDING = Finding("dead option", "left can never be selected", ("left",), 4)
DESCRIPTION = Description(SYSTEM, 3, OCCURRENCES, (FINDING,))


def test_tables(printed: Printed) -> None:
    """Options are in tables; alternatives are groups, and no exclusions of each other."""
    describe.show(of(description=DESCRIPTION, measured=None))
    assert printed() == [
        "s: 4 binary options, 2 numeric options, 0 constraints",
        "valid configurations: 3",
        "",
        "Binary options",
        "option   kind         selected in  excludes     implies",
        "base     mandatory        100.0 %",
        "  cache  optional          33.3 %  left, right  left | right, base",
        "left     alternative        0.0 %  cache",
        "right    alternative      100.0 %  cache",
        "",
        "Numeric options",
        "option  values   number  next value  deselected",
        "x       1, 2, 4       3  x * 2",
        "y       0.5           1              -1",
        "",
        "Observed variables (not options; known only for measured configurations)",
        "  C_0 … C_2, D_0, D_1",
        "",
        "Alternative groups (exactly one is selected if the parent is)",
        "  left, right",
        "",
        "Suspicious",
        "  line 4: left can never be selected",
    ]


def test_tree(printed: Printed) -> None:
    """A tree shows the groups itself; a count may be unknown."""
    describe.show(of(description=Description(SYSTEM, None, {}, ()), measured=None), 1)
    assert printed() == [
        "s: 4 binary options, 2 numeric options, 0 constraints",
        "valid configurations: not counted",
        "",
        "s",
        "  one of 2: left, right",
        "  base",
        "    … 1 option below",
        "  x: 1, 2, 4",
        "  y: 0.5 or deselected",
        "",
        "Observed variables (not options; known only for measured configurations)",
        "  C_0 … C_2, D_0, D_1",
    ]


def test_singular(printed: Printed) -> None:
    """Kinds of options that a system does not have are left out."""
    system = VariabilityModel("t", (NumericOption("x", (1.0,)),))
    describe.show(of(description=Description(system, 1, {}, ()), measured=None))
    assert printed() == [
        "t: 0 binary options, 1 numeric option, 0 constraints",
        "valid configurations: 1",
        "",
        "Numeric options",
        "option  values  number",
        "x       1            1",
    ]
    system = VariabilityModel("t", (BinaryOption("a"),))
    describe.show(of(description=Description(system, None, {}, ()), measured=None))
    assert printed()[0] == "t: 1 binary option, 0 numeric options, 0 constraints"


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (1, 3, "33.3 %"),
        (2, 3, "66.7 %"),
        (1, 2000, "0.1 %"),
        (1, 2001, "0.0 %"),
        (10**27 - 1, 10**27, "100.0 %"),
        (9994 * 10**26, 10**30, "99.9 %"),
        (9995 * 10**26, 10**30, "100.0 %"),
        (0, 0, ""),
    ],
)
def test_shares(part: int, whole: int, text: str) -> None:
    """Percentages are rounded to the nearest tenth, halves up, exactly for all numbers."""
    assert describe.share(Description(SYSTEM, whole, {"a": (0, part)}, ()), "a") == text


def test_ranges_of_names() -> None:
    """Three or more names that differ in the last number are a range."""
    assert describe.level_ranges(["a1", "a2", "b", "c9", "c10", "c11", "d7"]) == ["a1", "a2", "b", "c9 … c11", "d7"]


def test_json() -> None:
    """Every option has its place in the description; the number of valid configurations is exact."""
    content = content_of(
        describe.as_json(of(description=DESCRIPTION, measured=None, inference=None)), "splc.describe/1"
    )
    binary: dict[str, Any] = {"kind": "binary", "implied": [], "parent": None}
    assert content == {
        "name": "s",
        "source": "s.xml",
        "binary_options": ["base", "cache", "left", "right"],
        "numeric_options": ["x", "y"],
        "constraints": 0,
        "valid_configurations": 3,
        "log10_valid_configurations": math.log10(3),
        "observed": ["C_0", "C_1", "C_2", "D_0", "D_1"],
        "alternative_groups": [list(group) for group in SYSTEM.alternative_groups],
        "options": [
            {**binary, "name": "base", "role": "mandatory", "excluded": [], "selected_in": 3, "line": 2},
            {
                **binary,
                "name": "cache",
                "parent": "base",
                "role": "optional",
                "implied": [["left", "right"], ["base"]],
                "excluded": list(SYSTEM.exclusions["cache"]),
                "selected_in": 1,
                "line": 3,
            },
            {
                **binary,
                "name": "left",
                "role": "alternative",
                "excluded": list(SYSTEM.exclusions["left"]),
                "selected_in": 0,
                "line": 4,
            },
            {
                **binary,
                "name": "right",
                "role": "alternative",
                "excluded": list(SYSTEM.exclusions["right"]),
                "selected_in": 3,
                "line": 5,
            },
            {
                "name": "x",
                "kind": "numeric",
                "values": [1.0, 2.0, 4.0],
                "step": "x * 2",
                "deselected_flag": None,
                "line": 6,
            },
            {
                "name": "y",
                "kind": "numeric",
                "values": [0.5],
                "step": None,
                "deselected_flag": -1.0,
                "line": None,
            },
        ],
        "constraint_texts": [],
        "suspicious": [json_object(Finding, FINDING)],
        "measurements": None,
        "inferred": None,
    }


@pytest.mark.parametrize("less", [0, 1])
def test_counts_that_are_too_long(less: int) -> None:
    """Counts of more than 4300 digits, which readers of JSON refuse, are null; their logarithms are stated."""
    count = 10**4300 - less
    description = Description(VariabilityModel("t", (BinaryOption("a"),)), count, {"a": (0, 7)}, ())
    content = describe.as_json(of(description=description, measured=None, inference=None))
    assert content["valid_configurations"] == (count if less else None)
    assert content["options"][0]["selected_in"] == (7 if less else None)
    assert content["log10_valid_configurations"] == math.log10(count)


NAN = math.nan
DRIFT = Drift(0.75, 0.5, 0.001)
TIME = PropertySummary("time", 1.0, 1234567.0, 1200, 3600, 2, 1000, 0.012345, DRIFT)
ENERGY = PropertySummary("energy", NAN, NAN, 0, 0, 1, 1, None, None)


def measured(*properties: PropertySummary, rows: int = 3600, **contexts: tuple[str, ...]) -> Any:
    """Return a summary of measurements."""
    return of(source="m.csv", contexts=contexts, summary=of(configurations=1200, rows=rows, properties=properties))


def test_measurements(printed: Printed) -> None:
    """Properties have their ranges and repetitions; significant drift is stated."""
    show_measurements(measured(TIME, ENERGY, version=("1", "2")), 5000)
    assert printed() == [
        "",
        "Measurements: m.csv, 1,200 of 5,000 valid configurations, 3,600 rows",
        "  context version: 2 values ('1', '2')",
        "property  from           to  configurations  repetitions  scatter",
        "time         1  1.23457e+06           1,200  2 to 1,000    1.23 %",
        "energy                                    0  1",
        "scatter: median of the relative standard deviations of the repetitions of a configuration",
        "drift of time: later repetitions are greater in 75 % of pairs, the last one by +50 % in the median",
    ]


@pytest.mark.parametrize(
    ("drift", "text"),
    [
        (Drift(0.25, -0.125, 0.0), "smaller in 75 % of pairs, the last one by -12.5 % in the median"),
        (Drift(0.5, NAN, 0.0), "smaller in 50 % of pairs"),
        (Drift(0.9, 0.1, 0.0011), None),
        (None, None),
    ],
)
def test_drift(drift: Drift | None, text: str | None, printed: Printed) -> None:
    """A trend that may be chance is not stated, nor a relative change of zeros."""
    each = PropertySummary("energy", 1.0, 2.0, 1, 1, 1, 1, None, drift)
    show_measurements(measured(each, rows=1, version=("1",)), MOST_COUNTED + 1)
    lines = printed()
    assert lines[1:3] == ["Measurements: m.csv, 1,200 valid configurations, 1 row", "  context version: 1 value ('1')"]
    assert lines[5:] == ([] if text is None else [f"drift of energy: later repetitions are {text}"])
    show_measurements(measured(), MOST_COUNTED)
    assert " of 1,000,000,000,000,000 valid" in printed()[1]
    show_measurements(measured(), None)
    assert "1,200 valid" in printed()[1]


def test_measurements_json() -> None:
    """Scatter and change are percentages, and what is undefined is null."""
    other = PropertySummary("rate", 1.0, 2.0, 3, 4, 5, 6, 0.5, Drift(0.5, NAN, 1.0))
    assert json_object(MeasurementsObject, measured(TIME, ENERGY, other, version=("1", "2"))) == {
        "source": "m.csv",
        "configurations": 1200,
        "rows": 3600,
        "contexts": {"version": ["1", "2"]},
        "properties": [
            {
                "name": "time",
                "minimum": 1.0,
                "maximum": 1234567.0,
                "configurations": 1200,
                "values": 3600,
                "repetitions": [2, 1000],
                "scatter": 1.2345,
                "drift": {"significant": True, "rising": 0.75, "change": 50.0, "probability": 0.001},
            },
            {
                "name": "energy",
                "minimum": None,
                "maximum": None,
                "configurations": 0,
                "values": 0,
                "repetitions": [1, 1],
                "scatter": None,
                "drift": None,
            },
            {
                "name": "rate",
                "minimum": 1.0,
                "maximum": 2.0,
                "configurations": 3,
                "values": 4,
                "repetitions": [5, 6],
                "scatter": 50.0,
                "drift": {"significant": False, "rising": 0.5, "change": None, "probability": 1.0},
            },
        ],
    }


def test_all_parts(printed: Printed) -> None:
    """Measurements and inferred descriptions are parts of the output."""
    inference = of(
        system=SYSTEM, uncertain=(), properties=("time",), contexts=(), ignored={"c": "empty"}, assumptions=("one",)
    )
    found = of(description=DESCRIPTION, measured=measured(TIME), inference=inference)
    content = describe.as_json(found)
    assert content["measurements"] == json_object(MeasurementsObject, measured(TIME))
    assert content["inferred"]["assumptions"] == ["one"]
    describe.show(found)
    assert "Measurements: m.csv, 1,200 of 3 valid configurations, 3,600 rows" in printed()
