"""Caveats of predictions, and long call trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from splc.scaling.prediction import Prediction
from splc.workflows.scale.tree import CallPath, CallTree, view_of_trees
from splc.workflows.scaling_view import caveat
from tests.workflows.conftest import Printed

INSIDE = Prediction({"p": 8.0, "n": 2.0}, 26.0, 20.0, 30.0, 1.0)
UNDEFINED = Prediction({"p": 0.0}, None, None, None, 1.0)
NO_INTERVAL = Prediction({"p": 2.0}, 8.0, None, None, 1.0)
FACTS: dict[str, Any] = {"learner": "pmnf", "parameters": ["p"], "points": 5, "failed": [], "files": {}}


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
        (NO_INTERVAL, "no interval"),
        (replace(INSIDE, upper=None, distance=1.5), "1.5 times beyond what was measured, no interval"),
        (UNDEFINED, "the model has no finite value there"),
    ],
)
def test_caveats(entry: Prediction, text: str) -> None:
    """Extrapolation and intervals wider than a factor of 2 are stated."""
    assert caveat(entry) == text


def tree(depth: int = 1, callpaths: tuple[CallPath, ...] = (), **values: Any) -> CallTree:
    """Return a call tree, of four call paths if none are given."""
    main = CallPath("main", 0, 10.0, 9.0, 11.0, 10.0, 20.0, 100.0, 100.0)
    solve = CallPath("main->solve", depth, 60.0, None, None, 60.0, 0.0, 60.0, 60.0)
    none = CallPath("main->none", depth, None, None, None, 0.0, 0.0, 29.5, 29.5)
    rest = CallPath("main->rest", depth, 0.5, 0.25, 0.75, 0.04, 80.0, 0.5, 0.5)
    known: dict[str, Any] = {
        "metric": "<default>",
        "at": {"p": 64.0},
        "measured_at": {"p": 16.0},
        "total": 100.0,
    } | values
    return CallTree(**known, callpaths=callpaths or (main, solve, none, rest))


def test_long_call_trees(printed: Printed) -> None:
    """At most 60 lines of a tree are printed; a share of 1 % is, and one of 0.05 % has a number."""
    paths = tuple(CallPath(f"c{at}", at and 1, 1.0, 0.5, 2.0, 0.05, 0.05, 1.0, 1.0) for at in range(61))
    lines = printed(view_of_trees((tree(callpaths=paths),), 61))
    assert lines[62].startswith("  c59 ")
    assert lines[63] == "… 1 more, with less than 1 % or beyond 60 lines (--json has all)"
    assert lines[-1].split() == ["61", "c60", "1", "0.5", "to", "2", "0.1", "%", "0.1", "%"]
    assert not [line for line in printed(view_of_trees((tree(callpaths=paths[:60]),), 60)) if line.startswith("…")]
