"""`splc suggest`: which configurations of a described system to measure next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Failures
from splc.data.property_unit import quantity
from splc.errors import InputError, Problem, RequestError, listed, plural
from splc.formats.detect import experiment_format, is_xml, kind_of
from splc.formats.measurements.csv import write_configurations
from splc.formats.measurements.selections import parse_assignments, with_assigned_values
from splc.io.files import STANDARD, is_stream, read_source, require_writable
from splc.io.json import picked
from splc.io.numbers import count_text, percentage
from splc.learning.active.suggestion import LEARNED_ROWS, ConfigurationSuggestions, suggest
from splc.learning.projection import ENUMERATED
from splc.types import Array, Goal
from splc.workflows import views
from splc.workflows.fields import FixedValues, OutputFile, Seed, flag, option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.learn.request import StoredSources
from splc.workflows.measure import Request as MeasureRequest
from splc.workflows.measure.outcome import Outputs
from splc.workflows.note import Note, Noted, Notes, Rank, direction_notes
from splc.workflows.prediction_notes import unmeasured_notes
from splc.workflows.subspace import all_of, failure_notes, failures_as_json, fixed_space, further_notes, working_space


@request
class Request(SystemInputs):
    """Suggest what to measure next.

    These are the configurations whose measurement reduces the variance of predictions most, or with --goal optimum
    those that may be better than the best measured one, as a CSV table for splc measure. Points of a scaling model are
    suggested by splc scale --suggest.
    """

    budget: float | None = option(None, "N", minimum=0)("The number of configurations.")
    cost: str | None = option(None, "COST", default="1")(
        "What a measurement costs: a measured property, or 'model' for the predicted value; the gain per cost counts."
    )
    goal: Goal = option("variance", "variance|optimum")(
        "Good predictions of all valid configurations, or the configuration with the best value."
    )
    maximize: bool = flag("--maximize")("With --goal optimum: the greatest value is the best.")
    sources: tuple[str, ...] = option((), "MODEL", names="--from")(
        "A model of an earlier version: what tells most about the difference from it. Can be repeated."
    )
    fix: FixedValues = ()
    seed: Seed = 0
    output: OutputFile = None


@dataclass(frozen=True)
class Result(Noted):
    """Suggested configurations."""

    request: Request  # the request
    suggestions: ConfigurationSuggestions  # the configurations, with expected gains and predictions
    nfp: str | None  # the property, None without measurements
    measured: int  # the number of measured configurations
    best: float | None  # the best measured value of configurations with the fixed values, None without any
    unit: str | None = None  # the unit of the property, None if it is not known
    failures: Failures | None = None  # the configurations that never worked, which are not suggested


def run(request: Request, watch: views.Watch = views.UNWATCHED) -> Result:
    """Suggest configurations to measure."""
    budget, optimum = request.budget, request.goal == "optimum"
    if budget is None:
        raise RequestError("the number of configurations to suggest is missing; write --budget 10", "budget")
    if not 1 <= budget < 1e9 or budget != int(budget):
        raise RequestError(f"the budget is a positive number of configurations, not {budget:g}", "budget")
    if request.maximize and not optimum:
        raise RequestError("large values are good only where an optimum is searched; add --goal optimum", "maximize")
    project = request.project()
    if project.has_measurements and (file := project.measurements_file) != STANDARD:
        source = read_source(file)
        other = is_xml(source) or kind_of(source) == "measurements" or experiment_format(source) == "csv"
        if source.data.strip() and not other:
            hint = f"splc scale {shlex.quote(file)} --suggest suggests points of a scaling model"
            raise InputError(Problem("this is a profile, not measurements of a system", file, hint=hint))
    stored = None
    if request.sources:
        stored = StoredSources.read(request.sources)
        described = project.infers or project.has_system
        project = stored.project(project) if described else replace(project, learned_system=stored.system)
    require_writable(request.output, project.files)
    with Notes() as notes:
        known = request.read_system(project, notes, observed=False)
        base = Space(with_assigned_values(request.fix, known))
        notes += further_notes(known, base.system)
        fixed = parse_assignments(request.fix, base.system)
        space = fixed_space(base, fixed)
        measured = request.read_measurements(project, base, notes) if project.has_measurements else None
        failures = None if measured is None else measured.failures
        notes += failure_notes(failures, "not suggested")
        space = working_space(space, failures, fixed)
        nfp = None if measured is None or not len(measured) else project.resolve_property(measured)
        sources = None
        if stored is not None:
            nfp = stored.nfp(nfp or request.nfp)
            sources = stored.parts(nfp, space.system, () if measured is None else measured.contexts.items())
        settings = {name: getattr(request, name) for name in ("goal", "maximize", "cost", "seed")}
        found = suggest(space, measured, nfp, int(budget), sources=sources, **settings)
        result = Result(request, found, nfp, 0, None, failures=failures)
        inside = 0
        if measured is not None:
            tried = [table.configurations for table in (measured, failures) if table is not None]
            inside = int(space.check(Configurations.concatenate(tried).unique()).sum())
        if measured is not None and nfp is not None:
            usable, names = measured.measured(nfp), frozenset(space.system.names)
            rows, values = usable.configurations, usable.column(nfp)
            notes += unmeasured_notes(found.configurations, rows, None, names, "suggested configuration")
            competing = values[space.check(rows)]
            best = None if not len(competing) else float(competing.max() if request.maximize else competing.min())
            result = replace(result, measured=len(values), best=best, unit=measured.unit(nfp))
            if optimum:
                notes += direction_notes([(nfp, result.unit, request.maximize)], "suggest", request)
        notes += _remarks(result, space.count, inside)
        return replace(result, notes=tuple(notes))


def _remarks(result: Result, size: int, inside: int) -> Iterator[Note]:
    """Yield notes about the basis of the suggestions."""
    request = result.request
    optimum, candidates = request.goal == "optimum", result.suggestions.candidates
    rows = plural(result.measured, "measured configuration", "measured configurations")
    if size > ENUMERATED or candidates + inside < size:
        drawn = ", uniformly drawn" * (size > ENUMERATED)
        of = f"{candidates:,} of {count_text(size)} {all_of(result.suggestions.configurations.system)}"
        yield Note(f"suggestions are picked from {of}{drawn}")
    if request.sources and not optimum:
        text = f"{rows}: these tell most about the difference from {listed(list(request.sources))}"
        yield Note(text, about=Rank.METHOD)
    elif result.suggestions.model is None:
        why = "no influence can be distinguished from noise yet"
        if result.measured < LEARNED_ROWS:
            why = f"a full model is learned from {LEARNED_ROWS} configurations on"
        yield Note(f"{rows}: a first design for any property of the system, without predictions ({why})")
        if optimum:
            yield Note("the search for the optimum begins with the full model: measure these, and ask again")
    else:
        yield Note(f"based on a model of {rows}", about=Rank.METHOD)
        if optimum:
            text = "rows near the optimum are no random sample: with them the error of splc learn is about such rows"
            yield Note(f"{text}, and may rise", about=Rank.METHOD)


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a summary, with the configurations to measure next unless a file holds them."""
    batch, output = result.suggestions, result.request.output
    content: dict[str, Any] = {
        "schema": "splc.suggest/1",
        "goal": batch.goal,
        **picked(result, "nfp, unit, measured, best_measured = best"),
        "configurations": len(batch.configurations),
        "candidates": batch.candidates,
        "scale": batch.model and batch.model.scale.words,
        "failures": failures_as_json(result.failures),
        "notes": [note.text for note in result.notes],
        "output": output,
    }
    if batch.goal == "variance":
        content["variance_reduction_percent"] = batch.gains.sum()
    if output is None:
        columns = {"gain": batch.gains, "predicted": batch.predicted, "low": batch.low, "high": batch.high}
        columns |= {} if batch.costs is None else {"cost": batch.costs}
        lines = zip(batch.configurations.assignments(), *columns.values(), strict=True)
        content["next"] = [{"configuration": row, **dict(zip(columns, line, strict=True))} for row, *line in lines]
    return content


def view(result: Result, detail: views.Detail) -> views.View:
    """Yield the configurations, with their expected gains and predictions, and how to measure them."""
    batch, request = result.suggestions, result.request
    yield from views.messages(result.first)
    columns = {name: _short(values) for name, values in batch.columns().items()}
    yield views.Output(request.output, partial(write_configurations, batch.configurations, extra=columns))
    if request.output is not None or not detail.json:
        if batch.goal == "variance":
            # A gain is larger than the one before it, as they are written.
            rises = bool((np.diff(_short(batch.gains)) > 0).any())
            yield views.Message(
                f"they are expected to reduce the mean variance of predictions by {percentage(batch.gains.sum(), 3)}; "
                f"each has the largest reduction times standard deviation{' per cost' * (batch.costs is not None)}, "
                f"given those above it{', so that a later reduction can be larger' * rises}"
            )
        elif result.best is not None:
            yield views.Message(
                f"best of {views.counted(result.measured, 'measured value')}: {quantity(result.best, result.unit)}"
            )
    if request.output not in (None, STANDARD):
        yield views.Message(f"{views.counted(len(batch.configurations), 'configuration')} written to {request.output}")
    yield result.last
    yield views.NextSteps(next_steps(request))


def _short(values: Array) -> Array:
    return np.array([float(f"{value:.6g}") for value in values.tolist()])


def next_steps(request: Request) -> Iterator[views.NextStep]:
    """Yield the command that adds suggested configurations to the measurements, if these have a journal."""
    project = request.project()
    if request.output in (None, STANDARD) or not project.has_measurements:
        return
    for table in (project.measurements_file, *project.further):
        if table == STANDARD or is_stream(table):
            continue
        outputs = Outputs.of(table, None)
        if outputs.journal == table or not Path(outputs.journal).is_file():
            continue
        words = ["measure", str(request.output), "--append"]
        words += [] if table == MeasureRequest.output else ["--output", table]
        words += [] if request.system is None or project.system_table is not None else ["--system", request.system]
        yield views.NextStep(tuple(words), f"adds them to {table}")
        return


EXAMPLES = (
    "splc suggest --measurements few.csv --property solve_seconds --budget 10 -o next.csv",
    "splc suggest --measurements few.csv --property solve_seconds --goal optimum --fix px=4 --budget 5",
)
VERB = views.Verb(Request, run, view, as_json, EXAMPLES, doing="searching for configurations")
