"""The benchmark tools whose output is read. To add one, write its declaration, and add it to `FORMATS`.

Tables of other programs are declared here: Excel workbooks, Parquet files, and JSON lists of records.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem
from splc.formats.benchmarks import folders, journal, reports, tuners
from splc.formats.benchmarks.declaration import Benchmark, benchmark, cell, check
from splc.formats.table import TableSource
from splc.io.files import MAX_UNPACKED, STANDARD, Source, read_source


@benchmark("", rb"\[\s*\{", content=list)
def records(source: Source, rows: Any) -> TableSource:
    """Read a JSON list of objects without objects in them, as `DataFrame.to_json(orient="records")` writes it."""
    check(source, rows, [dict], "content")
    names = list(dict.fromkeys(name for row in rows for name in row))
    nested = next((name for row in rows for name, value in row.items() if isinstance(value, dict | list)), None)
    if nested is not None:
        hint = "splc reads lists of flat objects, and the output of the tools in docs/howto/benchmark-tools.md"
        raise InputError(Problem(f"{nested!r} is not a number or a text in this list", source.name, hint=hint))
    return TableSource.of_rows(source, names, [[cell(row.get(name)) for name in names] for row in rows])


@benchmark("", rb"PK\x03\x04", b"xl/workbook.xml")
def excel(source: Source) -> TableSource:
    """Read the first sheet of a workbook."""
    # Imported here, since every command imports the declarations.
    import zipfile

    if find_spec("openpyxl") is None:
        raise _missing(source, "an Excel workbook", "openpyxl", "excel")
    openpyxl = import_module("openpyxl")
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MAX_UNPACKED:
            raise ValueError(f"it decompresses to more than {MAX_UNPACKED:,} bytes")
        book = openpyxl.load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
        names = list(book.sheetnames)
    except Exception as error:
        # openpyxl reports damaged files by errors of many kinds.
        raise InputError(Problem(f"the workbook cannot be read: {error}", source.name)) from None
    rows = [row for row in rows if any(value is not None for value in row)]
    if not rows:
        raise InputError(Problem(f"the sheet {names[0]!r} is empty", source.name))
    width = max(at for at, value in enumerate(rows[0]) if value is not None) + 1 if any(rows[0]) else 0
    notes = (f"only the first sheet, {names[0]!r}, is read",) if len(names) > 1 else ()
    return TableSource.of_rows(source, *_texts(rows[0][:width], (row[:width] for row in rows[1:])), notes=notes)


@benchmark("", rb"PAR1")
def parquet(source: Source) -> TableSource:
    """Read a Parquet file with pyarrow, polars or pandas, whichever is installed."""
    reader = next((name for name in ("pyarrow", "polars", "fastparquet") if find_spec(name) is not None), None)
    if reader is None:
        raise _missing(source, "a Parquet file", "pyarrow, polars or pandas", "parquet")
    data = io.BytesIO(source.data)
    columns: dict[str, Sequence[Any]]
    try:
        if reader == "pyarrow":
            columns = import_module("pyarrow.parquet").read_table(data).to_pydict()
        elif reader == "polars":
            columns = import_module("polars").read_parquet(data).to_dict(as_series=False)
        else:
            columns = import_module("pandas").read_parquet(data).to_dict(orient="list")
    except Exception as error:
        # Each library has errors of its own.
        raise InputError(Problem(f"the Parquet file cannot be read: {error}", source.name)) from None
    columns = {name: values for name, values in columns.items() if name != "__index_level_0__"}
    return TableSource.of_rows(source, *_texts([*columns], zip(*columns.values(), strict=True)))


def _texts(header: Sequence[Any], rows: Any) -> tuple[list[str], Iterator[list[str]]]:
    return [_text(name) for name in header], ([_text(value) for value in row] for row in rows)


def _text(value: Any) -> str:
    return cell(value) if value is None or isinstance(value, bool | int | float | str) else str(value)


def _missing(source: Source, content_kind: str, package: str, extra: str) -> InputError:
    return InputError(Problem(f"{content_kind} needs {package}", source.name, hint=f"pip install 'splc[{extra}]'"))


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
    records,
    excel,
    parquet,
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
