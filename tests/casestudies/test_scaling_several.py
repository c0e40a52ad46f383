"""The broad evaluation of models of several parameters."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.scaling_evaluation.several import SeveralEvaluation
from casestudies.scaling_evaluation.several_functions import (
    EXTRA,
    LAYOUTS,
    METHODS,
    NOISES,
    PARAMETERS,
    STRUCTURES,
    TARGETS,
    evaluate_several,
    layout,
)

SMALL = SeveralEvaluation(functions=1)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_layouts(parameters: int) -> None:
    """A star has a line of five points per parameter, with the cheapest other points; a grid has all combinations."""
    star, few = layout(parameters, "star"), layout(parameters, "star + few")
    assert len(star) == 4 * parameters + 1
    assert len(few) == len(star) + EXTRA[parameters]
    assert {tuple(row) for row in star.tolist()} < {tuple(row) for row in few.tolist()}
    assert len(layout(parameters, "grid")) == (5**parameters if parameters < 4 else 3**parameters)


def test_rows() -> None:
    """A cell has a row per method and target with the means over all structures."""
    cell = {"parameters": 2, "points": LAYOUTS[1], "kind of noise": "floor"}
    rows = SMALL.rows(cell)
    assert [(row["method"], row["target"]) for row in rows] == [(m, t) for m in METHODS for t in TARGETS]
    scores = [evaluate_several(2, LAYOUTS[1], each, "floor", number=1, seed=2)[0] for each in STRUCTURES]
    assert rows[0]["90 % intervals hold"] == np.mean([score.covered for score in scores])
    assert rows[0]["within 5 %"] == np.mean([score.within[0] for score in scores])
    assert rows[-1]["90 % intervals hold"] is None
    assert len(SMALL.tasks()) == len(PARAMETERS) * len(LAYOUTS) * len(NOISES)
