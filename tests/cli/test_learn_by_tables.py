"""`learn --by` with tables whose versions have different options, few rows or dependent columns."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.cli.conftest import Run

HEADER = "version,a,b,n,gpu,time"
GRID = list(itertools.product((0, 1), (0, 1), (1, 4)))


def row(version: str, a: int, b: int, n: int, gpu: int, time: float | None = None) -> str:
    """Return a line of the table; b takes twice as long in version v2."""
    factor = 1 + 0.01 * ((7 * a + 5 * b + 3 * n + 2 * gpu) % 3 - 1)
    known = (10 + 5 * a + 3 * n + (8 if version == "v2" else 4) * b - 6 * gpu) * factor
    return f"{version},{a},{b},{n},{gpu},{known if time is None else time!r}"


FIRST = [row("v1", a, b, n, 0) for a, b, n in GRID]
SECOND = [row("v2", a, b, n, gpu) for a, b, n in GRID for gpu in (0, 1)]
TABLES = {
    "a new option": (*FIRST, *SECOND),
    "a removed option": (*[line.replace("v2", "v0") for line in SECOND], *FIRST),
    "a version with one row": (*FIRST, *SECOND, row("v22", 1, 1, 4, 1, 20.0)),
    "versions with one row each": tuple(row(f"v{at}", 1, 0, at, 1) for at in range(1, 5)),
    "two rows per version": tuple(row(f"v{v}", a, 0, 1, 0) for v in (1, 2) for a in (0, 1)),
    "options that go together": (*FIRST, *[row("v2", a, a, n, 0) for a, _, n in GRID]),
    "one value": tuple(SECOND),
    "a constant property": tuple(row(v, a, b, n, 0, 3.0) for v in ("v1", "v2") for a, b, n in GRID),
    "a version that is always 0": (*FIRST, *[row("v2", a, b, n, 0, 0.0) for a, b, n in GRID]),
    "negative values": tuple(row(v, a, b, n, 0, n - 3.0 * b - 2) for v in ("v1", "v2") for a, b, n in GRID),
    "equal rows": tuple(row(v, 1, 1, 4, 1, time) for v in ("v1", "v2") for time in (1.0, 2.0, 3.0)),
    "no common configuration": tuple(row(f"v{1 + (a + b) % 2}", a, b, n, 0) for a, b, n in GRID),
    "an option that is always selected": (*FIRST, *[row("v2", a, b, n, 1) for a, b, n in GRID]),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learner", ["projection", pytest.param("stepwise", marks=pytest.mark.slow)])
def test_odd_tables(name: str, learner: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table has an answer or a message about bad input."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("\n".join([HEADER, *TABLES[name]]) + "\n")
    done = run("learn", "--learner", learner, "--measurements", "m.csv", "--by", "version", "--plot", "p.svg")
    assert done.exit_code in {0, 1, 2}
    legends = [line for line in done.stdout.splitlines() if line.startswith(("common: ", "ratio: "))]
    headers = [line for line in done.stdout.splitlines() if line.startswith("change ")]
    for legend in legends:
        assert {part.split(":")[0] for part in legend.split("; ")} <= set(headers[-1].split())
