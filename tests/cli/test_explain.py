"""`splc explain`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
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
from tests.support.paths import SMG2000
from tests.support.real_data import real
from tests.support.strategies import models

Refused = Callable[..., str]
PRODUCT = "exp(1 + 0.5 * cache * x + 2 * left)\n"


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a sum into the project folder."""
    (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")


def explained(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("explain", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


class TestModel:
    def test_a_product(self, run: Run, folder: Path) -> None:
        """Shares of a product are about its logarithm, and effects are factors."""
        (folder / "model.txt").write_text(PRODUCT, encoding="utf-8")
        found = explained(run, "model.txt")
        assert found["link"] == "log"
        logarithms = [1 + 0.5 * cache * x + 2 * left for cache, left in ((0, 0), (0, 1), (1, 1)) for x in (1, 2, 4)]
        assert found["mean"] == pytest.approx(math.exp(np.mean(logarithms)))
        values = {option["name"]: option["values"] for option in found["options"]}
        assert values["left|right"][0]["value"] == "left"
        (left,) = (value for value in values["left|right"] if value["value"] == "left")
        assert left["mean"] == pytest.approx(math.exp(3 + 0.5 * 0.5 * 7 / 3))
        changes = {value["value"]: value["change"] for value in values["left|right"]}
        assert changes["right"] == pytest.approx(math.exp(-2))
        text = run("explain", "model.txt").stdout
        assert "geometric mean over all valid configurations" in text
        assert "× 0.1353" in text

    @pytest.mark.real_data
    @pytest.mark.parametrize("name", ["x264", "LLVM", "Dune"])
    def test_real_systems(self, name: str, run: Run, tmp_path: Path) -> None:
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


class TestConfiguration:
    def test_relative_to_the_mean(self, run: Run) -> None:
        """The contributions add up to the prediction, the differences to that from the mean."""
        found = explained(run, "model.txt", "cache,left,x=4")
        assert found["configuration"] == {"cache": 1, "left": 1, "right": 0, "x": 4}
        assert (found["against"], found["predicted"]) == (None, 2.0)
        assert found["reference"] == pytest.approx(explained(run, "model.txt")["mean"])
        assert sum(term["contribution"] for term in found["terms"]) == pytest.approx(2)
        assert {term["term"]: term["contribution"] for term in found["terms"]} == pytest.approx(
            {"1": 20, "cache": -10, "x": -8, "right * x": 0}
        )
        assert sum(term["difference"] for term in found["terms"]) == pytest.approx(2 - found["reference"])
        sizes = [abs(term["difference"]) for term in found["terms"]]
        assert sizes == sorted(sizes, reverse=True)
        lines = run("explain", "model.txt", "cache,left,x=4").stdout.splitlines()
        assert lines[0].startswith("predicted 2; 0.157 times the mean over all valid configurations, most by ")
        assert lines[2].split() == ["prediction", "2"]
        assert lines[-1].split() == ["sum", "2", "12.7778", "-10.7778"]

    def test_a_product(self, run: Run, folder: Path) -> None:
        """The factors of a product multiply to the ratio of the predictions."""
        (folder / "model.txt").write_text(PRODUCT, encoding="utf-8")
        found = explained(run, "model.txt", "cache,left,x=4", "--against", "right,x=1")
        assert found["predicted"] == pytest.approx(math.exp(5))
        assert math.prod(term["factor"] for term in found["terms"]) == pytest.approx(math.exp(4))
        rows = [line.split() for line in run("explain", "model.txt", "left,x=4").stdout.splitlines()]
        assert rows[-1][:2] == ["product", "20.0855"]

    def test_files(self, run: Run, refused: Refused, folder: Path) -> None:
        """A configuration may be a CSV file of one distinct row, or standard input."""
        table = "cache,left,right,x\n1,1,0,4\n1,1,0,4\n"
        (folder / "one.csv").write_text(table, encoding="utf-8")
        assert explained(run, "model.txt", "one.csv")["predicted"] == 2
        assert json.loads(run("explain", "model.txt", "-", "--json", stdin=table).stdout)["predicted"] == 2
        message = refused("explain", "model.txt", "measurements.csv")
        assert "measurements.csv: the file has 9 different configurations, one is needed" in message
        assert "none.csv: there is no such file" in refused("explain", "model.txt", "none.csv")


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


def test_the_case_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the case study the size of the grid explains most of the computing time."""
    monkeypatch.chdir(SMG2000 / "2d")
    log = str(tmp_path / "learned.log")
    run("learn", "--property", "solve_compute_seconds", "--learner", "stepwise", "-o", log)
    first = explained(run, log)["options"][0]
    assert first["name"] == "nx"
    assert first["share"] > 60
