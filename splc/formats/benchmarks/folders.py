"""Folders of benchmark tools: files of `perf stat`, Criterion.rs, and multiruns of Hydra."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, listed
from splc.formats.benchmarks.objects import content_of, entry, rows_of
from splc.formats.benchmarks.table import MeasuredRun, number, table_of
from splc.formats.benchmarks.words import pairs_in
from splc.formats.table import TableSource
from splc.io.files import Source, read_source
from splc.io.json import parse_json

JSON_MARK = b'"counter-value"'
_HINT = "name a folder of such files, whose names state the options: perf stat -x, -o runs/level=9,input=text.csv"
# The first of these that was counted is the property to use.
_MAIN = ("duration_time", "task-clock", "cpu-clock", "cycles", "instructions")
# Their units are stated, so that they are converted.
SECONDS = {"task-clock": "s", "cpu-clock": "s"}
_EVENT = re.compile(r"[A-Za-z][^,\s]*")
_PERF_UNITS = {"ns": 1e9, "usec": 1e6, "msec": 1e3, "sec": 1.0}
_WHOLE = "leave out -I, -A, --per-core and the like; -x needs a comma"

BENCHMARK = "benchmark.json"
_NANOSECONDS = 1e9
OVERRIDES = ".hydra/overrides.yaml"
# `- +level=1`, also in quotes.
_OVERRIDE = re.compile(r"""-\s+(['"]?)\+{0,2}([^=~'"]+)=(.*)\1""")
_PREFERRED = ("result", "results", "metrics", "measurements")


def read_perf(source: Source) -> TableSource:
    """Read one run. It states no options, so that only a folder of such files is a table."""
    return table_of(source, [run_of(source)], hint=_HINT)


def run_of(source: Source) -> MeasuredRun:
    """Return the counts of one run, without options; times are in seconds."""
    is_json = JSON_MARK in source.content[:1000]
    counts: dict[str, float | None] = {}
    for line, event, count, unit in _entries(source) if is_json else _fields(source):
        # The event may state what was counted: `cycles:u`.
        name = event.partition(":")[0]
        if name in counts:
            raise InputError(Problem(f"the event {event!r} is counted twice", source.name, line, hint=_WHOLE))
        value = number(count)
        counts[name] = None if value is None else value / _PERF_UNITS.get(unit, 1.0)
    return MeasuredRun({}, counts)


def main_of(names: dict[str, None]) -> str | None:
    """Return the property to use among those that were counted."""
    return next((name for name in _MAIN if name in names), None)


def _fields(source: Source) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, event, count and unit of each count of `-x,`."""
    for at, line in enumerate(source.text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(",")
        if len(parts) < 3 or not _EVENT.fullmatch(parts[2]) or (number(parts[0]) is None and "<" not in parts[0]):
            raise InputError(Problem("not a count of perf stat -x,", source.name, at, text=line, hint=_WHOLE))
        yield at, parts[2], parts[0], parts[1]


def _entries(source: Source) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, event, count and unit of each object of `-j`."""
    for at, line in enumerate(source.text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            record = parse_json(line)
        except InputError as error:
            raise InputError(Problem(error.problems[0].message, source.name, at)) from None
        if isinstance(record, dict) and "counter-value" in record:
            yield at, entry(record, "event", str, source), str(record["counter-value"]), str(record.get("unit", ""))


def read_named_files(folder: Path) -> TableSource:
    """Read a folder of files of `perf stat`, one run each; files of the same options are repetitions.

    What follows two underscores or `;` without `=` does not count: `level=9;2.csv` is another run of `level=9`.
    """
    runs = list(_named_runs(folder))
    names = dict.fromkeys(name for run in runs for name, value in run.values.items() if value is not None)
    return table_of(Source(str(folder), b""), runs, main=main_of(names), units=SECONDS)


def files_in(folder: Path) -> list[Path]:
    """Return the files whose names state options, in their order."""
    return [file for file in sorted(folder.iterdir()) if file.is_file() and pairs_in(_stem(file))]


def _stem(file: Path) -> str:
    name = file.name.removesuffix(".gz")
    return name.rpartition(".")[0] if name.endswith((".csv", ".json", ".txt")) else name


def _named_runs(folder: Path) -> Iterator[MeasuredRun]:
    for file in files_in(folder):
        source = read_source(file)
        if not source.content.strip():
            raise InputError(Problem("the file is empty", str(file)))
        yield MeasuredRun(pairs_in(_stem(file)), run_of(source).values)


def read_criterion(folder: Path) -> TableSource:
    """Read the last run of each benchmark: its function and its input are options, the group is a context.

    Each sample is a repetition, its time per iteration in seconds; without samples the estimated mean is the value.
    """
    source = Source(str(folder), b"")
    files = [file for file in sorted(folder.rglob(BENCHMARK)) if file.parent.name == "new"]
    # Without a folder `new` these are copies of the folders of benchmarks, as they were saved.
    files = files or [file for file in sorted(folder.rglob(BENCHMARK)) if file.parent.name != "change"]
    names = [content_of(read_source(file), dict) for file in files]
    several = len({name.get("function_id") for name in names}) > 1
    runs = [
        run
        for file, name in zip(files, names, strict=True)
        for run in _criterion_runs(file.parent, name, several=several)
    ]
    hint = "give the benchmarks an input: bench_with_input"
    return table_of(source, runs, main="time", hint=hint, units={"time": "s"})


def _criterion_runs(folder: Path, name: dict[str, Any], *, several: bool) -> Iterator[MeasuredRun]:
    options: dict[str, Any] = {}
    if several and name.get("function_id") is not None:
        options["function"] = name["function_id"]
    if (value := name.get("value_str")) is not None:
        options |= pairs_in(str(value)) or {"value": value}
    contexts = {"group": name.get("group_id")}
    for time in _iteration_times(folder):
        yield MeasuredRun(options, {"time": time / _NANOSECONDS}, contexts)


def _iteration_times(folder: Path) -> list[float]:
    """Return the times per iteration in nanoseconds."""
    if (folder / "sample.json").is_file():
        source = read_source(folder / "sample.json")
        sample = content_of(source, dict)
        counts, times = (entry(sample, key, list, source) for key in ("iters", "times"))
        pairs = [(number(count), number(time)) for count, time in zip(counts, times, strict=False)]
        return [time / count for count, time in pairs if count and time is not None]
    source = read_source(folder / "estimates.json")
    mean = number(entry(entry(content_of(source, dict), "mean", dict, source), "point_estimate", float, source))
    if mean is None:
        raise InputError(Problem("the mean is not a number", source.name))
    return [mean]


def read_hydra(folder: Path) -> TableSource:
    """Read the jobs of a multirun: the overrides are options, the numbers in the result file of a job are properties.

    The result file is the JSON or CSV file in the job's folder; each row of a CSV file is a repetition.
    """
    jobs = [file.parent.parent for file in sorted(folder.rglob(OVERRIDES))]
    jobs_with_results = [(job, results) for job in jobs if (results := _results(job)) is not None]
    source = Source(str(folder), b"")
    if not jobs_with_results:
        hint = 'write the results of each job to a file result.json in its folder: {"time": 1.5}'
        raise InputError(Problem("no job has a file of results (JSON or CSV)", str(folder), hint=hint))
    missing_count = len(jobs) - len(jobs_with_results)
    notes = [f"{missing_count:,} of {len(jobs):,} jobs without a file of results left out"] if missing_count else []
    runs = (MeasuredRun(_options(job), values) for job, results in jobs_with_results for values in _job_values(results))
    return table_of(source, runs, notes=notes, hint="the jobs have no overrides: python app.py -m level=1,9")


def _options(job: Path) -> dict[str, str]:
    source = read_source(job / OVERRIDES)
    overrides: dict[str, str] = {}
    for at, line in enumerate(source.text().splitlines(), 1):
        if line.strip() in ("", "[]", "---"):
            continue
        if (override := _OVERRIDE.fullmatch(line.strip())) is not None:
            overrides[override[2].strip()] = override[3].strip("'\"")
        elif not re.match(r"-\s+['\"]?~", line.strip()):
            raise InputError(Problem("not an override", source.name, at, text=line, hint="for example '- level=9'"))
    return overrides


def _results(job: Path) -> Path | None:
    files = sorted((*job.glob("*.json"), *job.glob("*.csv")))
    if len(files) > 1:
        files = [file for file in files if file.stem in _PREFERRED] or files
    if len(files) > 1:
        hint = f"keep one, or call it {_PREFERRED[0]}.json"
        raise InputError(
            Problem(f"several files of results: {listed([path.name for path in files])}", str(job), hint=hint)
        )
    return files[0] if files else None


def _job_values(file: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the numbers in a file of results: an object, a list of objects, or rows."""
    source = read_source(file)
    if file.suffix == ".csv":
        for row in rows_of(source):
            yield _numbers(row)
        return
    is_list = source.content.lstrip().startswith(b"[")
    content: Any = content_of(source, list) if is_list else content_of(source, dict)
    for item in content if is_list else [content]:
        yield _numbers(item if isinstance(item, dict) else {})


def _numbers(entries: Mapping[str, Any]) -> dict[str, float]:
    return {name: numeric_value for name, value in entries.items() if (numeric_value := number(value)) is not None}
