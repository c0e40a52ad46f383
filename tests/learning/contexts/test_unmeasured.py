"""Tests of contexts of which nothing was measured."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import splc
from sampling import Space
from splc.errors import LearningError, RequestError, SpecError
from splc.formats.models.json import parse_stored_json
from splc.formats.models.json_writer import learned_json_text
from splc.io.files import Source
from splc.learning import learn
from splc.learning.contexts.contrasts import joint_ensemble
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.unmeasured_context import UnmeasuredContext
from splc.learning.contexts.unmeasured_model import UnmeasuredContextFit
from splc.learning.projection import Ensemble, ProjectionLearner, ProjectionSettings
from splc.learning.result import LearningResult
from splc.models.basis.regression import t_quantile
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.learn import Request, contexts, unmeasured

SYSTEM = VariabilityModel("s", tuple(BinaryOption(f"b{at}") for at in range(6)))
SPACE = Space(SYSTEM).enumerate()


def _shape(change: float = 0.0) -> Array:
    column = SPACE.column
    found: Array = 0.8 * column("b0") + (0.5 + change) * column("b1") - 0.4 * column("b2") * column("b3")
    return found


def _rows(level: float, change: float, count: int, seed: int) -> ContextRows:
    generator = np.random.default_rng(seed)
    rows = np.sort(generator.permutation(len(SPACE))[:count])
    y = np.exp(level + _shape(change)[rows] + generator.normal(0, 0.01, count))
    return ContextRows(SPACE[rows], y, np.ones(count))


def _learned(sharing: Sharing, name: str) -> tuple[UnmeasuredContextFit, LearningResult]:
    fit = UnmeasuredContextFit(sharing, name)
    learner = ProjectionLearner(ProjectionSettings(scale="log"), fit)
    return fit, learn(fit.levelled("time"), "time", learner=learner)


@pytest.fixture(scope="module")
def sharing() -> Sharing:
    """Return the rows of four versions of different levels."""
    levels = {"v1": 1.0, "v2": 1.4, "v3": 0.8, "v4": 1.2}
    return Sharing({name: _rows(level, 0.05 * at, 20, at) for at, (name, level) in enumerate(levels.items())})


def test_mean_and_intervals(sharing: Sharing) -> None:
    """The prediction is the geometric mean of the contexts, its interval that of a further draw of their population."""
    fit, result = _learned(sharing, "v5")
    true = np.exp(1.1 + _shape(0.075))
    np.testing.assert_allclose(result.predict(SPACE), true, rtol=0.05)
    assert isinstance(result.intervals, UnmeasuredContext)
    low, high = result.intervals.interval(SPACE)
    levels = np.array([1.0, 1.4, 0.8, 1.2])
    reach = t_quantile(3, 0.95) * np.sqrt(1.25) * levels.std(ddof=1)
    assert np.all(np.log(high / low) / 2 > 0.8 * reach)
    assert np.median(np.log(high / low) / 2) < 1.4 * reach
    # What varies between levels is no error of the order.
    assert result.cross_validated is not None
    assert result.cross_validated.mean < 5
    np.testing.assert_allclose(result.model.predict(SPACE), true, rtol=0.1)
    assert "the order of configurations is predicted" in fit.notes("version")[0]
    assert len(fit.notes("version")) == 1


def test_file(sharing: Sharing) -> None:
    """A file predicts as the result does, and has the rows of the contexts."""
    _, result = _learned(sharing, "v5")
    stored = parse_stored_json(Source("m.json", learned_json_text(result, SYSTEM).encode()))
    assert stored.basis_of_unmeasured
    np.testing.assert_allclose(stored.predictor.predict(SPACE), result.predict(SPACE), rtol=1e-9)
    assert stored.intervals is not None
    assert result.intervals is not None
    np.testing.assert_allclose(stored.intervals.interval(SPACE), result.intervals.interval(SPACE), rtol=1e-9)
    joint = joint_ensemble(stored.full)
    assert joint is not None
    assert len(joint.measured) == 80


@pytest.mark.parametrize(("count", "text"), [(1, "from one"), (2, "from two")])
def test_few_contexts(sharing: Sharing, count: int, text: str) -> None:
    """Of fewer than three contexts it is said that a factor cannot be estimated."""
    parts = dict(list(sharing.parts.items())[:count])
    fit, result = _learned(Sharing(parts), "v5")
    assert any("factor" in note and text in note for note in fit.notes("version"))
    assert np.isfinite(result.predict(SPACE)).all()
    assert result.intervals is not None
    assert np.isfinite(result.intervals.interval(SPACE)).all()


def test_numbers() -> None:
    """A number between measured ones is predicted as a number, with its own level."""
    parts = {str(cores): _rows(2 - np.log(cores), 0.0, 12, cores) for cores in (1, 4, 8, 16)}
    fit, result = _learned(Sharing(parts), "12")
    assert fit.number == 12
    assert isinstance(result.predictor, Ensemble)
    np.testing.assert_allclose(result.predict(SPACE), np.exp(2 - np.log(12) + _shape()), rtol=0.05)
    stored = parse_stored_json(Source("m.json", learned_json_text(result, SYSTEM).encode()))
    np.testing.assert_allclose(stored.predictor.predict(SPACE), result.predict(SPACE), rtol=1e-9)


def test_measured(sharing: Sharing) -> None:
    """A context with rows, and values that are not positive, are refused."""
    with pytest.raises(LearningError, match="has measurements"):
        UnmeasuredContextFit(sharing, "v1")
    rows = sharing.parts["v1"]
    with pytest.raises(LearningError, match="positive"):
        UnmeasuredContextFit(Sharing({"v1": dataclasses.replace(rows, y=rows.y - 5)}), "v5")


@pytest.fixture
def table(sharing: Sharing, tmp_path: Path) -> Path:
    """Return a table of two versions."""
    lines = ["version,b0,b1,b2,b3,b4,b5,time"]
    for name, part in [*sharing.parts.items()][:2]:
        columns = [part.configurations.column(option.name).astype(int) for option in SYSTEM.options]
        lines += [
            f"{name},{','.join(map(str, row))},{y}" for row, y in zip(np.column_stack(columns), part.y, strict=True)
        ]
    file = tmp_path / "versions.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_workflows(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--by --share` and `--from` learn a value without rows alike, and write it."""
    monkeypatch.chdir(table.parent)
    request = contexts.Request(measurements="versions.csv", by="version", share=True, context=("version=v5",))
    found = contexts.run(request)
    assert [*found.models] == ["v1", "v2"]
    files = tuple(f"learned-v{at}.json" for at in (1, 2))
    model = found.unmeasured["v5"]
    assert model.companion == "learned-v5.json"
    assert any("order of configurations" in note.text for note in model.notes)
    single = unmeasured.run(Request(sources=files[:1], context=("version=v5",), output="v5.json"))
    space = single.measured.configurations
    np.testing.assert_allclose(single.result.predict(space), model.result.predict(space), rtol=1e-6)


def test_function(table: Path, sharing: Sharing) -> None:
    """`splc.learn` learns a value without rows as the commands do."""
    results = splc.learn(table, "time", by="version", share=True, unmeasured=["v5"])
    _, expected = _learned(Sharing(dict([*sharing.parts.items()][:2])), "v5")
    np.testing.assert_allclose(results["v5"].predict(SPACE), expected.predict(SPACE), rtol=1e-6)
    assert [*results] == ["v1", "v2", "v5"]


def test_refused(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value without rows needs other values, and no rows of its own."""
    monkeypatch.chdir(table.parent)
    by = contexts.Request(measurements="versions.csv", by="version")
    with pytest.raises(RequestError):
        contexts.run(dataclasses.replace(by, context=("version=v5",)))
    with pytest.raises(RequestError):
        contexts.run(dataclasses.replace(by, share=True, context=("machine=v5",)))
    with pytest.raises(RequestError):
        contexts.run(dataclasses.replace(by, share=True, context=("version=v1",)))
    assert not list(table.parent.glob("learned*"))
    for request in (
        Request(context=("version=v5",)),
        Request(context=("version=v5", "version=v6"), sources=("a.json",)),
        Request(context=("version=v5",), sources=("a.json",), measurements="versions.csv"),
    ):
        with pytest.raises(RequestError):
            unmeasured.run(request)
    with pytest.raises(SpecError):
        unmeasured.run(Request(context=("version=",), sources=("a.json",)))
    with pytest.raises(SpecError):
        splc.learn("versions.csv", "time", by="version", unmeasured=["v5"])
