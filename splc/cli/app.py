"""The `splc` command and the list of its subcommands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

import typer

import splc
from splc.cli.command import with_examples
from splc.cli.errors import Commands
from splc.cli.signature import command_of

# The commands in the order of the pipeline (description → sample → measurements → model → comparison), and what each
# does: the first paragraph of its help. `splc --help` imports none of them.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "init": "Write a system description that is inferred from a table of measurements, for editing.",
        "describe": "Show a system's options and constraints, count its valid configurations, and list suspicious "
        "parts.",
        "sample": "Pick configurations to measure, and write them as CSV.",
        "measure": "Run a command once per configuration and repetition, and record what it reports.",
        "learn": "Learn a performance-influence model, and write it to learned.log and learned.json.",
        "explain": "Explain a model: the options by their share of the variance, their interactions, and the "
        "effect of each value.",
        "calibrate": "Estimate free parameters of an analytical model from measurements.",
        "scale": "Fit scaling models to a profile, one per call path and metric, and write them to learned.json.",
        "tune": "Find the best configuration of a system: measure, learn, search, verify.",
        "suggest": "Suggest what to measure next.",
        "predict": "Predict configurations: a CSV table of them with the column 'predicted'.",
        "optimize": "Find the valid configuration with the least predicted value; of several properties the Pareto "
        "front.",
        "changed": "Test whether a property changed between two versions, and name the influences that did.",
        "compare": "Compare models by their terms and by their predictions, and each with the measurements.",
        "study": "Learn from several samplings with several seeds and learners, and compare all models with an "
        "analytical one.",
        "report": "Write a report of a model: one HTML file with pictures, which needs nothing else.",
        "run": "Run scripts of SPL Conqueror: read, sample, learn, and write the logs that they name.",
        "corpus": "Recompute every error that a tree of logs states, from the descriptions and measurements of "
        "the systems.",
        "convert": "Convert measurements, learned models and system descriptions into other formats.",
        "example": "Copy a case study with measurements into a folder, to try the commands on it.",
    }
)

# What `splc` prints without arguments: questions, and the command that answers each.
QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        "What does each option cost?": "splc learn measurements.csv",
        "What is the best configuration?": "splc optimize learned.log",
        "What should be measured next?": "splc suggest --budget 10",
        "Where does a formula agree?": "splc compare formula.txt learned.log",
        "How does it scale?": "splc scale profile.txt",
    }
)


class Subcommands(Commands):
    """The subcommands, each imported and built on first use: to build all of them takes longer than most runs."""

    summaries: ClassVar[Mapping[str, str]] = COMMANDS

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return a subcommand, None if there is none of this name."""
        if name not in self.commands and name in COMMANDS:
            self.commands[name] = _command(name)
        return self.commands.get(name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the subcommand that the arguments name; the message for an unknown name suggests one."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS)
            hint = f" Did you mean {', '.join(map(repr, near))}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


def module_of(name: str) -> Any:
    """Return the module of a subcommand."""
    return import_module(f"splc.cli.commands.{name}")


def function_of(name: str) -> Callable[..., None]:
    """Return the function of a subcommand, whose parameters are its fields and requests."""
    found: Callable[..., None] = getattr(module_of(name), name)
    return found


def _command(name: str) -> Any:
    """Return the subcommand of a name, built from its module."""
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=with_examples(module_of(name).EXAMPLES))(command_of(function_of(name)))
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
        width = max(map(len, QUESTIONS))
        lines = [
            "splc learns what the options of a configurable system cost, from measurements of some configurations.",
            "",
            *(f"  {question:{width}}  {command}" for question, command in QUESTIONS.items()),
            "",
            "Data to try them on: splc example",
            "All commands:        splc --help",
            "One command:         splc COMMAND --help",
        ]
        typer.echo("\n".join(lines))
        raise typer.Exit(2)
