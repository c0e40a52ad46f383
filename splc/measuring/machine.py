"""The machine that measures: what it is, errors that it causes, and the load that other programs put on it."""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

from splc._version import __version__
from splc.errors import PROCESS_ERRORS, MachineError

# Errors of the operating system that are caused by the machine, not by the command, also by its disk.
LACKING = PROCESS_ERRORS | {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}
# The load average per core before the first run from which other programs are at work: with half of the cores busy,
# they share caches, memory and clock frequency with the runs. An idle machine has less than 0.1.
BUSY_BEFORE = 0.5
# The median per core of those at the start of runs, which use the cores themselves: one of all cores leads to 1.
BUSY_DURING = 1.25


@contextmanager
def machine_errors() -> Iterator[None]:
    """Turn errors of the operating system into `MachineError`: they are not the result of a run."""
    try:
        yield
    except OSError as error:
        raise machine_error(error) from None


def machine_error(error: OSError) -> MachineError:
    """Return the error of a machine that cannot do any run."""
    reason = error.strerror or str(error)
    remedy = "allow more open files (ulimit -n)" if error.errno == errno.EMFILE else "free disk space or memory there"
    place = f": {error.filename}" if error.filename else ""
    hint = f"{remedy}, and run the same command again (splc measure: with --resume); what is done is kept"
    return MachineError(f"the machine {platform.node()} cannot do any run: {reason}{place}", hint=hint)


def machine() -> dict[str, Any]:
    """Return CPU, cores, memory, frequency policy, kernel and versions; None for what the system does not provide."""
    memory = None
    with suppress(OSError, ValueError, AttributeError):
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "node": platform.node(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": memory,
        "governor": text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "architecture": platform.machine(),
        "system": platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "splc": __version__,
    }


def _cpu() -> str | None:
    for line in (text_of("/proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == "model name":
            return value.strip()
    return platform.processor() or None


def text_of(path: str | Path) -> str | None:
    """Return the text of a file of the system, None if it cannot be read."""
    with suppress(OSError, UnicodeError):
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    return None


def load_warning(records: Iterable[Mapping[str, Any]]) -> str | None:
    """Return a warning if a journal says that the machine was busy with something else than the runs, else None."""
    cores: float | None = None
    loads: list[float] = []
    for record in records:
        if record.get("kind") == "session":
            # Of all cores, as load averages are; of several machines the smallest.
            machines = [record.get("machine"), *(record.get("workers") or {}).values()]
            numbers = [each.get("cores") for each in machines if isinstance(each, Mapping)]
            cores = min((float(number) for number in numbers if number), default=None) or cores
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
