"""The `splc` command and the list of its subcommands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any

import typer

import splc
from splc.cli.command import Commands, with_examples

if TYPE_CHECKING:
    from splc.workflows.views import Verb

# The module of each command, in the order of the pipeline: description → sample → measurements → model → comparison.
COMMANDS: Mapping[str, str] = {
    "init": "splc.workflows.init",
    "describe": "splc.workflows.describe",
    "sample": "splc.workflows.sample",
    "measure": "splc.workflows.measure.measure",
    "learn": "splc.workflows.learn.view",
    "explain": "splc.workflows.explain.explain",
    "calibrate": "splc.workflows.calibrate",
    "scale": "splc.workflows.scale.view",
    "tune": "splc.workflows.tune.view",
    "suggest": "splc.workflows.suggest",
    "predict": "splc.workflows.predict",
    "optimize": "splc.workflows.optimize.view",
    "changed": "splc.workflows.changed",
    "compare": "splc.workflows.compare.view",
    "study": "splc.study.study",
    "report": "splc.report.report",
    "run": "splc.splconqueror.run",
    "convert": "splc.workflows.convert",
    "example": "splc.workflows.example",
}

# The text that `splc` prints without arguments: questions, each with the command that answers it.
QUESTIONS: Mapping[str, str] = {
    "What does each option cost?": "splc learn measurements.csv",
    "What is the best configuration?": "splc optimize learned.log",
    "What should be measured next?": "splc suggest --budget 10",
    "Where does a formula agree?": "splc compare formula.txt learned.log",
    "How does it scale?": "splc scale profile.txt",
}


# The first paragraph of what describes a request.
SUMMARY = re.compile(r'^class Request\b[^\n]*:\n    """(.+?)(?:"""|\n\n)', re.MULTILINE | re.DOTALL)


class Subcommands(Commands):
    """The subcommands, each imported and built on first use, since building all of them takes longer than most runs."""

    def summaries(self) -> Mapping[str, str]:
        """Return the name of each subcommand → what it does."""
        return {name: summary_of(name) for name in COMMANDS}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the subcommands."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return a subcommand, None if there is none of this name."""
        if name not in self.commands and name in COMMANDS:
            from splc.cli.signature import command_of

            # The list of commands needs none of the imports.
            verb, single_app = verb_of(name), typer.Typer(add_completion=False, rich_markup_mode=None)
            single_app.command(name, cls=with_examples(verb.examples))(command_of(verb))
            self.commands[name] = typer.main.get_command(single_app)
        return self.commands.get(name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the subcommand that the arguments name; the message for an unknown name suggests one."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            similar_names = get_close_matches(args[0], COMMANDS)
            hint = f" Did you mean {', '.join(map(repr, similar_names))}?" if similar_names else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


def verb_of(name: str) -> Verb[Any, Any]:
    """Return the verb of a command."""
    verb: Verb[Any, Any] = import_module(COMMANDS[name]).VERB
    return verb


def summary_of(name: str) -> str:
    """Return the first paragraph of the help of a command, whose module is read but not imported."""
    folder = files("splc").joinpath(*COMMANDS[name].split(".")[1:-1])
    # The request is in the module of the verb, or in another chapter.
    chapters = (folder.joinpath(f"{COMMANDS[name].rpartition('.')[2]}.py"), *sorted(folder.iterdir(), key=str))
    sources = (chapter.read_text(encoding="utf-8") for chapter in chapters if chapter.name.endswith(".py"))
    summary = next(filter(None, map(SUMMARY.search, sources)))
    return " ".join(summary[1].split())


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
