"""Scaling models: selected series, notes on many models, call trees, caveats of predictions, and plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.cli.signature import print_view
from splc.data.measurements import Experiment, Key
from splc.plotting.charts.chart import Chart, Points
from splc.scaling import ScalingModel, fit
from splc.scaling.profile import Profile
from splc.scaling.result import Prediction
from splc.types import Array
from splc.workflows.scale import Request, run
from splc.workflows.scale.scale import SHOWN, profile_notes
from splc.workflows.scale.tree import (
    Point,
    call_trees,
    scaling_chart,
    scaling_charts,
    slice_along,
    tree_notes,
    view_of_trees,
)
from splc.workflows.scaling_view import caveat, chosen_series, pooling_notes
from tests.support.golden_messages import Lines, check_calls, printed

SIX = np.arange(1.0, 7.0)
X = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
AT = {"p": 64.0}
# Call path → slope and constant.
LINES = {"main": (0.0, 2.0), "main->a": (1.0, 0.0), "main->a->b": (2.0, 1.0), "main->c->d": (0.0, 4.0)}


def lines_of(lines: dict[str, tuple[float, float]]) -> tuple[Experiment, dict[Key, ScalingModel]]:
    """Return an experiment of straight lines, with three repetitions, and its models."""
    series = {(path, "time"): np.stack([slope * X + constant] * 3, axis=1) for path, (slope, constant) in lines.items()}
    models = {key: fit(X, values[:, 0], names="p", method="basic") for key, values in series.items()}
    return Experiment(("p",), X[:, None], series), models


def pooled(values: list[list[float]], *used: str) -> list[str]:
    """Return the notes about the metric `m` of an experiment of 6 points, of which these metrics are used."""
    series = {("f", name): np.array(each, dtype=float) for name, each in (("time", [[1, 2]] * 6), ("m", values))}
    return [str(note) for note in pooling_notes(Experiment(("p",), SIX, series), [("f", name) for name in used])]


def chosen(callpaths: list[str] | None, metrics: list[str] | None = None) -> Any:
    """Return the series of an experiment that are chosen by names or patterns."""
    keys = [("main", "time"), ("a[]", "time"), ("ab", "time"), ("a[b]", "bytes")]
    return chosen_series(Experiment(("p",), SIX, {key: np.ones((6, 1)) for key in keys}), callpaths, metrics)


def notes(*texts: tuple[str, ...], failed: int = 0) -> Lines:
    """Return the notes of a profile whose models have these notes, and some of whose series have none."""
    model = fit([1.0, 2.0, 4.0, 8.0], np.array([5.0, 8.0, 14.0, 26.0]))
    models = {(f"f{at}", "time"): replace(model, notes=own) for at, own in enumerate(texts)}
    without = {(f"g{at}", "time"): f"reason {at}" for at in range(failed)}
    return Lines("\n".join(map(str, profile_notes(Profile(models, without)))))


def tree(lines: dict[str, tuple[float, float]], *, inclusive: bool = False, top: int = 20) -> Lines:
    """Return the view of the call tree of straight lines at p = 64."""
    experiment, models = lines_of(lines)
    found = call_trees(experiment, models, AT, inclusive=inclusive, top=top)
    notes = map(str, tree_notes(experiment, found, inclusive=inclusive))
    return Lines("\n".join([printed(lambda: print_view(view_of_trees(found, top))), *notes]))


def test_calls() -> None:
    """Notes on parameters, chosen series, notes of many models, call trees and caveats are those of the golden file."""
    names = {"replace": replace, "LINES": LINES, "SHOWN": SHOWN, "Prediction": Prediction}
    inside = Prediction({"p": 8.0, "n": 2.0}, 26.0, 20.0, 30.0, 1.0)
    check_calls("scaling-views", pooled, chosen, notes, tree, caveat, INSIDE=inside, **names)


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("->".join)


@given(values=st.dictionaries(paths, st.integers(0, 100), min_size=1))
def test_sums_by_brute_force(values: dict[str, int]) -> None:
    """A total is the sum of the values of all call paths that begin with the name; the shares add up to 100 %."""
    points = np.array([[1.0], [2.0]])
    series = {(path, "time"): np.full((2, 1), float(value)) for path, value in values.items()}
    constant = fit([1, 2], [1, 1], names="p", method="basic")
    models = {(path, "time"): replace(constant, coefficients=(float(value),)) for path, value in values.items()}
    (found,) = call_trees(Experiment(("p",), points, series), models, AT, inclusive=False, top=0)
    for each in found.callpaths:
        below = [value for path, value in values.items() if f"{path}->".startswith(f"{each.callpath}->")]
        assert each.total == pytest.approx(sum(below))
    assert sum(each.share for each in found.callpaths) == pytest.approx(100 if any(values.values()) else 0)


@pytest.mark.parametrize(("parameters", "method"), [(1, "basic"), (2, "basic"), (2, "default")])
def test_intervals_of_many_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parameters: int, method: str
) -> None:
    """Of very many slow models, those of several parameters by Extra-P's methods, the largest have intervals."""
    monkeypatch.setattr("splc.workflows.scale.scale.MAX_INTERVALS", 2)
    grid = [(p, n) for p in (1, 2, 4) for n in ((1, 2, 4) if parameters == 2 else (1,))]
    lines = [
        f'{{"params": {{"p": {p}, "n": {n}}}, "callpath": "f{at}", "value": {at * p * n}}}'
        for at in (1, 2, 3)
        for p, n in grid
    ]
    (tmp_path / "e.jsonl").write_text("\n".join(lines), encoding="utf-8")
    file, output, settings = str(tmp_path / "e.jsonl"), str(tmp_path / "m.json"), {"method": method}
    result = run(Request(profile=file, predict_at=({"p": 8, "n": 1},), output=output, settings=settings))
    some = parameters == 2 and method == "basic"
    known = {key[0]: entry.lower is not None for key, (entry,) in result.predictions.items()}
    assert known == {"f1": not some, "f2": True, "f3": True}
    assert any("only the 2 models of several parameters" in note.text for note in result.notes) == some


POINTS = np.array([(p, n) for p in (2.0, 4.0, 8.0, 16.0, 32.0) for n in (1.0, 2.0, 3.0)] + [(64.0, 3.0)])
FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "slow": lambda p, n: 50 + p,
    "fast": lambda p, n: 1 + p * n,
    "flat": lambda p, n: 3 + 0 * p,
}


def profile(points: Array, count: int = 1) -> tuple[Experiment, dict[Key, ScalingModel]]:
    """Return an experiment with three kinds of call paths, each as often as asked for, and its models."""
    names = ("p", "n")[: points.shape[1]]
    n = points[:, 1] if points.shape[1] == 2 else np.ones(len(points))
    exact = {f"{name}{at}": f(points[:, 0], n) * (1 + at) for at in range(count) for name, f in FUNCTIONS.items()}
    series = {(name, "time"): np.stack([0.99 * values, 1.01 * values], axis=1) for name, values in exact.items()}
    models = {key: fit(points, values, names=list(names), method="basic") for key, values in series.items()}
    return Experiment(names, points, series), models


def test_slices() -> None:
    """There is a slice per parameter, through the values with the most measured points."""
    experiment, models = profile(POINTS)
    along_p, along_n = (slice_along(experiment, models, name, None) for name in "pn")
    assert (along_p.parameter, dict(along_p.fixed)) == ("p", {"n": 3.0})
    assert (along_n.parameter, dict(along_n.fixed)) == ("n", {"p": 32.0})
    curve = next(each for each in along_p.curves if each.name == "fast0")
    np.testing.assert_allclose(curve.measured_at, [2, 4, 8, 16, 32, 64])
    np.testing.assert_allclose(curve.measured, 1 + 3 * curve.measured_at)
    assert (curve.x[0], curve.x[-1]) == pytest.approx((2, 128))
    np.testing.assert_allclose(curve.predicted, 1 + 3 * curve.x, rtol=1e-6)
    assert (curve.lower <= curve.predicted).all()
    assert (curve.predicted <= curve.upper).all()
    chart = scaling_chart(experiment, models, None)
    assert chart.title == "time"
    assert [panel.x.label for panel in chart.panels] == 3 * ["p, n = 3"] + 3 * ["n, p = 32"]


def surface_of(experiment: Experiment, models: Mapping[Key, ScalingModel], target: Point | None) -> Chart | None:
    """Return the chart over two parameters, None if there is none."""
    return next((each for each in scaling_charts(experiment, models, target, "t") if each.name == "t-surface"), None)


def test_surface() -> None:
    """A single call path with two parameters that vary has a surface_of with its measured values; several have none."""
    experiment, models = profile(POINTS)
    key = ("fast0", "time")
    values = experiment[key].copy()
    values[2] = np.nan
    experiment = Experiment(experiment.parameters, POINTS, {**experiment.series, key: values})
    chart = surface_of(experiment, {key: models[key]}, {"p": 256.0, "n": 4.0})
    assert chart is not None
    p, n, predicted, measured = (np.array(chart.table[name]) for name in ("p", "n", "time", "measured"))
    assert set(p) == {2, 4, 8, 16, 32, 64, 256}
    assert set(n) == {1, 2, 3, 4}
    np.testing.assert_allclose(predicted, 1 + n * p, rtol=1e-6)
    known = np.isfinite(measured)
    assert {*zip(p[known], n[known], strict=True)} == {*map(tuple, np.delete(POINTS, 2, axis=0).tolist())}
    np.testing.assert_allclose(measured[known], 1 + (p * n)[known])
    (points,) = [mark for mark in chart.panels[0].marks if isinstance(mark, Points)]
    assert len(points.x) == known.sum()
    assert surface_of(experiment, models, None) is None
    assert surface_of(*profile(POINTS[2::3, :1]), None) is None
