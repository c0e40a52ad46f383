"""From verbs to typer's commands: every field of a request is an argument or an option."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import MISSING
from typing import Annotated, Any

import typer

from splc.cli.terminal import printing
from splc.errors import SpecError
from splc.io.files import STANDARD
from splc.io.json import plain_values
from splc.workflows.fields import INPUTS, POLICIES, BoundField, as_flag, fields_of
from splc.workflows.views import Detail, Verb

OF_ALL_COMMANDS = (
    BoundField("quiet", as_flag("--quiet -q", "Print the answer only: no terms, notes or next steps."), bool, False),
    BoundField("verbose", as_flag("--verbose -v", "Print all notes, and the steps."), bool, False),
)
JSON = BoundField("json", as_flag("--json", "Print one JSON object."), bool, False)


def fields_of_command(verb: Verb[Any, Any]) -> tuple[BoundField, ...]:
    """Return the fields of a command: its own, those of all commands, shared ones; inputs and policies are last."""
    fields = [one for one in fields_of(verb.request) if one.field.kind != "python" and one.name not in verb.without]
    own, shared = ([one for one in fields if one.own is own] for own in (True, False))
    in_order = (*own, *([] if verb.as_json is None else [JSON]), *OF_ALL_COMMANDS, *shared)
    return tuple(sorted(in_order, key=lambda field: field.field.panel in (INPUTS, POLICIES)))


def help_of(verb: Verb[Any, Any]) -> str:
    """Return the help of a command: the docstring of its request without the fields."""
    return (verb.request.__doc__ or "").partition("\n\nAttributes:")[0]


def command_of(verb: Verb[Any, Any]) -> Callable[..., None]:
    """Return a function that typer makes a command from."""
    fields = {field.name: field for field in fields_of_command(verb)}

    def command(**option_values: Any) -> None:
        values = {name: _value(field, option_values[name]) for name, field in fields.items()}
        given = {name: value for name, value in values.items() if value is not None}
        quiet, verbose, json = (given.pop(name, False) for name in ("quiet", "verbose", "json"))
        if json and values.get("output") == STANDARD != fields["output"].default:
            raise typer.BadParameter("the JSON object is written to standard output already", param_hint="--output")
        if json and given.get("form") is not None and fields["form"].spellings == ("--format",):
            raise typer.BadParameter("only one output format can be used", param_hint="--json, --format")
        if quiet and verbose:
            raise typer.BadParameter("only one of them can be used", param_hint="--quiet, --verbose")
        with printing(Detail(quiet, verbose, json)):
            _run(verb, verb.request(**given))

    command.__doc__ = help_of(verb)
    command.__annotations__ = {}
    parameters = [_parameter(field) for field in fields.values()]
    # Typer expects parameters without a default first.
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _run(verb: Verb[Any, Any], request: Any) -> None:
    from splc.cli.printer import print_view
    from splc.cli.progress import TerminalWatch

    watch = TerminalWatch()
    with watch.progress(verb.doing) if verb.doing else nullcontext():
        result = verb.run(request, watch)
    content = plain_values(verb.as_json(result)) if watch.detail.json and verb.as_json is not None else None
    if code := print_view(verb.view(result, watch.detail), content):
        raise typer.Exit(code)


def _value(bound: BoundField, raw_value: Any) -> Any:
    """Return the value of a field from what the command line gave, None if it gave nothing."""
    if raw_value is None or raw_value == []:
        return None
    if bound.field.kind == "flag":
        return raw_value
    try:
        return bound.value(raw_value)
    except SpecError as error:
        hint = bound.field.metavar if bound.field.kind == "argument" else bound.spellings[0]
        raise typer.BadParameter(error.problems[0].message, param_hint=repr(hint)) from None


def _parameter(bound: BoundField) -> inspect.Parameter:
    field = bound.field
    text = field.help + (f" [default: {bound.shown_default}]" if bound.shown_default else "")
    settings: dict[str, Any] = {"metavar": field.metavar, "help": text, "show_default": False}
    if field.kind == "flag":
        settings = {"help": text}
    info = typer.Option(*bound.spellings, rich_help_panel=field.panel or None, **settings)
    if field.kind == "argument":
        info = typer.Argument(**settings)
    # Values are texts here: messages about them do not depend on the version of typer.
    kind: Any = bool if field.kind == "flag" else list[str] if bound.repeated else str
    default = bound.default
    if default is MISSING:
        default = inspect.Parameter.empty
    elif kind is not bool:
        kind, default = kind | None, None
    annotation: Any = Annotated
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(bound.name, keyword, default=default, annotation=annotation[kind, info])
