"""Replays of tuning runs: the rows of a table answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sampling import Space
from splc.data.run_pattern import LEAST, scatter_of
from splc.errors import LearningError, RequestError
from splc.formats.measurements.assignment import parse_assignments
from splc.io.numbers import percentage
from splc.tuning.objective import Goal, TuningObjective
from splc.tuning.replay import Replay, rows_within, true_front
from splc.tuning.replay import replay as replay_table
from splc.workflows.fixed_space import fixed_space
from splc.workflows.note import Note, Notes, run_notes
from splc.workflows.tune.request import Request, default_of


@dataclass(frozen=True, eq=False)
class ReplayResult:
    """Replays of tuning runs.

    Attributes:
        nfp: the property.
        unit: its unit, None if it is not known.
        maximize: whether large values are good.
        configurations: the number of configurations of the table.
        optimum: the best value of the table, within the limits; None of several properties.
        replays: the replays, by budget and seed.
        interrupted: whether replays are left because of an interruption.
        notes: what the user should know.
        goals: the properties that are tuned.
        front: the number of configurations of the table's Pareto front; None of one property.
        random: budget → the share of the front's hypervolume that as many random runs have, in percent; empty of one.
    """

    nfp: str
    unit: str | None
    maximize: bool
    configurations: int
    optimum: float | None
    replays: tuple[Replay, ...]
    interrupted: bool = False
    notes: tuple[Note, ...] = ()
    goals: tuple[Goal, ...] = ()
    front: int | None = None
    random: Mapping[int, float] = field(default_factory=dict)


def replay(
    request: Request,
    *,
    on_replay: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> ReplayResult:
    """Replay tuning runs on the rows of a table.

    Args:
        request: what to replay.
        on_replay: called before each replay with the numbers of finished ones and of all.
        should_stop: whether to stop after the current run.

    Raises:
        SplcError: if the request is wrong, or the table cannot be read.
    """
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
        mask = np.all([~np.isnan(column) for column in columns.values()], axis=0)
        fixed = parse_assignments(request.fix, space.system)
        mask &= fixed_space(space, fixed).check(table.configurations)
        if not mask.any():
            raise LearningError("no row of the table has a value and the fixed values")
        rows = np.flatnonzero(mask)
        configurations = table.configurations[rows]
        default = default_of(request.default, fixed_space(space, fixed))
        if default is not None and configurations.find(default)[0] < 0:
            raise RequestError("the table has no row of the default", "default")
        columns = {name: column[rows] for name, column in columns.items()}
        replays: list[Replay] = []
        total = len(request.budget) * request.seeds
        for budget in request.budget:
            for seed in range(request.seed, request.seed + request.seeds):
                if should_stop():
                    break
                on_replay(len(replays), total)
                replays.append(
                    replay_table(
                        configurations,
                        columns,
                        nfp,
                        budget,
                        default=default,
                        seed=seed,
                        **settings,
                    )
                )
        if max(request.budget) > len(rows):
            notes.append(Note(f"the table has only {len(rows):,} rows: runs end when all were measured"))
        goals = (Goal(nfp, settings["maximize"]), *settings["further"])
        objective = TuningObjective(nfp, settings["maximize"], settings["limits"], None, settings["further"])
        y = columns[nfp][rows_within(objective, columns)]
        front = true_front(objective, columns) if settings["further"] else None
        optimum = None if front is not None else float(y.max() if settings["maximize"] else y.min())
        random = {} if front is None else {budget: front.random_share(budget) for budget in request.budget}
        return ReplayResult(
            nfp,
            table.unit(nfp),
            settings["maximize"],
            len(rows),
            optimum,
            tuple(replays),
            len(replays) < total,
            tuple(notes),
            goals,
            None if front is None else len(front.places),
            random,
        )
