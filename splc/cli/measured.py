"""A measurement from the journal to the exit code: what is left is run, written and shown."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from splc.cli.errors import INTERRUPTED
from splc.cli.interruption import interruption
from splc.cli.json_output import print_json
from splc.cli.show.measure import as_json, note_resumed, progress_text, show
from splc.cli.terminal import note, progress, warn
from splc.errors import InputError, OutputError, plural

if TYPE_CHECKING:
    from splc.cli.measured_files import Outputs
    from splc.measuring.cluster import Cluster
    from splc.measuring.session import Progress, Session
    from splc.measuring.setup import Setup

# The bar counts thousandths: how many runs there are, deviations decide.
STEPS = 1000


def measured(
    setup: Setup,
    outputs: Outputs,
    programs: Sequence[str],
    scheduler: str | None,
    resume: bool,
    retry_failed: bool,
    json: bool,
) -> int:
    """Measure what is left, write and show the results; return the exit code.

    Args:
        setup: what is measured.
        outputs: where to.
        programs: what is started.
        scheduler: the address of a dask scheduler, None: here.
        resume: whether a journal that is there is gone on with.
        retry_failed: whether failed runs are done again.
        json: whether to print an object.

    Raises:
        OutputError: if the journal cannot be written; what was recorded before is in the measurements.
    """
    from splc.measuring.journal import Journal
    from splc.measuring.session import Session

    with ExitStack() as stack:
        cluster = None
        if scheduler is not None:
            from splc.measuring.cluster import Cluster, described

            cluster = stack.enter_context(Cluster(scheduler))
            cluster.require_programs(programs, setup.folder, setup.environment)
            if hosts := cluster.shared_machines():
                warn(described(hosts))
        there = Path(outputs.journal).exists()
        if resume and not there:
            note(f"there is no {outputs.journal} yet: this measurement begins")
        open_journal = Journal.resume if there else Journal.create
        with open_journal(outputs.journal) as journal:
            try:
                session = Session.begin(setup, journal, retry_failed=retry_failed)
            except OutputError:
                if not there:
                    # Nothing is in it that could be gone on with.
                    Path(outputs.journal).unlink(missing_ok=True)
                raise
            note_resumed(session, there)
            finished = _run(session, cluster)
            try:
                some = outputs.write(setup, session.recorded)
            except OutputError as error:
                raise finished.error or error from None
            if finished.error is not None:
                kept = plural(len(session.recorded.results), "run is", "runs are")
                note(f"{kept} recorded" + (f"; their values are in {outputs.measurements}" if some else ""))
                raise finished.error
            if json:
                print_json("measure", as_json(session, finished.progress, finished.interrupted, outputs, some))
            show(session, finished.progress, finished.interrupted, outputs, some, quiet=json)
            if finished.interrupted:
                return INTERRUPTED
            return 1 if session.recorded.failed else 0


@dataclass(frozen=True)
class _Finished:
    """How a session ended."""

    progress: Progress
    interrupted: bool = False
    error: OutputError | InputError | None = None


def _run(session: Session, cluster: Cluster | None) -> _Finished:
    """Run what is left, with a progress bar; Ctrl-C ends it after the run in flight, a second one at once."""
    from splc.measuring.session import Progress

    latest = Progress()
    at_once = 1 if cluster is None else len(cluster.workers())
    after = "this run" if session.setup.batch is None else "this row"
    interrupted = False
    error: OutputError | InputError | None = None
    by_key = (signal.SIGINT,)
    with terminated_as_interrupted(), interruption(after, by_key) as stop, progress("measuring", STEPS) as advance:

        def on_progress(now: Progress) -> None:
            nonlocal latest
            latest = now
            advance(STEPS * now.done // max(now.total, 1), progress_text(now, at_once))

        try:
            workers = None if cluster is None else cluster.machines()
            latest = session.measure(cluster, stop, on_progress, workers)
        except KeyboardInterrupt:
            interrupted = True
        except (OutputError, InputError) as raised:
            error = raised
        interrupted |= stop.requested and latest.done < latest.total
    return _Finished(latest, interrupted, error)


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let a request to end (SIGTERM, SIGHUP) do what a second Ctrl-C does: the run in flight is ended, too."""
    names = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

    def interrupt(signum: int, frame: Any) -> None:
        # A second one is not to interrupt what the first one has begun.
        signal.signal(signum, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {}
    try:
        for number in names:
            # `nohup` has the hang-up ignored, and means it.
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, interrupt)
    except ValueError:
        # Not in the main thread, where signals do not arrive anyway.
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
