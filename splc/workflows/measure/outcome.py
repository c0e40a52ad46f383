"""The outcome of a measurement: its files, its result or what it would run, and their views."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from splc.data.configurations import describe_configuration
from splc.errors import OutputError, Problem, RequestError, plural, shorten
from splc.formats.measurements.csv import write_measurements_csv
from splc.io.files import STANDARD, is_stream, require_writable, write_whole
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.measuring.batch import batches
from splc.measuring.execution import RunResults, failure_reasons
from splc.measuring.journal import Journal, read_journal
from splc.measuring.plan import scatters
from splc.measuring.session import Progress, Remaining, Session
from splc.measuring.setup import CONTINUATION, Setup, require_unsuccessful
from splc.workflows.note import Note
from splc.workflows.views import INTERRUPTED, Detail, End, Message, NextStep, NextSteps, View, counted, duration

S = TypeVar("S")
# The number of commands and of failures that are shown, and the length of a line about a failure.
SHOWN, WIDTH = 5, 120


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

    def require_writable(
        self, inputs: Sequence[str | None], resume: bool, dry: bool, continuation: str = CONTINUATION
    ) -> None:
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

    def begin(self, stack: ExitStack, begin: Callable[[Journal], S]) -> S:
        """Return a session with the journal, which is open until the stack is closed."""
        exists = Path(self.journal).exists()
        journal = stack.enter_context((Journal.resume if exists else Journal.create)(self.journal))
        try:
            return begin(journal)
        except OutputError:
            if not exists:
                # The file has no run to continue.
                Path(self.journal).unlink(missing_ok=True)
            raise

    def note_of_kept(self, recorded: RunResults, written: bool) -> Note:
        """Return a note about the finished runs of a session that an error ended."""
        count = plural(len(recorded.results), "run is", "runs are")
        return Note(f"{count} recorded" + (f"; their values are in {self.measurements}" if written else ""))

    def write(self, setup: Setup, recorded: RunResults) -> bool:
        """Write the measurements, and the failed runs if there are any; return whether there are measurements."""
        if (table := setup.measurements(recorded)) is not None:
            write_measurements_csv(table, self.measurements)
        if (text := setup.failures_text(recorded)) is not None:
            write_whole(self.failures, text)
        else:
            # Runs that failed before were repeated and succeeded.
            Path(self.failures).unlink(missing_ok=True)
        return table is not None


@dataclass(frozen=True, eq=False)
class Preview:
    """The runs that a measurement would do."""

    setup: Setup
    recorded: RunResults  # the results in its journal
    left: Remaining  # the runs that are left, as far as is known before they are done
    notes: tuple[Note, ...] = ()  # what the user should know

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
class Result:
    """A measurement that ended."""

    session: Session  # the runs and their journal
    progress: Progress  # the number of runs, done and failed
    interrupted: bool  # whether runs are left because of an interruption
    outputs: Outputs  # the files
    written: bool  # whether there are measurements (else every run failed)
    stopped: str | None = None  # why the first runs failed, if runs are left because of that
    system: str | None = None  # the description that was named, None if it was not
    notes: tuple[Note, ...] = ()  # what the user should know

    @property
    def unsettled(self) -> list[int]:
        """The configurations that deviate too much."""
        setup = self.session.setup
        return setup.plan.unsettled(range(len(setup.configurations)), self.session.recorded)

    @property
    def sessions(self) -> list[Mapping[str, Any]]:
        """The records of the sessions in the journal."""
        return [record for record in self.session.journal.records if record.get("kind") == "session"]


def as_json(result: Result | Preview) -> dict[str, Any]:
    """Return the JSON object of a measurement, or of what it would run."""
    if isinstance(result, Preview):
        return {
            "schema": "splc.measure.preview/1",
            "dry_run": True,
            "configurations": len(result.setup.configurations),
            **picked(result, "runs = left.total"),
            "recorded": len(result.recorded.results),
            **picked(result, "left = left.runs, seconds_left, properties = setup.property_names, commands"),
        }
    session, outputs, sessions = result.session, result.outputs, result.sessions
    recorded = session.recorded
    scatter = [
        {
            **{"property": row.name, "configurations": row.configurations},
            **{"median_percent": 100 * row.median, "largest_percent": 100 * row.largest},
            "largest_at": session.setup.assignment(row.row),
        }
        for row in scatters(recorded)
    ]
    return {
        "schema": "splc.measure/1",
        "dry_run": False,
        "configurations": len(session.setup.configurations),
        "properties": session.setup.property_names,
        "runs": result.progress.total,
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
        yield from _preview(result)
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
        yield (_failures(setup, recorded, outputs.failures),)
    if result.written and not result.interrupted and STANDARD not in (outputs.measurements, result.system):
        system = () if result.system is None else ("--system", result.system)
        inputs = (*system, "--measurements", outputs.measurements)
        names = setup.property_names
        choice = ("--property", names[0]) if len(names) > 1 else ()
        steps = [NextStep(("changed", *inputs, "--by", name), f"what differs between {name}s") for name in setup.turns]
        yield NextSteps(steps or [NextStep(("learn", *inputs, *choice), "a model of these measurements")])
    if result.interrupted:
        yield End(INTERRUPTED)


def _preview(preview: Preview) -> Iterator[str]:
    setup, recorded, left = preview.setup, preview.recorded, preview.left
    plan, lines = setup.plan, preview.commands
    text = f"{counted(len(setup.configurations), 'configuration')}, {counted(plan.repeat, 'repetition')}"
    if plan.max_deviation is not None:
        percent = f"{100 * plan.max_deviation:g} %"
        text += f" and up to {plan.max_repeat} until {setup.property_names[0]} deviates by at most {percent}"
    yield text + (f", after {counted(plan.warmup, 'warm-up')}" if plan.warmup else "")
    yield f"{counted(left.total, 'run')}, {len(recorded.results):,} of them recorded, {left.runs:,} to do"
    so_far = f"left, by the {counted(len(recorded.results), 'run')} so far"
    seconds, unknown = preview.seconds_left, "the duration is not known before the first runs"
    yield unknown if seconds is None else f"about {duration(seconds)} {so_far}"
    yield from (f"    {line}" for line in lines[:SHOWN])
    if (hidden := len(lines) - SHOWN) > 0:
        yield f"    … and {counted(hidden, 'more command')}"


def _failures(setup: Setup, recorded: RunResults, file: str) -> Note:
    """Return the warning about failed runs."""
    failed, lines = recorded.failed, []
    for row, repetition in failed[:SHOWN]:
        reason = shorten(recorded.results[row, repetition].reason or "", WIDTH)
        values = shorten(describe_configuration(setup.configurations, row), WIDTH)
        lines.append(f"{values}, repetition {repetition + 1}: {reason}")
    if len(failed) > SHOWN:
        reasons = failure_reasons(recorded)[:SHOWN]
        lines.append(f"… and {len(failed) - SHOWN:,} more")
        lines += [f"{counted(runs, 'run')} in all: {shorten(reason, WIDTH)}" for reason, runs in reasons]
    runs, configurations = counted(len(failed), "run"), counted(len({row for row, _ in failed}), "configuration")
    text = f"{runs} of {configurations} failed (all in {file}; --resume --retry-failed repeats them)"
    return Note(text, warning=True, details=tuple(lines), negative=True)
