"""The verbs on values in memory."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import splc
from splc.errors import SpecError, SplcError, VariabilityError
from tests.support.paths import SMG2000


@cache
def known() -> splc.VariabilityModel:
    """Return a system of each kind of option."""
    return splc.VariabilityModel.of({"x": [1, 2, 3, 4, 5, 6], "tls": bool, "codec": ["a", "b"]})


@cache
def grid() -> splc.Configurations:
    """Return its configurations."""
    return splc.Space(known()).enumerate()


@cache
def columns() -> dict[str, Any]:
    """Return a table of measurements of all of them."""
    x, tls, codec = (grid().value(name) for name in ("x", "tls", "codec_a"))
    values = {"time": 10 + 3 * x + 5 * tls, "size": 20 - 2 * x, "version": ["1"] * len(grid())}
    return {"x": x, "tls": tls, "codec": np.where(codec == 1, "a", "b"), **values}


def test_learning_from_a_table() -> None:
    """A table gives what its measurements give, with a system or with the inferred one; `where` selects rows."""
    result = splc.learn(columns(), "time", system=known())
    measured = splc.Measurements.from_frame(known(), columns())
    assert result.model == splc.learn(measured, "time").model
    assert result.system == known()
    inferred = splc.learn(columns(), "time", options="codec", ignore="size")
    assert inferred.system is not None
    assert inferred.model.predict(columns()) == pytest.approx(columns()["time"])
    both = {name: [*values, *values] for name, values in columns().items()}
    both["version"] = ["1"] * len(grid()) + ["2"] * len(grid())
    both["time"][len(grid()) :] = [2 * value for value in columns()["time"]]
    second = splc.learn(both, "time", system=known(), where={"version": "2"})
    assert second.predict(grid()) == pytest.approx(2 * result.predict(grid()), rel=1e-6)
    with pytest.raises(SplcError, match="the context 'version' has 2 values"):
        splc.learn(both, "time", system=known())


def test_learning_from_a_file() -> None:
    """A path is read as the commands read it; settings are those of `splc.learning.learn`."""
    case = SMG2000 / "2d"
    system = splc.read_variability_model(case / "system.xml")
    result = splc.learn(case / "measurements.csv", "solve_compute_seconds", "splconqueror", system=system, seed=3)
    measured = splc.read_measurements(case / "measurements.csv", system)
    assert result.model == splc.learning.learn(measured, "solve_compute_seconds", "splconqueror").model
    assert result.seed == 3


@pytest.mark.parametrize("preset", [None, "splconqueror"])
def test_optimizing(preset: str | None) -> None:
    """The best configurations are those of a search of all valid ones, by the full model where there is one."""
    result = splc.learn(columns(), "time", preset, system=known())
    predicted = result.predict(grid())
    for maximize in (False, True):
        found = splc.optimize(result, count=3, maximize=maximize)
        values = np.sort(-predicted if maximize else predicted)
        # Configurations that differ only in options without a use are one.
        best = values[:3] if preset is None else np.unique(values.round(9))[:3]
        assert np.abs(found.predicted[0]) == pytest.approx(np.abs(best))
        assert result.predict(found.configurations) == pytest.approx(found.predicted[0])
    fixed = splc.optimize(result, splc.Space(known()), fixed={"tls": True, "codec": "b"})
    assert fixed.configurations.value("tls") == [1]
    assert fixed.predicted[0] == pytest.approx(predicted[(columns()["tls"] == 1) & (columns()["codec"] == "b")].min())


def test_the_front_of_several_models() -> None:
    """Of several models it is the Pareto front; a model may be a formula."""
    result = splc.learn(columns(), "time", system=known())
    size = splc.parse_model("20 - 2 * x", known())
    front = splc.optimize([result, size])
    assert sorted(front.configurations.value("x")) == [1, 2, 3, 4, 5, 6]
    assert splc.optimize([result, size], maximize=[False, True]).configurations.value("x") == [1]
    formulas = splc.optimize([splc.parse_model("x", known()), size], splc.Space(known()))
    assert sorted(formulas.configurations.value("x")) == [1, 2, 3, 4, 5, 6]


def test_explaining() -> None:
    """The options of a result and of its printed model have the same order of importance here."""
    result = splc.learn(columns(), "time", system=known())
    assert [each.name for each in splc.explain(result).options][:2] == ["x", "tls"]
    assert [each.name for each in splc.explain(result.model, splc.Space(known())).options][:2] == ["x", "tls"]


def test_refused() -> None:
    """A model without a space, wrong counts and impossible values are refused."""
    model = splc.parse_model("x", known())
    result = splc.learn(columns(), "time", system=known())
    with pytest.raises(SpecError, match="needs a space"):
        splc.optimize(model)
    with pytest.raises(SpecError, match="needs a space"):
        splc.explain(model)
    with pytest.raises(SpecError, match="2 models, but 1 values of maximize"):
        splc.optimize([result, model], maximize=[True])
    for each in (result, model):
        with pytest.raises(SpecError, match="must be at least 1, not 0"):
            splc.optimize(each, splc.Space(known()), 0)
    with pytest.raises(VariabilityError):
        splc.optimize(result, fixed={"codec_a": True, "codec_b": True})
    with pytest.raises(SplcError, match=r"nothing\.csv"):
        splc.learn(Path("nothing.csv"), "time")


def test_scaling_models() -> None:
    """`splc.scale` is `splc.scaling.fit`."""
    assert splc.scale is splc.scaling.fit
