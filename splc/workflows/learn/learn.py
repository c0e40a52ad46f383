"""Learn a model from the measurements of a system, judge it, and write it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import MeasurementError, RequestError, SpaceError, listed, plural
from splc.formats.measurements.failures import failures_object
from splc.formats.measurements.shapes import read_table
from splc.formats.measurements.unlisted import with_unlisted
from splc.formats.models.columns import columns_object
from splc.formats.models.companion import companion_of
from splc.formats.models.entries import learned_file
from splc.formats.models.subject import Subject
from splc.formats.models.writers import WRITERS
from splc.formats.registry import suffix_of
from splc.io.files import STANDARD, read_source, sha256_of, write_whole
from splc.io.outputs import require_writable
from splc.learning.effects import OptionEffects, option_effects
from splc.learning.judging import round_errors
from splc.learning.learner import Learner
from splc.learning.plausibility import model_warnings
from splc.learning.projection import FullModelFit, ProjectionLearner
from splc.learning.registry import learner_of
from splc.learning.result import LearningResult
from splc.learning.shares import term_shares
from splc.models.text.log_grammar import require_writable_names
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.fixed_space import UNKNOWN, failure_notes
from splc.workflows.learn.expected_error import ExpectedError, expected_error
from splc.workflows.learn.learning_sets import (
    Request,
    chosen_learner,
    evaluation_set,
    input_files,
    learning_rows,
    validation_set,
    with_deviation,
)
from splc.workflows.learn.parts import OnStep, learn_rows, read_groups, without_group
from splc.workflows.learn.stored_sources import OWN, StoredSources, note_of, require_joint
from splc.workflows.note import Note, Notes, Rank, notes_of, run_notes
from splc.workflows.replaced_models import replaced_notes
from splc.workflows.split import FOLDS, JudgedLearner, Split

if TYPE_CHECKING:
    from splc.formats.measurements.inference import Inference
    from splc.learning.settings_search import OnTrial, SettingsSearch
    from splc.scaling.prediction import Prediction

__all__ = ["Request", "Result", "run"]


@dataclass(frozen=True)
class Evaluated:
    """The evaluation set as the error is computed on it.

    Attributes:
        source: the file, or the sampling of the validation set.
        configurations: the number of configurations whose measured value is not 0.
        learned_from: how many of them were learned from.
    """

    source: str
    configurations: int
    learned_from: int


@dataclass(frozen=True, eq=False)
class Result:
    """A learned model.

    Attributes:
        request: the request.
        result: the result of learning.
        measured: the measurements.
        rows: the positions of the learning set among them.
        evaluated: the evaluation set, if there is one.
        expected_error: the error to expect at configurations that were not learned from.
        round_errors: the error after each round, on the evaluation set or else on all measured configurations.
        shares: the share of each term in the mean prediction on the learning set, in percent.
        effects: the terms grouped by their options, the largest effect on the learning set first.
        predictions: predictions beyond the measured points, for learners that fit scaling models.
        folds: the number of folds that the learning set was cross-validated with, 0 for none.
        compared: the result and those of the baselines; empty if the request asks for no baselines.
        output: the file that the model was written to, None if nothing was written.
        companion: the JSON file that was written with a log, which has the full model.
        plot: the file that the plot was written to.
        notes: what the user should know.
        stopped: whether the cross-validation or the baselines were stopped early.
        search: the settings that were tried; None if the request asks for no search.
        inference: the inferred description of the system, None where it has one.
        unmeasured: the number of valid configurations that were not measured, None if they cannot be counted.
    """

    request: Request
    result: LearningResult
    measured: Measurements
    rows: Array
    evaluated: Evaluated | None
    expected_error: ExpectedError
    round_errors: tuple[float | None, ...]
    shares: tuple[float | None, ...]
    effects: tuple[OptionEffects, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    folds: int = 0
    compared: tuple[JudgedLearner, ...] = ()
    output: str | None = None
    companion: str | None = None
    plot: str | None = None
    notes: tuple[Note, ...] = ()
    stopped: bool = False
    search: SettingsSearch | None = None
    inference: Inference | None = None
    unmeasured: int | None = None

    @property
    def knows_every(self) -> bool:
        """True if it was learned from all valid configurations, and none differ in other columns, or in fractions."""
        if self.inference is not None and (self.inference.differing or self.inference.continuous):
            return False
        count = self.result.learning_configurations
        return self.unmeasured == 0 and count == self.result.provenance["measured_configurations"]

    @property
    def interrupted(self) -> bool:
        """True if learning or comparing was stopped early; the model until then is kept."""
        return self.stopped or self.result.termination == "interrupted"


def run(
    request: Request,
    on_step: OnStep | None = None,
    should_stop: Callable[[], bool] | None = None,
    given: Measurements | None = None,
    on_trial: OnTrial = lambda done, total: None,
    on_learned: Callable[[], None] = lambda: None,
    on_share: Callable[[float], None] = lambda share: None,
    fit: FullModelFit | None = None,
) -> Result:
    """Learn a model and write it.

    A KeyboardInterrupt during the folds or baselines that follow keeps the model, and the baselines learned so far.

    Args:
        request: what to learn.
        on_step: called after every step, with a line that describes it.
        should_stop: asked after every step; true keeps what is learned and ends.
        given: the measurements, if they were read already.
        on_trial: called after every trial of a search of settings.
        on_learned: called when the model is learned, before folds and baselines.
        on_share: called with the expected share of learning that is done, by learners that can tell.
        fit: fits the full model of the default learner, where it learns from the rows of other contexts, too.

    Raises:
        RequestError: if the request contradicts itself.
        SpecError: for an unknown learner, setting or sampling.
        InputError: if a file cannot be found or read.
        LearningError: if nothing can be learned.
        OutputError: if a file cannot be written, or its format cannot express the model.
    """
    _require_consistent(request)
    spec = request.spec
    project = request.project(request.folder)
    if given is not None and request.unmeasured:
        # The system is that of the models.
        project = replace(project, learned_system=given.system)
    elif request.unmeasured:
        raise RequestError("nothing was measured of a value that --context names", "context")
    stored = StoredSources.read(request.sources) if request.sources else None
    project = project if stored is None else stored.project(project)
    with Notes() as notes:
        learner, settings = chosen_learner(request, project)
        output = request.output or (f"learned{learner.suffix}" if learner.suffix else None)
        form = None if output is None else output_form(output, learner)
        companion = None
        if output is not None and form == ".log" and (request.output is None or request.companion):
            companion = companion_of(output)
        file_format = None
        if request.plot is not None:
            from splc.plotting import plot_format

            file_format = plot_format(request.plot)
        table = None if request.unmeasured else project.measurements_file
        inputs = (table, request.evaluate_on, *project.files)
        require_writable(output, inputs)
        require_writable(companion, (*inputs, output))
        require_writable(request.plot, (*inputs, output, companion))

        if stored is not None:
            require_joint(request, learner, "sources")
        project = project if given is not None else without_group(project, request.group)
        system = request.read_system(project, notes) if given is None else given.system
        if request.evaluate_on is not None and request.evaluate_on != STANDARD:
            system = with_unlisted(read_table(request.evaluate_on), system, project.columns.unread)
        space = Space(system)
        if form == ".log":
            require_expressible(space.system)
        measured = request.read_measurements(project, space, notes) if given is None else given
        groups = None
        if request.group is not None:
            groups = read_groups(project, space, measured, request.group, request.policies)
        nfp = project.resolve_property(measured)
        evaluation = evaluation_set(request, project, nfp, space, notes)
        learner, of_settings = with_deviation(learner, settings, measured)
        learning_set = learning_rows(measured, nfp, spec, request.seed, space, request.missing)
        rows = learning_set.rows
        sharing = None
        if stored is not None and fit is None and isinstance(learner, ProjectionLearner):
            sharing = stored.sharing(nfp, learner.chosen.scale, space.system, measured[rows])
            fit = sharing.fit_of(OWN)
        if fit is not None and isinstance(learner, ProjectionLearner):
            learner = replace(learner, fit=fit)
        notes += (*of_settings, *learning_set.notes, *failure_notes(measured.failures, UNKNOWN))
        judged_on = None
        if request.validation is not None:
            validation = validation_set(request, measured, nfp, rows, space)
            evaluation = measured[validation.rows]
            judged_on = f"the validation set {validation.sampling}"
            notes += validation.notes
        search: SettingsSearch | None = None
        stop = should_stop or (lambda: False)
        if request.given_terms is not None:
            from splc.formats.models.term_list import parse_term_list

            learner = parse_term_list(read_source(request.given_terms), space.system)
        elif request.search:
            from splc.workflows.learn.search import provenance_of_search, searched

            search = searched(request, learner, settings, measured, nfp, rows, on_trial, stop, groups)
            learner = learner_of(learner.name, learner.preset, {**settings, **search.best.settings})
        provenance = {
            "sampling": learning_set.sampling,
            "measured_configurations": len(measured.measured(nfp)),
            **columns_object(
                measured.contexts,
                project.columns,
                mined=project.inference is not None and bool(project.inference.mined),
            ),
            **({} if search is None else {"search": provenance_of_search(search)}),
            **({} if request.validation is None else {"validation": request.validation}),
            **({} if stored is None else {"sources": stored.files}),
            **({} if measured.failures is None else {"failures": failures_object(measured.failures)}),
            "files": input_files(project, measured, None if request.validation else evaluation),
        }

        def learned(
            learner: Learner, rows: Array, evaluation: Measurements | None = None, **options: Any
        ) -> LearningResult:
            options |= {"observed": request.observed, "parts": request.parts, "seed": request.seed, "groups": groups}
            return learn_rows(measured, nfp, learner, rows, evaluation=evaluation, **options)[0]

        split = Split(measured, nfp, rows, evaluation, request.seed, learned, stop, groups)
        try:
            result = learned(
                learner,
                rows,
                evaluation,
                provenance=provenance,
                on_step=on_step,
                on_share=on_share,
                should_stop=should_stop,
            )
        except MeasurementError as error:
            raise error.at(measured.report.source) from None
        learning_set.require_enough_for(result)
        if sharing is not None:
            notes.append(Note(note_of(sharing)))
        folds = request.folds
        if request.baselines and not folds and not len(split.test_set):
            folds = FOLDS
            notes.append(Note(f"nothing measured is left to judge by: learners are compared by {FOLDS} folds"))
        compared: list[JudgedLearner] = []
        stopped = False
        if result.termination != "interrupted":
            on_learned()
            try:
                result = split.cross_validated(learner, result, folds)
                if request.baselines:
                    compared.extend(split.compared(result, folds))
                if (text := split.better_scaling(learner, compared) if compared else None) is not None:
                    notes.append(Note(text))
            except KeyboardInterrupt:
                stopped = True
        evaluated = None if evaluation is None else _evaluated(result, measured, rows, evaluation, judged_on)
        remarks = notes_of(result.notes, Rank.LIMIT)
        warnings = model_warnings(result, measured, space)
        notes.add((*run_notes([measured], nfp), *(Note(text, warning=True) for text in warnings)))
        result = replace(result, notes=(*result.notes, *warnings))
        if evaluated is not None and evaluated.learned_from:
            count = plural(evaluated.configurations, "configuration", "configurations")
            notes.append(Note(f"{evaluated.learned_from:,} of the {count} of {evaluated.source} were learned from"))
        errors = tuple(round_errors(result))
        expected = expected_error(result, measured.column(nfp)[rows], len(measured.measured(nfp)))
        if request.write:
            origin = measured.report.source or measured.system.name
            contents: dict[str, str | bytes] = {}
            if output is not None and form is not None:
                content = learned_file(result, origin, errors, space.system)
                content = replace(content, facts={**content.facts, "expected_error": expected.values()})
                if companion is not None:
                    content = replace(content, companion=Path(companion).name)
                contents[output] = WRITERS[form](content)
                if companion is not None:
                    facts = {**content.facts, "log": {"sha256": sha256_of(contents[output])}}
                    contents[companion] = WRITERS[".json"](replace(content, facts=facts))
                notes += replaced_notes(list(contents), Subject(measured.system.name, nfp))
            if request.plot is not None and file_format is not None:
                from splc.plotting.charts.drawing import chart_file
                from splc.workflows.picture import learned_chart

                contents[request.plot] = chart_file(learned_chart(result), file_format)
            for file, data in contents.items():
                write_whole(file, data)
        sample = measured.configurations[rows]
        return Result(
            request=request,
            result=result,
            measured=measured,
            rows=rows,
            evaluated=evaluated,
            expected_error=expected,
            round_errors=errors,
            shares=term_shares(result.model, sample).values if result.readable else (),
            effects=option_effects(result.model, result.estimates, sample, result.folds) if result.readable else (),
            predictions=_far_predictions(result),
            folds=folds,
            compared=tuple(compared),
            output=output if request.write else None,
            companion=companion if request.write else None,
            plot=request.plot if request.write else None,
            notes=(*notes, *remarks),
            stopped=stopped or (bool(folds or request.baselines) and split.should_stop()),
            search=search,
            inference=project.inference,
            unmeasured=_unmeasured(space, measured.measured(nfp)),
        )


def _unmeasured(space: Space, measured: Measurements) -> int | None:
    """Return the number of valid configurations that were not measured, None if they cannot be counted."""
    with suppress(SpaceError):
        return max(space.count - len(measured), 0)
    return None


def _require_consistent(request: Request) -> None:
    if request.parts and request.evaluate_on is not None:
        raise RequestError("a sum of parts is judged by what was not learned from", "evaluate_on")
    if request.validation is not None and request.evaluate_on is not None:
        raise RequestError("a model is judged either by a file or by a validation set", "evaluate_on", "validation")
    if request.parts and request.validation is not None:
        raise RequestError("a sum of parts is judged by what was not learned from", "validation")
    if request.parts and request.baselines:
        raise RequestError("baselines have no terms, so that models of parts cannot be added up", "baselines", "parts")
    setting = next((name for name in ("learner", "preset", "settings", "search") if getattr(request, name)), None)
    if request.given_terms is not None and setting is not None:
        raise RequestError("given terms are fitted, not learned", "given_terms", setting)
    if request.search and request.parts:
        raise RequestError("settings of models of parts cannot be searched", "search", "parts")
    if request.samples is not None and not request.search:
        raise RequestError("there are no settings to draw from", "samples", hint="add --search NAME=[VALUE,VALUE]")
    if request.folds and request.folds < 2:
        raise RequestError(f"there must be at least 2 folds, not {request.folds}", "folds")


def output_form(output: str, learner: Learner) -> str:
    """Return the suffix of the format of a model (`splc.formats.models.writers.WRITERS`).

    Learners whose models a log holds write one wherever the suffix does not name JSON, Python or LaTeX.

    Raises:
        RequestError: if the suffix names no format, or the learner's models have no terms.
    """
    if not learner.suffix:
        hint = "leave it out; --baselines and splc study compare the errors of such learners with those of others"
        raise RequestError(
            f"the learner {learner.name} gives a model without terms, which no file can hold", "output", hint=hint
        )
    suffix = suffix_of(output)
    if learner.suffix == ".log":
        return suffix if suffix in WRITERS and suffix != ".txt" else ".log"
    return scaling_form(output)


def scaling_form(output: str) -> str:
    """Return the suffix of the format of scaling models; on standard output that is model text.

    Raises:
        RequestError: if the suffix names no format.
    """
    suffix = ".txt" if output == STANDARD else suffix_of(output)
    if suffix not in WRITERS:
        raise RequestError(f"the suffix of {output!r} names no format, use one of {listed(list(WRITERS))}", "output")
    return suffix


def require_expressible(system: VariabilityModel) -> None:
    """Refuse a log of a system whose names the log grammar cannot express.

    Raises:
        OutputError: naming them.
    """
    require_writable_names((*system.names, *system.observed), system.term_table)


def _evaluated(
    result: LearningResult, measured: Measurements, rows: Array, evaluation: Measurements, source: str | None
) -> Evaluated:
    judged = evaluation.measured(result.nfp)
    judged = judged[judged.column(result.nfp) != 0]
    matches = measured.configurations[rows].find(judged.configurations) >= 0
    return Evaluated(source or evaluation.report.source or "", len(judged), int(matches.sum()))


def _far_predictions(result: LearningResult) -> tuple[Prediction, ...]:
    """Return predictions beyond the measured points, for learners that fit scaling models."""
    if result.scaling is None:
        return ()
    from splc.scaling.prediction import far_point, predictions

    return predictions([result.scaling], [far_point(result.scaling)])[0]
