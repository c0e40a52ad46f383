"""The view of what a tuning run found, of its plan, and of replays; their JSON objects."""

from __future__ import annotations

import shlex
from typing import Any, Literal

from splc.data.property_unit import quantity, span
from splc.errors import shorten
from splc.io.json_object import JsonObject, at, count, each, json_object
from splc.io.numbers import percentage, short_number
from splc.tuning.changes import ConfigurationChange, shown_values
from splc.tuning.mean_value import MeanValue
from splc.tuning.result import FoundConfiguration
from splc.workflows.learn.model_view import answer
from splc.workflows.objects import FailuresObject, OptionValues, option_values
from splc.workflows.tune.live import Result, TuningPreview, preview, run
from splc.workflows.tune.replays import ReplayResult, TuneReplaysObject, replay, view_of_replays
from splc.workflows.tune.request import Request
from splc.workflows.tune.runs_view import WIDTH, goal_text
from splc.workflows.verb import Verb, Watch
from splc.workflows.views import (
    Column,
    Detail,
    End,
    Facts,
    Message,
    NextStep,
    NextSteps,
    Rows,
    View,
    counted,
    interval_text,
    value_text,
)

# The number of changes of a summary.
SHOWN = 12


class FoundObject(JsonObject):
    """A configuration with the mean of its fresh runs and the 95 % interval of it."""

    configuration: OptionValues = at(lambda row: option_values(row.configuration))
    value: float = at("mean.value")
    low: float | None = at("mean.low")
    high: float | None = at("mean.high")
    runs: int = at("mean.runs")


class MeanObject(JsonObject):
    """The mean of runs of a configuration, and the 95 % interval of it."""

    value: float
    low: float | None
    high: float | None
    runs: int


class TunedFrontObject(JsonObject):
    """A configuration of the Pareto front with the means of its fresh runs."""

    configuration: OptionValues = at(lambda row: option_values(row.configuration))
    properties: dict[str, MeanObject] = at("means")
    fresh: bool


class GainObject(JsonObject):
    """The gain of the best configuration over the default, in percent of the default."""

    percent: float
    low: float | None
    high: float | None


class TunedChangeObject(JsonObject):
    """A change of the default, and the predicted difference that it makes alone."""

    option: str
    __annotations__["from"] = "float | str | None"
    to: float | str | None
    change: float
    because: str


class StepObject(JsonObject):
    """A run, and the best value after it."""

    run: int | None
    why: str | None
    configuration: OptionValues
    value: float | None
    values: dict[str, float]
    best: float | None
    expected_gain: float | None
    failure: str | None


class TunedModelObject(JsonObject):
    """The model of all runs."""

    text: str = at("result.model.text")
    terms: int = count("result.model.terms")
    expected_error: float | None = at("expected_error.percent")
    output: str | None


def _change(change: ConfigurationChange) -> dict[str, Any]:
    return {"from": change.before, "to": change.after, **vars(change)}


def _steps(tuned: Result) -> list[dict[str, Any]]:
    if tuned.result is None:
        return []
    nfp = tuned.result.nfp
    return [{**vars(step), "value": step.values.get(nfp)} for step in tuned.result.trajectory]


def _earlier(tuned: Result) -> int:
    history = tuned.session.tuner.history
    return len(history.outcomes) - len(history.asked_for)


def _ended_early(tuned: Result) -> int:
    return sum(outcome.at_least is not None for outcome in tuned.session.tuner.history.outcomes)


class TuneObject(JsonObject, schema="splc.tune/1"):
    """The best configuration, with its verified value, and all runs."""

    nfp: str = at("session.tuner.objective.nfp")
    unit: str | None
    maximize: bool = at("session.tuner.objective.maximize")
    best: FoundObject | None = at("single.best")
    default: FoundObject | None = at("result.default")
    gain: GainObject | None = at("single.gain")
    front: list[TunedFrontObject] = at("result.front", ())
    changes: list[TunedChangeObject] = at(
        lambda tuned: [] if tuned.result is None else list(map(_change, tuned.result.changes))
    )
    indifferent: list[str] = at("result.indifferent", ())
    expected_gain: float | None = at("result.expected_gain")
    budget: int | None = at("session.tuner.budget")
    runs: int = count("session.tuner.history.asked_for")
    earlier_runs: int = at(_earlier)
    resumed: int = at("session.resumed")
    failed: int = count("session.tuner.history.failed")
    ended_early: int = at(_ended_early)
    failing: str | None = at("result.failing")
    failures: FailuresObject | None = at("session.tuner.history.failures")
    drift_percent: float | None = at("result.drift")
    model: TunedModelObject | None = at("learned")
    trajectory: list[StepObject] = at(_steps)
    seed: int = at("session.tuner.seed")
    interrupted: bool
    out_of_time: bool = at("session.out_of_time")
    stopped: str | None
    output: str | None = at(lambda tuned: None if tuned.result is None else tuned.outputs.measurements)
    journal: str = at("outputs.journal")
    notes: list[str] = each("notes", "text")


def _commands(preview: TuningPreview) -> list[str]:
    return [shlex.join(arguments) for arguments in preview.commands]


class TunePreviewObject(JsonObject, schema="splc.tune.preview/1"):
    """The plan of a tuning run, and its first commands, which do not depend on values."""

    dry_run: Literal[True] = at(lambda _: True)
    nfp: str = at("tuner.objective.nfp")
    configurations: int | None = at("tuner.source.count")
    budget: int | None = at("tuner.budget")
    verifying: int = at("tuner.reserve")
    commands: list[str] = at(_commands)
    notes: list[str] = each("notes", "text")


def view(found: Result | TuningPreview | ReplayResult, detail: Detail) -> View:
    """Yield what was found, the plan, or how good replays are."""
    if isinstance(found, ReplayResult):
        yield from view_of_replays(found)
        yield found.notes
        yield End(130 if found.interrupted else 0)
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
            yield NextSteps([NextStep(("explain", file), "what each option costs")])
        yield End(130 if found.interrupted else int(found.result is None or found.stopped is not None))


def _plan(preview: TuningPreview) -> View:
    """Yield what is searched, and the first commands."""
    yield goal_text(preview.tuner)
    yield from (f"    {line}" for line in _commands(preview))
    budget = preview.tuner.budget
    if budget is None:
        yield "    … and more until the time is over"
    elif (hidden := budget - len(preview.commands)) > 0:
        yield f"    … and {counted(hidden, 'more command')}, each of which depends on the values before it"


def _found(found: Result) -> View:
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
        gain = result.gain
        if gain is not None:
            interval = interval_text((gain.low, gain.high), lambda end: percentage(end, 3))
            facts.append(("gain", percentage(gain.percent, 3) + (f" ({interval})" if interval else "")))
        texts = [
            f"{change.option} {_plain(change.before)} -> {_plain(change.after)}: {_signed(change.change)}"
            + (f" ({change.because})" if change.because else "")
            for change in result.changes
        ]
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
    runs = counted(len(tuner.history.asked_for), "run")
    own = sum(outcome.trial is not None for outcome in tuner.history.failed)
    failed = f", {own:,} failed" if own else ""
    if ended := _ended_early(found):
        failed += f", {ended:,} ended early"
    where = f"  -> {found.outputs.measurements}" if tuner.history.asked_for else ""
    facts.append(("runs", f"{runs}{failed}{where}"))
    yield Facts(facts)


def _front(tuned: Result) -> View:
    """Yield the configurations of a Pareto front with their verified values, and what they change."""
    result, tuner = tuned.result, tuned.session.tuner
    assert result is not None
    base = tuner.default
    rows = []
    for member in result.front:
        values = shown_values(
            tuner.variables, member.configuration if base is None else base, member.configuration, every=base is None
        )
        rows.append({**{name: _mean(mean) for name, mean in member.means.items()}, "values": values or "the default"})
    names = [goal.nfp for goal in tuner.objective.goals]
    title = "values" if base is None else "changes of the default"
    yield Rows(rows, (*(Column(name, name) for name in names), Column(title, "values")))
    kind = "fresh runs" if result.front[0].fresh else "the runs of the search"
    yield ""
    yield Facts(
        [
            ("front", f"{counted(len(result.front), 'configuration')}, by {kind}  -> {tuned.best}"),
            ("runs", f"{counted(len(tuner.history.asked_for), 'run')}  -> {tuned.outputs.measurements}"),
        ]
    )


def _mean(mean: MeanValue) -> str:
    interval = "" if mean.low is None or mean.high is None else interval_text((mean.low, mean.high), _short)
    return _short(mean.value) + (f" ({interval})" if interval else "")


def _short(value: float) -> str:
    return short_number(value, 4)


def _failure(found: Result) -> View:
    """Yield why a tuning run ended before its budget."""
    tuner = found.session.tuner
    text = "runs"
    if tuner.budget is not None:
        text = counted(tuner.budget - len(tuner.history.asked_for), "run")
    if found.interrupted:
        yield Message(f"interrupted with {text} left; the same command with --resume continues")
    elif found.stopped is not None:
        reason = shorten(found.stopped, WIDTH)
        yield Message(
            f"the first runs failed for the same reason: {reason}; --resume --keep-going does the other {text}",
            "warning",
        )
    elif found.result is None:
        yield Message("no run succeeded, so that nothing is known of any configuration", "warning")


def _value(configuration: FoundConfiguration, unit: str | None) -> str:
    mean = configuration.mean
    text = quantity(mean.value, unit, 4)
    kind = counted(mean.runs, "fresh run") if mean.runs else "predicted" if mean.low is not None else "measured"
    if mean.low is None or mean.high is None:
        return f"{text} ({kind})"
    return f"{text} ({span(mean.low, mean.high, unit, 4)}, {kind})"


def _plain(value: float | str | None) -> str:
    return "deselected" if value is None else value_text(value)


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + short_number(value, 3)


def run_verb(request: Request, watch: Watch) -> Result | TuningPreview | ReplayResult:
    """Tune with a command, show the plan of that, or replay the rows of a table."""
    request.require_consistent()
    if request.replay is not None:
        with watch.patient("this replay", by_key=True), watch.progress("replaying"):
            return replay(request, watch)
    return preview(request) if request.dry else run(request, watch)


def _as_json(found: Result | TuningPreview | ReplayResult) -> dict[str, Any]:
    if isinstance(found, ReplayResult):
        return json_object(TuneReplaysObject, found)
    return json_object(TunePreviewObject if isinstance(found, TuningPreview) else TuneObject, found)


VERB = Verb(
    Request,
    run_verb,
    view,
    _as_json,
    (
        "splc tune --command './solver -n {nx} -P {px}' --budget 30 --default nx=100 -o tuned.csv",
        "splc tune --replay measurements.csv --property solve_seconds --budget 20,50 --seeds 3",
    ),
    without=("nfp", "measurements"),
)
