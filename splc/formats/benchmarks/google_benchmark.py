"""The output of Google Benchmark: `--benchmark_out` as JSON or CSV (https://github.com/google/benchmark)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from splc.formats.benchmarks.hyperfine import rows_of
from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, TableSource, cell, number, table_of
from splc.formats.benchmarks.words import differing
from splc.io.files import Source

HEADER = "name,iterations,real_time,cpu_time,time_unit"
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
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


def read_json(source: Source) -> TableSource:
    """Read JSON: the arguments in names are options, the benchmark is a context, times are in seconds.

    Aggregates (`BM_zip/1_mean`) are left out, except the mean of runs that are not listed.

    Raises:
        InputError: if it is no such file.
    """
    benchmarks = objects(entry(content_of(source, dict), "benchmarks", list, source), "benchmarks", source)
    runs = [benchmark for benchmark in benchmarks if benchmark.get("run_type", "iteration") != "aggregate"]
    means = [benchmark for benchmark in benchmarks if benchmark.get("aggregate_name") == "mean"]
    return _table(source, [{"name": benchmark.get("run_name"), **benchmark} for benchmark in (runs or means)])


def read_csv(source: Source) -> TableSource:
    """Read CSV, whose lines before the header describe the machine; else as JSON.

    Raises:
        InputError: if it is no such file.
    """
    text = source.text()
    rows = rows_of(source, text[text.index(HEADER) :])
    names = {row["name"] for row in rows}
    aggregates = {name: name[: match.start()] for name in names if (match := _AGGREGATE.search(name))}
    runs = [row for row in rows if aggregates.get(row["name"]) not in names]
    return _table(source, [row for row in runs if "BigO" not in row["name"] and "RMS" not in row["name"]])


def _table(source: Source, benchmarks: Iterable[Mapping[str, Any]]) -> TableSource:
    benchmarks = list(benchmarks)
    names = [str(benchmark.get("run_name") or benchmark.get("name") or "") for benchmark in benchmarks]
    parsed_names = [_family_and_options(name) for name in names]
    # A number of threads is an option if it differs.
    threads = differing(
        [{"threads": cell(benchmark["threads"])} if "threads" in benchmark else {} for benchmark in benchmarks]
    )
    runs = (
        MeasuredRun({**options, **count}, _values(benchmark), {"benchmark": family})
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


def _values(benchmark: Mapping[str, Any]) -> dict[str, float | None]:
    if benchmark.get("error_occurred") in (True, "true") or benchmark.get("skipped"):
        return {}
    unit = _PER_SECOND.get(str(benchmark.get("time_unit", "ns")), 1.0)
    times = {name: number(benchmark.get(name)) for name in ("real_time", "cpu_time")}
    counters = {name: number(value) for name, value in benchmark.items() if name not in _NOT_COUNTERS}
    return {**{name: None if time is None else time / unit for name, time in times.items()}, **counters}
