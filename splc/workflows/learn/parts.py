"""Learn from some of the measured configurations: a whole property, or the sum of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from splc.data.measurements import Measurements
from splc.learning.learn import learn
from splc.learning.learner import Learner
from splc.learning.result import LearningResult, Round
from splc.types import Array

if TYPE_CHECKING:
    from splc.learning.sums import Part

# Called after every round with the round and a line that describes it.
OnRound = Callable[[Round, str], None]


def learn_rows(
    measured: Measurements,
    nfp: str,
    learner: Learner,
    rows: Array,
    *,
    observed: Sequence[str] = (),
    parts: Sequence[str] = (),
    evaluation: Measurements | None = None,
    validation: Array | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
    on_round: OnRound | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[LearningResult, int]:
    """Learn from some of the measured configurations, a whole property or the sum of its parts.

    Args:
        measured: the measurements.
        nfp: the property.
        learner: the learner.
        rows: the positions of the learning set.
        observed: observed variables to learn from, as names or patterns.
        parts: the parts, see `splc.learning.sums.parts_of`; empty: the property as a whole.
        evaluation: measurements to judge the model by.
        validation: the positions of the configurations that candidates are judged by, for a whole property.
        seed: the seed of whatever the learner draws.
        provenance: recorded in the result.
        on_round: called after every round, with a line that describes it.
        should_stop: asked after every round; true keeps what is learned and ends.

    Returns:
        The result, and the number of rounds, of all parts.
    """
    shared: dict[str, Any] = {
        "learner": learner,
        "learning_set": rows,
        "seed": seed,
        "provenance": provenance,
        "should_stop": should_stop,
    }

    def after(this: Round, part: Part | None = None) -> None:
        if on_round is not None:
            where = "" if part is None else f"{part.nfp}, "
            term = this.added.log_text(measured.system.term_order)
            on_round(this, f"{where}round {this.number}: + {term}, error {this.learning_error:.6g} %")

    if not parts:
        judging: dict[str, Any] = {"evaluation": evaluation, "validation": validation}
        whole = learn(measured, nfp, observed=observed, on_round=after, **judging, **shared)
        return whole, len(whole.rounds)
    from splc.learning.sums import learn_sum, parts_of

    found = learn_sum(
        measured,
        parts_of(parts, measured.properties, observed),
        nfp,
        on_round=lambda part, this: after(this, part),
        **shared,
    )
    return found.whole, sum(len(part.rounds) for _, part in found.parts if part is not None)
