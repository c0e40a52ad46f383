"""The output of tools for Python: pytest-benchmark, pyperf and asv."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any

from splc.data.property_name import is_measurement_name
from splc.errors import listed
from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, cell, number, table_of
from splc.formats.benchmarks.words import options_of_commands, pairs_in
from splc.formats.table import TableSource
from splc.io.files import Source

# The mean of more rounds than these is one value: a repetition is a row.
MAX_ROUNDS = 1000
# The role of an entry whose value follows from the parameters.
FOLLOWS = "follows"


@dataclass(frozen=True)
class _Benchmark:
    """A benchmark: its test without parameters, these, what the test wrote to `extra_info`, and the rounds."""

    test: str
    options: Mapping[str, Any]
    extra: Mapping[str, Any]
    rounds: Sequence[Any]

    def entries(self, roles: Mapping[str, str], role_name: str) -> dict[str, Any]:
        """Return the entries of `extra_info` with a role."""
        return {name: self.extra[name] for name, role in roles.items() if role == role_name and name in self.extra}

    @property
    def setting(self) -> tuple[str, ...]:
        """The test with its parameters."""
        return (self.test, *(f"{name}={cell(value)}" for name, value in self.options.items()))


def read_pytest_benchmark(source: Source) -> TableSource:
    """Read `--benchmark-json` of pytest-benchmark (https://pytest-benchmark.readthedocs.io).

    The parameters of tests are options, the test is a context, each round is a repetition.

    The entries of `extra_info` that are measured by their names, or fractions, are properties. The others are options
    if no test has parameters, or if the same parameters were run with several of their values. Of the others, numbers
    are properties, and texts that are the same in all tests are contexts; other texts follow from the parameters.
    """
    entries = objects(entry(content_of(source, dict), "benchmarks", list, source), "benchmarks", source)
    benchmarks = [_benchmark(benchmark_entry, source) for benchmark_entry in entries]
    roles = _extra_roles(benchmarks)
    hint = "parametrise the tests: @pytest.mark.parametrize, or write the options to benchmark.extra_info"
    followed = [name for name, role in roles.items() if role == FOLLOWS]
    notes = (f"left out of extra_info, since the parameters decide it: {listed(followed)}",) if followed else ()
    return table_of(source, _runs(benchmarks, roles), main="time", notes=notes, hint=hint, units={"time": "s"})


def _benchmark(benchmark: Mapping[str, Any], source: Source) -> _Benchmark:
    """Return a benchmark of the report."""
    stats = entry(benchmark, "stats", dict, source)
    name = entry(benchmark, "fullname", str, source)
    options = benchmark.get("params") or {}
    extra = benchmark.get("extra_info")
    extra_entries = (
        {name: value for name, value in extra.items() if name not in options} if isinstance(extra, dict) else {}
    )
    rounds = stats.get("data") or []
    if not 0 < len(rounds) <= MAX_ROUNDS:
        rounds = [stats.get("mean", stats.get("median"))]
    # The name of a test with parameters ends with their values: `test_a.py::test_sort[1-x]`.
    return _Benchmark(name.partition("[")[0] if options else name, options, extra_entries, rounds)


def _extra_roles(benchmarks: Sequence[_Benchmark]) -> dict[str, str]:
    """Return entry of `extra_info` → its role: property, option, context, or that it follows from parameters."""
    parametrised = any(benchmark.options for benchmark in benchmarks)
    roles = {}
    for name in dict.fromkeys(name for benchmark in benchmarks for name in benchmark.extra):
        values = [benchmark.extra[name] for benchmark in benchmarks if name in benchmark.extra]
        if any(isinstance(value, dict | list) for value in values):
            continue
        numbers = all(number(value) is not None and not isinstance(value, str) for value in values)
        if numbers and (is_measurement_name(name) or any(value != int(value) for value in values)):
            roles[name] = "property"
        elif not parametrised or _differs(name, benchmarks):
            roles[name] = "option"
        else:
            everywhere = len({cell(benchmark.extra.get(name)) for benchmark in benchmarks}) == 1
            roles[name] = "property" if numbers else "context" if everywhere else FOLLOWS
    return roles


def _differs(name: str, benchmarks: Sequence[_Benchmark]) -> bool:
    """Return whether benchmarks with the same parameters have several values of an entry."""
    values: dict[tuple[str, ...], set[str]] = {}
    for benchmark in benchmarks:
        values.setdefault(benchmark.setting, set()).add(cell(benchmark.extra.get(name)))
    return any(len(entry_values) > 1 for entry_values in values.values())


def _runs(benchmarks: Sequence[_Benchmark], roles: Mapping[str, str]) -> Iterator[MeasuredRun]:
    """Yield a run for each round."""
    settings = [tuple(cell(value) for value in benchmark.entries(roles, "option").values()) for benchmark in benchmarks]
    # If extra_info states the configuration of each test, the names of tests are not needed.
    has_configurations = "option" in roles.values() and not any(benchmark.options for benchmark in benchmarks)
    is_configured = has_configurations and len({*settings}) == len(benchmarks)
    for benchmark in benchmarks:
        options = {**benchmark.options, **benchmark.entries(roles, "option")}
        contexts = {**({} if is_configured else {"test": benchmark.test}), **benchmark.entries(roles, "context")}
        for time in benchmark.rounds:
            yield MeasuredRun(options, {"time": number(time), **benchmark.entries(roles, "property")}, contexts)


def read_pyperf(source: Source) -> TableSource:
    """Read JSON of pyperf (https://github.com/psf/pyperf): each value is a repetition, warmups are left out.

    The options are those in the names of benchmarks (`sort[n=100,kind=quick]`), else the words in which the commands of
    `pyperf command` differ. The rest of a name is a context.
    """
    content = content_of(source, dict)
    shared = content.get("metadata") or {}
    benchmarks = objects(entry(content, "benchmarks", list, source), "benchmarks", source)
    metadata = [{**shared, **(benchmark.get("metadata") or {})} for benchmark in benchmarks]
    names = [re.sub(r"[\[\](){}]", ",", str(each.get("name", ""))) for each in metadata]
    options: Sequence[Mapping[str, Any]] = [pairs_in(name) for name in names]
    commands = [str(each.get("command", "")) for each in metadata]
    if not any(options) and len({*commands}) > 1:
        options, names = options_of_commands(commands), [""] * len(names)
    runs = []
    for benchmark, run_options, name, each in zip(benchmarks, options, names, metadata, strict=True):
        rest = ",".join(part.strip() for part in name.split(",") if part.strip() and "=" not in part)
        property_name = {"second": "time", "byte": "bytes"}.get(str(each.get("unit", "second")), "value")
        for run in objects(benchmark.get("runs"), "runs", source):
            contexts = {"benchmark": rest} if rest else {}
            runs += [
                MeasuredRun(run_options, {property_name: number(value)}, contexts) for value in run.get("values", ())
            ]
    hint = "write the options into the names of benchmarks: sort[n=100,kind=quick]"
    return table_of(source, runs, hint=hint, units={"time": "s", "bytes": "B"})


def read_asv(source: Source) -> TableSource:
    """Read a file of results of asv (https://asv.readthedocs.io): parameters are options, the benchmark is a context.

    Results do not name parameters: they are `arg1`, `arg2`, …. Samples are repetitions, if they were recorded.
    """
    content = content_of(source, dict)
    columns = entry(content, "result_columns", list, source)
    runs = []
    for benchmark, values in entry(content, "results", dict, source).items():
        result = dict(zip(columns, values, strict=False)) if isinstance(values, list) else {}
        kind = benchmark.rpartition(".")[2].partition("_")[0]
        name = {"time": "time", "timeraw": "time", "mem": "bytes", "peakmem": "bytes"}.get(kind, "value")
        parameters, results, samples = (_list(result.get(column)) for column in ("params", "result", "samples"))
        combinations = product(*map(_list, parameters))
        for arguments, value, repetitions in zip_longest(combinations, results, samples):
            options = {f"arg{at}": str(text).strip("'\"") for at, text in enumerate(arguments or (), 1)}
            measured = [number(each) for each in _list(repetitions) or [value]]
            runs += [MeasuredRun(options, {name: each}, {"benchmark": benchmark}) for each in measured]
    return table_of(source, runs, hint="the benchmarks have no params", units={"time": "s", "bytes": "B"})


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
