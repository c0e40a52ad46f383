"""The formats of benchmark tools, and how they are recognised.

To add a format, write its module and add a line to `FORMATS`. The reader takes a source and returns a table
(`splc.formats.benchmarks.table`); it is imported on first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from splc.io.files import Source

_LOOKED_AT = 1 << 16
_SPACES = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True)
class Benchmark:
    """The output of a benchmark tool.

    Attributes:
        tool: the name of the tool; empty for tables of any origin.
        reader: the function that reads it, as `module:function`.
        begins: a pattern of the beginning of the file.
        marks: what the file contains, too.
    """

    tool: str
    reader: str
    begins: bytes
    marks: tuple[bytes, ...] = ()

    @property
    def read(self) -> Callable[[Source], Any]:
        """The function that reads the format."""
        module, _, function = self.reader.partition(":")
        reader: Callable[[Source], Any] = getattr(import_module(f"splc.formats.benchmarks.{module}"), function)
        return reader

    def matches(self, data: bytes) -> bool:
        """Return whether a file is in this format, by its content without spaces before it."""
        beginning = data[:_LOOKED_AT]
        return re.match(self.begins, beginning, re.DOTALL) is not None and all(mark in data for mark in self.marks)


FORMATS = (
    Benchmark("hyperfine", "hyperfine:read_json", rb'\{\s*"results"\s*:', (b'"command"',)),
    Benchmark("hyperfine", "hyperfine:read_csv", rb"command,mean,stddev,median,user,system,min,max"),
    Benchmark("pytest-benchmark", "pytest_benchmark:read_json", rb"\{", (b'"machine_info"', b'"benchmarks"')),
    Benchmark("Google Benchmark", "google_benchmark:read_json", rb'\{\s*"context"\s*:', (b'"benchmarks"',)),
    Benchmark("Google Benchmark", "google_benchmark:read_csv", rb".{0,4000}?name,iterations,real_time,cpu_time,time_"),
    Benchmark("JMH", "jmh:read_json", rb"\[", (b'"primaryMetric"',)),
    Benchmark("fio", "fio:read_json", rb"\{", (b'"fio version"',)),
    Benchmark("perf", "perf:read", rb"(?:#[^\n]*\s*)*\{", (b'"counter-value"',)),
    Benchmark("perf", "perf:read", rb"(?:#[^\n]*\s*)*(?:[0-9.]+|<not \w+>),[A-Za-z/%]*,[A-Za-z][^,\s]*,[0-9.]"),
    Benchmark("Optuna", "optuna:read_csv", rb"(?:,|\"\",)?number,values?(?:_\w+)?,", (b",state", b"params_")),
    Benchmark("", "frames:read_records", rb"\[\s*\{"),
    Benchmark("", "frames:read_excel", rb"PK\x03\x04", (b"xl/workbook.xml",)),
    Benchmark("", "frames:read_parquet", rb"PAR1"),
    Benchmark("", "journal:read", rb'\{"kind":"plan",', (b'"properties"',)),
)
TOOLS = tuple(dict.fromkeys(benchmark.tool for benchmark in FORMATS if benchmark.tool))


def benchmark_of(source: Source) -> Benchmark | None:
    """Return the format of the output of a benchmark tool, None for other files."""
    data = source.data.lstrip(_SPACES)
    return next((candidate for candidate in FORMATS if candidate.matches(data)), None)
