"""`splc explain` and `splc optimize`: contributions that add up, and optima of systems that are too large to count."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from sampling.space import satisfiability
from splc.formats.models.text import model_text_file
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.workflows import explain as workflow
from splc.workflows.explain.contributions import Explained
from tests.cli.conftest import Run
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models


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
