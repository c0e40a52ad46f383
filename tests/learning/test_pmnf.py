"""Systems that the learner pmnf accepts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from splc import Configurations, Measurements, VariabilityModel
from splc.errors import LearningError, SpecError
from splc.learning import learn
from splc.learning.pmnf import PmnfLearner, is_scalable
from splc.system.options import NumericOption
from tests.support.objects import of

NUMBERS = {name: [1, 2, 3] for name in "pqrstu"}
VARIED = {name: np.array([1, 2, 3]) for name in NUMBERS}
OPTIONAL = NumericOption("p", (1.0, 2.0), deselected_flag=0.0)


@pytest.mark.parametrize(
    ("options", "columns", "scalable"),
    [
        ({"p": [1, 2, 3]}, {"p": [1, 2, 3]}, True),
        ({"p": [1, 2, 3], "b": bool}, {"p": [1, 2, 3], "b": [1, 1, 1]}, True),
        ({"p": [1, 2, 3], "b": bool}, {"p": [1, 2, 3], "b": [1, 0, 1]}, False),
        ({"p": [1, 2, 3]}, {"p": [2, 2]}, False),
        ({"p": OPTIONAL}, {"p": [1, 2]}, True),
        ({"p": OPTIONAL}, {"p": [1, 0]}, False),
        (NUMBERS, {**VARIED, "u": [1, 1, 1]}, True),
        (NUMBERS, VARIED, False),
        ({"p": [1, 2]}, {"p": []}, False),
    ],
)
def test_is_scalable(options: dict[str, Any], columns: dict[str, Any], scalable: bool) -> None:
    """One to five numeric options vary, which are always selected, and nothing else does."""
    configurations = Configurations.from_columns(VariabilityModel.of(options), columns)
    assert is_scalable(configurations) is scalable


def test_what_pmnf_learns_from() -> None:
    """The result has the scaling model with its intervals; options that are not numeric are refused by name."""
    system = VariabilityModel.of({"p": [1, 2, 4, 8, 16], "n": [10, 20], "b": bool})
    p = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    columns = {"p": p, "n": np.full(5, 20.0), "b": np.zeros(5)}
    found = learn(Measurements(Configurations.from_columns(system, columns), {"t": 7 + 3 * p}), "t", learner="pmnf")
    assert found.scaling is not None
    assert found.scaling.predict(32.0) == pytest.approx(103)
    assert found.model.predict(Configurations.from_columns(system, columns)) == pytest.approx(7 + 3 * p)
    assert any("n is 20 in all configurations" in note for note in found.notes)
    # The order of the rows does not matter.
    for order in ([4, 3, 2, 1, 0], [2, 0, 1, 4, 3]):
        rows = Configurations.from_columns(system, {name: column[order] for name, column in columns.items()})
        again = learn(Measurements(rows, {"t": 7 + 3 * p[order]}), "t", learner="pmnf")
        assert again.model.predict(rows) == pytest.approx(7 + 3 * p[order])
    columns["b"] = np.array([0.0, 1, 0, 1, 0])
    with pytest.raises(LearningError, match=r"b(.|\n)*differ in numeric options only, or choose stepwise"):
        learn(Measurements(Configurations.from_columns(system, columns), {"t": 7 + 3 * p}), "t", learner="pmnf")


def test_pmnf_refuses_observed_variables() -> None:
    """A scaling model is about options: observed variables are refused before anything is fitted."""
    configurations = Configurations.from_columns(VariabilityModel.of({"p": [1, 2, 4]}), {"p": [1, 2, 4]})
    problem: Any = of(observed=("load",), rows=np.arange(3), configurations=configurations)
    with pytest.raises(SpecError, match="pmnf does not learn from observed variables"):
        PmnfLearner.of({}).learn(problem)


def test_all_points_count_alike_unless_stated() -> None:
    """Models of systems predict between the measured points: the default method has `local=False`, others none."""
    assert PmnfLearner.of({}).settings["local"] is False
    assert PmnfLearner.of({"local": True}).settings["local"] is True
    assert "local" not in PmnfLearner.of({"method": "basic"}).stated


@pytest.mark.parametrize(("switched", "note"), [(3, "3 of 5 configurations not learned from have"), (0, None)])
def test_other_binary_options_are_noted(switched: int, note: str | None) -> None:
    """A note states how many configurations that were not learned from have other binary options."""
    system = VariabilityModel.of({"p": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], "b": bool})
    p = 2.0 ** np.arange(10)
    b = (np.arange(10) >= 5) & (np.arange(10) < 5 + switched)
    measured = Measurements(Configurations.from_columns(system, {"p": p, "b": b.astype(float)}), {"t": 7 + 3 * p})
    notes = learn(measured, "t", learning_set=np.arange(5), learner="pmnf").notes
    found = [each for each in notes if "other binary options" in each]
    assert len(found) == (note is not None)
    assert all(each.startswith(str(note)) for each in found)
