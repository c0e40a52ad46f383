"""Learning curves: the error of each learner by the number of configurations learned from."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from splc.io.tables import Cell, Spread, Table
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.curves import learning_curve_chart

# Learner → sampling → the number of configurations learned from, and the error on all others, of each run.
Errors = Mapping[str, Mapping[str, Sequence[tuple[float | None, float | None]]]]

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


def learning_curves(errors: Errors) -> dict[str, tuple[CurvePoint, ...]]:
    """Return learner → its points by size, without samplings that leave nothing to judge by; maybe no points."""
    curves = {}
    for learner, samplings in errors.items():
        points = [point for sampling, runs in samplings.items() if (point := _point(sampling, runs)) is not None]
        curves[learner] = tuple(sorted(points, key=lambda point: point.size))
    return curves


def _point(sampling: str, runs: Sequence[tuple[float | None, float | None]]) -> CurvePoint | None:
    pairs = [(size, error) for size, error in runs if size and error is not None]
    if not pairs:
        return None
    sizes, errors = zip(*pairs, strict=True)
    deviation = statistics.stdev(errors) if len(errors) > 1 else 0.0
    return CurvePoint(sampling, statistics.fmean(sizes), statistics.fmean(errors), deviation)


def curves_chart(errors: Errors, title: str) -> Chart | None:
    """Return the errors as a chart; None if no learner has several sizes."""
    curves = learning_curves(errors)
    if not any(line and line[0].size < line[-1].size for line in curves.values()):
        return None
    lines = {name: [(point.size, point.error, point.deviation) for point in line] for name, line in curves.items()}
    return learning_curve_chart({title: lines}, list(lines), title)


def curves_table(errors: Errors) -> Table | None:
    """Return the errors as a table, one row per sampling and one column per learner; None without an error."""
    curves = learning_curves(errors)
    points = {(learner, point.sampling): point for learner, line in curves.items() for point in line}
    sizes: dict[str, float] = {}
    for point in points.values():
        sizes.setdefault(point.sampling, point.size)
    rows = []
    for sampling, size in sorted(sizes.items(), key=lambda pair: pair[1]):
        cells: list[Cell] = [sampling, int(size) if size == int(size) else size]
        for learner in curves:
            point_ = points.get((learner, sampling))
            several = len(errors[learner][sampling]) > 1
            cells.append(
                None if point_ is None else Spread(point_.error, point_.deviation) if several else point_.error
            )
        rows.append(tuple(cells))
    return Table(("sampling", "configurations", *curves), tuple(rows), CAPTION) if rows else None
