"""The importance of all options."""

from __future__ import annotations

from sampling import Space
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain import overview


def test_overview_of_used_options() -> None:
    """Options that all configurations have are not unused, and terms without influence are no interactions."""
    options = (BinaryOption("always", optional=False), BinaryOption("a"), BinaryOption("b"), NumericOption("n", (1, 2)))
    system = VariabilityModel("s", options)
    a, b = option_term("a"), option_term("b")
    model = InfluenceModel.of_system([(CONSTANT, 1.0), (a, 2.0), (a * b, 0.0)], system)
    found = overview(model, Space(system))
    assert [each.name for each in found.options] == ["a"]
    assert (found.unused, found.interactions) == (("b", "n"), ())
