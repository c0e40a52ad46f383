"""The rows that `splc learn` learns from and judges by, and learning from some of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sampling import SamplingSpec, Space, draw_sample, parse_spec
from sampling.designs.whole.suggested import Suggested
from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, SpaceError, SpecError, plural
from splc.io.files import STANDARD, read_source
from splc.learning.folds import Groups, options_of
from splc.learning.learn import learn
from splc.learning.learner import Learner
from splc.learning.learning_set import match
from splc.learning.result import LearningResult, Step
from splc.project import Project
from splc.types import Array, Missing
from splc.workflows.learn.request import Request
from splc.workflows.note import Note, Notes, notes_of

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
    """Learn from some of the measured configurations, a whole property or the sum of its parts."""
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


def evaluation_set(request: Request, project: Project, nfp: str, space: Space, notes: Notes) -> Measurements | None:
    """Read the measurements to judge the model by, if there are some; they must have values of the property."""
    path = request.evaluate_on
    if path is None:
        return None
    evaluation = request.read_measurements(project, space, notes, file=path)
    try:
        usable = evaluation.measured(nfp)
    except MeasurementError as error:
        raise error.at(path) from None
    if len(usable) == 0:
        raise MeasurementError(f"no configuration has a value of {nfp}").at(path)
    return evaluation


@dataclass(frozen=True, eq=False)
class LearningRows:
    """The learning set among the measured configurations."""

    rows: Array  # the positions of the configurations to learn from
    sampling: str  # the sampling as read
    sampled: int  # the number of sampled configurations
    dropped: int = 0  # the number of those that were not measured and are left out (`--missing drop`)
    notes: tuple[Note, ...] = ()  # what the user should know

    def require_enough_for(self, result: LearningResult) -> None:
        """Refuse a model with more than half as many terms as configurations, if sampled ones were left out.

        A model whose influences have intervals says itself what few configurations cannot tell.
        """
        terms = len(result.terms)
        if self.dropped and not result.estimates and len(self.rows) < 2 * terms:
            raise self.too_few(f"the model has {plural(terms, 'term', 'terms')}, and each needs at least two")

    def too_few(self, reason: str) -> LearningError:
        """Return the error for too few configurations."""
        size = len(self.rows)
        message = f"{size} of {self.sampled} sampled configurations {'was' if size == 1 else 'were'} measured: {reason}"
        hint = "measure the others, choose --missing nearest, or draw from what was measured: --sampling measured:N"
        return LearningError(message, hint=hint)


def validation_set(request: Request, measured: Measurements, nfp: str, rows: Array, space: Space) -> LearningRows:
    """Return the measured configurations to judge a model by that is learned from `rows`; none of these is one."""
    assert request.validation is not None
    hint = "learn from fewer configurations (--sampling), or leave out --validation"
    if len(rows) == len(measured.measured(nfp)):
        raise LearningError("every measured configuration is learned from, none is left to validate", hint=hint)
    learned = measured.configurations[rows]
    try:
        sample = learning_rows(measured, nfp, request.validation, request.seed, space, request.missing, learned)
    except SpaceError as error:
        message = error.problems[0].message.replace("the existing sample", "the learning set")
        raise LearningError(message, hint=hint) from None
    texts = (f"validation set: {note.text.replace('existing sample', 'learning set')}" for note in sample.notes)
    sample = replace(sample, rows=sample.rows[~np.isin(sample.rows, rows)], notes=notes_of(texts))
    if not len(sample.rows):
        raise LearningError(f"no measured configuration is left for the validation set {sample.sampling}", hint=hint)
    return sample


def learning_rows(
    measured: Measurements,
    nfp: str,
    spec: SamplingSpec | str,
    seed: int,
    space: Space,
    missing: Missing,
    apart: Configurations | None = None,
) -> LearningRows:
    """Return the measured configurations to learn from."""
    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if len(usable) == 0:
        raise LearningError(f"no configuration has a value of {nfp}").at(measured.report.source)
    table = measured[usable]
    spec = parse_spec(spec) if isinstance(spec, str) else spec
    if isinstance(spec.whole, Suggested):
        rows = _suggested(table, nfp, spec.whole, seed, space)
        return LearningRows(usable[rows], spec.text, len(rows))
    sample = draw_sample(space.system, spec, seed, table.configurations, space, apart, apart=True)
    instead = ""
    if spec.whole is not None:
        from sampling.designs.whole.random import RandomWhole

        if isinstance(spec.whole, RandomWhole):
            number = min(len(sample.configurations), len(table))
            instead = f"draw from what was measured (--sampling measured:{number}), "
    positions, remarks = match(table, sample.configurations, missing, instead)
    sampled = len(sample.configurations)
    dropped = sampled - len(positions) if missing == "drop" else 0
    result = LearningRows(usable[positions], sample.spec, sampled, dropped, notes_of((*sample.notes, *remarks)))
    if dropped and len(positions) < 2:
        raise result.too_few("too few to learn from")
    return result


def _suggested(table: Measurements, nfp: str, design: Suggested, seed: int, space: Space) -> Array:
    """Return the rows that are suggested one batch after the other, as if each was measured only then."""
    from splc.learning.active.design import sequential_rows
    from splc.learning.projection import variables_of

    count = design.amount.resolve(Parts(space))
    if count > len(table):
        hint = f"ask for at most {len(table):,}"
        raise SpecError(f"{design.text}: only {len(table):,} configurations have a value of {nfp}", hint=hint)
    design_seed = seed if design.seed is None else design.seed
    return sequential_rows(table.configurations, table.column(nfp), variables_of(space.system), count, design_seed)


def input_files(
    project: Project, measured: Measurements | None, evaluation: Measurements | None = None
) -> dict[str, Any]:
    """Return path and hash of the system description and of the measurements that were read."""
    files: dict[str, Any] = {}
    if project.inference is None and project.learned_system is None and project.system_file != STANDARD:
        files["system"] = {"path": project.system_file, "sha256": read_source(project.system_file).sha256}
    for key, table in (("measurements", measured), ("evaluation", evaluation)):
        if table is not None:
            files[key] = {"path": table.report.source, "sha256": table.report.sha256}
    return files


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
