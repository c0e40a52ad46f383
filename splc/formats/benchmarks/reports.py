"""Reports of benchmark tools: hyperfine, Google Benchmark, JMH, fio, pytest-benchmark and pyperf."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from splc.errors import listed
from splc.formats.benchmarks import declaration
from splc.formats.benchmarks.declaration import ROWS, Benchmark, MeasuredRun, cell, number, pairs_in, rows_of, table_of
from splc.formats.names import is_context_name, is_measurement_name
from splc.formats.table import TableSource
from splc.io.files import Source
from splc.io.json import declared

_SIZE = re.compile(r"([0-9]+)([kmgt])(?:i?b)?", re.IGNORECASE)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}


def options_of_commands(commands: Sequence[str]) -> list[dict[str, str]]:
    """Return the options of each command: the words in which the commands differ."""
    split = [_words(command) for command in commands]
    rows: list[dict[str, str]] = [{} for _ in split]
    if len({len(words) for words in split}) == 1:
        # Each place with different words is an option: `--level=9`, `--level` before `9`, else `word3`.
        for at, column in enumerate(zip(*split, strict=True)):
            if len(set(column)) == 1:
                continue
            previous_word = split[0][at - 1] if at and len({words[at - 1] for words in split}) == 1 else ""
            name, values = _name_and_values(column, previous_word, f"word{at + 1}")
            for row, value in zip(rows, values, strict=True):
                row[name] = value
        return rows
    # Each word that only some commands have is a binary option, or the value of the option that it names.
    common = set(split[0]).intersection(*split[1:])
    switches = dict.fromkeys(word for words in split for word in words if word not in common)
    valued = {word: pair for word in switches if (pair := declaration.PAIR.fullmatch(word.lstrip("-")))}
    for row, words in zip(rows, split, strict=True):
        row |= {valued[word][1]: valued[word][2] for word in words if word in valued}
        row |= {_identifier(word): "1" if word in words else "0" for word in switches if word not in valued}
    return rows


def _name_and_values(column: Sequence[str], previous_word: str, default_name: str) -> tuple[str, list[str]]:
    pairs = [pair for word in column if (pair := declaration.PAIR.fullmatch(word.lstrip("-")))]
    if len({pair[1] for pair in pairs}) == 1 and len(pairs) == len(column):
        return pairs[0][1], [pair[2] for pair in pairs]
    if previous_word.startswith("-") and not any(word.startswith("-") for word in column):
        return _identifier(previous_word), list(column)
    letters = {re.sub(r"[0-9.]+$", "", word) for word in column}
    if len(letters) == 1 and (prefix := letters.pop()) and all(word != prefix for word in column):
        # `-j1`, `-j2`; and `-1`, `-9`, which are numbers.
        return _identifier(prefix) or default_name, [word.removeprefix(prefix) for word in column]
    return default_name, list(column)


def _identifier(word: str) -> str:
    return re.sub(r"[^\w.]+", "_", word.strip("-")).strip("_")


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def without_units(rows: Iterable[Mapping[str, str]], base: int = 1024) -> list[dict[str, str]]:
    """Return options whose values are all sizes (`4k`, `1M`) as numbers of bytes; `base`: the bytes of `1k`."""
    byte_rows = [dict(row) for row in rows]
    for name in dict.fromkeys(name for row in byte_rows for name in row):
        sized = [(row, _SIZE.fullmatch(row[name])) for row in byte_rows if not row.get(name, "0").isdigit()]
        for row, size in sized if all(size for _, size in sized) else ():
            row[name] = str(int(size[1]) * base ** _POWERS[size[2].casefold()]) if size else ""
    return byte_rows


def differing(rows: Sequence[Mapping[str, str]], missing: str = "") -> list[dict[str, str]]:
    """Return of each row the entries that are not the same in all rows; `missing` is the value of a missing one."""
    names = dict.fromkeys(name for row in rows for name in row)
    differing_names = [name for name in names if len({row.get(name, missing) for row in rows}) > 1]
    return [{name: row.get(name, missing) for name in differing_names} for row in rows]


_STATISTICS = ("mean", "median", "min", "max", "stddev", "user", "system")
_HYPERFINE_UNITS = dict.fromkeys(("time", *_STATISTICS), "s")
_COMMANDS_HINT = "measure several commands, or one with --parameter-list NAME V,V"
_LISTS = dict.fromkeys(("times", "exit_codes", "memory_usage_byte"), list | None)
_RESULTS = {"results": [{"command": str, "parameters": dict | None, **_LISTS}]}


@Benchmark("hyperfine", rb'\{\s*"results"\s*:', (b'"command"',), content=_RESULTS)
def hyperfine_json(source: Source, content: Any) -> TableSource:
    """Read `--export-json` of hyperfine: the parameters are options, each run is a repetition."""
    runs, results = [], content["results"]
    for result, options in zip(results, _hyperfine_options(results), strict=True):
        means = {name: number(result.get(name)) for name in ("user", "system")}
        times = result.get("times") or [result.get("mean")]
        # A run that was ended by a signal has no exit code and no time.
        codes = result.get("exit_codes") or [0.0] * len(times)
        memory = result.get("memory_usage_byte") or [None] * len(times)
        for time, code, memory_bytes in zip(times, codes, memory, strict=False):
            values = {"time": None if code is None else number(time), **means, "memory_bytes": number(memory_bytes)}
            runs.append(MeasuredRun(options, values))
    return table_of(source, runs, main="time", hint=_COMMANDS_HINT, units=_HYPERFINE_UNITS, own={"mean": ""})


@Benchmark("hyperfine", rb"command,mean,stddev,median,user,system,min,max", content=ROWS)
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
_NOT_COUNTERS = re.compile(
    "name|family_index|per_family_instance_index|run_(name|type)|repetitions|repetition_index|threads|iterations|"
    "(real|cpu)_time|time_unit|aggregate_(name|unit)|label|error_occurred|error_message|skipped|skip_message|"
    "complexity_n|big_o|rms|(real|cpu)_coefficient"
)


@Benchmark("Google Benchmark", rb'\{\s*"context"\s*:', (b'"benchmarks"',), content={"benchmarks": [dict]})
def google_json(source: Source, content: Any) -> TableSource:
    """Read JSON of Google Benchmark: arguments in names are options, the benchmark is a context, times in seconds."""
    # Aggregates (`BM_zip/1_mean`) are left out, except the mean of runs that are not listed.
    runs = [each for each in content["benchmarks"] if each.get("run_type", "iteration") != "aggregate"]
    means = [each for each in content["benchmarks"] if each.get("aggregate_name") == "mean"]
    return _google_table(source, runs or means)


@Benchmark("Google Benchmark", rb"(?:.{0,4000}?[\r\n])?name,iterations,real_time,cpu_time,time_")
def google_csv(source: Source) -> TableSource:
    """Read CSV, whose lines before the header describe the machine, also before columns of flags; else as JSON."""
    table = source.data[source.data.index(b"name,iterations,real_time,cpu_time,time_") :]
    rows = rows_of(Source(source.name, table))
    names = {row["name"] for row in rows}
    aggregates = {name: name[: match.start()] for name in names if (match := _AGGREGATE.search(name))}
    runs = [row for row in rows if aggregates.get(row["name"]) not in names]
    runs = [row for row in runs if "BigO" not in row["name"] and "RMS" not in row["name"]]
    return _google_table(source, runs, [name for name in rows[0] if _is_flag(name, runs)])


def _is_flag(name: str, rows: Sequence[Mapping[str, str]]) -> bool:
    """Return whether a column that a script added has texts, or each benchmark has its values, several and few ones."""
    values, benchmarks = ({row[key] for row in rows} for key in (name, "name"))
    is_text = any(value and number(value) is None for value in values)
    several = 1 < len(values) <= len(rows) / 2
    is_crossed = several and len({(row["name"], row[name]) for row in rows}) == len(values) * len(benchmarks)
    return (is_text or is_crossed) and not _NOT_COUNTERS.fullmatch(name)


def _google_table(source: Source, entries: Sequence[Mapping[str, Any]], flags: Sequence[str] = ()) -> TableSource:
    # A number of threads is an option if it differs.
    threads = differing([{"threads": cell(each["threads"])} if "threads" in each else {} for each in entries])
    runs = []
    for entry, count in zip(entries, threads, strict=True):
        # A name such as `BM_zip/1/size:64`.
        family, *parts = str(entry.get("run_name") or entry.get("name") or "").split("/")
        options = dict[str, str]()
        for part in (part for part in parts if not _FLAGS.fullmatch(part)):
            key, colon, value = part.partition(":")
            if colon and key:
                options[key] = value
            elif number(part) is None and not options:
                # The method of a fixture, or a benchmark that is registered with a name for its arguments.
                family = f"{family}/{part}"
            else:
                options[f"arg{len(options) + 1}"] = part
        values: dict[str, float | None] = {}
        if entry.get("error_occurred") not in (True, "true") and not entry.get("skipped"):
            unit = declaration.PER_SECOND.get(str(entry.get("time_unit", "ns")), 1.0)
            times = {name: number(entry.get(name)) for name in ("real_time", "cpu_time")}
            values = {name: None if time is None else time / unit for name, time in times.items()}
            counters = {name for name in entry if not _NOT_COUNTERS.fullmatch(name)}.difference(flags)
            values |= {name: number(value) for name, value in entry.items() if name in counters}
        options |= {name: entry[name] for name in flags if not is_context_name(name)}
        contexts = {name: entry[name] for name in flags if is_context_name(name)}
        runs.append(MeasuredRun({**options, **count}, values, {"benchmark": family, **contexts}))
    hint = "give the benchmarks arguments: ->ArgsProduct({{1, 4}, {64, 256}}), with ->ArgNames for names of options"
    return table_of(source, runs, main="real_time", hint=hint, units={"real_time": "s", "cpu_time": "s"})


_JMH_SETTINGS = ("threads", "forks", "jvmArgs", "jvm")
_JMH_HINT, _JMH_UNITS = "give the benchmark parameters: @Param", {"time": "s", "throughput": "1/s"}
_JMH_RESULT: dict[str, Any] = {"benchmark": str, "mode": str | None, "primaryMetric": {"rawData": list | None}}
_JMH_RESULT |= {"params": dict | None, "secondaryMetrics": dict | None}


@Benchmark("JMH", rb"\[", (b'"primaryMetric"',), content=[_JMH_RESULT])
def jmh_json(source: Source, results: Any) -> TableSource:
    """Read `-rf json` of JMH: parameters are options, the method is a context, each iteration is a repetition."""
    settings = differing([{name: cell(result.get(name)) for name in _JMH_SETTINGS} for result in results])
    modes, runs = differing([{"mode": cell(result.get("mode"))} for result in results]), []
    for result, setting, mode in zip(results, settings, modes, strict=True):
        metric, secondary = result["primaryMetric"], result.get("secondaryMetrics") or {}
        scores = ((name, value.get("score")) for name, value in secondary.items() if isinstance(value, dict))
        others = {name.lstrip("·"): number(score) for name, score in scores}
        options = {**(result.get("params") or {}), **setting}
        contexts = {"benchmark": result["benchmark"], **mode}
        forks = metric.get("rawData") or [[metric.get("score")]]
        for score in chain.from_iterable(fork for fork in forks if isinstance(fork, list)):
            name, value = _jmh_value(score, str(metric.get("scoreUnit")))
            runs.append(MeasuredRun(options, {name: value, **others}, contexts))
    return table_of(source, runs, hint=_JMH_HINT, units=_JMH_UNITS, own={"Score": "", "score": ""})


_JMH_CSV = rb'"?Benchmark"?[,;]"?Mode"?[,;]"?Threads"?[,;]"?Samples"?[,;]"?Score"?[,;][^\n]*"?Unit\b'


@Benchmark("JMH", _JMH_CSV, content=ROWS)
def jmh_csv(source: Source, rows: Sequence[Mapping[str, str]]) -> TableSource:
    """Read `-rf csv` of JMH, also with decimal commas: as JSON, with the mean of each result."""
    threads = differing([{"threads": row["Threads"]} for row in rows])
    modes, runs = differing([{"mode": row["Mode"]} for row in rows]), dict[tuple[str, ...], MeasuredRun]()
    for row, setting, mode in zip(rows, threads, modes, strict=True):
        # `a.B.put:gc.alloc.rate` is a further property of `a.B.put`.
        full_name, _, label = row["Benchmark"].partition(":")
        options = {name.removeprefix("Param: "): row[name] for name in row if name.startswith("Param: ")} | setting
        name, value = _jmh_value(row["Score"].replace(",", "."), row["Unit"])
        key = (full_name, row["Mode"], *options.values())
        values = {**(runs[key].values if key in runs else {}), label.lstrip("·") or name: value}
        runs[key] = MeasuredRun(options, values, {"benchmark": full_name, **mode})
    return table_of(source, runs.values(), hint=_JMH_HINT, units=_JMH_UNITS, own={"Score": "", "score": ""})


def _jmh_value(score: Any, unit: str) -> tuple[str, float | None]:
    """Return the property of a score in some unit, and its value in seconds, or per second."""
    value, (before, _, after) = number(score), unit.partition("/")
    if value is None:
        return ("throughput" if before == "ops" else "time"), None
    if after == "op" and before in declaration.PER_SECOND:
        return "time", value / declaration.PER_SECOND[before]
    return "throughput", value * declaration.PER_SECOND.get(after, 1.0)


_DIRECTIONS = ("read", "write", "trim")
_FIO_UNITS, _FIO_NAMES = {"bw": "B/s", "iops": "1/s", "lat": "s"}, {"bw_bytes": "bw", "lat_ns": "lat"}
# Options that name a job or its output, not what it does.
_NAMES = frozenset(("name", "filename", "description", "stonewall", "write_bw_log", "write_lat_log", "write_iops_log"))


@Benchmark("fio", rb"\{", (b'"fio version"',), content={"jobs": [dict]})
def fio(source: Source, content: Any) -> TableSource:
    """Read `--output-format=json` of fio: job options that differ are options, sizes in bytes."""
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
    return table_of(source, runs, main=None if has_both else "bw", hint=hint, units=units, own=_FIO_NAMES)


MAX_ROUNDS = 1000  # the mean of more rounds than these is one value: a repetition is a row
_TEST = {"stats": {"data": list | None}, "fullname": str, "params": dict | None}


@Benchmark("pytest-benchmark", rb"\{", (b'"machine_info"', b'"benchmarks"'), content={"benchmarks": [_TEST]})
def pytest_benchmark(source: Source, content: Any) -> TableSource:
    """Read `--benchmark-json` of pytest-benchmark: parameters and `extra_info` are options, the test is a context."""
    tests = content["benchmarks"]
    parameters = [test.get("params") or {} for test in tests]
    names, extras, settings, runs = [], [], [], list[MeasuredRun]()
    for test, own in zip(tests, parameters, strict=True):
        # The name of a test with parameters ends with their values: `test_a.py::test_sort[1-x]`.
        names.append(test["fullname"].partition("[")[0] if own else test["fullname"])
        extra_info = declared(dict, test.get("extra_info"), {})
        extras.append({name: value for name, value in extra_info.items() if name not in own})
        settings.append((names[-1], *(f"{name}={cell(value)}" for name, value in own.items())))
    roles = _extra_roles(extras, settings)
    options, stated, measured = (
        [{name: value for name, value in extra.items() if roles.get(name) == role} for extra in extras]
        for role in ("option", "context", "property")
    )
    # If extra_info states the configuration of each test, the names of tests are not needed.
    configurations = {tuple(map(cell, each.values())) for each in options}
    configured = "option" in roles.values() and not any(parameters) and len(configurations) == len(tests)
    for at, test in enumerate(tests):
        contexts = ({} if configured else {"test": names[at]}) | stated[at]
        rounds = test["stats"].get("data") or []
        if not 0 < len(rounds) <= MAX_ROUNDS:
            rounds = [test["stats"].get("mean", test["stats"].get("median"))]
        values = ({"time": number(time), **measured[at]} for time in rounds)
        runs += [MeasuredRun({**parameters[at], **options[at]}, each, contexts) for each in values]
    followed = [name for name, role in roles.items() if role == "follows"]
    notes = (f"left out of extra_info, since the parameters decide it: {listed(followed)}",) if followed else ()
    hint = "parametrise the tests: @pytest.mark.parametrize, or write the options to benchmark.extra_info"
    return table_of(source, runs, main="time", notes=notes, hint=hint, units={"time": "s"}, own={"mean": ""})


def _extra_roles(extras: Sequence[Mapping[str, Any]], settings: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Return entry of `extra_info` → its role; `settings`: the test with its parameters, of each benchmark.

    Those that are measured by their names, or fractions, are properties. Others are options if no test has parameters,
    or if the same parameters were run with several of their values; else texts follow from the parameters.
    """
    roles, parametrised = {}, any(len(setting) > 1 for setting in settings)
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


@Benchmark("pyperf", rb"\{", (b'"benchmarks"', b'"runs"', b'"values"'), content=_PYPERF)
def pyperf(source: Source, content: Any) -> TableSource:
    """Read JSON of pyperf: options are those in the names of benchmarks (`sort[n=100]`), else in their commands."""
    entries = content["benchmarks"]
    metadata = [{**(content.get("metadata") or {}), **(entry.get("metadata") or {})} for entry in entries]
    names = [re.sub(r"[\[\](){}]", ",", str(each.get("name", ""))) for each in metadata]
    options = [pairs_in(name) for name in names]
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
    return table_of(source, runs, hint=hint, units={"time": "s", "bytes": "B"}, own={"values": ""})


READ = (hyperfine_json, hyperfine_csv, pytest_benchmark, google_json, google_csv, jmh_json, jmh_csv, fio, pyperf)
