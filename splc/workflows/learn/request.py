"""The request of `splc learn`: its learner, and the rows that it learns from and judges by, also of stored models."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from sampling import SamplingSpec, Space, draw_sample, parse_spec
from sampling.designs.whole import RandomWhole, Suggested
from sampling.space.parts import Parts
from splc import errors
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import Problem, RequestError, listed, plural
from splc.formats.models.stored_model import StoredModel
from splc.io.settings import setting_name
from splc.learning import registry
from splc.learning.contexts.contrasts import joint_ensemble
from splc.learning.contexts.sharing import ContextRows, Sharing
from splc.learning.folds import Groups, options_of
from splc.learning.learner import Learner, match
from splc.learning.projection import Form
from splc.learning.registry import learn
from splc.learning.result import LearningResult, Step
from splc.learning.stepwise.settings import SPLCONQUEROR_2019
from splc.project import Project
from splc.system.variability import VariabilityModel, extended, joint_system
from splc.types import Array, Missing
from splc.workflows.fields import Sampling, Seed, flag, internal, option, policy, refuse, request, texts_of
from splc.workflows.inputs import ModelInputs, TableInputs
from splc.workflows.note import Note, Noted, Notes, notes_of

if TYPE_CHECKING:
    from splc.learning.sums import Part


LEARNING, RESULTS = "Learning", "Results"
PRINTED = f"Model of the learner {registry.PROJECTION} (settings of the same names)"
_ABOUT = {registry.PMNF: " (scaling models)"}
_NAMES = (f"{name}{_ABOUT.get(name, '')}" for name in registry.LEARNERS if name not in registry.BASELINES)
_LEARNERS = f"The learner: {', '.join(_NAMES)}, or a baseline: {', '.join(registry.BASELINES)}."
# The fields that are settings of learners.
SETTINGS = ("first", "terms", "readable", "form")


@request
class Request(TableInputs, ModelInputs):
    """Learn a performance-influence model, and write it to learned.log and learned.json.

    Without a sampling all measured configurations are learned from, and only cross-validation judges the model.
    Scaling models of profiles have their own command, splc scale.
    """

    learner: str | None = option(None, "NAME", LEARNING, default=registry.DEFAULT)(_LEARNERS)
    sampling: Sampling = None
    missing: Annotated[Missing, policy("missing", panel="")] = "error"
    seed: Seed = 0
    preset: str | None = option(None, "NAME", LEARNING)(
        "Where settings start: 'splconqueror' is SPL Conqueror's algorithm, 'splconqueror-2019' that of logs."
    )
    settings: Mapping[str, Any] = option({}, "NAME=VALUE", LEARNING, names="--set", parse=texts_of, repeated=True)(
        "A setting of the learner: 'terms=5', 'abortError=1'. Can be repeated. Overrides splc.toml and the preset."
    )
    given_terms: str | None = option(None, "FILE", LEARNING)("Fit the influences of these terms, one per line.")
    sources: tuple[str, ...] = option((), "MODEL", LEARNING, names="--from")("Learn from the rows of this model, too.")
    analytical: str | None = option(None, "FILE", LEARNING)("Learn multiples of this analytical model, if that helps.")
    observed: tuple[str, ...] = option((), "PATTERN", LEARNING)(
        "Observed variables to learn from besides the options: 'C_*'. Can be repeated."
    )
    parts: tuple[str, ...] = option((), "NFP[:WHERE]", LEARNING, names="--sum")(
        "Learn this part of the property, and add up the models; WHERE is 1 where configurations have it. "
        "'seconds_{}:level_{}' is every level. Can be repeated."
    )
    evaluate_on: str | None = option(None, "FILE", LEARNING)("Measurements to judge the model by.")
    validation: str | None = option(None, "SPEC", LEARNING)("Judge by this sample, which is not learned from.")
    folds: int = option(0, "K", LEARNING, minimum=2, default="none")("Cross-validate with K folds.")
    group: str | None = option(None, "COLUMN", LEARNING)("Folds keep rows of one value together.")
    block: str | None = option(None, "COLUMN", LEARNING)("Runs of one value (day, node) differ together from others.")
    baselines: bool = flag("--baselines", LEARNING)("Compare with baselines, learned from the same rows.")
    output: str | None = option(
        None, "FILE", RESULTS, names="--output -o", default="learned.log and learned.json; of pmnf learned.json"
    )(
        "The only file of the model: .json (with the full model), .py, .program.json, .tex, otherwise a log; of pmnf "
        "also .txt."
    )
    plot: str | None = option(None, "FILE", RESULTS)(
        "A plot of predicted against measured values (.svg, .png, .pdf); with --by also one of what changed."
    )
    first: str | None = option(None, "TERM", LEARNING)("The first term of the learner stepwise.")
    terms: int | None = option(None, "N", PRINTED, minimum=1)("The largest number of terms.")
    readable: bool = flag("--readable", PRINTED)("At most 10 terms, for up to 10 % more error.")
    form: Form | None = option(None, "auto|sum|product", PRINTED, default="auto")("A sum of terms or a product.")
    path: bool = flag("--path", RESULTS)("Print models from few terms to many with errors.")
    by: str | None = option(None, "COLUMN", LEARNING)("One model per value of this context (version).")
    share: bool = flag("--share", LEARNING)("With --by: learn all values together.")
    companion: bool = internal(False, "Whether a log that `output` names is written with a JSON file, too.")
    write: bool = internal(True, "Whether the model and the plot are written.")
    folder: str = internal("", "The project folder.")

    @property
    def plain(self) -> Request:
        """The same request without second spellings: tables are its measurements, settings are in `settings`."""
        settings = {**self.settings, **{name: value for name in SETTINGS if (value := getattr(self, name))}}
        return self.with_tables(settings=settings, **{**dict.fromkeys(SETTINGS), "readable": False})

    @property
    def spec(self) -> SamplingSpec:
        """The sampling of the learning set."""
        return parse_spec("measured" if self.sampling is None else self.sampling)

    @property
    def of_rows(self) -> Request:
        """The request to learn from rows that are chosen already, and to judge the model by nothing else."""
        judging: dict[str, Any] = {"evaluate_on": None, "validation": None, "baselines": False, "folds": 0}
        return replace(self, sampling=None, sources=(), plot=None, **judging)

    def require_consistent(self) -> None:
        """Refuse fields that contradict each other."""
        set_fields = [name for name in ("learner", "preset", "settings") if getattr(self, name)]
        of_sum = "a sum of parts is judged by what was not learned from"
        twice = "a model is judged either by a file or by a validation set"
        no_terms = "baselines have no terms, so that models of parts cannot be added up"
        refuse(
            (self.parts and self.evaluate_on, of_sum, "evaluate_on"),
            (self.validation and self.evaluate_on, twice, "evaluate_on", "validation"),
            (self.parts and self.validation, of_sum, "validation"),
            (self.parts and self.baselines, no_terms, "baselines", "parts"),
            (self.given_terms and set_fields, "given terms are fitted, not learned", "given_terms", *set_fields[:1]),
            (self.folds and self.folds < 2, f"there must be at least 2 folds, not {self.folds}", "folds"),
            (self.parameter and not self.analytical, "it is one of an analytical model", "parameter"),
            (self.share and self.by is None, "it needs the context, such as --by version", "share"),
            (self.block and self.group, "folds keep the runs of a block together", "block", "group"),
            (self.block and (self.parts or self.sources), "parts of sums and rows of models have no blocks", "block"),
        )

    def require_joint(self, learner: Learner, field: str, how: str = "from these rows alone") -> None:
        """Refuse learners and fields that ignore what `field` asks for; `how` says what they learn from."""
        if learner.name != registry.PROJECTION:
            raise RequestError(f"the learner {learner.name} learns {how}", field, "learner")
        for name in ("parts", "observed", "given_terms"):
            if getattr(self, name):
                raise RequestError(f"not together: this learns {how}", field, name)

    def chosen_learner(self, project: Project) -> tuple[Learner, dict[str, Any]]:
        """Return the learner with its settings, and those that differ from its preset."""
        name, preset, stated = self.learner, self.preset, project.file
        if name is None and preset is None:
            preset = stated.preset
        settings = {**registry.own_settings(registry.learner_name(name, preset), stated.learning), **self.settings}
        learner = registry.learner_of(name, preset, settings)
        if "aggregate" in learner.settings and self.aggregate is not None:
            if "aggregate" in settings:
                raise RequestError("the setting 'aggregate' states it already", "aggregate")
            settings["aggregate"] = self.aggregate
            learner = registry.learner_of(name, preset, settings)
        return learner, settings


def with_deviation(
    learner: Learner, settings: Mapping[str, Any], measured: Measurements
) -> tuple[Learner, tuple[Note, ...]]:
    """Return a learner with the deviation that a measurement file states as its abortError, unless that is set."""
    # An error below the deviation of the measurements is noise; SPL Conqueror has the same rule.
    deviation = measured.report.deviation
    is_stated = learner.preset == SPLCONQUEROR_2019 or setting_name("abortError") in map(setting_name, settings)
    if deviation is None or is_stated or "abortError" not in learner.settings:
        return learner, ()
    source = measured.report.source
    text = f"abortError is {deviation:g}, as {source} states its deviation (--set abortError=… changes it)"
    return registry.learner_of(learner.name, learner.preset, {**settings, "abortError": deviation}), (Note(text),)


# The name of the rows of the model itself, in addition to the files.
OWN = "measurements"


def learn_rows(
    measured: Measurements, nfp: str, learner: Learner, rows: Array, parts: Sequence[str] = (), **further: Any
) -> tuple[LearningResult, int]:
    """Return the result of learning a property, or the sum of its parts, from some rows, and the number of rounds.

    `further` are arguments of `splc.learning.learn`, but that `on_step` gets a line that describes the step, too.
    """
    tell = further.pop("on_step", lambda step, line: None)

    def after(this: Step, part: Part | None = None) -> None:
        tell(this, ("" if part is None else f"{part.nfp}, ") + this.line(measured.system.term_order))

    shared: dict[str, Any] = {"learner": learner, "learning_set": rows, **further}
    if not parts:
        result = learn(measured, nfp, on_step=after, **shared)
        return result, len(result.rounds)
    from splc.learning.sums import learn_sum, parts_of

    # The sum is judged by all other rows.
    unused = ("observed", "evaluation", "validation", "on_share", "groups", "block")
    observed, *_ = (shared.pop(name, ()) for name in unused)
    named = parts_of(parts, measured.properties, observed)
    total = learn_sum(measured, named, nfp, on_step=lambda part, this: after(this, part), **shared)
    return total.whole, sum(len(part.rounds) for _, part in total.parts if part is not None)


def evaluation_set(request: Request, project: Project, nfp: str, space: Space, notes: Notes) -> Measurements | None:
    """Read the measurements to judge the model by, if there are some; they must have values of the property."""
    path = request.evaluate_on
    if path is None:
        return None
    evaluation = request.read_measurements(project, space, notes, file=path)
    try:
        if not len(evaluation.measured(nfp)):
            raise errors.MeasurementError(f"no configuration has a value of {nfp}")
    except errors.MeasurementError as error:
        raise error.at(path) from None
    return evaluation


@dataclass(frozen=True, eq=False)
class LearningRows(Noted):
    """The learning set among the measured configurations."""

    rows: Array  # the positions of the configurations to learn from
    sampling: str  # the sampling as read
    sampled: int  # the number of sampled configurations
    dropped: int = 0  # the number of those that were not measured and are left out (`--missing drop`)

    def require_enough_for(self, result: LearningResult) -> None:
        """Refuse a model with more than half as many terms as configurations, if sampled ones were left out."""
        terms = len(result.terms)
        # A model whose influences have intervals says itself what few configurations cannot tell.
        if self.dropped and not result.estimates and len(self.rows) < 2 * terms:
            raise self.too_few(f"the model has {plural(terms, 'term', 'terms')}, and each needs at least two")

    def too_few(self, reason: str) -> errors.LearningError:
        """Return the error for too few configurations."""
        size = len(self.rows)
        message = f"{size} of {self.sampled} sampled configurations {'was' if size == 1 else 'were'} measured: {reason}"
        hint = "measure the others, choose --missing nearest, or draw from what was measured: --sampling measured:N"
        return errors.LearningError(message, hint=hint)


def validation_set(request: Request, measured: Measurements, nfp: str, rows: Array, space: Space) -> LearningRows:
    """Return the measured configurations to judge a model by that is learned from `rows`; none of these is one."""
    assert request.validation is not None
    hint = "learn from fewer configurations (--sampling), or leave out --validation"
    if len(rows) == len(measured.measured(nfp)):
        raise errors.LearningError("every measured configuration is learned from, none is left to validate", hint=hint)
    learned = measured.configurations[rows]
    try:
        sample = learning_rows(measured, nfp, request.validation, request.seed, space, request.missing, learned)
    except errors.SpaceError as error:
        message = error.problems[0].message.replace("the existing sample", "the learning set")
        raise errors.LearningError(message, hint=hint) from None
    texts = (f"validation set: {note.text.replace('existing sample', 'learning set')}" for note in sample.notes)
    sample = replace(sample, rows=sample.rows[~np.isin(sample.rows, rows)], notes=notes_of(texts))
    if not len(sample.rows):
        text = f"no measured configuration is left for the validation set {sample.sampling}"
        raise errors.LearningError(text, hint=hint)
    return sample


def learning_rows(
    measured: Measurements, nfp: str, spec: SamplingSpec | str, seed: int, space: Space, missing: Missing, *apart: Any
) -> LearningRows:
    """Return the measured configurations to learn from; `apart`: configurations that are none of them."""
    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if len(usable) == 0:
        raise errors.LearningError(f"no configuration has a value of {nfp}").at(measured.report.source)
    table = measured.measured(nfp)
    spec = parse_spec(spec) if isinstance(spec, str) else spec
    if isinstance(design := spec.whole, Suggested):
        # One batch after the other, as if each was measured only then.
        from splc.learning.active.suggestion import sequential_rows
        from splc.learning.projection import variables_of

        count, variables = design.amount.resolve(Parts(space)), variables_of(space.system)
        if count > len(table):
            text = f"{design.text}: only {len(table):,} configurations have a value of {nfp}"
            raise errors.SpecError(text, hint=f"ask for at most {len(table):,}")
        seed = seed if design.seed is None else design.seed
        rows = sequential_rows(table.configurations, table.column(nfp), variables, count, seed)
        return LearningRows(usable[rows], spec.text, len(rows))
    sample = draw_sample(space.system, spec, seed, table.configurations, space, next(iter(apart), None), apart=True)
    instead = ""
    if isinstance(spec.whole, RandomWhole):
        number = min(len(sample.configurations), len(table))
        instead = f"draw from what was measured (--sampling measured:{number}), "
    positions, remarks = match(table, sample.configurations, missing, instead)
    sampled = len(sample.configurations)
    dropped = sampled - len(positions) if missing == "drop" else 0
    notes = notes_of((*sample.notes, *remarks))
    result = LearningRows(usable[positions], sample.spec, sampled, dropped, notes=notes)
    if dropped and len(positions) < 2:
        raise result.too_few("too few to learn from")
    return result


def read_groups(request: Request, project: Project, space: Space, measured: Measurements) -> Groups | None:
    """Return the groups of the values of a column: an option, or another column of the table; None without a column."""
    column = request.group
    if column is None or options_of(space.system, column) is not None:
        return None if column is None else Groups.stated(measured.configurations, column)
    parts = project.measurement_parts(space.system, space, by=(column,), **request.policies)
    return Groups.of_parts(measured.configurations, (part.configurations for part in parts), column)


@dataclass(frozen=True)
class StoredSources:
    """Models whose rows are learned from, too."""

    models: tuple[StoredModel, ...]  # the models

    @classmethod
    def read(cls, files: Sequence[str]) -> StoredSources:
        """Read the models."""
        # Most models have no sources.
        from splc.formats.models.read import read_stored_models

        models = tuple(read_stored_models(files, full=True))
        repeated = {model.name for model in models if [other.sha256 for other in models].count(model.sha256) > 1}
        if repeated:
            raise errors.InputError([Problem("this model is given twice", name) for name in sorted(repeated)])
        return cls(models)

    def project(self, project: Project) -> Project:
        """Return the project; an inferred system has the options and values of the models, too."""
        if not project.infers:
            # Further options and values of the folder's description are those of the measurements.
            return project.with_system_of_model(self._systems, every=False)
        inferred = project.variability_model(observed=False)
        joint = self._joint(self._systems or [inferred])
        names = {option.name for option in joint.numeric_options}
        values = {option.name: option.values for option in inferred.numeric_options if option.name in names}
        return replace(project, learned_system=replace(extended(joint, values), name=inferred.name))

    @property
    def files(self) -> list[dict[str, str]]:
        """The files and their hashes."""
        return [{"path": model.name, "sha256": model.sha256} for model in self.models]

    def nfp(self, name: str | None) -> str:
        """Return the property of the models; `name`: the one that is asked for."""
        names = dict.fromkeys(model.nfp for model in self.models if model.nfp is not None)
        if name is not None or len(names) == 1:
            return name or next(iter(names))
        raise errors.InputError(Problem(f"the models are about {listed([*names])}", self.models[0].name))

    @property
    def system(self) -> VariabilityModel:
        """A system that has the configurations of all models."""
        return self._joint(self._systems)

    @property
    def _systems(self) -> list[VariabilityModel]:
        return [model.system for model in self.models if model.system is not None]

    def _joint(self, systems: list[VariabilityModel]) -> VariabilityModel:
        joint = joint_system(systems) if systems else None
        if joint is None:
            raise errors.InputError(Problem("the models have different options", self.models[0].name))
        return joint

    def sharing(self, nfp: str, scale: str, system: VariabilityModel, measured: Measurements) -> Sharing:
        """Return the rows of the models and those of the measurements."""
        usable = measured.measured(nfp)
        part = ContextRows.of(usable.configurations, usable.column(nfp), usable.repetitions(nfp))
        return Sharing({**self.parts(nfp, system, measured.contexts.items()), OWN: part}, scale)

    def parts(
        self, nfp: str, system: VariabilityModel, learned: Collection[tuple[str, str]], by: str | None = None
    ) -> dict[str, ContextRows]:
        """Return the rows of the models by the values of their contexts."""
        values, stated = {value for _, value in learned}, {context for context, _ in learned}
        parts: dict[str, ContextRows] = {}
        for model in self.models:
            if model.nfp is not None and model.nfp != nfp:
                raise errors.InputError(Problem(f"the model is about {model.nfp}, not {nfp}", model.name))
            for name, configurations, y in _rows(model):
                # Rows of the value that is learned may be those that the error is estimated on.
                common = {each for each in model.contexts.items() if each[0] in stated}
                if name in values or (common and common <= {*learned}):
                    continue
                try:
                    converted = Configurations.from_columns(system, configurations.to_columns())
                except errors.ConfigurationError as error:
                    message = f"the model has other options or values: {error.problems[0].message}"
                    raise errors.InputError(Problem(message, model.name)) from None
                # Files of the same value have rows of their own.
                full = joint_ensemble(model.full)
                is_joint = full is not None and full.basis.context is not None
                unique = f"{name} ({model.name})" if name in parts and not is_joint else name
                parts[unique] = ContextRows(converted, y, np.ones(len(y)))
        if not parts:
            text = "the models are of the value that is learned"
            hint = "leave --from out, or choose models of other values"
            raise errors.LearningError(Problem(text, self.models[0].name, hint=hint))
        # Not before: a model that learned from another one has its rows by the name of the file, too.
        values_of_files = {model.name: model.contexts.get(by or "", model.name) for model in self.models}
        titled: dict[str, ContextRows] = {}
        for name, part in parts.items():
            title = values_of_files.get(name, name)
            titled[name if title in titled else title] = part
        return titled


def _rows(model: StoredModel) -> Iterator[tuple[str, Configurations, Array]]:
    """Yield the name, configurations and values of each context that a model was learned from."""
    full = joint_ensemble(model.full)
    if full is None or not full.parts:
        hint = "use the .json file of a model of the default learner that is no constant and no sum"
        raise errors.InputError(Problem("the file has no measured values to learn from", model.name, hint=hint))
    context = full.basis.context
    if context is None or full.places is None:
        # A value of the context says more than the name of a file.
        yield ", ".join(model.contexts.values()) or model.name, full.configurations, full.measured
        return
    for index, name in enumerate(context.names):
        rows = np.flatnonzero(full.places == index)
        # The same context of several files counts once.
        yield name if name != OWN else model.name, full.configurations[rows], full.measured[rows]


def note_of(sharing: Sharing, learned: Collection[str] = (OWN,)) -> str:
    """Return a note about the rows of other models; `learned`: the names of the other rows."""
    sources = [f"{len(part.y)} rows of {name}" for name, part in sharing.parts.items() if name not in learned]
    weight = sharing.weights.get(OWN)
    text = "" if weight is None else f"; weight of learning alone: {weight:.2f}"
    return f"learned with {listed(sources, 5)}{text}"
