"""Trees of logs of a large system: CPU time of `casestudies.published_logs`. Run by `make bench`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.yardstick import cpu
from casestudies.published_logs.logs import Request, run
from tests.support.log_trees import write_log_tree

# What 3,000 logs of a system with 216,000 configurations, and 100 MB of XML, may take.
LOGS, SECONDS = 3_000, 300


def test_a_large_tree(tmp_path: Path) -> None:
    """3,000 logs of 216,000 configurations in 100 MB of XML take at most 5 minutes of CPU."""
    write_log_tree(tmp_path, 60, properties=("Performance", "Energy", "Memory", "Size"))
    assert (tmp_path / "measurements.xml").stat().st_size > 100e6
    few = tmp_path / "few"
    few.mkdir()
    (tmp_path / "logs" / "out_0.log").rename(few / "out_0.log")
    few_logs, most_logs = (Request(root=str(tmp_path / name), systems=str(tmp_path)) for name in ("few", "logs"))
    begun, seconds = cpu(lambda: run(few_logs)), cpu(lambda: run(most_logs))
    all_logs = begun + (seconds - begun) / 58 * LOGS
    print(f"\n{LOGS:,} logs: {all_logs:.0f} s of CPU ({begun:.1f} s without logs)")
    assert all_logs < SECONDS
