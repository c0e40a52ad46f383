"""The runs of a session, and messages about its journal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from splc.errors import InputError, MachineError, OutputError, plural
from splc.measuring.cluster import Cluster
from splc.measuring.cluster_runs import run_on_cluster
from splc.measuring.session import Progress, Session


def resumption(session: Session, continued: bool) -> list[str]:
    """Return messages about the journal of a session."""
    texts = []
    if session.journal.torn:
        texts.append(f"{session.journal.path}: an incomplete record is dropped; its run is repeated")
    if session.ended_leftover:
        texts.append("a run of an earlier session was still running; it was ended")
    if session.grown:
        texts.append("more repetitions are requested than before")
    if session.added:
        texts.append(f"{plural(session.added, 'configuration is', 'configurations are')} added")
    if session.corrected:
        texts.append("failed runs are repeated with another command or other settings; finished runs are kept")
    if continued:
        texts.append(f"{plural(session.resumed, 'run is', 'runs are')} recorded already")
    return texts


def do_runs(
    session: Session,
    cluster: Cluster | None,
    on_progress: Callable[[Progress, int], None],
    should_stop: Callable[[], bool],
    keep_going: bool,
) -> tuple[Progress, bool, InputError | MachineError | OutputError | None]:
    """Do the runs that are left; return the progress, whether it was interrupted, and the error that ended it."""
    latest = Progress()
    at_once = 1 if cluster is None else cluster.machines_at_once()

    def advance(progress: Progress) -> None:
        nonlocal latest
        latest = progress
        on_progress(progress, at_once)

    try:
        backend = None if cluster is None else partial(run_on_cluster, cluster)
        machines = None if cluster is None else cluster.machines()
        latest = session.measure(backend, should_stop, advance, machines, keep_going=keep_going)
    except KeyboardInterrupt:
        return latest, True, None
    except (OutputError, InputError, MachineError) as error:
        return latest, False, error
    return latest, should_stop() and latest.done < latest.total, None
