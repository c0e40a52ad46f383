"""Sessions with a function in place of programs: progress, interruption, and journals that do not match."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.errors import InputError, OutputError
from splc.measuring import session
from splc.measuring.batch import Recorder
from splc.measuring.command import bind, parse_template
from splc.measuring.execution import Run, RunResult, RunResults
from splc.measuring.journal import Journal
from splc.measuring.plan import Plan
from splc.measuring.properties import parse_properties
from splc.measuring.runner import birth
from splc.measuring.session import Progress, Remaining, Session, left_of
from splc.measuring.setup import FORMAT, Setup, require_same
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples

SYSTEM = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 3.0, 4.0)),))
ALL = Configurations(SYSTEM, np.arange(4)[:, None])
PLANS = st.builds(
    Plan,
    repeat=st.integers(1, 3),
    warmup=st.integers(0, 2),
    order=st.sampled_from(["repetition", "random"]),
    max_deviation=st.sampled_from([None, 0.1, 10.0]),
    max_repeat=st.integers(3, 5),
)


def setup(plan: Plan, command: str = "true {x}", **more: Any) -> Setup:
    """Return a measurement of all configurations."""
    properties = parse_properties(["t=time"], SYSTEM.names)
    return Setup(bind(parse_template(command, SYSTEM, ()), ALL), ALL, properties, plan, **more)


def result(run: Run) -> RunResult:
    """Return a result: the third configuration scatters, the last one fails, also in warm-ups."""
    row, repetition = run
    if row == 3:
        return RunResult({}, "failed", seconds=2.0)
    return RunResult({"t": 1.0 + (repetition % 2 if row == 2 else 0)}, seconds=1.0)


def backend(most: int | None = None) -> Callable[[Setup, Sequence[Run], Recorder, Callable[[], bool]], None]:
    """Return a backend that does at most this number of runs in all."""
    left = [10**9 if most is None else most]

    def does(_: Setup, runs: Sequence[Run], record: Recorder, __: Callable[[], bool]) -> None:
        for run in runs:
            if left[0] == 0:
                return
            left[0] -= 1
            record(run, result(run), {})

    return does


@examples(15)
@given(PLANS, st.integers(0, 30))
def test_progress_and_resumption(tmp_path_factory: pytest.TempPathFactory, plan: Plan, stop: int) -> None:
    """Interrupted after any run, the remaining runs are exactly those that a resumed session does, and counts agree."""
    path = tmp_path_factory.mktemp("session") / "j"
    made, seen = setup(plan), list[Progress]()
    with Journal.create(path) as journal:
        first = Session.begin(made, journal)
        before = first.measure(backend(stop), on_progress=lambda progress: seen.append(Progress(**vars(progress))))
    left = left_of(made, first.recorded)
    with Journal.resume(path) as journal:
        again = Session.begin(made, journal)
        assert (again.resumed, again.grown, again.ended_leftover) == (before.done, False, False)
        assert again.recorded.results == first.recorded.results
        after = again.measure(backend())
        sessions = [record["number"] for record in journal.records if record["kind"] == "session"]
    results = again.recorded.results
    assert sessions == list(range(1, len(sessions) + 1))
    assert before.measured + after.measured == before.done + after.measured == after.done == after.total == len(results)
    assert after.failed == sum(row == 3 and repetition >= 0 for row, repetition in results)
    assert after.seconds == sum(1 + (row == 3) for row, _ in results)
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    # Repetitions that deviations require are known only after the stage before them.
    known = [run for run in results if run not in first.recorded.results][: left.runs]
    assert (len(known), set(left.rows)) == (left.runs, {row for row, _ in known})
    assert left.total == before.done + left.runs
    assert bool(left.rows) == (before.done < after.done)
    if plan.max_deviation is None:
        assert left.total == after.total == 4 * (plan.repeat + plan.warmup)
    if before.done:
        expected = (before.total - before.done) * before.seconds / before.done
        assert before.seconds_left() == pytest.approx(expected)
        assert before.seconds_left(2) == pytest.approx(expected / 2)
    else:
        assert before.seconds_left() is None


def test_a_stop_before_a_stage(tmp_path: Path) -> None:
    """A stop ends the session before its next stage, without a record of a session that does nothing."""
    with Journal.create(tmp_path / "j") as journal:
        progress = Session.begin(setup(Plan()), journal).measure(backend(), should_stop=lambda: True)
        assert (progress.done, progress.total) == (0, 4)
        assert [record["kind"] for record in journal.records] == ["plan"]


def test_failed_runs_are_repeated_on_request(tmp_path: Path) -> None:
    """Runs that failed are done again only if that is requested; warm-ups are not."""
    made = setup(Plan(repeat=2, warmup=1))
    with Journal.create(tmp_path / "j") as journal:
        Session.begin(made, journal).measure(backend())
        assert Session.begin(made, journal).measure(backend()).measured == 0
        again = Session.begin(made, journal, retry_failed=True)
        assert again.resumed == 12
        assert left_of(made, again.recorded) == Remaining((3,), 2, 12)
        assert again.measure(backend()).measured == 2


def failing(*reasons: str | None) -> Callable[[Setup, Sequence[Run], Recorder, Callable[[], bool]], None]:
    """Return a backend whose runs fail for these reasons, and for none after them."""
    left = list(reasons)

    def does(_: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]) -> None:
        for run in runs:
            if should_stop():
                return
            reason = left.pop(0) if left else None
            record(run, RunResult({"t": 1.0} if reason is None else {}, reason), {})

    return does


@pytest.mark.parametrize(
    ("reasons", "done"),
    [
        (("x",) * 12, 3),
        (("exit code 1: 0.25 s", "exit code 1: 17 s", "exit code 1: 3 s"), 3),
        (("x", "y", "x", "x", "x"), 12),
        ((None, "x", "x", "x", "x"), 12),
        (("x", "x", None, "x", "x", "x"), 12),
    ],
)
@pytest.mark.parametrize("warmup", [0, 1])
def test_first_failures(tmp_path: Path, reasons: tuple[str | None, ...], done: int, warmup: int) -> None:
    """If the first three runs fail for one reason, the session stops, also when it is resumed."""
    made = setup(Plan(repeat=3 - warmup, warmup=warmup))
    with Journal.create(tmp_path / "j") as journal:
        assert Session.begin(made, journal).measure(failing(*reasons), keep_going=False).done == done
        assert Session.begin(made, journal).measure(failing(), keep_going=False).done == done
        assert Session.begin(made, journal, retry_failed=True).measure(failing(), keep_going=False).done == 12
    with Journal.create(tmp_path / "k") as journal:
        assert Session.begin(made, journal).measure(failing(*reasons)).done == 12


def test_what_is_left_of_a_huge_plan(tmp_path: Path) -> None:
    """The remaining runs are counted without listing them."""
    made = setup(Plan(repeat=10**12, warmup=10**9))
    with Journal.create(tmp_path / "j") as journal:
        progress = Session.begin(made, journal).measure(backend(2))
    total = 4 * (10**12 + 10**9)
    assert (progress.total, progress.done) == (total, 2)
    recorded = RunResults(["t"])
    recorded.add((0, -1), RunResult({"t": 1.0}))
    assert left_of(made, recorded) == Remaining((0, 1, 2, 3), total - 1, total)


def test_a_journal_without_success_is_begun_anew(tmp_path: Path) -> None:
    """A journal whose runs all failed is emptied on request; one with a successful run is refused."""
    with Journal.create(tmp_path / "j") as journal:
        Session.begin(setup(Plan()), journal).measure(failing("x", "x", "x"), keep_going=False)
        again = Session.begin(setup(Plan(repeat=2), "false {x}"), journal, restart=True)
        assert (again.resumed, again.grown, len(journal.records)) == (0, False, 1)
        assert again.measure(failing()).done == 8
    with Journal.resume(tmp_path / "j") as journal:
        assert (len(journal.records), journal.torn) == (10, 0)
        with pytest.raises(OutputError, match="exists already"):
            Session.begin(setup(Plan()), journal, restart=True)


def test_what_is_left_of_a_killed_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a run that started last, and whose process is still the same one, is ended."""
    ended: list[int] = []
    monkeypatch.setattr(session, "end_session", ended.append)
    own = os.getpid()
    made = setup(Plan())
    cases: list[tuple[dict[str, Any], bool]] = [
        ({"kind": "start", "process": own, "birth": birth(own)}, True),
        ({"kind": "start", "process": own, "birth": "another one"}, False),
        ({"kind": "start", "process": 2**22 + 1, "birth": None}, False),
        ({"kind": "end", "process": own, "birth": birth(own)}, False),
    ]
    for number, (record, ends) in enumerate(cases):
        with Journal.create(tmp_path / f"{number}") as journal:
            journal.append(made.description())
            journal.append(record)
            assert Session.begin(made, journal).ended_leftover == ends
    assert ended == [own]


class TestJournals:
    def differences(self, records: list[dict[str, Any]], wanted: Setup) -> str:
        """Return the message for a journal with these records."""
        with pytest.raises(InputError) as caught:
            require_same(records, wanted.description(), "j")
        return str(caught.value)

    def test_growing(self) -> None:
        """More repetitions are requested than before; the last description counts; fewer are refused."""
        few, many = setup(Plan(repeat=1)), setup(Plan(repeat=3))
        assert require_same([few.description()], many.description(), "j")
        assert not require_same([few.description(), many.description()], many.description(), "j")
        assert "the number of repetitions differs: 3 there, 1 now" in self.differences(
            [few.description(), many.description()], few
        )

    def test_not_of_this_version(self) -> None:
        """A journal without a description at its beginning, or of another format, is an error in its first line."""
        made = setup(Plan())
        for records in ([{"kind": "session"}], [{"kind": "session"}, made.description()], []):
            assert "j:1: the journal has no description of its measurement" in self.differences(records, made)
        newer = {**made.description(), "format": FORMAT + 1}
        assert f"j:1: this journal has format {FORMAT + 1}, not {FORMAT}" in self.differences([newer], made)

    @pytest.mark.parametrize(
        ("before", "now", "message"),
        [
            ({"command": "echo {x}"}, {}, "the command differs: 'echo {x}' there, 'true {x}' now"),
            ({"timeout": 1.0}, {"timeout": 2.0}, "the time limit differs: 1.0 there, 2.0 now"),
            ({"batch": ("x",)}, {"batch": ("x", "y")}, "what a batch has in common differ: x there, x, y now"),
            ({"batch": ()}, {"batch": ("x",)}, "what a batch has in common differ: none there, x now"),
            ({"folder": "a"}, {}, "the folder in which the command runs differs: 'a' there, none now"),
            ({}, {"environment": {"A": "1"}}, "the environment variables differ: none there, {'A': '1'} now"),
        ],
    )
    def test_differences(self, before: dict[str, Any], now: dict[str, Any], message: str) -> None:
        """Each difference is stated with both values, and only once."""
        found = self.differences([setup(Plan(), **before).description()], setup(Plan(), **now))
        assert f"the journal is of another measurement: {message}\n" in found
        assert found.count("another measurement") == 1
        assert "a journal can only be continued with its own options" in found

    def test_another_system(self) -> None:
        """Hashes are not printed: what else differs of a system or of configurations is."""
        made = setup(Plan())
        other = {**made.description(), "system": {"name": "s", "sha256": "0"}, "commands": {"sha256": "0"}}
        found = self.differences([other], made)
        assert "the system's options and values differ\n" in found
        assert "command lines" not in found
        named = {**made.description(), "configurations": {"count": 3, "sha256": "0"}}
        assert "the configurations differ: count 3 there, 4 now\n" in self.differences([named], made)
        renamed = {**made.description(), "system": {"name": "other", "sha256": "0"}}
        assert "options and values differ: name 'other' there, 's' now\n" in self.differences([renamed], made)
        expanded = {**made.description(), "commands": {"sha256": "0"}}
        assert "the command lines differ\n" in self.differences([expanded], made)


def test_a_later_result_replaces_an_earlier_one() -> None:
    """Values are in order of repetition, of successful runs without warm-ups; a run that is forgotten leaves none."""
    found = RunResults(["t"])
    for run, value in (((0, 1), 5.0), ((0, 0), 4.0), ((0, -1), 9.0), ((0, 1), 6.0)):
        found.add(run, RunResult({"t": value}, seconds=value))
    found.add((0, 2), RunResult({}, "failed"))
    assert found.first_values(0) == [4.0, 6.0]
    assert found.first_values(0, 1) == [4.0]
    assert found.failed == [(0, 2)]
    assert found.mean_seconds() == (4 + 6 + 9 + 0) / 4
    found.forget((0, 0))
    assert found.first_values(0) == [6.0]
    assert (0, 0) not in found.results
    assert RunResults(["t"]).mean_seconds() is None


def test_tables_of_results() -> None:
    """Failed runs have a row each with all that is known of them; the others are values, warm-ups are in neither."""
    made, found = setup(Plan()), RunResults(["t"])
    assert made.measurements(found) is None
    assert made.failures_text(found) is None
    found.add((2, 0), RunResult({"t": 5.0}))
    found.add((2, 1), RunResult({"t": 6.0}, "exit code 3", 3, stderr=" no, memory\n"))
    found.add((0, 1), RunResult({}, "cannot be started"))
    found.add((1, -1), RunResult({}, "failed"))
    found.add((1, 0), RunResult({"t": 7.0}))
    found.add((1, 2), RunResult({"t": 8.0}))
    table = made.measurements(found)
    assert table is not None
    assert table.configurations.value("x").tolist() == [2.0, 3.0]
    assert table["t"].tolist() == [7.5, 5.0]
    assert made.failures_text(found) == (
        'x,repetition,reason,exit_code,stderr\n1,2,cannot be started,,\n3,2,exit code 3,3,"no, memory"\n'
    )
