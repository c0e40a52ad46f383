"""Tests of the joint model: contexts that are numbers, and the rows that it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sampling import Space
from splc.learning.contexts import sharing
from splc.learning.contexts.sharing import ContextRows, JointModel, fit_joint_model, numbers_of_contexts
from splc.learning.projection import Ensemble, variables_of
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array

SYSTEM = VariabilityModel("s", tuple(BinaryOption(f"b{at}") for at in range(10)))
SPACE = Space(SYSTEM).enumerate()


def _values(cores: float, other: bool = False) -> Array:
    """Return values that fall with the number of cores; `other`: with levels that do not."""
    column = SPACE.column
    level = 7 * (cores * 0.618 % 1) if other else -0.8 * np.log(cores)
    return np.asarray(np.exp(level + (0.6 + 0.1 * np.log(cores)) * column("b0") + 0.5 * column("b1")))


def _rows(cores: float, count: int, other: bool = False) -> ContextRows:
    generator = np.random.default_rng(int(cores))
    places = np.sort(generator.permutation(len(SPACE))[:count])
    noise = np.exp(generator.normal(0, 0.01, count))
    return ContextRows(SPACE[places], _values(cores, other)[places] * noise, np.ones(count))


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (("1", "2", "4", "8"), (1, 2, 4, 8)),
        (("8 GB", "16 GB", "32 GB", "0.5 GB"), (8, 16, 32, 0.5)),
        (("8 GB", "16 GB", "32 MB", "64 GB"), ()),
        (("1", "2", "4"), (1, 2, 4)),
        (("1", "2"), ()),
        (("-1", "0", "1"), (-1, 0, 1)),
        (("cells_50", "cells_51", "cells_55"), (50, 51, 55)),
        (("node-1", "node-2", "node-4"), (1, 2, 4)),
        (("v1", "v2", "v3", "v4"), ()),
        (("zstd-v1", "zstd-v2", "zstd-v3"), ()),
        (("Release 1", "Release 2", "Release 3"), ()),
        (("server_1", "server_2", "server_4"), (1, 2, 4)),
        (("v1.8", "v1.9", "v1.10"), ()),
        (("v1.8.2", "v1.9.0", "v2.0.1"), ()),
        (("ref_1", "ref_5", "deblock_9"), ()),
        (("1.8", "1.9", "1.10", "1.11"), ()),
        (("1", "2", "4", "4.0"), ()),
    ],
)
def test_numbers(names: tuple[str, ...], numbers: tuple[float, ...]) -> None:
    """Contexts are numbers if all have one, with one stem and one unit; versions and few contexts are not."""
    assert numbers_of_contexts(names) == numbers


def _numbers(joint: JointModel) -> tuple[float, ...]:
    assert joint.whole.basis.context is not None
    return joint.whole.basis.context.numbers


def test_contexts_are_numbers() -> None:
    """The number of cores is a numeric context if values depend smoothly on it, and few rows suffice."""
    counts = (1, 2, 4, 8, 16)
    variables = variables_of(SYSTEM)
    smooth = fit_joint_model({str(each): _rows(each, 6) for each in counts}, variables)
    assert _numbers(smooth) == counts
    model = smooth.of("8").ensemble
    assert np.mean(np.abs(model.predict(SPACE) / _values(8) - 1)) < 0.05
    again = Ensemble.from_json(model.as_json(), SYSTEM)
    np.testing.assert_allclose(again.predict(SPACE), model.predict(SPACE), rtol=1e-9)
    damaged = model.as_json()
    damaged["contexts"]["numbers"].pop()
    with pytest.raises(ValueError, match="numbers"):
        Ensemble.from_json(damaged, SYSTEM)
    steps = fit_joint_model({str(each): _rows(each, 20, other=True) for each in counts}, variables)
    assert _numbers(steps) == ()


def test_all_rows_of_the_poorest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more rows than the limit all of the context with the fewest are kept, the others are thinned alike."""
    monkeypatch.setattr(sharing, "ROWS_OF_MODEL", 100)
    joint = fit_joint_model(
        {name: _rows(cores, count) for name, cores, count in (("a", 1, 70), ("b", 2, 70), ("c", 3, 40))},
        variables_of(SYSTEM),
        "log",
    )
    assert [int((joint.places == place).sum()) for place in range(3)] == [30, 30, 40]


def test_outliers_have_little_weight() -> None:
    """One value that is far off changes predictions little; its repetitions stay those that are given."""
    parts = {"a": _rows(1, 40), "b": _rows(2, 12), "c": _rows(5, 12)}
    y = parts["a"].y.copy()
    y[7] *= 20
    joint = fit_joint_model({**parts, "a": replace(parts["a"], y=y)}, variables_of(SYSTEM))
    for name, cores in (("a", 1), ("b", 2), ("c", 5)):
        assert np.mean(np.abs(joint.of(name).ensemble.predict(SPACE) / _values(cores) - 1)) < 0.05
    np.testing.assert_allclose(joint.whole.data.repetitions, 1)
