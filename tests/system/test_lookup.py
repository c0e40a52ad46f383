"""Options found by name, pairs of options that exclude each other, and definitions that are refused."""

from __future__ import annotations

import pytest

from splc import VariabilityModel
from splc.errors import ConfigurationError, VariabilityError


def test_unknown_options_are_refused_with_the_nearest_name() -> None:
    """An option is found by its name; an unknown one is refused with the nearest name, or with all names."""
    system = VariabilityModel.of({"cache": bool, "x": [1, 2]}, name="s")
    assert system.option("x").name == "x"
    for name, hint in (("cach", "did you mean 'cache'?"), ("zzzz", "known are: cache, x")):
        with pytest.raises(ConfigurationError) as caught:
            system.option(name)
        assert str(caught.value) == f"unknown option {name!r}\n    {hint}"


def test_values_that_are_no_option() -> None:
    """A definition that is neither bool, numbers nor texts is refused with what to give."""
    with pytest.raises(VariabilityError) as caught:
        VariabilityModel.of({"a": [1, "b"]}, name="s")
    hint = "give bool, a list of numbers, or a list of texts"
    assert str(caught.value) == f"a: [1, 'b'] are not values of an option\n    {hint}"
