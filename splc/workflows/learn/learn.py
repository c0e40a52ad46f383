"""`splc learn`: learn a model from the measurements of a system, judge it, and write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sampling import Space
from splc.data.accuracy import error_distribution
from splc.data.measurements import Measurements
from splc.errors import InputError, MeasurementError, OutputError, RequestError, SpaceError, SplcError, listed, plural
from splc.formats.detect import model_suffix, model_writers
from splc.formats.measurements.configurations import with_unlisted
from splc.formats.measurements.constraints import failures_object
from splc.formats.measurements.tables import read_table
from splc.formats.models.stored_model import ModelFile, Subject, columns_object, companion_of, learned_file
from splc.io.files import STANDARD, read_source, require_writable, sha256_of, write_whole
from splc.learning.blocks import groups_of, with_labels
from splc.learning.effects import OptionEffects, option_effects
from splc.learning.folds import Groups, options_of
from splc.learning.learner import Learner, cross_validate, round_errors
from splc.learning.plausibility import model_warnings
from splc.learning.projection import FullModelFit, ProjectionLearner
from splc.learning.registry import BASELINES, PMNF, learner_of
from splc.learning.result import LearningResult, Predictor, Round, Step
from splc.models.influence import EvaluationError, InfluenceModel, term_shares
from splc.models.text.log_grammar import require_writable_names
from splc.plotting import plot_format
from splc.plotting.charts.drawing import chart_file
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.inputs import input_files, with_blocks, without_column
from splc.workflows.learn import request as sets
from splc.workflows.learn.request import Request, with_deviation
from splc.workflows.note import Note, Noted, Notes, Rank, notes_of, run_notes
from splc.workflows.prediction_notes import ExpectedError, expected_error
from splc.workflows.subspace import UNKNOWN, failure_notes
from splc.workflows.views import UNWATCHED, Watch

if TYPE_CHECKING:
    from splc.formats.inference import Inference
    from splc.scaling.result import Prediction


# The folds of `--baselines` where no configuration is outside of the learning set.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class JudgedLearner:
    """A learner on a split: its result and the distribution of its errors."""

    result: LearningResult  # the result
    median: float | None  # the median relative error outside of the learning set, in percent; None where nothing is
    p95: float | None  # their 95th percentile


@dataclass(frozen=True, eq=False)
class Split:
    """A learning set, and the configurations outside of it."""

    request: Request  # the request
    measured: Measurements  # the measurements
    nfp: str  # the property
    rows: Array  # the positions of the learning set
    evaluation: Measurements | None  # measurements to judge by instead of those not learned from
    groups: Groups | None  # the groups of the measurements that folds keep together, if they are stated
    should_stop: Callable[[], bool]  # asked after every fold and every baseline; true ends the work

    def learn(self, learner: Learner, rows: Array, **options: Any) -> LearningResult:
        """Return what a learner learns from rows, judged by the others or by an evaluation set."""
        options |= {name: getattr(self.request, name) for name in ("observed", "parts", "seed")}
        options |= {"block": self.request.block, "groups": None if self.request.block else self.groups}
        return sets.learn_rows(self.measured, self.nfp, learner, rows, **options)[0]

    def cross_validated(self, learner: Learner, result: LearningResult, folds: int) -> LearningResult:
        """Return a result of the learner with its cross-validated error; unchanged without folds."""
        if not folds:
            return result

        def models(part: Array) -> list[Predictor]:
            fitted = self.learn(learner, part)
            return [model for model in (fitted.predictor, fitted.printed) if model is not None]

        judging = (self.request.seed, models, self.should_stop, self.groups, self.request.block is not None)
        crossed, printed, *_ = *cross_validate(self.measured, self.nfp, self.rows, folds, *judging), None, None
        errors = None if result.printed_errors is None else replace(result.printed_errors, cross_validated=printed)
        return replace(result, cross_validated=crossed, printed_errors=errors)

    def compared(self, result: LearningResult, folds: int) -> Iterator[JudgedLearner]:
        """Yield a result and those of other baselines; of numeric options also of pmnf."""
        from splc.learning.given_forms import is_scalable

        yield self.judged(result)
        for name in (*((PMNF,) if is_scalable(self.measured.configurations) else ()), *BASELINES):
            if self.should_stop():
                break
            if name != result.learner:
                # There is no scaling model of few points.
                with suppress(SplcError) if name == PMNF else nullcontext():
                    learner = learner_of(name)
                    fitted = self.learn(learner, self.rows, evaluation=self.evaluation)
                    yield self.judged(self.cross_validated(learner, fitted, folds))

    def judged(self, result: LearningResult) -> JudgedLearner:
        """Return a result with the distribution of its errors outside of the learning set."""
        assert result.rows is not None
        values, predicted = result.rows.tested(result.judgements[0])
        median, _, p95 = error_distribution(predicted, values) or (None, None, None)
        return JudgedLearner(result, median, p95)


@dataclass(frozen=True)
class Evaluated:
    """The evaluation set as the error is computed on it."""

    source: str  # the file, or the sampling of the validation set
    configurations: int  # the number of configurations whose measured value is not 0
    learned_from: int  # how many of them were learned from


@dataclass(frozen=True)
class ModelFiles:
    """The files that a learned model is written to; None for those that are not."""

    model: str | None = None  # the model
    companion: str | None = None  # the JSON file beside a log, which has the full model
    plot: str | None = None  # the picture
    form: str = ""  # the suffix of the format of the model

    @classmethod
    def of(cls, request: Request, learner: Learner, inputs: Sequence[str | None]) -> Self:
        """Return the files that are written, none if the request says so; all can be written and are no inputs."""
        model = request.output or (f"learned{learner.suffix}" if learner.suffix else None)
        form, companion = "" if model is None else output_form(model, learner), None
        if model is not None and form == ".log" and (request.output is None or request.companion):
            companion = companion_of(model)
        if request.plot is not None:
            plot_format(request.plot)
        require_writable(model, inputs)
        require_writable(companion, (*inputs, model))
        require_writable(request.plot, (*inputs, model, companion))
        return cls(model, companion, request.plot, form) if request.write else cls(form=form)

    def write(self, result: LearningResult, content: ModelFile | None) -> None:
        """Write all files, or none if one of them cannot be made."""
        contents: dict[str, str | bytes] = {}
        if self.model is not None and content is not None:
            content = replace(content, companion=self.companion and Path(self.companion).name)
            contents[self.model] = model_writers()[self.form].write(content)
            if self.companion is not None:
                facts = {**content.facts, "log": {"sha256": sha256_of(contents[self.model])}}
                contents[self.companion] = model_writers()[".json"].write(replace(content, facts=facts))
        if self.plot is not None:
            from splc.workflows.pictures import chart_of

            contents[self.plot] = chart_file(chart_of(result), plot_format(self.plot))
        for file, data in contents.items():
            write_whole(file, data)


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """A learned model."""

    request: Request  # the request
    result: LearningResult  # the result of learning
    measured: Measurements  # the measurements
    rows: Array  # the positions of the learning set among them
    evaluated: Evaluated | None  # the evaluation set, if there is one
    expected_error: ExpectedError  # the error to expect at configurations that were not learned from
    round_errors: tuple[float | None, ...]  # the error after each round, on the evaluation set or else all measured
    shares: tuple[float | None, ...]  # the share of each term in the mean prediction on the learning set, in percent
    # the terms grouped by their options, the largest effect on the learning set first
    effects: tuple[OptionEffects, ...] = ()
    # predictions beyond the measured points, for learners that fit scaling models
    predictions: tuple[Prediction, ...] = ()
    folds: int = 0  # the number of folds that the learning set was cross-validated with, 0 for none
    # the result and those of the baselines; empty if the request asks for no baselines
    compared: tuple[JudgedLearner, ...] = ()
    output: str | None = None  # the file that the model was written to, None if nothing was written
    companion: str | None = None  # the JSON file that was written with a log, which has the full model
    plot: str | None = None  # the file that the plot was written to
    stopped: bool = False  # whether the cross-validation or the baselines were stopped early
    inference: Inference | None = None  # the inferred description of the system, None where it has one
    unmeasured: int | None = None  # the number of valid configurations that were not measured, None if not counted

    @property
    def knows_every(self) -> bool:
        """True if it was learned from all valid configurations, and none differ in other columns, or in fractions."""
        if self.inference is not None and (self.inference.differing or self.inference.continuous):
            return False
        return self.unmeasured == 0 and not self.others

    @property
    def others(self) -> int:
        """The number of measured configurations that were not learned from."""
        return int(self.result.provenance["measured_configurations"]) - self.result.learning_configurations

    @property
    def interrupted(self) -> bool:
        """True if learning or comparing was stopped early; the model until then is kept."""
        return self.stopped or self.result.termination == "interrupted"


def run(
    request: Request,
    watch: Watch = UNWATCHED,
    given: Measurements | None = None,
    fit: FullModelFit | None = None,
    title: str = "",
) -> Result:
    """Learn a model and write it; an interruption of the folds or baselines that follow keeps what there is then."""
    request = request.plain
    request.require_consistent()
    spec, project = request.spec, request.project(request.folder)
    stored = sets.StoredSources.read(request.sources) if request.sources else None
    project = project if stored is None else stored.project(project)
    with Notes() as notes:
        learner, settings = request.chosen_learner(project)
        outputs = ModelFiles.of(request, learner, (project.measurements_file, request.evaluate_on, *project.files))
        if stored is not None:
            request.require_joint(learner, "sources")
        if request.analytical is not None:
            request.require_joint(learner, "analytical", "without formulas")
        if given is None:
            project = without_column(project, request.block)
            # A column of groups is left out of the table, unless it is an option.
            if request.group is not None and options_of(project.variability_model(), request.group) is None:
                project = without_column(project, request.group)
        system = request.read_system(project, notes) if given is None else given.system
        if request.evaluate_on is not None and request.evaluate_on != STANDARD:
            system = with_unlisted(read_table(request.evaluate_on), system, project.columns.unread)
        space = Space(system)
        if outputs.form == ".log":
            try:
                require_writable_names((*space.system.names, *space.system.observed), space.system.term_table)
            except OutputError as error:
                if request.output is not None or outputs.companion is None:
                    raise
                outputs = replace(outputs, model=outputs.companion, companion=None, form=".json")
                notes.append(Note(f"no log is written: {error.problems[0].message}", about=Rank.LIMIT))
        measured = request.read_measurements(project, space, notes) if given is None else given
        groups = sets.read_groups(request, project, space, measured)
        nfp = project.resolve_property(measured)
        if request.block is not None:
            measured = with_blocks(project, space, measured, request.block, request.policies)
            groups = groups_of(with_labels(measured, nfp, request.block)[1], request.block)
        evaluation = sets.evaluation_set(request, project, nfp, space, notes)
        learner, of_settings = with_deviation(learner, settings, measured)
        learning_set = sets.learning_rows(measured, nfp, spec, request.seed, space, request.missing)
        rows = learning_set.rows
        sharing = None
        if stored is not None and fit is None and isinstance(learner, ProjectionLearner):
            sharing = stored.sharing(nfp, learner.chosen.scale, space.system, measured[rows])
            fit = sharing.fit_of(sets.OWN)
        if fit is not None and isinstance(learner, ProjectionLearner):
            learner = replace(learner, fit=fit)
        files: dict[str, Any] = {}
        if (file := request.analytical) is not None and isinstance(learner, ProjectionLearner):
            learner = replace(learner, formula=read_formula(request, file, project, space.system))
            files["analytical"] = {"path": file, "sha256": read_source(file).sha256}
        notes += (*of_settings, *learning_set.notes, *failure_notes(measured.failures, UNKNOWN))
        judged_on = "" if evaluation is None else evaluation.report.source or ""
        if request.validation is not None:
            validation = sets.validation_set(request, measured, nfp, rows, space)
            evaluation, judged_on = measured[validation.rows], f"the validation set {validation.sampling}"
            notes += validation.notes
        if request.given_terms is not None:
            from splc.formats.models.read import parse_term_list

            learner = parse_term_list(read_source(request.given_terms), space.system)
        count = len(measured.measured(nfp))
        inference, columns = project.inference, project.columns
        columns, mined = (inference.of_model(columns), bool(inference.mined)) if inference else (columns, False)
        provenance = {
            "sampling": learning_set.sampling,
            "measured_configurations": count,
            **columns_object(measured.contexts, columns, mined=mined),
            **({} if request.validation is None else {"validation": request.validation}),
            **({} if stored is None else {"sources": stored.files}),
            **({} if measured.failures is None else {"failures": failures_object(measured.failures)}),
            "files": input_files(project, measured, None if request.validation else evaluation) | files,
        }

        def followed(this: Step, line: str) -> None:
            watch.keep()
            # The bar of a learner without rounds is moved by the share of its work.
            if isinstance(this, Round) or watch.detail.verbose:
                watch.advance(this.number, None, title + line)

        split = Split(request, measured, nfp, rows, evaluation, groups, watch.stop)
        following = {"on_step": followed, "on_share": lambda share: watch.advance(share, 1.0, "")}
        following["should_stop"] = watch.stop
        try:
            result = split.learn(learner, rows, evaluation=evaluation, provenance=provenance, **following)
        except MeasurementError as error:
            raise error.at(measured.report.source) from None
        except EvaluationError as error:
            raise error.at(request.analytical) from None
        learning_set.require_enough_for(result)
        if sharing is not None:
            notes.append(Note(sets.note_of(sharing)))
        folds = request.folds
        others = count - len(rows) if evaluation is None else len(evaluation.measured(nfp))
        if request.baselines and not folds and not others:
            folds = FOLDS
            notes.append(Note(f"nothing measured is left to judge by: learners are compared by {FOLDS} folds"))
        compared, stopped = list[JudgedLearner](), False
        if result.termination != "interrupted":
            watch.keep(False)
            try:
                result = split.cross_validated(learner, result, folds)
                compared.extend(split.compared(result, folds) if request.baselines else ())
            except KeyboardInterrupt:
                stopped = True
        warnings = model_warnings(result, measured, space)
        patterns = run_notes([measured], nfp) if request.block is None else ()
        notes.add((*patterns, *(Note(text, warning=True) for text in warnings)))
        remarks = notes_of(result.notes, Rank.LIMIT)
        result = replace(result, notes=(*result.notes, *warnings))
        sample, evaluated = measured.configurations[rows], None
        if evaluation is not None:
            judged = evaluation.measured(nfp)
            judged = judged[judged.column(nfp) != 0]
            evaluated = Evaluated(judged_on, len(judged), int((sample.find(judged.configurations) >= 0).sum()))
            if evaluated.learned_from:
                every = plural(len(judged), "configuration", "configurations")
                notes.append(Note(f"{evaluated.learned_from:,} of the {every} of {judged_on} were learned from"))
        errors = tuple(round_errors(result))
        expected = expected_error(result, measured.column(nfp)[rows], count)
        content = None
        if outputs.model is not None:
            content = learned_file(result, measured.report.source or measured.system.name, errors, space.system)
            content = replace(content, facts={**content.facts, "expected_error": expected.values()})
            notes += replaced_notes((outputs.model, outputs.companion), Subject(measured.system.name, nfp))
        outputs.write(result, content)
        unmeasured = None
        with suppress(SpaceError):
            unmeasured = max(space.count - count, 0)
        shares = term_shares(result.model, sample).values if result.readable else ()
        effects = option_effects(result.model, result.estimates, sample, result.folds) if result.readable else ()
        far: tuple[Prediction, ...] = ()
        if result.scaling is not None:
            from splc.scaling.result import far_point, predictions

            far = predictions([result.scaling], [far_point(result.scaling)])[0]
        return Result(
            *(request, result, measured, rows, evaluated, expected, errors, shares, effects, far, folds),
            compared=tuple(compared),
            output=outputs.model,
            companion=outputs.companion,
            plot=outputs.plot,
            notes=(*notes, *remarks),
            stopped=stopped or (bool(folds or request.baselines) and split.should_stop()),
            inference=project.inference,
            unmeasured=unmeasured,
        )


def read_formula(request: Request, file: str, project: Project, system: VariabilityModel) -> InfluenceModel:
    """Read an analytical model, whose parameters stay names."""
    # Most models are learned without one.
    from splc.formats.models.read import read_stored_model

    known = request.known_parameters(project)
    stored = read_stored_model(file, system, parameters=known, symbols=known.quantities)
    request.require_used(stored.used)
    return stored.model


def output_form(output: str, learner: Learner) -> str:
    """Return the suffix of the format of a model; a log is the default of learners whose models it holds."""
    if not learner.suffix:
        hint = "leave it out; --baselines and splc study compare the errors of such learners with those of others"
        text = f"the learner {learner.name} gives a model without terms, which no file can hold"
        raise RequestError(text, "output", hint=hint)
    suffix = model_suffix(output)
    if learner.suffix == ".log":
        return suffix if suffix in model_writers() and suffix != ".txt" else ".log"
    return scaling_form(output)


def scaling_form(output: str) -> str:
    """Return the suffix of the format of scaling models; on standard output that is model text."""
    suffix = ".txt" if output == STANDARD else model_suffix(output)
    if suffix not in model_writers():
        suffixes = listed(list(model_writers()))
        raise RequestError(f"the suffix of {output!r} names no format, use one of {suffixes}", "output")
    return suffix


def replaced_notes(files: Sequence[str | None], subject: Subject) -> Iterator[Note]:
    """Yield notes about existing files that are replaced and whose models are about another system or property."""
    existing = [file for file in files if file is not None and file != STANDARD and Path(file).is_file()]
    if existing:
        # Learning reads no models.
        from splc.formats.models.read import subject_of
    before: dict[Subject, list[str]] = {}
    for file in existing:
        with suppress(InputError):
            before.setdefault(subject_of(read_source(file)), []).append(file)
    for former, replaced in before.items():
        if former.differs(subject):
            were, are = ("was the model", "is") if len(replaced) == 1 else ("were models", "are")
            yield Note(f"{listed(replaced)} {were} of {former}, and {are} replaced")
