"""Call trees of scaling models: shares and totals; intervals and caveats of predictions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.experiment import Experiment, Key
from splc.scaling import ScalingModel, fit
from splc.scaling.prediction import Prediction
from splc.workflows.scale import Request, run
from splc.workflows.scale.tree import CallTree, call_trees, tree_notes
from splc.workflows.scaling_view import caveat

X = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
AT = {"p": 64.0}
# Call path → slope and constant.
LINES = {"main": (0.0, 2.0), "main->a": (1.0, 0.0), "main->a->b": (2.0, 1.0), "main->c->d": (0.0, 4.0)}


def experiment(lines: dict[str, tuple[float, float]]) -> tuple[Experiment, dict[Key, ScalingModel]]:
    """Return an experiment of straight lines, and its models."""
    series = {(path, "time"): (slope * X + constant)[:, None] for path, (slope, constant) in lines.items()}
    models = {key: fit(X, values[:, 0], names="p", method="basic") for key, values in series.items()}
    return Experiment(("p",), X[:, None], series), models


def tree(lines: dict[str, tuple[float, float]], *, inclusive: bool = False, top: int = 20) -> CallTree:
    """Return the call tree of straight lines at p = 64."""
    (found,) = call_trees(*experiment(lines), AT, inclusive=inclusive, top=top)
    return found


def test_totals_and_shares() -> None:
    """A total is the sum of all call paths below; shares are those of the whole, at the point and where measured."""
    found = tree(LINES)
    by_name = {each.callpath: each for each in found.callpaths}
    assert list(by_name) == ["main", "main->a", "main->a->b", "main->c", "main->c->d"]
    assert [each.depth for each in found.callpaths] == [0, 1, 2, 1, 2]
    assert found.total == pytest.approx(2 + 64 + 129 + 4)
    assert [by_name[name].total for name in ("main->a", "main->c")] == pytest.approx([64 + 129, 4])
    assert by_name["main->c"].predicted is None
    assert by_name["main->a->b"].share == pytest.approx(100 * 129 / 199)
    assert by_name["main->a->b"].share_measured == pytest.approx(100 * 33 / (2 + 16 + 33 + 4))
    assert [each.callpath for each in found.ranking] == ["main->a->b", "main->a", "main->c->d", "main"]
    assert (found.at, found.measured_at) == (AT, {"p": 16.0})


def test_inclusive_values() -> None:
    """If values include those of the calls inside, totals are the values, and differences are ranked."""
    inclusive = {"main": (3.0, 7.0), "main->a": (3.0, 1.0), "main->a->b": (2.0, 1.0), "main->c->d": (0.0, 4.0)}
    own, other = tree(LINES), tree(inclusive, inclusive=True)
    for one, two in zip(own.callpaths, other.callpaths, strict=True):
        assert (one.callpath, one.depth) == (two.callpath, two.depth)
        assert [two.total, two.share, two.share_measured] == pytest.approx([one.total, one.share, one.share_measured])
    assert all(each.lower is None for each in other.callpaths)


def test_intervals_of_the_largest() -> None:
    """The call paths with the largest shares have intervals."""
    found = tree(LINES, top=2)
    known = [each.callpath for each in found.callpaths if each.lower is not None]
    assert known == ["main->a", "main->a->b"]
    for each in found.ranking[:2]:
        assert each.lower is not None
        assert each.upper is not None
        assert each.predicted is not None
        assert each.lower <= each.predicted <= each.upper


@given(
    values=st.dictionaries(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("->".join), st.integers(0, 100), min_size=1
    )
)
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
    request = Request(
        profile=str(tmp_path / "e.jsonl"),
        predict_at=({"p": 8, "n": 1},),
        output=str(tmp_path / "m.json"),
        settings={"method": method},
    )
    result = run(request)
    some = parameters == 2 and method == "basic"
    known = {key[0]: entry.lower is not None for key, (entry,) in result.predictions.items()}
    assert known == {"f1": not some, "f2": True, "f3": True}
    assert any("only the 2 models of several parameters" in note.text for note in result.notes) == some


def test_shares_of_huge_values() -> None:
    """Shares and notes of values near the largest number are finite."""
    huge = {"main": (0.0, 3e306), "main->a": (0.0, 1e306)}
    found = tree(huge)
    assert [each.share for each in found.ranking] == pytest.approx([75, 25])
    series = {("main", "time"): np.full((5, 3), 1e308), ("main->a", "time"): np.full((5, 3), 1e307)}
    assert tree_notes(Experiment(("p",), X[:, None], series), [found], inclusive=False)


INSIDE = Prediction({"p": 8.0, "n": 2.0}, 26.0, 20.0, 30.0, 1.0)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (INSIDE, ""),
        (replace(INSIDE, lower=-1.0), "not known within a factor of 2"),
        (replace(INSIDE, lower=0.0, upper=0.0), ""),
        (replace(INSIDE, lower=15.0), ""),
        (replace(INSIDE, lower=-30.0, upper=-14.9), "not known within a factor of 2"),
        (replace(INSIDE, distance=1.5), "1.5 times beyond what was measured"),
        (replace(INSIDE, distance=float("inf")), "beyond what was measured"),
        (replace(INSIDE, lower=None, upper=None), "no interval"),
        (replace(INSIDE, upper=None, distance=1.5), "1.5 times beyond what was measured, no interval"),
        (Prediction({"p": 0.0}, None, None, None, 1.0), "the model has no finite value there"),
    ],
)
def test_caveats(entry: Prediction, text: str) -> None:
    """Extrapolation and intervals wider than a factor of 2 are stated."""
    assert caveat(entry) == text
