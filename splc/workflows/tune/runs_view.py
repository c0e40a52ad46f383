"""The lines that a tuning run prints before its first run and after each one."""

from __future__ import annotations

from collections.abc import Sequence

from splc.errors import shorten
from splc.io.numbers import count_text, short_number, signed_percentage
from splc.tuning.changes import shown_values
from splc.tuning.session import TuningSession
from splc.tuning.trial import TrialOutcome
from splc.tuning.tuner import Tuner
from splc.workflows.views import Detail, Message, View, counted

# The length of what a line says of a configuration or a failure.
WIDTH = 80


def view_of_start(session: TuningSession, detail: Detail) -> View:
    """Yield what is searched, and the header of the lines about runs.

    The lowest value is of a single run, which may be lucky; predictions are relative to it. The verified value is a
    mean.
    """
    if not detail.interactive:
        return
    yield Message(goal_text(session.tuner), "line")
    objective = session.tuner.objective
    goal = "greatest" if objective.maximize else "least"
    yield Message(
        _line("run", "why", objective.nfp, f"{goal} run", "predicted", f"changes of the {goal} run before"), "line"
    )


def goal_text(tuner: Tuner) -> str:
    """Return what is searched with how many runs."""
    goals = " and ".join(f"{'greatest' if goal.maximize else 'least'} {goal.nfp}" for goal in tuner.objective.goals)
    size = "" if tuner.source.count is None else f"{count_text(tuner.source.count)} "
    reserve = f", of them {tuner.reserve:,} to verify" if tuner.reserve else ""
    runs = "as many runs as the time allows" if tuner.budget is None else counted(tuner.budget, "run")
    return f"{goals} of {size}valid configurations; {runs}{reserve}"


def view_of_run(session: TuningSession, outcome: TrialOutcome, detail: Detail) -> View:
    """Yield a line about a run."""
    trial, tuner = outcome.trial, session.tuner
    if not detail.interactive or trial is None:
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
    yield Message(_line(str(trial.number), trial.why, shown, record, expected, shorten(about, WIDTH)), "line")


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
