"""Reports of pytest-benchmark: tests with different parameters in one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc.cli.app import app


def benchmark(test: str, params: Mapping[str, Any], time: float) -> Any:
    """Return a benchmark with two rounds."""
    name = f"t.py::{test}[{'-'.join(map(str, params.values()))}]"
    return {"fullname": name, "params": params, "stats": {"data": [time, time * 1.01]}}


def report(*benchmarks: Any) -> str:
    """Return a report."""
    return json.dumps({"machine_info": {}, "benchmarks": benchmarks})


def test_different_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is learned from with its own parameters: the first command says how, and what it says works."""
    monkeypatch.chdir(tmp_path)
    runs = [
        benchmark("sort", {"n": n, "algorithm": name}, n * factor)
        for n in (10, 20, 40, 80, 160)
        for name, factor in (("quick", 0.1), ("merge", 0.2), ("heap", 0.4))
    ]
    runs += [
        benchmark("zip", {"n": n, "codec": name}, n * f)
        for n in (10, 20, 40, 80, 160)
        for name, f in (("gz", 3), ("zs", 1))
    ]
    Path("r.json").write_text(report(*runs), encoding="utf-8")
    first = CliRunner().invoke(app, ["learn", "r.json"])
    assert first.exit_code == 2
    assert "choose one with --where test=t.py::sort" in first.stderr
    for test, option, other in (("sort", "algorithm", "codec"), ("zip", "codec", "algorithm")):
        done = CliRunner().invoke(app, ["learn", "r.json", "--where", f"test=t.py::{test}", "--json"])
        assert done.exit_code == 0, done.stderr
        assert f"{other} (it has no values in the selected rows)" in done.stderr
        terms = " ".join(each["term"] for each in json.loads(done.stdout)["model"]["terms"])
        assert option in terms
        assert other not in terms
    assert CliRunner().invoke(app, ["learn", "r.json", "--by", "test"]).exit_code == 0
