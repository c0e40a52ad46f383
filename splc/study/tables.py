"""The tables and pictures of a study; its main tables have the layout of tables 5.6 to 5.13 of the thesis."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from comparison.compare import compare_all, compared_model
from splc.data.property_unit import titled
from splc.errors import listed
from splc.io.numbers import without_rounding
from splc.io.tables import Cell, Spread, Table
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.curves import learning_curve_chart
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import sorted_chart
from splc.study.results import ANALYTICAL, LEARNING, OF_TERMS, Errors, Results, Run, cell_of, errors_of, grouped, titles
from splc.study.specification import Study
from splc.study.tasks import Loaded

CAPTIONS = {
    "analytical_learned": "Learned models (b) compared with the analytical model (a)",
    "measured_learned": "Learned models (b) compared with the measurements (a)",
    "measured_analytical": "The analytical model (b) compared with the measurements (a)",
}
CURVES = "Error on all others by the number of configurations learned from, %"
NOT_OF_ALL = ("rounds", "terms")  # only some learners have these rows
# The rows of the table that compares learners.
COMPARED_LEARNERS = ("error", "error_all", "learning_error", "terms")
FORMAT = "svg"
_NAMES = ("predictions", "unscaled", "terms", "errors")
PREDICTIONS, UNSCALED, TERM_SCORES, ERRORS = (f"pictures/{name}.{FORMAT}" for name in _NAMES)


def spread(values: Sequence[float | None]) -> Cell:
    """Return the mean of several values with their (sample) standard deviation, a single value as it is.

    None if one of them is undefined: the mean of the others would refer to fewer runs.
    """
    numbers = [value for value in values if value is not None]
    if not numbers or len(numbers) < len(values):
        return None
    if len(numbers) == 1:
        return numbers[0]
    if len(set(numbers)) == 1:
        return Spread(float(numbers[0]), 0.0)
    try:
        mean = statistics.fmean(numbers)
        return Spread(mean, without_rounding(statistics.stdev(numbers), abs(mean)))
    except OverflowError:
        return None


def tables_of(study: Study, results: Results) -> Iterator[Table]:
    """Yield the tables of `table.md`."""
    seeded = any(run.task.seeded for run in results.runs)
    over = " (mean over the seeds, ± standard deviation in % of the mean)" if seeded else ""
    by_learner = grouped(results.runs, study.samplings)
    several = len(by_learner) > 1
    for learner, samplings in by_learner.items():
        whose = f", learner {learner}" if several else ""
        for group in ("analytical_learned", "measured_learned"):
            if rows := [tuple(cells) for _, *cells in _rows(study, group, samplings)]:
                factor = f", which is multiplied by {study.scale:g}"
                scaled = factor if group == "analytical_learned" and study.scale != 1 else ""
                every = [run for runs in samplings.values() for run in runs]
                # The mean over the seeds is undefined where one model has no syntactic score.
                labels = [run.task.label for run in every if run.values.get(group, {}).get("syntactic", 0) is None]
                form = "terms are not compared where one model is a sum and the other one a product"
                uncompared = f"; {form}: {listed(labels)}" if labels else ""
                caption = f"{CAPTIONS[group]}{whose}{scaled}{over}{uncompared}"
                yield Table(("measure", *study.samplings), tuple(rows), caption)
        found = [
            row for row in _learning_rows(samplings) if row[0] not in NOT_OF_ALL or any(c is not None for c in row[2:])
        ]
        rows = [tuple(cells) for _, *cells in found]
        yield Table(("learning", *study.samplings), tuple(rows), f"What was learned{whose}{over}")
    if several:
        cells_of = {name: {key: cells for key, *cells in _learning_rows(each)} for name, each in by_learner.items()}
        entries = [(cells[key], name) for key in COMPARED_LEARNERS for name, cells in cells_of.items()]
        rows = [(title, learner, *cells) for (title, *cells), learner in entries]
        yield Table(("measure", "learner", *study.samplings), tuple(rows), f"Learners compared{over}")
        if (curves := curves_table(errors_of(results.runs))) is not None:
            yield replace(curves, caption=f"{curves.caption}{over}")
    if (test := results.test()) is not None:
        groups = tuple((name, test.sizes[name], median) for name, median in test.medians.items())
        statistic = f"Kruskal-Wallis H = {test.statistic:.4g}, p = {test.p_value:.3g}"
        caption = f"Errors on all measured configurations over the seeds: {statistic}"
        yield Table(("group", "runs", "median error, %"), groups, caption)
        pairs = tuple((pair.first, pair.second, pair.p_value, pair.a12, pair.magnitude) for pair in test.pairs)
        dunn = f"Dunn's test, corrected ({test.correction})"
        caption = f"Pairs: {dunn}, and A12, above 0.5 if the first has the larger errors"
        yield Table(("first", "second", "Dunn p", "A12", "effect"), pairs, caption)
    if results.analytical is not None:
        # As tables 5.7, 5.9, 5.11 and 5.13 of the thesis.
        values = {"result": results.analytical}
        if results.unscaled is not None:
            values = {f"multiplied by {study.scale:g}": results.analytical, "as it is": results.unscaled}
        rows = [
            (title, *(cell_of(key, each.get(key)) for each in values.values()))
            for key, title in titles("measured_analytical", study.measures).items()
            if key not in OF_TERMS
        ]
        yield Table(("measure", *values), tuple(rows), CAPTIONS["measured_analytical"])
    if refused := [
        (run.learner, run.sampling, "–" if run.seed is None else str(run.seed), _line(run.reason))
        for run in results.runs
        if run.reason is not None
    ]:
        yield Table(("learner", "sampling", "seed", "reason"), tuple(refused), "Without a result")


def whole_table(study: Study, results: Results) -> Table:
    """Return `table.csv`: everything in one table; the column `analytical` is about the analytical model alone."""
    rows: list[tuple[Cell, ...]] = []
    for learner, samplings in grouped(results.runs, study.samplings).items():
        for group in ("analytical_learned", "measured_learned", "learning"):
            found = _learning_rows(samplings) if group == "learning" else _rows(study, group, samplings)
            rows += [(learner, group, key, title, "ours", *values, None) for key, title, *values in found]
    no_values = (None,) * len(study.samplings)
    for suffix, scores in (("", results.analytical), ("_unscaled", results.unscaled)):
        rows += [
            ("", f"measured_analytical{suffix}", key, title, "ours", *no_values, cell_of(key, scores.get(key)))
            for key, title in titles("measured_analytical", study.measures).items()
            if scores is not None and key not in OF_TERMS
        ]
    columns = ("learner", "compared", "measure", "title", "source", *study.samplings, "analytical")
    return Table(columns, tuple(rows))


def runs_table(study: Study, results: Results) -> Table:
    """Return `runs.csv`: one row per run with all its numbers; similarities are fractions, as in `splc compare`."""
    measures = [
        (group, key)
        for group in ("analytical_learned", "measured_learned")
        for key in titles(group, study.measures)
        if any(key in run.values.get(group, {}) for run in results.runs)
    ]
    columns = ("learner", "sampling", "seed", "reason", "log", "termination", *LEARNING)
    rows: list[tuple[Cell, ...]] = [
        (
            *(run.learner, run.sampling, run.seed, _line(run.reason), run.log or "", run.record.termination or ""),
            *map(run.number, LEARNING),
            *(run.values.get(group, {}).get(key) for group, key in measures),
        )
        for run in results.runs
    ]
    return Table((*columns, *(f"{group}.{key}" for group, key in measures)), tuple(rows))


def _rows(study: Study, group: str, samplings: Mapping[str, Sequence[Run]]) -> Iterator[tuple[Cell, ...]]:
    """Yield key, title and one cell per sampling."""
    for key, title in titles(group, study.measures).items():
        found = [[run.values[group] for run in runs if group in run.values] for runs in samplings.values()]
        values = [[cell_of(key, each.get(key)) for each in of_sampling] for of_sampling in found]
        if any(value is not None for of_sampling in values for value in of_sampling):
            yield key, title, *map(spread, values)


def _learning_rows(samplings: Mapping[str, Sequence[Run]]) -> Iterator[tuple[Cell, ...]]:
    """Yield key, title and one cell per sampling of the rows about learning."""
    learned = [[run for run in runs if run.record.reason is None] for runs in samplings.values()]
    yield "models", "models learned", *map(len, learned)
    yield "runs", "of runs", *map(len, samplings.values())
    for key, title in LEARNING.items():
        yield key, title, *(spread([cell_of(key, run.number(key)) for run in runs]) for runs in learned)


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


@dataclass(frozen=True)
class CurvePoint:
    """The runs of a learner with one sampling."""

    sampling: str
    size: float  # the mean number of configurations learned from
    error: float  # the mean error on all others, in percent
    deviation: float  # its (sample) standard deviation over the runs, 0 for one run


def learning_curves(errors: Errors) -> dict[str, tuple[CurvePoint, ...]]:
    """Return learner → its points by size, without samplings that leave nothing to judge by; maybe no points."""
    curves: dict[str, tuple[CurvePoint, ...]] = {}
    for learner, samplings in errors.items():
        points = []
        for sampling, runs in samplings.items():
            if pairs := [(size, error) for size, error in runs if size and error is not None]:
                sizes, values = zip(*pairs, strict=True)
                deviation = statistics.stdev(values) if len(values) > 1 else 0.0
                points.append(CurvePoint(sampling, statistics.fmean(sizes), statistics.fmean(values), deviation))
        curves[learner] = tuple(sorted(points, key=lambda point: point.size))
    return curves


def curves_chart(errors: Mapping[str, Errors], title: str) -> Chart | None:
    """Return the errors as a chart with a panel per name; None if no learner has several sizes."""
    curves = {name: learning_curves(each) for name, each in errors.items()}
    panels = {
        name: {
            learner: [(point.size, point.error, point.deviation) for point in line] for learner, line in lines.items()
        }
        for name, lines in curves.items()
    }
    if not any(line and line[0][0] < line[-1][0] for lines in panels.values() for line in lines.values()):
        return None
    return learning_curve_chart(panels, list(dict.fromkeys(name for lines in panels.values() for name in lines)), title)


def curves_table(errors: Errors) -> Table | None:
    """Return the errors as a table, one row per sampling and one column per learner; None without an error."""
    curves = learning_curves(errors)
    cells: dict[tuple[str, str], Cell] = {}
    sizes: dict[str, float] = {}
    for learner, line in curves.items():
        for point in line:
            sizes.setdefault(point.sampling, point.size)
            single = len(errors[learner][point.sampling]) == 1
            cells[learner, point.sampling] = point.error if single else Spread(point.error, point.deviation)
    rows = [
        (sampling, int(size) if size == int(size) else size, *(cells.get((learner, sampling)) for learner in curves))
        for sampling, size in sorted(sizes.items(), key=lambda pair: pair[1])
    ]
    return Table(("sampling", "configurations", *curves), tuple(rows), CURVES) if rows else None


def pictures_of(study: Study, loaded: Loaded, results: Results) -> dict[str, bytes]:
    """Return file name → picture, as figures 5.1 to 5.7 of the thesis, and the errors by size of the learning set.

    Without a model with terms there are no pictures of models; without two sizes there is none of errors.
    """
    charts: dict[str, Chart | None] = {}
    inputs, best, analytical = loaded.inputs, results.best, loaded.analytical
    title = f"{inputs.system.name}: {inputs.nfp}"
    charts[ERRORS] = curves_chart({title: errors_of(results.runs)}, title)
    model = None if best is None else best.record.learned(inputs.system)
    if best is not None and model is not None:
        configurations, name = inputs.measurements.configurations, f"learned, {best.task.label}"
        learned = model.predict(configurations)
        nfp = titled(inputs.nfp, inputs.measurements.unit(inputs.nfp))
        if analytical is None:
            charts[PREDICTIONS] = sorted_chart((name,), learned[np.newaxis], inputs.measured, nfp)
        else:
            factors = {PREDICTIONS: study.scale} if study.scale == 1 else {UNSCALED: 1.0, PREDICTIONS: study.scale}
            for file, factor in factors.items():
                expected = analytical.scaled(factor).predict(configurations)
                title = ANALYTICAL if factor == 1 else f"{ANALYTICAL} × {factor:g}"
                charts[file] = sorted_chart((title, name), np.stack([expected, learned]), inputs.measured, nfp)
            models = ((ANALYTICAL, analytical.scaled(study.scale)), (name, model))
            compared = compare_all([compared_model(*pair, study.at) for pair in models], constant=study.constant)
            if any(comparison.same_link and comparison.syntactic.terms for comparison in compared.comparisons):
                charts[TERM_SCORES] = term_chart(compared.comparisons)
    return {file: chart_file(chart, FORMAT) for file, chart in charts.items() if chart is not None}


def picture_names(study: Study, analytical: bool) -> tuple[str, ...]:
    """Return the names of the pictures that a study may have."""
    if not analytical:
        return (ERRORS, PREDICTIONS)
    return (ERRORS, PREDICTIONS, TERM_SCORES, *([UNSCALED] if study.scale != 1 else []))
