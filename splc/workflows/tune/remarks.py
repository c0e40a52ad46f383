"""Notes about the result of a tuning run."""

from __future__ import annotations

from splc.io.numbers import signed_percentage
from splc.tuning.result import TuningResult
from splc.tuning.tuner import Tuner
from splc.tuning.verification import LEAST_BUDGET
from splc.workflows.fixed_space import failure_notes
from splc.workflows.note import Note, Rank


def remarks_of(result: TuningResult, tuner: Tuner) -> list[Note]:
    """Return notes about the result of a tuning run."""
    notes: list[Note] = []
    history, objective = tuner.history, tuner.objective
    exact = history.is_exact(objective.nfp)
    row = history.row_of(result.best.configuration)
    if not objective.admissible(history, row) and objective.limits:
        limits = " and ".join(f"{limit.nfp} {limit.relation} {limit.value:g}" for limit in objective.limits)
        notes.append(Note(f"no run is within the limits ({limits}): this is no solution", warning=True, negative=True))
    elif result.default is not None and objective.limits:
        start = history.row_of(result.default.configuration)
        if not objective.admissible(history, start):
            notes.append(
                Note("the default is not within the limits, so that the best configuration may be worse", True)
            )
    fresh = result.front[0].fresh if result.front else result.best.mean.runs > 0
    if not fresh and not exact:
        cure = f"a budget of at least {LEAST_BUDGET}, or --verify N, keeps runs back to measure it again"
        subject = "the front is that of the search" if result.front else "the best value is predicted"
        notes.append(Note(f"{subject}, not verified: {cure}"))
    if tuner.default is None and not result.front:
        notes.append(Note("without a --default nothing says how much is gained", about=Rank.LIMIT))
    if result.drift is not None:
        text = f"the default has {signed_percentage(result.drift, 3)} since the search: the machine has changed"
        notes.append(Note(text, warning=True))
    notes += failure_notes(history.failures, "the search leaves them out")
    if tuner.nothing_expected:
        early = "" if tuner.budget is None else f" after {len(history.trials):,} of {tuner.budget:,} runs"
        notes.append(Note(f"it ended{early}: no other configuration is expected to be better", about=Rank.METHOD))
    if tuner.source.count is not None and tuner.source.count <= len(history.configurations):
        notes.append(Note("all valid configurations were measured", about=Rank.METHOD))
    return notes
