"""The `splc` command: its subcommands, one file each, and what they have in common."""

from __future__ import annotations

from typing import Annotated

import typer

import splc
from splc.cli.commands.compare import compare
from splc.cli.commands.convert import convert
from splc.cli.commands.describe import describe
from splc.cli.commands.fit import fit
from splc.cli.commands.learn import learn
from splc.cli.commands.measure import measure
from splc.cli.commands.optimize import optimize
from splc.cli.commands.predict import predict
from splc.cli.commands.sample import sample
from splc.cli.commands.study import study
from splc.cli.commands.suggest import suggest
from splc.cli.errors import Commands

app = typer.Typer(
    name="splc",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

# In the order of the road: description → sample → measurements → model → comparison.
app.command("describe")(describe)
app.command("sample")(sample)
app.command("measure")(measure)
app.command("learn")(learn)
app.command("fit")(fit)
app.command("suggest")(suggest)
app.command("predict")(predict)
app.command("optimize")(optimize)
app.command("compare")(compare)
app.command("study")(study)
app.command("convert")(convert)


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
