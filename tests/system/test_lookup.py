"""Options found by name, pairs of options that exclude each other, and definitions that are refused."""

from __future__ import annotations

import pytest

from splc import VariabilityModel
from splc.errors import ConfigurationError, VariabilityError
from splc.system.options import BinaryOption


def test_unknown_options_are_refused_with_the_nearest_name() -> None:
    """An option is found by its name; an unknown one is refused with the nearest name, or with all names."""
    system = VariabilityModel.of({"cache": bool, "x": [1, 2]}, name="s")
    assert system.option("x").name == "x"
    for name, hint in (("cach", "did you mean 'cache'?"), ("zzzz", "known are: cache, x")):
        with pytest.raises(ConfigurationError) as caught:
            system.option(name)
        assert str(caught.value) == f"unknown option {name!r}\n    {hint}"


def test_exclusions_are_those_of_single_options() -> None:
    """Two options exclude each other if one of them says so; groups of several and the option itself do not count."""
    options = (
        BinaryOption("a", optional=True, excluded=(("b",), ("a",), ("c", "d"))),
        BinaryOption("b", optional=True),
        BinaryOption("c", optional=True, excluded=(("a", "a"), ("d",))),
        BinaryOption("d", optional=True, excluded=(("b",), ("c",))),
    )
    expected = {"a": ("b",), "b": ("a", "d"), "c": ("d",), "d": ("b", "c")}
    assert VariabilityModel("s", options).exclusions == expected


def test_values_that_are_no_option() -> None:
    """A definition that is neither bool, numbers nor texts is refused with what to give."""
    with pytest.raises(VariabilityError) as caught:
        VariabilityModel.of({"a": [1, "b"]}, name="s")
    hint = "give bool, a list of numbers, or a list of texts"
    assert str(caught.value) == f"a: [1, 'b'] are not values of an option\n    {hint}"
