"""The output of JMH, the Java Microbenchmark Harness: `-rf json` (https://github.com/openjdk/jmh)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, TableSource, cell, number, table_of
from splc.formats.benchmarks.words import differing
from splc.io.files import Source

_PER_SECOND = {"ns/op": 1e9, "us/op": 1e6, "ms/op": 1e3, "s/op": 1.0}
_SETTINGS = ("threads", "forks", "jvmArgs", "jvm")


def read_json(source: Source) -> TableSource:
    """Read a report: parameters are options, the method is a context, each iteration is a repetition.

    Times per operation are in seconds. Settings that differ (`threads`, `jvmArgs`) are options, too.

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
    several = len({result.get("mode") for result in results}) > 1
    runs = (run if several else MeasuredRun(run.options, run.values, _without_mode(run.contexts)) for run in runs)
    return table_of(source, runs, hint="give the benchmark parameters: @Param", units={"time": "s"})


def _runs(result: Mapping[str, Any], settings: Mapping[str, str], source: Source) -> Iterator[MeasuredRun]:
    metric = entry(result, "primaryMetric", dict, source)
    unit = _PER_SECOND.get(str(metric.get("scoreUnit")))
    name = "throughput" if unit is None else "time"
    secondary = result.get("secondaryMetrics") or {}
    secondary_values = {
        key.lstrip("·"): number(value.get("score")) for key, value in secondary.items() if isinstance(value, dict)
    }
    options = {**(result.get("params") or {}), **settings}
    contexts = {"benchmark": entry(result, "benchmark", str, source), "mode": result.get("mode")}
    forks = metric.get("rawData") or [[metric.get("score")]]
    for score in chain.from_iterable(fork for fork in forks if isinstance(fork, list)):
        value = number(score)
        yield MeasuredRun(
            options, {name: None if value is None else value / (unit or 1.0), **secondary_values}, contexts
        )


def _without_mode(contexts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in contexts.items() if name != "mode"}
