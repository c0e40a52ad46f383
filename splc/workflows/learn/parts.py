"""Learn from some of the measured configurations: a whole property, or the sum of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sampling import Space
from splc.data.measurements import Measurements
from splc.learning.folds import Groups, options_of
from splc.learning.learn import learn
from splc.learning.learner import Learner
from splc.learning.result import LearningResult, Step
from splc.project import Project
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
    groups: Groups | None = None,
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
        groups: the groups of all measured configurations that folds keep together, for a whole property.

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
        judging["groups"] = groups
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


def without_group(project: Project, column: str | None) -> Project:
    """Return the project with a column of groups that is left out of the table, unless it is an option."""
    if column is None or options_of(project.variability_model(), column) is not None:
        return project
    return replace(project, chosen=replace(project.chosen, ignore=(*project.chosen.ignore, column)))


def read_groups(project: Project, space: Space, measured: Measurements, column: str, policies: Any) -> Groups:
    """Return the groups of the values of a column: an option, or another column of the table."""
    if options_of(space.system, column) is not None:
        return Groups.stated(measured.configurations, column)
    parts = project.measurement_parts(space.system, space, by=(column,), **policies)
    return Groups.of_parts(measured.configurations, (part.configurations for part in parts), column)
