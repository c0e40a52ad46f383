"""The benchmark tools whose output is read. To add one, write its declaration, and add it to `FORMATS`."""

from __future__ import annotations

import re
from pathlib import Path

from splc.errors import InputError, Problem
from splc.formats.benchmarks import folders, frames, journal, reports, tuners
from splc.formats.benchmarks.declaration import Benchmark
from splc.formats.benchmarks.table import TableSource
from splc.io.files import STANDARD, Source, read_source

_SPACES = b"\xef\xbb\xbf \t\r\n"
_TABLE = "write a CSV table with a row for each"
_CALIPER = "write a list of records: cali-query -j FILE.cali > FILE.json"
_PPROF = f"{_TABLE} run, with its options and what pprof prints"
_KTT = f"{_TABLE} result: the values of its Configuration, and TotalDuration"
_AUTOTVM = f"{_TABLE} record: entity and costs"
_TRITON = f"{_TABLE} timing: kwargs, num_warps and median"
FORMATS = (
    reports.hyperfine_json,
    reports.hyperfine_csv,
    reports.pytest_benchmark,
    reports.google_json,
    reports.google_csv,
    reports.jmh_json,
    reports.fio,
    folders.perf_json,
    folders.perf_csv,
    reports.jmh_csv,
    reports.pyperf,
    reports.asv,
    tuners.kernel_tuner_cache,
    tuners.kernel_tuner_results,
    tuners.smac,
    tuners.deephyper,
    tuners.ytopt,
    tuners.optuna,
    Benchmark("Caliper", rb"\{", (b'"column_metadata"', b'"nodes"'), export=_CALIPER),
    Benchmark("Caliper", rb"__rec=", export=_CALIPER),
    Benchmark("TAU", rb"[0-9]+ templated_functions", export=_PPROF),
    Benchmark("KTT", rb"\{", (b'"TotalDuration"', b'"Configuration"'), export=_KTT),
    Benchmark("AutoTVM", rb"\{", (b'"tvm_version"', b'"entity"'), export=_AUTOTVM),
    Benchmark("Triton", rb"\{", (b'"configs_timings"',), export=_TRITON),
    frames.records,
    frames.excel,
    frames.parquet,
    journal.journal,
)
TOOLS = tuple(dict.fromkeys(each.tool for each in FORMATS if each.tool and not each.export))


def benchmark_of(source: Source) -> Benchmark | None:
    """Return the format of the output of a benchmark tool, None for other files."""
    data = source.data.lstrip(_SPACES)
    return next((candidate for candidate in FORMATS if candidate.matches(data)), None)


def read_benchmark(path: str | Path | Source) -> Source:
    """Read a file; the output of a benchmark tool becomes a CSV table, with the roles of its columns.

    Other files, such as CSV tables and XML, are returned as they are.

    `path`: the file, its content, or a folder of Criterion, Hydra or `perf stat`; `-` is standard input.
    """
    if isinstance(path, TableSource):
        return path
    if not isinstance(path, Source) and str(path) != STANDARD and Path(path).is_dir():
        return folders.read_folder(Path(path))
    source = path if isinstance(path, Source) else read_source(path)
    tool_format = benchmark_of(source)
    if tool_format is not None:
        return tool_format.read(source)
    if re.match(rb'\{\s*("|\}|$)', source.content[:1000].lstrip()):
        message = "this is JSON, but not the output of a benchmark tool that splc reads"
        raise InputError(Problem(message, source.name, hint=f"it reads that of {', '.join(TOOLS)}, and CSV tables"))
    return source
