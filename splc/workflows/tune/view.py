"""Replays of tuning runs, and the view of what a tuning run, its plan or replays found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.property_unit import SECONDS, quantity, span
from splc.data.summary import LEAST, scatter_of
from splc.errors import LearningError, RequestError, shorten
from splc.formats.measurements.selections import parse_assignments
from splc.io.json import picked
from splc.io.numbers import percentage, short_number
from splc.tuning.changes import changed, shown_values
from splc.tuning.objective import Goal, TuningObjective
from splc.tuning.replay import Replay, replay, rows_within, true_front
from splc.tuning.result import FoundConfiguration
from splc.workflows import views
from splc.workflows.learn.view import answer
from splc.workflows.note import Note, Noted, Notes, direction_notes, run_notes
from splc.workflows.subspace import failure_notes, failures_as_json, fixed_space
from splc.workflows.tune.live import WIDTH, Result, TuningPreview, goal_text, preview, run
from splc.workflows.tune.request import Request, default_of

NEAR = 1.0  # a configuration counts as equally good if it is worse than the best one by at most this percentage
_percent = partial(percentage, digits=2)


@dataclass(frozen=True, eq=False)
class ReplayResult(Noted):
    """Replays of tuning runs."""

    goals: tuple[Goal, ...]  # the properties that are tuned
    unit: str | None  # the unit of the first one, None if it is not known
    configurations: int  # the number of configurations of the table
    optimum: float | None  # the best value of the table, within the limits; None of several properties
    replays: tuple[Replay, ...]  # the replays, by budget and seed
    interrupted: bool = False  # whether replays are left because of an interruption
    front: int | None = None  # the number of configurations of the table's Pareto front; None of one property
    random: Mapping[int, float] = field(default_factory=dict)  # budget → that of as many random runs' hypervolume, in %


def replays_of(request: Request, watch: views.Watch) -> ReplayResult:
    """Replay tuning runs on the rows of a table."""
    request.require_consistent()
    texts = request.properties
    # A list of names is split as soon as the measured are known, for names may have commas.
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
        objective = TuningObjective(nfp, settings["maximize"], settings["limits"], None, settings["further"])
        notes += direction_notes(
            [(goal.nfp, table.unit(goal.nfp), goal.maximize) for goal in objective.goals], "tune", request
        )
        scatter = scatter_of(table.values[nfp])
        if scatter is not None and scatter >= LEAST:
            text = f"the table answers with the means of runs that differ by {percentage(100 * scatter, 3)}"
            notes.append(Note(f"{text}: gains and regrets are those of means, not of single runs"))
        measured = {name: table.column(name) for name in names}
        searched = fixed_space(space, parse_assignments(request.fix, space.system))
        mask = np.all([~np.isnan(column) for column in measured.values()], axis=0)
        rows = np.flatnonzero(mask & searched.check(table.configurations))
        if not len(rows):
            raise LearningError("no row of the table has a value and the fixed values")
        configurations, failed = table.configurations[rows], 0
        if table.failures is not None:
            failing = table.failures.configurations
            failing = failing[np.flatnonzero(searched.check(failing) & (configurations.find(failing) < 0))]
            configurations, failed = Configurations.concatenate([configurations, failing]), len(failing)
            notes += failure_notes(table.failures, "runs of them fail in replays, too")
        default = default_of(request.default, searched)
        if default is not None and configurations.find(default)[0] < 0:
            raise RequestError("the table has no row of the default", "default")
        measured = {name: np.append(column[rows], np.full(failed, np.nan)) for name, column in measured.items()}
        replays: list[Replay] = []
        total = len(request.budget) * request.seeds
        for budget, seed in product(request.budget, range(request.seed, request.seed + request.seeds)):
            if watch.stop():
                break
            watch.advance(len(replays), total, "")
            replays.append(replay(configurations, measured, nfp, budget, default=default, seed=seed, **settings))
        if max(request.budget) > len(rows):
            notes.append(Note(f"the table has only {len(rows):,} rows: runs end when all were measured"))
        y = measured[nfp][rows_within(objective, measured)]
        front = true_front(objective, measured) if settings["further"] else None
        optimum = None if front is not None else float(y.max() if settings["maximize"] else y.min())
        random = {} if front is None else {budget: front.random_share(budget) for budget in request.budget}
        table_facts = (objective.goals, table.unit(nfp), len(configurations), optimum)
        table_front = (None if front is None else len(front.places), random)
        return ReplayResult(*table_facts, tuple(replays), len(replays) < total, *table_front, notes=tuple(notes))


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


def view_of_replays(result: ReplayResult) -> views.View:
    """Yield how good what was found is, or how much of the Pareto front it is, by budget; of one budget each replay."""
    by_budget: dict[int, list[Replay]] = {}
    for found in result.replays:
        by_budget.setdefault(found.budget, []).append(found)
    further: tuple[views.Column, ...] = ()
    if result.front is None:
        assert result.optimum is not None
        size = views.counted(result.configurations, "configuration")
        yield f"best {result.goals[0].nfp} of {size}: {quantity(result.optimum, result.unit)}"
        each = (*views.columns("seed, best"), *views.columns("better = rank_percent, regret", _percent))
        rows = [_summary(*replays) for replays in by_budget.items()]
        means = "better configurations = rank, of random runs = random, regret, largest regret = worst"
        means += ", within 1 % = near"
        if result.unit in SECONDS:
            total = partial(quantity, unit=result.unit, digits=3)
            further = (views.Column("all runs take", "total", total, right=True),)
    else:
        names = " and ".join(f"{'greatest' if goal.maximize else 'least'} {goal.nfp}" for goal in result.goals)
        front = views.counted(result.front, "configuration")
        yield f"front of {names}: {front} of {result.configurations:,}"
        each = (*views.columns("seed"), *views.columns("hypervolume = hypervolume_percent", _percent))
        rows, means = [], "hypervolume of the front = mean, least, of random runs = random"
        for budget, replays in by_budget.items():
            shares = [replay.hypervolume_percent or 0.0 for replay in replays]
            own = {"mean": sum(shares) / len(shares), "least": min(shares), "random": result.random[budget]}
            rows.append({"budget": budget, **own})
    if len(by_budget) == 1 and len(result.replays) > 1:
        yield from (views.Rows(result.replays, each), "")
    yield views.Rows(rows, (views.Column("runs", "budget"), *views.columns(means, _percent), *further))


SHOWN = 12  # the number of changes of a summary
MEAN = "value, low, high, runs"  # the keys of the mean of runs, and of the 95 % interval of it


def as_json(found: Result | TuningPreview | ReplayResult) -> dict[str, Any]:
    """Return the JSON object of what was found, of a plan, or of replays."""
    notes = [note.text for note in found.notes]
    if isinstance(found, ReplayResult):
        facts = "nfp = goals.0.nfp, unit, maximize = goals.0.maximize, configurations, optimum, front, "
        keys = "seed, budget, values, best, rank_percent, regret, hypervolume_percent"
        replays = [picked(replay, keys) for replay in found.replays]
        interrupted = {"interrupted": found.interrupted, "notes": notes}
        facts += "random_hypervolume_percent = random"
        return {"schema": "splc.tune.replays/1", **picked(found, facts), "replays": replays, **interrupted}
    if isinstance(found, TuningPreview):
        return {
            "schema": "splc.tune.preview/1",
            "dry_run": True,
            **picked(found.tuner, "nfp = objective.nfp, configurations = source.count, budget, verifying = reserve"),
            "commands": found.commands,
            "notes": notes,
        }
    session, result, learned = found.session, found.result, found.learned
    tuner, history = session.tuner, session.tuner.history
    steps = () if result is None else result.trajectory
    changes = () if result is None else result.changes
    return {
        "schema": "splc.tune/1",
        **picked(found, "nfp = session.tuner.objective.nfp, unit, maximize = session.tuner.objective.maximize"),
        "best": _found_as_json(None if found.single is None else found.single.best),
        "default": _found_as_json(None if result is None else result.default),
        **picked(found, "gain = single.gain"),
        "front": [
            {
                "configuration": member.configuration.assignments()[0],
                "properties": {name: picked(mean, MEAN) for name, mean in member.means.items()},
                "fresh": member.fresh,
            }
            for member in (() if result is None else result.front)
        ],
        "changes": [picked(row, "option, from = before, to = after, change, because") for row in changes],
        "indifferent": () if result is None else result.indifferent,
        **picked(found, "expected_gain = result.expected_gain, budget = session.tuner.budget"),
        "runs": len(history.asked_for),
        "earlier_runs": len(history.outcomes) - len(history.asked_for),
        "resumed": session.resumed,
        "failed": len(history.failed),
        "ended_early": _ended_early(found),
        "failing": result and result.failing,
        "failures": failures_as_json(history.failures),
        "drift_percent": result and result.drift,
        "model": learned
        and {
            **{"text": learned.result.model.text, "terms": len(learned.result.model.terms)},
            **picked(learned, "expected_error = expected_error.percent, output"),
        },
        "trajectory": [
            {
                **picked(step, "run, why, configuration"),
                "value": step.values.get(tuner.objective.nfp),
                **picked(step, "values, best, expected_gain, failure"),
            }
            for step in steps
        ],
        **picked(found, "seed = session.tuner.seed, interrupted, out_of_time = session.out_of_time, stopped"),
        "output": None if result is None else found.outputs.measurements,
        "journal": found.outputs.journal,
        "notes": notes,
    }


def _found_as_json(found: FoundConfiguration | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"configuration": found.configuration.assignments()[0], **picked(found.mean, MEAN)}


def _ended_early(tuned: Result) -> int:
    return sum(outcome.at_least is not None for outcome in tuned.session.tuner.history.outcomes)


def view(found: Result | TuningPreview | ReplayResult, detail: views.Detail) -> views.View:
    """Yield what was found, the plan, or how good replays are."""
    yield from views.messages(found.first)
    if isinstance(found, ReplayResult):
        yield from view_of_replays(found)
        yield found.last
        yield views.End(130 if found.interrupted else 0)
    elif isinstance(found, TuningPreview):
        # What is searched, and the first commands.
        yield goal_text(found.tuner)
        yield from (f"    {line}" for line in found.commands)
        budget = found.tuner.budget
        if budget is None:
            yield "    … and more until the time is over"
        elif (hidden := budget - len(found.commands)) > 0:
            yield f"    … and {views.counted(hidden, 'more command')}, each of which depends on the values before it"
        yield found.last
    else:
        if found.result is not None:
            yield from _found(found)
        yield found.last
        tuner, left = found.session.tuner, "runs"
        if tuner.budget is not None:
            left = views.counted(tuner.budget - len(tuner.history.asked_for), "run")
        if found.interrupted:
            yield views.Message(f"interrupted with {left} left; the same command with --resume continues")
        elif found.stopped is not None:
            reason = f"the first runs failed for the same reason: {shorten(found.stopped, WIDTH)}"
            yield views.Message(f"{reason}; --resume --keep-going does the other {left}", "warning")
        elif found.result is None:
            yield views.Message("no run succeeded, so that nothing is known of any configuration", "warning")
        file = None if found.learned is None else found.learned.output
        if file is not None and not found.of_standard_input:
            yield views.NextSteps([views.NextStep(("explain", file), "what each option costs")])
        yield views.End(130 if found.interrupted else int(found.result is None or found.stopped is not None))


def _found(found: Result) -> views.View:
    """Yield the best configuration, its verified value, what it changes, and what does not matter."""
    result = found.result
    assert result is not None
    unit, tuner = found.unit, found.session.tuner
    if result.front:
        yield from _front(found)
        return
    file = f"  -> {found.best}" if result.has_solution else "  (not within the limits)"
    facts: list[tuple[str, Any]] = [("best", f"{_value(result.best, unit)}{file}")]
    base = result.default
    if base is not None and base is not result.best:
        facts.append(("default", _value(base, unit)))
        if (gain := result.gain) is not None:
            interval = views.interval_text((gain.low, gain.high), lambda end: percentage(end, 3))
            facts.append(("gain", percentage(gain.percent, 3) + (f" ({interval})" if interval else "")))
        texts = []
        for change in result.changes:
            before, after = ("deselected" if v is None else views.value_text(v) for v in (change.before, change.after))
            sign, because = "+" if change.change > 0 else "", f" ({change.because})" if change.because else ""
            texts.append(f"{change.option} {before} -> {after}: {sign}{short_number(change.change, 3)}{because}")
        more = f"; {len(texts) - SHOWN} more with --json" if len(texts) > SHOWN else ""
        facts.append(("changes", "; ".join(texts[:SHOWN]) + more or "none"))
    elif base is not None:
        facts.append(("default", "it is the best configuration found"))
    elif tuner.default is not None:
        facts.append(("default", "every run of it failed"))
    else:
        facts.append(("values", shown_values(tuner.variables, result.best.configuration)))
    facts.append(("no matter", f"{' '.join(result.indifferent) or '-'}  (within 1 % of the prediction)"))
    if result.expected_gain is not None:
        gained = percentage(result.expected_gain, 2)
        facts.append(("left", f"another run of the search is expected to improve the best configuration by {gained}"))
    if found.learned is not None:
        facts.append(("model", f"{answer(found.learned)}  -> {found.learned.output}"))
    runs = views.counted(len(tuner.history.asked_for), "run")
    if own := sum(outcome.trial is not None for outcome in tuner.history.failed):
        runs += f", {own:,} failed"
    if ended := _ended_early(found):
        runs += f", {ended:,} ended early"
    where = f"  -> {found.outputs.measurements}" if tuner.history.asked_for else ""
    yield views.Facts([*facts, ("runs", f"{runs}{where}")])


def _front(tuned: Result) -> views.View:
    """Yield the configurations of a Pareto front with their verified values, and what they change."""
    result, tuner = tuned.result, tuned.session.tuner
    assert result is not None
    base, rows = tuner.default, []
    for member in result.front:
        own = member.configuration
        values = shown_values(tuner.variables if base is None else changed(tuner.variables, base, own), own)
        means = {}
        for name, mean in member.means.items():
            interval = views.interval_text((mean.low, mean.high), views.four_digits)
            means[name] = views.four_digits(mean.value) + (f" ({interval})" if interval else "")
        rows.append({**means, "values": values or "the default"})
    names = [goal.nfp for goal in tuner.objective.goals]
    title = "values" if base is None else "changes of the default"
    yield views.Rows(rows, (*(views.Column(name, name) for name in names), views.Column(title, "values")))
    kind = "fresh runs" if result.front[0].fresh else "the runs of the search"
    size, runs = views.counted(len(result.front), "configuration"), views.counted(len(tuner.history.asked_for), "run")
    yield ""
    front = ("front", f"{size}, by {kind}  -> {tuned.best}")
    yield views.Facts([front, ("runs", f"{runs}  -> {tuned.outputs.measurements}")])


def _value(configuration: FoundConfiguration, unit: str | None) -> str:
    mean = configuration.mean
    kind = views.counted(mean.runs, "fresh run") if mean.runs else "predicted" if mean.low is not None else "measured"
    interval = "" if mean.low is None or mean.high is None else f"{span(mean.low, mean.high, unit, 4)}, "
    return f"{quantity(mean.value, unit, 4)} ({interval}{kind})"


def run_verb(request: Request, watch: views.Watch) -> Result | TuningPreview | ReplayResult:
    """Tune with a command, show the plan of that, or replay the rows of a table."""
    request.require_consistent()
    if request.replay is not None:
        with watch.patient("this replay", by_key=True), watch.progress("replaying"):
            return replays_of(request, watch)
    return preview(request) if request.dry else run(request, watch)


EXAMPLES = (
    "splc tune --command './solver -n {nx} -P {px}' --budget 30 --default nx=100 -o tuned.csv",
    "splc tune --replay measurements.csv --property solve_seconds --budget 20,50 --seeds 3",
)
VERB = views.Verb(Request, run_verb, view, as_json, EXAMPLES, without=("nfp", "measurements"))
