"""The path of printed models: their sizes, the terms that they add, and their errors."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.projection.exchange import next_smaller
from splc.learning.projection.path import path_points
from splc.learning.projection.rows import Rows
from splc.learning.projection.size import ProjectedModel, projected, shortened
from tests.learning.projection.known_targets import BINARY, candidates_of, target_of


def projection_of(seed: int) -> ProjectedModel:
    """Return a projection with a long path."""
    influences = np.random.default_rng(seed).uniform(0, 1, (7, 7)) ** 3
    rows = Rows(
        target_of(
            BINARY,
            lambda c: 10 + sum(influences[i, j] * c(f"b{i}") * c(f"b{j}") for i in range(7) for j in range(7)),
            error=0.05,
        )
    )
    return projected(rows, candidates_of(rows, 2), product=False)


@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("seed", range(3))
def test_points(seed: int, most: int | None) -> None:
    """Up to the printed model, terms of least effect are eliminated; longer models are those of the selection."""
    projection = projection_of(seed)
    model = projection.model if most is None else shortened(projection, most)
    candidates = model.goal.candidates
    points = path_points(projection, model)
    sizes = [point.terms for point in points]
    assert sizes[0] == 1
    assert sizes == sorted(set(sizes))
    expected = {}
    for each in (projection.model, model):
        while len(each.chosen) > 1:
            smaller = next_smaller(each)
            (gone,) = set(each.chosen) - set(smaller.chosen)
            expected[len(each.chosen)] = (each, candidates.text(gone))
            each = smaller
        expected[1] = (each, candidates.text(each.chosen[0]))
    last = projection.model
    for before, after in zip(projection.path[:-1], projection.path[1:], strict=True):
        if len(after.chosen) > len(last.chosen) and after.rms < last.rms:
            (new,) = set(after.chosen) - set(before.chosen)
            expected[len(after.chosen)] = (after, candidates.text(new))
            last = after
    assert last is not projection.model
    own = float(np.abs(projection.rows.held_out).mean())
    weights = projection.rows.roots
    shorter: set[str] = set()
    for point in points:
        found, added = expected.pop(point.terms)
        texts = {candidates.text(each) for each in found.chosen}
        # A term of the model before is not an added one: where one sequence follows another, it may be eliminated next.
        assert point.added in texts - shorter
        assert point.added == added or added in shorter
        shorter = texts
        away = float((weights * np.abs(found.residual)).sum()) / projection.rows.weight
        assert point.error == pytest.approx(100 * np.sqrt(own**2 + away**2))
    assert not expected
