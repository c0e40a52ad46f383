"""Names of columns: their words, and whether they are names of measured values."""

from __future__ import annotations

import re

from splc.data.property_unit import unit_in_name

# Words of names of measured values, and those that make such a word the name of an option.
_MEASURED = frozenset(
    (
        *("time", "runtime", "walltime", "cputime", "latency", "duration", "elapsed", "energy", "power", "throughput"),
        *("bandwidth", "iops", "ops", "seconds", "speedup", "accuracy", "loss", "makespan", "rss", "performance"),
        *(
            "memory",
            "score",
            "auc",
            "f1",
            "rmse",
            "mae",
            "mape",
            "flops",
            "mflops",
            "gflops",
            "tflops",
            "fps",
            "ipc",
            "joules",
        ),
        *("qps", "tps", "rps", "occupancy", "utilization", "times", "latencies", "sec", "secs", "ms", "ns"),
    )
)
_SETTING = frozenset(
    (
        *("limit", "max", "min", "budget", "step", "steps", "slice", "quantum", "warmup", "sleep", "interval", "wait"),
        *("delay", "out", "factor", "mode", "scale", "target", "level", "size", "zone", "type", "weight", "function"),
        *("timeout", "threshold", "tolerance", "tol", "bound", "cap", "rate", "ratio", "ttl", "period", "window"),
        *("think", "constant"),
    )
)
# Counts that a program reports.
_COUNTED = frozenset(
    (
        *("retries", "faults", "misses", "hits", "failures", "errors", "evictions", "spills", "collisions"),
        *("conflicts", "deadlocks", "warnings", "aborts"),
    )
)
# The units of times, energies and powers.
_UNITS = frozenset(("s", "ms", "µs", "ns", "min", "h", "J", "mJ", "kJ", "W", "Wh", "kWh"))
# `energy (J)`, `time [ms]`.
_UNIT = re.compile(r"(.*\S)\s*(?:\(([^()]*)\)|\[([^][]*)\])")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without a unit in parentheses."""
    match = _UNIT.fullmatch(name)
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", match[1] if match else name)
    return tuple(word for word in re.split(r"[^0-9a-z]+", plain.casefold()) if word)


def is_measurement_name(name: str, nfp: str | None = None) -> bool:
    """Return whether a name is that of a measured value: `time_ms`, `energy (J)`, `solve_seconds`; not `time_limit`.

    `nfp`: the property that the user named. Names that are built like it are measured, too: `train_gain` beside
    `test_gain`, `PRED40+` beside `ACC+`.
    """
    words = words_of(name)
    if not _SETTING.isdisjoint(words):
        return False
    if not _MEASURED.isdisjoint(words) or unit_in_name(name) in _UNITS:
        return True
    if not nfp or name == nfp:
        return False
    marked = not nfp[-1].isalnum() and nfp[-1] in "+-!" and name[-1] == nfp[-1]
    return marked or bool(words and words[-1].isalpha() and words[-1:] == words_of(nfp)[-1:])


def is_setting_name(name: str) -> bool:
    """Return whether a word of a name says that it was set: `build_type`, `time_limit`."""
    return not _SETTING.isdisjoint(words_of(name))


def is_count_name(name: str) -> bool:
    """Return whether a name is that of events that a program counts: `retries`, `page_faults`; not `max_retries`."""
    words = words_of(name)
    return not _COUNTED.isdisjoint(words) and _SETTING.isdisjoint(words)
