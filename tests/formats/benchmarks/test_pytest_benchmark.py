"""Reports of pytest-benchmark: tests with different parameters in one file, and the roles of `extra_info`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from splc.formats.benchmarks.table import TableSource
from splc.formats.benchmarks.tools import read_benchmark
from splc.io.files import Source


def benchmark(test: str, params: Mapping[str, Any], time: float, extra: Mapping[str, Any] | None = None) -> Any:
    """Return a benchmark with two rounds."""
    name = f"t.py::{test}" + (f"[{'-'.join(map(str, params.values()))}]" if params else "")
    return {
        "fullname": name,
        "params": params or None,
        "extra_info": extra or {},
        "stats": {"data": [time, time * 1.01]},
    }


def report(*benchmarks: Any) -> str:
    """Return a report."""
    return json.dumps({"machine_info": {}, "benchmarks": benchmarks})


def table(*benchmarks: Any) -> TableSource:
    """Return the table of a report."""
    found = read_benchmark(Source("r.json", report(*benchmarks).encode()))
    assert isinstance(found, TableSource)
    assert found.stated is not None
    return found


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


def test_extra_of_tests_without_parameters() -> None:
    """Without parameters the entries are the options; the names of tests are contexts unless they say the same."""
    runs = [
        benchmark(f"sort_{n}_{name}", {}, n, {"n": n, "mode": name, "rss": n}) for n in (1, 2) for name in ("a", "b")
    ]
    stated = table(*runs).stated
    assert stated is not None
    assert (stated.options, stated.contexts, stated.properties) == (("n", "mode"), (), ("time", "rss"))
    again = table(*runs, *(benchmark("other", {}, 1, {"n": n, "mode": "a"}) for n in (1, 2))).stated
    assert again is not None
    assert again.contexts == ("test",)


def test_extra_of_tests_with_parameters() -> None:
    """Numbers are properties, and what differs among equal parameters is an option; the rest says nothing new."""
    runs = [
        benchmark(
            "sort", {"n": n}, n, {"workers": workers, "bytes": 8 * n, "kind": f"of {n}", "host": "a", "parts": [1]}
        )
        for n in (1, 2)
        for workers in (1, 4)
    ]
    found = table(*runs)
    assert found.stated is not None
    assert found.stated.options == ("n", "workers")
    assert found.stated.contexts == ("test", "host")
    assert found.stated.properties == ("time", "bytes")
    assert found.notes == ("left out of extra_info, since the parameters decide it: kind",)
