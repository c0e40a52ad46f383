"""`splc scale --suggest`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.real_data import DATA

N = (10, 20, 30, 40, 50)
P = (4, 8, 16, 32, 64)
CROSS = [(p, 10) for p in P] + [(4, n) for n in N[1:]]


def time_of(p: float, n: float) -> float:
    """Return what the measured program takes."""
    return 5 + 0.5 * p * n


def written(folder: Path, points: list[tuple[int, int]], extra: str = "") -> Path:
    """Write measurements of p and n as JSON lines, two repetitions each."""
    rows = [
        json.dumps({"params": {"p": p, "n": n}, "metric": "time", "value": [time_of(p, n), time_of(p, n)]})
        for p, n in points
    ]
    file = folder / "scaling.jsonl"
    file.write_text("\n".join(rows) + "\n" + extra, encoding="utf-8")
    return file


def test_a_point_off_the_cross_settles_it(run: Run, tmp_path: Path) -> None:
    """After the lines the cheapest point follows; with it the model is good enough, and nothing more is suggested."""
    file = written(tmp_path, CROSS)
    first = json.loads(run("scale", str(file), "--suggest", "--until", "5", "--json").stdout)
    assert first["schema"] == "splc.scale.suggest/1"
    (point,) = first["next"]
    assert point["point"] == {"p": 8, "n": 20}
    assert point["expected"] == pytest.approx(85)
    assert point["cost"] == pytest.approx(2 * 8 * 85)
    assert point["reason"] == "the cheapest point that was not measured"
    assert (first["done"], first["error"], first["repetitions"], first["measured_points"]) == (False, None, 2, 9)
    second = json.loads(
        run("scale", "--suggest", str(written(tmp_path, [*CROSS, (8, 20)])), "--until", "5", "--json").stdout
    )
    assert (second["done"], second["next"], second["error_points"]) == (True, [], 1)
    assert second["error"] == pytest.approx(0, abs=1e-6)
    assert second["parameters"] == ["p", "n"]
    assert second["cost"] == "value * p"


def test_costs_decide(run: Run, tmp_path: Path) -> None:
    """Another cost has another cheapest point, and a budget that is spent ends it."""
    file = str(written(tmp_path, CROSS))
    found = json.loads(run("scale", file, "--suggest", "--cost", "100 - n", "--json").stdout)
    assert found["next"][0]["point"] == {"p": 8, "n": 50}
    assert found["next"][0]["cost"] == pytest.approx(100)
    spent = json.loads(run("scale", file, "--suggest", "--budget", "1", "--json").stdout)
    assert (spent["done"], spent["next"], spent["budget"]) == (True, [], 1)
    assert spent["why"].startswith("the budget is spent")


def test_several_points_and_larger_axes(run: Run, tmp_path: Path) -> None:
    """--count plans ahead, --extend adds values, and --repetitions changes what a point costs."""
    file = str(written(tmp_path, CROSS))
    arguments = ("scale", file, "--suggest", "--count", "3", "--extend", "1", "--repetitions", "1", "--json")
    found = json.loads(run(*arguments).stdout)
    assert [each["point"] for each in found["next"]] == [
        {"p": 4, "n": 60},
        {"p": 8, "n": 20},
        {"p": 8, "n": 30},
    ]
    assert found["candidates"] == 36
    assert found["next"][0]["cost"] == pytest.approx(4 * 125)


def test_call_paths_are_added_up(run: Run, tmp_path: Path) -> None:
    """Several call paths of a metric cost what they take together; one can be chosen; several metrics cannot."""
    rows = [
        json.dumps({"params": {"p": p, "n": n}, "callpath": path, "metric": "time", "value": share * time_of(p, n)})
        for path, share in (("main", 1), ("main->f", 3))
        for p, n in CROSS
    ]
    file = tmp_path / "profile.jsonl"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    both = json.loads(run("scale", str(file), "--suggest", "--json").stdout)
    text = run("scale", str(file), "--suggest").stderr
    assert "note: values of 2 call paths are added up; --callpath chooses some of them" in text
    one = json.loads(run("scale", str(file), "--suggest", "--callpath", "main", "--json").stdout)
    assert both["callpaths"] == ["main", "main->f"]
    assert one["callpaths"] == ["main"]
    assert both["next"][0]["expected"] == pytest.approx(4 * one["next"][0]["expected"])
    other = json.dumps({"params": {"p": 4, "n": 10}, "callpath": "main", "metric": "bytes", "value": 1})
    file.write_text("\n".join([*rows, other]) + "\n", encoding="utf-8")
    result = run("scale", str(file), "--suggest")
    assert result.exit_code == 2
    assert "choose one with --metric" in result.stderr
    assert run("scale", str(file), "--suggest", "--metric", "time").exit_code == 0


def test_a_target(run: Run, tmp_path: Path) -> None:
    """The prediction at a target is shown, `--until 5%` stops by its interval, and models are as scale prints them."""
    file, target = str(written(tmp_path, CROSS[:7])), ("--target", "p=1024,n=64")
    text = Path(file).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in text]
    for place, row in enumerate(rows):
        row["value"] = [value * (1 + 0.01 * (-1) ** (place % 3)) for value in row["value"]]
    Path(file).write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    result = run("scale", file, "--suggest", *target, "--until", "1%", "--count", "2")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    model = run("scale", file, "-o", str(tmp_path / "model.json")).stdout
    assert lines[0] == "next, 2 measurements each:"
    assert lines[1].split()[:7] == ["p", "n", "expected", "from", "to", "cost", "gain"]
    *_, why, formula, prediction, _ = lines
    assert "the largest expected gain at the target per cost" in why
    assert formula.removeprefix("model: ").removesuffix(" (7 points)") in model
    assert prediction.startswith("at p = 1024, n = 64: ")
    gains = json.loads(run("scale", file, "--suggest", *target, "--json").stdout)
    assert gains["next"][0]["gain"] > 0
    assert gains["next"][0]["measured"] == 0
    file = str(written(tmp_path, CROSS))
    found = json.loads(run("scale", file, "--suggest", *target, "--until", "5 %", "--json").stdout)
    assert (found["strategy"], found["until"], found["formula"]) == ("target", 5, "5 + 0.5 * p * n")
    assert found["target"]["point"] == {"p": 1024, "n": 64}
    assert found["target"]["predicted"] == pytest.approx(32773)
    low, high = found["target"]["interval"]
    assert found["target"]["error"] == pytest.approx(100 * max(high - 32773, 32773 - low) / 32773)
    cheapest = json.loads(run("scale", file, "--suggest", *target, "--strategy", "cheapest", "--json").stdout)
    assert cheapest["next"][0]["point"] == {"p": 8, "n": 20}
    grid = str(written(tmp_path, [(p, n) for p in P for n in N]))
    done = json.loads(run("scale", grid, "--suggest", *target, "--until", "5%", "--json").stdout)
    assert (done["done"], done["next"]) == (True, [])
    assert done["target"]["error"] <= 5
    nothing = run("scale", grid, "--suggest", *target).stdout
    assert "all candidates are measured: give more values of a parameter with --axis" in nothing
    more = run("scale", grid, "--suggest", *target, "--extend", "1", "--json").stdout
    assert json.loads(more)["next"]


def test_a_parameter_without_effect_is_reported(run: Run, tmp_path: Path) -> None:
    """A note says which parameter has no visible effect, and a point further out on its line is suggested."""
    rows = [
        json.dumps({"params": {"p": p, "n": n}, "metric": "time", "value": [9 + n, 9 + n]})
        for p, n in ((4, 10), (8, 10), (4, 20), (4, 30))
    ]
    file = tmp_path / "flat.jsonl"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    result = run("scale", str(file), "--suggest", "--target", "p=1024,n=64")
    assert "no line shows an effect of p: it may show at larger values" in result.stderr
    assert result.stdout.splitlines()[3] == "no line shows an effect of p yet: a point further out"
    assert result.stdout.splitlines()[2].split()[:2] == ["16", "10"]


@pytest.mark.real_data
def test_hypotheses_without_variance(run: Run) -> None:
    """Points at which a hypothesis has no variance are candidates without warnings."""
    file = str(DATA / "extrap_formats" / "jsonlines" / "incomplete_matrix_2p.jsonl")
    result = run("scale", file, "--suggest", "--target", "x=100,y=10", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["next"][0]["gain"] > 0
