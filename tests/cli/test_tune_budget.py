"""`splc tune --resume` with a larger budget: the search continues after the runs that verified."""

from __future__ import annotations

import json
from contextlib import chdir
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from splc.measuring.journal import read_journal
from tests.cli.conftest import Run
from tests.cli.test_tune import COMMAND, DRAWN, FEW, TIME, TUNE, Refused, clock, prepare, restored, runs_of, solver

__all__ = ["clock", "solver"]
MORE = (*FEW[:6], "18", *FEW[7:])


def test_more_runs(run: Run, solver: Path) -> None:
    """The runs before are kept, the search continues, and the best configuration is verified again by fresh runs."""
    journal = restored(solver, *FEW)
    before = runs_of(journal)
    result = run(*MORE, "--resume", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert runs_of(journal)[: len(before)] == before
    assert (found["runs"], found["resumed"], found["budget"]) == (18, 12, 18)
    why = [step["why"] for step in found["trajectory"]]
    assert "search" in why[12:]
    assert why[-1] == "verify"
    assert found["best"]["runs"] <= why[12:].count("verify")
    # It is done: nothing is left, neither with this budget.
    assert run(*MORE, "--resume").exit_code == 0
    assert len(runs_of(journal)) == 18


@cache
def extended(at: int) -> tuple[int, bytes]:
    """Return the records of a session that ended after a number of runs, and the journal with those of a larger budget.

    The number is that of the records.
    """
    with TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder))
        journal = restored(Path(folder), *FEW)
        lines = journal.read_bytes().splitlines(keepends=True)
        end = [place for place, record in enumerate(read_journal(journal)) if record["kind"] == "run"][at - 1] + 1
        journal.write_bytes(b"".join(lines[:end]))
        assert CliRunner().invoke(app, [*MORE, "--resume"], catch_exceptions=False).exit_code == 0
        return end, journal.read_bytes()


@pytest.mark.parametrize(
    ("at", "kept"),
    [
        case if case == (12, 2) else pytest.param(*case, marks=pytest.mark.slow)
        for case in product((5, 12), (0, 1, 2, 6, -5))
    ],
)
def test_more_runs_are_resumed_after_any_record(run: Run, solver: Path, at: int, kept: int) -> None:
    """Whenever the budget grew, a session that was killed after any record is continued as an undisturbed one."""
    end, content = extended(at)
    whole = content.splitlines(keepends=True)
    journal = solver / "measurements.journal"
    journal.write_bytes(content)
    expected = runs_of(journal)
    assert len(expected) == 18
    kept += end if kept >= 0 else len(whole)
    journal.write_bytes(b"".join(whole[:kept]) + whole[kept][:20])
    result = run(*MORE, "--resume", "-q")
    assert result.exit_code == 0, result.output
    assert runs_of(journal) == expected


def test_more_time(run: Run, solver: Path, clock: None) -> None:
    """A tuning run that ended with its time continues with more of it, and not without."""
    timed = ("tune", "--command", COMMAND, *TIME, "--verify", "2")
    assert run(*timed, "--for", "4s").exit_code == 0
    journal = solver / "measurements.journal"
    before = runs_of(journal)
    assert run(*timed, "--for", "4s", "--resume").exit_code == 0
    assert runs_of(journal) == before
    assert run(*timed, "--for", "6s", "--resume").exit_code == 0
    after = runs_of(journal)
    assert after[: len(before)] == before
    assert len(after) > len(before)


@pytest.mark.parametrize(("seconds", "verify"), [("2s", "40"), ("4s", "2")])
def test_the_time_of_the_search_counts(run: Run, solver: Path, clock: None, seconds: str, verify: str) -> None:
    """A session that ended with its time, before or after all runs that verify, has none left when it is resumed."""
    timed = ("tune", "--command", COMMAND, *TIME, "--verify", verify, "--for", seconds)
    assert run(*timed).exit_code == 0
    journal = solver / "measurements.journal"
    before = runs_of(journal)
    for _ in range(2):
        assert run(*timed, "--resume").exit_code == 0
    assert runs_of(journal) == before


def test_other_settings(run: Run, refused: Refused, solver: Path) -> None:
    """A smaller budget is refused; messages name options that `splc tune` has."""
    restored(solver, *DRAWN)
    smaller = refused(*TUNE[:6], "20", *TUNE[7:], "--resume")
    assert "the budget differs: 30 there, 20 now" in smaller
    known = run("tune", "--help").stdout
    for text in (smaller, refused(*TUNE)):
        options = {word.strip(",;.") for word in text.split() if word.startswith("--")}
        assert options
        assert [option for option in options if option not in known] == []
