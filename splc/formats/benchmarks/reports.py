"""Reports of benchmark tools: hyperfine, Google Benchmark, JMH and fio."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from splc.formats.benchmarks.objects import content_of, entry, objects, rows_of
from splc.formats.benchmarks.table import MeasuredRun, cell, number, table_of
from splc.formats.benchmarks.words import differing, options_of_commands, without_units
from splc.formats.table import TableSource
from splc.io.files import Source

_HYPERFINE = "parameter_"
_STATISTICS = ("mean", "median", "min", "max", "stddev", "user", "system")
_HYPERFINE_UNITS = dict.fromkeys(("time", *_STATISTICS), "s")
# The name of an empty value of a parameter.
NOTHING = "none"
_HINT = "measure several commands, or one with --parameter-list NAME V,V"
_GOOGLE_HEADER = "name,iterations,real_time,cpu_time,time_unit"
# Parts of names that say how a benchmark was run.
_FLAGS = re.compile(
    r"(?:real_time|process_time|manual_time|(?:iterations|repeats|min_time|min_warmup_time|warmup_time):.*)"
)
_AGGREGATE = re.compile(r"_(mean|median|stddev|cv|min|max|[a-zA-Z]+)$")
_NOT_COUNTERS = frozenset(
    (
        *("name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions"),
        *("repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "aggregate_name"),
        *("aggregate_unit", "label", "error_occurred", "error_message", "skipped", "skip_message"),
        *("complexity_n", "big_o", "rms", "cpu_coefficient", "real_coefficient"),
    )
)
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, "min": 1 / 60, "hr": 1 / 3600, "day": 1 / 86400}
_JMH_UNITS = {"time": "s", "throughput": "1/s"}
_SETTINGS = ("threads", "forks", "jvmArgs", "jvm")
_PARAMETER = "Param: "
_DIRECTIONS = ("read", "write", "trim")
_FIO_UNITS = {
    f"{prefix}{name}": unit
    for prefix in ("", *(f"{direction}_" for direction in _DIRECTIONS))
    for name, unit in (("bw", "B/s"), ("iops", "1/s"), ("lat", "s"))
}
# Options that name a job or its output, not what it does.
_NAMES = frozenset(("name", "filename", "description", "stonewall", "write_bw_log", "write_lat_log", "write_iops_log"))


def read_hyperfine_json(source: Source) -> TableSource:
    """Read `--export-json` of hyperfine: the parameters are options, each run is a repetition.

    Without parameters, the words in which the commands differ are the options.
    """
    results = objects(entry(content_of(source, dict), "results", list, source), "results", source)
    commands = [entry(result, "command", str, source) for result in results]
    parameters = [_with_named_values(result.get("parameters") or {}) for result in results]
    options = parameters if any(parameters) else options_of_commands(commands)
    runs = (
        run
        for result, run_options in zip(results, options, strict=True)
        for run in _hyperfine_runs(result, run_options)
    )
    return table_of(source, runs, main="time", hint=_HINT, units=_HYPERFINE_UNITS)


def _with_named_values(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with a name for empty values: those of `-L unique ,-u` are the flag and its absence."""
    return {name: NOTHING if value == "" else value for name, value in parameters.items()}


def _hyperfine_runs(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[MeasuredRun]:
    """Yield the runs of one command; a run that was ended by a signal has no exit code and no time."""
    means = {name: number(result.get(name)) for name in ("user", "system")}
    times = result.get("times") or [result.get("mean")]
    codes = result.get("exit_codes") or [0.0] * len(times)
    memory = result.get("memory_usage_byte") or [None] * len(times)
    for time, code, memory_bytes in zip(times, codes, memory, strict=False):
        yield MeasuredRun(
            options, {"time": None if code is None else number(time), **means, "memory_bytes": number(memory_bytes)}
        )


def read_hyperfine_csv(source: Source) -> TableSource:
    """Read `--export-csv` of hyperfine: parameters are options, the mean is the property to use."""
    rows = rows_of(source)
    parameter_rows = [{name: row[name] for name in row if name.startswith(_HYPERFINE)} for row in rows]
    options: Sequence[Mapping[str, Any]] = [
        _with_named_values({name.removeprefix(_HYPERFINE): text for name, text in row.items()})
        for row in parameter_rows
    ]
    if not any(options):
        options = options_of_commands([row["command"] for row in rows])
    runs = (
        MeasuredRun(run_options, {name: number(row[name]) for name in _STATISTICS if name in row})
        for row, run_options in zip(rows, options, strict=True)
    )
    return table_of(source, runs, main="mean", hint=_HINT, units=_HYPERFINE_UNITS)


def read_google_json(source: Source) -> TableSource:
    """Read JSON of Google Benchmark: arguments in names are options, the benchmark is a context, times in seconds.

    Aggregates (`BM_zip/1_mean`) are left out, except the mean of runs that are not listed.
    """
    benchmarks = objects(entry(content_of(source, dict), "benchmarks", list, source), "benchmarks", source)
    runs = [benchmark for benchmark in benchmarks if benchmark.get("run_type", "iteration") != "aggregate"]
    means = [benchmark for benchmark in benchmarks if benchmark.get("aggregate_name") == "mean"]
    return _google_table(source, [{"name": benchmark.get("run_name"), **benchmark} for benchmark in (runs or means)])


def read_google_csv(source: Source) -> TableSource:
    """Read CSV, whose lines before the header describe the machine; else as JSON."""
    text = source.text()
    rows = rows_of(source, text[text.index(_GOOGLE_HEADER) :])
    names = {row["name"] for row in rows}
    aggregates = {name: name[: match.start()] for name in names if (match := _AGGREGATE.search(name))}
    runs = [row for row in rows if aggregates.get(row["name"]) not in names]
    return _google_table(source, [row for row in runs if "BigO" not in row["name"] and "RMS" not in row["name"]])


def _google_table(source: Source, benchmarks: Iterable[Mapping[str, Any]]) -> TableSource:
    benchmarks = list(benchmarks)
    names = [str(benchmark.get("run_name") or benchmark.get("name") or "") for benchmark in benchmarks]
    parsed_names = [_family_and_options(name) for name in names]
    # A number of threads is an option if it differs.
    threads = differing(
        [{"threads": cell(benchmark["threads"])} if "threads" in benchmark else {} for benchmark in benchmarks]
    )
    runs = (
        MeasuredRun({**options, **count}, _google_values(benchmark), {"benchmark": family})
        for benchmark, (family, options), count in zip(benchmarks, parsed_names, threads, strict=True)
    )
    hint = "give the benchmarks arguments: ->ArgsProduct({{1, 4}, {64, 256}}), with ->ArgNames for names of options"
    return table_of(source, runs, main="real_time", hint=hint, units={"real_time": "s", "cpu_time": "s"})


def _family_and_options(name: str) -> tuple[str, dict[str, str]]:
    """Return the benchmark and the options of a name such as `BM_zip/1/size:64`."""
    family, *parts = name.split("/")
    options: dict[str, str] = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if _FLAGS.fullmatch(part):
            continue
        if colon and key:
            options[key] = value
        elif number(part) is None and not options:
            # The method of a fixture, or a benchmark that is registered with a name for its arguments.
            family = f"{family}/{part}"
        else:
            options[f"arg{len(options) + 1}"] = part
    return family, options


def _google_values(benchmark: Mapping[str, Any]) -> dict[str, float | None]:
    if benchmark.get("error_occurred") in (True, "true") or benchmark.get("skipped"):
        return {}
    unit = _PER_SECOND.get(str(benchmark.get("time_unit", "ns")), 1.0)
    times = {name: number(benchmark.get(name)) for name in ("real_time", "cpu_time")}
    counters = {name: number(value) for name, value in benchmark.items() if name not in _NOT_COUNTERS}
    return {**{name: None if time is None else time / unit for name, time in times.items()}, **counters}


def read_jmh_json(source: Source) -> TableSource:
    """Read `-rf json` of JMH: parameters are options, the method is a context, each iteration is a repetition.

    Times per operation are in seconds, throughput is per second. Settings that differ (`threads`, `jvmArgs`) are
    options, too.
    """
    results = objects(content_of(source, list), "results", source)
    settings = differing([{name: cell(result.get(name)) for name in _SETTINGS} for result in results])
    runs = (
        run
        for result, run_settings in zip(results, settings, strict=True)
        for run in _jmh_runs(result, run_settings, source)
    )
    return _jmh_table(source, runs)


def read_jmh_csv(source: Source) -> TableSource:
    """Read `-rf csv` of JMH, also with decimal commas: as JSON, with the mean of each result.

    Results such as `a.B.put:gc.alloc.rate` are further properties of `a.B.put`.
    """
    rows = rows_of(source)
    threads = differing([{"threads": entry(row, "Threads", str, source)} for row in rows])
    values: dict[tuple[str, ...], dict[str, float | None]] = {}
    runs = {}
    for row, row_threads in zip(rows, threads, strict=True):
        full_name, mode, score, unit = (
            entry(row, name, str, source) for name in ("Benchmark", "Mode", "Score", "Unit")
        )
        benchmark, _, label = full_name.partition(":")
        options = {name.removeprefix(_PARAMETER): row[name] for name in row if name.startswith(_PARAMETER)}
        contexts = {"benchmark": benchmark, "mode": mode}
        name, value = _jmh_value(score.replace(",", "."), unit)
        key = (benchmark, mode, *options.values(), *row_threads.values())
        values.setdefault(key, {})[label.lstrip("·") or name] = value
        runs[key] = MeasuredRun({**options, **row_threads}, values[key], contexts)
    return _jmh_table(source, runs.values())


def _jmh_table(source: Source, runs: Iterable[MeasuredRun]) -> TableSource:
    """Return the table of some runs; their mode is a context if there are several."""
    runs = [*runs]
    if len({run.contexts["mode"] for run in runs}) == 1:
        runs = [replace(run, contexts={"benchmark": run.contexts["benchmark"]}) for run in runs]
    return table_of(source, runs, hint="give the benchmark parameters: @Param", units=_JMH_UNITS)


def _jmh_value(score: Any, unit: str) -> tuple[str, float | None]:
    """Return the property of a score in some unit, and its value in seconds, or per second."""
    value = number(score)
    before, _, after = unit.partition("/")
    if value is None:
        return ("throughput" if before == "ops" else "time"), None
    if after == "op" and before in _PER_SECOND:
        return "time", value / _PER_SECOND[before]
    return "throughput", value * _PER_SECOND.get(after, 1.0)


def _jmh_runs(result: Mapping[str, Any], settings: Mapping[str, str], source: Source) -> Iterator[MeasuredRun]:
    metric = entry(result, "primaryMetric", dict, source)
    secondary = result.get("secondaryMetrics") or {}
    secondary_values = {
        key.lstrip("·"): number(value.get("score")) for key, value in secondary.items() if isinstance(value, dict)
    }
    options = {**(result.get("params") or {}), **settings}
    contexts = {"benchmark": entry(result, "benchmark", str, source), "mode": result.get("mode")}
    forks = metric.get("rawData") or [[metric.get("score")]]
    for score in chain.from_iterable(fork for fork in forks if isinstance(fork, list)):
        name, value = _jmh_value(score, str(metric.get("scoreUnit")))
        yield MeasuredRun(options, {name: value, **secondary_values}, contexts)


def read_fio(source: Source) -> TableSource:
    """Read `--output-format=json` of fio: job options that differ are options, sizes in bytes.

    Bandwidth (bytes per second), operations per second, and latency (seconds) are the properties; they have separate
    names for reading and writing if a job does both.
    """
    content = content_of(source, dict)
    jobs = objects(entry(content, "jobs", list, source), "jobs", source)
    shared = _fio_texts(content.get("global options"))
    option_rows = [{**shared, **_fio_texts(job.get("job options"))} for job in jobs]
    relevant_rows = [{name: text for name, text in row.items() if name not in _NAMES} for row in option_rows]
    base = 1000 if shared.get("kb_base") == "1000" else 1024
    options = differing(without_units(relevant_rows, base))
    used_directions = [[name for name in _DIRECTIONS if _is_used(job, name)] for job in jobs]
    has_both = any(len(names) > 1 for names in used_directions)
    runs = (
        MeasuredRun(job_options, _fio_values(job, names, prefixed=has_both))
        for job, names, job_options in zip(jobs, used_directions, options, strict=True)
    )
    hint = "the jobs have the same options: a job file with several [sections], or several values of an option"
    return table_of(source, runs, main=None if has_both else "bw", hint=hint, units=_FIO_UNITS)


def _fio_texts(options: Any) -> dict[str, str]:
    return {name: cell(value) for name, value in options.items()} if isinstance(options, dict) else {}


def _is_used(job: Mapping[str, Any], direction: str) -> bool:
    statistics = job.get(direction)
    return isinstance(statistics, dict) and bool(
        number(statistics.get("total_ios")) or number(statistics.get("io_bytes"))
    )


def _fio_values(job: Mapping[str, Any], directions: list[str], *, prefixed: bool) -> dict[str, float | None]:
    """Return the values of a job; none if it failed."""
    values: dict[str, float | None] = {}
    if job.get("error"):
        return values
    for direction in directions:
        statistics = job[direction]
        prefix = f"{direction}_" if prefixed else ""
        latency = statistics.get("lat_ns")
        mean = number(latency.get("mean")) if isinstance(latency, dict) else None
        values[f"{prefix}bw"] = number(statistics.get("bw_bytes"))
        values[f"{prefix}iops"] = number(statistics.get("iops"))
        values[f"{prefix}lat"] = None if mean is None else mean / 1e9
    return values
