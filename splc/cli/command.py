"""Subcommands: plain help texts that end with examples, and usage errors for wrong requests."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from splc.cli.terminal import complain
from splc.errors import RequestError, SplcError
from splc.io.files import STANDARD
from splc.io.streams import descriptor_of

ARGUMENTS, OPTIONS = "Arguments", "Options"


class Command(TyperCommand):
    """A subcommand of `splc`."""

    examples: tuple[str, ...] = ()

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; a wrong request becomes a usage error that names the options.

        The output `/dev/stdout` is standard output. The notes of a workflow that failed are printed before its error.
        """
        for parameter in self.params:
            if parameter.name == "output" and parameter.metavar == "FILE":
                output = ctx.params.get("output")
                if output is not None and descriptor_of(output) == 1:
                    ctx.params["output"] = STANDARD
        try:
            return super().invoke(ctx)
        except SplcError as error:
            for note in getattr(error, "__notes__", ()):
                complain(note)
            if not isinstance(error, RequestError):
                raise
            problem = error.problems[0]
            text = problem.message + (f"; {problem.hint}" if problem.hint else "")
            spellings = {parameter.name: _spelling(parameter) for parameter in self.params}
            hint = ", ".join(spellings.get(field, field) for field in error.fields)
            raise typer.BadParameter(text, ctx=ctx, param_hint=hint or None) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name of the command in its usage line: optional arguments are in brackets."""
        arguments = [parameter for parameter in self.get_params(ctx) if parameter.param_type_name == "argument"]
        names = [_spelling(argument) if argument.required else f"[{_spelling(argument)}]" for argument in arguments]
        return ["[OPTIONS]", *names]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, grouped by their panels."""
        write_parameters(self.get_params(ctx), formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, one line each."""
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {example}\n" for example in self.examples))


def with_examples(examples: tuple[str, ...]) -> type[Command]:
    """Return the class of a subcommand whose help ends with these command lines."""
    return type("Command", (Command,), {"examples": examples})


def write_parameters(parameters: Any, formatter: Any) -> None:
    """Write a section per panel: arguments first, then options without a panel, then the other panels in order."""
    panels: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OPTIONS: []}
    for parameter in parameters:
        if not getattr(parameter, "hidden", False):
            argument = parameter.param_type_name == "argument"
            panel = getattr(parameter, "rich_help_panel", None) or (ARGUMENTS if argument else OPTIONS)
            text = " ".join((getattr(parameter, "help", None) or "").split())
            required = " [required]" if parameter.required and not argument else ""
            panels.setdefault(panel, []).append((_left_column(parameter), text + required))
    for panel, rows in panels.items():
        if rows:
            with formatter.section(panel):
                formatter.write_dl(rows, col_max=24)


def _left_column(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return _spelling(parameter)
    # Short forms first: `-o, --output FILE`.
    names = ", ".join(sorted(parameter.opts, key=lambda name: name.startswith("--")))
    if parameter.secondary_opts:
        names += " / " + ", ".join(parameter.secondary_opts)
    value = "" if parameter.is_flag else f" {parameter.metavar or str(parameter.name).upper()}"
    return names + value


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.metavar or parameter.name).strip("[]")
