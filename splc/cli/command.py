"""Commands: plain help texts that end with examples; errors, exit codes, streams and signals, never a traceback."""

from __future__ import annotations

import codecs
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

import splc
from splc.cli import BUG, INTERRUPTED
from splc.cli.terminal import abandon, complain
from splc.errors import PROCESS_ERRORS, OutputError, RequestError, SplcError
from splc.io.files import STANDARD, descriptor_of

ARGUMENTS, OPTIONS = "Arguments", "Options"
BAD_INPUT = 2
DEBUG = "SPLC_DEBUG"
ESCAPE = "splc.escape"


class Command(TyperCommand):
    """A subcommand of `splc`."""

    examples: tuple[str, ...] = ()

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; a wrong request becomes a usage error that names the options."""
        # The output `/dev/stdout` is standard output.
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
            code = _report(error)
        except SystemExit as end:
            if not isinstance(end.__context__, BrokenPipeError):
                raise
            # The reader of a help text (`| head`) closed the pipe.
            code = 0
        try:
            if sys.stdout is not None:  # unless the shell closed it
                sys.stdout.flush()
        except OSError as error:
            code = code or (0 if isinstance(error, BrokenPipeError) else _report(error))
            abandon(sys.stdout)
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


@dataclass
class Interruption:
    """A flag that is set by Ctrl-C and other requests to end."""

    kept: bool  # whether finished work would be lost otherwise; if not, a request raises KeyboardInterrupt at once
    lost: str = ""  # what the message about such a request adds
    requested: bool = False  # whether to stop after this round

    def end_at_once(self) -> None:
        """Let the first request from now on raise KeyboardInterrupt, where finished work is kept nevertheless."""
        self.kept, self.lost = False, ""

    def __call__(self) -> bool:
        """Return whether to stop after this round."""
        return self.requested


@contextmanager
def interruption(
    after: str,
    signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM),
    *,
    kept: bool = True,
    lost: str = "",
) -> Iterator[Interruption]:
    """Set a flag at the first request to end while the block runs; the next one raises KeyboardInterrupt.

    `kept`: whether there is finished work to keep from the start. `lost`: what the message adds where nothing is kept.

    Signals that the process was started to ignore stay ignored: shells start background jobs so for Ctrl-C.
    """
    state = Interruption(kept, lost)

    def first(signum: int, frame: Any) -> None:
        state.requested = True
        for handled in handlers:
            signal.signal(handled, signal.default_int_handler)
        if not state.kept:
            raise KeyboardInterrupt(state.lost)
        repeat_hint = "press Ctrl-C again" if signum == signal.SIGINT else "send the signal again"
        complain(f"\nstopping after {after}; {repeat_hint} to end at once")

    with _handling(signals, first) as handlers:
        yield state


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let a request to end (SIGTERM, SIGHUP) do what Ctrl-C does while the block runs."""

    def interrupt(signum: int, frame: Any) -> None:
        # A second signal must not interrupt the handling of the first one.
        signal.signal(signum, signal.SIG_IGN)
        raise KeyboardInterrupt

    # Not every system has a hang-up.
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    with _handling(signals, interrupt):
        yield


@contextmanager
def _handling(signals: Sequence[signal.Signals], handler: Any) -> Iterator[Mapping[signal.Signals, Any]]:
    """Handle signals while the block runs, but those that are ignored, as by `nohup`; yield the former handlers."""
    # Only the main thread receives signals.
    in_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in signals if in_main}
    before = {number: former for number, former in before.items() if former is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield before
    finally:
        for number, former in before.items():
            signal.signal(number, former)
