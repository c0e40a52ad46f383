"""What `splc measure` says: beforehand, on its way, and at its end."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from splc.cli.json_output import print_json
from splc.cli.terminal import note, say, warn
from splc.errors import plural, shorten

if TYPE_CHECKING:
    from splc.cli.measured_files import Outputs
    from splc.measuring.run_results import RunResults
    from splc.measuring.session import Progress, Session
    from splc.measuring.setup import Setup

SHOWN = 5
# What of a failure is shown on one line.
WIDTH = 120


def duration(seconds: float) -> str:
    """Return seconds in the words that people use."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"


def progress_text(progress: Progress, at_once: int) -> str:
    """Return what stands beside the progress bar."""
    left = progress.seconds_left(at_once)
    text = f"{progress.done:,} of {progress.total:,} runs"
    if progress.failed:
        text += f", {progress.failed:,} failed"
    return text if left is None else f"{text}, about {duration(left)} left"


def dry_run(setup: Setup, journal: str, as_object: bool) -> None:
    """Say what would be run, how often, and how long it would take by the runs so far."""
    from splc.measuring.journal import read_journal
    from splc.measuring.run_results import RunResults
    from splc.measuring.session import left_of
    from splc.measuring.setup import require_same

    recorded, records = RunResults(setup.property_names), read_journal(journal)
    if records:
        require_same(records, setup.description(), journal)
        recorded.include(records)
    left, total = left_of(setup, recorded)
    mean = recorded.mean_seconds()
    seconds = None if mean is None else mean * len(left)
    if setup.batch is None:
        lines = [shlex.join(setup.job(run).arguments) for run in dict.fromkeys((row, 0) for row, _ in left)]
    else:
        from splc.measuring.batch import batches

        lines = [shlex.join(setup.job(batch[0], configurations="FILE").arguments) for batch in batches(setup, left)]
    if as_object:
        content = {
            "dry_run": True,
            "configurations": len(setup.configurations),
            "runs": total,
            "recorded": len(recorded.results),
            "left": len(left),
            "seconds_left": seconds,
            "properties": list(setup.property_names),
            "commands": lines,
        }
        print_json("measure", content)
        return
    say(plural(len(setup.configurations), "configuration", "configurations") + f", {repetitions(setup)}")
    say(f"{plural(total, 'run', 'runs')}, {len(recorded.results):,} of them recorded, {len(left):,} to do")
    if seconds is None:
        say("how long that takes, the first runs will tell")
    else:
        say(f"about {duration(seconds)} left, by the {plural(len(recorded.results), 'run', 'runs')} so far")
    for line in lines[:SHOWN]:
        say(f"    {line}")
    if (rest := len(lines) - SHOWN) > 0:
        say(f"    … and {plural(rest, 'more command', 'more commands')}")


def repetitions(setup: Setup) -> str:
    """Return how often each configuration is measured."""
    plan = setup.plan
    text = plural(plan.repeat, "repetition", "repetitions")
    if plan.max_deviation is not None:
        percent = f"{100 * plan.max_deviation:g} %"
        text += f" and up to {plan.max_repeat} until {setup.property_names[0]} deviates by at most {percent}"
    if plan.warmup:
        text += f", after {plural(plan.warmup, 'warm-up', 'warm-ups')}"
    return text


def note_resumed(session: Session, there: bool) -> None:
    """Say what a session found in the journal."""
    if session.journal.torn:
        note(f"{session.journal.path}: a record that was not finished is dropped; its run is done again")
    if session.ended_leftover:
        note("a run that an earlier session had left behind was still running; it was ended")
    if session.grown:
        note("more repetitions are wanted than before")
    if there:
        note(f"{plural(session.resumed, 'run is', 'runs are')} recorded already")


def show(session: Session, progress: Progress, interrupted: bool, outputs: Outputs, some: bool, *, quiet: bool) -> None:
    """Say how a session ended."""
    setup, recorded = session.setup, session.recorded
    if interrupted:
        left = progress.total - progress.done
        note(f"interrupted with {plural(left, 'run', 'runs')} left; the same command with --resume goes on")
    if not some:
        warn("no run succeeded, so there are no measurements")
    elif not quiet and outputs.measurements != "-":
        configurations = len({row for (row, at), result in recorded.results.items() if at >= 0 and not result.reason})
        runs = sum(at >= 0 and not result.reason for (_, at), result in recorded.results.items())
        say(
            f"{plural(configurations, 'configuration', 'configurations')}, {plural(runs, 'run', 'runs')}: "
            f"{outputs.measurements}"
        )
    if not interrupted and (rows := setup.plan.unsettled(range(len(setup.configurations)), recorded)):
        of = plural(len(rows), "configuration", "configurations")
        limit = f"{100 * (setup.plan.max_deviation or 0):g} %"
        warn(f"{of}: {setup.property_names[0]} still deviates by more than {limit}")
    show_failures(setup, recorded, outputs.failures)


def show_failures(setup: Setup, recorded: RunResults, failures: str) -> None:
    """Say which runs failed, and why."""
    failed = recorded.failed
    if not failed:
        return
    configurations = len({row for row, _ in failed})
    warn(
        f"{plural(len(failed), 'run', 'runs')} of {plural(configurations, 'configuration', 'configurations')} failed "
        f"(all in {failures}; --resume --retry-failed does them again)"
    )
    for row, repetition in failed[:SHOWN]:
        values = ", ".join(f"{name}={_shown(value)}" for name, value in setup.assignment(row).items())
        reason = shorten(recorded.results[row, repetition].reason or "", WIDTH)
        print(f"    {shorten(values, WIDTH)}, repetition {repetition + 1}: {reason}", file=sys.stderr)
    if len(failed) > SHOWN:
        print(f"    … and {len(failed) - SHOWN:,} more", file=sys.stderr)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def as_json(session: Session, progress: Progress, interrupted: bool, outputs: Outputs, some: bool) -> dict[str, Any]:
    """Return the content of the JSON object."""
    setup, recorded = session.setup, session.recorded
    sessions = [record for record in session.journal.records if record.get("kind") == "session"]
    return {
        "dry_run": False,
        "configurations": len(setup.configurations),
        "properties": list(setup.property_names),
        "runs": progress.total,
        "recorded": len(recorded.results),
        "resumed": session.resumed,
        "measured": progress.measured,
        "failed": len(recorded.failed),
        "unsettled": len(setup.plan.unsettled(range(len(setup.configurations)), recorded)),
        "seconds": progress.seconds,
        "interrupted": interrupted,
        "output": outputs.measurements if some else None,
        "journal": outputs.journal,
        "failures": outputs.failures if recorded.failed else None,
        "sessions": len(sessions),
        "machine": sessions[-1]["machine"] if sessions else None,
    }
