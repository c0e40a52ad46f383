"""Folders of files whose names state the options: `level=9,input=text.csv`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from splc.errors import InputError, Problem
from splc.formats.benchmarks.perf import SECONDS, main_of, run_of
from splc.formats.benchmarks.table import MeasuredRun, TableSource, table_of
from splc.formats.benchmarks.words import pairs_in
from splc.io.files import Source, read_source


def read_folder(folder: Path) -> TableSource:
    """Read a folder of files of `perf stat`, one run each; files of the same options are repetitions.

    What follows two underscores or `;` without `=` does not count: `level=9;2.csv` is another run of `level=9`.

    Raises:
        InputError: if a file is not one of `perf stat`, or its name states no options.
    """
    runs = list(_runs(folder))
    names = dict.fromkeys(name for run in runs for name, value in run.values.items() if value is not None)
    return table_of(Source(str(folder), b""), runs, main=main_of(names), units=SECONDS)


def files_in(folder: Path) -> list[Path]:
    """Return the files whose names state options, in their order."""
    return [file for file in sorted(folder.iterdir()) if file.is_file() and pairs_in(_stem(file))]


def _stem(file: Path) -> str:
    name = file.name.removesuffix(".gz")
    return name.rpartition(".")[0] if name.endswith((".csv", ".json", ".txt")) else name


def _runs(folder: Path) -> Iterator[MeasuredRun]:
    for file in files_in(folder):
        source = read_source(file)
        if not source.content.strip():
            raise InputError(Problem("the file is empty", str(file)))
        yield MeasuredRun(pairs_in(_stem(file)), run_of(source).values)
