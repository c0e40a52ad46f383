"""The view of what a tuning run found, of its plan, and of replays; their JSON objects."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Any

from splc.data.property_unit import quantity, span
from splc.errors import shorten
from splc.io.json import picked
from splc.io.numbers import percentage, short_number
from splc.tuning.changes import shown_values
from splc.tuning.front import FrontConfiguration
from splc.tuning.mean_value import MeanValue
from splc.tuning.result import FoundConfiguration
from splc.workflows import views
from splc.workflows.learn.model_view import answer
from splc.workflows.subspace import failures_as_json, option_values
from splc.workflows.tune.live import WIDTH, Result, TuningPreview, goal_text, preview, run
from splc.workflows.tune.replays import ReplayResult, replay, replays_as_json, view_of_replays
from splc.workflows.tune.request import Request
from splc.workflows.verb import Verb, Watch

# The number of changes of a summary.
SHOWN = 12
# The keys of the mean of runs, and of the 95 % interval of it.
MEAN = "value, low, high, runs"


def as_json(found: Result | TuningPreview | ReplayResult) -> dict[str, Any]:
    """Return the JSON object of what was found, of a plan, or of replays."""
    if isinstance(found, ReplayResult):
        return replays_as_json(found)
    notes = [note.text for note in found.notes]
    if isinstance(found, TuningPreview):
        return {
            "schema": "splc.tune.preview/1",
            "dry_run": True,
            **picked(found.tuner, "nfp = objective.nfp, configurations = source.count, budget, verifying = reserve"),
            "commands": _commands(found),
            "notes": notes,
        }
    session, result, learned = found.session, found.result, found.learned
    tuner, history = session.tuner, session.tuner.history
    # The best configuration, and the gain, of one property.
    best, gain = (None, None) if found.single is None else (found.single.best, found.single.gain)
    steps = () if result is None else result.trajectory
    changes = () if result is None else result.changes
    return {
        "schema": "splc.tune/1",
        "nfp": tuner.objective.nfp,
        "unit": found.unit,
        "maximize": tuner.objective.maximize,
        "best": _found_as_json(best),
        "default": _found_as_json(None if result is None else result.default),
        "gain": gain,
        "front": [_member_as_json(member) for member in (() if result is None else result.front)],
        "changes": [picked(row, "option, from = before, to = after, change, because") for row in changes],
        "indifferent": () if result is None else result.indifferent,
        "expected_gain": result and result.expected_gain,
        "budget": tuner.budget,
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
        "seed": tuner.seed,
        "interrupted": found.interrupted,
        "out_of_time": session.out_of_time,
        "stopped": found.stopped,
        "output": None if result is None else found.outputs.measurements,
        "journal": found.outputs.journal,
        "notes": notes,
    }


def _found_as_json(found: FoundConfiguration | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"configuration": option_values(found.configuration), **picked(found.mean, MEAN)}


def _member_as_json(member: FrontConfiguration) -> dict[str, Any]:
    means = {name: picked(mean, MEAN) for name, mean in member.means.items()}
    return {"configuration": option_values(member.configuration), "properties": means, "fresh": member.fresh}


def _commands(preview: TuningPreview) -> list[str]:
    return [shlex.join(arguments) for arguments in preview.commands]


def _ended_early(tuned: Result) -> int:
    return sum(outcome.at_least is not None for outcome in tuned.session.tuner.history.outcomes)


def view(found: Result | TuningPreview | ReplayResult, detail: views.Detail) -> views.View:
    """Yield what was found, the plan, or how good replays are."""
    if isinstance(found, ReplayResult):
        yield from view_of_replays(found)
        yield found.notes
        yield views.End(130 if found.interrupted else 0)
    elif isinstance(found, TuningPreview):
        yield from _plan(found)
        yield found.notes
    else:
        if found.result is not None:
            yield from _found(found)
        yield found.notes
        yield from _failure(found)
        file = None if found.learned is None else found.learned.output
        if file is not None and not found.of_standard_input:
            yield views.NextSteps([views.NextStep(("explain", file), "what each option costs")])
        yield views.End(130 if found.interrupted else int(found.result is None or found.stopped is not None))


def _plan(preview: TuningPreview) -> views.View:
    """Yield what is searched, and the first commands."""
    yield goal_text(preview.tuner)
    yield from (f"    {line}" for line in _commands(preview))
    budget = preview.tuner.budget
    if budget is None:
        yield "    … and more until the time is over"
    elif (hidden := budget - len(preview.commands)) > 0:
        yield f"    … and {views.counted(hidden, 'more command')}, each of which depends on the values before it"


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
        best = result.best.configuration
        facts.append(("values", shown_values(tuner.variables, best, best, every=True)))
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
        values = shown_values(tuner.variables, own if base is None else base, own, every=base is None)
        rows.append({**{name: _mean(mean) for name, mean in member.means.items()}, "values": values or "the default"})
    names = [goal.nfp for goal in tuner.objective.goals]
    title = "values" if base is None else "changes of the default"
    yield views.Rows(rows, (*(views.Column(name, name) for name in names), views.Column(title, "values")))
    kind = "fresh runs" if result.front[0].fresh else "the runs of the search"
    size, runs = views.counted(len(result.front), "configuration"), views.counted(len(tuner.history.asked_for), "run")
    yield ""
    front = ("front", f"{size}, by {kind}  -> {tuned.best}")
    yield views.Facts([front, ("runs", f"{runs}  -> {tuned.outputs.measurements}")])


def _mean(mean: MeanValue) -> str:
    short = partial(short_number, digits=4)
    interval = views.interval_text((mean.low, mean.high), short)
    return short(mean.value) + (f" ({interval})" if interval else "")


def _failure(found: Result) -> views.View:
    """Yield why a tuning run ended before its budget."""
    tuner = found.session.tuner
    text = "runs"
    if tuner.budget is not None:
        text = views.counted(tuner.budget - len(tuner.history.asked_for), "run")
    if found.interrupted:
        yield views.Message(f"interrupted with {text} left; the same command with --resume continues")
    elif found.stopped is not None:
        reason = f"the first runs failed for the same reason: {shorten(found.stopped, WIDTH)}"
        yield views.Message(f"{reason}; --resume --keep-going does the other {text}", "warning")
    elif found.result is None:
        yield views.Message("no run succeeded, so that nothing is known of any configuration", "warning")


def _value(configuration: FoundConfiguration, unit: str | None) -> str:
    mean = configuration.mean
    kind = views.counted(mean.runs, "fresh run") if mean.runs else "predicted" if mean.low is not None else "measured"
    interval = "" if mean.low is None or mean.high is None else f"{span(mean.low, mean.high, unit, 4)}, "
    return f"{quantity(mean.value, unit, 4)} ({interval}{kind})"


def run_verb(request: Request, watch: Watch) -> Result | TuningPreview | ReplayResult:
    """Tune with a command, show the plan of that, or replay the rows of a table."""
    request.require_consistent()
    if request.replay is not None:
        with watch.patient("this replay", by_key=True), watch.progress("replaying"):
            return replay(request, watch)
    return preview(request) if request.dry else run(request, watch)


VERB = Verb(
    Request,
    run_verb,
    view,
    as_json,
    (
        "splc tune --command './solver -n {nx} -P {px}' --budget 30 --default nx=100 -o tuned.csv",
        "splc tune --replay measurements.csv --property solve_seconds --budget 20,50 --seeds 3",
    ),
    without=("nfp", "measurements"),
)
