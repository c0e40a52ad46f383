"""Numbers about the measurements and the analytical models of SMG2000 and BoomerAMG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from casestudies.report.studies import HERE, Case
from casestudies.report.tables import label
from comparison.places import discrepancy
from splc import read_model
from splc.data.accuracy import mean_relative_error
from splc.formats.models.read import read_parameters
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.io.numbers import rounded_text
from splc.io.tables import Cell, Table
from splc.types import Array

COMPUTED = "solve_compute_seconds"
SECONDS = ("solve_seconds", "setup_seconds", COMPUTED)
EXACT = ("messages", "bytes")
TOPOLOGY = ("px", "py", "pz")
# Of the thesis' analytical models against its measurements, in percent (section 5.4.1).
PUBLISHED = {"smg2000/1d": 9.7, "smg2000/2d": 63, "smg2000/3d": 167, "boomeramg": 22.4}
_RATIOS = "measured/predicted, geometric mean (range)"
REDUCED: Mapping[str, Callable[..., Array]] = {"mean": np.nanmean, "median": np.nanmedian, "minimum": np.nanmin}


def error(measured: Array, predicted: Array) -> float:
    """Return the mean relative error in percent."""
    found = mean_relative_error(predicted, measured)
    assert found is not None
    return found


def ratio_text(measured: Array, predicted: Array) -> str:
    """Return the geometric mean and the range of measured / predicted."""
    ratios = measured / predicted
    least, most = (rounded_text(float(each), 3) for each in _ends(ratios))
    return f"{geometric_mean(ratios)} ({least} to {most})"


def geometric_mean(ratios: Array) -> str:
    """Return the geometric mean as text."""
    return rounded_text(float(np.exp(np.log(ratios).mean())), 3)


def factors(cases: Sequence[Case]) -> Table:
    """Return the errors of the analytical models, without a factor and with the best one."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        measured, predicted = case.loaded.inputs.measured, _predicted(case)
        scaled = f"{error(measured, case.study.scale * predicted):.1f} %" if case.study.scale != 1 else None
        errors = f"{error(measured, predicted):.2f} %", scaled
        missed = discrepancy(measured, predicted)
        assert missed is not None
        best, theirs = f"{missed.error:.1f} % ({rounded_text(missed.factor, 3)})", f"{PUBLISHED[case.kind.folder]:g} %"
        rows.append((dimension(case), ratio_text(measured, predicted), *errors, best, theirs))
    columns = ("error", "error, times 500", "error, best factor", "thesis")
    return Table(("", _RATIOS, *columns), tuple(rows))


def sizes(cases: Sequence[Case]) -> Table:
    """Return the numbers of configurations, of repetitions and of ranks."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        measurements = case.loaded.inputs.measurements
        ranks = np.prod([measurements.configurations.value(name) for name in topology(case)], axis=0)
        counts = np.isfinite(measurements.repetitions(COMPUTED)).sum(axis=1)
        often = " to ".join(dict.fromkeys(map(str, _ends(counts))))
        by_ranks = " / ".join(f"{int(each.sum()):,}" for each in (ranks == 1, ranks == 2, ranks > 2))
        rows.append((dimension(case), f"{len(measurements):,}", often, f"{int(counts.sum()):,}", by_ranks))
    columns = ("", "configurations", "repetitions", "rows", "configurations with 1 rank / 2 ranks / more")
    return Table(columns, tuple(rows))


def variations(cases: Sequence[Case]) -> Table:
    """Return the coefficients of variation of the repetitions (n − 1), median / 90th percentile, in percent."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        measurements = case.loaded.inputs.measurements
        cells = [
            "{:.0f} / {:.0f}".format(*np.percentile(variation(measurements.repetitions(name)), (50, 90)))
            for name in SECONDS
        ]
        exact = max(float(variation(measurements.repetitions(name)).max()) for name in EXACT)
        rows.append((dimension(case), *cells, f"{exact:.0f}"))
    return Table(("", *SECONDS, "messages, bytes"), tuple(rows))


def variation(repetitions: Array) -> Array:
    """Return the coefficient of variation in percent of each row measured twice or more, 0 where the mean is 0."""
    repetitions = repetitions[np.isfinite(repetitions).sum(axis=1) > 1]
    means = np.nanmean(repetitions, axis=1)
    deviations = np.nanstd(repetitions, axis=1, ddof=1)
    return np.asarray(100 * np.divide(deviations, means, out=np.zeros_like(means), where=means != 0))


def topology(case: Case) -> tuple[str, ...]:
    """Return the options that are the numbers of ranks by direction."""
    return tuple(name for name in TOPOLOGY if name in case.loaded.inputs.system.names)


def dimension(case: Case) -> str:
    """Return `1-D`, `2-D`, `3-D`, or the name of another case."""
    return case.kind.title.removeprefix("SMG2000 ")


def conventions(case: Case) -> Table:
    """Return the errors of BoomerAMG's analytical model by the value that represents the repetitions."""
    measurements = case.loaded.inputs.measurements
    predicted = _predicted(case)
    folder = HERE / case.kind.folder
    parameters = read_parameters(folder / "parameters.toml")
    model = read_model(folder / "analytical_3.2.2.txt", case.loaded.inputs.system, parameters=parameters)
    other = model.predict(measurements.configurations)
    rows: list[tuple[Cell, ...]] = []
    for name, reduce in REDUCED.items():
        measured = reduce(measurements.repetitions(COMPUTED), axis=1)
        missed = discrepancy(measured, predicted)
        assert missed is not None
        errors = [f"{error(measured, each):.1f} %" for each in (predicted, other)]
        rows.append((name, ratio_text(measured, predicted), *errors, f"{missed.error:.1f} % (× {missed.factor:.2f})"))
    return Table(("repetitions", _RATIOS, "error", "error, 3.2.2", "error, best factor"), tuple(rows))


def levels(case: Case) -> Table:
    """Return, by level, measured / predicted, and the level's part of the time of all levels."""
    measurements = case.loaded.inputs.measurements
    names = sorted(name for name in measurements.properties if name.startswith("level_"))
    parts = _by_level(case, len(names))
    whole = np.nansum([measurements.column(name) for name in names])
    rows: list[tuple[Cell, ...]] = []
    for level, name in enumerate(names):
        measured, predicted = measurements.column(name), parts[level]
        there = (measured > 0) & (predicted > 0)
        mean = geometric_mean(measured[there] / predicted[there]) if there.any() else None
        share = rounded_text(float(100 * np.nansum(measured) / whole), 2)
        rows.append((level, int(there.sum()), mean, f"{share} %"))
    return Table(("level", "configurations", "measured/predicted", "of the time"), tuple(rows))


def learned(case: Case) -> Table:
    """Return the errors of the learned models (seed 0), on their learning sets and on all other configurations."""
    names = list(dict.fromkeys(run.task.learner.name for run in case.results.runs))
    found: dict[str, dict[str, str]] = {}
    for run in case.results.runs:
        if run.record.learning_error is None or run.task.seed:
            continue
        others = "–" if run.record.error is None else f"{run.record.error:.1f}"
        cell = f"{run.record.learning_error:.1f} / {others}"
        found.setdefault(label(run).removesuffix(" seed 0"), {})[run.task.learner.name] = cell
    rows = tuple((design, *(cells.get(name) for name in names)) for design, cells in found.items())
    return Table(("learned from", *names), rows)


def _predicted(case: Case) -> Array:
    assert case.loaded.analytical is not None
    return case.loaded.analytical.predict(case.loaded.inputs.measurements.configurations)


def _by_level(case: Case, count: int) -> tuple[Array, ...]:
    """Return the predictions of BoomerAMG's analytical model for each level, 0 for missing levels."""
    folder = HERE / case.kind.folder
    parameters = read_parameters(folder / "parameters.toml")
    lines = (folder / "analytical.txt").read_text(encoding="utf-8").splitlines()
    found = []
    for level in range(count):
        names = ("P", *(f"{part}_{level}" for part in ("Smooth", "Restrict", "Interpolate", "Solve")))
        kept = [line for line in lines if line.partition("=")[0].strip() in names]
        text = "\n".join([*kept, f"T = iterations * Solve_{level}", ""])
        model = parse_model_text(Source(f"level {level}", text.encode()), case.loaded.inputs.system, parameters)
        found.append(model.predict(case.loaded.inputs.measurements.configurations))
    return tuple(found)


def _ends(values: Array) -> tuple[float, float]:
    return values.min(), values.max()
