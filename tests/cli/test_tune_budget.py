"""`splc tune --resume` with a larger budget: the search continues after the runs that verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splc.measuring.journal import read_journal
from tests.cli.conftest import Run
from tests.cli.test_tune import COMMAND, FEW, TIME, clock, restored, runs_of, solver

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


@pytest.mark.parametrize(
    ("at", "places"), [(12, (2,)), *(pytest.param(at, (0, 1, 2, 6, -5), marks=pytest.mark.slow) for at in (5, 12))]
)
def test_more_runs_are_resumed_after_any_record(run: Run, solver: Path, at: int, places: tuple[int, ...]) -> None:
    """Whenever the budget grew, a session that was killed after any record is continued as an undisturbed one."""
    journal = restored(solver, *FEW)
    lines = journal.read_bytes().splitlines(keepends=True)
    end = [place for place, record in enumerate(read_journal(journal)) if record["kind"] == "run"][at - 1] + 1
    journal.write_bytes(b"".join(lines[:end]))
    assert run(*MORE, "--resume").exit_code == 0
    whole, expected = journal.read_bytes().splitlines(keepends=True), runs_of(journal)
    assert len(expected) == 18
    for place in places:
        kept = place + (end if place >= 0 else len(whole))
        journal.write_bytes(b"".join(whole[:kept]) + whole[kept][:20])
        assert run(*MORE, "--resume", "-q").exit_code == 0
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
