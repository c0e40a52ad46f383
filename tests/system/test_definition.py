"""Variability models from Python values."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc import BinaryOption, NumericOption, VariabilityModel
from splc.errors import VariabilityError
from splc.formats.system.splconqueror_xml import read_variability_model, write_variability_model
from splc.system.constraints import ArithmeticConstraint


@given(
    numbers=st.lists(st.integers(-20, 20), min_size=1, unique=True),
    others=st.lists(st.sampled_from(["zstd", "x/y", "x y", "ä"]), min_size=1, unique=True),
    most=st.integers(-20, 20),
)
def test_the_valid_configurations(numbers: list[int], others: list[str], most: int) -> None:
    """The valid configurations are the combinations of values that satisfy the constraints."""
    texts = ["lz4", *others]
    constraints = [f"n + 3 * fast <= {most}", "!fast | codec_lz4"]
    system = VariabilityModel.of({"n": numbers, "fast": bool, "codec": texts}, constraints)
    expected = [
        n + 3 * fast <= most and (not fast or text == "lz4") for n, fast, text in product(numbers, (0, 1), texts)
    ]
    assert Space(system).count == sum(expected)


def test_kinds_of_constraints() -> None:
    """Comparisons with binary options are mixed constraints, those of numeric options only are not."""
    system = VariabilityModel.of({"n": [1, 2], "m": [1, 2], "fast": bool}, ["n <= m", "n * fast <= m"])
    found = [(each.kind, each.requires) for each in system.constraints if isinstance(each, ArithmeticConstraint)]
    assert found == [("non-boolean", "all"), ("mixed", "none")]


def test_kinds_of_values() -> None:
    """Values become binary options, numeric options in ascending order, alternative groups; options are taken."""
    system = VariabilityModel.of(
        {"n": np.array([4, 1, 2, 2]), "b": bool, "c": [False, True], "m": range(1, 4), "o": BinaryOption("o", "b")},
        name="small",
    )
    assert system.name == "small"
    assert system.options == (
        *(BinaryOption("b"), BinaryOption("c"), BinaryOption("o", "b")),
        *(NumericOption("n", (1.0, 2.0, 4.0)), NumericOption("m", (1.0, 2.0, 3.0))),
    )


def test_names_of_texts() -> None:
    """The option of a text has the name of the group and the text; texts that would have the same name get a number."""
    system = VariabilityModel.of({"c": ["a b", "a/b", "-"], "c_": bool})
    assert system.names == ("c", "c_a_b", "c_a_b_2", "c__2", "c_")
    assert system.alternative_groups == (("c_a_b", "c_a_b_2", "c__2"),)
    assert [option.presentation.output_string for option in system.binary_options[1:4]] == ["a b", "a/b", "-"]


def test_the_description_can_be_written(tmp_path: Path) -> None:
    """A system that was defined in Python reads back from XML as the same system."""
    system = VariabilityModel.of({"n": [1, 2, 3], "fast": bool, "c": ["a", "b"]}, ["!fast | c_a", "n + fast <= 3"])
    write_variability_model(system, tmp_path / "system.xml")
    assert read_variability_model(tmp_path / "system.xml") == system


@pytest.mark.parametrize(
    ("options", "constraints", "message"),
    [
        ({"a": []}, [], r"a: \[\] are not values of an option"),
        ({"a": "text"}, [], "a: 'text' are not values"),
        ({"a": True}, [], "a: True are not values"),
        ({"a": [1, "x"]}, [], r"a: \[1, 'x'\] are not values"),
        ({"a": [1, True]}, [], r"a: \[1, True\] are not values"),
        ({"a": ["x", " "]}, [], "are not values"),
        ({"a": [float("nan"), 1]}, [], "the values of a are not finite numbers"),
        ({"a": NumericOption("b", (1.0,))}, [], "a: the option has another name, 'b'"),
        ({"root": bool}, [], "the name 'root' is reserved"),
        ({"a": bool}, ["a | c"], "unknown name 'c'"),
        ({"a": bool}, ["a &"], "ends too early"),
        ({"a": [1, 2]}, ["a + b < 3"], "unknown name 'b'"),
    ],
)
def test_wrong_definitions(options: dict[str, Any], constraints: list[str], message: str) -> None:
    """Values that no option can have, and constraints that cannot be read, are refused."""
    with pytest.raises(VariabilityError, match=message):
        VariabilityModel.of(options, constraints)


def test_all_problems_at_once() -> None:
    """Every wrong option, and every wrong constraint, is named."""
    with pytest.raises(VariabilityError) as options:
        VariabilityModel.of({"a": [], "b": 3, "c": [1]})
    assert len(options.value.problems) == 2
    with pytest.raises(VariabilityError) as constraints:
        VariabilityModel.of({"a": bool}, ["a | c", "a", "d < 1"])
    assert len(constraints.value.problems) == 2


def test_quoted_names_may_contain_comparisons() -> None:
    """A sign of a comparison inside backticks is a part of a name."""
    system = VariabilityModel.of({"a<b": bool, "c": bool}, ["!`a<b` | c"])
    assert Space(system).count == 3
