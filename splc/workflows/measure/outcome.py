"""Contexts, environment and files of commands that are measured or tuned; the outcome of a measurement, its view.

In the runs of a measurement a context of several values, such as two versions, is one more alternative group, so that a
command has the value as `{version}`; in tables it is the column that a context has.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from splc.data.configurations import describe_configuration
from splc.errors import InputError, OutputError, Problem, RequestError, SpecError, SplcError, plural, shorten
from splc.formats.column_choice import MISSING
from splc.formats.measurements.csv import write_measurements_csv
from splc.io.files import STANDARD, is_stream, require_writable, write_whole
from splc.io.json import picked
from splc.io.numbers import parse_number, percentage
from splc.measuring.execution import RunResults, failure_reasons, scatters
from splc.measuring.journal import Journal, read_journal
from splc.measuring.session import Progress, Remaining, Session, batches
from splc.measuring.setup import Setup, require_unsuccessful
from splc.workflows.fields import assigned
from splc.workflows.note import Note, Noted
from splc.workflows.views import INTERRUPTED, Detail, End, Message, NextStep, NextSteps, View, counted, duration

# A session: its `changes`, and `resumed`, the number of runs that were recorded before.
S = TypeVar("S", bound=Any)
Tell = Callable[[Note], object]
# The number of commands and of failures that are shown, and the length of a line about a failure.
SHOWN, WIDTH = 5, 120

# Context → its value, or its values in turn.
Contexts = Mapping[str, str | tuple[str, ...]]


def contexts_of(texts: Sequence[str]) -> dict[str, str | tuple[str, ...]]:
    """Return contexts of texts `COLUMN=VALUE`; several values of one column are measured in turn."""
    contexts: dict[str, tuple[str, ...]] = {}
    for name, value in assigned(texts, "COLUMN=VALUE"):
        contexts[name] = tuple(dict.fromkeys((*contexts.get(name, ()), value)))
    return {name: values[0] if len(values) == 1 else values for name, values in contexts.items()}


def constant_contexts(contexts: Contexts) -> dict[str, str]:
    """Return the contexts of one value."""
    return {name: value for name, value in contexts.items() if isinstance(value, str)}


def turns_of(contexts: Contexts) -> dict[str, tuple[str, ...]]:
    """Return the contexts of several values."""
    return {name: value for name, value in contexts.items() if not isinstance(value, str)}


def context_notes(contexts: Contexts, taken: Collection[str]) -> tuple[Note, ...]:
    """Return notes about contexts that other commands take for properties; `taken` are names of other columns."""
    numbers = {}
    for name, entry in contexts.items():
        for value in (entry,) if isinstance(entry, str) else entry:
            if name in taken:
                raise SpecError(f"the context {name!r} has the name of an option or a property", hint="rename it")
            if value.casefold() in MISSING:
                hint = "write --column machine=NAME"
                raise SpecError(f"the context {name!r} needs a value, not {value!r}", hint=hint)
            if not math.isnan(parse_number(value)):
                text = f"the values of {name!r} are numbers: other commands need --context {shlex.quote(name)}"
                numbers[name] = Note(text)
    return tuple(numbers.values())


def place_of(folder: str | None, assignments: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """Return the folder in which commands run, and the environment variables of texts `NAME=VALUE`."""
    if folder is not None and not Path(folder).is_dir():
        raise InputError(Problem("there is no such folder", folder, hint="--cwd names where the command runs"))
    environment = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or "\0" in text:
            raise SpecError(Problem("an environment variable is NAME=VALUE", text=text))
        environment[name.strip()] = value
    return None if folder is None else os.fspath(Path(folder).absolute()), environment


@dataclass(frozen=True)
class Outputs:
    """The files that a measurement writes: the table of values, the record of every run, the table of failed runs."""

    measurements: str
    journal: str
    failures: str

    @classmethod
    def of(cls, output: str, journal: str | None) -> Outputs:
        """Return the files that belong to an output, in its folder unless they are named."""
        unnamed = output == STANDARD or is_stream(output)
        if unnamed and journal is None:
            raise RequestError("the journal needs a name, since the output is no file", "journal")
        if journal is not None and (journal == STANDARD or is_stream(journal)):
            raise RequestError("the journal is read again, so that it must be a file", "journal")
        stem = Path(str(journal)) if unnamed else Path(output.removesuffix(".gz")).with_suffix("")
        return cls(output, journal or f"{stem}.journal", f"{stem}.failures.csv")

    @property
    def unnamed(self) -> bool:
        """True if the measurements are no file that can be read again."""
        return self.measurements == STANDARD or is_stream(self.measurements)

    def beside(self, path: str | None, name: str) -> str:
        """Return the name of a file in the folder of the measurements, unless it is given."""
        own = Path(self.journal if self.unnamed else self.measurements).with_name(name)
        return str(own) if path is None else path

    def require_writable(self, inputs: Sequence[str | None], resume: bool, dry: bool, continuation: str) -> None:
        """Refuse to overwrite existing measurements, a journal with a successful run, and inputs.

        `resume`: whether an existing journal is continued. `dry`: whether nothing will be written.
        """
        paths = [*inputs]
        for path in (self.measurements, self.journal, self.failures):
            require_writable(path, paths)
            paths.append(path)
        exists = Path(self.journal).exists()
        if dry or (exists and resume):
            return
        if exists:
            require_unsuccessful(read_journal(self.journal), self.journal, continuation)
        if self.measurements != STANDARD and Path(self.measurements).is_file():
            hint = "measure into another file with --output: splc learn reads several tables together; or remove it"
            message = "this file of measurements exists already, and has no journal"
            raise OutputError(Problem(message, self.measurements, hint=hint))

    def begin(self, stack: ExitStack, begin: Callable[[Journal], S], resume: bool, what: str, tell: Tell) -> S:
        """Return a session with the journal, which is open until the stack is closed; tell how `what` begins."""
        file = self.journal
        exists = Path(file).exists()
        if resume and not exists:
            tell(Note(f"{file} does not exist yet: this {what} begins"))
        journal = stack.enter_context((Journal.resume if exists else Journal.create)(file))
        try:
            session = begin(journal)
        except OutputError:
            if not exists:
                # The file has no run to continue.
                Path(file).unlink(missing_ok=True)
            raise
        if exists and not resume:
            tell(Note(f"{file} has no successful run: this {what} begins anew"))
        for text in session.changes:
            tell(Note(text))
        if exists and resume:
            tell(Note(f"{plural(session.resumed, 'run is', 'runs are')} recorded already"))
        return session

    def finish(self, setup: Setup | None, recorded: RunResults, error: SplcError | None, tell: Tell) -> bool:
        """Write the measurements and the failed runs of a setup; return whether there are measurements.

        The error that ended the session, if there is one, is raised after that, with a note about what is kept.
        """
        written = False
        try:
            if setup is not None and (table := setup.measurements(recorded)) is not None:
                write_measurements_csv(table, self.measurements)
                written = True
            if setup is not None and (text := setup.failures_text(recorded)) is not None:
                write_whole(self.failures, text)
            elif setup is not None:
                # Runs that failed before were repeated and succeeded.
                Path(self.failures).unlink(missing_ok=True)
        except OutputError as failure:
            raise error or failure from None
        if error is not None:
            kept = f"; their values are in {self.measurements}" if written else ""
            tell(Note(f"{plural(len(recorded.results), 'run is', 'runs are')} recorded{kept}"))
            raise error
        return written


@dataclass(frozen=True, eq=False)
class Preview(Noted):
    """The runs that a measurement would do."""

    setup: Setup
    recorded: RunResults  # the results in its journal
    left: Remaining  # the runs that are left, as far as is known before they are done

    @property
    def seconds_left(self) -> float | None:
        """The time that they take, by the runs so far; None before the first."""
        mean = self.recorded.mean_seconds()
        return None if mean is None else mean * self.left.runs

    @property
    def commands(self) -> list[str]:
        """The command lines that are left, those of the first repetition."""
        runs, file = [(row, 0) for row in self.left.rows], {}
        if self.setup.batch is not None:
            runs, file = [part[0] for part in batches(self.setup, runs)], {"configurations": "FILE"}
        return [shlex.join(self.setup.process(run, **file).args[0]) for run in runs]


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """A measurement that ended."""

    session: Session  # the runs and their journal
    progress: Progress  # the number of runs, done and failed
    interrupted: bool  # whether runs are left because of an interruption
    outputs: Outputs  # the files
    written: bool  # whether there are measurements (else every run failed)
    stopped: str | None = None  # why the first runs failed, if runs are left because of that
    system: str | None = None  # the description that was named, None if it was not

    @property
    def unsettled(self) -> list[int]:
        """The configurations that deviate too much."""
        setup = self.session.setup
        return setup.plan.unsettled(range(len(setup.configurations)), self.session.recorded)


def as_json(result: Result | Preview) -> dict[str, Any]:
    """Return the JSON object of a measurement, or of what it would run."""
    if isinstance(result, Preview):
        return {
            "schema": "splc.measure.preview/1",
            "dry_run": True,
            "configurations": len(result.setup.configurations),
            "runs": result.left.total,
            "recorded": len(result.recorded.results),
            **picked(result, "left = left.runs, seconds_left, properties = setup.property_names, commands"),
        }
    session, outputs, recorded = result.session, result.outputs, result.session.recorded
    sessions = [record for record in session.journal.records if record.get("kind") == "session"]
    scatter = [
        {
            **{"property": row.name, "configurations": row.configurations},
            **{"median_percent": 100 * row.median, "largest_percent": 100 * row.largest},
            "largest_at": session.setup.assignments[row.row],
        }
        for row in scatters(recorded)
    ]
    return {
        "schema": "splc.measure/1",
        "dry_run": False,
        "configurations": len(session.setup.configurations),
        **picked(result, "properties = session.setup.property_names, runs = progress.total"),
        "recorded": len(recorded.results),
        **picked(result, "resumed = session.resumed, measured = progress.measured"),
        "failed": len(recorded.failed),
        "unsettled": len(result.unsettled),
        "scatter": scatter,
        "failure_reasons": [{"reason": reason, "runs": runs} for reason, runs in failure_reasons(recorded)],
        **picked(result, "seconds = progress.seconds, interrupted, stopped"),
        "output": outputs.measurements if result.written else None,
        "journal": outputs.journal,
        "failures": outputs.failures if recorded.failed else None,
        "sessions": len(sessions),
        "machine": sessions[-1]["machine"] if sessions else None,
        "notes": [note.text for note in result.notes],
    }


def view(result: Result | Preview, detail: Detail) -> View:
    """Yield how a measurement ended, or what would be run, how often, and how long it would take."""
    if isinstance(result, Preview):
        plan, ahead, lines = result.setup.plan, result.left, result.commands
        text = f"{counted(len(result.setup.configurations), 'configuration')}, {counted(plan.repeat, 'repetition')}"
        if plan.max_deviation is not None:
            percent = f"{100 * plan.max_deviation:g} %"
            name = result.setup.property_names[0]
            text += f" and up to {plan.max_repeat} until {name} deviates by at most {percent}"
        yield text + (f", after {counted(plan.warmup, 'warm-up')}" if plan.warmup else "")
        done = len(result.recorded.results)
        yield f"{counted(ahead.total, 'run')}, {done:,} of them recorded, {ahead.runs:,} to do"
        seconds, unknown = result.seconds_left, "the duration is not known before the first runs"
        yield unknown if seconds is None else f"about {duration(seconds)} left, by the {counted(done, 'run')} so far"
        yield from (f"    {line}" for line in lines[:SHOWN])
        if (hidden := len(lines) - SHOWN) > 0:
            yield f"    … and {counted(hidden, 'more command')}"
        yield result.notes
        return
    setup, recorded, outputs = result.session.setup, result.session.recorded, result.outputs
    left = counted(result.progress.total - result.progress.done, "run")
    if result.interrupted:
        yield Message(f"interrupted with {left} left; the same command with --resume continues")
    if result.stopped is not None:
        reason = shorten(result.stopped, WIDTH)
        text = f"the first runs failed for the same reason: {reason}; --resume --keep-going does the other {left}"
        yield (Note(text, warning=True, negative=True),)
    if not result.written:
        yield Message("no run succeeded, so there are no measurements", "warning")
    else:
        rows = [row for (row, repetition), run in recorded.results.items() if repetition >= 0 and not run.reason]
        if outputs.measurements != STANDARD:
            configurations = counted(len({*rows}), "configuration")
            yield f"{configurations}, {counted(len(rows), 'run')}: {outputs.measurements}"
        # How much the repetitions of a configuration deviate.
        for scatter in scatters(recorded):
            median, most = (percentage(100 * deviation, 3) for deviation in (scatter.median, scatter.largest))
            text = f"repetitions of {scatter.name} deviate by {median} in the median"
            if scatter.configurations > 1:
                text += f" of {scatter.configurations:,} configurations, at most by {most}"
                if scatter.largest > 0:
                    text += f" ({shorten(describe_configuration(setup.configurations, scatter.row), WIDTH)})"
            yield Message(text, json=False)
    if not result.interrupted and (unsettled := result.unsettled):
        of, limit = counted(len(unsettled), "configuration"), f"{100 * (setup.plan.max_deviation or 0):g} %"
        yield Message(f"{of}: {setup.property_names[0]} still deviates by more than {limit}", "warning")
    if recorded.failed:
        failed, lines = recorded.failed, []
        for row, repetition in failed[:SHOWN]:
            reason = shorten(recorded.results[row, repetition].reason or "", WIDTH)
            values = shorten(describe_configuration(setup.configurations, row), WIDTH)
            lines.append(f"{values}, repetition {repetition + 1}: {reason}")
        if len(failed) > SHOWN:
            reasons = failure_reasons(recorded)[:SHOWN]
            lines.append(f"… and {len(failed) - SHOWN:,} more")
            lines += [f"{counted(runs, 'run')} in all: {shorten(reason, WIDTH)}" for reason, runs in reasons]
        of = counted(len({row for row, _ in failed}), "configuration")
        text = f"{counted(len(failed), 'run')} of {of} failed"
        text += f" (all in {outputs.failures}; --resume --retry-failed repeats them)"
        yield (Note(text, warning=True, details=tuple(lines), negative=True),)
    if result.written and not result.interrupted and STANDARD not in (outputs.measurements, result.system):
        system = () if result.system is None else ("--system", result.system)
        inputs = (*system, "--measurements", outputs.measurements)
        names = setup.property_names
        choice = ("--property", names[0]) if len(names) > 1 else ()
        steps = [NextStep(("changed", *inputs, "--by", name), f"what differs by {name}") for name in setup.turns]
        yield NextSteps(steps or [NextStep(("learn", *inputs, *choice), "a model of these measurements")])
    if result.interrupted:
        yield End(INTERRUPTED)
