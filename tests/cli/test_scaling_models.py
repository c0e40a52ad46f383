"""Commands that read the JSON of scaling models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SEGMENTS = "".join(f"{p},{5 if p <= 16 else p * p}\n" for p in (2, 4, 6, 8, 10, 12, 14, 16, 32, 64, 96, 128, 160, 192))


@pytest.fixture
def scaling_models(folder: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Write scaling models of a table, of two properties and of two segments, into a folder without a system."""
    (folder / "profiles").mkdir()
    monkeypatch.chdir(folder / "profiles")
    Path("runs.csv").write_text("p,time,power\n" + "".join(f"{p},{p + 1},{9 - p}\n" for p in range(1, 7)))
    Path("segments.csv").write_text(f"p,time\n{SEGMENTS}")
    table = "scale", "runs.csv", "--coordinates", "p"
    run(*table, "--metric", "time", "-o", "one.json")
    Path("printed.json").write_text(run(*table, "--metric", "time", "--json", "-o", "again.json").stdout)
    run(*table, "-o", "two.json")
    run("scale", "segments.csv", "--coordinates", "p", "--set", "segmented=true", "-o", "segments.json")


@pytest.mark.usefixtures("scaling_models")
def test_without_a_system(run: Run) -> None:
    """A scaling model needs a table of its parameters; the message says what the file is and which command predicts."""
    for model in ("one.json", "printed.json", "two.json"):
        for command in (("predict", model, "runs.csv"), ("compare", "one.json", model), ("explain", model)):
            result = run(*command)
            assert (result.exit_code, result.stdout) == (2, "")
            file = "one.json" if command[0] == "compare" else model
            assert f"{file}: this is a scaling model, and there is no system description" in result.stderr
            assert "splc scale PROFILE --predict-at" in result.stderr
            assert "--measurements FILE" in result.stderr
    found = run("predict", "printed.json", "runs.csv", "--measurements", "runs.csv", "--property", "time", "--json")
    assert json.loads(found.stdout)["predicted"] == pytest.approx([2, 3, 4, 5, 6, 7])
    several = run("predict", "two.json", "runs.csv", "--measurements", "runs.csv", "--property", "time")
    assert several.exit_code == 2
    assert "two.json: it has 2 models, not one" in several.stderr


@pytest.mark.usefixtures("scaling_models")
def test_two_segments(run: Run) -> None:
    """A note says that the lower segment is left out, and one model of a file without segments has no such note."""
    command = "predict", "segments.json", "segments.csv", "--measurements", "segments.csv"
    note = (
        "segments.json: the model of p beyond 16; the one up to there is left out (splc scale --predict-at uses both)"
    )
    result = run(*command)
    assert result.exit_code == 0
    assert note in " ".join(result.stderr.split())
    one = run("predict", "one.json", "runs.csv", "--measurements", "runs.csv", "--property", "time")
    assert "left out" not in one.stderr


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_scale_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, form: tuple[str, ...]
) -> None:
    """The exit code is 1 if a call path of one of the versions has no model; the others are shown."""
    monkeypatch.chdir(tmp_path)
    values = [(version, path, p) for version in (1, 2) for path in ("f", "g") for p in (2, 4, 8, 16, 32)]
    rows = [f"v{v},{path},{p},{'' if (v, path) == (1, 'g') else v * p * p}" for v, path, p in values]
    (tmp_path / "profile.csv").write_text("\n".join(["version,callpath,p,time", *rows]))
    done = run("scale", "profile.csv", "--by", "version", *form)
    assert (done.exit_code, done.stderr.count("no model of g")) == (1, 1)
    assert "v2" in done.stdout
