"""`splc explain` and `splc optimize`: contributions that add up, and optima of systems that are too large to count."""

from __future__ import annotations

import itertools
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
from sampling.space import satisfiability
from splc import read_measurements, read_variability_model
from splc.formats.models.text import model_text_file
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning import learn
from splc.workflows import explain as workflow
from splc.workflows.explain.contributions import Explained
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
    (tmp_path / "model.txt").write_text(model_text_file(model), encoding="utf-8")
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
        found = workflow.run(request).found
        assert isinstance(found, Explained)
        values = np.log(predictions) if product else predictions
        reference = values.mean() if against is None else values[other]
        assert found.predicted == pytest.approx(predictions[one])
        assert found.reference == pytest.approx(math.exp(reference) if product else reference, rel=1e-9, abs=1e-9)
        assert math.fsum(each.value for each in found.contributions) == pytest.approx(values[one], rel=1e-9, abs=1e-9)
        difference = values[one] - reference
        assert math.fsum(each.difference for each in found.contributions) == pytest.approx(
            difference, rel=1e-9, abs=1e-9 * max(1.0, abs(values).max())
        )


needs_sat = pytest.mark.skipif(not satisfiability.is_installed(), reason="python-sat is not installed")
OPTIONS = 150


def clauses() -> list[list[int]]:
    """Return random clauses over all options, which no engine counts in a short time."""
    rng = np.random.default_rng(5)
    chosen = [rng.choice(OPTIONS, 3, replace=False) + 1 for _ in range(3 * OPTIONS)]
    return [(each * rng.choice([-1, 1], 3)).tolist() for each in chosen]


@pytest.fixture
def entangled(folder: Path) -> Path:
    """Return the project folder, whose system are options that random constraints connect."""
    rows = [" | ".join(f"{'!' * (literal < 0)}o{abs(literal)}" for literal in clause) for clause in clauses()]
    features = "".join(f"            o{number}\n" for number in range(1, OPTIONS + 1))
    constraints = "".join(f"    {row}\n" for row in rows)
    (folder / "system.xml").unlink()
    (folder / "measurements.csv").unlink()
    text = f"features\n    entangled\n        optional\n{features}constraints\n{constraints}"
    (folder / "entangled.uvl").write_text(text, encoding="utf-8")
    return folder


def optimum(influences: dict[tuple[int, ...], float]) -> float:
    """Return the least value of a model: each combination of its options is asked for."""
    from pysat.solvers import Cadical153

    used = sorted({option for options in influences for option in options})
    with Cadical153(bootstrap_with=clauses()) as solver:
        return min(
            sum(value for options, value in influences.items() if all(row[used.index(each)] > 0 for each in options))
            for row in itertools.product((-1, 1), repeat=len(used))
            if solver.solve(assumptions=[sign * option for sign, option in zip(row, used, strict=True)])
        )


@needs_sat
def test_the_optimum_is_exact(entangled: Path, run: Run) -> None:
    """The optimum of few terms over many connected options is found exactly, and the output says by what."""
    influences = {(1,): 3.0, (2, 3): -4.0, (4,): -1.5, (5, 6): 2.5, (7,): -2.0, (2,): 1.0, (3, 8): -2.5, (9, 1): -7.0}
    text = " + ".join(f"{value} * {' * '.join(f'o{each}' for each in key)}" for key, value in influences.items())
    (entangled / "model.txt").write_text(text, encoding="utf-8")
    found = run("optimize", "model.txt", "--json")
    assert found.exit_code == 0, found.stderr
    best = json.loads(found.stdout)
    assert best["predicted"] == pytest.approx(optimum(influences))
    assert (best["engine"], best["exhaustive"]) == ("MaxSAT (RC2)", True)
    row = {int(name[1:]) for name, value in best["configuration"].items() if value and name != "entangled"}
    assert all(any((each > 0) == (abs(each) in row) for each in clause) for clause in clauses())
    assert "exactly, by MaxSAT (RC2)" in run("optimize", "model.txt").stdout
    top = json.loads(run("optimize", "model.txt", "--top", "5", "--json").stdout)["top"]
    values = [each["predicted"] for each in top]
    assert values == sorted(values)
    used = sorted({option for options in influences for option in options})
    assert len({tuple(each["configuration"][f"o{number}"] for number in used) for each in top}) == 5


@needs_sat
def test_long_results_are_short(entangled: Path, run: Run) -> None:
    """Of hundreds of options the text has those of the model, and the next step no long command; `-v` lists all."""
    (entangled / "model.txt").write_text("2 * o1 - o2 * o3 - o4", encoding="utf-8")
    short = run("optimize", "model.txt")
    assert "more (-v lists all)" in short.stdout
    assert len(short.stdout.splitlines()) < 20
    assert "splc explain" not in short.stderr
    listed = run("optimize", "model.txt", "-v")
    assert len(listed.stdout.splitlines()) > 40
    # With few constraints: an engine would need seconds to count all of them.
    text = (entangled / "entangled.uvl").read_text(encoding="utf-8")
    (entangled / "entangled.uvl").write_text("\n".join(text.splitlines()[:-380]) + "\n", encoding="utf-8")
    described = run("describe")
    assert "-v lists all, --tree 3 shows the hierarchy" in described.stdout
    assert len(described.stdout.splitlines()) < 60
    assert len(run("describe", "-v").stdout.splitlines()) > OPTIONS
