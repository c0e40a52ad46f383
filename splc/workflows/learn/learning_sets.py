"""The request of `learn`, and the inputs of learning: settings, learning set, evaluation set, input files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from sampling import SamplingSpec, Space, draw_sample, parse_spec
from sampling.designs.whole.suggested import Suggested
from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, RequestError, SpaceError, SpecError, plural
from splc.formats.benchmarks.read import is_folder_of_runs
from splc.formats.benchmarks.tools import benchmark_of
from splc.formats.detect import experiment_format, is_xml
from splc.formats.measurements.columns import ColumnChoice
from splc.io.files import STANDARD, read_source
from splc.io.settings import setting_name
from splc.learning.learner import Learner
from splc.learning.learning_set import match
from splc.learning.registry import BASELINES, DEFAULT, LEARNERS, PMNF, learner_name, learner_of, own_settings
from splc.learning.result import LearningResult
from splc.learning.stepwise.settings import SPLCONQUEROR_2019
from splc.project import Project
from splc.types import Array, Missing
from splc.workflows.common_fields import POLICIES, Binary, Numeric, Sampling, Seed, policy
from splc.workflows.field_values import pairs_in, texts_of
from splc.workflows.fields import as_flag, as_option, python_only, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, notes_of

LEARNING = "Learning"
_NAMES = (f"{name} (scaling models)" if name == PMNF else name for name in LEARNERS if name not in BASELINES)
_LEARNERS = f"The learner: {', '.join(_NAMES)}, or a baseline: {', '.join(BASELINES)}."
RESULTS = "Results"
# The fields of a request that a profile has no use for.
_OF_SYSTEMS = (
    *("sampling", "binary", "numeric", "missing", "seed", "preset", "observed", "parts", "evaluate_on", "plot"),
    "validation",
    *(
        "given_terms",
        "search",
        "samples",
        "jobs",
        "folds",
        "group",
        "baselines",
        "sources",
        "system",
        "invalid",
        "duplicates",
        "context",
        "ignore",
        "where",
        "options",
    ),
)


@request
class Request(SystemInputs):
    """A request to learn a model.

    Settings override those of `splc.toml`, which override the preset. Without a sampling all measured configurations
    are learned from.
    """

    context: Annotated[
        tuple[str, ...], as_option("COLUMN,…", "Contexts of numbers; NAME=VALUE: without rows.", POLICIES)
    ] = ()
    learner: Annotated[
        str | None,
        as_option("NAME", _LEARNERS, LEARNING, default=DEFAULT),
    ] = None
    sampling: Sampling = None
    binary: Binary = None
    numeric: Numeric = None
    missing: Annotated[Missing, policy("missing", panel="")] = "error"
    seed: Seed = 0
    preset: Annotated[
        str | None,
        as_option(
            "NAME",
            "Where settings start: 'splconqueror' is SPL Conqueror's algorithm, 'splconqueror-2019' that of logs.",
            LEARNING,
        ),
    ] = None
    settings: Annotated[
        Mapping[str, Any],
        as_option(
            "NAME=VALUE",
            "A setting of the learner: 'terms=5', 'abortError=1'. Can be repeated. Overrides splc.toml and the preset.",
            LEARNING,
            names="--set",
            parse=texts_of,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    given_terms: Annotated[
        str | None, as_option("FILE", "Fit the influences of these terms, one per line.", LEARNING)
    ] = None
    search: Annotated[
        tuple[str, ...],
        as_option(
            "NAME=[V,V]",
            "Try these values of a setting, or those of a TOML file: the least error on folds wins. Can be repeated.",
            LEARNING,
        ),
    ] = ()
    samples: Annotated[int | None, as_option("N", "Draw N combinations of --search.", LEARNING, minimum=1)] = None
    jobs: Annotated[int, as_option("N", "Processes of --search.", LEARNING, names="--jobs -j", minimum=1)] = 1
    sources: Annotated[
        tuple[str, ...],
        as_option("MODEL", "Learn from the rows of this model, too.", LEARNING, names="--from"),
    ] = ()
    observed: Annotated[
        tuple[str, ...],
        as_option("PATTERN", "Observed variables to learn from besides the options: 'C_*'. Can be repeated.", LEARNING),
    ] = ()
    parts: Annotated[
        tuple[str, ...],
        as_option(
            "NFP[:WHERE]",
            "Learn this part of the property, and add up the models; WHERE is 1 where configurations have it. "
            "'seconds_{}:level_{}' is every level. Can be repeated.",
            LEARNING,
            names="--sum",
        ),
    ] = ()
    evaluate_on: Annotated[str | None, as_option("FILE", "Measurements to judge the model by.", LEARNING)] = None
    validation: Annotated[
        str | None,
        as_option("SPEC", "Judge by this sample, which is not learned from.", LEARNING),
    ] = None
    folds: Annotated[
        int,
        as_option("K", "Cross-validate with K folds.", LEARNING, minimum=2, default="none"),
    ] = 0
    group: Annotated[str | None, as_option("COLUMN", "Folds keep rows of one value together.", LEARNING)] = None
    baselines: Annotated[
        bool, as_flag("--baselines", "Compare with baselines, learned from the same rows.", LEARNING)
    ] = False
    output: Annotated[
        str | None,
        as_option(
            "FILE",
            "The only file of the model: .json (with the full model), .py, .c, .program.json, .tex, otherwise a log; "
            "of pmnf also .txt.",
            RESULTS,
            names="--output -o",
            default="learned.log and learned.json; of pmnf learned.json",
        ),
    ] = None
    plot: Annotated[
        str | None,
        as_option(
            "FILE",
            "A plot of predicted against measured values (.svg, .png, .pdf); with --by also one of what changed.",
            RESULTS,
        ),
    ] = None
    companion: Annotated[bool, python_only("Whether a log that `output` names is written with a JSON file, too.")] = (
        False
    )
    write: Annotated[bool, python_only("Whether the model and the plot are written.")] = True
    folder: Annotated[str, python_only("The project folder.")] = ""

    @property
    def unmeasured(self) -> tuple[tuple[str, str], ...]:
        """The contexts and values of which nothing was measured: those of `context` that are written NAME=VALUE."""
        return pairs_in(self.context)

    @property
    def columns(self) -> ColumnChoice:
        """The roles of columns of the measurements."""
        return replace(super().columns, contexts=tuple(text for text in self.context if "=" not in text))

    @property
    def spec(self) -> SamplingSpec:
        """The sampling of the learning set.

        Raises:
            SpecError: if it is wrong.
        """
        sampling = "measured" if self.sampling is self.binary is self.numeric is None else self.sampling
        return parse_spec(sampling, binary=self.binary, numeric=self.numeric)


def profile_of(request: Request) -> str | None:
    """Return the file of the profile that a request of pmnf is about; None if it is about a described system.

    A CSV file is about the described system, if there is one.

    Raises:
        InputError: if the file cannot be read.
        RequestError: if the request has fields that a profile has no use for.
    """
    if request.learner != PMNF:
        return None
    project = request.project(request.folder)
    if "system" in project.given or (request.measurements is None and project.has_system):
        return None
    if request.measurements is None and not project.has_measurements:
        return None
    path = project.measurements_file
    if project.further:
        return None
    # Standard input can be read only once, so its content does not decide.
    if is_folder_of_runs(path):
        return None
    if path != STANDARD:
        source = read_source(path)
        if benchmark_of(source) is not None:
            return None
        table = bool(source.data.strip()) and experiment_format(source) == "csv"
        if is_xml(source) or (table and project.has_system):
            return None
    default = Request()
    names = [name for name in _OF_SYSTEMS if getattr(request, name) != getattr(default, name)]
    if names:
        raise RequestError("there is no system description here: the measurements are a profile", *names[:1])
    return path


def chosen_learner(request: Request, project: Project) -> tuple[Learner, dict[str, Any]]:
    """Return the learner with its settings, and those that differ from its preset.

    Raises:
        SpecError: for an unknown learner, preset or setting.
        RequestError: if the aggregate is stated twice.
    """
    name, preset = request.learner, request.preset
    if name is None and preset is None:
        preset = project.preset
    settings = {**own_settings(learner_name(name, preset), project.learning), **request.settings}
    learner = learner_of(name, preset, settings)
    if "aggregate" in learner.settings:
        settings = with_aggregate(request, settings)
        learner = learner_of(name, preset, settings)
    return learner, settings


def with_aggregate(request: Request, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a learner that aggregates repetitions itself, with the aggregate of the request.

    Raises:
        RequestError: if the settings state another one.
    """
    if request.aggregate is None:
        return dict(settings)
    if "aggregate" in settings:
        raise RequestError("the setting 'aggregate' states it already", "aggregate")
    return {**settings, "aggregate": request.aggregate}


def with_deviation(
    learner: Learner, settings: Mapping[str, Any], measured: Measurements
) -> tuple[Learner, tuple[Note, ...]]:
    """Return a learner with the deviation that a measurement file states as its abortError, unless that is set.

    An error below the deviation of the measurements is noise; SPL Conqueror has the same rule.
    """
    deviation = measured.report.deviation
    is_stated = learner.preset == SPLCONQUEROR_2019 or any(
        setting_name(name) == setting_name("abortError") for name in settings
    )
    if deviation is None or is_stated or "abortError" not in learner.settings:
        return learner, ()
    text = (
        f"abortError is {deviation:g}, as {measured.report.source} states its deviation (--set abortError=… changes it)"
    )
    return learner_of(learner.name, learner.preset, {**settings, "abortError": deviation}), (Note(text),)


def evaluation_set(request: Request, project: Project, nfp: str, space: Space, notes: Notes) -> Measurements | None:
    """Read the measurements to judge the model by, if there are some; they must have values of the property.

    Raises:
        InputError: if they cannot be read.
        MeasurementError: if nothing has a value of the property.
    """
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
    """The learning set among the measured configurations.

    Attributes:
        rows: the positions of the configurations to learn from.
        sampling: the sampling as read.
        sampled: the number of sampled configurations.
        dropped: the number of those that were not measured and are left out (`--missing drop`).
        notes: what the user should know.
    """

    rows: Array
    sampling: str
    sampled: int
    dropped: int = 0
    notes: tuple[Note, ...] = ()

    def require_enough_for(self, result: LearningResult) -> None:
        """Refuse a model with more than half as many terms as configurations, if sampled ones were left out.

        A model whose influences have intervals says itself what few configurations cannot tell.

        Raises:
            LearningError: with the number of configurations that are left.
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
    """Return the measured configurations to judge a model by that is learned from `rows`; none of these is one.

    Raises:
        LearningError: if a sampled configuration was not measured, or nothing is left.
        SpecError: if the sampling cannot be drawn.
    """
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
    """Return the measured configurations to learn from.

    Args:
        measured: the measurements.
        nfp: the property.
        spec: the sampling of the configurations.
        seed: the seed of what is drawn.
        space: the valid configurations.
        missing: what happens to sampled configurations that were not measured.
        apart: configurations that are not sampled, because they are in another set.

    Raises:
        LearningError: if nothing has a value of the property, a sampled configuration was not measured, or `drop`
            leaves fewer than two.
        SpecError: if the sampling cannot be drawn.
    """
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
