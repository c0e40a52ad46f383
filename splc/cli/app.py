"""The `splc` command and the list of its subcommands."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

import splc
from splc.cli.command import with_examples
from splc.cli.errors import Commands

# In the order of the pipeline: description → sample → measurements → model → comparison.
COMMANDS = (
    "init",
    "describe",
    "sample",
    "measure",
    "learn",
    "explain",
    "calibrate",
    "scale",
    "suggest",
    "predict",
    "optimize",
    "compare",
    "study",
    "run",
    "corpus",
    "convert",
)
DEPRECATED = {"fit": "calibrate"}


class Subcommands(Commands):
    """The subcommands, each imported and built on first use: to build all of them takes longer than most runs."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the subcommands."""
        return [*COMMANDS, *DEPRECATED]

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return a subcommand, None if there is none of this name."""
        if name not in self.commands and name in self.list_commands(ctx):
            self.commands[name] = _command(name)
        return self.commands.get(name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the subcommand that the arguments name; the message for an unknown name suggests one."""
        if args[0] not in self.list_commands(ctx):
            for name in self.list_commands(ctx):
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


def _command(name: str) -> Any:
    """Return the subcommand of a name, built from its module."""
    function = DEPRECATED.get(name, name)
    module = import_module(f"splc.cli.commands.{function}")
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=with_examples(module.EXAMPLES), hidden=name in DEPRECATED)(getattr(module, function))
    return typer.main.get_command(single)


app = typer.Typer(
    name="splc",
    cls=Subcommands,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def print_version(wanted: bool) -> None:
    """Print the version and end, if it was asked for."""
    if wanted:
        typer.echo(f"splc {splc.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def splc_command(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """Describe, sample, learn and compare performance-influence models of configurable systems.

    Without further options every command works on the current folder: it reads splc.toml there, or the only
    system description (*.xml) and measurements.csv.
    """
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
        raise typer.Exit(2)
