"""Comparing called from Python: the results of the command, nothing printed, and wrong fields by name."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from splc.errors import RequestError
from splc.workflows.compare import Request, run
from splc.workflows.compare.models import model_title
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
    result = run(Request(models=MODELS))
    assert [model.file for model in result.comparisons.models] == list(MODELS)
    assert [model.sha256 for model in result.comparisons.models] == [each["sha256"] for each in printed()["models"]]
    assert result.basis.configurations is not None
    for model in result.comparisons.models:
        assert model.predicted is not None
        assert model.predicted.shape == (len(result.basis.configurations),)
        assert not model.bound.parameters
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.request.seed = 1  # type: ignore[misc]


def test_thresholds_are_failures_of_the_result() -> None:
    """A violated threshold is a sentence of the result, an error only of the command."""
    result = run(Request(models=MODELS, fail_below={"jaccard": 0.999, "normalized": -1}, fail_above={"score": 99}))
    assert result.failed
    assert [text.split(" is ")[0] for text in result.failures] == ["jaccard of analytical.txt against other.txt"]
    printed("--fail-below", "jaccard=0.999", code=1)
    assert not run(Request(models=MODELS, fail_above={"measured.error_rate": 1e9})).failed


def test_ranges_and_correlations_are_computed_on_request() -> None:
    """Ranges and correlations take time: they are in the result only if requested."""
    plain = run(Request(models=MODELS))
    assert (plain.ranges, plain.correlations) == ((), ())
    watch = Told()
    result = run(Request(models=(*MODELS, "other.txt"), tables=("ranges", "correlations")), watch)
    assert [len(ranges) for ranges in result.ranges] == [len(model.model.terms) for model in result.comparisons.models]
    assert {found.pairs for found in result.correlations} <= {0, 1, 2, 3}
    assert watch.lines == ["other.txt", "other.txt [2]", *["correlating"] * 3]


def test_notes_are_values() -> None:
    """The notes contain all that the command prints to stderr."""
    result = run(Request(models=MODELS))
    assert any("below 0" in note.text for note in result.notes)
    assert all(note.text in printed_notes() for note in result.notes)


def printed_notes() -> str:
    """Return what the command prints to stderr."""
    return CliRunner().invoke(app, ["compare", *MODELS], catch_exceptions=False).stderr


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


@pytest.mark.parametrize(("on", "title"), [("all", "all valid"), ("ff", "ff"), ("random:5", "random:5"), ("aa", "aa")])
def test_titles_of_samples(on: str, title: str) -> None:
    """The title is the sampling, but for all valid configurations."""
    assert model_title(on) == title


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
