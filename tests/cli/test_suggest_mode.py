"""`splc suggest` on a table: configurations of a system or points of a scaling model, and what it pools."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROWS = list(itertools.product(("bz2", "lzma", "zlib"), (1, 3, 5, 9), (16, 64, 256), (0, 1)))
NOTE = "nothing says what the table is about"


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


def of_system(run: Run, table: Path, *arguments: str) -> bool:
    """Return whether configurations are suggested, by the note on the inferred system."""
    result = run("suggest", "--measurements", table.name, *arguments)
    assert "Traceback" not in result.stderr
    return "its options are inferred" in result.stderr or "; properties: " in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--options", "algorithm,level,chunk_kib,delta"),
        ("--property", "time_ms"),
        ("--goal", "optimum"),
        ("--cost", "fee"),
        ("--cost", "model"),
        ("--seed", "1"),
    ],
)
def test_options_of_systems_select_configurations(run: Run, table: Path, arguments: tuple[str, ...]) -> None:
    """Each option that is about a system selects it, also where there are columns of text."""
    assert of_system(run, table, "--budget", "3", *arguments)


@pytest.mark.parametrize("key", ['options = ["algorithm", "level", "chunk_kib", "delta"]', 'property = "time_ms"'])
def test_project_files_select_configurations(run: Run, table: Path, key: str) -> None:
    """Options or a property in `splc.toml` select the system, unless options of a profile are given."""
    (table.parent / "splc.toml").write_text(f"{key}\n", encoding="utf-8")
    assert of_system(run, table, "--budget", "3")
    assert not of_system(run, table, "--coordinates", "level,chunk_kib", "--metric", "time_ms")


def test_named_options_are_suggested(run: Run, table: Path) -> None:
    """`--options` with a column of text suggests configurations of all its texts."""
    options = "algorithm,level,chunk_kib,delta"
    few = "\n".join(line.rpartition(",")[0] for line in table.read_text(encoding="utf-8").splitlines())
    table.write_text(few + "\n", encoding="utf-8")
    result = run("suggest", "--measurements", table.name, "--budget", "3", "--options", options, "--json")
    assert result.exit_code == 0, result.stderr
    assert all("algorithm_zlib" in each["configuration"] for each in json.loads(result.stdout)["next"])


def test_the_default_is_stated(run: Run, table: Path) -> None:
    """If nothing decides, a note says what was selected and how to select the other, also before an error."""
    refused = run("suggest", "--measurements", table.name, "--budget", "3")
    assert refused.exit_code == 2
    assert NOTE in refused.stderr
    assert "--coordinates" in refused.stderr
    assert "--property or --options" in refused.stderr
    scaling = "p,time\n" + "".join(f"{p},{3 + p}\n" for p in (1, 2, 4, 8))
    table.write_text(scaling, encoding="utf-8")
    assert NOTE in run("suggest", "--measurements", table.name).stderr
    assert NOTE not in run("suggest", "--measurements", table.name, "--coordinates", "p").stderr
    table.write_text(scaling.replace("time", "value"), encoding="utf-8")
    assert NOTE not in run("suggest", "--measurements", table.name, "--cost", "value * p").stderr


def test_contradicting_options_are_named_in_order(run: Run, table: Path) -> None:
    """The message about options of both kinds says which is which."""
    refused = run("suggest", "--measurements", table.name, "--metric", "time_ms", "--options", "level")
    assert refused.exit_code == 2
    text = " ".join(refused.stderr.split())
    assert "--options, --metric: give only one of them: the first one is for configurations of a system" in text


@pytest.mark.parametrize("command", ["suggest", "scale"])
def test_pooled_columns_are_named(run: Run, table: Path, command: str) -> None:
    """A column that may be a parameter, and whose values become repetitions, is named; none are called missing."""
    files = ("--measurements", table.name) if command == "suggest" else (table.name,)
    chosen = (command, *files, "--metric", "time_ms", "--where", "algorithm=zlib", "--coordinates")
    pooled = run(*chosen, "level,chunk_kib")
    assert pooled.exit_code == 0, pooled.stderr
    assert "rows of the same point differ in delta and are used as repetitions" in pooled.stderr
    assert "missing" not in pooled.stderr
    assert "repetitions" not in run(*chosen, "level,chunk_kib,delta").stderr
    assert "used as repetitions" not in run(*chosen, "level,chunk_kib", "--where", "delta=1").stderr


def test_empty_cells_are_counted(run: Run, table: Path) -> None:
    """Only empty cells count as missing values, not unequal numbers of repetitions."""
    rows = [f"{p},{3 + p + r / 100}" for p in (1, 2, 4, 8, 16) for r in range(3 if p < 8 else 2)]
    table.write_text("\n".join(["p,time", *rows]) + "\n", encoding="utf-8")
    assert "missing" not in run("suggest", "--measurements", table.name, "--coordinates", "p").stderr
    table.write_text("\n".join(["p,time", *rows, "1,", "4,"]) + "\n", encoding="utf-8")
    assert "2 values of time are missing" in run("suggest", "--measurements", table.name, "--coordinates", "p").stderr


def test_intervals_of_positive_values_are_not_negative(run: Run, table: Path) -> None:
    """The lower bound for times is at least 0, in suggestions and predictions; negative values keep theirs."""
    chosen = ("--metric", "time_ms", "--where", "algorithm=lzma", "--coordinates", "level,chunk_kib")
    found = json.loads(run("suggest", "--measurements", table.name, *chosen, "--json", "--count", "4").stdout)
    assert min(each["interval"][0] for each in found["next"]) == 0
    at = ("--predict-at", "level=1,chunk_kib=16", "--json")
    scaled = json.loads(run("scale", table.name, *chosen, *at).stdout)
    assert scaled["predictions"][0]["lower"] == 0
    rows = [f"{p},{value}" for p, value in ((1, -4), (2, 3), (4, -2), (8, 5), (16, -3))]
    table.write_text("\n".join(["p,gain", *rows]) + "\n", encoding="utf-8")
    negative = json.loads(run("scale", table.name, "--predict-at", "p=64", "--json").stdout)
    assert negative["predictions"][0]["lower"] < 0
