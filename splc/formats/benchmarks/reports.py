"""Reports of benchmark tools: hyperfine, Google Benchmark, JMH, fio, pytest-benchmark, pyperf and asv."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product, zip_longest
from typing import Any

from splc.errors import listed
from splc.formats.benchmarks.declaration import (
    ROWS,
    MeasuredRun,
    benchmark,
    cell,
    check,
    differing,
    number,
    options_of_commands,
    pairs_in,
    rows_of,
    table_of,
    without_units,
)
from splc.formats.names import is_measurement_name
from splc.formats.table import TableSource
from splc.io.files import Source
from splc.io.json import declared

_STATISTICS = ("mean", "median", "min", "max", "stddev", "user", "system")
_HYPERFINE_UNITS = dict.fromkeys(("time", *_STATISTICS), "s")
_COMMANDS_HINT = "measure several commands, or one with --parameter-list NAME V,V"
_LISTS = dict.fromkeys(("times", "exit_codes", "memory_usage_byte"), list | None)
_RESULTS = {"results": [{"command": str, "parameters": dict | None, **_LISTS}]}


@benchmark("hyperfine", rb'\{\s*"results"\s*:', b'"command"', content=_RESULTS)
def hyperfine_json(source: Source, content: Any) -> TableSource:
    """Read `--export-json` of hyperfine: the parameters are options, each run is a repetition.

    Without parameters, the words in which the commands differ are the options. A run that was ended by a signal has no
    exit code and no time.
    """
    runs = []
    results = content["results"]
    for result, options in zip(results, _hyperfine_options(results), strict=True):
        means = {name: number(result.get(name)) for name in ("user", "system")}
        times = result.get("times") or [result.get("mean")]
        codes = result.get("exit_codes") or [0.0] * len(times)
        memory = result.get("memory_usage_byte") or [None] * len(times)
        for time, code, memory_bytes in zip(times, codes, memory, strict=False):
            values = {"time": None if code is None else number(time), **means, "memory_bytes": number(memory_bytes)}
            runs.append(MeasuredRun(options, values))
    return table_of(source, runs, main="time", hint=_COMMANDS_HINT, units=_HYPERFINE_UNITS)


@benchmark("hyperfine", rb"command,mean,stddev,median,user,system,min,max", content=ROWS)
def hyperfine_csv(source: Source, rows: Sequence[Mapping[str, str]]) -> TableSource:
    """Read `--export-csv` of hyperfine: parameters are options, the mean is the property to use."""
    columns = [name for name in rows[0] if name.startswith("parameter_")]
    parameters = [{name.removeprefix("parameter_"): row[name] for name in columns} for row in rows]
    entries = [{"command": row["command"], "parameters": each} for row, each in zip(rows, parameters, strict=True)]
    values = [{name: number(row[name]) for name in _STATISTICS if name in row} for row in rows]
    runs = map(MeasuredRun, _hyperfine_options(entries), values)
    return table_of(source, runs, main="mean", hint=_COMMANDS_HINT, units=_HYPERFINE_UNITS)


def _hyperfine_options(results: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the parameters of results, or else the words in which their commands differ."""
    # The values of `-L unique ,-u` are the flag and its absence.
    stated = (result.get("parameters") or {} for result in results)
    options = [{name: "none" if value == "" else value for name, value in each.items()} for each in stated]
    return options if any(options) else options_of_commands([result["command"] for result in results])


# Parts of names that say how a benchmark was run.
_FLAGS = re.compile(r"(?:real|process|manual)_time|(?:iterations|repeats|min_time|min_warmup_time|warmup_time):.*")
_AGGREGATE = re.compile(r"_[a-zA-Z]+$")
_NOT_COUNTERS = frozenset(
    (
        *("name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions"),
        *("repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "aggregate_name"),
        *("aggregate_unit", "label", "error_occurred", "error_message", "skipped", "skip_message", "complexity_n"),
        *("big_o", "rms", "cpu_coefficient", "real_coefficient"),
    )
)
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, "min": 1 / 60, "hr": 1 / 3600, "day": 1 / 86400}


@benchmark("Google Benchmark", rb'\{\s*"context"\s*:', b'"benchmarks"', content={"benchmarks": [dict]})
def google_json(source: Source, content: Any) -> TableSource:
    """Read JSON of Google Benchmark: arguments in names are options, the benchmark is a context, times in seconds.

    Aggregates (`BM_zip/1_mean`) are left out, except the mean of runs that are not listed.
    """
    runs = [each for each in content["benchmarks"] if each.get("run_type", "iteration") != "aggregate"]
    means = [each for each in content["benchmarks"] if each.get("aggregate_name") == "mean"]
    return _google_table(source, runs or means)


@benchmark("Google Benchmark", rb".{0,4000}?name,iterations,real_time,cpu_time,time_")
def google_csv(source: Source) -> TableSource:
    """Read CSV, whose lines before the header describe the machine; else as JSON."""
    table = source.data[source.data.index(b"name,iterations,real_time,cpu_time,time_") :]
    rows = rows_of(Source(source.name, table))
    names = {row["name"] for row in rows}
    aggregates = {name: name[: match.start()] for name in names if (match := _AGGREGATE.search(name))}
    runs = [row for row in rows if aggregates.get(row["name"]) not in names]
    return _google_table(source, [row for row in runs if "BigO" not in row["name"] and "RMS" not in row["name"]])


def _google_table(source: Source, entries: Sequence[Mapping[str, Any]]) -> TableSource:
    # A number of threads is an option if it differs.
    threads = differing([{"threads": cell(each["threads"])} if "threads" in each else {} for each in entries])
    runs = []
    for entry, count in zip(entries, threads, strict=True):
        family, options = _family_and_options(str(entry.get("run_name") or entry.get("name") or ""))
        values: dict[str, float | None] = {}
        if entry.get("error_occurred") not in (True, "true") and not entry.get("skipped"):
            unit = _PER_SECOND.get(str(entry.get("time_unit", "ns")), 1.0)
            times = {name: number(entry.get(name)) for name in ("real_time", "cpu_time")}
            values = {name: None if time is None else time / unit for name, time in times.items()}
            values |= {name: number(value) for name, value in entry.items() if name not in _NOT_COUNTERS}
        runs.append(MeasuredRun({**options, **count}, values, {"benchmark": family}))
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


_JMH_SETTINGS = ("threads", "forks", "jvmArgs", "jvm")
_JMH_RESULT: dict[str, Any] = {"benchmark": str, "mode": str | None, "primaryMetric": {"rawData": list | None}}
_JMH_RESULT |= {"params": dict | None, "secondaryMetrics": dict | None}


@benchmark("JMH", rb"\[", b'"primaryMetric"', content=[_JMH_RESULT])
def jmh_json(source: Source, results: Any) -> TableSource:
    """Read `-rf json` of JMH: parameters are options, the method is a context, each iteration is a repetition.

    Times per operation are in seconds, throughput is per second. Settings that differ (`threads`, `jvmArgs`) are
    options, too.
    """
    settings = differing([{name: cell(result.get(name)) for name in _JMH_SETTINGS} for result in results])
    runs = []
    for result, setting in zip(results, settings, strict=True):
        metric, secondary = result["primaryMetric"], result.get("secondaryMetrics") or {}
        scores = ((name, value.get("score")) for name, value in secondary.items() if isinstance(value, dict))
        others = {name.lstrip("·"): number(score) for name, score in scores}
        options = {**(result.get("params") or {}), **setting}
        contexts = {"benchmark": result["benchmark"], "mode": result.get("mode")}
        forks = metric.get("rawData") or [[metric.get("score")]]
        for score in chain.from_iterable(fork for fork in forks if isinstance(fork, list)):
            name, value = _jmh_value(score, str(metric.get("scoreUnit")))
            runs.append(MeasuredRun(options, {name: value, **others}, contexts))
    return _jmh_table(source, runs)


@benchmark("JMH", rb'"?Benchmark"?[,;]"?Mode"?[,;]"?Threads"?[,;]"?Samples"?[,;]"?Score"?[,;]', content=ROWS)
def jmh_csv(source: Source, rows: Sequence[Mapping[str, str]]) -> TableSource:
    """Read `-rf csv` of JMH, also with decimal commas: as JSON, with the mean of each result.

    Results such as `a.B.put:gc.alloc.rate` are further properties of `a.B.put`.
    """
    check(source, rows[0], dict.fromkeys(("Threads", "Benchmark", "Mode", "Score", "Unit"), str))
    threads = differing([{"threads": row["Threads"]} for row in rows])
    runs: dict[tuple[str, ...], MeasuredRun] = {}
    for row, setting in zip(rows, threads, strict=True):
        full_name, _, label = row["Benchmark"].partition(":")
        options = {name.removeprefix("Param: "): row[name] for name in row if name.startswith("Param: ")} | setting
        name, value = _jmh_value(row["Score"].replace(",", "."), row["Unit"])
        key = (full_name, row["Mode"], *options.values())
        earlier = runs[key].values if key in runs else {}
        contexts = {"benchmark": full_name, "mode": row["Mode"]}
        runs[key] = MeasuredRun(options, {**earlier, label.lstrip("·") or name: value}, contexts)
    return _jmh_table(source, [*runs.values()])


def _jmh_table(source: Source, runs: Sequence[MeasuredRun]) -> TableSource:
    """Return the table of some runs; their mode is a context if there are several."""
    if len({run.contexts["mode"] for run in runs}) == 1:
        runs = [replace(run, contexts={"benchmark": run.contexts["benchmark"]}) for run in runs]
    units = {"time": "s", "throughput": "1/s"}
    return table_of(source, runs, hint="give the benchmark parameters: @Param", units=units)


def _jmh_value(score: Any, unit: str) -> tuple[str, float | None]:
    """Return the property of a score in some unit, and its value in seconds, or per second."""
    value, (before, _, after) = number(score), unit.partition("/")
    if value is None:
        return ("throughput" if before == "ops" else "time"), None
    if after == "op" and before in _PER_SECOND:
        return "time", value / _PER_SECOND[before]
    return "throughput", value * _PER_SECOND.get(after, 1.0)


_DIRECTIONS = ("read", "write", "trim")
_FIO_UNITS = {"bw": "B/s", "iops": "1/s", "lat": "s"}
# Options that name a job or its output, not what it does.
_NAMES = frozenset(("name", "filename", "description", "stonewall", "write_bw_log", "write_lat_log", "write_iops_log"))


@benchmark("fio", rb"\{", b'"fio version"', content={"jobs": [dict]})
def fio(source: Source, content: Any) -> TableSource:
    """Read `--output-format=json` of fio: job options that differ are options, sizes in bytes.

    Bandwidth (bytes per second), operations per second, and latency (seconds) are the properties; they have separate
    names for reading and writing if a job does both. A job that failed has no values.
    """
    jobs = content["jobs"]
    shared = declared(dict, content.get("global options"), {})
    stated = [{**shared, **declared(dict, job.get("job options"), {})} for job in jobs]
    rows = [{name: cell(value) for name, value in row.items() if name not in _NAMES} for row in stated]
    base = 1000 if cell(shared.get("kb_base")) == "1000" else 1024
    counts = ("total_ios", "io_bytes")
    statistics_of = [{name: declared(dict, job.get(name), {}) for name in _DIRECTIONS} for job in jobs]
    used = [[name for name in each if any(number(each[name].get(count)) for count in counts)] for each in statistics_of]
    has_both = any(len(names) > 1 for names in used)
    runs = []
    for job, names, options in zip(jobs, used, differing(without_units(rows, base)), strict=True):
        values = {}
        for direction in () if job.get("error") else names:
            prefix, statistics = f"{direction}_" if has_both else "", job[direction]
            mean = number(declared(dict, statistics.get("lat_ns"), {}).get("mean"))
            values[f"{prefix}bw"] = number(statistics.get("bw_bytes"))
            values[f"{prefix}iops"] = number(statistics.get("iops"))
            values[f"{prefix}lat"] = None if mean is None else mean / 1e9
        runs.append(MeasuredRun(options, values))
    hint = "the jobs have the same options: a job file with several [sections], or several values of an option"
    prefixes = ("", *(f"{direction}_" for direction in _DIRECTIONS))
    units = {f"{prefix}{name}": unit for prefix in prefixes for name, unit in _FIO_UNITS.items()}
    return table_of(source, runs, main=None if has_both else "bw", hint=hint, units=units)


# The mean of more rounds than these is one value: a repetition is a row.
MAX_ROUNDS = 1000
_TEST = {"stats": {"data": list | None}, "fullname": str, "params": dict | None}


@benchmark("pytest-benchmark", rb"\{", b'"machine_info"', b'"benchmarks"', content={"benchmarks": [_TEST]})
def pytest_benchmark(source: Source, content: Any) -> TableSource:
    """Read `--benchmark-json` of pytest-benchmark (https://pytest-benchmark.readthedocs.io).

    The parameters of tests are options, the test is a context, each round is a repetition.

    The entries of `extra_info` that are measured by their names, or fractions, are properties. The others are options
    if no test has parameters, or if the same parameters were run with several of their values. Of the others, numbers
    are properties, and texts that are the same in all tests are contexts; other texts follow from the parameters.
    """
    tests = content["benchmarks"]
    parameters = [test.get("params") or {} for test in tests]
    names, extras, settings = [], [], []
    for test, own in zip(tests, parameters, strict=True):
        # The name of a test with parameters ends with their values: `test_a.py::test_sort[1-x]`.
        names.append(test["fullname"].partition("[")[0] if own else test["fullname"])
        extra_info = declared(dict, test.get("extra_info"), {})
        extras.append({name: value for name, value in extra_info.items() if name not in own})
        settings.append((names[-1], *(f"{name}={cell(value)}" for name, value in own.items())))
    roles = _extra_roles(extras, settings, parametrised=any(parameters))
    by_role = []
    for extra in extras:
        kinds: dict[str, dict[str, Any]] = {"option": {}, "context": {}, "property": {}, "follows": {}}
        for name in (name for name in roles if name in extra):
            kinds[roles[name]][name] = extra[name]
        by_role.append(kinds)
    # If extra_info states the configuration of each test, the names of tests are not needed.
    configurations = {tuple(map(cell, each["option"].values())) for each in by_role}
    configured = "option" in roles.values() and not any(parameters) and len(configurations) == len(tests)
    runs = []
    for test, name, own, kinds in zip(tests, names, parameters, by_role, strict=True):
        contexts = {**({} if configured else {"test": name}), **kinds["context"]}
        rounds = test["stats"].get("data") or []
        if not 0 < len(rounds) <= MAX_ROUNDS:
            rounds = [test["stats"].get("mean", test["stats"].get("median"))]
        options = {**own, **kinds["option"]}
        runs += [MeasuredRun(options, {"time": number(time), **kinds["property"]}, contexts) for time in rounds]
    followed = [name for name, role in roles.items() if role == "follows"]
    notes = (f"left out of extra_info, since the parameters decide it: {listed(followed)}",) if followed else ()
    hint = "parametrise the tests: @pytest.mark.parametrize, or write the options to benchmark.extra_info"
    return table_of(source, runs, main="time", notes=notes, hint=hint, units={"time": "s"})


def _extra_roles(
    extras: Sequence[Mapping[str, Any]], settings: Sequence[tuple[str, ...]], *, parametrised: bool
) -> dict[str, str]:
    """Return entry of `extra_info` → its role; `settings`: the test with its parameters, of each benchmark."""
    roles = {}
    for name in dict.fromkeys(chain.from_iterable(extras)):
        values = [extra[name] for extra in extras if name in extra]
        if any(isinstance(value, dict | list) for value in values):
            continue
        numbers = all(number(value) is not None and not isinstance(value, str) for value in values)
        texts = [cell(extra.get(name)) for extra in extras]
        if numbers and (is_measurement_name(name) or any(value != int(value) for value in values)):
            roles[name] = "property"
        elif not parametrised or len({*zip(settings, texts, strict=True)}) > len({*settings}):
            roles[name] = "option"
        else:
            roles[name] = "property" if numbers else "context" if len({*texts}) == 1 else "follows"
    return roles


_PYPERF = {"metadata": dict | None, "benchmarks": [{"metadata": dict | None, "runs": [{"values": list | None}]}]}


@benchmark("pyperf", rb"\{", b'"benchmarks"', b'"runs"', b'"values"', content=_PYPERF)
def pyperf(source: Source, content: Any) -> TableSource:
    """Read JSON of pyperf (https://github.com/psf/pyperf): each value is a repetition, warmups are left out.

    The options are those in the names of benchmarks (`sort[n=100,kind=quick]`), else the words in which the commands of
    `pyperf command` differ. The rest of a name is a context.
    """
    entries = content["benchmarks"]
    metadata = [{**(content.get("metadata") or {}), **(entry.get("metadata") or {})} for entry in entries]
    names = [re.sub(r"[\[\](){}]", ",", str(each.get("name", ""))) for each in metadata]
    options: Sequence[Mapping[str, Any]] = [pairs_in(name) for name in names]
    commands = [str(each.get("command", "")) for each in metadata]
    if not any(options) and len({*commands}) > 1:
        options, names = options_of_commands(commands), [""] * len(names)
    runs = []
    for entry, run_options, name, each in zip(entries, options, names, metadata, strict=True):
        rest = ",".join(part.strip() for part in name.split(",") if part.strip() and "=" not in part)
        contexts = {"benchmark": rest} if rest else {}
        measured = {"second": "time", "byte": "bytes"}.get(str(each.get("unit", "second")), "value")
        measurements = chain.from_iterable(run.get("values") or () for run in entry["runs"])
        runs += [MeasuredRun(run_options, {measured: number(value)}, contexts) for value in measurements]
    hint = "write the options into the names of benchmarks: sort[n=100,kind=quick]"
    return table_of(source, runs, hint=hint, units={"time": "s", "bytes": "B"})


_ASV = {"time": "time", "timeraw": "time", "mem": "bytes", "peakmem": "bytes"}
_ASV_RESULTS = {"result_columns": [str], "results": dict[str, Any]}
_list = partial(declared, list, default=[])


@benchmark("asv", rb"\{", b'"result_columns"', b'"results"', content=_ASV_RESULTS)
def asv(source: Source, content: Any) -> TableSource:
    """Read a file of results of asv (https://asv.readthedocs.io): parameters are options, the benchmark is a context.

    Results do not name parameters: they are `arg1`, `arg2`, …. Samples are repetitions, if they were recorded.
    """
    runs = []
    for name, values in content["results"].items():
        result = dict(zip(content["result_columns"], _list(values), strict=False))
        measured = _ASV.get(name.rpartition(".")[2].partition("_")[0], "value")
        parameters, results, samples = (_list(result.get(column)) for column in ("params", "result", "samples"))
        for arguments, value, repetitions in zip_longest(product(*map(_list, parameters)), results, samples):
            options = {f"arg{at}": str(text).strip("'\"") for at, text in enumerate(arguments or (), 1)}
            measurements = map(number, _list(repetitions) or [value])
            runs += [MeasuredRun(options, {measured: each}, {"benchmark": name}) for each in measurements]
    return table_of(source, runs, hint="the benchmarks have no params", units={"time": "s", "bytes": "B"})
