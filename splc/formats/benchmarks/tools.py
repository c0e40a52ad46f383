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

from splc.errors import InputError, Problem
from splc.io.files import Source

_LOOKED_AT = 1 << 16
_SPACES = b"\xef\xbb\xbf \t\r\n"
_TABLE = "write a CSV table with a row for each"
_CALIPER = "cali-query -j FILE.cali > FILE.json"
_KTT = "the values of its Configuration, and TotalDuration"


@dataclass(frozen=True)
class Benchmark:
    """The output of a benchmark tool."""

    tool: str  # the name of the tool; empty for tables of any origin
    reader: str  # the function that reads it, as `module:function`
    begins: bytes  # a pattern of the beginning of the file
    marks: tuple[bytes, ...] = ()  # what the file contains, too
    export: str = ""  # what to do with a file that is known and not read

    @property
    def read(self) -> Callable[[Source], Any]:
        """The function that reads the format, or raises an error with what to do."""
        if self.export:
            return self._refuse
        module, _, function = self.reader.partition(":")
        reader: Callable[[Source], Any] = getattr(import_module(f"splc.formats.benchmarks.{module}"), function)
        return reader

    def _refuse(self, source: Source) -> Any:
        raise InputError(Problem(f"splc does not read the output of {self.tool}", source.name, hint=self.export))

    def matches(self, data: bytes) -> bool:
        """Return whether a file is in this format, by its content without spaces before it."""
        beginning = data[:_LOOKED_AT]
        return re.match(self.begins, beginning, re.DOTALL) is not None and all(mark in data for mark in self.marks)


FORMATS = (
    Benchmark("hyperfine", "reports:read_hyperfine_json", rb'\{\s*"results"\s*:', (b'"command"',)),
    Benchmark("hyperfine", "reports:read_hyperfine_csv", rb"command,mean,stddev,median,user,system,min,max"),
    Benchmark("pytest-benchmark", "python_tools:read_pytest_benchmark", rb"\{", (b'"machine_info"', b'"benchmarks"')),
    Benchmark("Google Benchmark", "reports:read_google_json", rb'\{\s*"context"\s*:', (b'"benchmarks"',)),
    Benchmark("Google Benchmark", "reports:read_google_csv", rb".{0,4000}?name,iterations,real_time,cpu_time,time_"),
    Benchmark("JMH", "reports:read_jmh_json", rb"\[", (b'"primaryMetric"',)),
    Benchmark("fio", "reports:read_fio", rb"\{", (b'"fio version"',)),
    Benchmark("perf", "folders:read_perf", rb"(?:#[^\n]*\s*)*\{", (b'"counter-value"',)),
    Benchmark("perf", "folders:read_perf", rb"(?:#[^\n]*\s*)*(?:[0-9.]+|<not \w+>),[A-Za-z/%]*,[A-Za-z][^,\s]*,[0-9.]"),
    Benchmark(
        "JMH", "reports:read_jmh_csv", rb'"?Benchmark"?[,;]"?Mode"?[,;]"?Threads"?[,;]"?Samples"?[,;]"?Score"?[,;]'
    ),
    Benchmark("pyperf", "python_tools:read_pyperf", rb"\{", (b'"benchmarks"', b'"runs"', b'"values"')),
    Benchmark("asv", "python_tools:read_asv", rb"\{", (b'"result_columns"', b'"results"')),
    Benchmark("Kernel Tuner", "tuners:read_kernel_tuner_cache", rb"\{", (b'"tune_params_keys"', b'"cache"')),
    Benchmark("Kernel Tuner", "tuners:read_kernel_tuner_results", rb"\{", (b'"configuration"', b'"invalidity"')),
    Benchmark("SMAC", "tuners:read_smac", rb"\{", (b'"configs"', b'"config_origins"')),
    Benchmark("DeepHyper", "tuners:read_deephyper", rb"(?=[^\n]*\bp:)(?:[^\n]*,)?objective,"),
    Benchmark("ytopt", "tuners:read_deephyper", rb"[^\n]+,objective,elapsed_sec\b"),
    Benchmark("Optuna", "tuners:read_optuna", rb"(?:,|\"\",)?number,values?(?:_\w+)?,", (b",state", b"params_")),
    Benchmark("Caliper", "", rb"\{", (b'"column_metadata"', b'"nodes"'), f"write a list of records: {_CALIPER}"),
    Benchmark("Caliper", "", rb"__rec=", (), f"write a list of records: {_CALIPER}"),
    Benchmark("TAU", "", rb"[0-9]+ templated_functions", (), f"{_TABLE} run, with its options and what pprof prints"),
    Benchmark("KTT", "", rb"\{", (b'"TotalDuration"', b'"Configuration"'), f"{_TABLE} result: {_KTT}"),
    Benchmark("AutoTVM", "", rb"\{", (b'"tvm_version"', b'"entity"'), f"{_TABLE} record: entity and costs"),
    Benchmark("Triton", "", rb"\{", (b'"configs_timings"',), f"{_TABLE} timing: kwargs, num_warps and median"),
    Benchmark("", "frames:read_records", rb"\[\s*\{"),
    Benchmark("", "frames:read_excel", rb"PK\x03\x04", (b"xl/workbook.xml",)),
    Benchmark("", "frames:read_parquet", rb"PAR1"),
    Benchmark("", "journal:read", rb'\{"kind":"plan",', (b'"properties"',)),
)
TOOLS = tuple(dict.fromkeys(each.tool for each in FORMATS if each.tool and not each.export))


def benchmark_of(source: Source) -> Benchmark | None:
    """Return the format of the output of a benchmark tool, None for other files."""
    data = source.data.lstrip(_SPACES)
    return next((candidate for candidate in FORMATS if candidate.matches(data)), None)
