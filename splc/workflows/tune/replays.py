"""Replays of tuning runs: the rows of a table answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from sampling import Space
from splc.data.property_unit import quantity
from splc.data.summary import LEAST, scatter_of
from splc.errors import LearningError, RequestError
from splc.formats.measurements.selections import parse_assignments
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.tuning.objective import Goal, TuningObjective
from splc.tuning.replay import Replay, rows_within, true_front
from splc.tuning.replay import replay as replay_table
from splc.workflows.note import Note, Notes, run_notes
from splc.workflows.subspace import fixed_space
from splc.workflows.tune.request import Request, default_of
from splc.workflows.verb import UNWATCHED, Watch
from splc.workflows.views import Column, Rows, View, columns, counted

# A configuration counts as equally good if it is worse than the best one by at most this percentage.
NEAR = 1.0
_percent = partial(percentage, digits=2)


@dataclass(frozen=True, eq=False)
class ReplayResult:
    """Replays of tuning runs."""

    nfp: str  # the property
    unit: str | None  # its unit, None if it is not known
    maximize: bool  # whether large values are good
    configurations: int  # the number of configurations of the table
    optimum: float | None  # the best value of the table, within the limits; None of several properties
    replays: tuple[Replay, ...]  # the replays, by budget and seed
    interrupted: bool = False  # whether replays are left because of an interruption
    notes: tuple[Note, ...] = ()  # what the user should know
    goals: tuple[Goal, ...] = ()  # the properties that are tuned
    front: int | None = None  # the number of configurations of the table's Pareto front; None of one property
    # budget → the share of the front's hypervolume that as many random runs have, in percent; empty of one
    random: Mapping[int, float] = field(default_factory=dict)


def replay(request: Request, watch: Watch = UNWATCHED) -> ReplayResult:
    """Replay tuning runs on the rows of a table."""
    request.require_consistent()
    texts = request.properties
    # A list of names is split as soon as the columns are known, for names may have commas.
    nfp = texts[0] if texts and "," not in texts[0] else None
    project = replace(request.project(measurements=request.replay, nfp=nfp), measured=True)
    with Notes() as notes:
        space = Space(request.read_system(project, notes, observed=False))
        table = request.read_measurements(project, space, notes)
        split = [part.strip() for text in texts for part in ((text,) if text in table.values else text.split(","))]
        names = [table.resolve_property(name) for name in split] or [project.resolve_property(table)]
        nfp = names[0]
        settings = request.settings(names)
        notes.add(note for name in names for note in run_notes([table], name))
        scatter = scatter_of([table.values[nfp]])
        if scatter is not None and scatter >= LEAST:
            text = f"the table answers with the means of runs that differ by {percentage(100 * scatter, 3)}"
            notes.append(Note(f"{text}: gains and regrets are those of means, not of single runs"))
        columns = {name: table.column(name) for name in names}
        searched = fixed_space(space, parse_assignments(request.fix, space.system))
        mask = np.all([~np.isnan(column) for column in columns.values()], axis=0)
        rows = np.flatnonzero(mask & searched.check(table.configurations))
        if not len(rows):
            raise LearningError("no row of the table has a value and the fixed values")
        configurations = table.configurations[rows]
        default = default_of(request.default, searched)
        if default is not None and configurations.find(default)[0] < 0:
            raise RequestError("the table has no row of the default", "default")
        columns = {name: column[rows] for name, column in columns.items()}
        replays: list[Replay] = []
        total = len(request.budget) * request.seeds
        for budget, seed in product(request.budget, range(request.seed, request.seed + request.seeds)):
            if watch.stop():
                break
            watch.advance(len(replays), total, "")
            replays.append(replay_table(configurations, columns, nfp, budget, default=default, seed=seed, **settings))
        if max(request.budget) > len(rows):
            notes.append(Note(f"the table has only {len(rows):,} rows: runs end when all were measured"))
        goals = (Goal(nfp, settings["maximize"]), *settings["further"])
        objective = TuningObjective(nfp, settings["maximize"], settings["limits"], None, settings["further"])
        y = columns[nfp][rows_within(objective, columns)]
        front = true_front(objective, columns) if settings["further"] else None
        optimum = None if front is not None else float(y.max() if settings["maximize"] else y.min())
        random = {} if front is None else {budget: front.random_share(budget) for budget in request.budget}
        table_facts = (nfp, table.unit(nfp), settings["maximize"], len(rows), optimum)
        size = None if front is None else len(front.places)
        return ReplayResult(*table_facts, tuple(replays), len(replays) < total, tuple(notes), goals, size, random)


def replays_as_json(result: ReplayResult) -> dict[str, Any]:
    """Return the JSON object of replays: their values are in the order of measurement."""
    keys = "seed, budget, values, best, rank_percent, regret, hypervolume_percent"
    return {
        "schema": "splc.tune.replays/1",
        **picked(result, "nfp, unit, maximize, configurations, optimum, front, random_hypervolume_percent = random"),
        "replays": [picked(replay, keys) for replay in result.replays],
        "interrupted": result.interrupted,
        "notes": [note.text for note in result.notes],
    }


def _summary(budget: int, replays: list[Replay]) -> dict[str, float]:
    """Return the means of replays with one budget; regrets are left out where one is not defined."""
    n = len(replays)
    regrets = [replay.regret for replay in replays if replay.regret is not None]
    summary = {
        "budget": budget,
        # The mean share of better configurations in percent, and that of as many random runs.
        "rank": sum(replay.rank_percent or 0.0 for replay in replays) / n,
        "random": 100 / (budget + 1),
        # The mean sum of all values, such as the time that the runs take.
        "total": sum(sum(value for value in replay.values if value is not None) for replay in replays) / n,
    }
    if len(regrets) == n:
        near = 100 * sum(regret <= NEAR for regret in regrets) / n
        summary |= {"regret": sum(regrets) / n, "worst": max(regrets), "near": near}
    return summary


def view_of_replays(result: ReplayResult) -> View:
    """Yield how good the found configurations are, by budget, and each replay if there is one budget."""
    by_budget: dict[int, list[Replay]] = {}
    for replay in result.replays:
        by_budget.setdefault(replay.budget, []).append(replay)
    detailed = len(by_budget) == 1 and len(result.replays) > 1
    if result.front is not None:
        yield from _fronts(result, by_budget, detailed=detailed)
        return
    assert result.optimum is not None
    size = counted(result.configurations, "configuration")
    yield f"best {result.nfp} of {size}: {quantity(result.optimum, result.unit)}"
    if detailed:
        yield Rows(result.replays, (*columns("seed, best"), *columns("better = rank_percent, regret", _percent)))
        yield ""
    means = "better configurations = rank, of random runs = random, regret, largest regret = worst, within 1 % = near"
    shown = (Column("runs", "budget"), *columns(means, _percent))
    if result.unit in ("s", "ms", "µs", "ns", "min", "h"):
        shown += (Column("all runs take", "total", lambda value: quantity(value, result.unit, 3), right=True),)
    yield Rows([_summary(*replays) for replays in by_budget.items()], shown)


def _fronts(result: ReplayResult, by_budget: dict[int, list[Replay]], *, detailed: bool) -> View:
    """Yield how much of the table's Pareto front is found, by budget."""
    names = " and ".join(f"{'greatest' if goal.maximize else 'least'} {goal.nfp}" for goal in result.goals)
    front = counted(result.front or 0, "configuration")
    yield f"front of {names}: {front} of {result.configurations:,}"
    if detailed:
        yield Rows(result.replays, (*columns("seed"), *columns("hypervolume = hypervolume_percent", _percent)))
        yield ""
    rows = []
    for budget, replays in by_budget.items():
        shares = [replay.hypervolume_percent or 0.0 for replay in replays]
        mean = sum(shares) / len(shares)
        rows.append({"budget": budget, "mean": mean, "least": min(shares), "random": result.random[budget]})
    means = columns("hypervolume of the front = mean, least, of random runs = random", _percent)
    yield Rows(rows, (Column("runs", "budget"), *means))
