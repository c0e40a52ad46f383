"""Trees of logs of a large system: CPU time and memory of `splc corpus`. Run by `make bench`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bench_large import splc
from tests.support.log_trees import write_log_tree

# What 3,000 logs of a system with 216,000 configurations, and 100 MB of XML, may take.
LOGS, SECONDS, MEGABYTES = 3_000, 300, 500


def test_a_large_tree(tmp_path: Path) -> None:
    """216,000 configurations in 100 MB of XML take at most 500 MB, and 3,000 logs of them at most 5 minutes of CPU."""
    write_log_tree(tmp_path, 60, properties=("Performance", "Energy", "Memory", "Size"))
    assert (tmp_path / "measurements.xml").stat().st_size > 100e6
    few = tmp_path / "few"
    few.mkdir()
    (tmp_path / "logs" / "out_0.log").rename(few / "out_0.log")
    arguments = ("corpus", "--systems", str(tmp_path), "--jobs", "1")
    begun, _ = splc(tmp_path, *arguments, "few")
    seconds, megabytes = splc(tmp_path, *arguments, "logs")
    all_logs = begun + (seconds - begun) / 58 * LOGS
    print(f"\n{LOGS:,} logs: {all_logs:.0f} s of CPU ({begun:.1f} s without logs), {megabytes:.0f} MB")
    assert all_logs < SECONDS
    assert megabytes < MEGABYTES
