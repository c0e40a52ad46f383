"""The tables of a study, in the layout of tables 5.6 to 5.13 of the thesis; published values are below ours."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from splc.errors import listed
from splc.io.tables import Cell, Spread, Table
from splc.study.group_tests import group_tables, study_test
from splc.study.learning_curves import Errors, curves_table
from splc.study.results import Results, Run
from splc.study.rows import OF_TERMS, Values, in_table, published_titles, titles
from splc.study.specification import Study

CAPTIONS = {
    "analytical_learned": "Learned models (b) compared with the analytical model (a)",
    "measured_learned": "Learned models (b) compared with the measurements (a)",
    "measured_analytical": "The analytical model (b) compared with the measurements (a)",
}
# Rows about learning: key → title, value of a run.
LEARNING: dict[str, tuple[str, Callable[[Run], float | None]]] = {
    "learned_from": ("configurations learned from", lambda run: run.record.learned_from),
    "rounds": ("rounds", lambda run: run.record.rounds),
    "terms": ("terms", lambda run: run.terms),
    "learning_error": ("learning error, %", lambda run: run.record.learning_error),
    "error": ("error on all others, %", lambda run: run.record.error),
    "error_all": ("error on all measured, %", lambda run: run.record.error_all),
}
# Only some learners have these rows.
NOT_OF_ALL = ("rounds", "terms")
# The rows of the table that compares learners.
COMPARED_LEARNERS = ("error", "error_all", "learning_error", "terms")


def spread(values: Sequence[float | None]) -> Cell:
    """Return the mean of several values with their (sample) standard deviation, a single value as it is.

    None if one of them is undefined: the mean of the others would refer to fewer runs.
    """
    if not values or any(value is None for value in values):
        return None
    numbers = [value for value in values if value is not None]
    if len(numbers) == 1:
        return numbers[0]
    if len(set(numbers)) == 1:
        return Spread(float(numbers[0]), 0.0)
    try:
        return Spread(statistics.fmean(numbers), statistics.stdev(numbers))
    except OverflowError:
        return None


def groups(study: Study, results: Results) -> dict[str, dict[str, list[Run]]]:
    """Return learner → sampling → its runs, in order."""
    groups_by_learner: dict[str, dict[str, list[Run]]] = {}
    for run in results.runs:
        samplings = groups_by_learner.setdefault(run.task.learner.name, {name: [] for name in study.samplings})
        samplings[run.task.sampling].append(run)
    return groups_by_learner


def errors_of(study: Study, results: Results) -> Errors:
    """Return learner → sampling → the number of configurations learned from, and the error on all others, by run."""
    return {
        learner: {
            sampling: [(run.record.learned_from, run.record.error) for run in runs]
            for sampling, runs in samplings.items()
        }
        for learner, samplings in groups(study, results).items()
    }


def tables_of(study: Study, results: Results) -> Iterator[Table]:
    """Yield the tables of `table.md`."""
    by_learner = groups(study, results)
    several = len(by_learner) > 1
    for learner, samplings in by_learner.items():
        whose = f", learner {learner}" if several else ""
        for group in ("analytical_learned", "measured_learned"):
            rows = list(_rows(study, group, samplings))
            if rows:
                columns = ("measure", *study.samplings)
                caption = f"{CAPTIONS[group]}{whose}"
                if group == "analytical_learned" and study.scale != 1:
                    caption += f", which is multiplied by {study.scale:g}"
                caption += _deviations(results) + _not_compared(group, samplings)
                yield Table(columns, tuple(tuple(cells[1:]) for cells in rows), caption)
        rows = [
            cells
            for cells in _learning_rows(samplings)
            if cells[0] not in NOT_OF_ALL or any(cell is not None for cell in cells[2:])
        ]
        yield Table(
            ("learning", *study.samplings),
            tuple(tuple(cells[1:]) for cells in rows),
            f"What was learned{whose}" + _deviations(results),
        )
    if several:
        yield learners_table(study, results)
        curves = curves_table(errors_of(study, results))
        if curves is not None:
            yield replace(curves, caption=f"{curves.caption}{_deviations(results)}")
    if (test := study_test(results)) is not None:
        yield from group_tables(test)
    if results.analytical is not None:
        yield analytical_table(study, results)
    if refused := [run for run in results.runs if run.reason is not None]:
        rows_ = [
            (
                run.task.learner.name,
                run.task.sampling,
                str(run.task.seed) if run.task.seeded else "–",
                _line(run.reason or ""),
            )
            for run in refused
        ]
        yield Table(("learner", "sampling", "seed", "reason"), tuple(rows_), "Without a result")


def learners_table(study: Study, results: Results) -> Table:
    """Return the table that compares learners, one row for each measure and learner."""
    by_learner = groups(study, results)
    rows: list[tuple[Cell, ...]] = []
    for key in COMPARED_LEARNERS:
        for learner, samplings in by_learner.items():
            cells = next(cells for cells in _learning_rows(samplings) if cells[0] == key)
            rows.append((cells[1], learner, *cells[2:]))
    columns = ("measure", "learner", *study.samplings)
    return Table(columns, tuple(rows), "Learners compared" + _deviations(results))


def analytical_table(study: Study, results: Results) -> Table:
    """Return the table of the analytical model against the measurements (5.7, 5.9, 5.11, 5.13 of the thesis)."""
    assert results.analytical is not None
    scaled = results.unscaled is not None
    group = "measured_analytical"
    published = any(study.reference.has(group, key) for key in titles(group, study.measures))
    columns = ["measure", f"multiplied by {study.scale:g}" if scaled else "result"]
    columns += ["as it is"] * scaled + [study.reference.title] * published
    rows: list[tuple[Cell, ...]] = []
    for key, title in titles(group, study.measures).items():
        if key in OF_TERMS:
            continue
        cells: list[Cell] = [title, in_table(key, results.analytical.get(key))]
        if results.unscaled is not None:
            cells.append(in_table(key, results.unscaled.get(key)))
        if published:
            cells.append(study.reference.value("measured_analytical", key, None))
        rows.append(tuple(cells))
    return Table(tuple(columns), tuple(rows), CAPTIONS["measured_analytical"])


def whole_table(study: Study, results: Results) -> Table:
    """Return `table.csv`: everything in one table; the column `analytical` is about the analytical model alone."""
    rows: list[tuple[Cell, ...]] = []
    for learner, samplings in groups(study, results).items():
        for group in ("analytical_learned", "measured_learned"):
            for cells in _rows(study, group, samplings, marked=True):
                key, source, title, *values = cells
                rows.append((learner, group, key, title, source, *values, None))
        rows += [(learner, "learning", key, title, "ours", *v, None) for key, title, *v in _learning_rows(samplings)]
    no_values = (None,) * len(study.samplings)
    of_analytical: list[tuple[str, Values | None]] = [
        ("measured_analytical", results.analytical),
        ("measured_analytical_unscaled", results.unscaled),
    ]
    for name, scores in of_analytical:
        for key, title in titles("measured_analytical", study.measures).items():
            if scores is None or key in OF_TERMS:
                continue
            rows.append(("", name, key, title, "ours", *no_values, in_table(key, scores.get(key))))
            if name == "measured_analytical" and study.reference.has(name, key):
                published = study.reference.value(name, key, None)
                rows.append(("", name, key, title, study.reference.title, *no_values, published))
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
    columns = ["learner", "sampling", "seed", "reason", "log", "termination", *LEARNING]
    columns += [f"{group}.{key}" for group, key in measures]
    rows = []
    for run in results.runs:
        seed = run.task.seed if run.task.seeded else None
        log = run.task.log if run.record.log is not None else ""
        cells: list[Cell] = [run.task.learner.name, run.task.sampling, seed]
        cells += [_line(run.reason or ""), log, run.record.termination or ""]
        cells += [value(run) for _, value in LEARNING.values()]
        cells += [run.values.get(group, {}).get(key) for group, key in measures]
        rows.append(tuple(cells))
    return Table(tuple(columns), tuple(rows))


def _rows(study: Study, group: str, samplings: dict[str, list[Run]], marked: bool = False) -> Iterator[list[Cell]]:
    """Yield key, (source,) title and one cell per sampling: ours, then the published values."""
    for key, title in titles(group, study.measures).items():
        values_by_sampling = [
            [in_table(key, run.values[group].get(key)) for run in runs if group in run.values]
            for runs in samplings.values()
        ]
        if not any(value is not None for values in values_by_sampling for value in values):
            continue
        yield [key, *(["ours"] if marked else []), title, *(spread(values) for values in values_by_sampling)]
        if study.reference.has(group, key):
            published = [study.reference.value(group, key, sampling) for sampling in samplings]
            short_title = published_titles(group).get(key, title).partition(",")[0]
            name = title if marked else f"{short_title} ({study.reference.title})"
            yield [key, *([study.reference.title] if marked else []), name, *published]


def _learning_rows(samplings: dict[str, list[Run]]) -> Iterator[list[Cell]]:
    """Yield key, title and one cell per sampling of the rows about learning."""
    learned = [[run for run in runs if run.record.reason is None] for runs in samplings.values()]
    yield ["models", "models learned", *(len(runs) for runs in learned)]
    yield ["runs", "of runs", *(len(runs) for runs in samplings.values())]
    for key, (title, value) in LEARNING.items():
        yield [key, title, *(spread([value(run) for run in runs]) for runs in learned)]


def _deviations(results: Results) -> str:
    if any(run.task.seeded for run in results.runs):
        return " (mean over the seeds, ± standard deviation in % of the mean)"
    return ""


def _not_compared(group: str, samplings: Mapping[str, Sequence[Run]]) -> str:
    """Return which models have no syntactic score, so that the mean over their seeds is undefined."""
    uncompared = [
        run for runs in samplings.values() for run in runs if run.values.get(group, {}).get("syntactic", 0) is None
    ]
    if not uncompared:
        return ""
    names = listed([run.task.label for run in uncompared])
    return f"; terms are not compared where one model is a sum and the other one a product: {names}"


def _line(text: str) -> str:
    return " ".join(text.split())
