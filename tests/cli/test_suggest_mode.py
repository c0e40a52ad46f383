"""Suggestions for a table: configurations of a system or points of a scaling model, and what is pooled."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROWS = list(itertools.product(("bz2", "lzma", "zlib"), (1, 3, 5, 9), (16, 64, 256), (0, 1)))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table with a column of text, an option and two metrics, in the current folder without a description."""
    monkeypatch.chdir(tmp_path)
    lines = ["algorithm,level,chunk_kib,delta,time_ms,fee"]
    for at, (algorithm, level, chunk, delta) in enumerate(ROWS):
        if at % 3 != 1:
            time = (1 + level) * {"bz2": 3, "lzma": 9, "zlib": 1}[algorithm] * (1 + 9 * delta) + chunk / 64 + 0.01 * at
            lines.append(f"{algorithm},{level},{chunk},{delta},{time:.4f},{7 + at / 8:.3f}")
    file = tmp_path / "table.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--options", "level,chunk_kib,delta"),
        ("--goal", "optimum"),
        ("--cost", "fee"),
        ("--cost", "model"),
    ],
)
def test_measurements_are_of_a_system(run: Run, table: Path, arguments: tuple[str, ...]) -> None:
    """Of measurements configurations of the system are suggested, which is inferred where it is not described."""
    chosen = ("--budget", "3", "--property", "time_ms", "--options", "algorithm", "--json")
    found = run("suggest", "--measurements", table.name, *chosen, *arguments)
    assert found.exit_code in {0, 1}, found.stderr
    assert json.loads(found.stdout)["schema"] == "splc.suggest/1"


def test_named_options_are_suggested(run: Run, table: Path) -> None:
    """`--options` with a column of text suggests configurations of all its texts."""
    options = "algorithm,level,chunk_kib,delta"
    few = "\n".join(line.rpartition(",")[0] for line in table.read_text(encoding="utf-8").splitlines())
    table.write_text(few + "\n", encoding="utf-8")
    result = run("suggest", "--measurements", table.name, "--budget", "3", "--options", options, "--json")
    assert result.exit_code == 0, result.stderr
    assert all("algorithm_zlib" in each["configuration"] for each in json.loads(result.stdout)["next"])


def test_a_named_profile(run: Run, table: Path) -> None:
    """A table that is named as a profile is one, also in a folder whose `splc.toml` names a property."""
    (table.parent / "splc.toml").write_text('property = "time_ms"\n', encoding="utf-8")
    chosen = ("--coordinates", "level,chunk_kib", "--metric", "time_ms", "--where", "algorithm=zlib")
    assert (
        json.loads(run("scale", table.name, "--suggest", *chosen, "--json").stdout)["schema"] == "splc.scale.suggest/1"
    )


def test_intervals_of_positive_values_are_not_negative(run: Run, table: Path) -> None:
    """The lower bound for times is at least 0, in suggestions and predictions; negative values keep theirs."""
    chosen = ("--metric", "time_ms", "--where", "algorithm=lzma", "--coordinates", "level,chunk_kib")
    found = json.loads(run("scale", table.name, "--suggest", *chosen, "--json", "--count", "4").stdout)
    assert min(each["interval"][0] for each in found["next"]) == 0
    at = ("--predict-at", "level=1,chunk_kib=16", "--json")
    scaled = json.loads(run("scale", table.name, *chosen, *at).stdout)
    assert scaled["predictions"][0]["lower"] == 0
    rows = [f"{p},{value}" for p, value in ((1, -4), (2, 3), (4, -2), (8, 5), (16, -3))]
    table.write_text("\n".join(["p,gain", *rows]) + "\n", encoding="utf-8")
    negative = json.loads(run("scale", table.name, "--predict-at", "p=64", "--json").stdout)
    assert negative["predictions"][0]["lower"] < 0
