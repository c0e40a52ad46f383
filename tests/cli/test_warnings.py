"""Warnings of `learn` about data and models: they name the row, and do not depend on how the data are told."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Run

Row = tuple[int, int, int, float]
OPTIONS = ("a", "b", "n")
# The place of the failed run.
FAILED = 10


def rows() -> list[Row]:
    """Return 20 runs, one of which failed."""
    rng = random.Random(5)
    cells = rng.sample([(a, b, n) for a in (0, 1) for b in (0, 1) for n in range(1, 21)], 20)
    found = [(a, b, n, (10 + 5 * a + 2 * n + b * n) * rng.gauss(1, 0.03)) for a, b, n in cells]
    found[FAILED] = (*found[FAILED][:3], 99999.0)
    return found


def learned(run: Run, folder: Path, cells: Sequence[Sequence[float]], names: Sequence[str] = (*OPTIONS, "time")) -> str:
    """Learn a table; return what is said on standard error."""
    folder.mkdir()
    lines = [",".join(names), *(",".join(f"{cell:.17g}" for cell in row) for row in cells)]
    (folder / "measurements.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = run("learn", "--property", "time")
    assert result.exit_code == 0, result.stderr
    return result.stderr


def outliers(said: str) -> list[str]:
    """Return the places of outliers in messages."""
    return re.findall(r"warning: measurements\.csv:(\d+): .* an outlier\?", said)


VARIANTS: dict[str, Callable[[list[Row]], tuple[list[Sequence[float]], Sequence[str], int]]] = {
    "same": lambda cells: ([*cells], (*OPTIONS, "time"), FAILED),
    "rows": lambda cells: ([*reversed(cells)], (*OPTIONS, "time"), len(cells) - 1 - FAILED),
    "columns": lambda cells: ([(n, b, a, y) for a, b, n, y in cells], ("n", "b", "a", "time"), FAILED),
    "names": lambda cells: ([*cells], ("tls", "cache", "threads", "time"), FAILED),
    "unit": lambda cells: ([(*row[:3], 1000 * row[3]) for row in cells], (*OPTIONS, "time"), FAILED),
    "small unit": lambda cells: ([(*row[:3], 1e-9 * row[3]) for row in cells], (*OPTIONS, "time"), FAILED),
    "constant": lambda cells: ([(1, *row) for row in cells], ("always", *OPTIONS, "time"), FAILED),
    "repetitions": lambda cells: (
        [*((*row[:3], 20.0) if at == FAILED else row for at, row in enumerate(cells)), *cells],
        (*OPTIONS, "time"),
        len(cells) + FAILED,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_failed_run_is_named(run: Run, tmp_path: Path, name: str) -> None:
    """A value of 99,999 among 20 is named with its line, however the measurements are told."""
    cells, names, place = VARIANTS[name](rows())
    # The first line has the names.
    assert outliers(learned(run, tmp_path / "here", cells, names)) == [str(place + 2)]
