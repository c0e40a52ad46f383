"""Folders of benchmark tools: files of `perf stat`, Criterion.rs, and multiruns of Hydra."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, listed
from splc.formats.benchmarks.declaration import (
    MeasuredRun,
    benchmark,
    check,
    content_of,
    number,
    pairs_in,
    rows_of,
    table_of,
)
from splc.formats.table import TableSource
from splc.io.files import STANDARD, Source, read_source
from splc.io.json import parse_json

OVERRIDES = ".hydra/overrides.yaml"
BENCHMARK = "benchmark.json"


def folder_reader(path: str | Path) -> Callable[[Path], TableSource] | None:
    """Return the function that reads a folder of runs, None for other paths."""
    folder = Path(path)
    if str(path) == STANDARD or not folder.is_dir():
        return None
    if next(folder.rglob(OVERRIDES), None) is not None:
        return _read_hydra
    if next(folder.rglob(BENCHMARK), None) is not None:
        return _read_criterion
    return _read_perf if files_in(folder) else None


def read_folder(folder: Path) -> TableSource:
    """Return the table of a folder of runs."""
    if (reader := folder_reader(folder)) is None:
        known = "Criterion, of Hydra's multiruns, and of files of perf stat called 'level=9,input=text.csv'"
        message = "this folder is not a table of measurements"
        raise InputError(Problem(message, str(folder), hint=f"folders of {known} are"))
    return reader(folder)


# The first of these that was counted is the property to use.
_MAIN = ("duration_time", "task-clock", "cpu-clock", "cycles", "instructions")
_UNITS = {"ns": 1e9, "usec": 1e6, "msec": 1e3, "sec": 1.0}
_EVENT = re.compile(r"[A-Za-z][^,\s]*")
_JSON = b'"counter-value"'
_HINT = "name a folder of such files, whose names state the options: perf stat -x, -o runs/level=9,input=text.csv"
_WHOLE = "leave out -I, -A, --per-core and the like; -x needs a comma"


@benchmark("perf", rb"(?:#[^\n]*\s*)*\{", _JSON)
def perf_json(source: Source) -> TableSource:
    """Read one run. It states no options, so that only a folder of such files is a table."""
    return table_of(source, [MeasuredRun({}, _counts(source))], hint=_HINT)


_COUNT = rb"(?:#[^\n]*\s*)*(?:[0-9.]+|<not \w+>),[A-Za-z/%]*,[A-Za-z][^,\s]*,[0-9.]"
perf_csv = replace(perf_json, begins=_COUNT, marks=())


def _read_perf(folder: Path) -> TableSource:
    """Read a folder of files of `perf stat`, one run each; files of the same options are repetitions.

    What follows two underscores or `;` without `=` does not count: `level=9;2.csv` is another run of `level=9`.
    """
    runs = []
    for file in files_in(folder):
        source = read_source(file)
        if not source.content.strip():
            raise InputError(Problem("the file is empty", str(file)))
        runs.append(MeasuredRun(pairs_in(_stem(file)), _counts(source)))
    counted = {name for run in runs for name, value in run.values.items() if value is not None}
    main = next((name for name in _MAIN if name in counted), None)
    # Their units are stated, so that they are converted.
    return table_of(Source(str(folder), b""), runs, main=main, units={"task-clock": "s", "cpu-clock": "s"})


def files_in(folder: Path) -> list[Path]:
    """Return the files whose names state options, in their order."""
    return [file for file in sorted(folder.iterdir()) if file.is_file() and pairs_in(_stem(file))]


def _stem(file: Path) -> str:
    name = file.name.removesuffix(".gz")
    return name.rpartition(".")[0] if name.endswith((".csv", ".json", ".txt")) else name


def _counts(source: Source) -> dict[str, float | None]:
    """Return the counts of one run by event; times are in seconds."""
    read_line = _json_line if _JSON in source.content[:1000] else _csv_line
    counts: dict[str, float | None] = {}
    lines = enumerate(source.text().splitlines(), 1)
    for at, line in ((at, line) for at, line in lines if line.strip() and not line.startswith("#")):
        count, unit, event = read_line(source, line, at)
        # The event may state what was counted: `cycles:u`.
        name = event.partition(":")[0]
        if name in counts:
            raise InputError(Problem(f"the event {event!r} is counted twice", source.name, at, hint=_WHOLE))
        value = number(count)
        if name:
            counts[name] = None if value is None else value / _UNITS.get(unit, 1.0)
    return counts


def _csv_line(source: Source, line: str, at: int) -> tuple[str, str, str]:
    """Return count, unit and event in a line of `-x,`."""
    count, unit, event, *_ = *line.split(","), "", ""
    if not _EVENT.fullmatch(event) or (number(count) is None and "<" not in count):
        raise InputError(Problem("not a count of perf stat -x,", source.name, at, text=line, hint=_WHOLE))
    return count, unit, event


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
    """Read the last run of each benchmark: its function and its input are options, the group is a context.

    Each sample is a repetition, its time per iteration in seconds; without samples the estimated mean is the value.
    """
    files = [file for file in sorted(folder.rglob(BENCHMARK)) if file.parent.name == "new"]
    # Without a folder `new` these are copies of the folders of benchmarks, as they were saved.
    files = files or [file for file in sorted(folder.rglob(BENCHMARK)) if file.parent.name != "change"]
    names = [content_of(read_source(file), dict) for file in files]
    several = len({str(name.get("function_id")) for name in names}) > 1
    runs = []
    for file, name in zip(files, names, strict=True):
        options: dict[str, Any] = {}
        if several and name.get("function_id") is not None:
            options["function"] = name["function_id"]
        if (value := name.get("value_str")) is not None:
            options |= pairs_in(str(value)) or {"value": value}
        group = {"group": name.get("group_id")}
        runs += [MeasuredRun(options, {"time": time / 1e9}, group) for time in _iteration_times(file.parent)]
    hint = "give the benchmarks an input: bench_with_input"
    return table_of(Source(str(folder), b""), runs, main="time", hint=hint, units={"time": "s"})


def _iteration_times(folder: Path) -> list[float]:
    """Return the times per iteration in nanoseconds."""
    if (folder / "sample.json").is_file():
        sample = content_of(read_source(folder / "sample.json"), {"iters": list, "times": list})
        pairs = [(number(count), number(time)) for count, time in zip(sample["iters"], sample["times"], strict=False)]
        return [time / count for count, time in pairs if count and time is not None]
    source = read_source(folder / "estimates.json")
    if (mean := number(content_of(source, {"mean": {"point_estimate": float}})["mean"]["point_estimate"])) is None:
        raise InputError(Problem("the mean is not a number", source.name))
    return [mean]


# `- +level=1`, also in quotes.
_OVERRIDE = re.compile(r"""-\s+(['"]?)\+{0,2}([^=~'"]+)=(.*)\1""")
_PREFERRED = ("result", "results", "metrics", "measurements")


def _read_hydra(folder: Path) -> TableSource:
    """Read the jobs of a multirun: the overrides are options, the numbers in the result file of a job are properties.

    The result file is the JSON or CSV file in the job's folder; each row of a CSV file is a repetition.
    """
    jobs = [file.parent.parent for file in sorted(folder.rglob(OVERRIDES))]
    if not (jobs_with_results := [(job, results) for job in jobs if (results := _results(job)) is not None]):
        hint = 'write the results of each job to a file result.json in its folder: {"time": 1.5}'
        raise InputError(Problem("no job has a file of results (JSON or CSV)", str(folder), hint=hint))
    missing_count = len(jobs) - len(jobs_with_results)
    notes = [f"{missing_count:,} of {len(jobs):,} jobs without a file of results left out"] if missing_count else []
    runs = (MeasuredRun(_options(job), values) for job, results in jobs_with_results for values in _values(results))
    hint = "the jobs have no overrides: python app.py -m level=1,9"
    return table_of(Source(str(folder), b""), runs, notes=notes, hint=hint)


def _options(job: Path) -> dict[str, str]:
    source = read_source(job / OVERRIDES)
    overrides: dict[str, str] = {}
    for at, line in enumerate(source.text().splitlines(), 1):
        stripped = line.strip()
        if (override := _OVERRIDE.fullmatch(stripped)) is not None:
            overrides[override[2].strip()] = override[3].strip("'\"")
        elif stripped not in ("", "[]", "---") and not re.match(r"-\s+['\"]?~", stripped):
            raise InputError(Problem("not an override", source.name, at, text=line, hint="for example '- level=9'"))
    return overrides


def _results(job: Path) -> Path | None:
    files = sorted((*job.glob("*.json"), *job.glob("*.csv")))
    if len(files) > 1:
        files = [file for file in files if file.stem in _PREFERRED] or files
    if len(files) > 1:
        message = f"several files of results: {listed([path.name for path in files])}"
        raise InputError(Problem(message, str(job), hint=f"keep one, or call it {_PREFERRED[0]}.json"))
    return files[0] if files else None


def _values(file: Path) -> Iterator[dict[str, float]]:
    """Yield the numbers in a file of results: an object, a list of objects, or rows."""
    source = read_source(file)
    is_list = source.content.lstrip().startswith(b"[")
    content: Any = rows_of(source) if file.suffix == ".csv" else content_of(source, list if is_list else dict)
    for entry in content if isinstance(content, list) else [content]:
        items = entry.items() if isinstance(entry, dict) else ()
        yield {name: found for name, value in items if (found := number(value)) is not None}
