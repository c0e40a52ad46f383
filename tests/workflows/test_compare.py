"""Comparing called from Python: the results of the command, nothing printed, and wrong fields by name."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from splc.errors import RequestError
from splc.workflows import learn
from splc.workflows.compare import Request, run
from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked
from tests.support.watches import Told

MODELS = ("analytical.txt", "other.txt")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of a case study with another model, which is the current folder."""
    folder = tmp_path / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    (folder / "other.txt").write_text("1e-5 * nx * px + 2e-5 * log2(py) - 1e-3", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def printed(*arguments: str, code: int = 0) -> dict[str, Any]:
    """Return the JSON object that the command prints."""
    result = CliRunner().invoke(app, ["compare", *MODELS, *arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == code
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({}, ()),
        ({"on": "pb:9,3", "measures": ("smape",)}, ("--on", "pb:9,3", "--measure", "smape")),
        ({"weights": "measured", "scale": 500.0}, ("--weights", "measured", "--scale", "500")),
        ({"constant": False, "parameter": {"alpha": 0.001}}, ("--no-constant", "--parameter", "alpha=0.001")),
        ({"nfp": "messages", "aggregate": "min"}, ("--property", "messages", "--aggregate", "min")),
    ],
)
def test_results_are_those_of_the_command(
    fields: dict[str, Any], options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each field of the request has the effect of its option; the workflow prints nothing."""
    result = run(Request(models=MODELS, **fields))
    assert capsys.readouterr() == ("", "")
    found = printed(*options)
    [pair] = result.comparisons.comparisons
    assert pair.syntactic.score == found["syntactic"]["score"]
    assert pair.semantic is not None
    assert pair.semantic.values == {key: found["semantic"][key] for key in pair.semantic.values}
    assert [each.semantic.values["jaccard"] for each in result.comparisons.judged] == [
        each["jaccard"] for each in found["measured"]
    ]
    assert dict(result.files) == found["files"]
    assert (result.basis.text, result.comparisons.nfp) == (found["on"], found["nfp"])


def test_a_model_is_one_record_from_its_file_to_the_result() -> None:
    """The models of the result have file, hash, predictions and numbers for their parameters."""
    result, found = run(Request(models=MODELS)), printed("--on", "measured")
    inputs = {key: entry["path"] for key, entry in found["files"].items()}
    for entry, path in [
        *zip(found["files"].values(), inputs.values(), strict=True),
        *zip(found["models"], MODELS, strict=True),
    ]:
        assert entry["sha256"] == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert [model.file for model in result.comparisons.models] == list(MODELS)
    assert [model.sha256 for model in result.comparisons.models] == [each["sha256"] for each in found["models"]]
    assert result.basis.configurations is not None
    for model in result.comparisons.models:
        assert model.predicted is not None
        assert model.predicted.shape == (len(result.basis.configurations),)
        assert not model.bound.parameters
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.request.seed = 1  # type: ignore[misc]


def test_ranges_and_correlations_are_computed_on_request() -> None:
    """Ranges and correlations take time: they are in the result only if requested."""
    plain = run(Request(models=MODELS))
    assert (plain.ranges, plain.correlations) == ((), ())
    watch = Told()
    result = run(Request(models=(*MODELS, "other.txt"), tables=("ranges", "correlations")), watch)
    assert [len(ranges) for ranges in result.ranges] == [len(model.model.terms) for model in result.comparisons.models]
    assert {found.pairs for found in result.correlations} <= {0, 1, 2, 3}
    assert watch.lines == ["other.txt", "other.txt [2]", *["correlating"] * 3]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"models": ()}, ("models",)),
        ({"models": ("-", "-")}, ("models", "on")),
        ({"scale": -1.0}, ("scale",)),
        ({"intervals": 95.0}, ("intervals",)),
        ({"round": 3}, ("round",)),
        ({"learning": 0}, ("learning",)),
        ({"parameter": {"gamma": 1.0}}, ("parameter",)),
        ({"weights": "nx^9"}, ("weights",)),
        ({"fail_below": {"jacard": 1}}, ("fail_below",)),
    ],
)
def test_wrong_requests_name_their_fields(fields: dict[str, Any], wrong: tuple[str, ...]) -> None:
    """A wrong request is an error with the names of the fields, which the command shows as options."""
    with pytest.raises(RequestError) as caught:
        run(Request(**{"models": MODELS, **fields}))
    assert caught.value.fields == wrong


def test_models_without_a_common_class_can_be_learned_by_part(project: Path) -> None:
    """The command that is advised has a part for each number, and the variable that says where it counts."""
    columns = "px,py,nx"
    rows = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()[1:]
    measured, levels = [f"{columns},seconds,part_0_s,part_1_s"], [f"{columns},level,C,n"]
    for row, key in enumerate(dict.fromkeys(",".join(row.split(",")[:3]) for row in rows)):
        unknowns, messages = 1 + row % 5, 1 + row % 7
        measured.append(f"{key},{unknowns * (1 + messages)},{unknowns},{unknowns * messages}")
        levels += [f"{key},0,{unknowns},1", f"{key},1,{unknowns},{messages}"]
    (project / "measurements.csv").write_text("\n".join(measured), encoding="utf-8")
    (project / "levels.csv").write_text("\n".join(levels), encoding="utf-8")
    (project / "splc.toml").write_text('nfp = "seconds"\nobserved = "levels.csv"\n', encoding="utf-8")
    (project / "analytical.txt").write_text("C_0 + C_1 * n_1", encoding="utf-8")
    texts = [note.text for note in run(Request(models=MODELS)).notes]
    command = next(text for text in texts if "no class of terms" in text).partition("learn from them: splc ")[2]
    assert "'part_{}_s:level_{}'" in command
    learned = CliRunner().invoke(app, [*shlex.split(command), "--preset", "splconqueror"], catch_exceptions=False)
    assert learned.exit_code == 0, learned.stderr
    assert not any(
        "no class of terms" in note.text for note in run(Request(models=("analytical.txt", "learned.log"))).notes
    )


@pytest.mark.parametrize("on", ["measured", "ff"])
def test_coverage_is_counted_on_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: str) -> None:
    """Prediction intervals have the scatter of runs, and the runs inside are counted, not the means."""
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(2).normal(size=(10, 30))
    rows = [(x, 100 * x * math.exp(0.3 * each)) for x in range(1, 11) for each in noise[x - 1].tolist()]
    Path("t.csv").write_text("x,time\n" + "".join(f"{x},{time:.6g}\n" for x, time in rows))
    Path("analytical.txt").write_text("100 * x")
    learn.run(learn.Request(measurements="t.csv", output="learned.log"))
    result = run(Request(models=("analytical.txt", "learned.log"), measurements="t.csv", on=on, intervals=0.9))
    covered = result.comparisons.judged[1].covered
    assert covered is not None
    assert 0.85 < covered < 0.97
    # Of the ten means, tenths would be inside.
    assert round(300 * covered) % 30 != 0
