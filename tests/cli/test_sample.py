"""`splc sample`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Run, description

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


class TestJson:
    def test_with_rows(self, run: Run, folder: Path) -> None:
        """Without a file the object holds the configurations, a deselected option as null."""
        numeric = (
            "<configurationOption><name>y</name><values>7</values><deselectedFlag>-1</deselectedFlag>"
            "</configurationOption>"
        )
        (folder / "system.xml").write_text(description(numeric=numeric), encoding="utf-8")
        found = json.loads(run("sample", "--sampling", "all+ff", "--json", "--seed", "7").stdout)
        rows = found.pop("rows")
        assert found == {
            "schema": "splc.sample/1",
            "sampling": "all+ff",
            "seed": 7,
            "configurations": 4,
            "removed": 0,
            "notes": [],
            "output": None,
        }
        assert {(row["cache"], row["y"]) for row in rows} == {(0, 7), (0, None), (1, 7), (1, None)}
