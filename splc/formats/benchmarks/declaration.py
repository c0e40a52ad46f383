r"""Declarations of the formats of benchmark tools: how a file begins, what it contains, and how that becomes a table.

@Benchmark("hyperfine", rb'\{\s*"results"\s*:', content={"results": [{"command": str, "times": list | None}]})
def hyperfine(source: Source, content: Any) -> TableSource: ...

Tools that write a folder of runs are here, too: asv, `perf stat`, Criterion.rs, and multiruns of Hydra.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, Problems, listed, plural
from splc.formats.column_choice import StatedRoles
from splc.formats.table import TableSource, split_table
from splc.io.files import STANDARD, Source, read_source
from splc.io.json import declared, mismatches, parse_json
from splc.io.numbers import number_text, parse_number
from splc.io.toml import finite_number

LINE_END = re.compile(r"\r\n|\r|\n")
PAIR = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)


def pairs_in(name: str) -> dict[str, str]:
    """Return option → value of a name such as `level=9,input=text`; parts without `=` are left out."""
    matches = (PAIR.fullmatch(part.strip()) for part in re.split(r"[,;&]|__", name))
    return {pair[1]: pair[2] for pair in matches if pair is not None}


@dataclass(frozen=True)
class MeasuredRun:
    """One row: a run of the program with some options."""

    options: Mapping[str, Any]  # option → value
    values: Mapping[str, Any]  # property → value, None where it is missing
    contexts: Mapping[str, Any] = field(default_factory=dict)  # context → value
    failed: bool = False  # whether it is kept without a value, as a failed run


def table_of(
    source: Source,
    runs: Iterable[MeasuredRun],
    *,
    main: str | None = None,
    notes: Sequence[str] = (),
    hint: str | None = None,
    units: Mapping[str, str] | None = None,
    own: Mapping[str, str] | None = None,  # what the file calls a property → its name here, empty for the main one
) -> TableSource:
    """Return the table of runs, repetitions one after the other, without those that have no value and did not fail."""
    every = [*runs]
    # Where no run has options, those in the name of the file are of all: `level=9,input=text.json`.
    if not any(run.options for run in every):
        every = [replace(run, options=pairs_in(_stem(Path(source.name)))) for run in every]
    if not (measured := dict.fromkeys(name for run in every for name, each in run.values.items() if each is not None)):
        raise InputError(Problem("the file has no measured values", source.name))
    runs = [run for run in every if run.failed or any(value is not None for value in run.values.values())]
    if left_out := len(every) - len(runs):
        notes = (*notes, f"{plural(left_out, 'run', 'runs')} that did not complete left out")
    if not (options := list(dict.fromkeys(name for run in runs for name in run.options))):
        hint = hint or "name the columns or parameters that differ between runs"
        raise InputError(Problem("the runs in this file have no options", source.name, hint=hint))
    contexts = [name for name in dict.fromkeys(name for run in runs for name in run.contexts) if name not in options]
    titles = {name: f"measured_{name}" if name in (*options, *contexts) else name for name in measured}
    stated = (((run.options, options), (run.contexts, contexts), (run.values, measured)) for run in runs)
    rows = [[cell(found.get(name)) for found, names in parts for name in names] for parts in stated]
    roles = StatedRoles(tuple(options), tuple(contexts), tuple(titles.values()))
    units = {titles[name]: unit for name, unit in (units or {}).items() if name in titles}
    main, header = titles.get(main or "", next(iter(titles.values()))), [*options, *contexts, *titles.values()]
    known = {"": main, **titles}
    names = {name: known[each] for name, each in (own or {}).items() if each in known and name not in header}
    facts = {"stated": roles, "main": main, "units": units, "own_names": names}
    return TableSource.of_rows(source, header, rows, notes=notes, **facts)


def cell(value: Any) -> str:
    """Return a JSON value as the text of a cell; None is an empty cell."""
    if value is None or isinstance(value, str):
        return value or ""
    return number_text(value) if isinstance(value, int | float) else json.dumps(value)


def number(value: Any) -> float | None:
    """Return a JSON value, or its text, as a finite number, None if it is none."""
    found = parse_number(value) if isinstance(value, str) else finite_number(value)
    return None if found is None or math.isnan(found) else found


ROWS = "rows"  # the content of a file of rows with a header: a list of column → cell
_LOOKED_AT = 1 << 16
_INCOMPLETE = "is the file complete? a tool that was interrupted leaves a part of it"


@dataclass(frozen=True)
class Benchmark:
    """The output of a benchmark tool."""

    tool: str  # the name of the tool; empty for tables of any origin
    begins: bytes  # a pattern of the beginning of the file
    marks: tuple[bytes, ...] = ()  # what the file contains, too
    content: Any = None  # the type of its JSON (see `mismatches`), or ROWS; None: the table is made of the source alone
    table: Callable[..., TableSource] | None = None  # the function that returns the table of a source and its content
    export: str = ""  # what to do with a file that is known and not read

    def __call__(self, table: Callable[..., TableSource]) -> Benchmark:
        """Return the declaration with the function that it decorates."""
        return replace(self, table=table)

    def matches(self, data: bytes) -> bool:
        """Return whether a file is in this format, by its content without spaces before it."""
        beginning = data[:_LOOKED_AT]
        return re.match(self.begins, beginning, re.DOTALL) is not None and all(mark in data for mark in self.marks)

    def read(self, source: Source) -> TableSource:
        """Return the table of a file, or raise an error with what to do."""
        if self.table is None:
            raise InputError(Problem(f"splc does not read the output of {self.tool}", source.name, hint=self.export))
        if self.content is None:
            return self.table(source)
        return self.table(source, rows_of(source) if self.content == ROWS else content_of(source, self.content))


def content_of(source: Source, kind: Any) -> Any:
    """Return the JSON value of a file, which has the declared type."""
    try:
        content = parse_json(source.text())
    except InputError as error:
        raise InputError(replace(error.problems[0], file=source.name, hint=_INCOMPLETE)) from None
    check(source, content, kind)
    return content


def check(source: Source, content: Any, kind: Any) -> None:
    """Raise an error with all entries that are not of their declared type."""
    problems = Problems(source.name)
    for mismatch in mismatches(kind, content):
        place, is_item = re.subn(r"(\[\d+\])+$", "", mismatch.path)
        entry = repr(place.rpartition(".")[2]) if place else "the content"
        expected = f"a list of {mismatch.expected.split()[-1]}s" if is_item else mismatch.expected
        # An entry that is wrong in the same way in many places is one problem.
        problems.include(InputError(f"{entry} {'is missing' if mismatch.missing else f'is not {expected}'}"))
    problems.raise_if_any()


def objects_of(source: Source, problems: Problems, hint: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each of the JSON lines of a file; other lines are problems, but blank ones."""
    for line, text in enumerate(LINE_END.split(source.text()), 1):
        try:
            content = parse_json(text) if text.strip() else None
        except InputError as error:
            problems.include(InputError(replace(problem, line=line) for problem in error.problems))
            continue
        if isinstance(content, dict):
            yield line, content
        elif text.strip():
            problems.add("not an object", line, text=text[:200], hint=hint)


def rows_of(source: Source) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header, by column."""
    table = split_table(source, decimal=".")
    (header, *rows), (_, *lines) = table.rows, table.lines
    if not rows:
        raise InputError(Problem("the file has no rows", source.name))
    for line in (line for row, line in zip(rows, lines, strict=True) if len(row) != len(header)):
        message = "the row has another number of fields than the header"
        raise InputError(Problem(message, source.name, line, hint=_INCOMPLETE))
    return [dict(zip(header, row, strict=True)) for row in rows]


OVERRIDES = ".hydra/overrides.yaml"
ASV = "benchmarks.json"
BENCHMARK = "benchmark.json"
PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, "min": 1 / 60, "hr": 1 / 3600, "day": 1 / 86400}
_PERF_UNITS = {"ns": 1e9, "usec": 1e6, "msec": 1e3, "sec": 1.0}


def folder_reader(path: str | Path) -> Callable[..., TableSource] | None:
    """Return the function that reads a folder of runs, None for other paths."""
    folder = Path(path)
    if str(path) == STANDARD or not folder.is_dir():
        return None
    if next(folder.rglob(OVERRIDES), None) is not None:
        return _read_hydra
    if next(folder.rglob(BENCHMARK), None) is not None:
        return _read_criterion
    if (folder / ASV).is_file() or (folder.parent / ASV).is_file():
        return _read_asv
    return read_named if files_in(folder) else None


_MEASURED = {"time": "time", "timeraw": "time", "mem": "bytes", "peakmem": "bytes"}
_RESULTS = {"commit_hash": str, "date": float, "result_columns": [str], "results": dict[str, Any]}
_list = partial(declared, list, default=[])


@Benchmark("asv", rb"\{", (b'"result_columns"', b'"results"'), content=_RESULTS)
def asv(source: Source, content: Any) -> TableSource:
    """Read the results of a commit; the commit, by its date, and the benchmark are contexts."""
    return _asv_table(source, {source.name: content})


def _read_asv(folder: Path) -> TableSource:
    """Read the results of all commits and machines."""
    files = [file for file in sorted(folder.rglob("*.json")) if file.name not in (ASV, "machine.json")]
    return _asv_table(Source(str(folder), b""), {str(file): content_of(read_source(file), _RESULTS) for file in files})


def _asv_table(source: Source, contents: Mapping[str, Any]) -> TableSource:
    """Return the table of files of results. They do not name the parameters, but a file above their folder does."""
    runs, settings = [], [declared(dict, content.get("params"), {}) for content in contents.values()]
    every = dict.fromkeys(name for each in settings for name in each)
    differing = [name for name in every if len({str(each.get(name)) for each in settings}) > 1]
    for (file, content), setting in zip(contents.items(), settings, strict=True):
        known, commit = dict[str, Any](), content["commit_hash"][:8]
        with suppress(InputError):
            known = content_of(read_source(Path(file).parent.parent / ASV), dict)
        with suppress(OverflowError, OSError, ValueError):
            commit = f"{datetime.fromtimestamp(content['date'] / 1000, UTC):%Y-%m-%d %H:%M} {commit}"
        for name, values in content["results"].items():
            result = dict(zip(content["result_columns"], _list(values), strict=False))
            measured = _MEASURED.get(name.rpartition(".")[2].partition("_")[0], "value")
            parameters, results, samples = (_list(result.get(column)) for column in ("params", "result", "samples"))
            names = declared({"param_names": [str]}, known.get(name), {}).get("param_names", [])
            names = [*names, *(f"arg{at}" for at in range(len(names) + 1, len(parameters) + 1))]
            contexts = {"benchmark": name, "commit": commit, **{each: setting.get(each) for each in differing}}
            for arguments, value, repetitions in zip_longest(product(*map(_list, parameters)), results, samples):
                texts = (str(text).strip("'\"") for text in arguments or ())
                options = dict(zip(names, texts, strict=False))
                measurements = map(number, _list(repetitions) or [value])
                runs += [MeasuredRun(options, {measured: each}, contexts) for each in measurements]
    unnamed = any("arg1" in run.options for run in runs)
    notes = [f"the names of the parameters are in {ASV}: name the folder of results that has it"] if unnamed else []
    return table_of(source, runs, notes=notes, hint="the benchmarks have no params", units={"time": "s", "bytes": "B"})


# The first of these that was counted is the property to use.
_MAIN = ("duration_time", "task-clock", "cpu-clock", "cycles", "instructions")
_JSON = b'"counter-value"'
_HINT = "name a folder of such files, whose names state the options: perf stat -x, -o runs/level=9,input=text.csv"
_WHOLE = "leave out -I, -A, --per-core and the like; -x needs a comma"


@Benchmark("perf", rb"(?:#[^\n]*+\s*+)*\{", (_JSON,))
def perf_json(source: Source) -> TableSource:
    """Read one run. It states no options but those in its name."""
    counts = _counts(source)
    main = next((name for name in _MAIN if counts.get(name) is not None), None)
    # Their units are stated, so that they are converted.
    units = {"task-clock": "s", "cpu-clock": "s"}
    return table_of(source, [MeasuredRun({}, counts)], main=main, hint=_HINT, units=units)


_COUNT = rb"(?:#[^\n]*+\s*+)*(?:[0-9.]+|<not \w+>),[A-Za-z/%]*,[A-Za-z][^,\s]*,[0-9.]"
READ = (asv, perf_json, replace(perf_json, begins=_COUNT, marks=()))


def read_named(folder: Path, read: Callable[[Path], Source]) -> TableSource:
    """Read a folder of files of a tool, whose names state the options; `level=9;2.csv` is another run of `level=9`."""
    runs, main, units, own, notes = list[MeasuredRun](), None, dict[str, str](), dict[str, str](), list[str]()
    for file in files_in(folder):
        if not file.stat().st_size:
            raise InputError(Problem("the file is empty", str(file)))
        table = read(file)
        if not isinstance(table, TableSource) or (roles := table.stated) is None:
            raise InputError(Problem("this is not the output of a benchmark tool that splc reads", str(file)))
        main, units, own = main or table.main, {**units, **table.units}, {**own, **table.own_names}
        notes += table.notes
        kinds = (roles.options, roles.properties, roles.contexts)
        for row in zip(*table.columns.values(), strict=True):
            known = {name: text or None for name, text in zip(table.columns, row, strict=True)}
            options, values, contexts = ({name: known[name] for name in names} for names in kinds)
            # Of a single file only failed runs have no value.
            runs.append(MeasuredRun(options, values, contexts, failed=not any(values.values())))
    return table_of(Source(str(folder), b""), runs, main=main, notes=[*dict.fromkeys(notes)], units=units, own=own)


def files_in(folder: Path) -> list[Path]:
    """Return the files whose names state options, in their order."""
    return [file for file in sorted(folder.iterdir()) if file.is_file() and pairs_in(_stem(file))]


def _stem(file: Path) -> str:
    name = file.name.removesuffix(".gz")
    return name.rpartition(".")[0] if name.endswith((".csv", ".json", ".txt")) else name


def _counts(source: Source) -> dict[str, float | None]:
    """Return the counts of one run by event; times are in seconds."""
    is_json, counts = _JSON in source.content[:1000], dict[str, float | None]()
    lines = enumerate(source.text().splitlines(), 1)
    for at, line in ((at, line) for at, line in lines if line.strip() and not line.startswith("#")):
        if is_json:
            count, unit, event = _json_line(source, line, at)
        else:
            count, unit, event, *_ = *line.split(","), "", ""
            if not re.fullmatch(r"[A-Za-z]\S*", event) or (number(count) is None and "<" not in count):
                raise InputError(Problem("not a count of perf stat -x,", source.name, at, text=line, hint=_WHOLE))
        # The event may state what was counted: `cycles:u`.
        name = event.partition(":")[0]
        if name in counts:
            raise InputError(Problem(f"the event {event!r} is counted twice", source.name, at, hint=_WHOLE))
        value = number(count)
        if name:
            counts[name] = None if value is None else value / _PERF_UNITS.get(unit, 1.0)
    return counts


def _json_line(source: Source, line: str, at: int) -> tuple[str, str, str]:
    """Return count, unit and event in an object of `-j`; without an event, if it counts nothing."""
    try:
        record = parse_json(line)
    except InputError as error:
        raise InputError(Problem(error.problems[0].message, source.name, at)) from None
    if not isinstance(record, dict) or "counter-value" not in record:
        return "", "", ""
    check(source, record, {"event": str})
    return str(record["counter-value"]), str(record.get("unit", "")), record["event"]


def _read_criterion(folder: Path) -> TableSource:
    """Read the last run of each benchmark: its function and its input are options, the group is a context."""
    found = sorted(folder.rglob(BENCHMARK))
    # Without a folder `new` these are copies of the folders of benchmarks, as they were saved.
    files = [each for each in found if each.parent.name == "new"] or [
        each for each in found if each.parent.name != "change"
    ]
    names = [content_of(read_source(file), dict) for file in files]
    several = len({str(name.get("function_id")) for name in names}) > 1
    runs = []
    for file, name in zip(files, names, strict=True):
        function, value, group = name.get("function_id"), name.get("value_str"), {"group": name.get("group_id")}
        options = {"function": function} if several and function is not None else {}
        options |= {} if value is None else pairs_in(str(value)) or {"value": value}
        runs += [MeasuredRun(options, {"time": time / 1e9}, group) for time in _iteration_times(file.parent)]
    hint = "give the benchmarks an input: bench_with_input"
    return table_of(Source(str(folder), b""), runs, main="time", hint=hint, units={"time": "s"})


def _iteration_times(folder: Path) -> list[float]:
    """Return the times per iteration in nanoseconds: of each sample, without samples the estimated mean."""
    if (folder / "sample.json").is_file():
        sample = content_of(read_source(folder / "sample.json"), {"iters": list, "times": list})
        pairs = [(number(count), number(time)) for count, time in zip(sample["iters"], sample["times"], strict=False)]
        return [time / count for count, time in pairs if count and time is not None]
    estimates = content_of(read_source(folder / "estimates.json"), {"mean": {"point_estimate": float}})
    return [estimates["mean"]["point_estimate"]]


_OVERRIDE = re.compile(r"""-\s+(['"]?)\+{0,2}([^=~'"]+)=(.*)\1""")  # `- +level=1`, also in quotes
_PREFERRED = ("result", "results", "metrics", "measurements")


def _read_hydra(folder: Path) -> TableSource:
    """Read the jobs of a multirun: overrides are options, the numbers in the result file of a job are properties."""
    jobs, runs = [file.parent.parent for file in sorted(folder.rglob(OVERRIDES))], list[MeasuredRun]()
    if not (complete := [(job, results) for job in jobs if (results := _result_file(job)) is not None]):
        hint = 'write the results of each job to a file result.json in its folder: {"time": 1.5}'
        raise InputError(Problem("no job has a file of results (JSON or CSV)", str(folder), hint=hint))
    for job, file in complete:
        source, overrides = read_source(job / OVERRIDES), dict[str, str]()
        for at, line in enumerate(source.text().splitlines(), 1):
            stripped = line.strip()
            if (override := _OVERRIDE.fullmatch(stripped)) is not None:
                overrides[override[2].strip()] = override[3].strip("'\"")
            elif stripped not in ("", "[]", "---") and not re.match(r"-\s+['\"]?~", stripped):
                raise InputError(Problem("not an override", source.name, at, text=line, hint="for example '- level=9'"))
        # The numbers are in an object, in a list of objects, or in rows.
        source = read_source(file)
        kind = list if source.content.lstrip().startswith(b"[") else dict
        content: Any = rows_of(source) if file.suffix == ".csv" else content_of(source, kind)
        for entry in content if isinstance(content, list) else [content]:
            stated = ((name, number(value)) for name, value in declared(dict, entry, {}).items())
            runs.append(MeasuredRun(overrides, {name: value for name, value in stated if value is not None}))
    missing = len(jobs) - len(complete)
    notes = [f"{missing:,} of {len(jobs):,} jobs without a file of results left out"] if missing else []
    hint = "the jobs have no overrides: python app.py -m level=1,9"
    return table_of(Source(str(folder), b""), runs, notes=notes, hint=hint)


def _result_file(job: Path) -> Path | None:
    every = sorted((*job.glob("*.json"), *job.glob("*.csv")))
    files = (len(every) > 1 and [file for file in every if file.stem in _PREFERRED]) or every
    if len(files) > 1:
        message = f"several files of results: {listed([path.name for path in files])}"
        raise InputError(Problem(message, str(job), hint=f"keep one, or call it {_PREFERRED[0]}.json"))
    return files[0] if files else None
