"""Values of options as text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.value_texts import assignment_texts
from splc.formats.measurements.selections import assignment_text, parse_assignments, parse_configuration
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.inferred_tables import inferred
from tests.support.strategies import models

MODES = ("fast", "safe, slow", "a,b,c")
SYSTEM = VariabilityModel(
    "system",
    (
        BinaryOption("base", optional=False),
        BinaryOption("cache"),
        BinaryOption("lru", parent="cache"),
        BinaryOption("a=b"),
        NumericOption("x", (1.0, 2.5, 4.0)),
        NumericOption("y", (8.0, 9.0), deselected_flag=-1.0),
        NumericOption("one", (7.0,)),
    ),
)


@examples(50)
@given(st.data())
def test_texts_of_values_are_read_back(data: st.DataObject) -> None:
    """Texts of `assignment_text` give the same values."""
    system = data.draw(models())
    names = data.draw(st.lists(st.sampled_from(system.names), unique=True))
    values = {name: data.draw(st.integers(0, system.option(name).size - 1)) for name in names}
    assert parse_assignments(assignment_text(values, system).split(","), system) == values


def test_texts_with_commas_are_read_back() -> None:
    """Configurations of a system with commas in names and in words are read from their own texts."""
    lines = [f'{a},{b},"{mode}",{x},{a + x}.5' for a in (0, 1) for b in (0, 1) for mode in MODES for x in (1, 2)]
    table = "\n".join(['"a,b",b,mode,"x, y",time', *lines]) + "\n"
    system = inferred(table, options=("mode",)).system
    every = Space(system).enumerate()
    assert len(every) == len(lines)
    for row in range(len(every)):
        text = ",".join(assignment_texts(system, every.assignment(row)).values())
        assert parse_configuration(text, system) == every[[row]], text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("cache", {"cache": 1}),
        (" cache = true ", {"cache": 1}),
        ("cache=0", {"cache": 0}),
        ("a=b", {"a=b": 1}),
        ("a=b=0", {"a=b": 0}),
        ("x=2.5", {"x": 1}),
        ("y=9", {"y": 1}),
        ("y=deselected", {"y": 2}),
        ("y=-1", {"y": 2}),
        ("", {}),
    ],
)
def test_assignments(text: str, value: dict[str, int]) -> None:
    """Names alone select binary options; numeric options have values or are deselected."""
    assert parse_assignments([text], SYSTEM) == value


def test_configurations() -> None:
    """Options that are not named are deselected, but for mandatory ones and the parents of named ones."""
    found = parse_configuration("lru,x=4", SYSTEM)
    assert found == Configurations(SYSTEM, np.array([[1, 1, 1, 0, 2, 2, 0]]))
    assert parse_configuration("lru,cache=0,x=4", SYSTEM).indices.tolist() == [[1, 0, 1, 0, 2, 2, 0]]


CODECS = VariabilityModel.of({"codec": ["bz2", "l z", "1"], "x": [1, 2]})


@pytest.mark.parametrize(
    ("text", "child"),
    [("bz2", "codec_bz2"), ("l z", "codec_l_z"), ("l_z", "codec_l_z"), ("codec_bz2", "codec_bz2"), ("1", "codec_1")],
)
def test_value_of_a_group(text: str, child: str) -> None:
    """A group has the value of a child: its text, its name, or the rest of its name."""
    assert parse_assignments([f"codec={text}"], CODECS) == {child: 1}
    assert parse_configuration(f"codec={text},x=2", CODECS).assignment(0)[child] == 1
