"""From functions of requests to typer's commands: every field is an argument or an option."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from typing import Annotated, Any

import typer

from splc.cli.detail import printing
from splc.cli.options import QUIET, VERBOSE
from splc.errors import SpecError
from splc.io.files import STANDARD
from splc.workflows.common_fields import INPUTS, POLICIES
from splc.workflows.fields import BoundField, fields_of, parameters_of
from splc.workflows.view import Detail

OF_ALL_COMMANDS = (
    BoundField("quiet", QUIET, bool, False, own=False),
    BoundField("verbose", VERBOSE, bool, False, own=False),
)


@dataclass(frozen=True)
class Signature:
    """The requests and the additional fields of a function.

    Attributes:
        requests: parameter → class of requests and those of its fields that the command has.
        own: the parameters that are fields.
    """

    requests: Mapping[str, tuple[type, tuple[BoundField, ...]]]
    own: tuple[BoundField, ...]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Signature:
        """Return the signature of a function whose parameters are fields and requests (`splc.workflows.fields`)."""
        requests: dict[str, tuple[type, tuple[BoundField, ...]]] = {}
        own_fields: list[BoundField] = []
        for name, parameter in parameters_of(function).items():
            if isinstance(parameter, BoundField):
                own_fields.append(parameter)
            else:
                kind, excluded = parameter
                options = (field for field in fields_of(kind) if field.field.kind != "python")
                requests[name] = kind, tuple(field for field in options if field.name not in excluded)
        return cls(requests, tuple(own_fields))

    @property
    def fields(self) -> tuple[BoundField, ...]:
        """The arguments and options in the order of help texts.

        First those of the requests, then those of the function, of all commands, and those that requests share; inputs
        and policies are the last sections. Fields of one name are one option.
        """
        fields_by_name: dict[str, BoundField] = {}
        for _, fields in self.requests.values():
            fields_by_name |= {bound.name: bound for bound in fields if bound.name not in fields_by_name}
        shared = (bound for bound in fields_by_name.values() if not bound.own)
        in_order = (*(bound for bound in fields_by_name.values() if bound.own), *self.own, *OF_ALL_COMMANDS, *shared)
        return tuple(sorted(in_order, key=lambda bound: bound.field.panel in (INPUTS, POLICIES)))

    def arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the function from the values of its fields; None is the default."""
        requests: dict[str, Any] = {
            name: kind(**{bound.name: values[bound.name] for bound in fields if values[bound.name] is not None})
            for name, (kind, fields) in self.requests.items()
        }
        return requests | {bound.name: values[bound.name] for bound in self.own if values[bound.name] is not None}


def command_of(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that typer makes a command from."""
    signature = Signature.of(function)
    fields = {bound.name: bound for bound in signature.fields}

    def command(**option_values: Any) -> None:
        values = {name: _value(bound, option_values[name]) for name, bound in fields.items()}
        if values.get("json") and values.get("output") == STANDARD != fields["output"].default:
            raise typer.BadParameter("the JSON object is written to standard output already", param_hint="--output")
        if values["quiet"] and values["verbose"]:
            raise typer.BadParameter("only one of them can be used", param_hint="--quiet, --verbose")
        with printing(Detail(values["quiet"], values["verbose"], bool(values.get("json")))):
            function(**signature.arguments(values))

    command.__doc__ = function.__doc__
    command.__annotations__ = {}
    parameters = [_parameter(bound) for bound in fields.values()]
    # Typer expects parameters without a default first.
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


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
    """Return the parameter from which typer makes an argument or an option."""
    field = bound.field
    text = field.help + (f" [default: {bound.shown_default}]" if bound.shown_default else "")
    settings: dict[str, Any] = {"metavar": field.metavar, "help": text, "show_default": False}
    if field.kind == "argument":
        info = typer.Argument(**settings)
    elif field.kind == "flag":
        info = typer.Option(*bound.spellings, help=text, rich_help_panel=field.panel or None)
    else:
        info = typer.Option(*bound.spellings, rich_help_panel=field.panel or None, **settings)
    # Values are texts here: messages about them do not depend on the version of typer.
    kind: Any = bool if field.kind == "flag" else list[str] if bound.repeated else str
    default = bound.default
    if default is MISSING:
        default = inspect.Parameter.empty
    elif kind is not bool:
        kind, default = kind | None, None
    annotation: Any = Annotated
    annotation = annotation[kind, info]
    return inspect.Parameter(bound.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
