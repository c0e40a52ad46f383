"""Learning curves: the error of each learner by the number of configurations learned from."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from splc.io.tables import Cell, Spread, Table
from splc.study.results import Run

# Learner → sampling → its runs.
Groups = Mapping[str, Mapping[str, Sequence[Run]]]

CAPTION = "Error on all others by the number of configurations learned from, %"


@dataclass(frozen=True)
class CurvePoint:
    """The runs of a learner with one sampling.

    Attributes:
        sampling: the sampling.
        size: the mean number of configurations learned from.
        error: the mean error on all others, in percent.
        deviation: its (sample) standard deviation over the runs, 0 for one run.
    """

    sampling: str
    size: float
    error: float
    deviation: float


def learning_curves(groups: Groups) -> dict[str, tuple[CurvePoint, ...]]:
    """Return learner → its points by size, without samplings that leave nothing to judge by; maybe no points."""
    found = {}
    for learner, samplings in groups.items():
        points = [point for sampling, runs in samplings.items() if (point := _point(sampling, runs)) is not None]
        found[learner] = tuple(sorted(points, key=lambda point: point.size))
    return found


def _point(sampling: str, runs: Sequence[Run]) -> CurvePoint | None:
    records = [run.record for run in runs]
    pairs = [(each.learned_from, each.error) for each in records if each.learned_from and each.error is not None]
    if not pairs:
        return None
    sizes, errors = zip(*pairs, strict=True)
    deviation = statistics.stdev(errors) if len(errors) > 1 else 0.0
    return CurvePoint(sampling, statistics.fmean(sizes), statistics.fmean(errors), deviation)


def curves_table(groups: Groups) -> Table | None:
    """Return the errors as a table, one row per sampling and one column per learner; None without an error."""
    curves = learning_curves(groups)
    points = {(learner, point.sampling): point for learner, line in curves.items() for point in line}
    sizes: dict[str, float] = {}
    for point in points.values():
        sizes.setdefault(point.sampling, point.size)
    rows = []
    for sampling, size in sorted(sizes.items(), key=lambda pair: pair[1]):
        cells: list[Cell] = [sampling, int(size) if size == int(size) else size]
        for learner in curves:
            point_ = points.get((learner, sampling))
            several = len(groups[learner][sampling]) > 1
            cells.append(
                None if point_ is None else Spread(point_.error, point_.deviation) if several else point_.error
            )
        rows.append(tuple(cells))
    return Table(("sampling", "configurations", *curves), tuple(rows), CAPTION) if rows else None
