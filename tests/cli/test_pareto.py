"""`splc optimize` with several properties: the Pareto front."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_optimize import optimal


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model into the project folder."""
    (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")


class TestSeveralProperties:
    @pytest.fixture(autouse=True)
    def _size(self, folder: Path) -> None:
        (folder / "size.txt").write_text("3 * x + 4 * cache\n", encoding="utf-8")

    def test_without_models(self, run: Run) -> None:
        """Without a model, one is learned for each property, and a note says so."""
        found = optimal(run, "--property", "time", "--property", "energy")
        assert [each["name"] for each in found["properties"]] == ["time", "energy"]
        assert all(value["interval"] for each in found["front"] for value in each["properties"].values())
        result = run("optimize", "--property", "time")
        assert "note: the model of time is learned from 9 measured configurations" in result.stderr
        assert result.stdout.startswith("predicted: ")
