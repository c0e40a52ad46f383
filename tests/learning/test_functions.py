"""Functions as factors of learned terms: every learner finds them, and every format holds the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling import Space
from splc import read_model
from splc.arithmetic.functions import TABLE, Function
from splc.data.measurements import Measurements
from splc.errors import SpecError
from splc.formats.models.json import models_json_text
from splc.formats.models.log_writer import learned_log_text
from splc.formats.models.stored_model import learned_file
from splc.formats.models.text import model_text_file
from splc.learning import learn
from splc.models.basis.atom import call
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel(
    "small",
    (NumericOption("x", (0.5, 1.0, 1.7, 2.4, 3.5, 4.25, 6.6)), NumericOption("y", (0.0, 1.0)), BinaryOption("a")),
)
EVERYTHING = Space(SYSTEM).enumerate()
# Logarithms are terms without the setting.
OWN = [function for function in TABLE if function.base is None]


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
@pytest.mark.parametrize("function", OWN, ids=lambda function: function.name)
def test_learned_functions(function: Function, preset: str, tmp_path: Path) -> None:
    """A learner finds a function of an option, and logs, text and JSON give the same terms."""
    x, a = EVERYTHING.column("x"), EVERYTHING.column("a")
    target = 20 + 7 * function.values(x) + 3 * a * function.values(x)
    measured = Measurements(EVERYTHING, {"time": target})
    result = learn(measured, "time", preset=preset, settings={"functions": function.name})
    np.testing.assert_allclose(result.model.predict(EVERYTHING), target, rtol=1e-9)
    atom = call(function.name, "x").term
    assert atom in result.model.influences
    for name, text in (
        ("m.log", learned_log_text(result)),
        ("m.txt", model_text_file(result.model)),
        ("m.json", models_json_text(learned_file(result, "here", system=SYSTEM))),
    ):
        (tmp_path / name).write_text(text)
        found = read_model(tmp_path / name, SYSTEM)
        assert found.terms == result.model.terms, name


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
def test_functions_without_values(preset: str) -> None:
    """A function that has no value at a listed value of an option is not offered for this option."""
    system = VariabilityModel("signs", (NumericOption("x", (-1.0, 0.0, 1.0, 2.0)), NumericOption("y", (1.0, 4.0, 9.0))))
    everything = Space(system).enumerate()
    target = 9 + everything.column("x") + np.sqrt(everything.column("y"))
    result = learn(Measurements(everything, {"time": target}), "time", preset=preset, settings={"functions": "sqrt"})
    assert call("sqrt", "y").term in result.model.influences
    np.testing.assert_allclose(result.model.predict(everything), target, rtol=1e-9)


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
def test_unknown_functions(preset: str) -> None:
    """An unknown function is an error that names the nearest one."""
    measured = Measurements(EVERYTHING, {"time": 1 + EVERYTHING.column("x")})
    with pytest.raises(SpecError, match="'sqr' is no function; did you mean 'sqrt'"):
        learn(measured, "time", preset=preset, settings={"functions": "sqr"})
