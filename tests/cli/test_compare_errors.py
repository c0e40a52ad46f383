"""Errors of `splc compare`: exit code 2, one message, nothing printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

BAD = {
    "unbalanced": ("(x + 3", "bad.txt:1:7: the parenthesis opened at column 1 is not closed"),
    "unknown": ("3 * chache", "did you mean 'cache'?"),
    "python": ("__import__('os').system('touch broken')", "bad.txt:1:1: unknown function '__import__'"),
    "deep": ("(" * 1_000_000 + "x" + ")" * 1_000_000, "nested more than 64 levels deep"),
    "log": ("Termination reason: x\nLearning progress:\n", "no learned model in this log"),
    "empty": ("", "the file is empty"),
    "missing parameter": ("3 * x * gamma", "unknown name 'gamma'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_models(models: Path, run: Run, name: str) -> None:
    """A model that cannot be read is an error with its place, whichever of the models it is, and nothing is printed."""
    text, message = BAD[name]
    (models / "bad.txt").write_text(text, encoding="utf-8")
    for arguments in (("bad.txt", "other.txt"), ("other.txt", "bad.txt")):
        result = run("compare", *arguments, "--plot", "out.svg")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert message in result.stderr
        assert not (models / "out.svg").exists()
    assert not (models / "broken").exists()


def test_bad_models_are_reported_together(models: Path, run: Run) -> None:
    """The errors of all models are reported together."""
    (models / "bad.txt").write_text("3 * y", encoding="utf-8")
    (models / "worse.txt").write_text("3 *", encoding="utf-8")
    result = run("compare", "bad.txt", "worse.txt", "missing.txt")
    assert result.exit_code == 2
    assert "bad.txt:1:5" in result.stderr
    assert "worse.txt:1" in result.stderr
    assert "missing.txt" in result.stderr


@pytest.mark.parametrize(("text", "what"), [("3 / (x - 2)", "x = 2"), ("log2(x - 1)", "x = 1"), ("cache^-1", "cache")])
def test_where_a_model_has_no_value(models: Path, run: Run, text: str, what: str) -> None:
    """A division by zero or a logarithm of zero names the model and the configuration."""
    (models / "bad.txt").write_text(text, encoding="utf-8")
    result = run("compare", "analytical.txt", "bad.txt")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "bad.txt: " in result.stderr
    assert what in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--at", "nodes=4"), "no parameter of the models is a table over 'nodes'"),
        (("--at", "side=9"), "slope has no row for side = 9"),
        (("--at", "side"), "is not NAME=NUMBER"),
        (("--round", "third"), "neither 'last' nor 'best'"),
        (("--learning", "0"), "neither 'all' nor a positive number"),
        (("--table", "rages"), "did you mean 'ranges'?"),
        (("--csv", "--table", "terms", "--table", "classes"), "CSV is one table"),
        (("--fail-below", "jacard=0.9"), "unknown measure 'jacard'"),
        (("--fail-below", "jaccard"), "is not NAME=NUMBER"),
        (("--intervals", "95"), "95 is not between 0 and 1"),
        (("--on", "randm:5"), "random"),
        (("--on", "missing.csv"), "missing.csv"),
        (("--weights", "(x"), "not closed"),
        (("--plot", "other.txt"), "not written in this format"),
        (("--parameters", "missing.toml"), "missing.toml"),
        (("--parameter", "base=nan"), "is not NAME=NUMBER"),
        (("--parameter", "bas=1"), "no model uses a parameter 'bas'; did you mean 'base'?"),
        (("--scale", "0"), "0 is not a valid factor"),
        (("--scale", "nan"), "nan is not a valid factor"),
        (("--round", "2"), "none of the models is a log"),
        (("--learning", "all"), "none of the models is a log"),
        (("--view", "terms"), "there is no picture; add --plot"),
    ],
)
def test_bad_options(models: Path, run: Run, arguments: tuple[str, ...], message: str) -> None:
    """A wrong option is an error with an explanation, and nothing is printed."""
    result = run("compare", "analytical.txt", "other.txt", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    flat = " ".join(result.stderr.replace("│", " ").split())
    assert message in flat


def test_scale_needs_model_text(models: Path, run: Run) -> None:
    """Learned models are not scaled."""
    assert run("learn").exit_code == 0
    assert run("learn", "-o", "again.log").exit_code == 0
    result = run("compare", "learned.log", "again.log", "--scale", "500")
    assert result.exit_code == 2


def test_standard_input_is_one_file(models: Path, run: Run) -> None:
    """A model and the configurations cannot both come from standard input, nor can two models."""
    for arguments in (("-", "-"), ("analytical.txt", "-", "--on", "-")):
        result = run("compare", *arguments, stdin="x")
        assert result.exit_code == 2
        assert "only one file can be standard input" in " ".join(result.stderr.split())


def test_without_models_there_is_nothing_to_compare(models: Path, run: Run) -> None:
    """A call without models is an error that names the missing argument."""
    result = run("compare")
    assert result.exit_code == 2
    assert "name the models to compare" in result.stderr


def test_bounds_need_what_they_are_about(models: Path, refused: Callable[..., str]) -> None:
    """A bound of a measure without the inputs that it needs is a usage error."""
    (models / "measurements.csv").unlink()
    pair = ("compare", "analytical.txt", "other.txt")
    assert "needs measurements" in refused(*pair, "--on", "all", "--fail-below", "measured.jaccard=0.2")
    assert "needs configurations" in refused(*pair, "--fail-above", "error_rate=20")


def test_a_property_without_values_is_refused(models: Path, refused: Callable[..., str]) -> None:
    """Measurements without a single value of the property are no measurements of it."""
    (models / "measurements.csv").write_text("cache,left,right,x,time\n0,1,0,1,\n0,1,0,2,\n", encoding="utf-8")
    assert "no configuration has a value of time" in refused("compare", "analytical.txt", "other.txt")


def test_a_model_is_not_compared_with_itself_alone(models: Path, refused: Callable[..., str]) -> None:
    """The analytical model of the folder by itself has nothing to be compared with."""
    assert "name another model" in " ".join(refused("compare", "analytical.txt").split())


def test_factors_are_finite(models: Path, refused: Callable[..., str]) -> None:
    """--scale takes positive, finite numbers."""
    for factor in ("nan", "inf", "0", "-1"):
        assert "--scale" in refused("compare", "analytical.txt", "other.txt", "--scale", factor)


def test_what_all_models_share_is_one_problem(models: Path, refused: Callable[..., str]) -> None:
    """A parameter that no model can have is reported once, not once per model."""
    assert refused("compare", "analytical.txt", "other.txt", "--parameter", "x=3").count("the name of an option") == 1
