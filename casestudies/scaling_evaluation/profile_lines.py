"""Lines of real profiles, whose last point is predicted from the others.

*Sets*: `extrap` are all series of Extra-P's own example files (`extrap_formats`, many of them synthetic), but
for those whose behaviour changes; `smg1d`,
`smg2d`, `smg3d` and their `few ranks` are runs of hypre's SMG solver (`hypre`, see `SOURCE.txt` there): seconds of
setup and of the solve, seconds of computing, messages and bytes, over the size n for each process topology.

*Lines*: the points of a series that differ in one parameter only, at least five. Of a hypre line with more than seven
points every second or third point (and so on) is taken, so that five to seven remain, from each possible first point.

*Scores*: all points but the last are modelled; the share of predictions within 5, 10 and 20 % of the mean that was
measured at the last point, and the share of 90 % intervals that hold its first repetition.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from casestudies.real_data import DATA
from splc.errors import InputError
from splc.formats.experiments.read import read_experiment
from splc.scaling.fit import fit_many
from splc.types import Array

SETS = ("extrap", "smg1d", "smg2d", "smg3d", "smg3d few ranks")
METRICS = (
    "setup_s", "solve_s", "setup_comp_max", "solve_comp_max", "solve_comp_sum", "solve_msgs_sum", "solve_bytes_sum",
)  # fmt: skip
BANDS = (0.05, 0.1, 0.2)
LEAST, MOST = 5, 7

# Points (n,) and values (n, repetitions).
Line = tuple[Array, Array]


def lines(name: str, data: Path = DATA) -> list[Line]:
    """Return the lines of a set; none where its data are absent."""
    if name == "extrap":
        folder = data / "extrap_formats"
        files = sorted(
            each for each in folder.glob("*/*") if each.suffix in (".txt", ".jsonl") and "segmented" not in each.name
        )
        return [line for file in files for line in _of_experiment(file)]
    file = data / "hypre" / f"{name.replace(' ', '_')}.csv"
    return _of_hypre(file) if file.exists() else []


def _of_experiment(file: Path) -> list[Line]:
    try:
        experiment = read_experiment(file)
    except InputError:
        return []
    found = []
    for at in range(len(experiment.parameters)):
        others = np.delete(experiment.points, at, axis=1)
        for _, values in sorted(experiment.series.items()):
            for other in np.unique(others, axis=0):
                rows = np.flatnonzero((others == other).all(axis=1) & ~np.isnan(values).all(axis=1))
                if len(rows) >= LEAST:
                    found.append(_sorted(experiment.points[rows, at], values[rows]))
    return found


def _of_hypre(file: Path) -> list[Line]:
    groups: dict[tuple[str, ...], dict[float, list[list[float]]]] = {}
    with file.open() as stream:
        for row in csv.DictReader(stream):
            values = [float(row[metric]) for metric in METRICS]
            groups.setdefault((row["px"], row["py"], row["pz"]), {}).setdefault(float(row["nx"]), []).append(values)
    found: list[Line] = []
    for _, points in sorted(groups.items()):
        x = np.array(sorted(points))
        repetitions = min(map(len, points.values()))
        whole = np.array([points[each][:repetitions] for each in x.tolist()])
        step = -(-len(x) // MOST)
        for first in range(step):
            rows = np.arange(first, len(x), step)
            if len(rows) >= LEAST:
                some = np.moveaxis(whole[rows], 2, 0)
                found.extend((x[rows], values) for values in some if (values > 0).all())
    return found


def _sorted(x: Array, values: Array) -> Line:
    order = np.argsort(x)
    return x[order], values[order]


def scores(found: Sequence[Line], arguments: Mapping[str, Any]) -> dict[str, float]:
    """Return the percentages of a learner on lines: predictions within the bands, and intervals that hold."""
    groups: dict[tuple[bytes, int], list[Line]] = {}
    for x, values in found:
        groups.setdefault((x.tobytes(), values.shape[1]), []).append((x, values))
    errors, held = [], []
    for group in groups.values():
        x = group[0][0]
        models = fit_many(x[:-1], np.array([values[:-1] for _, values in group]), **arguments)
        for model, (_, values) in zip(models, group, strict=True):
            last = values[-1][~np.isnan(values[-1])]
            errors.append(abs(float(model.predict(x[-1])) / last.mean() - 1) if last.mean() else 0.0)
            lower, upper = model.interval(x[-1])
            held.append(bool(lower <= last[0] <= upper))
    within = {f"within {100 * band:g}": 100 * float((np.array(errors) <= band).mean()) for band in BANDS}
    return {"series": len(found), **within, "held": 100 * float(np.mean(held))}
