"""All printed lines of results with given values."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from splc.cli.command import usage_message
from splc.scaling import fit
from splc.workflows.scaling_view import scaling_facts


def test_certainty_of_a_lead_term() -> None:
    """The lead term has its probability where that is known."""
    model = fit([1, 2, 4, 8, 16], [3, 5, 9, 17, 33])
    facts = dict(scaling_facts(model))
    assert model.certainty is not None
    assert facts["lead term"].endswith(f" (probability {model.certainty:.2f})")
    assert list(facts) == ["formula", "lead term", "fit", "noise", "method"]


@pytest.mark.parametrize("known", [True, False])
def test_extra_arguments(known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra argument that is a file is offered as measurements, where the command has that option."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").touch()
    command = click.Command("learn", params=[click.Option(["--measurements" if known else "--other"])])
    for extra, hint in (
        ("m.csv", "    name measurements with --measurements m.csv\n" if known else ""),
        ("none", ""),
        ("m.csv -x", ""),
    ):
        error = click.UsageError(f"Got unexpected extra argument ({extra})", click.Context(command, info_name="learn"))
        lines = f"Got unexpected extra argument ({extra})\n{hint}    Usage: learn [OPTIONS]\n    try 'learn --help'"
        assert usage_message(error) == f"error: {lines}"
    error = click.UsageError("Missing argument (m.csv)", click.Context(command, info_name="learn"))
    assert "--measurements m.csv" not in usage_message(error)


def test_help_of_the_program() -> None:
    """The help lists the options of the program itself and every subcommand that is not hidden."""
    text = CliRunner().invoke(app, ["--help"]).output
    assert "--version" in text
    assert "--help" in text
    assert {"learn", "compare", "sample", "measure"} <= {line.split()[0] for line in text.splitlines() if line.strip()}
