"""Tables of other programs: Excel workbooks, Parquet files, and JSON lists of records."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from splc.errors import InputError, Problem
from splc.formats.benchmarks.declaration import benchmark, check
from splc.formats.benchmarks.table import TableSource, cell, csv_source
from splc.io.files import MAX_UNPACKED, Source


@benchmark("", rb"\[\s*\{", content=list)
def records(source: Source, rows: Any) -> TableSource:
    """Read a JSON list of objects without objects in them, as `DataFrame.to_json(orient="records")` writes it."""
    check(source, rows, [dict], "content")
    names = list(dict.fromkeys(name for row in rows for name in row))
    nested = next((name for row in rows for name, value in row.items() if isinstance(value, dict | list)), None)
    if nested is not None:
        hint = "splc reads lists of flat objects, and the output of the tools in docs/howto/benchmark-tools.md"
        raise InputError(Problem(f"{nested!r} is not a number or a text in this list", source.name, hint=hint))
    return csv_source(source, names, [[cell(row.get(name)) for name in names] for row in rows])


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
    return csv_source(source, *_texts(rows[0][:width], (row[:width] for row in rows[1:])), notes=notes)


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
    return csv_source(source, *_texts([*columns], zip(*columns.values(), strict=True)))


def _texts(header: Sequence[Any], rows: Any) -> tuple[list[str], Iterator[list[str]]]:
    return [_text(name) for name in header], ([_text(value) for value in row] for row in rows)


def _text(value: Any) -> str:
    return cell(value) if value is None or isinstance(value, bool | int | float | str) else str(value)


def _missing(source: Source, content_kind: str, package: str, extra: str) -> InputError:
    return InputError(Problem(f"{content_kind} needs {package}", source.name, hint=f"pip install 'splc[{extra}]'"))
