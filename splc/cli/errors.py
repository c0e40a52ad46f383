"""Errors of commands: one readable message and an exit code, never a traceback."""

from __future__ import annotations

import codecs
import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

import splc
from splc.cli import BUG, INTERRUPTED
from splc.cli.command import write_parameters
from splc.cli.interruption import terminated_as_interrupted
from splc.cli.terminal import abandon, complain
from splc.errors import OutputError, SplcError

BAD_INPUT = 2
DEBUG = "SPLC_DEBUG"
ESCAPE = "splc.escape"


class Commands(TyperGroup):
    """The group of subcommands, which handles all their errors."""

    def summaries(self) -> Mapping[str, str]:
        """Return the name of each subcommand → what it does."""
        return {}

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command line; ends the process with its exit code."""
        kwargs["standalone_mode"] = False
        try:
            _prepare_streams()
            with terminated_as_interrupted():
                code = super().main(*args, **kwargs)
        except typer.Abort:
            sys.exit(INTERRUPTED)
        except Exception as error:
            sys.exit(_report(error))
        except SystemExit as end:
            if not isinstance(end.__context__, BrokenPipeError):
                raise
            # The reader of a help text (`| head`) closed the pipe.
            code = 0
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            abandon(sys.stdout)
        except OSError as error:
            sys.exit(_report(error))
        sys.exit(code if isinstance(code, int) else 0)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, and what every subcommand does."""
        write_parameters(self.get_params(ctx), formatter)
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries().items()))

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand, and flush what it printed."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader (`| head`) closed the pipe.
            abandon(sys.stdout)
            raise typer.Exit from None
        except KeyboardInterrupt as error:
            complain(f"interrupted {error}".rstrip())
            raise typer.Exit(INTERRUPTED) from None


def _report(error: Exception) -> int:
    code = BAD_INPUT
    if isinstance(error, SplcError):
        message = "\n".join(str(p) if p.file is not None else f"error: {p}" for p in error.problems)
    elif hasattr(error, "format_message"):
        # A usage error of typer, which does not export their common class.
        message = usage_message(error)
    elif isinstance(error, MemoryError):
        message = "error: there is not enough memory for this"
    elif isinstance(error, RecursionError):
        message = "error: the input is nested too deeply"
    elif isinstance(error, OSError):
        from splc.measuring.machine import PROCESS_ERRORS

        abandon(sys.stdout)
        place = error.filename or ("this machine" if error.errno in PROCESS_ERRORS else "standard output")
        message = f"error: {place}: {error.strerror or error}"
    else:
        code = BUG
        message = (
            f"error: internal error: {type(error).__name__}: {error}\n"
            f"    this is a bug in splc {splc.__version__}: please report it with the command, its input and the\n"
            f"    traceback, which {DEBUG}=1 in the environment prints"
        )
    if os.environ.get(DEBUG):
        complain("".join(traceback.format_exception(error)))
    complain(message)
    return code


def usage_message(error: Any) -> str:
    """Return the message of a usage error, with the usage and the option for help."""
    # The prefix is of the library that checks values.
    text = f"error: {error.format_message()}".replace(": Value error, ", ": ")
    # Names of types in the messages of that library.
    kinds = {"int range": "integer", "integer range": "integer", "float range": "number", "float": "number"}
    for name, word in kinds.items():
        text = text.replace(f" is not a valid {name}.", f" is not a valid {word}.")
    lines = [text]
    context = getattr(error, "ctx", None)
    if context is not None:
        takes_measurements = any(parameter.name == "measurements" for parameter in context.command.params)
        if "unexpected extra argument" in text and takes_measurements:
            # An argument with spaces, such as a command, is no file although its first word may be one.
            words = text.rpartition("(")[2].rstrip(")").split()
            if words and all(Path(word).is_file() for word in words):
                lines.append(f"    name measurements with --measurements {words[0]}")
        lines.append(f"    {context.get_usage().strip()}")
        lines.append(f"    try '{context.command_path} --help'")
    return "\n".join(lines)


def _prepare_streams() -> None:
    """Escape characters that the terminal's encoding does not have, and replace closed streams."""
    nowhere = Path(os.devnull)
    # A closed stream is None in Python, although the types do not allow it.
    if (streams := {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")})["stdin"] is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if streams["stderr"] is None:
        sys.stderr = nowhere.open("w", encoding="utf-8")
    if streams["stdout"] is None:
        raise OutputError("standard output is closed")
    codecs.register_error(ESCAPE, escaped)
    for name in ("stdout", "stderr"):
        with suppress(AttributeError, ValueError):
            getattr(sys, name).reconfigure(errors=ESCAPE)


def escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return the bytes of a file name, or else an escape, for characters that an encoding does not have."""
    if isinstance(error, UnicodeEncodeError):
        with suppress(UnicodeError):
            return error.object[error.start : error.end].encode("ascii", "surrogateescape"), error.end
    return codecs.backslashreplace_errors(error)
