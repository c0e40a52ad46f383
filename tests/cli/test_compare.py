"""`splc compare`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run


def compared(run: Run, *arguments: str, code: int = 0) -> dict[str, Any]:
    """Return the JSON object of a comparison."""
    result = run("compare", *arguments, "--json")
    assert result.exit_code == code, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


CONFIGURATIONS = [(1, 1, 0), (1, 2, 0), (1, 4, 0), (0, 1, 0), (0, 2, 0), (0, 4, 0), (1, 1, 1), (1, 2, 1), (1, 4, 1)]


def test_learned_models(models: Path, run: Run) -> None:
    """The log and the JSON of `splc learn` contain the same model."""
    assert run("learn").exit_code == 0
    assert run("learn", "-o", "learned.json").exit_code == 0
    found = compared(run, "learned.log", "learned.json")
    assert found["syntactic"]["normalized"] == pytest.approx(1.0)
    assert found["semantic"]["error_rate"] == pytest.approx(0.0, abs=1e-6)
    assert [model["kind"] for model in found["models"]] == ["log", "json"]


def test_parameters(models: Path, run: Run) -> None:
    """`--parameter` comes before the file, `--at` chooses the row of tables, `--scale` multiplies model text."""
    terms = {
        key: {term["term"]: term["a"] for group in found["syntactic"]["classes"] for term in group["terms"]}
        for key, found in {
            "middle": compared(run, "analytical.txt", "other.txt"),
            "first": compared(run, "analytical.txt", "other.txt", "--at", "side=1"),
            "stated": compared(run, "analytical.txt", "other.txt", "--parameter", "slope=7"),
            "scaled": compared(run, "analytical.txt", "other.txt", "--scale", "500"),
        }.items()
    }
    assert terms["middle"]["x"] == 1.0
    assert terms["first"]["x"] == 1.5
    assert terms["stated"]["x"] == 7.0
    assert terms["scaled"]["x"] == 500.0
    assert terms["scaled"]["1"] == 250.0


def test_what_is_no_sum_of_terms_is_evaluated(models: Path, run: Run) -> None:
    """Logarithms of sums and divisions by sums take part in the semantic comparison, and are named in a note."""
    (models / "first.txt").write_text("x / (x + cache) + log2(1 + x)", encoding="utf-8")
    result = run("compare", "first.txt", "other.txt", "--json")
    found = json.loads(result.stdout)
    assert {each["text"] for each in found["syntactic"]["unseen"]} == {"(cache + x)", "(1 + x)"}
    assert found["semantic"]["error_rate"] > 0
    assert "(cache + x) (in" in result.stderr


def test_other_configurations(models: Path, run: Run) -> None:
    """`--on` takes all valid configurations, a sampling, a table or the measured ones."""
    (models / "some.csv").write_text("cache,left,right,x\n0,1,0,1\n0,0,1,4\n", encoding="utf-8")
    for on, count in (("all", 9), ("measured", 9), ("some.csv", 2), ("random:5", 5), ("pairwise+ff", None)):
        found = compared(run, "analytical.txt", "other.txt", "--on", on)
        assert count in (None, found["configurations"])
        assert found["semantic"]["configurations"] == found["configurations"]


def test_without_measurements(models: Path, run: Run) -> None:
    """Without measurements predictions are compared on all valid configurations."""
    (models / "measurements.csv").unlink()
    found = compared(run, "analytical.txt", "other.txt")
    assert found["syntactic"]["score"] > 0
    assert found["semantic"]["configurations"] == 9
    assert found["measured"] == []
    result = run("compare", "analytical.txt", "other.txt", "--on", "measured")
    assert (result.exit_code, result.stdout) == (2, "")


def test_weights(models: Path, run: Run) -> None:
    """Weights come from measurements, predictions, or the share of terms in the first model."""
    plain = compared(run, "analytical.txt", "other.txt")["semantic"]
    for weights in ("measured", "predicted", "x", "x + cache"):
        weighted = compared(run, "analytical.txt", "other.txt", "--weights", weights)["semantic"]
        assert weighted["weights"]
        assert weighted["error_rate"] != plain["error_rate"]
    assert run("compare", "analytical.txt", "other.txt", "--weights", "x^7").exit_code == 2


def test_intervals(models: Path, run: Run) -> None:
    """Intervals of parameters and of learned influences become intervals of predictions."""
    text = "base = 0.5\nslope = { value = 1.2, low = 1.0, high = 1.5 }\n"
    (models / "parameters.toml").write_text(text, encoding="utf-8")
    assert run("learn").exit_code == 0
    found = compared(run, "analytical.txt", "learned.log", "--intervals", "0.95")
    assert found["intervals"]["level"] == 0.95
    assert 0 <= found["intervals"]["overlapping"] <= 1
    # slope = 1.0 to 1.5 times the mean of x over the configurations.
    assert found["intervals"]["width"][0] == pytest.approx(0.5 * 21 / 9)
    # A band of the mean does not apply to single measured values.
    assert found["measured"][0]["covered"] is None
    assert 0 <= found["measured"][1]["covered"] <= 1
    shown = run("compare", "analytical.txt", "learned.log", "--intervals", "0.95")
    assert "within prediction intervals at 0.95" in shown.stdout
    assert "note: analytical.txt: the intervals of slope state no level; they are taken to hold at 0.95" in shown.stderr
    shown = run("compare", "analytical.txt", "learned.log", "--table", "intervals")
    assert "Confidence bands of the mean at the level 0.95, compared with analytical.txt" in shown.stdout


def test_measures_by_name(models: Path, run: Run, refused: Callable[..., str]) -> None:
    """Further measures are computed by name; the list names them all; an unknown one is an error with a near name."""
    found = compared(run, "analytical.txt", "other.txt", "--measure", "minkowski4", "--measure", "smape")
    assert found["semantic"]["minkowski4"] > 0
    assert found["semantic"]["smape"] > 0
    listed = run("compare", "--measure", "list")
    assert listed.exit_code == 0
    assert "cosine" in listed.stdout
    assert run("compare", "--measure", "list", "--json").exit_code == 2
    assert "cosine" in refused("compare", "analytical.txt", "other.txt", "--measure", "cosin")


def test_the_object_knows_what_it_was_made_from(models: Path, run: Run) -> None:
    """It names version, files with hashes, and every setting that decides about the numbers."""
    arguments = ("--scale", "2", "--at", "side=1", "--weights", "measured", "--parameter", "base=3")
    found = compared(run, "analytical.txt", "other.txt", *arguments)
    assert found["version"]
    hashed = {key: entry["sha256"] for key, entry in found["files"].items()}
    paths = {"system": "system.xml", "measurements": "measurements.csv", "parameters": "parameters.toml"}
    assert hashed == {key: hash_of(models / path) for key, path in paths.items()}
    names = ("analytical.txt", "other.txt")
    assert [model["sha256"] for model in found["models"]] == [hash_of(models / name) for name in names]
    settings = found["settings"]
    assert (settings["scale"], settings["at"], settings["parameter"]) == (2, {"side": 1}, {"base": 3})
    assert settings["weights"] == "measured time"
    assert (settings["constant"], settings["level"], settings["round"]) == (True, None, "last")


def hash_of(path: Path) -> str:
    """Return the hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_correlations_are_those_of_weighted_measures(models: Path, run: Run) -> None:
    """`--weights` decide about correlations too."""
    (models / "third.txt").write_text("2 * x + 3", encoding="utf-8")
    (models / "fourth.txt").write_text("x^2 + 7 * cache + 1", encoding="utf-8")
    files = ("analytical.txt", "other.txt", "third.txt", "fourth.txt", "--table", "correlations")
    plain, weighted = compared(run, *files), compared(run, *files, "--weights", "measured")
    assert [each["pairs"] for each in plain["correlations"]] == [6] * len(plain["correlations"])
    assert plain["correlations"] != weighted["correlations"]


def test_all_learnings_of_a_log(models: Path, run: Run) -> None:
    """A log with several learnings is one model each with `--learning all`, the last one otherwise."""
    log = models / "several.log"
    assert run("learn", "--numeric", "ff", "--binary", "all", "-o", "one.log").exit_code == 0
    text = (models / "one.log").read_text(encoding="utf-8")
    log.write_text(text + text, encoding="utf-8")
    found = compared(run, "analytical.txt", "several.log", "--learning", "all")
    assert [pair["second"] for pair in found["comparisons"]] == ["several.log (1)", "several.log (2)"]
    assert compared(run, "analytical.txt", "several.log")["second"] == "several.log"
