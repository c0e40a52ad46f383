"""The inputs of a comparison: the request, the models, the configurations and their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from comparison import ComparedModel, compared_model
from comparison.measures import Reference
from comparison.semantic import weights_from, weights_of_terms
from sampling import Space, draw_sample
from splc import errors
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import Problem, RequestError, SplcError, plural
from splc.formats.column_choice import ColumnChoice
from splc.formats.measurements.configurations import read_inputs
from splc.formats.models.read import read_stored_models
from splc.formats.models.stored_model import StoredModel, WhichRound, choice_of
from splc.io.files import STANDARD, is_file
from splc.models.parameters import chosen_rows
from splc.models.text.reader import expand_model
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.fields import Seed, argument, flag, number_or, numbers, option, request
from splc.workflows.inputs import ModelInputs, context_notes
from splc.workflows.note import Note, Notes, notes_of, reading_notes, run_notes
from splc.workflows.prediction_notes import Learned, learned_from_notes

MODELS = "Models"
PREDICTIONS = "Comparison of predictions"
TERMS = "Comparison of terms"
RESULTS = "Output"
TABLE_NAMES = ("measures", "terms", "classes", "sets", "places", "ranges", "intervals", "correlations")
# Without measurements, all valid configurations are compared on if there are at most so many.
MAX_CONFIGURATIONS = 100_000
TITLES = {"all": "all valid"}


@request
class Request(ModelInputs):
    """Compare models by their terms and by their predictions, and each with the measurements."""

    models: tuple[str, ...] = argument((), "FIRST OTHER...")(
        "The models: model text, logs, JSON. The first one, usually the analytical one, is compared with each other "
        "one. With a single model the first is the analytical model of the folder."
    )
    scale: float | None = option(None, "FACTOR", MODELS)("Multiply the analytical models.")
    round: WhichRound = option("last", "N|last|best", MODELS, parse=number_or({"last": "last", "best": "best"}))(
        "The round of logs."
    )
    learning: int | None = option(None, "N|all", MODELS, parse=number_or({"all": 0}, 1), default="the last")(
        "The learning of logs that hold several; 'all' compares each."
    )
    at: Mapping[str, float] = numbers(TERMS, default="their middle row")(
        "The row of tabled parameters that is their number in terms: 'nodes=4'."
    )
    constant: bool = flag("--constant/--no-constant", TERMS, initial=True)(
        "Whether the constant takes part, as a separate equivalence class."
    )
    on: str | None = option(None, "measured|all|FILE|SPEC", PREDICTIONS)(
        "The configurations: the measured ones (default; without measurements those that models were learned from, or "
        "all), all valid ones, those of a file, or a sampling."
    )
    measures: tuple[str, ...] = option((), "NAME", PREDICTIONS, names="--measure")(
        "A further measure: 'minkowski4', 'smape', …; 'list' prints all. Can be repeated."
    )
    weights: str | None = option(None, "measured|predicted|TERMS", PREDICTIONS)(
        "Weigh configurations by the measured value, the first model's prediction, or the share of terms."
    )
    reference: Reference = option("first", "first|second", PREDICTIONS)(
        "The model of each pair that relative errors are relative to, in tables and correlations. The keys of --json "
        "and of bounds do not change: error_rate is relative to the first model, error_rate_reversed to the second."
    )
    intervals: float | None = option(None, "LEVEL", PREDICTIONS)(
        "Also compare confidence bands of predictions at this level (0.95): those of learned models from the "
        "measurements, those of analytical ones from the intervals of their parameters."
    )
    seed: Seed = 0
    plot: str | None = option(None, "FILE", RESULTS)("Draw predictions and terms (.svg, .png, .pdf).")
    fail_below: Mapping[str, float] = numbers(RESULTS)(
        "End with exit code 1 if a pair has a lower value: 'jaccard=0.9'; 'measured.cosine=0.9' compares the models "
        "with the measurements. Can be repeated."
    )
    fail_above: Mapping[str, float] = numbers(RESULTS)("The same for values above: 'error_rate=20'.")
    tables: tuple[str, ...] = option(
        (), "NAME", RESULTS, names="--table", default="measures, and for two models terms"
    )(f"A table: {', '.join(TABLE_NAMES)}. Can be repeated.")
    form: Literal["csv", "markdown", "latex"] | None = option(None, "csv|markdown|latex", RESULTS, names="--format")(
        "Print the tables in this format."
    )
    view: Literal["both", "predictions", "terms"] | None = option(
        None, "both|predictions|terms", RESULTS, default="both"
    )("What --plot draws.")

    @property
    def chosen_tables(self) -> tuple[str, ...]:
        """The tables to print."""
        for name in self.tables:
            if name not in TABLE_NAMES:
                hint = errors.unknown_name_hint(name, list(TABLE_NAMES))
                raise RequestError(f"unknown table {name!r}; {hint}", "tables")
        if self.form == "csv" and len(self.tables) > 1:
            raise RequestError("CSV has one table; name it with --table", "form", "tables")
        if self.tables:
            return tuple(dict.fromkeys(self.tables))
        return ("measures",) if self.form == "csv" or len(self.models) > 2 else ("terms", "measures")

    @property
    def level(self) -> float | None:
        """The level of intervals; None if they are not compared."""
        return 0.95 if self.intervals is None and "intervals" in self.tables else self.intervals


@dataclass(frozen=True, eq=False)
class Basis:
    """The configurations that predictions are compared on."""

    configurations: Configurations | None = None  # n configurations; None where only terms are compared
    measured: Array | None = None  # their measured values, shape (n,), NaN for missing ones; None without any
    nfp: str | None = None  # the measured property, None where none was measured
    text: str = "none"  # a description for tables
    measurements: Measurements | None = None  # the measurements of the project, None where it has none
    runs: Array | None = None  # those of all runs, shape (n, repetitions)

    @property
    def unit(self) -> str | None:
        """The unit of the measured property, None if it is not known."""
        return None if self.nfp is None or self.measurements is None else self.measurements.unit(self.nfp)


def read_models(
    request: Request, files: Sequence[str], system: VariabilityModel, project: Project, notes: Notes
) -> tuple[list[ComparedModel], list[StoredModel]]:
    """Return the models to compare, and those of the files, which may have a full one; notes state peculiarities."""
    parameters = request.known_parameters(project)
    try:
        # Full models have the configurations that they were learned from.
        stored = read_stored_models(
            files, system, parameters=parameters, round=request.round, learning=request.learning, full=True
        )
    except errors.InputError as error:
        raise request.about_options(error, files, project) from None
    request.require_used(frozenset().union(*(entry.used for entry in stored)))
    kinds = {entry.kind for entry in stored}
    if request.scale is not None and "text" not in kinds:
        raise RequestError("only model text is multiplied, and none of the models is model text", "scale")
    for name, is_set in (("round", request.round != "last"), ("learning", request.learning is not None)):
        if is_set and "log" not in kinds:
            raise RequestError("none of the models is a log", name)
    if len(stored) < 2:
        raise RequestError("a comparison needs at least two models", "models")
    if request.at:
        chosen_rows([parameter for entry in stored for parameter in entry.model.parameters], request.at)
    models = []
    for entry in stored:
        notes += notes_of(f"{entry.name}: {text}" for text in entry.notes)
        notes += context_notes(entry.name, entry.contexts, project)
        scaled = request.scale is not None and entry.kind == "text"
        model = entry.model.scaled(request.scale or 1.0) if scaled else entry.model
        about = {name: getattr(entry, name) for name in ("kind", "nfp", "file", "sha256", "contexts")}
        models.append(replace(compared_model(entry.name, model, request.at), **about))
    return models, stored


def basis_of(
    request: Request, project: Project, space: Space, stored: Sequence[StoredModel], learned: Learned, notes: Notes
) -> Basis:
    """Return the configurations that predictions are compared on; what should be known is added to the notes."""
    on, roles = request.on, choice_of(entry.columns for entry in stored)
    basis = Basis()
    names = {" ".join(model.nfp.split()) for model in stored if model.nfp}
    model_nfp = names.pop() if len(names) == 1 else None
    if on is not None and (on == STANDARD or is_file(on) or on.removesuffix(".gz").lower().endswith((".csv", ".xml"))):
        policy = request.policy(space, project, roles)
        inputs = read_inputs(on, space.system, policy, request.nfp, model_nfp or project.nfp)
        notes += reading_notes(inputs.report, about=[inputs.nfp])
        nfp = inputs.nfp if inputs.measured is not None else None
        basis = Basis(inputs.configurations, inputs.measured, nfp, on, runs=inputs.runs)
    elif project.has_measurements or on == "measured":
        basis = _measured_basis(request, project, space, model_nfp, roles, notes)
    elif on is not None:
        sampled = draw_sample(space.system, on, request.seed, space=space)
        notes += notes_of(sampled.notes)
        basis = Basis(sampled.configurations, text=TITLES.get(on, on))
    # The configurations that models were learned from, or all valid ones unless there are very many.
    elif rows := [configurations for configurations in learned.values() if configurations is not None]:
        basis = Basis(Configurations.concatenate(rows).unique(), text="those learned from")
    elif not space.system.observed:
        with suppress(errors.SpaceError):
            if space.count <= MAX_CONFIGURATIONS:
                basis = Basis(space.enumerate(), text=TITLES["all"])
    if basis.configurations is not None:
        if basis.measured is not None:
            notes += learned_from_notes(basis.configurations, basis.measured, learned)
        return replace(basis, configurations=project.with_observed(basis.configurations))
    for name in ("measures", "weights", "intervals"):
        if getattr(request, name):
            raise RequestError("there are no configurations to compare predictions on; add --on", name)
    text = "there are no measurements: only terms are compared; --on all compares predictions on all configurations"
    notes.append(Note(text))
    return basis


def _measured_basis(
    request: Request, project: Project, space: Space, model_nfp: str | None, roles: ColumnChoice, notes: Notes
) -> Basis:
    """Return the measured configurations, or sampled ones with the values of those that were measured."""
    on = request.on
    everything = request.read_measurements(project, space, notes, learned=roles)
    # A log keeps one space where a name has several.
    names = {" ".join(name.split()): name for name in everything.properties}
    nfp = (names.get(model_nfp or "") if request.nfp is None else None) or project.resolve_property(everything)
    measurements = everything.measured(nfp)
    notes.add(run_notes([everything], nfp))
    if on is None or on == "measured":
        if not len(measurements):
            hint = "name another property with --property, or other configurations with --on"
            source = everything.report.source or None
            raise errors.MeasurementError(Problem(f"no configuration has a value of {nfp}", source, hint=hint))
        facts = (nfp, "measured", measurements, measurements.repetitions(nfp))
        return Basis(measurements.configurations, measurements[nfp], *facts)
    sampled = draw_sample(space.system, on, request.seed, measurements.configurations, space)
    notes += notes_of(sampled.notes)
    rows, title = measurements.configurations.find(sampled.configurations), TITLES.get(on, on)
    if (rows < 0).all():
        notes.append(Note(f"none of the {plural(len(rows), 'configuration', 'configurations')} was measured"))
        return Basis(sampled.configurations, text=title, measurements=measurements)
    if (rows < 0).any():
        notes.append(Note(f"{int((rows >= 0).sum()):,} of the {len(rows):,} configurations were measured"))
    values = np.where(rows >= 0, measurements[nfp][rows], np.nan)
    runs = np.where(rows[:, None] >= 0, measurements.repetitions(nfp)[rows], np.nan)
    return Basis(sampled.configurations, values, nfp, title, measurements, runs)


def weights_of(text: str, basis: Basis, first: ComparedModel, system: VariabilityModel) -> tuple[Array, str]:
    """Return the weights of the configurations, shape (n,), and their description for tables."""
    assert basis.configurations is not None
    if text == "measured":
        if basis.measured is None or np.isnan(basis.measured).any():
            raise RequestError("not all of the configurations were measured", "weights")
        return weights_from(basis.measured), f"measured {basis.nfp}"
    if text == "predicted":
        return weights_from(first.model.predict(basis.configurations)), f"predictions of {first.name}"
    try:
        terms = frozenset(expand_model(text, system.term_names).expansion)
    except SplcError as error:
        raise error.at("--weights") from None
    # Terms without the parameters that are factors of them.
    names = {parameter.name for parameter in first.model.parameters}
    structures = {
        term: type(term)(tuple(factor for factor in term.factors if factor.option not in names))
        for term, _ in first.model.terms
    }
    missing = [term.text(system.names) for term in terms - set(structures.values())]
    if missing:
        texts = ", ".join(dict.fromkeys(term.text(system.names) for term in structures.values()))
        raise RequestError(f"{first.name} has no term {missing[0]}; its terms are: {texts}", "weights")
    chosen = [term for term, structure in structures.items() if structure in terms]
    return weights_of_terms(first.model, chosen, basis.configurations), f"share of {text} in {first.name}"
