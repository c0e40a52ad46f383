"""The importance of all options."""

from __future__ import annotations

from dataclasses import replace

from sampling import Space
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain.overview import choices_of, overview


def test_overview_of_used_options() -> None:
    """Options that all configurations have are not unused, and terms without influence are no interactions."""
    options = (BinaryOption("always", optional=False), BinaryOption("a"), BinaryOption("b"), NumericOption("n", (1, 2)))
    system = VariabilityModel("s", options)
    a, b = option_term("a"), option_term("b")
    model = InfluenceModel.of_system([(CONSTANT, 1.0), (a, 2.0), (a * b, 0.0)], system)
    found = overview(model, Space(system))
    assert [each.name for each in found.options] == ["a"]
    assert (found.unused, found.interactions) == (("b", "n"), ())


def test_groups_of_one_title_have_the_names_of_their_members() -> None:
    """Alternative groups below one parent are told apart by their members; a title that is used once stays."""
    pairs = (("red", "blue"), ("hot", "cold"))
    options = [BinaryOption("top", optional=False), BinaryOption("free")]
    for group in pairs:
        for name in group:
            excluded = tuple((other,) for other in group if other != name)
            options.append(BinaryOption(name, "top", optional=False, excluded=excluded))
    two = VariabilityModel("s", tuple(options))
    assert choices_of(two)[0] == ["top", "free", "red|blue", "hot|cold"]
    one = VariabilityModel("s", tuple(options[1:2] + [replace(each, parent=None) for each in options[2:4]]))
    assert choices_of(one) == (["free", "red|blue"], [(0,), (1, 2)])
