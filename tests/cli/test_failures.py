"""Failed runs are known to every command: beside the measurements, in the file of a model, in a description."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import splc
from splc.errors import SplcError
from splc.formats.system.read import read_variability_model
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.system.variability import VariabilityModel
from tests.cli.conftest import Run

SYSTEM = VariabilityModel.of(
    {"pcg": bool, "smooth": ["gs", "jacobi", "cheb"], "n": [100, 200, 300, 400], "sweeps": [1, 2, 3]}
)
Refused = Callable[..., str]
HEADER = "pcg,smooth,n,sweeps"
RULE = "all 6 runs with pcg and smooth=gs failed"


def rows() -> Iterator[tuple[int, str, int, int]]:
    """Yield half of all configurations."""
    for at, (pcg, smooth, n, sweeps) in enumerate(
        product((0, 1), ("gs", "jacobi", "cheb"), (100, 200, 300, 400), (1, 2, 3))
    ):
        if (at + at // 12) % 2:
            yield pcg, smooth, n, sweeps


def seconds(pcg: int, smooth: str, n: int, sweeps: int) -> float:
    """Return a run time; that of `pcg` with `gs` would be the least."""
    return n**2 * 1e-5 * (1.7 - 0.7 * pcg) * (1 + 0.15 * sweeps) * {"gs": 0.5, "jacobi": 1.3, "cheb": 0.8}[smooth]


@pytest.fixture
def failing(folder: Path) -> Path:
    """Return a project folder with measurements in which `pcg` with `gs` always failed."""
    write_variability_model(SYSTEM, folder / "system.xml")
    failed = [row for row in rows() if row[:2] == (1, "gs")]
    lines = [",".join(map(str, (*row, f"{seconds(*row):.5g}"))) for row in rows() if row not in failed]
    (folder / "measurements.csv").write_text("\n".join([f"{HEADER},time", *lines]) + "\n", encoding="utf-8")
    lines = [",".join(map(str, (*row, 1, "exit code 3", 3, ""))) for row in failed]
    text = "\n".join([f"{HEADER},repetition,reason,exit_code,stderr", *lines]) + "\n"
    (folder / "measurements.failures.csv").write_text(text, encoding="utf-8")
    return folder


def is_excluded(configuration: dict[str, float]) -> bool:
    """Return whether a configuration has what failed."""
    return configuration["pcg"] == configuration["smooth_gs"] == 1


@pytest.fixture
def model(failing: Path) -> str:
    """Return a file of a model, by which what failed would be the best."""
    (failing / "model.txt").write_text("time = 1e-5 * n^2 * sweeps - 0.1 * pcg - 0.2 * smooth_gs\n", encoding="utf-8")
    return "model.txt"


def test_what_failed_is_left_out(model: str, run: Run, refused: Refused) -> None:
    """Neither the best configurations nor suggestions nor a page recommend what failed, and all say so."""
    best = run("optimize", model, "--top", "20", "--json")
    found = json.loads(best.stdout)
    assert not any(is_excluded(row["configuration"]) for row in found["top"])
    assert found["failures"]["rules"][0]["constraint"] == "!pcg | !smooth_gs"
    assert RULE in best.stderr
    # Where the fixed values fail, no configuration is named.
    assert RULE in refused("optimize", model, "--fix", "pcg", "--fix", "smooth=gs")


@pytest.mark.slow
def test_pages_and_full_models(model: str, run: Run) -> None:
    """Pages and full models, which predict by default, leave out what failed, too, and keep it beside a log."""
    run("report", model, "-o", "page.md")
    assert RULE in Path("page.md").read_text(encoding="utf-8")
    run("learn")
    for arguments in (("learned.log",), ("learned.json", "--top", "20"), ()):
        best = json.loads(run("optimize", *arguments, "--json").stdout)
        assert not any(is_excluded(row["configuration"]) for row in best["top"])
    suggested = json.loads(run("suggest", "--budget", "10", "--goal", "optimum", "--json").stdout)
    assert not any(is_excluded(row["configuration"]) for row in suggested["next"])


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_what_failed_is_not_suggested(failing: Path, run: Run, count: int) -> None:
    """A configuration with values that failed is not suggested, nor is one that failed."""
    suggested = run("suggest", "--budget", str(count), "--fix", "n=100", "--json")
    content = json.loads(suggested.stdout)
    assert not any(is_excluded(row["configuration"]) for row in content["next"])
    assert content["failures"]["runs"] == 6
    assert RULE in suggested.stderr


def test_a_model_knows_them_elsewhere(failing: Path, run: Run) -> None:
    """The file of a model has the failures that were known when it was learned; values measured since then win."""
    assert RULE in run("learn", "--learner", "stepwise", "-o", "m.json").stderr
    for name in ("system.xml", "measurements.csv", "measurements.failures.csv"):
        (failing / name).unlink()
    best = run("optimize", "m.json", "--json")
    assert RULE in best.stderr
    assert not is_excluded(json.loads(best.stdout)["configuration"])
    assert RULE in run("explain", "m.json").stderr
    assert "this configuration fails" in run("explain", "m.json", "pcg,smooth=gs,n=100,sweeps=1").stderr
    assert "fails" not in run("explain", "m.json", "pcg,smooth=cheb,n=100,sweeps=1").stderr
    (failing / "new.csv").write_text(f"{HEADER}\n1,gs,100,1\n0,gs,100,1\n", encoding="utf-8")
    assert "1 of 2 configurations fail" in run("predict", "m.json", "new.csv").stderr
    lines = [",".join(map(str, (*row, f"{seconds(*row):.5g}"))) for row in rows()]
    (failing / "measurements.csv").write_text("\n".join([f"{HEADER},time", *lines]) + "\n", encoding="utf-8")
    assert json.loads(run("optimize", "m.json", "--json").stdout)["failures"] is None


def test_beside_a_table_that_is_named(failing: Path, model: str, run: Run) -> None:
    """Failures belong to the table that they stand beside, whether an option or splc.toml names it."""
    for name in ("measurements.csv", "measurements.failures.csv"):
        (failing / name).rename(failing / name.replace("measurements", "tuned"))
    assert RULE in run("optimize", model, "--measurements", "tuned.csv").stderr
    (failing / "splc.toml").write_text('measurements = "tuned.csv"\nproperty = "time"\n', encoding="utf-8")
    assert RULE in run("optimize", model).stderr


def test_configurations_without_a_rule_are_left_out(failing: Path, model: str, run: Run) -> None:
    """A configuration that failed is never named, also where nothing is known of others like it."""
    (failing / "measurements.failures.csv").write_text(f"{HEADER},reason\n1,gs,100,1,killed\n", encoding="utf-8")
    best = json.loads(run("optimize", model, "--top", "3", "--json").stdout)
    assert best["failures"] == {"configurations": 1, "runs": 1, "rules": []}
    top = [[row["configuration"][name] for name in ("pcg", "smooth_gs", "n", "sweeps")] for row in best["top"]]
    assert top == [[1, 1, 100, 2], [0, 1, 100, 1], [0, 1, 100, 2]]


def test_a_table_of_another_system(failing: Path, refused: Refused) -> None:
    """A table of failed runs with other options is refused once, with its line."""
    (failing / "measurements.failures.csv").write_text("a,b,reason\n1,2,x\n", encoding="utf-8")
    for arguments in (("learn",), ("optimize", "--property", "time"), ("suggest", "--budget", "2")):
        message = refused(*arguments)
        assert "measurements.failures.csv:1" in message
        assert message.count("failed runs cannot be read") == 1


def test_constraints_of_failures(failing: Path, run: Run, refused: Refused) -> None:
    """`init --from-failures` adds constraints to a description, or to an inferred one; without a rule it refuses."""
    (failing / "new").mkdir()
    run("init", "--from-failures", "-o", "new/system.xml")
    written = read_variability_model(failing / "new" / "system.xml")
    assert written.options == SYSTEM.options
    assert [constraint.text for constraint in written.constraints] == ["!pcg | !smooth_gs"]
    (failing / "system.xml").unlink()
    assert "!pcg | !smooth_gs" in run("init", "--from-failures", "--options", HEADER).stdout
    (failing / "measurements.failures.csv").unlink()
    assert "no failed runs are known" in refused("init", "--from-failures", "--options", HEADER)


@pytest.mark.slow
def test_earlier_failures_are_known(failing: Path, run: Run) -> None:
    """A tuning run that knows an earlier one knows its failures, and what they have in common."""
    (failing / "new").mkdir()
    command = ("tune", "--command", "sh -c 'echo {n} {smooth} {pcg} {sweeps}'", "--property", "time=regex:^(\\d+)")
    tuned = run(*command, "--from", "measurements.csv", "--budget", "2", "-o", "new/tuned.csv", "--json")
    content = json.loads(tuned.stdout)
    assert content["failing"] == RULE
    assert content["failures"]["runs"] == 6
    own = [step["configuration"] for step in content["trajectory"] if step["run"] is not None]
    assert len(own) == 2
    assert not any(map(is_excluded, own))


def test_values_that_never_worked(failing: Path, run: Run, refused: Refused) -> None:
    """Where options are inferred, values that only failed runs have are named, and left out."""
    (failing / "system.xml").unlink()
    text = (failing / "measurements.failures.csv").read_text(encoding="utf-8")
    more = "".join(f"0,{smooth},{n},1,1,killed,9,\n" for smooth, n in (("ilu", 100), ("cheb", 500), ("ilu", 500)))
    (failing / "measurements.failures.csv").write_text(text + more, encoding="utf-8")
    done = run("learn", "--options", HEADER, "--learner", "stepwise", "-o", "m.json")
    for rule in (RULE, "all 2 runs with smooth=ilu failed", "all 2 runs with n=500 failed"):
        assert rule in done.stderr
    # A model without a full one and its folder know the same.
    for arguments in (("m.json",), ("m.json", "--measurements", "measurements.csv", "--options", HEADER)):
        assert "n=500 failed" in refused("optimize", *arguments, "--fix", "n=500")
        assert json.loads(run("optimize", *arguments, "--fix", "n=450", "--json").stdout)["configuration"]["n"] == 450
    assert "measured values are not shown" not in run("optimize", "m.json").stderr
    (failing / "new.csv").write_text(f"{HEADER}\n0,cheb,500,1\n0,cheb,450,1\n", encoding="utf-8")
    assert "1 of 2 configurations fail" in run("predict", "m.json", "new.csv").stderr
    written = run("init", "--from-failures", "--options", HEADER).stdout
    assert "all 2 runs with smooth=ilu failed" in written


def test_failures_in_python(failing: Path) -> None:
    """A table that is learned from has the failures beside it, or its rows without a value; answers leave them out."""
    settings: dict[str, Any] = {"options": "smooth", "learner": "stepwise"}
    learned = splc.learn("measurements.csv", "time", **settings)
    assert any(RULE in note for note in learned.notes)
    assert learned.provenance["failures"]["rules"][0]["constraint"] == "!pcg | !smooth_gs"
    frame = pd.read_csv("measurements.csv")
    failed = pd.read_csv("measurements.failures.csv")[HEADER.split(",")]
    described = splc.learn(splc.read_measurements("measurements.csv", SYSTEM), "time", learner="stepwise")
    answers: list[Any] = [splc.suggest("measurements.csv", "time", 5, options="smooth")]
    for result in (learned, described, splc.learn(pd.concat([frame, failed]), "time", **settings)):
        answers.append(splc.optimize(result, count=30))
        assert any(RULE in note for note in splc.explain(result).notes)
    for found in answers:
        assert any(RULE in note for note in found.notes)
        rows = found.configurations
        assert not ((rows.value("pcg") == 1) & (rows.value("smooth_gs") == 1)).any()
    with pytest.raises(SplcError, match="pcg and smooth=gs failed"):
        splc.optimize(learned, fixed={"pcg": True, "smooth": "gs"})
