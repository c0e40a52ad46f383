"""The preset `real-several`: points of real profiles of several parameters, predicted from those with smaller values.

*Sets*: all series of several parameters of Extra-P's example files (`profile_lines` describes the data), and runs of
hypre's SMG solver over px, py and the size n in two dimensions, and px, py, pz and n in three.

*Held out*: `corner`, the point at which all parameters are largest, predicted from all others; `last values`, the same
point, predicted from the points at which no parameter is largest.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from casestudies.real_data import DATA
from casestudies.scaling_evaluation.profile_lines import BANDS, METRICS
from casestudies.scaling_evaluation.scaling import ScalingEvaluation
from splc.errors import InputError
from splc.formats.experiments.read import read_experiment
from splc.io.tables import Cell, Table
from splc.scaling.fit import fit
from splc.types import Array

SETS = ("extrap", "smg2d", "smg3d")
HELD_OUT = ("corner", "last values")
METHODS = ("default", "basic", "refinement", "extrap")
_WITHIN = tuple(f"within {100 * band:g}" for band in BANDS)
_LEAST = 5
_PICTURE = "pictures/profiles.png"

# Points (n, parameters) and values (n, repetitions).
Series = tuple[Array, Array]


@dataclass(frozen=True)
class SeveralProfileEvaluation(ScalingEvaluation):
    """The default learner against Extra-P's, on real profiles of several parameters, which the repository lacks."""

    preset: ClassVar[str] = "real-several"

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for name in SETS:
            for held_out in HELD_OUT:
                yield f"{name}, {held_out}", {"set": name, "held out": held_out}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per method.

        Raises:
            InputError: if the profiles are absent.
        """
        found = [each for one in series(cell["set"]) if (each := split(one, cell["held out"]))]
        if not found:
            raise InputError(f"there are no profiles {cell['set']!r} in {DATA}: this evaluation needs these files")
        return [{**cell, "method": method, **_scores(found, method)} for method in METHODS]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return a table: sets × methods."""
        columns = ("set", "held out", "series", "method", *_WITHIN, "held")
        found: list[tuple[Cell, ...]] = [tuple(row[name] for name in columns) for row in rows]
        title = "Predictions of the largest point within 5, 10, 20 %, and 90 % intervals that hold it, %"
        return (Table(columns, tuple(found), title),)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return a picture of predictions within 10 %, and of the 90 % intervals that hold."""
        from casestudies.pictures import grouped_bars

        def shares(method: str, name: str) -> dict[str, float]:
            return {f"{row['set']}, {row['held out']}": float(row[name]) for row in rows if row["method"] == method}

        panels = {
            "Predictions within 10 %, % of series": {method: shares(method, "within 10") for method in METHODS},
            "90 % intervals that hold, %": {"default": shares("default", "held")},
        }
        return {_PICTURE: small_png(grouped_bars(panels, "The largest point of real profiles", "png"))}

    def picture_names(self) -> tuple[str, ...]:
        """Return the name of the picture."""
        return (_PICTURE,)


def series(name: str) -> list[Series]:
    """Return the series of a set; none where its data are absent."""
    if name != "extrap":
        file = DATA / "hypre" / f"{name}.csv"
        return _of_hypre(name) if file.exists() else []
    found: list[Series] = []
    for file in sorted((DATA / "extrap_formats").glob("*/*")):
        try:
            experiment = read_experiment(file)
        except InputError:
            continue
        if len(experiment.parameters) > 1:
            found += [(experiment.points, values) for _, values in sorted(experiment.series.items())]
    return found


def _of_hypre(name: str) -> list[Series]:
    names = ("px", "py", "pz", "nx") if name == "smg3d" else ("px", "py", "nx")
    points: dict[tuple[float, ...], list[list[float]]] = {}
    with (DATA / "hypre" / f"{name}.csv").open() as stream:
        for row in csv.DictReader(stream):
            # Of the sizes in two dimensions every third one.
            if name == "smg3d" or float(row["nx"]) % 75 == 0:
                values = [float(row[metric]) for metric in METRICS]
                points.setdefault(tuple(float(row[each]) for each in names), []).append(values)
    repetitions = min(map(len, points.values()))
    whole = np.array([each[:repetitions] for each in points.values()])
    x = np.array(list(points))
    return [(x, values) for values in np.moveaxis(whole, 2, 0) if (values > 0).all(axis=1).mean() > 0.5]


def split(one: Series, held_out: str) -> tuple[Array, Array, Array, Array] | None:
    """Return the points and values that are modelled, and the largest point and its values; None without either."""
    points, values = one
    known = ~np.isnan(values).all(axis=1)
    points, values = points[known], values[known]
    if len(points) == 0:
        return None
    largest = points == points.max(axis=0)
    corner = largest.all(axis=1)
    rest = ~(corner if held_out == "corner" else largest.any(axis=1))
    if not corner.any() or rest.sum() < _LEAST:
        return None
    last = values[corner][0]
    return points[rest], values[rest], points[corner], last[~np.isnan(last)]


def _scores(found: Sequence[tuple[Array, Array, Array, Array]], method: str) -> dict[str, Any]:
    errors, held = [], []
    for points, values, corner, last in found:
        model = fit(points, values, method=method)
        errors.append(abs(float(model.predict(corner)[0]) / last.mean() - 1) if last.mean() else 0.0)
        if method == "default":
            lower, upper = model.interval(corner)
            held.append(bool(lower[0] <= last[0] <= upper[0]))
    within = {name: 100 * float((np.array(errors) <= band).mean()) for name, band in zip(_WITHIN, BANDS, strict=True)}
    return {"series": len(found), **within, "held": 100 * float(np.mean(held)) if held else None}
