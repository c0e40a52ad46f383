"""Tables with many columns: the CPU time of commands grows linearly with their number.

Run by `make bench`. The time of four times as many columns is compared with that of the fewer ones.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.bench_large import splc
from benchmarks.yardstick import report

ROWS, FEWER, MORE = 100, 2_500, 10_000


def write_columns(file: Path, kind: str, count: int) -> None:
    """Write a table of `ROWS` rows with many columns of one kind, and a property."""
    rng = np.random.default_rng(0)
    switches = rng.integers(0, 2, (ROWS, count))
    if kind == "groups":
        # One of five members is 1 in each row.
        switches = (rng.integers(0, 5, (ROWS, count // 5, 1)) == np.arange(5)).reshape(ROWS, -1)
        names = [f"o{at // 5}_{at % 5}" for at in range(count)]
    else:
        names = [f"o{at}" for at in range(count)]
    texts = {"numbers": switches + rng.integers(1, 4, count), "texts": np.char.mod("v%d", switches)}
    cells = texts.get(kind, switches.astype(int)).astype(str)
    values = np.char.mod("%.6f", 10 + switches[:, :5] @ np.arange(1, 6) + rng.normal(0, 0.1, ROWS))
    if kind == "texts":
        names, cells = ["n", *names], np.column_stack([switches[:, 0].astype(str), cells])
    lines = [",".join([*names, "time"]), *(",".join([*row, value]) for row, value in zip(cells, values, strict=True))]
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("kind", ["switches", "groups", "numbers", "texts"])
@pytest.mark.parametrize("command", ["describe", "init"])
def test_columns(tmp_path: Path, kind: str, command: str) -> None:
    """Four times as many columns take at most 4.5 times as long, and 1 GB, also groups of options and contexts."""
    seconds, memory = list[float](), 0.0
    for count in (FEWER, MORE):
        write_columns(tmp_path / f"{count}.csv", kind, count)
        used, memory = splc(tmp_path, command, f"{count}.csv")
        seconds.append(used)
    report(f"{command} of {MORE:,} columns ({kind}; {memory:.0f} MB)", seconds[1])
    assert memory < 1000
    print(f"{seconds[1] / seconds[0]:.2f} times as long as {FEWER:,} columns")
    assert seconds[1] < 4.5 * seconds[0]
