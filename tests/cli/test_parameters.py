"""Options of all commands: their defaults, bounds and help texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from splc.cli.app import COMMANDS, app
from tests.cli.conftest import Run
from tests.support.command_fields import command_fields, spelling


def parameters(name: str) -> Iterator[Any]:
    """Yield the options of a command."""
    group = typer.main.get_command(app)
    yield from group.get_command(None, name).params  # type: ignore[attr-defined]


SEEDED = ("calibrate", "changed", "compare", "learn", "measure", "sample", "suggest", "tune")
ON = {"compare --constant", "study --pictures"}
NUMBERS = {
    "calibrate --level": 0.95,
    "calibrate --folds": 10,
    "learn --jobs": 1,
    "measure --repeat": 1,
    "measure --warmup": 0,
    "optimize --top": 1,
    "scale --top": 20,
    "scale --jobs": 1,
    "suggest --extend": 0,
    "tune --seeds": 1,
    "tune --workers": 1,
    **{f"{name} --seed": 0 for name in SEEDED},
}
LEAST = {
    "corpus --jobs": 1,
    "describe --depth": 1,
    "learn --terms": 1,
    "learn --order": 1,
    "learn --samples": 1,
    "learn --jobs": 1,
    "learn --folds": 2,
    "measure --repeat": 1,
    "measure --warmup": 0,
    "measure --max-repeat": 1,
    "optimize --top": 1,
    "optimize --limit": 1,
    "scale --top": 1,
    "study --jobs": 1,
    "suggest --count": 1,
    "suggest --budget": 0,
    "suggest --extend": 0,
    "suggest --repetitions": 1,
    "tune --explore": 0,
    "tune --seeds": 1,
    "tune --verify": 0,
    "tune --workers": 1,
    **{f"{name} --seed": 0 for name in SEEDED},
}


def test_defaults_and_bounds() -> None:
    """Flags are off unless listed; numbers have the listed defaults and least values."""
    on, numbers, least = set(), {}, {}
    for name in COMMANDS:
        for each in command_fields(name):
            title = f"{name} {spelling(each)}"
            if each.field.kind == "flag":
                on |= {title.partition("/")[0]} if each.default else set()
            elif isinstance(each.default, int | float) and each.shown_default == str(each.default):
                numbers[title] = each.default
            if each.field.minimum is not None:
                least[title] = each.field.minimum
    assert on == ON
    assert numbers == NUMBERS
    assert least == LEAST


def test_help_of_options(run: Run) -> None:
    """Options are below the titles of their groups; a default is stated once."""
    for name in COMMANDS:
        text = run(name, "--help").stdout.replace(" (default: those of the current folder)", "")
        for entry in " ".join(text.split()).split(" --")[1:]:
            assert entry.lower().count("default:") <= 1, entry
    lines = run("calibrate", "--help").stdout.splitlines()
    titles = [line.rstrip(":") for line in lines if line and not line.startswith(" ")]
    assert titles[-1] == "Examples"
    assert "  splc calibrate" in lines[-1] or lines[-1].startswith("  splc")
    policies = lines[lines.index("Problematic measurements:") + 1 :]
    assert [line.split()[0] for line in policies[: policies.index("")] if line[2] == "-"] == [
        *("--by", "--context", "--ignore", "--where", "--invalid", "--duplicates", "--aggregate"),
    ]
    inputs = lines[lines.index("Inputs (default: those of the current folder):") + 1 :]
    assert "  --property, --nfp NAME  The non-functional property." in inputs
    assert "  -o, --output FILE  The file of all parameters to write, with intervals of the" in lines
    assert "  --seed N       The seed of random draws. [default: 0]" in lines
    assert "  --json         Print one JSON object." in lines
    for name in COMMANDS:
        assert [each.opts for each in parameters(name) if not each.help] == []
