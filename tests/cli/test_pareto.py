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

    def test_equal_except_for_rounding(self, folder: Path, run: Run) -> None:
        """Of configurations that are dominated but for digits that are not printed, the front has none."""
        (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")
        (folder / "size.txt").write_text("3 * x + 4 * cache\n", encoding="utf-8")
        exact = optimal(run, "model.txt", "size.txt")["front"]
        (folder / "size.txt").write_text("3 * x + 4 * cache + 1e-7 - 1e-7 * right\n", encoding="utf-8")
        (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x + 1e-7 * right\n", encoding="utf-8")
        found = run("optimize", "model.txt", "size.txt")
        nearly = optimal(run, "model.txt", "size.txt")["front"]

        def shown(front: list[dict[str, dict[str, dict[str, float]]]]) -> list[list[str]]:
            return [[f"{value['predicted']:.6g}" for value in each["properties"].values()] for each in front]

        assert shown(nearly) == shown(exact)
        assert len({tuple(row) for row in shown(nearly)}) == len(nearly)
        assert "left out: others are at least as good to 6 digits" in found.stderr

    def test_without_models(self, run: Run) -> None:
        """Without a model, one is learned for each property, and a note says so."""
        found = optimal(run, "--property", "time", "--property", "energy")
        assert [each["name"] for each in found["properties"]] == ["time", "energy"]
        assert all(value["interval"] for each in found["front"] for value in each["properties"].values())
        result = run("optimize", "--property", "time")
        assert "note: the model of time is learned from 9 measured configurations" in result.stderr
        assert result.stdout.startswith("predicted: ")
