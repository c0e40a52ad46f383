"""The load of the machine before and during runs: other programs change what is measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from splc.measuring.journal import Record

# The load average per core before the first run from which other programs are at work: with half of the cores busy,
# they share caches, memory and clock frequency with the runs. An idle machine has less than 0.1.
BUSY_BEFORE = 0.5
# The median per core of those at the start of runs, which use the cores themselves: one of all cores leads to 1.
BUSY_DURING = 1.25


def load_warning(records: Iterable[Record]) -> str | None:
    """Return a warning if the machine was busy with something else than the runs, None if it was not, or is unknown.

    Args:
        records: those of the journal of a measurement or a tuning run.
    """
    cores: float | None = None
    loads: list[float] = []
    for record in records:
        if record.get("kind") == "session":
            cores = _cores(record) or cores
        elif record.get("kind") == "run" and record.get("load") is not None:
            loads.append(float(record["load"]))
    if not loads or not cores:
        return None
    on = f"on {cores:g} {'core' if cores == 1 else 'cores'}"
    if loads[0] > BUSY_BEFORE * cores:
        return f"other programs were running: the load average before the first run was {loads[0]:g} {on}"
    typical = median(loads)
    if typical > BUSY_DURING * cores:
        return f"more programs were running than there are cores: the median of the load average was {typical:g} {on}"
    return None


def _cores(session: Mapping[str, Any]) -> float | None:
    """Return the number of cores of the machine that measures, of several machines the smallest; None if unknown.

    The load average is that of all cores, also where a process may use some only.
    """
    machines = [session.get("machine"), *(session.get("workers") or {}).values()]
    numbers = [machine.get("cores") for machine in machines if isinstance(machine, Mapping)]
    return min((float(number) for number in numbers if number), default=None)
