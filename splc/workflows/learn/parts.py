"""Learn from some of the measured configurations: a whole property, or the sum of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from splc.data.measurements import Measurements
from splc.learning.learn import learn
from splc.learning.learner import Learner
from splc.learning.result import LearningResult, Step
from splc.types import Array

if TYPE_CHECKING:
    from splc.learning.sums import Part

# Called after every step with the step and a line that describes it.
OnStep = Callable[[Step, str], None]


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
    on_step: OnStep | None = None,
    on_share: Callable[[float], None] = lambda share: None,
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
        on_step: called after every step, with a line that describes it.
        on_share: called with the expected share of the work that is done, of a whole property.
        should_stop: asked after every step; true keeps what is learned and ends.

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

    def after(this: Step, part: Part | None = None) -> None:
        if on_step is not None:
            where = "" if part is None else f"{part.nfp}, "
            on_step(this, where + this.line(measured.system.term_order))

    if not parts:
        judging: dict[str, Any] = {"evaluation": evaluation, "validation": validation, "on_share": on_share}
        result = learn(measured, nfp, observed=observed, on_step=after, **judging, **shared)
        return result, len(result.rounds)
    from splc.learning.sums import learn_sum, parts_of

    total = learn_sum(
        measured,
        parts_of(parts, measured.properties, observed),
        nfp,
        on_step=lambda part, this: after(this, part),
        **shared,
    )
    return total.whole, sum(len(part.rounds) for _, part in total.parts if part is not None)
