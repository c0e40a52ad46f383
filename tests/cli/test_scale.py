"""`splc scale`: profiles, their files, and models as programs."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc import read_model
from splc.workflows.scale.view import MANY
from tests.cli.conftest import Run
from tests.support.cube_files import write_cube
from tests.support.real_data import DATA

# A third of them is in the usual run.
FILES = [
    pytest.param(file, id=file.name, marks=pytest.mark.slow if at % 3 else ())
    for at, file in enumerate(sorted((DATA / "extrap_formats").glob("*/*")))
]

# 3 + 2 p^2 and 5 p, each with a repetition that lies a little off.
PROFILE = """PARAMETER p
POINTS (2) (4) (8) (16) (32)
METRIC time
REGION main->sort
DATA 11 11.01
DATA 35 35.01
DATA 131 131.01
DATA 515 515.01
DATA 2051 2051.01
REGION main->send
DATA 10 10.01
DATA 20 20.01
DATA 40 40.01
DATA 80 80.01
DATA 160 160.01
"""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one, with a profile in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile.txt").write_text(PROFILE, encoding="utf-8")
    return tmp_path


def fitted(run: Run, *arguments: str, stdin: str | None = None, code: int = 0) -> Any:
    """Return the JSON object of a run with this exit code."""
    result = run("scale", "--json", *arguments, stdin=stdin)
    assert result.exit_code == code, result.stderr
    return json.loads(result.stdout)


class TestProfiles:
    @pytest.mark.parametrize("count", [MANY, MANY + 1])
    def test_json_of_many_models(self, run: Run, empty: Path, count: int) -> None:
        """The object of many models has the entries that each model has alone."""
        lines = [
            {"params": {"p": p}, "callpath": f"f{at}", "value": 3 + at * p}
            for at in range(count)
            for p in (2, 4, 8, 16)
        ]
        (empty / "many.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        found = fitted(run, "many.jsonl")
        alone = fitted(run, "many.jsonl", "--callpath", "f7")
        assert [each["callpath"] for each in found["models"]] == [f"f{at}" for at in range(count)]
        assert found["models"][7]["model"] == alone["model"]
        assert found["output"] == "learned.json"

    def test_one_model_is_read_like_every_other(self, run: Run, empty: Path) -> None:
        """The JSON and the text of one model are models, which predict what the function gives."""
        for name in ("one.json", "one.txt", "one.log"):
            chosen = ("--callpath", "main->sort", "--metric", "time")
            assert run("scale", "profile.txt", *chosen, "-o", name).exit_code == 0
            influences = {term.text(): influence for term, influence in read_model(empty / name).terms}
            assert influences == pytest.approx({"1": 3.005, "p^2": 2}, rel=1e-2)

    def test_python(self, run: Run, empty: Path) -> None:
        """The Python module has a function per model, also where names are no identifiers or the same as one."""
        rows = [
            f"{p},{path},{value}"
            for path, scale in (("a-b", 1), ("a b", 2), ("class", 3), ('say "x"\\', 4))
            for p in (2, 4, 8, 16, 32)
            for value in (scale * p**2,)
        ]
        (empty / "names.csv").write_text(
            "lambda;callpath;value\n" + "\n".join(rows).replace(",", ";"), encoding="utf-8"
        )
        assert run("scale", "names.csv", "-o", "all.py").exit_code == 0
        found = runpy.run_path(str(empty / "all.py"))
        values = {path: function(10) for (path, _), function in found["MODELS"].items()}
        assert values == pytest.approx({"a-b": 100, "a b": 200, "class": 300, 'say "x"\\': 400})
        assert {"a_b", "a_b_2", "model_class", "say_x"} <= set(found)

    def test_two_segments(self, run: Run, empty: Path) -> None:
        """The Python function of a change of behaviour follows both models, also of two parameters."""
        rows = [f"{n},{p},{n * (p * p if p <= 6 else 30 + p)}\n" for n in (1, 2, 4, 8, 16) for p in range(1, 13)]
        for header, chosen in (("n,p", rows), ("p", [row.removeprefix("1,") for row in rows[:12]])):
            (empty / "turn.csv").write_text(f"{header},time\n" + "".join(chosen), encoding="utf-8")
            asked = ("turn.csv", "--coordinates", header, "--set", "segmented=true", "-o", "turn.py")
            assert run("scale", *asked).exit_code == 0
            (function,) = runpy.run_path(str(empty / "turn.py"))["MODELS"].values()
            points = [(2, 3), (2, 10)] if header == "n,p" else [(3,), (10,)]
            factor = 2 if header == "n,p" else 1
            assert [function(*point) for point in points] == pytest.approx([9 * factor, 40 * factor])

    @pytest.mark.real_data
    @pytest.mark.parametrize("file", FILES)
    def test_published_files(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
        """Every file of Extra-P's tests gives a finite model for each of its series."""
        monkeypatch.chdir(tmp_path)
        found = fitted(run, str(file))
        entries = found.get("models", [found])
        assert not found["failed"]
        assert all(each["model"]["terms"] and each["scaling"]["smape"] is not None for each in entries)


@pytest.mark.real_data
def test_hypotheses_without_variance(run: Run) -> None:
    """Points at which a hypothesis has no variance are candidates without warnings."""
    file = str(DATA / "extrap_formats" / "jsonlines" / "incomplete_matrix_2p.jsonl")
    assert fitted(run, file, "--suggest", "--target", "x=100,y=10")["next"][0]["gain"] > 0


def test_a_line_per_model(run: Run, empty: Path) -> None:
    """Files of several models have a line per model."""
    assert run("scale", "profile.txt", "-o", "lines.json").exit_code == 0
    text = (empty / "lines.json").read_text(encoding="utf-8")
    assert len(json.loads(text)["models"]) == sum('"callpath"' in line for line in text.splitlines()) == 2


def test_cube_profiles(run: Run, refused: Refused, empty: Path) -> None:
    """A folder of CUBE profiles gives models of exclusive means, or of inclusive sums."""
    pytest.importorskip("pycubexr", reason="the extra cube is not installed")
    nodes = ("main", "main->sweep")
    for p in (1, 2, 4, 8, 16):
        values = {"main": (3.0 + p, 3.0 + 3 * p), "main->sweep": (1.0 * p, 3.0 * p)}
        metrics = {"time": ("INCLUSIVE", "DOUBLE", values)}
        write_cube(empty / "runs" / f"app.p{p}.r1" / "profile.cubex", metrics, nodes=nodes)
    found = {each["callpath"]: each for each in fitted(run, "runs", "--metric", "time")["models"]}
    assert found["main"]["model"]["text"] == "3"
    assert found["main->sweep"]["predictions"] == []
    assert found["main->sweep"]["model"]["terms"][-1]["influence"] == pytest.approx(2)
    sums = fitted(run, "runs", "--scaling", "strong", "--inclusive", "--callpath", "main", "--predict-at", "p=32")
    assert sums["predictions"][0]["predicted"] == pytest.approx(6 + 4 * 32)
    assert "folders of CUBE profiles only" in refused("scale", "profile.txt", "--scaling", "weak")
    assert "'week' is not one of 'weak', 'weak_threaded', 'strong'" in refused("scale", "runs", "--scaling", "week")
    (empty / "runs" / "app.p2.r1" / "profile.cubex").write_bytes(b"no archive")
    assert "app.p2.r1/profile.cubex: the CUBE profile is damaged" in refused("scale", "runs")


Refused = Callable[..., str]
