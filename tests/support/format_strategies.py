"""Random systems, configurations and measurements for the formats' round trips."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.system.constraints import Constraint, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option, Presentation, step_values
from splc.system.variability import VariabilityModel, plain_name

NAMES = ("a", "b2", "rc-lookahead", "x.y", "ä", "log10", "two words", "n", "nx", "Über_8x8", "true", "c+d", "7zip")
PROPERTIES = ("Performance", "main memory", "Compile-performance-", "energy;J", 'the "best"', "größe", "<&>")

# Larger values are missing where others of a property are far smaller.
numbers = st.one_of(st.integers(-1000, 10**6).map(float), st.floats(-1e59, 1e59))
presentations = st.builds(
    Presentation,
    st.one_of(st.none(), st.sampled_from(["noOutput", "--x", " y "])),
    st.sampled_from(["", "--", "-<"]),
    st.sampled_from(["", " ]", "&"]),
)


@st.composite
def numeric_options(draw: st.DrawFn, name: str) -> NumericOption:
    """Draw a numeric option, with a step function or a list of values."""
    flag = draw(st.one_of(st.none(), st.sampled_from([-1.0, -99.5])))
    if draw(st.booleans()):
        spelling = draw(st.sampled_from(["n", plain_name(name)]))
        step = spelling + draw(st.sampled_from([" + 1", " * 2", " + 0.25", " + 3"]))
        maximum = draw(st.integers(1, 12)) * 1.0
        values = step_values(name, 1.0, maximum, step)
        above = maximum if maximum > values[-1] else None
        return NumericOption(name, values, None, step, above, flag, draw(presentations))
    values = tuple(sorted(set(draw(st.lists(st.one_of(st.floats(0, 1e9), st.integers(0, 9)), min_size=1)))))
    return NumericOption(name, tuple(map(float, values)), None, None, None, flag, draw(presentations))


@st.composite
def systems(draw: st.DrawFn) -> VariabilityModel:
    """Draw a small system; it need not have a valid configuration."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    cut = draw(st.integers(0, len(names)))
    options: list[Option] = []
    for at, name in enumerate(names[:cut]):
        groups = st.lists(
            st.lists(st.sampled_from(names[:cut]), min_size=1, max_size=2, unique=True).map(tuple), max_size=2
        ).map(tuple)
        parent = draw(st.sampled_from([None, *names[:at]]))
        options.append(BinaryOption(name, parent, draw(st.booleans()), draw(groups), draw(groups), draw(presentations)))
    options += [draw(numeric_options(name)) for name in names[cut:]]
    bare = VariabilityModel("bare", tuple(options))
    constraints: list[Constraint] = []
    for _ in range(draw(st.integers(0, 2))):
        joint = draw(st.sampled_from([" | ", " & "]))
        literals = draw(st.lists(st.tuples(st.sampled_from(["", "!", "-"]), st.sampled_from(names)), min_size=1))
        constraints.append(parse_boolean(joint.join(map("".join, literals)), bare.name_table))
    for kind in draw(st.lists(st.sampled_from(["non-boolean", "mixed"]), max_size=2).map(sorted))[::-1]:
        text = f"`{draw(st.sampled_from(names))}` * 2 {draw(st.sampled_from(['<', '!=', '>=']))} 3.5"
        mixed: Any = (draw(st.sampled_from(["all", "none"])), draw(st.booleans())) if kind == "mixed" else ()
        constraints.append(parse_arithmetic(text, bare.name_table, kind, *mixed))  # type: ignore[arg-type]
    return VariabilityModel(draw(st.sampled_from(["s", "my system", "<ö>"])), tuple(options), tuple(constraints))


@st.composite
def configurations(draw: st.DrawFn, unique: bool = False) -> Configurations:
    """Draw at least one configuration of a random system; they need not be valid."""
    model = draw(systems())
    row = st.tuples(*(st.integers(0, option.size - 1) for option in model.options))
    rows = draw(st.lists(row, min_size=1, max_size=8, unique=unique))
    return Configurations(model, np.array(rows, dtype=np.int64).reshape(len(rows), len(model.options)))


@st.composite
def measurements(draw: st.DrawFn) -> Measurements:
    """Draw measurements in which every property has some value, and values are missing here and there."""
    measured = draw(configurations(unique=True))
    values = {}
    for name in draw(st.lists(st.sampled_from(PROPERTIES), min_size=1, max_size=3, unique=True)):
        width = draw(st.integers(1, 3))
        cell = st.one_of(numbers, st.just(math.nan))
        rows = draw(
            st.lists(st.lists(cell, min_size=width, max_size=width), min_size=len(measured), max_size=len(measured))
        )
        array = np.array(rows, dtype=float).reshape(len(measured), width)
        array[0, -1] = draw(numbers)
        values[name] = array
    return Measurements(measured, values)


def mutated(text: str, signs: str = "") -> st.SearchStrategy[bytes]:
    """Return texts in which a piece, also of these signs, is inserted and characters are removed, as bytes."""
    return st.builds(
        lambda at, piece, skipped: (text[:at] + piece + text[at + skipped :]).encode("utf-8", "replace"),
        st.integers(0, len(text) - 1),
        st.text(max_size=5) | st.text(signs, max_size=3),
        st.integers(0, 20),
    )
