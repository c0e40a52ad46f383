"""The output of `splc measure`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from splc.cli.show.blocks import counted
from splc.cli.terminal import complain, note, say, warn
from splc.data.configurations import describe_configuration
from splc.errors import shorten
from splc.io.json_object import JsonObject, at, count, each
from splc.io.numbers import percentage
from splc.measuring.batch import batches
from splc.measuring.run_results import RunResults
from splc.measuring.scatter import failure_reasons, scatters
from splc.measuring.session import Progress
from splc.measuring.setup import Setup
from splc.workflows.measure.measure import Preview, Result
from splc.workflows.view import duration

SHOWN = 5
# The length of a line about a failure.
WIDTH = 120


def _seconds_left(preview: Preview) -> float | None:
    mean = preview.recorded.mean_seconds()
    return None if mean is None else mean * preview.left.runs


def _commands(preview: Preview) -> list[str]:
    """Return the command lines that are left, those of the first repetition."""
    setup = preview.prepared.setup
    runs = [(row, 0) for row in preview.left.rows]
    if setup.batch is None:
        return [shlex.join(setup.job(run).arguments) for run in runs]
    parts = batches(setup, runs)
    return [shlex.join(setup.job(part[0], configurations="FILE").arguments) for part in parts]


class PreviewObject(JsonObject, schema="splc.measure.preview/1"):
    """The runs that a measurement would do."""

    dry_run: Literal[True] = at(lambda _: True)
    configurations: int = count("prepared.setup.configurations")
    runs: int = at("left.total")
    recorded: int = count("recorded.results")
    left: int = at("left.runs")
    seconds_left: float | None = at(_seconds_left)
    properties: list[str] = at("prepared.setup.property_names")
    commands: list[str] = at(_commands)


class ScatterObject(JsonObject):
    """The relative standard deviations of the repetitions of a property."""

    property: str = at("name")
    configurations: int
    median_percent: float = at(lambda scatter: 100 * scatter["median"])
    largest_percent: float = at(lambda scatter: 100 * scatter["largest"])
    largest_at: dict[str, float | None]


class FailureReasonObject(JsonObject):
    """Why runs failed, and how many."""

    reason: str = at(0)
    runs: int = at(1)


def _scatters(result: Result) -> list[Mapping[str, Any]]:
    setup = result.session.setup
    return [{**vars(row), "largest_at": setup.assignment(row.row)} for row in scatters(result.session.recorded)]


class MeasurementObject(JsonObject, schema="splc.measure/1"):
    """A measurement that ended."""

    dry_run: Literal[False] = at(lambda _: False)
    configurations: int = count("session.setup.configurations")
    properties: list[str] = at("session.setup.property_names")
    runs: int = at("progress.total")
    recorded: int = count("session.recorded.results")
    resumed: int = at("session.resumed")
    measured: int = at("progress.measured")
    failed: int = count("session.recorded.failed")
    unsettled: int = at(lambda result: len(_unsettled(result)))
    scatter: list[ScatterObject] = at(_scatters)
    failure_reasons: list[FailureReasonObject] = at(lambda result: failure_reasons(result.session.recorded))
    seconds: float = at("progress.seconds")
    interrupted: bool
    stopped: str | None
    output: str | None = at(lambda result: result.outputs.measurements if result.written else None)
    journal: str = at("outputs.journal")
    failures: str | None = at(lambda result: result.outputs.failures if result.session.recorded.failed else None)
    sessions: int = at(lambda result: len(_sessions(result)))
    machine: dict[str, Any] | None = at(
        lambda result: next((session["machine"] for session in _sessions(result)[::-1]), None)
    )
    notes: list[str] = each("notes", "text")


def _unsettled(result: Result) -> Sequence[int]:
    """Return the configurations that deviate too much."""
    setup = result.session.setup
    return setup.plan.unsettled(range(len(setup.configurations)), result.session.recorded)


def _sessions(result: Result) -> list[Mapping[str, Any]]:
    return [record for record in result.session.journal.records if record.get("kind") == "session"]


def progress_text(progress: Progress, at_once: int) -> str:
    """Return the text beside the progress bar."""
    seconds = progress.seconds_left(at_once)
    text = f"{progress.done:,} of {progress.total:,} runs"
    if progress.failed:
        text += f", {progress.failed:,} failed"
    return text if seconds is None else f"{text}, about {duration(seconds)} left"


def show_preview(preview: Preview) -> None:
    """Print what would be run, how often, and how long it would take by the runs so far."""
    setup, recorded = preview.prepared.setup, preview.recorded
    say(counted(len(setup.configurations), "configuration") + f", {repetitions(setup)}")
    runs = counted(preview.left.total, "run")
    say(f"{runs}, {len(recorded.results):,} of them recorded, {preview.left.runs:,} to do")
    mean = recorded.mean_seconds()
    if mean is None:
        say("the duration is not known before the first runs")
    else:
        time = duration(mean * preview.left.runs)
        say(f"about {time} left, by the {counted(len(recorded.results), 'run')} so far")
    lines = _commands(preview)
    for line in lines[:SHOWN]:
        say(f"    {line}")
    if (hidden := len(lines) - SHOWN) > 0:
        say(f"    … and {counted(hidden, 'more command')}")


def repetitions(setup: Setup) -> str:
    """Return how often each configuration is measured."""
    plan = setup.plan
    text = counted(plan.repeat, "repetition")
    if plan.max_deviation is not None:
        percent = f"{100 * plan.max_deviation:g} %"
        text += f" and up to {plan.max_repeat} until {setup.property_names[0]} deviates by at most {percent}"
    if plan.warmup:
        text += f", after {counted(plan.warmup, 'warm-up')}"
    return text


def show(result: Result, *, quiet: bool) -> None:
    """Print how a measurement ended."""
    setup, recorded, outputs = result.session.setup, result.session.recorded, result.outputs
    if result.interrupted:
        pending = result.progress.total - result.progress.done
        note(f"interrupted with {counted(pending, 'run')} left; the same command with --resume continues")
    if result.stopped is not None:
        count = counted(result.progress.total - result.progress.done, "run")
        reason = shorten(result.stopped, WIDTH)
        warn(f"the first runs failed for the same reason: {reason}; --resume --keep-going does the other {count}")
    if not result.written:
        warn("no run succeeded, so there are no measurements")
    elif not quiet and outputs.measurements != "-":
        configurations = len({row for (row, at), run in recorded.results.items() if at >= 0 and not run.reason})
        runs = sum(at >= 0 and not run.reason for (_, at), run in recorded.results.items())
        say(f"{counted(configurations, 'configuration')}, {counted(runs, 'run')}: {outputs.measurements}")
    if not quiet and result.written:
        show_scatter(setup, recorded)
    if not result.interrupted and (rows := _unsettled(result)):
        of = counted(len(rows), "configuration")
        limit = f"{100 * (setup.plan.max_deviation or 0):g} %"
        warn(f"{of}: {setup.property_names[0]} still deviates by more than {limit}")
    show_failures(setup, recorded, outputs.failures)


def show_scatter(setup: Setup, recorded: RunResults) -> None:
    """Print how much the repetitions of a configuration deviate, to stderr."""
    for scatter in scatters(recorded):
        text = f"repetitions of {scatter.name} deviate by {percentage(100 * scatter.median, 3)} in the median"
        if scatter.configurations > 1:
            text += f" of {scatter.configurations:,} configurations, at most by {percentage(100 * scatter.largest, 3)}"
            if scatter.largest > 0:
                text += f" ({shorten(describe_configuration(setup.configurations, scatter.row), WIDTH)})"
        note(text)


def show_failures(setup: Setup, recorded: RunResults, failures: str) -> None:
    """Print which runs failed, and why."""
    failed = recorded.failed
    if not failed:
        return
    configurations = len({row for row, _ in failed})
    warn(
        f"{counted(len(failed), 'run')} of {counted(configurations, 'configuration')} failed "
        f"(all in {failures}; --resume --retry-failed repeats them)"
    )
    for row, repetition in failed[:SHOWN]:
        reason = shorten(recorded.results[row, repetition].reason or "", WIDTH)
        values = shorten(describe_configuration(setup.configurations, row), WIDTH)
        complain(f"    {values}, repetition {repetition + 1}: {reason}")
    if len(failed) > SHOWN:
        complain(f"    … and {len(failed) - SHOWN:,} more")
        for reason, count in failure_reasons(recorded)[:SHOWN]:
            complain(f"    {counted(count, 'run')} in all: {shorten(reason, WIDTH)}")
