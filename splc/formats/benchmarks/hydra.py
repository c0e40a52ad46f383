"""The folder of a multirun of Hydra (https://hydra.cc): a folder per job, with its overrides and its results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, listed
from splc.formats.benchmarks.hyperfine import rows_of
from splc.formats.benchmarks.objects import content_of
from splc.formats.benchmarks.table import MeasuredRun, TableSource, number, table_of
from splc.io.files import Source, read_source

OVERRIDES = ".hydra/overrides.yaml"
# `- +level=1`, also in quotes.
_OVERRIDE = re.compile(r"""-\s+(['"]?)\+{0,2}([^=~'"]+)=(.*)\1""")
_PREFERRED = ("result", "results", "metrics", "measurements")


def read_folder(folder: Path) -> TableSource:
    """Read the jobs of a multirun: the overrides are options, the numbers in the result file of a job are properties.

    The result file is the JSON or CSV file in the job's folder; each row of a CSV file is a repetition.

    Raises:
        InputError: if a job has several result files, or none of them has one.
    """
    jobs = [file.parent.parent for file in sorted(folder.rglob(OVERRIDES))]
    jobs_with_results = [(job, results) for job in jobs if (results := _results(job)) is not None]
    source = Source(str(folder), b"")
    if not jobs_with_results:
        hint = 'write the results of each job to a file result.json in its folder: {"time": 1.5}'
        raise InputError(Problem("no job has a file of results (JSON or CSV)", str(folder), hint=hint))
    missing_count = len(jobs) - len(jobs_with_results)
    notes = [f"{missing_count:,} of {len(jobs):,} jobs without a file of results left out"] if missing_count else []
    runs = (MeasuredRun(_options(job), values) for job, results in jobs_with_results for values in _values(results))
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


def _values(file: Path) -> Iterator[Mapping[str, Any]]:
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
