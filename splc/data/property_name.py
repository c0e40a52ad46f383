"""Names of columns: their words, and whether they are names of measured values."""

from __future__ import annotations

import re

# Words of names of measured values, and those that make such a word the name of an option.
_MEASURED = frozenset(
    (
        *("time", "runtime", "walltime", "cputime", "latency", "duration", "elapsed", "energy", "power", "throughput"),
        *("bandwidth", "iops", "ops", "seconds", "speedup", "accuracy", "loss", "makespan", "rss"),
    )
)
_SETTING = frozenset(
    (
        *("limit", "max", "min", "budget", "step", "steps", "slice", "quantum", "warmup", "sleep", "interval", "wait"),
        *("delay", "out", "factor", "mode", "scale", "target", "level", "size", "zone", "type", "weight", "function"),
    )
)
# `energy (J)`, `time [ms]`.
_UNIT = re.compile(r"(.*\S)\s*(?:\(([^()]*)\)|\[([^][]*)\])")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without a unit in parentheses."""
    match = _UNIT.fullmatch(name)
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", match[1] if match else name)
    return tuple(word for word in re.split(r"[^0-9a-z]+", plain.casefold()) if word)


def is_measurement_name(name: str) -> bool:
    """Return whether a name is that of a measured value: `time_ms`, `energy (J)`, `solve_seconds`; not `time_limit`."""
    words = words_of(name)
    return not _MEASURED.isdisjoint(words) and _SETTING.isdisjoint(words)
