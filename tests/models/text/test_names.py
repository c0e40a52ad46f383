"""Names in model text: blanks, composed characters, and other spellings of options."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from splc.errors import ExpressionError
from splc.models.parameters import Parameters, Quantity
from splc.models.terms import option_term
from splc.models.text.reader import expand_model
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel(
    "s", (BinaryOption("fast mode"), BinaryOption("a-b"), BinaryOption("fast"), NumericOption("Größe.x", (1.0, 2.0)))
)
NAMES = SYSTEM.term_names


@pytest.mark.parametrize(
    "text", ["fast mode", "fast  mode", "fast \t mode", "`fast  mode`", "fastmode", "fast\u00a0mode", "2*fast  mode/2"]
)
def test_spaces_in_names(text: str) -> None:
    """One space in a name matches several; the longest name still wins."""
    assert expand_model(text, NAMES).expansion == {option_term("fast mode"): 1.0}


def test_names_with_several_spaces() -> None:
    """A name with several spaces is found with one, unless that is another name; line breaks do not match."""
    assert expand_model("a b * 2", {"a  b": "a  b"}).expansion == {option_term("a  b"): 2.0}
    both = {"a  b": "a  b", "a b": "a b"}
    assert expand_model("a b - a  b", both).expansion == {option_term("a b"): 1.0, option_term("a  b"): -1.0}
    with pytest.raises(ExpressionError, match="unknown name 'a'"):
        expand_model("a   b", both)
    with pytest.raises(ExpressionError, match="unknown name 'mode'"):
        expand_model("(fast\nmode)", NAMES)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("own", ["NFC", "NFD"])
def test_composed_characters(form: Any, own: Any) -> None:
    """A name is found with composed and decomposed letters, in the system, in parameters and in the text."""
    name, text = unicodedata.normalize(own, "Größe.x"), unicodedata.normalize(form, "größe * Größe.x")
    parameter = unicodedata.normalize(own, "größe")
    known = Parameters({parameter: Quantity.exactly(3.0)})
    found = expand_model(text, {name: name}, known)
    assert found.expansion == {option_term(name): 3.0}
    assert found.used == {parameter}


def test_names_that_differ_in_their_composition_only() -> None:
    """If two options differ only in the composition of letters, names are not normalised."""
    one, other = (unicodedata.normalize(form, "größe") for form in ("NFC", "NFD"))
    found = expand_model(f"{one} + 2 * {other}", {one: one, other: other})
    assert found.expansion == {option_term(one): 1.0, option_term(other): 2.0}


def test_hints_show_the_name() -> None:
    """The nearest known name is shown in the system's spelling."""
    with pytest.raises(ExpressionError, match="did you mean 'fast mode'"):
        expand_model("fastmood", NAMES)


def test_definitions_with_another_spelling() -> None:
    """A definition whose name is another spelling of an option is refused with the option's name."""
    with pytest.raises(ExpressionError, match=r"'ab' has the name of an option \(another spelling of 'a-b'\)"):
        expand_model("ab = 3\nT = ab", NAMES)
