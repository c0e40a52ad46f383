"""The output of pytest-benchmark: `--benchmark-json` (https://pytest-benchmark.readthedocs.io)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, TableSource, number, table_of
from splc.io.files import Source

# The mean of more rounds than these is one value: a repetition is a row.
MAX_ROUNDS = 1000


def read_json(source: Source) -> TableSource:
    """Read a report: the parameters of tests are options, the test is a context, each round is a repetition.

    Raises:
        InputError: if it is no such file.
    """
    benchmarks = objects(entry(content_of(source, dict), "benchmarks", list, source), "benchmarks", source)
    runs = (run for each in benchmarks for run in _runs(each, source))
    hint = "parametrise the tests: @pytest.mark.parametrize"
    return table_of(source, runs, main="time", hint=hint, units={"time": "s"})


def _runs(benchmark: Mapping[str, Any], source: Source) -> Iterator[MeasuredRun]:
    stats = entry(benchmark, "stats", dict, source)
    name = entry(benchmark, "fullname", str, source)
    options = benchmark.get("params") or {}
    # The name of a test with parameters ends with their values: `test_a.py::test_sort[1-x]`.
    contexts = {"test": name.partition("[")[0] if options else name}
    rounds = stats.get("data") or []
    if not 0 < len(rounds) <= MAX_ROUNDS:
        rounds = [stats.get("mean", stats.get("median"))]
    for time in rounds:
        yield MeasuredRun(options, {"time": number(time)}, contexts)
