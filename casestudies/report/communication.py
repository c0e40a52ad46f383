"""Work and communication in the measurements, from counts of iterations, messages and bytes (RQ1).

*Parts of the time*: `solve_compute_seconds` as a sum of a time per cell and iteration, a time per message and a time
per byte, with cells, messages and bytes of one rank; `splc.calibration` estimates the three, none below 0, by the
least squares of relative errors. *Counted messages*: those of one rank in one iteration beside the factor of `alpha`
in the analytical model, which is the number of messages in one relaxation sweep. No clock is needed for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, compress

import numpy as np

from casestudies.report.facts import COMPUTED, dimension, error, geometric_mean, topology
from casestudies.report.studies import HERE, Case
from splc.calibration import calibrate
from splc.data.configurations import Configurations, Observed
from splc.formats.models.read import read_parameters
from splc.formats.models.text import parse_model_text
from splc.io.files import Source, read_source
from splc.io.numbers import rounded_text
from splc.io.tables import Cell, Table
from splc.models.influence import InfluenceModel
from splc.models.parameters import ParameterTable
from splc.plotting.charts.chart import SERIES, Axis, Chart, Curve, Panel, Points, Role
from splc.plotting.charts.svg import chart_svg
from splc.system.variability import VariabilityModel
from splc.types import Array

# Cells of the grid of one rank.
CELLS: Mapping[str, str] = {"1-D": "nx", "2-D": "nx^2", "3-D": "nx^3", "BoomerAMG": "nx * ny * nz"}
# What the times of a sum are multiplied by: name in tables, model text, unit of the time.
PARTS: Mapping[str, tuple[str, str, str, float]] = {
    "cell": ("work", "{cells} * iterations", "ns per cell and iteration", 1e9),
    "message": ("messages", "messages / ({ranks})", "µs per message", 1e6),
    "byte": ("bytes", "bytes / ({ranks})", "ns per byte", 1e9),
}
COUNTS = ("iterations", "messages", "bytes")
SUMS = (("cell",), ("cell", "message"), ("cell", "message", "byte"))
LEVEL = 0.95
BYTES_PER_DOUBLE = 8
# The cases whose directions are told apart, and the one that is drawn.
SPLIT = ("smg2000/2d", "smg2000/3d")
PICTURE, PICTURED = "counts.svg", "smg2000/3d"
# Panel of the picture → the parameter whose factor predicts it.
DRAWN = {"messages per rank and iteration": "alpha", "doubles per rank and iteration": "beta"}
# The set of directions of a configuration with one rank.
ALONE = "none"


def parts(cases: Sequence[Case]) -> Table:
    """Return the errors of sums of work and communication, with the time and the share of each part."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        for names in SUMS:
            title = dimension(case) if names == SUMS[0] else ""
            rows.append((title, ", ".join(PARTS[name][0] for name in names), *_cells(case, names)))
        latency, double = (_benchmarked(case, name) for name in ("alpha", "beta"))
        times = (rounded_text(1e6 * latency, 3), rounded_text(1e9 * double / BYTES_PER_DOUBLE, 3))
        rows.append(("", "ping-pong", None, None, *times, *[None] * len(PARTS)))
    units = [f"{unit} (95 %)" for _, _, unit, _ in PARTS.values()]
    shares = [f"share of {what} (%)" for what, *_ in PARTS.values()]
    return Table(("", "sum of", "error (%)", *units, *shares), tuple(rows), "RQ1: the time as a sum of its parts")


def _benchmarked(case: Case, name: str) -> float:
    """Return a machine parameter between several ranks."""
    found = read_parameters(HERE / case.kind.folder / "parameters.toml").quantities[name]
    return (found.rows[-1][1] if isinstance(found, ParameterTable) else found).value


def _cells(case: Case, names: Sequence[str]) -> list[Cell]:
    """Return the error of a sum, the time of each part with its interval, and its share of the predictions."""
    configurations, measured = _with_counts(case), case.loaded.inputs.measurements.column(COMPUTED)
    model = _sum(case, configurations.system, dict.fromkeys(names, 1.0), names)
    fitted = calibrate(model, configurations, measured, names, level=LEVEL)
    times: dict[str, Cell] = dict.fromkeys(PARTS)
    shares: dict[str, Cell] = dict.fromkeys(PARTS)
    whole = fitted.model.predict(configurations).sum()
    for name in names:
        found, scale = fitted[name], PARTS[name][3]
        assert found.low is not None
        assert found.high is not None
        value, low, high = (rounded_text(scale * each, 3) for each in (found.value, found.low, found.high))
        times[name] = f"{value} ({low} to {high})"
        counted = _sum(case, configurations.system, {name: found.value}).predict(configurations)
        shares[name] = f"{100 * counted.sum() / whole:.0f}"
    return [f"{fitted.error_after:.1f}", *times.values(), *shares.values()]


def _with_counts(case: Case) -> Configurations:
    """Return the measured configurations with their counts as observed variables."""
    measurements = case.loaded.inputs.measurements
    counts = {name: measurements.column(name) for name in COUNTS}
    system = replace(measurements.system, observed=COUNTS)
    known = np.ones(len(measurements), dtype=bool)
    return Configurations(system, measurements.configurations.indices, Observed(counts, known))


def _sum(
    case: Case, system: VariabilityModel, values: Mapping[str, float], symbols: Sequence[str] = ()
) -> InfluenceModel:
    """Return the sum of some parts with their times; those named as symbols stay parameters."""
    chosen = {"cells": CELLS[dimension(case)], "ranks": " * ".join(topology(case))}
    text = " + ".join(f"{name} * {PARTS[name][1].format(**chosen)}" for name in values)
    return parse_model_text(Source("sum", text.encode()), system, values, symbols)


def splits(case: Case) -> Table:
    """Return, by the directions with several ranks, the error of the analytical model and counts beside predictions.

    Counts are those of an iteration, a cycle over all levels, predictions those of one sweep: only their ratios to each
    other say whether the formula counts right.
    """
    measured = case.loaded.inputs.measurements.column(COMPUTED)
    predicted = case.analytical.predict(case.loaded.inputs.measurements.configurations)
    counts = [counted_and_predicted(case, parameter) for parameter in ("alpha", "beta")]
    names, split = split_directions(case)
    groups = {name: split == name for name in names} | {f"not {names[0]}": split != names[0]}
    rows: list[tuple[Cell, ...]] = []
    for name, there in groups.items():
        far, ratio = error(measured[there], predicted[there]), geometric_mean(predicted[there] / measured[there])
        # One rank sends nothing.
        sent = there & (split != ALONE)
        ratios = [geometric_mean((counted / expected)[sent]) if sent.any() else None for counted, expected in counts]
        rows.append((name, int(there.sum()), f"{far:.1f}", ratio, *ratios))
    columns = ("directions with several ranks", "configurations", f"error (%), times {case.study.scale:g}")
    ratio_columns = ("predicted/measured", "messages of a cycle, counted / of a sweep, predicted", "doubles, likewise")
    found = {str(row[0]): float(str(row[4])) for row in rows if row[0] in names and row[0] != ALONE}
    least = min(found, key=lambda name: found[name])
    spread = f"the ratio of messages for {names[0]} is {found[names[0]] / found[least]:.0f} times that for {least}"
    caption = f"{case.kind.title}: the analytical model by the directions that are split; {spread}"
    return Table((*columns, *ratio_columns), tuple(rows), caption)


def split_directions(case: Case) -> tuple[tuple[str, ...], Array]:
    """Return the sets of directions with several ranks, the largest first, and that of each configuration."""
    configurations = case.loaded.inputs.measurements.configurations
    directions = topology(case)
    sets = [each for size in range(len(directions), 0, -1) for each in combinations(directions, size)]
    names = (*(", ".join(each) for each in sets), ALONE)
    several = np.stack([configurations.value(name) > 1 for name in directions], axis=1)
    split = [", ".join(compress(directions, row)) or ALONE for row in several.tolist()]
    return names, np.array(split)


def counted_and_predicted(case: Case, parameter: str) -> tuple[Array, Array]:
    """Return what one rank sends in one iteration, counted and by the analytical model.

    `parameter`: `alpha` for messages, `beta` for doubles: their numbers are its factors in the model.
    """
    measurements = case.loaded.inputs.measurements
    configurations = measurements.configurations
    ranks = np.prod([configurations.value(name) for name in topology(case)], axis=0)
    what, size = {"alpha": ("messages", 1), "beta": ("bytes", BYTES_PER_DOUBLE)}[parameter]
    counted = measurements.column(what) / (size * ranks * measurements.column("iterations"))
    values = {"alpha": 0.0, "beta": 0.0, "f": 0.0, parameter: 1.0}
    source = read_source(HERE / case.kind.folder / "analytical.txt")
    return counted, parse_model_text(source, measurements.system, values).predict(configurations)


def counts_picture(case: Case) -> str:
    """Return a picture (SVG) of what was counted against what the model predicts: messages, and doubles."""
    names, split = split_directions(case)
    # One rank sends nothing.
    roles = dict(zip(SERIES, names[:-1], strict=False))
    panels = []
    for name, parameter in DRAWN.items():
        counted, predicted = counted_and_predicted(case, parameter)
        x = Axis.over(predicted[split != ALONE], "predicted for a relaxation sweep", log=True)
        y = Axis.over(counted[split != ALONE], f"{name}, counted", log=True)
        ends = np.array([predicted[split != ALONE].min(), predicted.max()])
        points = (Points(predicted[split == each], counted[split == each], role) for role, each in roles.items())
        panels.append(Panel(x, y, (Curve(ends, ends, "quiet"), *points), width=380, height=340))
    legend: dict[Role, str] = {role: f"{each} split" for role, each in roles.items()}
    legend["quiet"] = "as predicted"
    title, about = "Messages and doubles of one rank", "Counted against predicted, by the directions that are split."
    return chart_svg(Chart("counts", title, about, tuple(panels), legend))
