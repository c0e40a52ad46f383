"""Errors of `splc compare`: exit code 2, one message, nothing printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

BAD = {
    "unbalanced": ("(x + 3", "bad.txt:1:7: the parenthesis opened at column 1 is not closed"),
    "unknown": ("3 * chache", "did you mean 'cache'?"),
    "python": ("__import__('os').system('touch broken')", "bad.txt:1:1: unknown function '__import__'"),
    "deep": ("(" * 100_000 + "x" + ")" * 100_000, "nested more than 64 levels deep"),
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
