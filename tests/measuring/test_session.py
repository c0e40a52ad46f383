"""Sessions of measurements and their journals: what is resumed, cut off, and refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError, OutputError, SpecError
from splc.measuring import session
from splc.measuring.execution import Plan, Run, RunResult, RunResults
from splc.measuring.journal import Journal, decoded, encoded, parse, read_journal
from splc.measuring.runner import birth
from splc.measuring.session import Backend, Progress, Remaining, Session, left_of
from splc.measuring.setup import Setup, require_same
from tests.measuring.conftest import BLOCKS, PLANS, grid, measurement
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.objects import present
from tests.support.programs import file_size_limit


def setup(plan: Plan | None = None, command: str = "true {x}", **more: Any) -> Setup:
    """Return a measurement of four configurations."""
    made = measurement(grid(4, "x"), command, "t=time", plan)
    return Setup(made.command, made.configurations, made.properties, made.plan, **more)


def scattering(run: Run) -> RunResult:
    """Return a result: the third configuration scatters, the last one fails, also in warm-ups."""
    row, repetition = run
    if row == 3:
        return RunResult({}, "failed", seconds=2.0)
    return RunResult({"t": 1.0 + (repetition % 2 if row == 2 else 0)}, seconds=1.0)


def backend(result: Callable[[Run], RunResult], most: int = 10**9) -> Backend:
    """Return a backend that does at most this number of runs in all."""
    left = [most]

    def does(_: Setup, runs: Sequence[Run], record: Callable[..., None], should_stop: Callable[[], bool]) -> None:
        for run in runs:
            if left[0] == 0 or should_stop():
                return
            left[0] -= 1
            record(run, result(run), {})

    return does


def failing(*reasons: str | None) -> Backend:
    """Return a backend whose runs fail for these reasons, and for none after them."""
    left = [*reasons]

    def result(_: Run) -> RunResult:
        reason = left.pop(0) if left else None
        return RunResult({"t": 1.0} if reason is None else {}, reason)

    return backend(result)


@examples(15)
@given(PLANS | BLOCKS, st.integers(0, 30))
def test_progress_and_resumption(tmp_path_factory: pytest.TempPathFactory, plan: Plan, stop: int) -> None:
    """Interrupted after any run, the remaining runs are exactly those that a resumed session does, and counts agree."""
    path = tmp_path_factory.mktemp("session") / "j"
    made, seen = setup(plan), list[Progress]()
    with Journal.create(path) as journal:
        first = Session.begin(made, journal)
        before = first.measure(
            backend(scattering, stop), on_progress=lambda progress: seen.append(Progress(**vars(progress)))
        )
    left = left_of(made, first.recorded)
    with Journal.resume(path) as journal:
        again = Session.begin(made, journal)
        assert (again.resumed, again.grown, again.ended_leftover) == (before.done, False, False)
        assert again.recorded.results == first.recorded.results
        after = again.measure(backend(scattering))
        sessions = [record["number"] for record in journal.records if record["kind"] == "session"]
    results = again.recorded.results
    with Journal.create(path.with_name("whole")) as journal:
        whole = Session.begin(made, journal)
        whole.measure(backend(scattering))
    assert whole.recorded.results == results
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
        assert left.total == after.total == 4 * (plan.repeat + plan.warmup) + plan.references(4)
    expected = (before.total - before.done) * before.seconds / before.done if before.done else None
    assert before.seconds_left() == (None if expected is None else pytest.approx(expected))
    assert before.seconds_left(2) == (None if expected is None else pytest.approx(expected / 2))


@examples(15)
@given(BLOCKS)
def test_blocks(tmp_path_factory: pytest.TempPathFactory, plan: Plan) -> None:
    """Blocks of N runs begin with the first configuration, hold every other run once, and are numbered in the table."""
    made, block = setup(plan), present(plan.block)
    blocks = plan.blocks(4)
    assert [runs[0][0] for runs in blocks] == [0] * len(blocks) == [0] * plan.references(4)
    assert [len(runs) - 1 for runs in blocks[:-1]] == [block] * (len(blocks) - 1)
    others = [run for runs in blocks for run in runs[1:]]
    assert sorted(others) == [(row, repetition) for row in range(4) for repetition in range(plan.repeat)]
    with Journal.create(tmp_path_factory.mktemp("blocks") / "j") as journal:
        session = Session.begin(made, journal)
        session.measure(backend(lambda run: RunResult({"t": 1.0 + run[0]})))
        runs = [(record["row"], record["repetition"]) for record in journal.records if record["kind"] == "run"]
    assert [run for run in runs if run[1] >= 0] == [run for each in blocks for run in each]
    table = present(made.measurements(session.recorded))
    for row in range(4):
        numbers = [number for number, runs in enumerate(blocks, 1) for run in runs if run[0] == row]
        stated = table.repetitions("block")[row]
        assert sorted(stated[~np.isnan(stated)].tolist()) == sorted(numbers)


def test_blocks_refused(tmp_path: Path) -> None:
    """Blocks need a random order, no limit of deviations, no batch and no column of their name; none are appended."""
    wrong: list[dict[str, Any]] = [{"order": "repetition"}, {"max_deviation": 0.1}, {"block": 0}]
    for settings in wrong:
        with pytest.raises(SpecError):
            Plan(**{"repeat": 2, "order": "random", "block": 2, **settings})
    blocks = Plan(order="random", block=2)
    with pytest.raises(SpecError, match="batch"):
        setup(blocks, "true", batch=())
    with pytest.raises(SpecError, match="column"):
        setup(blocks, contexts={"block": "a"})
    with Journal.create(tmp_path / "j") as journal:
        Session.begin(setup(blocks), journal).measure(backend(scattering))
        for plan, append in ((blocks, True), (Plan(2, order="random", block=2), False), (Plan(), False)):
            with pytest.raises(InputError, match="block"):
                Session.begin(setup(plan), journal, append=append)


def test_a_stop_before_a_stage(tmp_path: Path) -> None:
    """A stop ends the session before its next stage, without a record of a session that does nothing."""
    with Journal.create(tmp_path / "j") as journal:
        progress = Session.begin(setup(), journal).measure(failing(), should_stop=lambda: True)
        assert (progress.done, progress.total) == (0, 4)
        assert [record["kind"] for record in journal.records] == ["plan"]


def test_failed_runs_are_repeated_on_request(tmp_path: Path) -> None:
    """Runs that failed are done again only if that is requested; warm-ups are not."""
    made = setup(Plan(repeat=2, warmup=1))
    with Journal.create(tmp_path / "j") as journal:
        Session.begin(made, journal).measure(backend(scattering))
        assert Session.begin(made, journal).measure(backend(scattering)).measured == 0
        again = Session.begin(made, journal, retry_failed=True)
        assert again.resumed == 12
        assert left_of(made, again.recorded) == Remaining((3,), 2, 12)
        assert again.measure(backend(scattering)).measured == 2


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
    made, total = setup(Plan(repeat=10**12, warmup=10**9)), 4 * (10**12 + 10**9)
    with Journal.create(tmp_path / "j") as journal:
        progress = Session.begin(made, journal).measure(backend(scattering, 2))
    assert (progress.total, progress.done) == (total, 2)
    recorded = RunResults(["t"])
    recorded.add((0, -1), RunResult({"t": 1.0}))
    assert left_of(made, recorded) == Remaining((0, 1, 2, 3), total - 1, total)


def test_a_journal_without_success_is_begun_anew(tmp_path: Path) -> None:
    """A journal whose runs all failed is emptied on request; one with a successful run is refused."""
    with Journal.create(tmp_path / "j") as journal:
        Session.begin(setup(), journal).measure(failing("x", "x", "x"), keep_going=False)
        again = Session.begin(setup(Plan(repeat=2), "false {x}"), journal, restart=True)
        assert (again.resumed, again.grown, len(journal.records)) == (0, False, 1)
        assert again.measure(failing()).done == 8
    with Journal.resume(tmp_path / "j") as journal:
        assert (len(journal.records), journal.torn) == (10, 0)
        with pytest.raises(OutputError, match="exists already"):
            Session.begin(setup(), journal, restart=True)


@pytest.mark.parametrize(
    ("kind", "process", "born", "ends"),
    [
        ("start", os.getpid(), birth(os.getpid()), True),
        ("start", os.getpid(), "another one", False),
        ("start", 2**22 + 1, None, False),
        ("end", os.getpid(), birth(os.getpid()), False),
    ],
    ids=["running", "another birth", "ended", "end recorded"],
)
def test_what_is_left_of_a_killed_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, process: int, born: str | None, ends: bool
) -> None:
    """Only a run that started last, and whose process is still the same one, is ended."""
    ended: list[int] = []
    monkeypatch.setattr(session, "end_session", ended.append)
    with Journal.create(tmp_path / "j") as journal:
        journal.append(setup().description())
        journal.append({"kind": kind, "process": process, "birth": born})
        assert Session.begin(setup(), journal).ended_leftover == ends
    assert ended == [process] * ends


def grows(*there: Setup | Mapping[str, Any], wanted: Setup | None = None) -> bool:
    """Return whether the measurement of a journal with these records is continued with more repetitions."""
    records = [each.description() if isinstance(each, Setup) else each for each in there]
    return require_same(records, (wanted or setup()).description(), "j")


def done(value: float) -> RunResult:
    """Return the result of a run of as many seconds as its value."""
    return RunResult({"t": value}, seconds=value)


def recorded(*results: tuple[Run, RunResult], forgotten: Sequence[Run] = ()) -> RunResults:
    """Return results that are added in this order, without those that are forgotten then."""
    found = RunResults(["t"])
    for run, result in results:
        found.add(run, result)
    for run in forgotten:
        found.forget(run)
    return found


def values(found: RunResults) -> tuple[Any, ...]:
    """Return the values of the first configuration, those before its first repetition, and what failed."""
    return found.first_values(0), found.first_values(0, 1), found.failed, sorted(found.results)


def tables(found: RunResults) -> tuple[Any, ...]:
    """Return the configurations that were measured, their values, and the table of failed runs."""
    measured, failures = setup().measurements(found), setup().failures_text(found)
    return measured and (measured.configurations.value("x").tolist(), measured["t"].tolist()), failures


def test_calls() -> None:
    """What differs from the journal of another measurement, and the values and tables of results."""
    check_calls("journals", setup, grows, done, recorded, values, tables, Plan, RunResult)


RECORDS = st.dictionaries(
    st.text(max_size=5),
    st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
).map(lambda record: {"kind": "run", **record})
LINE = encoded({"kind": "run"})
WRONG = LINE.replace(b"run", b"RUN")


@given(st.lists(RECORDS, min_size=1, max_size=4), st.data())
def test_cut_off_anywhere(records: list[dict[str, Any]], data: st.DataObject) -> None:
    """A record is one line; wherever a journal is cut off, exactly the records that are whole are read."""
    lines = [encoded(record) for record in records]
    assert [decoded(line.removesuffix(b"\n")) for line in lines] == records
    text = b"".join(lines)
    assert text.count(b"\n") == len(records)
    cut = data.draw(st.integers(0, len(text)))
    found, size = parse(text[:cut], "j")
    ends = [sum(map(len, lines[: count + 1])) for count in range(len(lines))]
    whole = sum(end <= cut for end in ends)
    assert found == records[:whole]
    assert size == (ends[whole - 1] if whole else 0)


@given(st.data())
def test_a_changed_byte(data: st.DataObject) -> None:
    """A byte that changes in the last line drops it; in an earlier one it is damage."""
    lines = [encoded({"kind": "run", "row": row}) for row in range(3)]
    end = len(lines[0]) + len(lines[1])
    text = bytearray(b"".join(lines))
    # The line end before the last line belongs to both.
    at = data.draw(st.integers(0, len(text) - 1).filter(lambda at: at != end - 1))
    text[at] ^= data.draw(st.integers(1, 255))
    if at < end:
        with pytest.raises(InputError, match="damaged"):
            parse(bytes(text), "j")
    else:
        assert [record["row"] for record in parse(bytes(text), "j")[0]] == [0, 1]


def descriptors(path: Path) -> int:
    """Return the number of open descriptors of a file."""
    return sum(os.path.realpath(each) == str(path.resolve()) for each in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LINE + b"x" + LINE * 9, "j:2: this record of the journal is damaged\n    it was changed or damaged"),
        # More wrong lines at the end than a crash can leave are damage: nothing is cut off.
        (LINE + WRONG * 4, "j:2: this record of the journal is damaged"),
        (b"x\n" + LINE, "j:1: this record of the journal is damaged"),
        (b"x,y\n1,2\n", "j:1: this is not a journal of measurements"),
    ],
)
def test_what_is_no_journal(tmp_path: Path, content: bytes, message: str) -> None:
    """A journal that is damaged, or a file of something else, is refused, not changed, and closed again."""
    path = tmp_path / "j"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Journal.resume(path)
    assert f"{tmp_path}/{message}" in str(caught.value)
    assert (path.read_bytes(), descriptors(path)) == (content, 0)


@pytest.mark.parametrize("left", [b"", LINE[:-5], WRONG * 3, b"\0" * 500 + b"\n" + b"\0" * 10])
def test_appending(tmp_path: Path, left: bytes) -> None:
    """Appended records are on disk at once; a resumed journal drops what a crash left, and continues after them."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        journal.append({"kind": "run"})
        assert read_journal(path) == [{"kind": "run"}]
    with path.open("ab") as file:
        file.write(left)
    with Journal.resume(path) as journal:
        assert (journal.records, journal.torn, path.stat().st_size) == ([{"kind": "run"}], len(left), len(LINE))
        journal.append({"kind": "end"}, sync=False)
    assert read_journal(path) == [{"kind": "run"}, {"kind": "end"}]


def test_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record is on disk when it is appended, unless that is not requested."""
    synced: list[int] = []
    with Journal.create(tmp_path / "j") as journal:
        monkeypatch.setattr("os.fsync", lambda _: synced.append((tmp_path / "j").stat().st_size))
        journal.append({"kind": "run"})
        size = (tmp_path / "j").stat().st_size
        journal.append({"kind": "start"}, sync=False)
        assert synced == [size]


def test_a_full_disk(tmp_path: Path) -> None:
    """A full disk is an error that leaves the journal unchanged; later records can be added."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        journal.append({"kind": "run", "row": 0})
        size = path.stat().st_size
        message = r"j: cannot be written: File too large\n    free space there, and continue with --resume; every run"
        with file_size_limit(size + 10), pytest.raises(OutputError, match=message):
            journal.append({"kind": "run", "row": 1})
        assert path.stat().st_size == size
        journal.append({"kind": "run", "row": 2})
    assert [record["row"] for record in read_journal(path)] == [0, 2]


def test_files_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that cannot be opened, made, read or shortened, or is locked, is refused and closed."""
    path = tmp_path / "j"
    for function, place, message in (
        (Journal.resume, tmp_path / "nowhere", "cannot be opened"),
        (Journal.create, tmp_path / "nowhere" / "j", "cannot be written"),
        (read_journal, tmp_path, "cannot be read"),
    ):
        with pytest.raises((InputError, OutputError), match=message):
            function(place)
    assert (read_journal(tmp_path / "nowhere"), list(tmp_path.iterdir())) == ([], [])
    path.write_bytes(LINE + b"x")
    with monkeypatch.context() as patch:
        patch.setattr("os.ftruncate", lambda *_: os.fsync(10**6))
        with pytest.raises(OutputError) as caught:
            Journal.resume(path)
    assert str(caught.value) == f"{path}: cannot be read or written: Bad file descriptor"
    with Journal.resume(path):
        for function, message in (
            (Journal.create, "this journal of measurements exists already\n    continue it with --resume, or name"),
            (Journal.resume, "another 'splc measure' is writing this journal\n    wait until it has ended, or measure"),
        ):
            with pytest.raises(OutputError, match=message):
                function(path)
        assert descriptors(path) == 1
    assert descriptors(path) == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_does_not_have(number: float) -> None:
    """A record with a number that no other reader of JSON takes is not written."""
    with pytest.raises(ValueError, match="JSON"):
        encoded({"kind": "run", "seconds": number})
