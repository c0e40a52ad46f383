"""Replays of tuning runs: the rows of a table answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sampling import Space
from splc.errors import LearningError, RequestError
from splc.formats.measurements.assignment import parse_assignments
from splc.tuning.replay import Replay
from splc.tuning.replay import replay as replay_table
from splc.workflows.fixed_space import fixed_space
from splc.workflows.note import Note, Notes
from splc.workflows.tune.request import Request, default_of


@dataclass(frozen=True, eq=False)
class ReplayResult:
    """Replays of tuning runs.

    Attributes:
        nfp: the property.
        unit: its unit, None if it is not known.
        maximize: whether large values are good.
        configurations: the number of configurations of the table.
        optimum: the best value of the table, within the limits.
        replays: the replays, by budget and seed.
        interrupted: whether replays are left because of an interruption.
        notes: what the user should know.
    """

    nfp: str
    unit: str | None
    maximize: bool
    configurations: int
    optimum: float
    replays: tuple[Replay, ...]
    interrupted: bool = False
    notes: tuple[Note, ...] = ()


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
    nfp = None if not request.properties else request.properties[0]
    project = replace(request.project(measurements=request.replay, nfp=nfp), measured=True)
    with Notes() as notes:
        space = Space(request.read_system(project, notes, observed=False))
        table = request.read_measurements(project, space, notes)
        nfp = project.resolve_property(table)
        names = [nfp, *(table.resolve_property(name) for name in request.properties[1:])]
        settings = request.settings(names)
        if settings["further"]:
            message = f"{settings['further'][0].nfp!r} has no --limit; a replay is of one property"
            raise RequestError(message, "properties")
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
        limits = settings["limits"]
        within = np.all([[limit.holds(value) for value in columns[limit.nfp].tolist()] for limit in limits], axis=0)
        y = columns[nfp][within] if len(limits) and within.any() else columns[nfp]
        optimum = float(y.max() if request.maximize else y.min())
        return ReplayResult(
            nfp,
            table.unit(nfp),
            request.maximize,
            len(rows),
            optimum,
            tuple(replays),
            len(replays) < total,
            tuple(notes),
        )
