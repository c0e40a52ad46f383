"""SMG2000: the analytical models say what the thesis says."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_measurements, read_model, read_variability_model
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.parameters import read_parameters
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.text.products import Expansion
from splc.models.text.reader import expand_text
from tests import test_documentation as documentation
from tests.support.paths import SMG2000

DIMENSIONS = ("1d", "2d", "3d")
TOPOLOGY = {"1d": ("px",), "2d": ("px", "py"), "3d": ("px", "py", "pz")}
FILES = ("parameters.toml", "parameters-thesis.toml")

# Section 3.1.2 of the thesis, multiplied out, term by term as printed there.
THESIS_1D = """(2 * log2(px) * alpha + 2 * log2(nx) * alpha + 2 * log2(px) * beta + 2 * log2(nx) * beta + 6 * nx * f)"""
THESIS_2D = """(
    4 * log2(py) * log2(px) * alpha + 4 * log2(py) * log2(nx) * alpha + 4 * log2(nx) * log2(px) * alpha
    + 4 * log2(nx) * log2(nx) * alpha + 4 * log2(py) * alpha + 4 * log2(nx) * alpha + 4 * nx * log2(nx) * beta
    + 4 * nx * log2(px) * beta + 4 * nx * log2(nx) * beta + 4 * nx * log2(py) * beta + 20 * nx * nx * f)"""
THESIS_3D = """(
    4 * log2(pz) * alpha + 8 * log2(nx) * alpha + 8 * log2(pz) * log2(py) * log2(px) * alpha
    + 8 * log2(pz) * log2(py) * log2(nx) * alpha + 8 * log2(pz) * log2(nx) * log2(px) * alpha
    + 8 * log2(pz) * log2(nx)^2 * alpha + 8 * log2(nx) * log2(py) * log2(px) * alpha
    + 8 * log2(nx)^2 * log2(py) * alpha + 8 * log2(nx)^3 * alpha
    + 8 * log2(pz) * log2(py) * alpha + 8 * log2(pz) * log2(nx) * alpha
    + 8 * log2(nx) * log2(py) * alpha + 8 * log2(nx)^2 * alpha
    + 4 * nx^2 * log2(pz) * beta + 4 * nx^2 * log2(nx) * beta + 8 * nx^2 * log2(px)
    + 8 * nx^2 * log2(nx) + 8 * nx^2 * log2(py) + 8 * nx^2 * log2(nx)
    + 48 * nx^3 * f)"""
# What has to be added to the printed 3-D form, one correction per line.
CORRECTIONS = (
    "-4 * log2(nx) * alpha",  # the printed 8 log2(nx) alpha is 4 log2(nx) alpha
    "8 * log2(nx)^2 * log2(px) * alpha",  # missing
    "8 * nx^2 * log2(px) * beta - 8 * nx^2 * log2(px)",  # printed without beta
    "8 * nx^2 * log2(nx) * beta - 8 * nx^2 * log2(nx)",  # printed without beta
    "8 * nx^2 * log2(py) * beta - 8 * nx^2 * log2(py)",  # printed without beta
    "8 * nx^2 * log2(nx) * beta - 8 * nx^2 * log2(nx)",  # printed without beta, a second time
)
PRINTED = {"1d": THESIS_1D, "2d": THESIS_2D, "3d": THESIS_3D}
# Table 5.4 of the thesis: nodes, latency in ns, inverse bandwidth in ns per double.
TABLE_5_4 = (
    (1, 290, 9.15),
    (2, 7866, 39.21),
    (3, 6856, 57.55),
    (4, 11625, 60.60),
    (5, 12941, 65.57),
    (6, 13735, 68.37),
    (7, 13754, 70.79),
)


def formula(dimension: str, at: dict[str, float], alpha: float, beta: float, f: float) -> float:
    """Return the compact form of section 3.1.2 in plain Python."""
    n = at["nx"]
    lx, ly, lz = (math.log2(at.get(p, 1) * n) for p in ("px", "py", "pz"))
    if dimension == "1d":
        return 2 * lx * alpha + 2 * lx * beta + 6 * n * f
    if dimension == "2d":
        return 4 * ly * (lx + 1) * alpha + 4 * n * (lx + ly) * beta + 20 * n**2 * f
    return 4 * lz * (1 + 2 * ly * (lx + 1)) * alpha + 4 * n**2 * (lz + 2 * lx + 2 * ly) * beta + 48 * n**3 * f


@cache
def shipped(dimension: str) -> Expansion:
    """Return the expansion of analytical.txt, with its parameters as names."""
    return expand_text((SMG2000 / dimension / "analytical.txt").read_text(encoding="utf-8"), None)


def difference(one: Expansion, other: Expansion) -> set[str]:
    """Return the terms whose coefficients differ by more than rounding."""
    terms = {*one, *other}
    return {t.text() for t in terms if not math.isclose(one.get(t, 0.0), other.get(t, 0.0), rel_tol=1e-12)}


def value(expansion: Expansion, at: dict[str, float]) -> float:
    """Return the value of an expansion at one point."""
    return math.fsum(c * float(term.evaluate(lambda name: np.array([at[name]]))[0]) for term, c in expansion.items())


def model_of(dimension: str, parameters: Parameters) -> InfluenceModel:
    """Return the analytical model of a folder with these parameters."""
    system = read_variability_model(SMG2000 / dimension / "system.xml")
    return read_model(SMG2000 / dimension / "analytical.txt", system, parameters=parameters)


def measured(dimension: str) -> Measurements:
    """Return the committed measurements of a folder."""
    system = read_variability_model(SMG2000 / dimension / "system.xml")
    return read_measurements(SMG2000 / dimension / "measurements.csv", system)


def processes(dimension: str, configurations: Configurations) -> Any:
    """Return the number of processes per configuration, shape (n,)."""
    return np.prod([configurations.value(name) for name in TOPOLOGY[dimension]], axis=0)


def oracle(dimension: str, configurations: Configurations, name: str) -> list[float]:
    """Return the predictions at configurations by the plain formula, with what a file of parameters should hold."""
    predicted = []
    for row, p in enumerate(processes(dimension, configurations)):
        alpha, beta, f = 0.144e-6, 1.28e-9, 0.0195e-9
        if name == "parameters-thesis.toml":
            nodes = min(7, math.ceil(p / 4))
            alpha, beta, f = TABLE_5_4[nodes - 1][1] * 1e-9, TABLE_5_4[nodes - 1][2] * 1e-9, 0.039e-9
        if p == 1:
            alpha = beta = 0.0
        predicted.append(formula(dimension, configurations.assignment(row), alpha, beta, f))
    return predicted


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_expansion_is_the_one_of_the_thesis(dimension: str) -> None:
    """The models, multiplied out, are the thesis' expanded forms term by term, of the 3-D one without its misprints."""
    ours = shipped(dimension)
    theirs = expand_text(
        "(" + "\n+ ".join((PRINTED[dimension], *(CORRECTIONS if dimension == "3d" else ()))) + ")", None
    )
    assert ours.keys() == theirs.keys()
    assert difference(ours, theirs) == set()


@pytest.mark.parametrize("dimension", DIMENSIONS)
@given(
    p=st.tuples(*[st.integers(1, 4096)] * 3), n=st.integers(1, 10**7), machine=st.tuples(*[st.floats(1e-12, 1e-3)] * 3)
)
def test_expansion_has_the_values_of_the_formula(
    dimension: str, p: tuple[int, int, int], n: int, machine: tuple[float, float, float]
) -> None:
    """The expansions have the values of the compact forms at random points."""
    at = {"nx": float(n), **dict(zip(("px", "py", "pz"), map(float, p), strict=True))}
    symbols = dict(zip(("alpha", "beta", "f"), machine, strict=True))
    wanted = formula(dimension, at, **symbols)
    assert value(shipped(dimension), {**at, **symbols}) == pytest.approx(wanted, rel=1e-12, abs=0)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_parameters_of_the_thesis_are_those_of_its_table(dimension: str) -> None:
    """The thesis' parameters are table 5.4 in seconds, 0 for sequential runs, and the middle row is 4 nodes."""
    parameters = read_parameters(SMG2000 / dimension / "parameters-thesis.toml")
    found = parameters.quantities
    assert found["f"] == Quantity.exactly(0.039e-9)
    for name, column in (("alpha", 1), ("beta", 2)):
        table = found[name]
        assert isinstance(table, ParameterTable)
        assert table.by == "nodes"
        assert [key for key, _ in table.rows] == [0, 1, 2, 3, 4, 5, 6, 7]
        values = [0.0, *(row[column] * 1e-9 for row in TABLE_5_4)]
        assert [quantity.value for _, quantity in table.rows] == pytest.approx(values, rel=1e-15, abs=0)
    tabled = model_of(dimension, parameters).parameters
    assert {each.name: each.keys[each.middle] for each in tabled} == {"alpha": 4, "beta": 4}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_every_measured_configuration_is_predicted(dimension: str, name: str) -> None:
    """Predictions of all measured configurations are those of the plain formula with the machine's numbers."""
    configurations = measured(dimension).configurations
    predicted = model_of(dimension, read_parameters(SMG2000 / dimension / name)).predict(configurations)
    assert predicted == pytest.approx(oracle(dimension, configurations, name), rel=1e-12, abs=0)


def test_readme_shows_what_its_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the README runs and prints what is shown below it."""
    documentation.test_commands_give_what_the_page_shows(SMG2000 / "README.md", tmp_path, monkeypatch)
