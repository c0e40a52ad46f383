"""The folder `target/criterion` of Criterion.rs (https://github.com/bheisler/criterion.rs)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem
from splc.formats.benchmarks.objects import content_of, entry
from splc.formats.benchmarks.table import MeasuredRun, TableSource, number, table_of
from splc.formats.benchmarks.words import pairs_in
from splc.io.files import Source, read_source

BENCHMARK = "benchmark.json"
_PER_SECOND = 1e9


def read_folder(folder: Path) -> TableSource:
    """Read the last run of each benchmark: its function and its input are options, the group is a context.

    Each sample is a repetition, its time per iteration in seconds; without samples the estimated mean is the value.

    Raises:
        InputError: if a file cannot be read.
    """
    source = Source(str(folder), b"")
    files = [file for file in sorted(folder.rglob(BENCHMARK)) if file.parent.name == "new"]
    # Without a folder `new` these are copies of the folders of benchmarks, as they were saved.
    files = files or [file for file in sorted(folder.rglob(BENCHMARK)) if file.parent.name != "change"]
    names = [content_of(read_source(file), dict) for file in files]
    several = len({name.get("function_id") for name in names}) > 1
    runs = [run for file, name in zip(files, names, strict=True) for run in _runs(file.parent, name, several=several)]
    hint = "give the benchmarks an input: bench_with_input"
    return table_of(source, runs, main="time", hint=hint, units={"time": "s"})


def _runs(folder: Path, name: dict[str, Any], *, several: bool) -> Iterator[MeasuredRun]:
    options: dict[str, Any] = {}
    if several and name.get("function_id") is not None:
        options["function"] = name["function_id"]
    if (value := name.get("value_str")) is not None:
        options |= pairs_in(str(value)) or {"value": value}
    contexts = {"group": name.get("group_id")}
    for time in _iteration_times(folder):
        yield MeasuredRun(options, {"time": time / _PER_SECOND}, contexts)


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
