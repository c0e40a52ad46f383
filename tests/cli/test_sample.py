"""`splc sample`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

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


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "no sampling is given\n    known are"),
            (["--sampling", "pb"], "pb"),
            (["--sampling", "pb:10,3"], "pb:10,3"),
            (["--sampling", "pairwse"], "unknown sampling 'pairwse'; did you mean 'pairwise'?\n    known are"),
            (["--sampling", "random:10"], "only 9 are valid"),
            (["--sampling", "ff+cci"], "both parts are numeric"),
            (["--sampling", "ff", "--binary", "all"], "given twice"),
            (["--binary", "ff"], "unknown binary sampling 'ff'"),
            (["--sampling", "ff", "--system", "nowhere.xml"], "nowhere.xml: there is no such file"),
            (["--sampling", "ff", "-o", "nowhere/s.csv"], "nowhere/s.csv: cannot be written"),
            (["--sampling", "ff", "-o", "nowhere/s.csv", "--json"], "nowhere/s.csv: cannot be written"),
            (["--sampling", "ff", "-o", "."], "this is a folder"),
            (["--sampling", "random:1000000000"], "1,000,000,000 configurations are too many (the limit is 1,000,000)"),
            (["--sampling", "random:1,from=nowhere.csv"], "nowhere.csv: there is no such file"),
            (["--sampling", "ff[y]"], "ff[y]: 'y' is not a numeric option of"),
        ],
    )
    def test_wrong_arguments(self, refused: Refused, folder: Path, arguments: list[str], message: str) -> None:
        """A wrong sampling is refused with the known ones, an output that cannot be written with its name."""
        before = sorted(folder.iterdir())
        assert message in refused("sample", *arguments)
        assert sorted(folder.iterdir()) == before

    def test_two_results_on_standard_output(self, refused: Refused) -> None:
        """The table and the JSON object are not mixed."""
        assert "the JSON object is written to standard output already" in refused(
            "sample", "--sampling", "ff", "-o", "-", "--json"
        )
