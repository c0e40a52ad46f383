"""Details of the formats that the files of `data` do not have."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from splc.formats.benchmarks.table import TableSource
from splc.formats.benchmarks.tools import benchmark_of, read_benchmark
from splc.io.files import Source


def rows_of(content: Any) -> list[dict[str, str]]:
    """Return the rows of the table that is made from a text, or a value in JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    table = read_benchmark(Source("f", text.encode()))
    assert isinstance(table, TableSource)
    return list(csv.DictReader(io.StringIO(table.text())))


def test_hyperfine_run_ended_by_signal() -> None:
    """A run without an exit code has no time."""
    results = [
        {"command": f"x {at}", "mean": 1, "times": [1.5, 9], "exit_codes": [0, None], "user": 1, "system": 0}
        for at in (1, 2)
    ]
    assert [row["time"] for row in rows_of({"results": results})] == ["1.5", "", "1.5", ""]


def test_hyperfine_without_runs() -> None:
    """Without the times of runs, the mean is the time; memory of each run is a property."""
    results: list[dict[str, Any]] = [{"command": f"x {at}", "mean": at + 0.5} for at in (1, 2)]
    assert [row["time"] for row in rows_of({"results": results})] == ["1.5", "2.5"]
    results = [
        {"command": "x", "mean": 1, "times": [1, 2], "memory_usage_byte": [10, 20], "parameters": {"n": str(at)}}
        for at in (1, 2)
    ]
    assert [row["memory_bytes"] for row in rows_of({"results": results})] == ["10", "20", "10", "20"]


@pytest.mark.parametrize("rounds", [[], [1.0] * 2000])
def test_pytest_without_rounds(rounds: list[float]) -> None:
    """Without rounds, or with very many, the mean is the value; without parameters the test is the context."""
    stats = {"mean": 0.5, "median": 0.25, "data": rounds}
    benchmarks = [{"fullname": f"t.py::test[{at}]", "params": {"n": at}, "stats": stats} for at in (1, 2)]
    found = rows_of({"machine_info": {}, "benchmarks": benchmarks})
    assert found == [{"n": str(at), "test": "t.py::test", "time": "0.5"} for at in (1, 2)]


def google(name: str, **entries: Any) -> dict[str, Any]:
    """Return a run of Google Benchmark."""
    return {"name": name, "run_name": name, "real_time": 2.0, "cpu_time": 1.0, "time_unit": "ms", **entries}


def test_google_names() -> None:
    """Names state the benchmark, its arguments and how it was run; times are in seconds, counters are properties."""
    name = "Fixture/zip<int>/1/size:64/real_time/threads:2/iterations:5"
    found = rows_of(
        {"context": {}, "benchmarks": [google(name, bytes_per_second=5.0), google("BM/2/size:8/threads:1")]}
    )
    assert found[0] == {
        "arg1": "1",
        "size": "64",
        "threads": "2",
        "benchmark": "Fixture/zip<int>",
        "real_time": "0.002",
        "cpu_time": "0.001",
        "bytes_per_second": "5",
    }


def test_google_aggregates() -> None:
    """Aggregates are left out; the means are used if nothing else is there. Failed runs have no values."""
    mean = google("BM/1_mean", run_name="BM/1", run_type="aggregate", aggregate_name="mean")
    median = google("BM/1_median", run_name="BM/1", run_type="aggregate", aggregate_name="median")
    runs = [
        google("BM/1", run_type="iteration", real_time=4.0),
        google("BM/2", run_type="iteration", error_occurred=True),
    ]
    assert [row["real_time"] for row in rows_of({"context": {}, "benchmarks": [*runs, mean, median]})] == ["0.004"]
    assert [row["real_time"] for row in rows_of({"context": {}, "benchmarks": [mean, median]})] == ["0.002"]


def test_google_threads() -> None:
    """A number of threads that differs is an option."""
    found = rows_of({"context": {}, "benchmarks": [google("BM/1", threads=1), google("BM/1", threads=4)]})
    assert [row["threads"] for row in found] == ["1", "4"]


def test_google_aggregates_in_csv() -> None:
    """CSV tells aggregates by their names only: those of a benchmark that is there itself."""
    text = (
        "2026-01-01\nname,iterations,real_time,cpu_time,time_unit\n"
        '"BM_min/1",1,4,4,ns\n"BM_min/1_mean",1,9,9,ns\n"BM_min/2",1,5,5,ns\n"BM_min/2_cv",1,9,9,ns\n'
    )
    assert [row["arg1"] for row in rows_of(text)] == ["1", "2"]


def test_jmh_throughput_and_settings() -> None:
    """Other units than times are a throughput; settings that differ are options; several modes are a context."""
    metric = {"score": 3.0, "scoreUnit": "ops/us", "rawData": [[1.0], [2.0]]}
    results = [
        {
            "benchmark": "a.B.c",
            "mode": mode,
            "threads": threads,
            "params": {"n": "1"},
            "primaryMetric": metric if mode == "thrpt" else {"score": 3.0, "scoreUnit": "us/op"},
            "secondaryMetrics": {"·gc.count": {"score": 7}},
        }
        for mode, threads in (("thrpt", 1), ("thrpt", 2), ("avgt", 1))
    ]
    found = rows_of(results)
    assert [row["threads"] for row in found] == ["1", "1", "2", "2", "1"]
    assert [row["mode"] for row in found] == ["thrpt"] * 4 + ["avgt"]
    assert [row["throughput"] for row in found] == ["1000000", "2000000", "1000000", "2000000", ""]
    assert [row["time"] for row in found] == ["", "", "", "", "3e-06"]
    assert {row["gc.count"] for row in found} == {"7"}
    assert "mode" not in rows_of(results[:2])[0]


def fio(options: dict[str, str], **directions: float) -> dict[str, Any]:
    """Return a job of fio."""
    parts = {
        name: {"total_ios": 1, "bw_bytes": value, "iops": value / 2, "lat_ns": {"mean": 1000}}
        for name, value in directions.items()
    }
    return {"jobname": "a", "error": 0, "job options": options, **parts}


def test_fio_reading_and_writing() -> None:
    """Jobs that read and write have properties of their own for both; failed jobs have none."""
    jobs = [fio({"bs": "4k", "name": "a"}, read=10, write=20), fio({"bs": "1M", "name": "b"}, write=40)]
    failed = {**fio({"bs": "2M"}, read=1), "error": 5}
    found = rows_of({"fio version": "3", "global options": {"bs": "1k", "size": "1g"}, "jobs": [*jobs, failed]})
    assert found == [
        {"bs": "4096", "read_bw": "10", "read_iops": "5", "read_lat": "1e-06"} | row
        for row in ({"write_bw": "20", "write_iops": "10", "write_lat": "1e-06"},)
    ] + [
        {"bs": "1048576", "read_bw": "", "read_iops": "", "read_lat": ""}
        | {"write_bw": "40", "write_iops": "20", "write_lat": "1e-06"}
    ]


def test_optuna_objectives() -> None:
    """Several objectives are properties; the index of a data frame and the state with its class do not matter."""
    text = (
        ",number,values_0,values_1,params_x,state\n"
        "0,0,1.5,2,3,TrialState.COMPLETE\n1,1,,,4,TrialState.PRUNED\n2,2,2.5,3,4,TrialState.COMPLETE\n"
    )
    assert [row["values_1"] for row in rows_of(text)] == ["2", "3"]


def test_name_of_option_and_property() -> None:
    """A property with the name of an option gets another name."""
    results = [{"command": "x", "mean": at, "parameters": {"time": str(at)}} for at in (1, 2)]
    assert rows_of({"results": results})[0] == {"time": "1", "measured_time": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",
        "number,of,x\n1,2,3\n",
        "command,mean,time\n1,2,3\n",
        '{"parameters": ["x"], "measurements": {}}',
        '{"schema": "splc.learn/1"}',
        "1,2,x,5\n",
        "name,iterations\n1,2\n",
    ],
)
def test_other_files(text: str) -> None:
    """Tables, profiles and models are no output of a benchmark tool."""
    assert benchmark_of(Source("f", text.encode())) is None


@pytest.mark.parametrize("form", ["json", "csv"])
def test_hyperfine_flags(form: str) -> None:
    """An empty value of a parameter, as of `-L unique ,-u`, is a value: the flag is absent."""
    results: list[dict[str, Any]] = [
        {"command": f"sort {value}", "mean": at, "times": [at], "exit_codes": [0], "parameters": {"unique": value}}
        for at, value in enumerate(("", "-u"), 1)
    ]
    header = "command,mean,stddev,median,user,system,min,max,parameter_unique"
    rows = [f"sort,{at},0,{at},0,0,{at},{at},{value}" for at, value in enumerate(("", "-u"), 1)]
    content = {"results": results} if form == "json" else "\n".join([header, *rows, ""])
    assert [row["unique"] for row in rows_of(content)] == ["none", "-u"]
