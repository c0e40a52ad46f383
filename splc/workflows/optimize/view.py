"""The view of the best configurations, and their JSON objects."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sampling.space.space import DIAGRAMS
from splc.data.configurations import Configurations
from splc.data.property_unit import quantity, readable, titled
from splc.data.table import DESELECTED, NOT_SELECTED, assignment_texts, value_texts
from splc.formats.measurements.selections import assignment_text
from splc.io.files import STANDARD
from splc.io.json import picked
from splc.system.groups import text_groups
from splc.workflows import views
from splc.workflows.fields import inputs_of
from splc.workflows.inputs import ModelInputs
from splc.workflows.optimize.objectives import Objective, Request
from splc.workflows.optimize.optimize import NO_INFLUENCE, RatedConfiguration, Result, run
from splc.workflows.subspace import all_of, failures_as_json

MAX_LINES = 40  # the greatest number of configurations in a text; JSON has all
MAX_TEXT = 200  # a command of more characters is not worth copying


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of the best configurations of one property, or of the Pareto front of several."""
    first, *others = result.objectives
    values = result.candidates[0].configuration.assignments()[0]
    searched = {
        "fixed": {name: value for name, value in values.items() if name in result.fixed},
        **picked(result, "examined, engine, exhaustive, unused, free"),
        "failures": failures_as_json(result.failures),
        "plot": result.plot,
        "notes": [note.text for note in result.notes],
    }
    if others:
        properties = [picked(goal, "name, nfp = measured, unit, maximize") for goal in result.objectives]
        front = _front_as_json(result, result.candidates, "predicted, interval, measured")
        measured = result.measured_front and _front_as_json(result, result.measured_front, "measured, predicted")
        fronts = {"front": front, "measured_front": measured}
        return {"schema": "splc.optimize.pareto/1", "properties": properties, **fronts, **searched}
    top = [_rated_as_json(row, "predicted, interval, measured") for row in result.candidates]
    best = None if result.best_measured is None else _rated_as_json(result.best_measured, "measured, predicted")
    facts = picked(first, "nfp = measured, unit, maximize")
    return {"schema": "splc.optimize/1", **top[0], "best_measured": best, **facts, "top": top, **searched}


def _rated_as_json(rated: RatedConfiguration, keys: str) -> dict[str, Any]:
    return {"configuration": rated.configuration.assignments()[0], **picked(rated.values[0], keys)}


def _front_as_json(result: Result, front: Sequence[RatedConfiguration], keys: str) -> list[dict[str, Any]]:
    names = [objective.name for objective in result.objectives]
    return [
        {
            "configuration": row.configuration.assignments()[0],
            "properties": {name: picked(value, keys) for name, value in zip(names, row.values, strict=True)},
        }
        for row in front
    ]


def view(result: Result, detail: views.Detail) -> views.View:
    """Yield the configurations, their predictions, the best measured configuration, and what to do next."""
    yield from views.messages(result.first)
    if len(result.objectives) > 1:
        yield from _front_view(result, detail)
    elif len(result.candidates) > 1:
        # The best configurations, one a line.
        (objective,), best = result.objectives, result.best_measured
        yield f"the {len(result.candidates)} {_which(result, objective)}{_kind(result)}"
        yield from view_of_rated(result.candidates, predicted_columns("predicted", objective.unit, result.like(0), 0))
        if best is not None and not detail.quiet:
            yield ""
            text = selected_text(best.configuration, best.configuration.system.mandatory)
            yield f"best measured: {measured_text(best, objective.unit, result.like(0))}: {text}"
    else:
        yield from _one(result, detail)
    if result.plot is not None:
        yield f"\nplot  {result.plot}"
    yield result.last
    yield views.NextSteps(next_steps(result))


def _which(result: Result, objective: Objective) -> str:
    """Return what the configurations were chosen from."""
    if not objective.options:
        return "the same for all valid configurations"
    which = "greatest" if objective.maximize else "least"
    which += f"{f' of all {all_of(objective.system)}' * result.exhaustive}{_how(result)}"
    if not result.fixed:
        return which
    return f"{which} with {assignment_text(result.fixed, result.candidates[0].configuration.system)}"


def _how(result: Result) -> str:
    if not result.exhaustive:
        return " of those that a local search predicted"
    return "" if result.engine == DIAGRAMS else f", exactly, by {result.engine}"


def _kind(result: Result) -> str:
    """Return what the intervals of a table are of, where it is not a configuration that was named."""
    is_best = any(value.of_best for value in result.candidates[0].values)
    return "; intervals are those of the best of many predictions" * is_best


def _one(result: Result, detail: views.Detail) -> views.View:
    """Yield one configuration next to the best measured one."""
    (candidate,), best, (objective,) = result.candidates, result.best_measured, result.objectives
    (value,) = candidate.values
    unit, like, system = objective.unit, result.like(0), candidate.configuration.system
    text = f"predicted: {quantity(value.predicted, unit, like=like)} ({_which(result, objective)})"
    if value.interval is not None:
        text += f", {value.interval.text(unit, like)}{' as the best of many predictions' * value.of_best}"
    if result.without_influence:
        # The configurations are arbitrary.
        candidate = best or candidate
        measured = None if best is None else best.values[0].measured
        found = "" if measured is None else f"; best measured: {quantity(measured, unit, like=like)}"
        text = f"{NO_INFLUENCE}{found}; {text}"
    yield views.Answer(text)
    if detail.quiet or (result.without_influence and best is not None):
        yield selected_text(candidate.configuration, () if detail.quiet else candidate.configuration.system.mandatory)
    if detail.quiet or result.without_influence:
        return
    values = value_texts(system, candidate.configuration.assignment(0))
    reference = values if best is None else value_texts(best.configuration.system, best.configuration.assignment(0))
    selected = [name for name in values if not {values[name], reference[name]} <= {NOT_SELECTED, DESELECTED}]
    columns = [views.Column("option", str), views.Column("value", values.__getitem__, right=True)]
    if reference != values:
        columns.append(views.Column("best measured", reference.__getitem__, right=True))
    unused = {*result.unused}
    groups = text_groups(system)
    unused.update(name for name, children in groups.items() if unused.issuperset(child.name for child in children))
    columns.append(views.Column("in the model", lambda name: "unused" if name in unused else ""))
    names = selected
    if len(selected) > MAX_LINES and not detail.verbose:
        names = [name for name in selected if name not in unused][:MAX_LINES]
    yield views.Rows(names, columns) if selected else "no option is selected"
    if len(names) < len(selected):
        yield f"… {len(selected) - len(names):,} more (-v lists all)"
    if objective.measured is None:
        return
    yield ""
    if value.measured is None:
        yield f"measured: nothing ({objective.measured} was not measured for this configuration)"
    else:
        yield f"measured: {quantity(value.measured, unit, like=like)} ({objective.measured})"
    if best is None:
        yield "best measured: no measured configuration has the fixed values"
    else:
        yield f"best measured: {'this configuration' if reference == values else measured_text(best, unit, like)}"


def measured_text(best: RatedConfiguration, unit: str | None, like: Sequence[float]) -> str:
    """Return the value of the best measured configuration, and its prediction, in the unit of the values `like`."""
    (value,) = best.values
    assert value.measured is not None
    return f"{quantity(value.measured, unit, like=like)} (predicted {quantity(value.predicted, unit, like=like)})"


def _front_view(result: Result, detail: views.Detail) -> views.View:
    goals = result.objectives
    names = ", ".join(f"{'greatest' if goal.maximize else 'least'} {goal.name}" for goal in goals)
    errors = ", ".join(f"{goal.name} {goal.error}" for goal in goals if goal.error is not None)
    found = f"{views.counted(len(result.candidates), 'configuration')}{_how(result)}"
    yield f"Pareto front ({names}): {found}{f'; expected errors: {errors}' if errors else ''}{_kind(result)}"
    if result.fixed:
        system = result.candidates[0].configuration.system
        yield f"of all {all_of(system)} with {assignment_text(result.fixed, system)}"
    values = [predicted_columns(goal.name, goal.unit, result.like(at), at) for at, goal in enumerate(goals)]
    yield from view_of_rated(result.candidates, [column for shown in values for column in shown])
    if result.measured_front is None or detail.quiet:
        return
    yield f"\nPareto front of the measured values: {views.counted(len(result.measured_front), 'configuration')}"
    if result.measured_front:
        titles = ((first, replace(measured, title=first.title)) for first, _, measured in values)
        pairs = ((measured, replace(first, title="predicted")) for first, measured in titles)
        yield from view_of_rated(result.measured_front, [column for pair in pairs for column in pair])


def predicted_columns(name: str, unit: str | None, like: Sequence[float], index: int) -> tuple[views.Column, ...]:
    """Return the columns of a property, in the unit of the values `like`: prediction, interval, measured value."""
    value, (factor, shown) = f"1.values.{index}", readable(unit, like)

    def text(number: float) -> str:
        return views.value_text(number * factor)

    ends = views.Column("interval", f"{value}.interval", lambda ends: views.interval_text((ends.low, ends.high), text))
    title = titled(name, unit if factor == 1 else shown)
    return views.Column(title, f"{value}.predicted", text), ends, views.Column("measured", f"{value}.measured", text)


def view_of_rated(rated: Sequence[RatedConfiguration], values: Sequence[views.Column]) -> views.View:
    """Yield one line per configuration: its values, and the options in which the configurations differ."""
    first, *rows = (candidate.configuration.assignments()[0] for candidate in rated)
    common = [name for name, value in first.items() if rows and all(row[name] == value for row in rows)]
    in_all = _selected(rated[0].configuration, rated[0].configuration.system.mandatory, common)
    title = "other selected options" if in_all else "selected options"
    options = views.Column(title, lambda row: selected_text(row[1].configuration, common))
    shown = views.narrowed((views.Column("#", 0), *values, options), "measured", "interval", "predicted")
    yield views.Rows([*enumerate(rated, 1)], shown, MAX_LINES)
    if in_all:
        yield f"in all: {', '.join(in_all)}"


def selected_text(configuration: Configurations, left_out: Container[str]) -> str:
    """Return the selected options of a configuration and the values of numeric ones: `cache, x=4`."""
    return ", ".join(_selected(configuration, left_out)) or "(none)"


def _selected(row: Configurations, left_out: Container[str] = (), only: Container[str] | None = None) -> list[str]:
    """Return some selected options of a configuration with the values of numeric ones."""
    texts = assignment_texts(row.system, row.assignment(0)).items()
    chosen = [(name, text) for name, text in texts if name not in left_out and text != f"{name}={DESELECTED}"]
    return [text for name, text in chosen if only is None or name in only]


def next_steps(result: Result) -> Iterator[views.NextStep]:
    """Yield the command that explains why the best configuration is better than the best measured one."""
    request = result.request
    inputs = None if request is None else inputs_of(request, ModelInputs, policies=False)
    if request is None or inputs is None or len(request.models) != 1 or request.models[0] == STANDARD:
        return
    best, rated = result.candidates[0].configuration, result.best_measured
    words, purpose = [",".join(_selected(best))], "why it is predicted so"
    if rated is not None and rated.configuration.assignments()[0] != best.assignments()[0]:
        words += ["--against", ",".join(_selected(rated.configuration))]
        purpose = "why it differs from the best measured one"
    # An empty text is no configuration.
    if not all(words) or sum(map(len, words)) > MAX_TEXT:
        return
    words += ["--printed"] if request.printed else []
    words += ["--property", request.properties[0]] if request.properties else []
    yield views.NextStep(("explain", request.models[0], *words, *inputs), purpose)


EXAMPLES = (
    "splc optimize learned.log --fix px=4 --top 5",
    "splc optimize analytical.txt --maximize",
    "splc optimize --property solve_seconds --property messages --maximize-only messages --plot front.svg",
)
VERB = views.Verb(Request, run, view, as_json, EXAMPLES, doing="optimizing", without=("nfp",))
