"""`splc optimize`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.paths import SMG2000

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model into the project folder."""
    (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")


def optimal(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("optimize", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_least_and_the_greatest(run: Run) -> None:
    """The valid configuration with the least predicted value is found, with --maximize the greatest."""
    least = optimal(run, "model.txt")
    assert least["schema"] == "splc.optimize/1"
    assert least["configuration"] == {"cache": 1, "left": 1, "right": 0, "x": 4}
    assert least["predicted"] == 2.0
    greatest = optimal(run, "model.txt", "--maximize")
    assert greatest["configuration"] == {"cache": 0, "left": 0, "right": 1, "x": 1}
    assert greatest["predicted"] == 19.0


def test_the_table(run: Run) -> None:
    """People get the predicted value and a table of options."""
    lines = run("optimize", "model.txt").stdout.splitlines()
    assert lines[0] == "predicted: 2 (least of all valid configurations)"
    assert [line.split() for line in lines[2:]] == [
        ["cache", "selected"],
        ["left", "selected", "unused"],
        ["right", "-"],
        ["x", "4"],
    ]


def test_ties_go_to_the_first(run: Run, folder: Path) -> None:
    """Of equally good configurations the first in order is taken."""
    (folder / "model.txt").write_text("0 * x + 7", encoding="utf-8")
    assert optimal(run, "model.txt")["configuration"] == {"cache": 0, "left": 0, "right": 1, "x": 1}


def test_the_limit(refused: Refused) -> None:
    """More configurations than the limit allows are refused, not searched in part."""
    assert "raise --limit" in refused("optimize", "model.txt", "--limit", "2")


def test_standard_input(run: Run) -> None:
    """The model may come from standard input."""
    assert json.loads(run("optimize", "-", "--json", stdin="x").stdout)["predicted"] == 1.0


def test_a_learned_log(run: Run) -> None:
    """The optimum of a learned log is predicted by it, too."""
    run("learn", "--property", "time")
    found = optimal(run, "learned.log")
    header = ",".join(found["configuration"])
    row = ",".join(str(value) for value in found["configuration"].values())
    table = run("predict", "learned.log", "-", stdin=f"{header}\n{row}\n").stdout
    assert float(table.splitlines()[1].rpartition(",")[2]) == pytest.approx(found["predicted"])


@pytest.mark.parametrize(
    ("content", "message"),
    [("2 * cash", "did you mean 'cache'?"), ("1 / cache", "has no finite value"), ("", "model.txt: the file is empty")],
)
def test_refusals(refused: Refused, folder: Path, content: str, message: str) -> None:
    """A model that cannot be used is refused with a message."""
    (folder / "model.txt").write_text(content, encoding="utf-8")
    assert message in refused("optimize", "model.txt")


def test_the_case_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the case study the least predicted time is found among its configurations, and below the greatest."""
    monkeypatch.chdir(SMG2000 / "3d")
    log = str(tmp_path / "learned.log")
    run("learn", "--sampling", "pb:25,5", "-o", log)
    found = optimal(run, log)
    assert set(found["configuration"]) == {"px", "py", "pz", "nx"}
    assert found["predicted"] <= json.loads(run("optimize", log, "--json", "--maximize").stdout)["predicted"]


def test_where_a_model_has_no_value(refused: Refused, folder: Path) -> None:
    """The configuration without a value is named by its values, not by a number."""
    (folder / "model.txt").write_text("x * right / cache + left * x", encoding="utf-8")
    message = refused("optimize", "model.txt")
    assert "cache^-1 * right * x has no finite value where cache = 0" in message
    assert "in a configuration with cache = 0, " in message
    assert "configuration 0" not in message


def test_options_that_the_model_does_not_use(run: Run, folder: Path) -> None:
    """Options that no term is about have a value, but are marked; where all are used nothing is said."""
    (folder / "model.txt").write_text("10 - x + 0 * right", encoding="utf-8")
    found = optimal(run, "model.txt")
    assert found["unused"] == ["cache", "left", "right"]
    assert set(found["configuration"]) == {"cache", "left", "right", "x"}
    result = run("optimize", "model.txt")
    assert [line.split() for line in result.stdout.splitlines()[2:]][-1] == ["x", "4"]
    assert result.stdout.count("unused") == 3
    assert "no better than other valid ones" in result.stderr
    (folder / "model.txt").write_text("cache + left + right + x", encoding="utf-8")
    assert optimal(run, "model.txt")["unused"] == []
    result = run("optimize", "model.txt")
    assert "unused" not in result.stdout
    assert result.stderr == ""
