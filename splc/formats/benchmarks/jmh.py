"""The output of JMH, the Java Microbenchmark Harness: `-rf json` and `csv` (https://github.com/openjdk/jmh)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from splc.formats.benchmarks.hyperfine import rows_of
from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, TableSource, cell, number, table_of
from splc.formats.benchmarks.words import differing
from splc.io.files import Source

_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, "min": 1 / 60, "hr": 1 / 3600, "day": 1 / 86400}
_UNITS = {"time": "s", "throughput": "1/s"}
_SETTINGS = ("threads", "forks", "jvmArgs", "jvm")
_PARAMETER = "Param: "


def read_json(source: Source) -> TableSource:
    """Read a report: parameters are options, the method is a context, each iteration is a repetition.

    Times per operation are in seconds, throughput is per second. Settings that differ (`threads`, `jvmArgs`) are
    options, too.

    Raises:
        InputError: if it is no such file.
    """
    results = objects(content_of(source, list), "results", source)
    settings = differing([{name: cell(result.get(name)) for name in _SETTINGS} for result in results])
    runs = (
        run
        for result, run_settings in zip(results, settings, strict=True)
        for run in _runs(result, run_settings, source)
    )
    return _table(source, runs)


def read_csv(source: Source) -> TableSource:
    """Read `-rf csv`, also with decimal commas: as JSON, with the mean of each result.

    Results such as `a.B.put:gc.alloc.rate` are further properties of `a.B.put`.

    Raises:
        InputError: if it is no such file.
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
        name, value = _value(score.replace(",", "."), unit)
        key = (benchmark, mode, *options.values(), *row_threads.values())
        values.setdefault(key, {})[label.lstrip("·") or name] = value
        runs[key] = MeasuredRun({**options, **row_threads}, values[key], contexts)
    return _table(source, runs.values())


def _table(source: Source, runs: Iterable[MeasuredRun]) -> TableSource:
    """Return the table of some runs; their mode is a context if there are several."""
    runs = [*runs]
    if len({run.contexts["mode"] for run in runs}) == 1:
        runs = [replace(run, contexts={"benchmark": run.contexts["benchmark"]}) for run in runs]
    return table_of(source, runs, hint="give the benchmark parameters: @Param", units=_UNITS)


def _value(score: Any, unit: str) -> tuple[str, float | None]:
    """Return the property of a score in some unit, and its value in seconds, or per second."""
    value = number(score)
    before, _, after = unit.partition("/")
    if value is None:
        return ("throughput" if before == "ops" else "time"), None
    if after == "op" and before in _PER_SECOND:
        return "time", value / _PER_SECOND[before]
    return "throughput", value * _PER_SECOND.get(after, 1.0)


def _runs(result: Mapping[str, Any], settings: Mapping[str, str], source: Source) -> Iterator[MeasuredRun]:
    metric = entry(result, "primaryMetric", dict, source)
    secondary = result.get("secondaryMetrics") or {}
    secondary_values = {
        key.lstrip("·"): number(value.get("score")) for key, value in secondary.items() if isinstance(value, dict)
    }
    options = {**(result.get("params") or {}), **settings}
    contexts = {"benchmark": entry(result, "benchmark", str, source), "mode": result.get("mode")}
    forks = metric.get("rawData") or [[metric.get("score")]]
    for score in chain.from_iterable(fork for fork in forks if isinstance(fork, list)):
        name, value = _value(score, str(metric.get("scoreUnit")))
        yield MeasuredRun(options, {name: value, **secondary_values}, contexts)
