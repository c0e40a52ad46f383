"""Tables 5.6 to 5.13 of the thesis with our numbers, and the errors of the models on the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from casestudies.report.studies import DESIGNS, Case
from splc.io.numbers import rounded_text
from splc.io.tables import Cell, Spread, Table
from splc.study.results import Run, cell_of, published_error_rate, published_titles
from splc.study.tables import spread

ANALYTICAL, MEASURED = "analytical_learned", "measured_learned"
# The measures of tables 5.6, 5.8, 5.10 and 5.12; their error rate is relative to the learned model.
PUBLISHED = tuple(published_titles(ANALYTICAL))
ERROR_RATE = published_error_rate(ANALYTICAL)
TITLES = published_titles(MEASURED) | published_titles(ANALYTICAL)
SHORT = {key: title.partition(",")[0] for key, title in TITLES.items()}
PERCENT = ("error_rate", ERROR_RATE, "cosine", "jaccard")


def row(runs: Iterable[Run], value: Callable[[Run], float | None]) -> list[Cell]:
    """Return one cell per design: the mean of its models with the deviation over the seeds."""
    good = [run for run in runs if run.terms is not None]
    return [spread([value(run) for run in good if run.task.sampling == name]) for name in DESIGNS]


def measure(group: str, key: str) -> Callable[[Run], float | None]:
    """Return a function for the value of a measure, in the unit of the thesis' tables."""
    return lambda run: cell_of(key, run.values.get(group, {}).get(key))


def named(key: str) -> str:
    """Return the name of a measure as in the thesis' tables, with its unit."""
    return SHORT[key] + (" (%)" if key in PERCENT else "")


def of_models(case: Case) -> Table:
    """Return table 5.6, 5.8, 5.10 or 5.12: learned models against the analytical one, the thesis' values below."""
    rows: list[tuple[Cell, ...]] = []
    for key in PUBLISHED:
        rows.append((named(key), "ours", *row(case.runs, measure(ANALYTICAL, key))))
        published = [case.published(ANALYTICAL, key, name) for name in DESIGNS]
        rows.append(("", "thesis", *published))
    rows.append(("models", "ours", *(sum(run.task.sampling == name for run, _ in case.models) for name in DESIGNS)))
    rows.append(("learned from", "ours", *counts(case)))
    scaled = f" times {case.study.scale:g}" if case.study.scale != 1 else ""
    caption = f"Table {case.kind.tables[0]}, {case.kind.title}: learned models compared with the analytical one{scaled}"
    caption += "; ER relative to the learned model"
    return Table(("measure", "", *DESIGNS.values()), tuple(rows), caption)


def counts(case: Case) -> list[Cell]:
    """Return the sizes of the learning sets of the designs."""
    sizes = [{run.record.learned_from for run, _ in case.models if run.task.sampling == name} for name in DESIGNS]
    return [each.pop() if len(each) == 1 else None for each in sizes]


def of_analytical(case: Case) -> Table:
    """Return table 5.7, 5.9, 5.11 or 5.13: the analytical model compared with the measurements."""
    results, scaled = case.results, case.results.unscaled is not None
    assert results.analytical is not None
    ours = [results.analytical] + ([] if results.unscaled is None else [results.unscaled])
    rows: list[tuple[Cell, ...]] = []
    for key in published_titles(MEASURED):
        if key != "syntactic":
            theirs = case.published("measured_analytical", key)
            rows.append((named(key), *(cell_of(key, each.get(key)) for each in ours), theirs))
    columns = ("measure", f"ours, times {case.study.scale:g}", "ours, as it is") if scaled else ("measure", "ours")
    caption = f"Table {case.kind.tables[1]}, {case.kind.title}: the analytical model compared with the measurements"
    return Table((*columns, "thesis"), tuple(rows), caption)


def range_of(values: Iterable[float | None]) -> str:
    """Return the least and the greatest of some values as text."""
    known = [value for value in values if value is not None]
    return f"{rounded_text(min(known), 3)} to {rounded_text(max(known), 3)}" if known else "–"


def errors(cases: Iterable[Case]) -> Table:
    """Return the error rates of the learned models against the measurements."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        rate = measure(MEASURED, "error_rate")
        least, greatest = case.kind.published
        ours = range_of(rate(run) for run, _ in case.models)
        rows.append((case.kind.title, *row(case.runs, rate), ours, f"{least:g} to {greatest:g}"))
    caption = "Learned models compared with the measurements: ER in percent on all measured configurations"
    return Table(("case", *DESIGNS.values(), "ours, all", "thesis, all"), tuple(rows), caption)


def overview(cases: Iterable[Case]) -> Table:
    """Return the measured property and the errors of the analytical and the best learned model."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        results, best = case.results, best_of(case)
        assert results.analytical is not None
        unscaled = results.unscaled or results.analytical
        rows.append(
            (
                case.kind.title,
                case.loaded.inputs.nfp,
                len(case.loaded.inputs.measurements),
                unscaled.get("error_rate"),
                results.analytical.get("error_rate") if results.unscaled is not None else None,
                case.published("measured_analytical", "error_rate"),
                None if best is None else best.error,
                "–" if best is None else label(best),
                case.kind.published[0],
            )
        )
    columns = (
        "case",
        "property",
        "configurations",
        "analytical, as it is",
        "analytical, times 500",
        "thesis, analytical",
        "best learned",
        "from",
        "thesis, best learned",
    )
    return Table(columns, tuple(rows), "ER against the measurements, in percent")


def best_of(case: Case) -> Run | None:
    """Return the model with the least error rate, of the learner that the thesis used."""
    known = [(run.error, place, run) for place, run in enumerate(case.runs) if run.error is not None]
    return min(known)[2] if known else None


def label(run: Run) -> str:
    """Return the design of a run as the thesis names it, with its seed."""
    return DESIGNS[run.task.sampling] + (f" seed {run.task.seed}" if run.task.seeded else "")


def learners(case: Case) -> Table:
    """Return the error rates and numbers of terms of BoomerAMG's learners."""
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(run.task.learner.name for run in case.results.runs):
        runs = runs_of(case, name)
        rows.append((name, "ER (%)", *row(runs, measure(MEASURED, "error_rate"))))
        rows.append(("", "terms", *row(runs, lambda run: run.terms)))
    return Table(("learner", "", *DESIGNS.values()), tuple(rows), f"{case.kind.title}: models against the measurements")


def default_learner(case: Case) -> Table:
    """Return the errors and numbers of terms of the default learner beside those of SPL Conqueror's."""
    rows: list[tuple[Cell, ...]] = []
    values: dict[str, Callable[[Run], float | None]] = {
        "ER (%)": measure(MEASURED, "error_rate"),
        "outside (%)": lambda run: run.record.error,
        "terms": lambda run: run.terms,
    }
    for what, value in values.items():
        for title, name in (("SPL Conqueror", case.kind.options), ("default", "default")):
            rows.append(("" if name == "default" else what, title, *row(runs_of(case, name), value)))
    errors = zip(*(map(number, cells[2:]) for cells in rows[:2]), strict=True)
    ratios = (round(own / theirs, 2) if own and theirs else None for theirs, own in errors)
    rows.insert(2, ("", "default / SPL Conqueror", *ratios))
    caption = f"{case.kind.title}: the default learner and SPL Conqueror's on the same designs, from the options alone"
    return Table(("", "learner", *DESIGNS.values()), tuple(rows), caption)


def number(cell: Cell) -> float | None:
    """Return the number, or the mean, of a cell."""
    value = cell.mean if isinstance(cell, Spread) else cell
    return None if value is None or isinstance(value, str) else float(value)


def runs_of(case: Case, learner: str) -> list[Run]:
    """Return the runs of a learner."""
    return [run for run in case.results.runs if run.task.learner.name == learner]


def wall(cases: Iterable[Case]) -> Table:
    """Return the error rates against the wall time."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        if case.wall is not None:
            rows.append((case.kind.title, "learned", *row(case.wall.runs, measure(MEASURED, "error_rate"))))
            error = None if case.wall.analytical is None else case.wall.analytical.get("error_rate")
            rows.append(("", "analytical", error, *[None] * (len(DESIGNS) - 1)))
    caption = "The same models and designs with the wall time of the solve phase (solve_seconds): ER in percent"
    return Table(("case", "", *DESIGNS.values()), tuple(rows), caption)
