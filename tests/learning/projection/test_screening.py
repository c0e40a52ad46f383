"""Systems of many more options than rows."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.projection import constants
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.full_model import FullModel, fit_full_model
from splc.learning.projection.kernel import KernelDesign
from splc.learning.projection.screening import screened_blocks
from splc.learning.projection.search import search_hyperparameters, start_of
from splc.learning.projection.variables import variables_of
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import group

ROWS, OPTIONS = 60, 1000


def signs(rows: int, options: int) -> Array:
    """Return columns of ±1."""
    drawn: Array = np.random.default_rng(0).choice([-1.0, 1.0], (rows, options))
    return drawn


def design_of(columns: Array, unscreened: int = 0) -> KernelDesign:
    """Return the design of a block for each column."""
    return KernelDesign.of(list(columns.T[:, :, None]), unscreened=unscreened)


def full_model(columns: Array, y: Array) -> FullModel:
    """Return the full model of binary options with these columns."""
    system = VariabilityModel("many", tuple(BinaryOption(f"o{at}") for at in range(columns.shape[1])))
    values = {f"o{at}": column for at, column in enumerate((columns.T > 0).astype(float))}
    return fit_full_model(Configurations.from_columns(system, values), y, variables_of(system), tested=False)


@pytest.mark.parametrize(("rows", "options"), [(20, constants.SCREENED), (150, 300), (100, 200)])
def test_usual_sizes_are_not_screened(rows: int, options: int) -> None:
    """A search is about all options if there are at most 200, or at most two for each row."""
    columns = signs(rows, options)
    assert screened_blocks(design_of(columns), columns[:, 0]) is None


def test_options_that_matter_are_kept() -> None:
    """Forward regression keeps small effects beside large ones; the copies of the best column come first, too."""
    columns = signs(ROWS, OPTIONS)
    columns[:, 900] = columns[:, 10]
    y = 40 * columns[:, 10] + 10 * columns[:, 500] + 3 * columns[:, 700]
    blocks = screened_blocks(design_of(columns), (y - y.mean()) / y.std())
    assert blocks is not None
    assert len(blocks) == len(set(blocks.tolist())) == constants.SCREENED
    assert {10, 500, 700, 900} <= set(blocks.tolist())


def test_blocks_of_a_context_are_kept() -> None:
    """The last blocks of a design stay, whatever the values are."""
    columns = signs(ROWS, OPTIONS)
    last = []
    for unscreened in (0, 1):
        blocks = screened_blocks(design_of(columns, unscreened), columns[:, 0])
        assert blocks is not None
        last.append(int(blocks[-1]))
    assert last[0] < last[1] == OPTIONS - 1


def test_other_options_have_no_relevance() -> None:
    """The search is about the screened blocks; all others have the smallest relevance."""
    columns = signs(ROWS, OPTIONS)
    design, z = design_of(columns), columns[:, 3] / columns[:, 3].std()
    found = search_hyperparameters(design, z - z.mean(), np.ones(ROWS), start_of(OPTIONS, OPTIONS), 10)
    blocks = screened_blocks(design, z - z.mean())
    assert blocks is not None
    lowest = constants.BOUNDS["relevance"][0]
    others = np.setdiff1d(np.arange(OPTIONS), blocks)
    assert (found.logarithms[others] == lowest).all()
    assert found.logarithms[:-4].argmax() == 3


def test_folds_are_screened_without_their_rows() -> None:
    """Noise is not explained outside of the folds, however many options fit it: screening is repeated in each fold."""
    noise = np.exp(0.2 * np.random.default_rng(1).normal(size=ROWS))
    refits = full_model(signs(ROWS, OPTIONS), noise).refits
    assert refits is not None
    assert refits.explained < 0.1


def test_the_model_has_the_searched_options_only() -> None:
    """Options that no search was about are in no part of the model; its predictions are those of its JSON."""
    columns = signs(ROWS, OPTIONS)
    found = full_model(columns, 100 + 40 * columns[:, 10] + 10 * columns[:, 500])
    names = {variable.name for variable in found.basis.variables}
    assert {"o10", "o500"} <= names
    assert len(names) < OPTIONS
    again = Ensemble.from_json(found.ensemble.as_json(), found.configurations.system)
    np.testing.assert_allclose(again.predict(found.configurations), found.predict(found.configurations), rtol=1e-9)


@pytest.mark.parametrize(
    ("count", "others", "size", "limits"),
    [(8, 150, 50, {"SCREENED": 30, "SINGLE_GROUPS": 100}), pytest.param(150, 2250, 100, {}, marks=pytest.mark.slow)],
)
def test_thousands_of_options(
    count: int, others: int, size: int, limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of 3,000 options, 600 of them in numbered groups, is learned from 100 rows in a minute of CPU time."""
    for name, limit in limits.items():
        monkeypatch.setattr(constants, name, limit)
    rng = np.random.default_rng(2)
    parents = [f"g{at}" for at in range(count)]
    free = [f"b{at}" for at in range(others)]
    groups = [replace(each, parent=parent) for parent in parents for each in group(*_members(parent))]
    system = VariabilityModel("huge", (*map(BinaryOption, parents), *groups, *map(BinaryOption, free)))
    values = {name: rng.integers(0, 2, 1100).astype(float) for name in (*parents, *free)}
    for parent in parents:
        picked = rng.integers(0, 4, 1100)
        values |= {name: values[parent] * (picked == at) for at, name in enumerate(_members(parent))}
    y = 50 + 40 * values["b7"] + 25 * values["b70"] + 15 * values[free[-90]] + 10 * values["g7"] + 5 * values[free[-9]]
    y *= np.exp(0.01 * rng.normal(size=len(y)))
    configurations = Configurations.from_columns(system, values)
    measured = Measurements.from_columns(
        system, {name: column[:size] for name, column in (values | {"time": y}).items()}
    )
    started = time.process_time()
    result = learn(measured, "time")
    assert time.process_time() - started < 60
    predicted = result.predict(configurations[size:])
    assert float(np.mean(abs(predicted - y[size:]) / y[size:])) < 0.03


def _members(parent: str) -> tuple[str, ...]:
    return tuple(f"{parent}_{number}" for number in (1, 2, 4, 9))
