"""Compare models with each other and with the measurements, by their terms and by their predictions."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from comparison import ComparedModel, Comparison, Comparisons, compare_all
from comparison.intervals import influence_intervals, parameter_intervals, prediction_intervals
from comparison.measures import DEFAULT_KEYS, ERROR_RATES, measure
from comparison.statistics import FEWEST, Correlation, pair_correlations
from sampling import Space
from sampling.space.ranges import TermRange, term_ranges
from splc.data.accuracy import mean_relative_error
from splc.errors import Problem, RequestError, SpecError, SplcError, listed, plural, unknown_name_hint
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, read_source
from splc.io.json import getter
from splc.io.presentation import Reported
from splc.models.subexpressions import Parameter
from splc.plotting.charts.drawing import require_picture
from splc.types import Link
from splc.workflows.compare.models import Basis, Request, basis_of, read_models, weights_of
from splc.workflows.inputs import input_files
from splc.workflows.note import Note, Noted, Notes, Rank
from splc.workflows.prediction_notes import ENOUGH, Learned, learned_configurations
from splc.workflows.views import UNWATCHED, Watch

__all__ = ["Request", "Result", "run"]

MEASURED = "measured."  # thresholds of models against measurements have this prefix
# Thresholds other than those of measures of predictions, and where a comparison has their values.
TERM_SCORES = {
    "score": "syntactic.score",
    "normalized": "syntactic.normalized",
    "hybrid_syntactic": "hybrid.syntactic",
    "hybrid_semantic": "hybrid.semantic",
    "overlap": "option_sets.overlap",
}
TERMS_ONLY = ("score", "normalized")  # those that need no configurations
# The form of a model by its link.
FORMS: Mapping[Link, str] = {"identity": "a sum of terms", "log": "a product of factors"}


@dataclass(frozen=True)
class StatedErrors:
    """The mean relative errors of models in percent at measured configurations, as `splc learn` states them."""

    configurations: int  # their number
    unlearned: bool  # whether no model was learned from them; otherwise they are all measured ones
    errors: Mapping[str, tuple[float | None, float | None]]  # model → its error, that of its full model or None


def _stated(
    models: Sequence[ComparedModel], stored: Sequence[StoredModel], learned: Learned, basis: Basis
) -> StatedErrors | None:
    """Return the errors of models at configurations, None where none was measured."""
    configurations, y = basis.configurations, basis.measured
    if configurations is None or y is None:
        return None
    is_new = ~np.isnan(y)
    for known in filter(None, learned.values()):
        is_new &= known.find(configurations) < 0
    unlearned = int(is_new.sum()) >= ENOUGH and not is_new.all()
    rows = np.flatnonzero(is_new if unlearned else ~np.isnan(y))
    errors = {}
    for model, entry in zip(models, stored, strict=True):
        assert model.predicted is not None
        full = None if entry.full is None else entry.full.predict(configurations[rows])
        of_full = None if full is None else mean_relative_error(full, y[rows])
        errors[model.name] = mean_relative_error(model.predicted[rows], y[rows]), of_full
    return StatedErrors(len(rows), unlearned, errors)


@dataclass(frozen=True, eq=False)
class Result(Noted, Reported):
    """Compared models."""

    request: Request  # the request
    comparisons: Comparisons  # the models and their comparisons
    basis: Basis  # the configurations that predictions are compared on
    stated: StatedErrors | None  # the errors of the models at measured configurations; None without measurements
    measures: tuple[str, ...]  # the keys of the measures
    ranges: tuple[tuple[TermRange, ...], ...] = ()  # the ranges of the terms of each model, if requested
    correlations: tuple[Correlation, ...] = ()  # the correlations of the measures with the error rate, if requested
    failures: tuple[str, ...] = ()  # the thresholds that are exceeded, one sentence each
    files: Mapping[str, Any] = field(default_factory=dict)  # the files read beside the models, with their hashes


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Compare models."""
    if request.view is not None and request.plot is None:
        raise RequestError("it needs --plot FILE", "view")
    _ = request.chosen_tables
    keys = tuple(dict.fromkeys((*DEFAULT_KEYS, *(measure(key).key for key in request.measures))))
    thresholds = [(key, option) for option in ("fail_below", "fail_above") for key in getattr(request, option)]
    _check(request, keys, thresholds)
    project = request.project_of_models(request.models)
    files = request.models
    if len(files) == 1:
        # A single model is compared with the analytical model of the project.
        (model,), analytical = files, project.analytical_file
        if analytical is None:
            hint = "name two models, or the analytical one as 'analytical' in splc.toml"
            hint += f"; splc predict {model} FILE states its error on measurements"
            raise RequestError(f"there is nothing to compare {model} with; {hint}", "models")
        if Path(model).exists() and Path(model).samefile(analytical):
            raise RequestError(f"{model} is the analytical model of this folder; name another model", "models")
        files = (analytical, model)
    require_picture(request.plot, (*files, request.on, *project.files))
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        models, stored = read_models(request, files, space.system, project, notes)
        learned = {entry.name: learned_configurations(entry, space.system) for entry in stored}
        basis = basis_of(request, project, space, stored, learned, notes)
        for key, option in thresholds:
            if key.startswith(MEASURED) and basis.measured is None:
                raise RequestError(f"{key} needs measurements, and there are none", option)
            if key not in TERMS_ONLY and basis.configurations is None:
                raise RequestError(f"{key} needs configurations; add --on", option)
        weights, weighted_by = None, ""
        if request.weights is not None:
            weights, weighted_by = weights_of(request.weights, basis, models[0], space.system)
        if request.level is not None:
            models = with_intervals(models, basis, request.level, notes)
        settings: dict[str, Any] = {name: getattr(basis, name) for name in ("measured", "runs", "nfp")}
        settings |= {name: getattr(request, name) for name in ("constant", "reference", "level")}
        settings |= {"measures": keys, "weights": weights, "weighted_by": weighted_by}
        settings["on_pair"] = lambda done, name: watch.advance(done, len(models) - 1, name)
        compared = compare_all(models, basis.configurations, **settings)
        notes += _notes(compared)
        for pair in compared.comparisons:
            notes += _without_common_class(pair, basis, space.system.observed)
        requested = compared.models if "ranges" in request.tables else ()
        ranges = tuple(term_ranges(model.model, space) for model in requested)
        correlations: tuple[Correlation, ...] = ()
        if "correlations" in request.tables:
            predicted = [model.predicted for model in compared.models if model.predicted is not None]
            tell = partial(watch.advance, total=math.comb(len(predicted), 2), text="correlating")
            rate = ERROR_RATES[request.reference]
            correlations = pair_correlations(predicted, keys, rate, weights=weights, seed=request.seed, on_pair=tell)
            if len(models) < FEWEST:
                text = f"correlations need three pairs of models, so at least {FEWEST} models; these are {len(models)}"
                notes.append(Note(text))
        stated = _stated(compared.models, stored, learned, basis)
        failures = (*_failures(request.fail_below, compared, True), *_failures(request.fail_above, compared, False))
        read = input_files(project, basis.measurements, None)
        if (parameters := project.parameters_file) is not None and parameters != STANDARD:
            read["parameters"] = {"path": parameters, "sha256": read_source(parameters).sha256}
        return Result(request, compared, basis, stated, keys, ranges, correlations, failures, read, notes=tuple(notes))


def _check(request: Request, keys: Sequence[str], thresholds: Sequence[tuple[str, str]]) -> None:
    """Refuse inconsistent requests before files are read."""
    if not request.models:
        raise RequestError("name the models to compare", "models")
    if request.scale is not None and not 0 < request.scale < math.inf:
        raise RequestError(f"{request.scale:g} is not a valid factor; give a positive number", "scale")
    if request.level is not None and not 0 < request.level < 1:
        raise RequestError(f"{request.level:g} is not between 0 and 1", "intervals")
    if sum(file == STANDARD for file in (*request.models, request.on)) > 1:
        raise RequestError("only one file can be standard input", "models", "on")
    measures = (*TERM_SCORES, *keys, *(MEASURED + key for key in keys))
    for key, option in thresholds:
        if key not in measures:
            raise RequestError(f"unknown measure {key!r}; {unknown_name_hint(key, list(measures))}", option)


def _notes(compared: Comparisons) -> Iterator[Note]:
    unseen: dict[str, dict[str, None]] = {}
    for pair in compared.comparisons:
        for term in pair.syntactic.unseen:
            unseen.setdefault(term.text, {}).update((getattr(pair, place), None) for place in term.models)
    for text, models in unseen.items():
        yield Note(f"{text} (in {', '.join(models)}) is compared as a whole: it cannot be written as a sum of terms")
    first = compared.models[0]
    for model in compared.models[1:]:
        if first.model.link != model.model.link:
            forms = f"{first.name} is {FORMS[first.model.link]}, {model.name} {FORMS[model.model.link]}"
            meaning = "equal terms do not mean the same"
            yield Note(f"{forms}: {meaning}, so they are compared by predictions and by sets of options only")
    for model in compared.models:
        if model.nfp is not None and compared.nfp is not None and model.nfp.split() != compared.nfp.split():
            text = f"{model.name} predicts {model.nfp!r}, but is compared with measured values of {compared.nfp!r}"
            yield Note(text, warning=True)
    left_out: dict[str, int] = {}
    for pair in compared.comparisons:
        if (found := pair.semantic) is not None:
            is_first = found.reference == "first"
            where = f"where {pair.first if is_first else pair.second} predicts 0"
            left_out[where] = found.left_out if is_first else found.left_out_reversed
    if compared.judged:
        left_out["with a measured value of 0"] = compared.judged[0].semantic.left_out
    for which, number in left_out.items():
        if number:
            count = plural(number, f"configuration {which} is", f"configurations {which} are")
            yield Note(f"{count} left out of the error rate")
    counts = {one.name: int((one.predicted < 0).sum()) for one in compared.models if one.predicted is not None}
    negative = [f"{name} has {plural(count, 'prediction', 'predictions')}" for name, count in counts.items() if count]
    if negative:
        yield Note(f"{listed(negative)} below 0: Jaccard may be outside of [0, 1]")


def _without_common_class(pair: Comparison, basis: Basis, observed: Sequence[str]) -> Iterator[Note]:
    """Yield why two models have no class of terms in common, and what to do."""
    if not pair.same_link or pair.syntactic.shares_class or not pair.syntactic.terms:
        return
    text = f"no class of terms is in both {pair.first} and {pair.second}: "
    first, second = pair.syntactic.options_of("first"), pair.syntactic.options_of("second")
    for more, less, only in ((pair.first, pair.second, first - second), (pair.second, pair.first, second - first)):
        if names := [name for name in observed if name in only]:
            text += f"{more} has terms of observed variables ({listed(names)}) that {less} does not have; "
            yield Note(f"{text}learn from them: {_learning_from(names, basis, observed)}", about=Rank.LIMIT)
            return
    text += "no set of options has terms in both; compare the predictions, or the options (--table sets)"
    yield Note(text, about=Rank.LIMIT)


def _learning_from(names: Sequence[str], basis: Basis, observed: Sequence[str]) -> str:
    """Return the command that learns from observed variables: part by part where properties and variables have numbers.

    The part of a number counts where an observed variable that the model does not use is 1, if there is one.
    """
    from splc.learning.sums import EACH

    def numbered(texts: Iterable[str]) -> list[str]:
        shapes = Counter(re.sub(r"\d+", EACH, text, count=1) for text in texts)
        return [shape for shape, count in shapes.items() if count > 1]

    part = numbered(() if basis.measurements is None else basis.measurements.properties)[:1]
    variables = dict.fromkeys(re.sub(r"\d+", EACH, name, count=1) if part else name for name in names)
    where = numbered(name for name in observed if name not in names)[:1] if part else []
    summed = ["--sum", ":".join(part + where)] if part else []
    return shlex.join(["splc", "learn", *summed, *(word for name in variables for word in ("--observed", name))])


def _failures(limits: Mapping[str, float], compared: Comparisons, below: bool) -> Iterator[str]:
    """Yield the thresholds that are exceeded; an undefined value exceeds every threshold."""
    for key, limit in limits.items():
        for name, value in _values(key, compared):
            if value is None:
                yield f"{key} of {name} is undefined"
            elif value < limit if below else value > limit:
                yield f"{key} of {name} is {value:.6g}, {'below' if below else 'above'} {limit:g}"


def _values(key: str, compared: Comparisons) -> Iterable[tuple[str, float | None]]:
    """Yield (the compared models, the value) of a threshold's measure for every comparison that has it."""
    if key.startswith(MEASURED):
        for judged in compared.judged:
            yield f"{judged.model} against the measurements", judged.semantic.values[key.removeprefix(MEASURED)]
        return
    value_of = getter(TERM_SCORES.get(key, "semantic.values"))
    for pair in compared.comparisons:
        value = None if key in TERMS_ONLY and not pair.same_link else value_of(pair)
        yield f"{pair.first} against {pair.second}", value.get(key) if isinstance(value, Mapping) else value


def with_intervals(models: list[ComparedModel], basis: Basis, level: float, notes: list[Note]) -> list[ComparedModel]:
    """Return models with confidence bands of predictions, and prediction intervals of a new run.

    Learned models have both from the measurements. Analytical models have bands from the intervals of their
    parameters; these do not describe how measured values scatter, so there are no prediction intervals.
    """
    if basis.configurations is None:
        return models
    banded = []
    for model in models:
        inexact = [parameter for parameter in model.model.parameters if parameter.has_interval]
        unknown = [parameter.name for parameter in model.model.parameters if not parameter.determined]
        why, bands = "", dict[str, Any]()
        if model.kind != "text" and basis.measurements is not None and basis.nfp is not None:
            rows, runs = basis.measurements.configurations, basis.measurements.repetitions(basis.nfp)
            try:
                intervals = influence_intervals(model.model, rows, basis.measurements[basis.nfp], level, runs)
                bands["intervals"] = prediction_intervals(intervals, basis.configurations)
                bands["single"] = prediction_intervals(intervals, basis.configurations, single=True)
            except SplcError as error:
                why = error.problems[0].message
        elif model.kind != "text":
            why = "there are no measurements to estimate them from"
        elif unknown:
            why = f"{listed(unknown)} {'is' if len(unknown) == 1 else 'are'} not determined (see splc calibrate)"
        elif inexact:
            _require_level(model.name, inexact, level, notes)
            bands["intervals"] = parameter_intervals(model.model, basis.configurations)
        else:
            why = "none of its parameters has one (see splc calibrate)"
        if why:
            notes.append(Note(f"{model.name} has no intervals: {why}"))
            bands = {"exact": model.exact and model.kind == "text" and not unknown}
        banded.append(replace(model, **bands))
    return banded


def _require_level(model: str, parameters: Sequence[Parameter], level: float, notes: list[Note]) -> None:
    """Refuse intervals of parameters that hold at another level, and note those that state none."""
    for value in sorted({value for parameter in parameters for value in parameter.levels}):
        if not math.isclose(value, level, rel_tol=1e-9):
            names = listed([parameter.name for parameter in parameters if value in parameter.levels])
            message = f"the intervals of {names} hold at the level {value:g}, not {level:g}"
            hint = f"give --intervals {value:g}, or estimate them again: splc calibrate --level {level:g}"
            raise SpecError(Problem(message, model, hint=hint))
    if unstated := [parameter.name for parameter in parameters if not parameter.levels]:
        text = f"{model}: the intervals of {listed(unstated)} state no level; they are taken to hold at {level:g}"
        notes.append(Note(text))
