"""The machine that measures: processor, memory, operating system and versions."""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from splc._version import __version__
from splc.errors import MachineError

# Errors of the operating system that are caused by the machine, not by the command: of processes, and of its disk.
PROCESS_ERRORS = frozenset({errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE})
LACKING = PROCESS_ERRORS | {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}


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
    return MachineError(
        f"the machine {platform.node()} cannot do any run: {reason}"
        + (f": {error.filename}" if error.filename else ""),
        hint=f"{remedy}, and run the same command again (splc measure: with --resume); what is done is kept",
    )


def machine() -> dict[str, Any]:
    """Return CPU, cores, memory, frequency policy, kernel and versions; None for what the system does not provide."""
    return {
        "node": platform.node(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "usable_cores": _usable_cores(),
        "memory_bytes": _memory(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "architecture": platform.machine(),
        "system": platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "splc": __version__,
    }


def _usable_cores() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _cpu() -> str | None:
    for line in (_text("/proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == "model name":
            return value.strip()
    return platform.processor() or None


def _memory() -> int | None:
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _text(path: str) -> str | None:
    with suppress(OSError, UnicodeError):
        return Path(path).read_text(encoding="utf-8").strip()
    return None
