"""The best configurations of a local search."""

from __future__ import annotations

from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows.optimize.objectives import Objective
from splc.workflows.optimize.optimize import PropertyValue, RatedConfiguration, Result
from splc.workflows.optimize.view import view
from splc.workflows.views import Detail
from tests.workflows.conftest import Printed


def test_local_search(printed: Printed) -> None:
    """The text says that the best configurations are those that a search predicted, not those of all valid ones."""
    system = VariabilityModel("s", (BinaryOption("cache"),))
    model = InfluenceModel(((option_term("cache"), 2.0),), system.names)
    rows = Configurations.from_columns(system, {"cache": [0]})
    found = Result(
        (Objective("time", system, model),), (RatedConfiguration(rows, (PropertyValue(1.0),)),), exhaustive=False
    )
    assert printed(view(found, Detail()))[0] == "predicted: 1 (least of those that a local search predicted)"
