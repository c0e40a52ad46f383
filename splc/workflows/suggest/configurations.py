"""Suggest which configurations of a described system to measure next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.failures import Failures
from splc.errors import RequestError, listed, plural
from splc.formats.measurements.assignment import parse_assignments, with_assigned_values
from splc.io.numbers import count_text
from splc.io.outputs import require_writable
from splc.learning.active.suggestion import ConfigurationSuggestions, suggest
from splc.learning.active.surrogate import LEARNED_ROWS
from splc.learning.projection import ENUMERATED
from splc.types import Goal
from splc.workflows.common_fields import FixedValues, Seed
from splc.workflows.configuration import further_notes
from splc.workflows.fields import as_flag, as_option, request
from splc.workflows.fixed_space import failure_notes, fixed_space, working_space
from splc.workflows.inputs import SystemInputs
from splc.workflows.learn.sources import StoredSources
from splc.workflows.note import Note, Notes, Rank
from splc.workflows.unmeasured_pairs import unmeasured_notes

SUGGESTIONS = "Suggestions"
SYSTEMS = "Described systems"


@request
class Request(SystemInputs):
    """A request to suggest configurations to measure."""

    budget: Annotated[
        float | None,
        as_option(
            "N",
            "The number of configurations. Of a scaling model: what all measurements may cost, including those already "
            "taken.",
            SUGGESTIONS,
            minimum=0,
        ),
    ] = None
    cost: Annotated[
        str | None,
        as_option(
            "COST",
            "What a measurement costs: a measured property, or 'model' for the predicted value; the gain per cost "
            "counts. Of a scaling model: an expression of parameters and 'value', such as 'value * p * 24'.",
            SUGGESTIONS,
            default="1; of a scaling model the value, times the number of processes if a parameter is named p, np, "
            "processes, ranks, …",
        ),
    ] = None
    goal: Annotated[
        Goal,
        as_option(
            "variance|optimum",
            "Good predictions of all valid configurations, or the configuration with the best value.",
            SYSTEMS,
        ),
    ] = "variance"
    maximize: Annotated[
        bool, as_flag("--maximize", "With --goal optimum: the greatest value is the best.", SYSTEMS)
    ] = False
    sources: Annotated[
        tuple[str, ...],
        as_option(
            "MODEL",
            "A model of an earlier version: what tells most about the difference from it. Can be repeated.",
            SYSTEMS,
            names="--from",
        ),
    ] = ()
    fix: FixedValues = ()
    seed: Seed = 0
    output: Annotated[
        str | None, as_option("FILE", "The file to write.", SYSTEMS, names="--output -o", default="standard output")
    ] = None


@dataclass(frozen=True)
class Result:
    """Suggested configurations.

    Attributes:
        suggestions: the configurations, with expected gains and predictions.
        nfp: the property, None without measurements.
        measured: the number of measured configurations.
        best: the best measured value of configurations with the fixed values, None without any.
        notes: what the user should know.
        unit: the unit of the property, None if it is not known.
        failures: the configurations that never worked, which are not suggested; None if none are known.
    """

    suggestions: ConfigurationSuggestions
    nfp: str | None
    measured: int
    best: float | None
    notes: tuple[Note, ...] = ()
    unit: str | None = None
    failures: Failures | None = None


def run(request: Request) -> Result:
    """Suggest configurations to measure.

    Raises:
        RequestError: if the budget is not a number of configurations, or the request asks for what needs measurements.
        InputError: if a file cannot be found or read.
        LearningError: if fewer valid configurations are left.
        SpaceError: if the valid configurations cannot be counted.
    """
    count = _count(request)
    project = request.project()
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
        if measured is not None:
            notes += failure_notes(measured.failures, "not suggested")
            space = working_space(space, measured.failures, fixed)
        nfp = None if measured is None or not len(measured) else project.resolve_property(measured)
        sources = None
        if stored is not None:
            nfp = stored.nfp(nfp or request.nfp)
            learned = () if measured is None else measured.contexts.items()
            sources = stored.parts(nfp, space.system, learned)
        result = suggest(
            space,
            measured,
            nfp,
            count,
            goal=request.goal,
            maximize=request.maximize,
            cost=request.cost,
            seed=request.seed,
            sources=sources,
        )
        values, competing = np.zeros(0), np.zeros(0)
        if measured is not None and nfp is not None:
            usable = measured.measured(nfp)
            values = usable.column(nfp)
            competing = values[space.check(usable.configurations)]
            names = frozenset(space.system.names)
            configurations = usable.configurations
            notes += unmeasured_notes(result.configurations, configurations, None, names, "suggested configuration")
        tried = [] if measured is None else [measured.configurations]
        if measured is not None and measured.failures is not None:
            tried.append(measured.failures.configurations)
        inside = int(space.check(Configurations.concatenate(tried).unique()).sum()) if tried else 0
        notes += _remarks(request, result, space.count, len(values), inside)
        best = None
        if len(competing):
            best = float(competing.max() if request.maximize else competing.min())
        unit = None if measured is None or nfp is None else measured.unit(nfp)
        failures = None if measured is None else measured.failures
        return Result(result, nfp, len(values), best, tuple(notes), unit, failures)


def _count(request: Request) -> int:
    """Return the number of configurations."""
    budget = request.budget
    if budget is None:
        raise RequestError("the number of configurations to suggest is missing; write --budget 10", "budget")
    if not 1 <= budget < 1e9 or budget != int(budget):
        raise RequestError(f"the budget is a positive number of configurations, not {budget:g}", "budget")
    if request.maximize and request.goal != "optimum":
        raise RequestError("large values are good only where an optimum is searched; add --goal optimum", "maximize")
    return int(budget)


def _remarks(request: Request, result: ConfigurationSuggestions, size: int, measured: int, inside: int) -> list[Note]:
    """Return notes about the basis of the suggestions.

    Args:
        request: the request.
        result: the suggestions.
        size: the number of valid configurations with the fixed values.
        measured: the number of configurations with a value of the property.
        inside: how many configurations that were run are among the valid ones with the fixed values.
    """
    notes = []
    rows = plural(measured, "measured configuration", "measured configurations")
    if size > ENUMERATED:
        pool = f"{result.candidates:,} of {count_text(size)} valid configurations, uniformly drawn"
        notes.append(Note(f"suggestions are picked from {pool}"))
    elif result.candidates + inside < size:
        notes.append(
            Note(f"suggestions are picked from {result.candidates:,} of {count_text(size)} valid configurations")
        )
    if request.sources and request.goal == "variance":
        others = listed(list(request.sources))
        notes.append(Note(f"{rows}: these tell most about the difference from {others}", about=Rank.METHOD))
    elif result.model is None:
        why = "no influence can be distinguished from noise yet"
        if measured < LEARNED_ROWS:
            why = f"a full model is learned from {LEARNED_ROWS} configurations on"
        notes.append(Note(f"{rows}: a first design for any property of the system, without predictions ({why})"))
        if request.goal == "optimum":
            notes.append(Note("the search for the optimum begins with the full model: measure these, and ask again"))
    else:
        notes.append(Note(f"based on a model of {rows}", about=Rank.METHOD))
        if request.goal == "optimum":
            text = "rows near the optimum are no random sample: with them the error of splc learn is about such rows"
            notes.append(Note(f"{text}, and may rise", about=Rank.METHOD))
    return notes
