"""`splc explain`."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc import read_measurements, read_variability_model
from splc.formats.models.read import write_model
from splc.formats.models.text import model_text_file
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning import learn
from splc.workflows import explain as workflow
from tests.cli.conftest import Run
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.real_data import real
from tests.support.strategies import models


def explained(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("explain", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["x264", "LLVM", "Dune"])
def test_real_systems(name: str, run: Run, tmp_path: Path) -> None:
    """Mean and deviation are those of all predictions of a learned model, and the shares add up."""
    system = read_variability_model(real(name, "FeatureModel.xml"))
    measured = read_measurements(real(name, "measurements.xml"), system)
    model = learn(measured, "Performance", preset="splconqueror").model
    write_model(model, tmp_path / "model.txt")
    found = explained(run, str(tmp_path / "model.txt"), "--system", str(real(name, "FeatureModel.xml")))
    predicted = model.predict(Space(system).enumerate())
    assert predicted.std() > 0
    assert found["deviation"] == pytest.approx(predicted.std(), rel=1e-6)
    assert found["mean"] == pytest.approx(predicted.mean(), rel=1e-9)
    assert sum(option["share"] for option in found["options"]) == pytest.approx(100)


@examples(20)
@given(data=st.data(), product=st.booleans())
def test_contributions_add_up(data: st.DataObject, product: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    """For any system, model and configurations, contributions add up (of a product: their exponentials multiply)."""
    system = data.draw(models(optional=False))
    space = Space(system)
    assume(space.count)
    everything = space.enumerate()
    model = data.draw(influence_models(system, least=2))
    # The text of a product without options, or with influences of 0 only, is a number, which is a sum.
    product = product and any(value != 0 and not term.options <= system.mandatory for term, value in model.terms)
    # A larger exponential is no number.
    product = product and bool((model.predict(everything) <= 700).all())
    folder = tmp_path_factory.mktemp("law")
    write_variability_model(system, folder / "system.xml")
    if product:
        model = replace(model, link="log")
    (folder / "model.txt").write_text(model_text_file(model), encoding="utf-8")
    one, other = (data.draw(st.integers(0, len(everything) - 1)) for _ in range(2))
    texts = [
        ",".join(f"{name}={value:g}" for name, value in everything.assignment(row).items()) for row in (one, other)
    ]
    predictions = model.predict(everything)
    file, description = str(folder / "model.txt"), str(folder / "system.xml")
    for against in (None, texts[1]):
        request = workflow.Request(model=file, system=description, configuration=texts[0], against=against)
        found = workflow.run(request).explained
        assert found is not None
        values = np.log(predictions) if product else predictions
        reference = values.mean() if against is None else values[other]
        assert found.predicted == pytest.approx(predictions[one])
        assert found.reference == pytest.approx(math.exp(reference) if product else reference, rel=1e-9, abs=1e-9)
        assert math.fsum(each.value for each in found.contributions) == pytest.approx(values[one], rel=1e-9, abs=1e-9)
        difference = values[one] - reference
        assert math.fsum(each.difference for each in found.contributions) == pytest.approx(
            difference, rel=1e-9, abs=1e-9 * max(1.0, abs(values).max())
        )
