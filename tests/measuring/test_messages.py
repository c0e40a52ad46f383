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
from tests.support.golden_messages import check_lines, check_messages

EXTRAS = ("options", "repetition")
PLANS: tuple[dict[str, Any], ...] = (
    {"repeat": 0, "warmup": -2},
    {"seed": -1},
    {"repeat": LIMIT + 1},
    {"warmup": 10**400},
    {"max_deviation": 0.1, "max_repeat": LIMIT + 1},
    {"max_deviation": 0.0},
    {"max_deviation": float("inf")},
    {"max_deviation": 0.1, "repeat": 3, "max_repeat": 2},
)


def lines(function: Callable[..., Any], *arguments: Any, **settings: Any) -> list[str]:
    """Return the lines of the message of an error."""
    with pytest.raises(SplcError) as caught:
        function(*arguments, **settings)
    return str(caught.value).splitlines()


def test_properties() -> None:
    """Messages about a property have its text, and the forms that there are."""
    check_messages("properties", lambda text: parse_properties(["q=time", text], ("x",)))


def test_commands(configurations: Configurations) -> None:
    """Messages about a command have its text or the placeholder; all are reported together, before anything is run."""

    def reject(text: str) -> None:
        bind(parse_template(text, configurations.system, EXTRAS), configurations)

    check_messages("commands", reject)


def test_measurements(configurations: Configurations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages about batches, plans, journals and programs have what is wrong, all of it, and what to do."""
    monkeypatch.chdir(tmp_path)
    system = configurations.system
    template = parse_template("run {x} {cache?a} {options}", system, EXTRAS)
    found = ["$ batches", *lines(parse_properties, [], (), batch=True)]
    for text in ("p=time", "p=stderr:csv:t"):
        found += lines(parse_properties, [text], (), batch=True)
    found += lines(require_batchable, ["x", "cash"], template, system)
    found += ["$ output strings", *lines(bind, template, configurations, ["a", "'x", "b", "y'"])]
    for plan in PLANS:
        found += [f"$ Plan({', '.join(plan)})", *lines(Plan, **plan)]
    found.append("$ journals")
    with Journal.create("j") as journal:
        found += [*lines(Journal.create, "j"), *lines(Journal.resume, "j")]
        with file_size_limit(0):
            found += lines(journal.append, {"kind": "run"})
    Path("j").write_bytes(encoded({"kind": "run"}) + b"x\n" + encoded({"kind": "run"}))
    found += lines(Journal.resume, "j")
    found.append("$ programs")
    Path("solver").touch()
    for name in ("solver", "splv-nothing", "./solvr", "./quite-another", "./solver"):
        found += lines(program, name, ".")
    found += [line.replace(str(tmp_path), "FOLDER") for line in lines(program, "./bin/solver", str(tmp_path))]
    (tmp_path / "below").mkdir()
    check_lines("measurements", [*found, *lines(program, "./below", ".")])
    Path("solver").chmod(0o755)
    assert program("./solver", ".") == program("solver", "/", str(tmp_path)) == str(tmp_path / "solver")


def test_what_is_accepted(configurations: Configurations) -> None:
    """The least values of a plan are accepted, and a batch command of the options that a batch agrees in."""
    assert Plan(repeat=1, warmup=0, seed=0, max_repeat=0).max_deviation is None
    assert Plan(repeat=2, max_deviation=1e-9, max_repeat=2).max_repeat == 2
    assert parse_properties(["t"], (), batch=True)[0].argument == "t"
    template = parse_template("run {x} {cache?a}", configurations.system, EXTRAS)
    require_batchable(["cache", "x"], template, configurations.system)
