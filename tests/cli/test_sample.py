"""`splc sample`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Run

Refused = Callable[..., str]


class TestTables:
    def test_measured(self, run: Run, refused: Refused, folder: Path) -> None:
        """`measured` is what was measured; invalid rows are a matter of policy, no measurements an error."""
        assert len(run("sample", "--sampling", "measured").stdout.splitlines()) == 10
        with (folder / "measurements.csv").open("a", encoding="utf-8") as file:
            file.write("1,0,1,1,1,1\n")
        assert "measurements.csv:12: " in refused("sample", "--sampling", "measured")
        result = run("sample", "--sampling", "measured", "--invalid", "drop")
        assert len(result.stdout.splitlines()) == 10
        assert "1 of 11 rows dropped" in result.stderr
        (folder / "measurements.csv").unlink()
        assert "no measurements" in refused("sample", "--sampling", "measured")
