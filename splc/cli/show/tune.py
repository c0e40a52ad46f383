"""The output of `splc tune`: a line per run, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from splc.cli.detail import detail
from splc.cli.show.blocks import Column, counted, interval_text, show_facts, show_rows, value_text
from splc.cli.terminal import complain, note, say, warn
from splc.data.property_unit import quantity, span
from splc.errors import shorten
from splc.io.json_object import JsonObject, at, count, each
from splc.io.numbers import count_text, percentage, short_number, signed_percentage
from splc.tuning.changes import ConfigurationChange, shown_values
from splc.tuning.mean_value import MeanValue
from splc.tuning.result import FoundConfiguration
from splc.tuning.session import TuningSession
from splc.tuning.trial import TrialOutcome
from splc.tuning.tuner import Tuner
from splc.workflows.learn.model_view import answer
from splc.workflows.objects import FailuresObject, option_values
from splc.workflows.tune import Result

OptionValues = dict[str, float | None]
# The length of what a line says of a configuration or a failure, and the number of changes of a summary.
WIDTH, SHOWN = 80, 12


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


def show_start(session: TuningSession) -> None:
    """Print what is searched, and the header of the lines about runs.

    The lowest value is of a single run, which may be lucky; predictions are relative to it. The verified value is a
    mean.
    """
    if not detail().interactive:
        return
    complain(goal_text(session.tuner))
    objective = session.tuner.objective
    goal = "greatest" if objective.maximize else "least"
    complain(_line("run", "why", objective.nfp, f"{goal} run", "predicted", f"changes of the {goal} run before"))


def goal_text(tuner: Tuner) -> str:
    """Return what is searched with how many runs."""
    goals = " and ".join(f"{'greatest' if goal.maximize else 'least'} {goal.nfp}" for goal in tuner.objective.goals)
    size = "" if tuner.source.count is None else f"{count_text(tuner.source.count)} "
    reserve = f", of them {tuner.reserve:,} to verify" if tuner.reserve else ""
    runs = "as many runs as the time allows" if tuner.budget is None else counted(tuner.budget, "run")
    return f"{goals} of {size}valid configurations; {runs}{reserve}"


def show_run(session: TuningSession, outcome: TrialOutcome) -> None:
    """Print a line about a run."""
    trial, tuner = outcome.trial, session.tuner
    if not detail().interactive or trial is None:
        return
    objective, history = tuner.objective, tuner.history
    before = best_outcome(session, history.outcomes[:-1])
    best = best_outcome(session, history.outcomes)
    value = outcome.values.get(objective.nfp)
    expected = ""
    if trial.predicted is not None and before is not None and (level := before.values[objective.nfp]):
        change = 100 * (trial.predicted - level) / abs(level)
        expected = signed_percentage(change, 2)
    if outcome.failure is not None and outcome.at_least is None:
        about = outcome.failure
    elif before is None:
        about = ""
    else:
        old, new = (history.configurations[[row]] for row in (before.row, outcome.row))
        about = shown_values(tuner.variables, old, new)
    shown = "failed" if value is None else short_number(value, 4)
    if outcome.at_least is not None:
        shown = f"> {short_number(outcome.at_least, 4)}"
    record = "" if best is None else short_number(best.values[objective.nfp], 4)
    complain(_line(str(trial.number), trial.why, shown, record, expected, shorten(about, WIDTH)))


def best_outcome(session: TuningSession, outcomes: Sequence[TrialOutcome]) -> TrialOutcome | None:
    """Return the run with the best value within the limits, None if there is none."""
    objective, best = session.tuner.objective, None
    for outcome in outcomes:
        if outcome.failure is None and all(limit.holds(outcome.values[limit.nfp]) for limit in objective.limits):
            value = outcome.values[objective.nfp]
            if best is None or objective.better(value, best.values[objective.nfp]):
                best = outcome
    return best


def _line(run: str, why: str, value: str, best: str, expected: str, changes: str) -> str:
    return f"{run:>4}  {why:8} {value:>10} {best:>12}  {expected:>9}  {changes}".rstrip()


def show(found: Result) -> None:
    """Print the best configuration, its verified value, what it changes, and what does not matter."""
    result = found.result
    assert result is not None
    unit, tuner = found.unit, found.session.tuner
    if result.front:
        _show_front(found)
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
    show_facts(facts)


def _show_front(tuned: Result) -> None:
    """Print the configurations of a Pareto front with their verified values, and what they change."""
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
    show_rows(rows, (*(Column(name, name) for name in names), Column(title, "values")))
    kind = "fresh runs" if result.front[0].fresh else "the runs of the search"
    say()
    show_facts(
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


def show_failure(found: Result) -> None:
    """Print why a tuning run ended before its budget."""
    tuner = found.session.tuner
    text = "runs"
    if tuner.budget is not None:
        text = counted(tuner.budget - len(tuner.history.asked_for), "run")
    if found.interrupted:
        note(f"interrupted with {text} left; the same command with --resume continues")
    elif found.stopped is not None:
        reason = shorten(found.stopped, WIDTH)
        warn(f"the first runs failed for the same reason: {reason}; --resume --keep-going does the other {text}")
    elif found.result is None:
        warn("no run succeeded, so that nothing is known of any configuration")


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
