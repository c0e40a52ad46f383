"""`splc scale` reads the output of benchmark tools as `splc learn` does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

Refused = Callable[..., str]
DATA = Path(__file__).parents[1] / "formats" / "benchmarks" / "data"


def hyperfine(sizes: list[int], tools: list[str]) -> str:
    """Return hyperfine's JSON of programs whose time is linear and quadratic in a size."""
    factor = {"linear": lambda size: 0.5 + 0.01 * size, "square": lambda size: 0.5 + 0.001 * size**2}
    results = [
        {
            "command": f"{tool} -n {size}",
            "mean": factor[tool](size),
            "times": [factor[tool](size)] * 3,
            "user": 0.1,
            "system": 0.1,
            "parameters": {"size": str(size), "tool": tool, "level": "3"},
        }
        for tool in tools
        for size in sizes
    ]
    return json.dumps({"results": results})


def models(run: Run, *arguments: str) -> dict[str, list[str]]:
    """Return call path → the terms of its models."""
    done = run("scale", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    return {
        each.get("callpath", ""): [term["term"] for term in each["model"]["terms"]]
        for each in found.get("models", [found])
    }


def test_one_model_for_each_kind(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are parameters, texts are call paths, and options with one value are left out."""
    monkeypatch.chdir(tmp_path)
    Path("runs.json").write_text(hyperfine([10, 20, 40, 80, 160], ["linear", "square"]), encoding="utf-8")
    found = models(run, "runs.json")
    assert list(found) == ["tool=linear", "tool=square"]
    assert found["tool=linear"] == ["1", "size"]
    assert found["tool=square"] == ["1", "size^2"]
    assert "left out, with one value in all rows: level" in run("scale", "runs.json", "-v").stderr
    (only,) = models(run, "runs.json", "--where", "tool=square").values()
    assert only == ["1", "size^2"]


@pytest.mark.parametrize(
    ("file", "parameters"),
    [
        ("hyperfine.json", ["level"]),
        ("hyperfine.csv", ["level"]),
        ("google-benchmark.json.gz", ["n", "parts"]),
        ("google-benchmark.csv", ["arg1", "arg2"]),
        ("pytest-benchmark.json.gz", ["level", "size"]),
        ("jmh.json", ["load", "size"]),
        ("fio.json.gz", ["bs", "fsync"]),
        ("perf-csv", ["level"]),
        ("perf-json", ["level"]),
        ("criterion", ["value"]),
        ("hydra", ["level", "size", "wbits"]),
    ],
)
def test_files_of_tools(file: str, parameters: list[str], run: Run, tmp_path: Path) -> None:
    """One command gives models of the parameters of each tool's output."""
    done = run("scale", str(DATA / file), "-o", str(tmp_path / "models.json"))
    assert done.exit_code == 0, done.stderr
    stored = json.loads((tmp_path / "models.json").read_text(encoding="utf-8"))
    assert sorted(stored["parameters"]) == parameters
