"""The evaluation of models on functions like those of applications."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.scaling_evaluation.application_functions import (
    APPLICATIONS,
    METHODS,
    draw,
    evaluate,
    points_of,
)
from casestudies.scaling_evaluation.applications import HOLDS, ApplicationEvaluation

# The numbers of points in the papers, without the target, and those of lines with one more point.
NUMBERS = {
    "Kripke": (125, 14),
    "Relearn": (24, 10),
    "Relearn-3": (125, 14),
    "FASTEST": (24, 9),
    "Sweep3D": (6,),
    "HOMME": (8,),
    "MILC": (8,),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_points(name: str) -> None:
    """The points are as many as in the papers; the few ones are some of them; the target is none of them."""
    application = APPLICATIONS[name]
    sets = [points_of(application, layout) for layout in application.layouts]
    assert tuple(map(len, sets)) == NUMBERS[name]
    assert {tuple(row) for row in sets[-1].tolist()} <= {tuple(row) for row in sets[0].tolist()}
    assert application.target not in {tuple(row) for row in sets[0].tolist()}


def test_published_models() -> None:
    """Values are within the factor 2 of the published model: LTimes at p = 32768, d = 12, g = 160 is 143.8."""
    kripke = APPLICATIONS["Kripke"]
    for name in ("LTimes", "LTimes, sparse"):
        values = draw(kripke, kripke.kernels[name], np.array([kripke.target]), 500, np.random.default_rng(0))
        assert values.min() > 143.8 / 2.1
        assert values.max() < 143.8 * 2.1
        assert np.median(values) == pytest.approx(143.8, rel=0.1)


def test_rows() -> None:
    """A cell has a row per method; only those of the default have intervals."""
    evaluation = ApplicationEvaluation(functions=2)
    cell = {"application": "MILC", "points": "all", "noise": "independent"}
    rows = evaluation.rows(cell)
    assert [row["method"] for row in rows] == list(METHODS)
    assert [row["models"] for row in rows] == [4] * len(METHODS)
    assert [row[HOLDS] is None for row in rows] == [method != "default" for method in METHODS]
    score = evaluate("MILC", "all", "independent", "extrap", number=2, seed=evaluation.seed)
    assert rows[-1]["within 5 %"] == score.within[0]
    assert len(evaluation.tasks()) == 2 * sum(map(len, NUMBERS.values()))
