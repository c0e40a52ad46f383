"""From functions of requests to typer's commands: every field is an argument or an option."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Annotated, Any, get_origin

import typer

from splc.errors import SpecError
from splc.io.files import STANDARD
from splc.workflows.common_fields import INPUTS, POLICIES
from splc.workflows.fields import BoundField, fields_of, parameters_of


def command_of(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that typer makes a command from.

    Args:
        function: its parameters are fields and requests (`splc.workflows.fields`). Options of several requests with one
            name are one option. The help text has the fields of the requests first, then those of the function, then
            those that requests share; inputs and policies are its last sections.
    """
    parameters = parameters_of(function)
    requests = {name: each for name, each in parameters.items() if not isinstance(each, BoundField)}
    own = {name: each for name, each in parameters.items() if isinstance(each, BoundField)}
    fields: dict[str, dict[str, BoundField]] = {
        name: {each.name: each for each in fields_of(kind) if each.field.kind != "python" and each.name not in without}
        for name, (kind, without) in requests.items()
    }
    options: dict[str, BoundField] = {}
    for each in fields.values():
        options = {**options, **{name: bound for name, bound in each.items() if name not in options}}
    shared = [each for each in options.values() if not each.own]
    ordered = [*(each for each in options.values() if each.own), *own.values(), *shared]
    ordered.sort(key=lambda each: each.field.panel in (INPUTS, POLICIES))

    def command(**given: Any) -> None:
        values = {each.name: _value(each, given[each.name]) for each in ordered}
        output = options.get("output", own.get("output"))
        if values.get("json") and output is not None and values["output"] == STANDARD != output.default:
            raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
        made = {
            name: kind(**{field: values[field] for field in fields[name] if values[field] is not None})
            for name, (kind, _) in requests.items()
        }
        function(**made, **{name: values[name] for name in own if values[name] is not None})

    command.__doc__ = function.__doc__
    command.__annotations__ = {}
    # Typer expects parameters without a default first.
    ordered.sort(key=lambda each: each.default is not MISSING)
    command.__signature__ = inspect.Signature([_parameter(each) for each in ordered])  # type: ignore[attr-defined]
    return command


def _value(bound: BoundField, given: Any) -> Any:
    """Return the value of a field from what the command line gave, None if it gave nothing."""
    if given is None or given == []:
        return None
    if bound.field.parse is not None:
        try:
            return bound.field.parse(given)
        except SpecError as error:
            raise typer.BadParameter(error.problems[0].message, param_hint=bound.spellings[0]) from None
    return tuple(given) if isinstance(given, list) else given


def _parameter(bound: BoundField) -> inspect.Parameter:
    """Return the parameter from which typer makes an argument or an option."""
    field = bound.field
    text = field.help + (f" [default: {bound.shown_default}]" if bound.shown_default else "")
    settings: dict[str, Any] = {"metavar": field.metavar, "help": text, "show_default": False}
    if field.kind == "argument":
        info = typer.Argument(**settings)
    elif field.kind == "flag":
        info = typer.Option(*bound.spellings, help=text, rich_help_panel=field.panel or None)
    else:
        info = typer.Option(*bound.spellings, rich_help_panel=field.panel or None, min=field.minimum, **settings)
    default = bound.default
    if default is MISSING:
        default = inspect.Parameter.empty
    elif isinstance(default, Mapping | tuple) or (
        field.minimum is not None and default is not None and default < field.minimum
    ):
        default = None
    kind = _type(bound, optional=default is None)
    annotation: Any = Annotated
    annotation = annotation[kind, info]
    return inspect.Parameter(bound.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _type(bound: BoundField, *, optional: bool) -> Any:
    """Return the type of what the command line gives."""
    field = bound.field
    if field.parse is None and get_origin(bound.type) is not tuple:
        return bound.type
    kind: Any = str if field.parse is not None and not field.repeated else list[str]
    return kind | None if optional else kind
