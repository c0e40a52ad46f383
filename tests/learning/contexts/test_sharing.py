"""Learning the values of a context together: the joint model, contexts that are numbers, contrasts."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.formats.models.json import learned_json_text, parse_stored_json
from splc.io.files import Source
from splc.learning import learn
from splc.learning.contexts import sharing
from splc.learning.contexts.contrasts import ContextInfluences
from splc.learning.contexts.sharing import ALONE, ContextRows, JointModel, Sharing, fit_joint_model
from splc.learning.projection import Ensemble, ProjectionLearner, ProjectionSettings, variables_of
from splc.learning.result import LearningResult
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.formats.models.test_program import check
from tests.support.objects import present
from tests.support.real_data import real

SYSTEM = VariabilityModel("s", (*(BinaryOption(f"b{at}") for at in range(6)), NumericOption("n", (1.0, 2.0, 4.0, 8.0))))
SPACE = Space(SYSTEM).enumerate()
# The second version is twice as slow, b0 costs less there.
FACTOR, CHANGE = 2.0, 0.5


def _values(configurations: Configurations, version: str) -> Array:
    column = configurations.column
    found: Array = 10 * np.exp(0.8 * column("b0") + 0.5 * column("b1") - 0.4 * column("b2") * column("b3"))
    found = found * column("n") ** 0.5
    return found if version == "v1" else found * FACTOR * CHANGE ** column("b0")


def _rows(version: str, count: int, seed: int) -> ContextRows:
    generator = np.random.default_rng(seed)
    configurations = SPACE[np.sort(generator.permutation(len(SPACE))[:count])]
    values = _values(configurations, version) * np.exp(generator.normal(0, 0.02, count))
    return ContextRows(configurations, values, np.ones(count))


def _learned(sharing: Sharing, version: str, rows: ContextRows, fit: bool = True, **settings: Any) -> LearningResult:
    measured = Measurements(rows.configurations, {"time": rows.y})
    chosen = ProjectionLearner(ProjectionSettings(**settings), sharing.fit_of(version) if fit else None)
    return learn(measured, "time", learner=chosen)


def _error(result: LearningResult, version: str) -> float:
    true = _values(SPACE, version)
    return float(np.mean(np.abs(result.predict(SPACE) / true - 1)))


def _influences(parts: dict[str, ContextRows]) -> tuple[ContextInfluences, JointModel]:
    """Return the influences with each value, and the joint model."""
    joint = Sharing(parts).joint("v1", parts["v1"])
    influences = present(ContextInfluences.of_joint(joint))
    return influences, joint


@pytest.fixture(scope="module")
def few() -> Sharing:
    """Return many rows of one version and few of another one."""
    return Sharing({"v1": _rows("v1", 40, 1), "v2": _rows("v2", 12, 2)})


@pytest.fixture(scope="module")
def shared(few: Sharing) -> LearningResult:
    """Return the model of the version with few rows."""
    return _learned(few, "v2", few.parts["v2"])


def test_sharing_helps(few: Sharing, shared: LearningResult) -> None:
    """With few rows, a version is learned much better with the rows of another one; its printed model follows."""
    alone = _learned(few, "v2", few.parts["v2"], fit=False)
    assert np.mean(np.abs(shared.model.predict(SPACE) / _values(SPACE, "v2") - 1)) < 0.15
    assert _error(shared, "v2") < 0.5 * _error(alone, "v2")
    assert few.weights["v2"] < 0.1
    assert isinstance(shared.predictor, Ensemble)
    assert len(shared.predictor.configurations) == 52
    assert len(shared.predictor.own) == 12
    np.testing.assert_allclose(np.sort(shared.predictor.measured[shared.predictor.own]), np.sort(few.parts["v2"].y))


def test_order_of_rows(few: Sharing, shared: LearningResult) -> None:
    """The order of the rows and of the options does not matter."""
    order = np.random.default_rng(0).permutation(12)
    given = few.parts["v2"]
    turned = ContextRows(given.configurations[order], given.y[order], given.repetitions[order])
    mixed = Sharing({**few.parts, "v2": turned})
    found = _learned(mixed, "v2", turned).predict(SPACE)
    np.testing.assert_array_equal(found, shared.predict(SPACE))
    np.testing.assert_array_equal(_learned(mixed, "v2", given).predict(SPACE), found)


def test_unlike_values() -> None:
    """Versions with nothing in common are learned alone, and their full models are those without sharing."""
    generator = np.random.default_rng(4)
    other = _rows("v1", 20, 1)
    noise = replace(other, y=np.exp(generator.normal(0, 3, 20)))
    sharing = Sharing({"noise": noise, "v2": _rows("v2", 30, 2)})
    result = _learned(sharing, "v2", sharing.parts["v2"])
    assert sharing.weights["v2"] > ALONE
    alone = _learned(sharing, "v2", sharing.parts["v2"], fit=False)
    assert isinstance(alone.predictor, Ensemble)
    np.testing.assert_array_equal(result.predict(SPACE), replace(alone.predictor, stacked=None).predict(SPACE))


def test_rows_of_a_fold(few: Sharing) -> None:
    """A part of the rows, as in a fold, is learned with the other versions' rows, but without the rest of its own."""
    given = few.parts["v2"]
    part = ContextRows(given.configurations[:6], given.y[:6], given.repetitions[:6])
    found = _learned(few, "v2", part)
    fresh = _learned(Sharing({**few.parts, "v2": part}), "v2", part)
    np.testing.assert_array_equal(found.predict(SPACE), fresh.predict(SPACE))
    assert isinstance(found.predictor, Ensemble)
    assert len(found.predictor.own) == 6
    assert len(few.joint("v2", given).whole.data.y) == 52


@pytest.mark.parametrize("count", [2, 5, 12])
def test_json(count: int) -> None:
    """A stored model predicts the same, for two versions, several, and many that share a relevance."""
    parts = {f"v{at}": _rows("v1" if at % 2 else "v2", 8, at) for at in range(count)}
    sharing = Sharing(parts)
    for version in ("v0", f"v{count - 1}"):
        full = sharing.joint(version, parts[version]).of(version).ensemble
        content = json.loads(json.dumps(full.as_json()))
        again = Ensemble.from_json(content, SYSTEM)
        np.testing.assert_allclose(again.predict(SPACE), full.predict(SPACE), rtol=1e-12)
        np.testing.assert_allclose(again.interval(SPACE), full.interval(SPACE), rtol=1e-9)
    for damaged in ({"rows": [0]}, {"place": count}, {"rows": [count] * (8 * count)}):
        with pytest.raises(ValueError, match="context"):
            Ensemble.from_json({**content, "contexts": {**content["contexts"], **damaged}}, SYSTEM)


def test_intervals() -> None:
    """About 90 % of the values of a version lie in the intervals of its joint model."""
    inside = []
    for seed in range(2):
        sharing = Sharing({"v1": _rows("v1", 40, seed), "v2": _rows("v2", 16, 100 + seed)})
        low, high = sharing.joint("v2", sharing.parts["v2"]).of("v2").ensemble.interval(SPACE)
        noise = np.random.default_rng(seed).normal(0, 0.02, len(SPACE))
        values = _values(SPACE, "v2") * np.exp(noise)
        inside.append(float(np.mean((low <= values) & (values <= high))))
    assert 0.8 <= np.mean(inside) <= 0.99


def test_contrast() -> None:
    """The common factor and the influence that changed are found with their intervals; the others did not change."""
    influences, _ = _influences({"v1": _rows("v1", 60, 1), "v2": _rows("v2", 40, 2)})
    found = influences.contrast("v1", "v2")
    # The factor is that of the mean configuration, where b0 is selected in half of the cases.
    assert found.low < FACTOR * CHANGE**0.5 < found.high
    assert found.high / found.low < 1.2
    assert [each.option for each in found.settled][:1] == ["b0"]
    assert found.influences[0].low < CHANGE < found.influences[0].high
    back = influences.contrast("v2", "v1")
    assert back.factor == pytest.approx(1 / found.factor)


def test_variations() -> None:
    """Of several values, the option whose influence differs is first, with its influence at each value."""
    names = "v1", "v1b", "v2", "v1c"
    influences, joint = _influences({name: _rows(name[:2], 24, at) for at, name in enumerate(names)})
    first, *others = influences.variations()
    assert (first.option, first.settled) == ("b0", True)
    assert not any(each.settled for each in others)
    true = [math.exp(0.8) * (CHANGE if name == "v2" else 1) for name in influences.names]
    np.testing.assert_allclose(first.factors, true, rtol=0.1)
    assert ContextInfluences.of(replace(joint.of("v2").ensemble, parts=())) is None


def test_influences_of_stored_models() -> None:
    """The stored model of any version states the same intervals of changes."""
    found, joint = _influences({"v1": _rows("v1", 30, 1), "v2": _rows("v2", 12, 2), "v3": _rows("v1", 20, 3)})
    quantiles = set()
    for name in joint.names:
        stored = Ensemble.from_json(json.loads(json.dumps(joint.of(name).ensemble.as_json())), SYSTEM)
        again = present(ContextInfluences.of(stored))
        np.testing.assert_allclose(again.covariances, found.covariances, rtol=1e-6, atol=1e-12)
        assert again.rows == found.rows == (30, 12, 20)
        pair = present(ContextInfluences.of(stored, ("v1", "v2")))
        assert pair.contrast("v1", "v2").factor == pytest.approx(found.contrast("v1", "v2").factor, rel=1e-6)
        quantiles.add(stored.quantile)
    # Each has its own intervals of predictions, so that these are no test of equal models.
    assert len(quantiles) == len(joint.names)


def test_few_rows() -> None:
    """Changes are marked as uncertain between values one of which has fewer than two rows per option."""
    count = len(SYSTEM.options)
    parts = {"v1": _rows("v1", 30, 1), "v2": _rows("v2", 2 * count - 1, 2), "v3": _rows("v2", 2 * count, 3)}
    influences, _ = _influences(parts)
    assert len(influences.options) == count
    assert influences.contrast("v1", "v2").few_rows
    assert influences.contrast("v3", "v2").few_rows
    assert not influences.contrast("v1", "v3").few_rows
    assert influences.few_rows()


def _contexts(name: str, parent: str, count: int, seed: int) -> tuple[dict[str, ContextRows], dict[str, Any]]:
    """Return rows of real measurements by a group of options, which become a context, and the other rows."""
    system = read_variability_model(real(name, "FeatureModel.xml"))
    measured = read_measurements(real(name, "measurements.xml"), system).measured("Performance")
    group = [each.name for each in system.options if isinstance(each, BinaryOption) and each.parent == parent]
    rest = replace(system, options=tuple(each for each in system.options if each.name not in (parent, *group)))
    values = measured.column("Performance")
    generator = np.random.default_rng(100 + seed)
    parts, others = {}, {}
    for option in group:
        rows = generator.permutation(np.flatnonzero(measured.configurations.column(option) == 1))
        columns = {each.name: measured.configurations.column(each.name)[rows] for each in rest.options}
        configurations = Configurations.from_columns(rest, columns)
        parts[option] = ContextRows(configurations[:count], values[rows[:count]], np.ones(count))
        others[option] = (configurations[count:], values[rows[count:]])
    return parts, others


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parent", "count", "bound"),
    [("x264", "ref", 10, 0.012), ("Dune", "Cells", 20, 0.11)],
)
def test_real_systems(name: str, parent: str, count: int, bound: float) -> None:
    """The error of models of real systems, learned together by the values of a group, is below that of learning alone.

    The bounds are a quarter above the errors of a prototype of the method, which was judged on the same splits.
    """
    shared: list[float] = []
    alone: list[float] = []
    for seed in range(2):
        parts, others = _contexts(name, parent, count, seed)
        sharing = Sharing(parts)
        for value, rows in parts.items():
            configurations, true = others[value]
            for fit, errors in ((True, shared), (False, alone)):
                predicted = _learned(sharing, value, rows, fit=fit).predict(configurations)
                errors.append(float(np.mean(np.abs(predicted / true - 1))))
    assert np.mean(shared) <= bound
    assert np.mean(shared) < 0.8 * np.mean(alone)


def test_programs(few: Sharing, shared: LearningResult, tmp_path: Path) -> None:
    """Programs of a joint model predict the same."""
    assert few.weights["v2"] < ALONE
    stored = parse_stored_json(Source("m.json", learned_json_text(shared, SYSTEM).encode()))
    check(stored, SPACE[:40], tmp_path)


BITS = VariabilityModel("s", tuple(BinaryOption(f"b{at}") for at in range(10)))
ROWS_OF_BITS = Space(BITS).enumerate()


def _values_of_cores(cores: float, other: bool = False) -> Array:
    """Return values that fall with the number of cores; `other`: with levels that do not."""
    column = ROWS_OF_BITS.column
    level = 7 * (cores * 0.618 % 1) if other else -0.8 * np.log(cores)
    return np.asarray(np.exp(level + (0.6 + 0.1 * np.log(cores)) * column("b0") + 0.5 * column("b1")))


def _rows_of_cores(cores: float, count: int, other: bool = False) -> ContextRows:
    generator = np.random.default_rng(int(cores))
    places = np.sort(generator.permutation(len(ROWS_OF_BITS))[:count])
    noise = np.exp(generator.normal(0, 0.01, count))
    return ContextRows(ROWS_OF_BITS[places], _values_of_cores(cores, other)[places] * noise, np.ones(count))


def _numbers(joint: JointModel) -> tuple[float, ...]:
    return present(joint.whole.basis.context).numbers


def test_contexts_are_numbers() -> None:
    """The number of cores is a numeric context if values depend smoothly on it, and few rows suffice."""
    counts = (1, 2, 4, 8, 16)
    variables = variables_of(BITS)
    smooth = fit_joint_model({str(each): _rows_of_cores(each, 6) for each in counts}, variables)
    assert _numbers(smooth) == counts
    model = smooth.of("8").ensemble
    assert np.mean(np.abs(model.predict(ROWS_OF_BITS) / _values_of_cores(8) - 1)) < 0.05
    again = Ensemble.from_json(model.as_json(), BITS)
    np.testing.assert_allclose(again.predict(ROWS_OF_BITS), model.predict(ROWS_OF_BITS), rtol=1e-9)
    damaged = model.as_json()
    damaged["contexts"]["numbers"].pop()
    with pytest.raises(ValueError, match="numbers"):
        Ensemble.from_json(damaged, BITS)
    steps = fit_joint_model({str(each): _rows_of_cores(each, 20, other=True) for each in counts}, variables)
    assert _numbers(steps) == ()


def test_all_rows_of_the_poorest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more rows than the limit all of the context with the fewest are kept, the others are thinned alike."""
    monkeypatch.setattr(sharing, "ROWS_OF_MODEL", 100)
    joint = fit_joint_model(
        {name: _rows_of_cores(cores, count) for name, cores, count in (("a", 1, 70), ("b", 2, 70), ("c", 3, 40))},
        variables_of(BITS),
        "log",
    )
    assert [int((joint.places == place).sum()) for place in range(3)] == [30, 30, 40]


def test_outliers_have_little_weight() -> None:
    """One value that is far off changes predictions little; its repetitions stay those that are given."""
    parts = {"a": _rows_of_cores(1, 40), "b": _rows_of_cores(2, 12), "c": _rows_of_cores(5, 12)}
    y = parts["a"].y.copy()
    y[7] *= 20
    joint = fit_joint_model({**parts, "a": replace(parts["a"], y=y)}, variables_of(BITS))
    for name, cores in (("a", 1), ("b", 2), ("c", 5)):
        assert np.mean(np.abs(joint.of(name).ensemble.predict(ROWS_OF_BITS) / _values_of_cores(cores) - 1)) < 0.05
    np.testing.assert_allclose(joint.whole.data.repetitions, 1)
