"""The machine that measures: processor, memory, operating system and versions."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

from splc._version import __version__


def machine() -> dict[str, Any]:
    """Return CPU, cores, memory, frequency policy, kernel and versions; None for what the system does not provide."""
    return {
        "node": platform.node(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "usable_cores": _usable(),
        "memory_bytes": _memory(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "architecture": platform.machine(),
        "system": platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "splc": __version__,
    }


def _usable() -> int | None:
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
