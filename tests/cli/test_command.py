"""Help texts and usage errors of commands, from options made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
import pytest
import typer
from typer.testing import CliRunner

from splc.cli.command import Command, Commands, escaped, with_examples, write_parameters
from splc.errors import InputError, Problem, RequestError


def written(*parameters: Any) -> list[str]:
    """Return the lines of help about parameters."""
    formatter = click.HelpFormatter(width=80)
    write_parameters(parameters, formatter)
    return formatter.getvalue().splitlines()


def option(*names: str, panel: str | None = None, **values: Any) -> Any:
    """Return an option of a command."""
    found = click.Option(names, **values)
    if panel is not None:
        found.rich_help_panel = panel  # type: ignore[attr-defined]
    return found


def argument(name: str, **values: Any) -> Any:
    """Return an argument with a help text."""
    found: Any = click.Argument([name], **values)
    found.help = f"The {name}."
    found.show_default = False
    return found


def test_panels() -> None:
    """Arguments are first, then options without a panel, then the panels in their order; hidden ones are left out."""
    assert written(
        option("--a", panel="First", help="An a.", metavar="A"),
        option("--b", help="A\nb.", is_flag=True),
        option("--c", panel="Second", help=None, metavar="C"),
        option("-d", "--dd", "-e", panel="First", help="A d.", metavar="D"),
        option("--f/--no-f", help="An f.", default=True, show_default=True),
        option("--g", hidden=True),
        argument("model"),
    ) == [
        "Arguments:",
        "  model  The model.",
        "",
        "Options:",
        "  --b           A b.",
        "  --f / --no-f  An f.",
        "",
        "First:",
        "  --a A           An a.",
        "  -d, -e, --dd D  A d.",
        "",
        "Second:",
        "  --c C",
    ]


def test_left_column() -> None:
    """A name of at most 24 characters has its text beside it, a longer one above it."""
    short, long = ("--" + "n" * length for length in (18, 19))
    lines = written(option(short, metavar="ABC", help="One."), option(long, metavar="ABC", help="Two."))
    assert lines == ["Options:", f"  {short} ABC  One.", f"  {long} ABC", " " * 28 + "Two."]


def test_required() -> None:
    """Required options are marked."""
    (line,) = written(option("--a", help="An a.", metavar="A", required=True))[1:]
    assert line.endswith("An a. [required]")


class Group(Commands):
    """A group of one command."""

    def summaries(self) -> Mapping[str, str]:
        """Return what the command does."""
        return {"work": "Do the work."}


def app_of(error: Exception | None = None) -> typer.Typer:
    """Return a program with a command that raises an error."""
    app = typer.Typer(cls=Group, rich_markup_mode=None, add_completion=False)

    @app.command("work", cls=with_examples(("work one", "work two")))
    def work(
        model: str, rest: str = typer.Argument("x", metavar="[REST]"), number: int = typer.Option(1, "--number", "-n")
    ) -> None:
        """Do the work.

        In many ways.
        """
        if error is not None:
            raise error

    @app.command(hidden=True)
    def secret() -> None:
        """Do something else."""

    return app


def test_help() -> None:
    """A command has its usage, optional arguments in brackets, and its examples at the end."""
    lines = CliRunner().invoke(app_of(), ["work", "--help"]).stdout.splitlines()
    assert lines[0] == "Usage: root work [OPTIONS] model [REST]"
    assert lines[-3:] == ["Examples:", "  work one", "  work two"]
    text = CliRunner().invoke(app_of(), ["--help"]).stdout
    assert text.endswith("Commands:\n  work  Do the work.\n")
    assert "--help" in text
    assert Command.examples == ()


@pytest.mark.parametrize(
    ("fields", "names"),
    [(("number",), " for --number"), (("model", "rest", "other"), " for model, REST, other"), ((), "")],
)
def test_request_errors(fields: tuple[str, ...], names: str) -> None:
    """A wrong request names its options as they are written; notes of the workflow come before."""
    error = RequestError("it is wrong", *fields)
    error.add_note("note: one")
    result = CliRunner().invoke(app_of(error), ["work", "m"])
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert lines[0] == "note: one"
    assert lines[1] == f"error: Invalid value{names}: it is wrong"
    assert lines[2:] == ["    Usage: root work [OPTIONS] model [REST]", "    try 'root work --help'"]


def test_other_errors() -> None:
    """An error of a file has its notes before it, and no usage; hints of requests follow a semicolon."""
    error = InputError([Problem("bad", "f.csv", 3)])
    error.add_note("note: one")
    result = CliRunner().invoke(app_of(error), ["work", "m"])
    assert (result.exit_code, result.stderr) == (2, "note: one\nf.csv:3: bad\n")
    hinted = RequestError("it is wrong", "number", hint="do that")
    result = CliRunner().invoke(app_of(hinted), ["work", "m"])
    assert "Invalid value for --number: it is wrong; do that\n" in result.stderr


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [("a\u0107b", "ascii", b"a\\u0107b"), ("a\udcffb", "ascii", b"a\xffb"), ("\U0001f600", "latin-1", b"\\U0001f600")],
)
def test_escapes(text: str, encoding: str, expected: bytes) -> None:
    """Characters that an encoding lacks are escapes, and bytes of file names stay what they are."""
    import codecs

    codecs.register_error("tests.escape", escaped)
    assert text.encode(encoding, "tests.escape") == expected
