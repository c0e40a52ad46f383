"""The `splc` command and the list of its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

import splc
from splc.cli.command import with_examples
from splc.cli.commands import (
    calibrate,
    compare,
    convert,
    corpus,
    describe,
    explain,
    init,
    learn,
    measure,
    optimize,
    predict,
    run,
    sample,
    scale,
    study,
    suggest,
)
from splc.cli.errors import Commands

app = typer.Typer(
    name="splc",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# In the order of the pipeline: description → sample → measurements → model → comparison.
for module in (
    init,
    describe,
    sample,
    measure,
    learn,
    explain,
    calibrate,
    scale,
    suggest,
    predict,
    optimize,
    compare,
    study,
    run,
    corpus,
    convert,
):
    name = module.__name__.rpartition(".")[2]
    app.command(name, cls=with_examples(module.EXAMPLES))(getattr(module, name))
app.command(calibrate.OLD_NAME, hidden=True, cls=with_examples(calibrate.EXAMPLES))(calibrate.calibrate)


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

    Without further options every command works on the current folder: it reads splc.toml there, or finds the
    system description (*.xml) and measurements.csv by themselves.
    """
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
        raise typer.Exit(2)
