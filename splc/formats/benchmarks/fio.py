"""The output of fio: `--output-format=json` (https://fio.readthedocs.io)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, TableSource, cell, number, table_of
from splc.formats.benchmarks.words import differing, without_units
from splc.io.files import Source

_DIRECTIONS = ("read", "write", "trim")
_UNITS = {
    f"{prefix}{name}": unit
    for prefix in ("", *(f"{direction}_" for direction in _DIRECTIONS))
    for name, unit in (("bw", "B/s"), ("iops", "1/s"), ("lat", "s"))
}
# Options that name a job or its output, not what it does.
_NAMES = frozenset(("name", "filename", "description", "stonewall", "write_bw_log", "write_lat_log", "write_iops_log"))


def read_json(source: Source) -> TableSource:
    """Read a report: job options that differ are options, sizes in bytes.

    Bandwidth (bytes per second), operations per second, and latency (seconds) are the properties; they have separate
    names for reading and writing if a job does both.

    Raises:
        InputError: if it is no such file.
    """
    content = content_of(source, dict)
    jobs = objects(entry(content, "jobs", list, source), "jobs", source)
    shared = _texts(content.get("global options"))
    option_rows = [{**shared, **_texts(job.get("job options"))} for job in jobs]
    relevant_rows = [{name: text for name, text in row.items() if name not in _NAMES} for row in option_rows]
    base = 1000 if shared.get("kb_base") == "1000" else 1024
    options = differing(without_units(relevant_rows, base))
    used_directions = [[name for name in _DIRECTIONS if _is_used(job, name)] for job in jobs]
    has_both = any(len(names) > 1 for names in used_directions)
    runs = (
        MeasuredRun(job_options, _values(job, names, prefixed=has_both))
        for job, names, job_options in zip(jobs, used_directions, options, strict=True)
    )
    hint = "the jobs have the same options: a job file with several [sections], or several values of an option"
    return table_of(source, runs, main=None if has_both else "bw", hint=hint, units=_UNITS)


def _texts(options: Any) -> dict[str, str]:
    return {name: cell(value) for name, value in options.items()} if isinstance(options, dict) else {}


def _is_used(job: Mapping[str, Any], direction: str) -> bool:
    statistics = job.get(direction)
    return isinstance(statistics, dict) and bool(
        number(statistics.get("total_ios")) or number(statistics.get("io_bytes"))
    )


def _values(job: Mapping[str, Any], directions: list[str], *, prefixed: bool) -> dict[str, float | None]:
    """Return the values of a job; none if it failed."""
    values: dict[str, float | None] = {}
    if job.get("error"):
        return values
    for direction in directions:
        statistics = job[direction]
        prefix = f"{direction}_" if prefixed else ""
        latency = statistics.get("lat_ns")
        mean = number(latency.get("mean")) if isinstance(latency, dict) else None
        values[f"{prefix}bw"] = number(statistics.get("bw_bytes"))
        values[f"{prefix}iops"] = number(statistics.get("iops"))
        values[f"{prefix}lat"] = None if mean is None else mean / 1e9
    return values
