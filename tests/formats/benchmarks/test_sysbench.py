"""The text of sysbench and wrk, which `splc measure` reads with patterns."""

from __future__ import annotations

from pathlib import Path

from splc import read_measurements, read_variability_model
from tests.formats.benchmarks.conftest import DATA, Run

SYSTEM = """<vm name="memory"><binaryOptions>
<configurationOption><name>write</name><optional>True</optional></configurationOption></binaryOptions><numericOptions>
<configurationOption><name>threads</name><values>1;2</values></configurationOption>
<configurationOption><name>block</name><values>1;4;16</values></configurationOption>
</numericOptions></vm>
"""
# Made after the example in wrk's README.
WRK = """Running 30s test @ http://127.0.0.1:8080/index.html
  12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  22464657 requests in 30.00s, 17.76GB read
Requests/sec: 748868.53
Transfer/sec:    606.33MB
"""


def test_sysbench(run: Run, place: Path) -> None:
    """The rate that sysbench prints becomes a property, and a model is learned from it."""
    (place / "system.xml").write_text(SYSTEM, encoding="utf-8")
    files = f"{DATA}/sysbench/{{threads}}-{{block}}K-{{write?write|read}}.txt"
    pattern = r"rate=regex:\(([0-9.]+) MiB/sec\)"
    arguments = ("--sampling", "all+ff", "--command", f"cat {files}", "--property", pattern, "-o", "memory.csv")
    result = run("measure", *arguments)
    assert result.exit_code == 0, result.output
    measured = read_measurements(place / "memory.csv", read_variability_model(place / "system.xml"))
    assert len(measured) == 12
    first = (DATA / "sysbench" / "1-1K-read.txt").read_text(encoding="utf-8")
    assert f"({measured['rate'][0]:.2f} MiB/sec)" in first
    assert run("learn", "memory.csv").exit_code == 0


def test_wrk(run: Run, place: Path) -> None:
    """The rate of requests that wrk prints becomes a property."""
    (place / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (place / "wrk.txt").write_text(WRK, encoding="utf-8")
    arguments = ("--sampling", "all+ff", "--command", "cat wrk.txt", "-o", "wrk.csv")
    result = run("measure", *arguments, "--property", "rate=regex:Requests/sec: +([0-9.]+)")
    assert result.exit_code == 0, result.output
    assert set(read_measurements(place / "wrk.csv", read_variability_model(place / "system.xml"))["rate"]) == {
        748868.53
    }
