"""Messages about properties, commands, plans, journals and programs: what is wrong, the text, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.measuring.command import bind, parse_template, program
from splc.measuring.journal import Journal, encoded
from splc.measuring.plan import LIMIT, Plan
from splc.measuring.properties import parse_properties
from splc.measuring.setup import require_batchable
from tests.support.file_size import file_size_limit
from tests.support.golden_messages import check_messages

EXTRAS = ("options", "repetition")


def lines(function: Callable[[], Any]) -> list[str]:
    """Return the lines of the message of an error, without indentation."""
    with pytest.raises(SplcError) as caught:
        function()
    return [line.strip() for line in str(caught.value).splitlines()]


def test_properties() -> None:
    """Messages about a property have its text, and the forms that there are."""
    check_messages("properties", lambda text: parse_properties(["q=time", text], ("x",)))


def test_commands(configurations: Configurations) -> None:
    """Messages about a command have its text or the placeholder; all are reported together, before anything is run."""

    def reject(text: str) -> None:
        bind(parse_template(text, configurations.system, EXTRAS), configurations)

    check_messages("commands", reject)


def test_properties_of_batches() -> None:
    """A batch command has columns only, and they have to be named."""
    assert parse_properties(["t"], (), batch=True)[0].argument == "t"
    for text in ("p=time", "p=stderr:csv:t"):
        expected = ["a batch command prints its properties as columns of CSV", text, "write p=csv:COLUMN"]
        assert lines(lambda text=text: parse_properties([text], (), batch=True)) == expected  # type: ignore[misc]
    expected = ["a batch command needs the names of its properties", "for instance: --property seconds"]
    assert lines(lambda: parse_properties([], (), batch=True)) == expected


def test_output_strings(configurations: Configurations) -> None:
    """All output strings that cannot be split are listed."""
    template = parse_template("run {options}", configurations.system, EXTRAS)
    message = "output strings cannot be split into arguments: no closing quotation"
    assert lines(lambda: bind(template, configurations, ["a", "'x", "b", "y'"])) == [message, "'x", message, "y'"]


def test_commands_of_batches(configurations: Configurations) -> None:
    """A batch command depends on the options that a batch agrees in, and on no others."""
    system = configurations.system
    template = parse_template("run {x} {cache?a} {options}", system, EXTRAS)
    assert lines(lambda: require_batchable(["x", "cash"], template, system)) == [
        "--batch-by: unknown option 'cash'",
        "did you mean 'cache'?",
        "the batch command has the placeholder 'cache'",
        "one process measures several values of it; add it: --batch-by x,cash,cache",
        "a batch command cannot have {options}, which differ in a batch",
    ]
    require_batchable(["cache", "x"], parse_template("run {x} {cache?a}", system, EXTRAS), system)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"repeat": 0, "warmup": -2}, ["at least one repetition is needed, not 0", "there cannot be -2 warm-up runs"]),
        ({"seed": -1}, ["the seed must be at least 0, not -1"]),
        ({"repeat": LIMIT + 1}, [f"so many repetitions are too many; at most {LIMIT:,} are possible"]),
        ({"warmup": 10**400}, [f"so many warm-ups are too many; at most {LIMIT:,} are possible"]),
        (
            {"max_deviation": 0.1, "max_repeat": LIMIT + 1},
            [f"so many repetitions are too many; at most {LIMIT:,} are possible"],
        ),
        ({"max_deviation": 0.0}, ["the deviation must be positive, not 0", "0.1 is 10 %"]),
        ({"max_deviation": float("inf")}, ["the deviation must be positive, not inf", "0.1 is 10 %"]),
        (
            {"max_deviation": 0.1, "repeat": 3, "max_repeat": 2},
            [
                "at most 2 repetitions cannot bring the deviation of 3 down",
                "a deviation needs at least two values, and at least as many as are made anyway",
            ],
        ),
    ],
)
def test_plans(arguments: dict[str, Any], message: list[str]) -> None:
    """Messages about a plan list all numbers that are out of range."""
    assert lines(lambda: Plan(**arguments)) == message


def test_limits_of_plans() -> None:
    """The least values of a plan are accepted, and a limit of repetitions only matters with one of the deviation."""
    assert Plan(repeat=1, warmup=0, seed=0, max_repeat=0).max_deviation is None
    assert Plan(repeat=2, max_deviation=1e-9, max_repeat=2).max_repeat == 2


def test_journals(tmp_path: Path) -> None:
    """Messages about a journal have its name, and how to continue."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        assert lines(lambda: Journal.create(path)) == [
            f"{path}: this journal of measurements exists already",
            "continue it with --resume, or name another output, or remove it",
        ]
        assert lines(lambda: Journal.resume(path)) == [
            f"{path}: another 'splc measure' is writing this journal",
            "wait until it has ended, or measure into another file",
        ]
        with file_size_limit(0):
            assert lines(lambda: journal.append({"kind": "run"})) == [
                f"{path}: cannot be written: File too large",
                "free space there, and continue with --resume; every run before this one is kept",
            ]
    path.write_bytes(encoded({"kind": "run"}) + b"x\n" + encoded({"kind": "run"}))
    assert lines(lambda: Journal.resume(path)) == [
        f"{path}:2: this record of the journal is damaged",
        "it was changed or damaged after it was written; restore it, or measure into another file",
    ]


def test_programs(tmp_path: Path) -> None:
    """Messages about a program that cannot be started say what to do."""
    (tmp_path / "solver").write_text("", encoding="utf-8")
    folder = str(tmp_path)
    assert lines(lambda: program("solver", folder)) == [
        "the command 'solver' is not found in PATH",
        "write ./solver for the one in this folder",
    ]
    assert lines(lambda: program("splv-nothing", folder)) == [
        "the command 'splv-nothing' is not found in PATH",
        "install it, or write its path",
    ]
    assert lines(lambda: program("./solvr", folder)) == [
        "the command './solvr' does not exist",
        "did you mean './solver'?",
    ]
    assert lines(lambda: program("./quite-another", folder)) == [
        "the command './quite-another' does not exist",
        "build it, or correct its path",
    ]
    assert lines(lambda: program("./bin/solver", folder)) == [
        "the command './bin/solver' does not exist",
        f"there is no folder '{tmp_path}/bin' either",
    ]
    assert lines(lambda: program("./solver", folder)) == [
        "the command './solver' cannot be executed",
        "chmod +x ./solver",
    ]
    assert lines(lambda: program(folder, "/")) == [f"the command '{folder}' is a folder"]
    (tmp_path / "solver").chmod(0o755)
    assert program("./solver", folder) == program("solver", "/", folder) == str(tmp_path / "solver")
