"""Words in the names of columns: of measured values, durations, settings, counts of a program, and contexts."""

from __future__ import annotations

import re
import unicodedata

from splc.data.property_unit import BRACKETS, unit_in_name


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without a unit in parentheses."""
    match = BRACKETS.fullmatch(name)
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})", "_", match[1] if match else name)
    # Letters without accents.
    plain = plain if plain.isascii() else re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFD", plain))
    return tuple(word for word in re.split(r"[\W_]+", plain.casefold()) if word)


# Words of names of measured values, those that make such a word the name of an option, and counts of a program.
_MEASURED = frozenset(
    words_of("""
    time times runtime walltime cputime latency latencies duration elapsed seconds sec secs ms ns makespan energy
    wind humidity joules power throughput bandwidth iops ops qps tps rps fps ipc flops mflops gflops tflops speedup
    performance memory rss occupancy utilization score accuracy acc loss auc f1 rmse mae mape coverage
    """)
)
_SETTING = frozenset(
    words_of("""
    limit max min budget step steps slice quantum warmup sleep interval wait delay out timeout ttl period window
    factor mode scale target level size zone type weight function threshold tolerance tol bound cap rate ratio
    think constant fraction lim
    """)
)
_COUNTED = frozenset(
    words_of("""
    retries faults misses hits failures errors evictions spills collisions conflicts deadlocks warnings aborts
    recoveries retry fault miss failure error eviction spill collision conflict deadlock warning abort
    epoch regs registers request requests sample samples
    failed passed converged feasible infeasible valid pruned best queued success
    generated processed received transferred sent consumed written hit
    """)
)
_HYPERPARAMETERS = frozenset(words_of("lr dropout decay momentum"))
# Options have names with so many words: `flush_log_at_trx_commit`.
_LONG = 4
_PERIODS = ("second", "sec", "s", "minute", "min", "hour", "h", "day")
_SIGNED = frozenset(
    words_of("dbm db balance saved saving savings delta diff difference change net gain error slack wns")
)
_CPU_TIMES = ("user", "sys", "user_time", "sys_time")
_STATISTICS = (("mean",), ("average",), ("avg",), ("median",))
# The units of times, energies, powers, temperatures, voltages and currents.
_MEASURED_UNITS = frozenset(
    ("s", "ms", "µs", "ns", "min", "h", "J", "mJ", "kJ", "W", "Wh", "kWh", "°C", "°F", "V", "A")
)
# Last words of names of columns of numbers that are rather contexts.
_NUMERIC_CONTEXTS = words_of("version release revision commit build year date datum machine host platform")
# Words of names of columns of text that are contexts, also if they are crossed with the options.
_CONTEXT_WORDS = frozenset(_NUMERIC_CONTEXTS).union(
    words_of("environment env workload input dataset data benchmark bench system application app program instance os"),
    words_of("runner node hostname cluster branch tag callpath region device cpu gpu hardware project query scenario"),
    words_of("sha hash"),
)
# Programs whose versions are those of a machine, as whole names.
_PROGRAMS = frozenset(
    words_of("""
    python java jdk jvm node nodejs go golang gcc clang llvm rust rustc ruby php perl julia cuda rocm openmpi mpich
    kernel postgres postgresql mysql mariadb redis nginx spark hadoop pytorch torch tensorflow numpy django rails
    """)
)
# The same as last words, and as whole names: `video_codec` and `event_loop` are none.
_INPUTS = frozenset(words_of("status state error script clip video scene corpus matrix course track"))
_CONTEXT_KEYS = {"ref", "trigger", "event", "origin", "reason", "agent", "phase", "sampler"}


def _is_rate(words: tuple[str, ...]) -> bool:
    return "per" in words and words[-1] in _PERIODS


def is_measurement_name(name: str, nfp: str | None = None) -> bool:
    """Return whether a name is that of a measured value: `time_ms`, `energy (J)`, `solve_seconds`; not `time_limit`.

    Names like that of the property that the user named are: `train_gain` beside `test_gain`, `PRED40+` beside `ACC+`.
    """
    words = words_of(name)
    if words[:1] in _STATISTICS:
        return True
    if not _SETTING.isdisjoint(words) and "rss" not in words:
        return False
    if "_".join(words) in _CPU_TIMES:
        return True
    # A rate such as `queries_per_second`; `t_total` is a time.
    if _is_rate(words):
        return True
    if not _MEASURED.isdisjoint(words) or unit_in_name(name) in _MEASURED_UNITS or (words[:1] == ("t",) and words[1:]):
        return True
    if not nfp or name == nfp:
        return False
    marked = not nfp[-1].isalnum() and nfp[-1] in "+-!" and name[-1] == nfp[-1]
    return marked or bool(words and words[-1].isalpha() and words[-1:] == words_of(nfp)[-1:])


def is_amount(name: str) -> bool:
    """Return whether a name is that of a measured amount: never negative, and 0 only where a run did nothing."""
    scores = words_of("speedup performance utilization score accuracy acc loss auc f1 rmse mae mape")
    words = words_of(name)
    # `power_dBm`, `energy_balance` and `time_saved` may be negative.
    is_signed = not _SIGNED.isdisjoint(words)
    is_sized = _is_rate(words) or not (_MEASURED - {*scores}).isdisjoint(words)
    return is_measurement_name(name) and not is_signed and is_sized


def is_quantity_name(name: str) -> bool:
    """Return whether a name has the word of a measured quantity, not only a unit: `wait_time`; not `rtt_ms`."""
    words = {*words_of(name)} - {*words_of("seconds sec secs ms ns")}
    return "utilization" not in words and not _MEASURED.isdisjoint(words)


def is_duration_name(name: str) -> bool:
    """Return whether a name is that of a measured duration: `elapsed`, `build_time`; not `time`, `start_time`."""
    words = {*words_of(name)}
    clock = {"start", "starting", "started", "end", "begin", "finish", "finished", "date", "created"}
    return is_measurement_name(name) and words != {"time"} and words.isdisjoint(clock)


def is_hyperparameter_name(name: str) -> bool:
    """Return whether a name is that of a number that is tuned in machine learning: `lr`, `weight_decay`."""
    words = words_of(name)
    return not _HYPERPARAMETERS.isdisjoint(words) or words[-2:] == ("learning", "rate")


def is_setting_name(name: str) -> bool:
    """Return whether a word of a name says that it was set: `build_type`, `time_limit`."""
    return not _SETTING.isdisjoint(words_of(name))


def is_count_name(name: str) -> bool:
    """Return whether a name is that of events that a program counts: `retries`; not `max_retries`."""
    words = words_of(name)
    return not _COUNTED.isdisjoint(words) and _SETTING.isdisjoint(words)


def is_context_name(name: str) -> bool:
    """Return whether a name is that of a context: `machine`, `input_size`; not `machine_type`."""
    words = words_of(name)
    is_place = not (_CONTEXT_WORDS.isdisjoint(words) and _INPUTS.isdisjoint(words[-1:])) or is_program_name(name)
    return (is_place and not is_setting_name(name)) or "_".join(words) in _CONTEXT_KEYS


def is_program_name(name: str) -> bool:
    """Return whether a name is that of a program, whose versions are in the column: `python`."""
    return "_".join(words_of(name)) in _PROGRAMS


def may_be_context_name(name: str) -> bool:
    """Return whether the last word of a name of numbers is that of a context: `app_version`."""
    words = words_of(name)
    return not {*_NUMERIC_CONTEXTS, "vus"}.isdisjoint(words[-1:]) and len(words) < _LONG
