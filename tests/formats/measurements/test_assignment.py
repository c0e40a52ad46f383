"""Values of options as text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.formats.measurements.assignment import assignment_text, parse_assignments, parse_configuration
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cach", "unknown option 'cach'"),
        ("cash=1", "unknown option 'cash'"),
        ("root", "unknown option 'root'"),
        ("cache=2", "cache: '2' is neither 0 nor 1"),
        ("x", "the numeric option 'x' needs a value"),
        ("x=3", "x cannot be 3; its values are 1, 2.5, 4"),
        ("x=many", "x: 'many' is not a number"),
        ("x=deselected", "x: 'deselected' is not a number"),
        ("x=1,x=4", "x has two values"),
    ],
)
def test_wrong_assignments(text: str, message: str) -> None:
    """Errors name what is wrong, with a hint."""
    with pytest.raises(ConfigurationError) as caught:
        parse_assignments(text.split(","), SYSTEM)
    assert message in str(caught.value)


def test_groups_without_a_parent() -> None:
    """Columns such as mf_hc4 are a group without a name; the message names the column."""
    system = VariabilityModel("system", (BinaryOption("mf_hc4"), BinaryOption("mf_bt4")))
    with pytest.raises(ConfigurationError, match="did you mean 'mf_hc4'"):
        parse_assignments(["mf=hc4"], system)


def test_all_problems_at_once() -> None:
    """Every wrong text is reported."""
    with pytest.raises(ConfigurationError) as caught:
        parse_assignments(["x=3", "cach"], SYSTEM)
    assert len(caught.value.problems) == 2


def test_configurations() -> None:
    """Options that are not named are deselected, but for mandatory ones and the parents of named ones."""
    found = parse_configuration("lru,x=4", SYSTEM)
    assert found == Configurations(SYSTEM, np.array([[1, 1, 1, 0, 2, 2, 0]]))
    assert parse_configuration("lru,cache=0,x=4", SYSTEM).indices.tolist() == [[1, 0, 1, 0, 2, 2, 0]]
    with pytest.raises(ConfigurationError, match="no value for x"):
        parse_configuration("cache", SYSTEM)


CODECS = VariabilityModel.of({"codec": ["bz2", "l z", "1"], "x": [1, 2]})


@pytest.mark.parametrize(
    ("text", "child"),
    [("bz2", "codec_bz2"), ("l z", "codec_l_z"), ("l_z", "codec_l_z"), ("codec_bz2", "codec_bz2"), ("1", "codec_1")],
)
def test_value_of_a_group(text: str, child: str) -> None:
    """A group has the value of a child: its text, its name, or the rest of its name."""
    assert parse_assignments([f"codec={text}"], CODECS) == {child: 1}
    assert parse_configuration(f"codec={text},x=2", CODECS).assignment(0)[child] == 1


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["codec=lz4"], "codec cannot be 'lz4'; its values are bz2, l z, 1"),
        (["codec=bz2", "codec=l z"], "codec has two values"),
        (["bz2"], "unknown option 'bz2'.*did you mean 'codec_bz2'"),
    ],
)
def test_wrong_value_of_a_group(texts: list[str], message: str) -> None:
    """A wrong value is refused with the list of values, and a value alone with the option that was meant."""
    with pytest.raises(ConfigurationError, match=f"(?s){message}"):
        parse_assignments(texts, CODECS)
