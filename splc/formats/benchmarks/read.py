"""Reading the output of a benchmark tool, a file or a folder."""

from __future__ import annotations

import re
from pathlib import Path

from splc.errors import InputError, Problem
from splc.formats.benchmarks import folders
from splc.formats.benchmarks.tools import TOOLS, benchmark_of
from splc.formats.table import TableSource
from splc.io.files import STANDARD, Source, read_source


def read_benchmark(path: str | Path | Source) -> Source:
    """Read a file; the output of a benchmark tool becomes a CSV table, with the roles of its columns.

    Other files, such as CSV tables and XML, are returned as they are.

    `path`: the file, its content, or a folder of Criterion, Hydra or `perf stat`; `-` is standard input.
    """
    if isinstance(path, TableSource):
        return path
    if not isinstance(path, Source) and str(path) != STANDARD and Path(path).is_dir():
        return _read_folder(Path(path))
    source = path if isinstance(path, Source) else read_source(path)
    tool_format = benchmark_of(source)
    if tool_format is not None:
        table: Source = tool_format.read(source)
        return table
    beginning = source.content[:1000].lstrip()
    if re.match(rb'\{\s*("|\}|$)', beginning):
        message = "this is JSON, but not the output of a benchmark tool that splc reads"
        raise InputError(Problem(message, source.name, hint=f"it reads that of {', '.join(TOOLS)}, and CSV tables"))
    return source


def is_folder_of_runs(path: str | Path) -> bool:
    """Return whether a path is a folder of Criterion, Hydra or `perf stat`."""
    folder_path = Path(path)
    if str(path) == STANDARD or not folder_path.is_dir():
        return False
    return _reader_of(folder_path) is not None


def _reader_of(folder_path: Path) -> object | None:
    if next(folder_path.rglob(folders.OVERRIDES), None) is not None:
        return folders.read_hydra
    if next(folder_path.rglob(folders.BENCHMARK), None) is not None:
        return folders.read_criterion
    return folders.read_named_files if folders.files_in(folder_path) else None


def _read_folder(folder_path: Path) -> Source:
    reader = _reader_of(folder_path)
    if reader is None:
        hint = (
            "folders of Criterion, of Hydra's multiruns, and of files of perf stat called 'level=9,input=text.csv' are"
        )
        raise InputError(Problem("this folder is not a table of measurements", str(folder_path), hint=hint))
    table: Source = reader(folder_path)  # type: ignore[operator]
    return table
