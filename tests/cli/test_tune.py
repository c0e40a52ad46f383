"""`splc tune`: from a command to its best configuration, resumed, with more runs or time, and killed."""

from __future__ import annotations

import json
from contextlib import chdir
from functools import cache
from itertools import count, product
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from splc.cli.app import app
from splc.measuring.journal import read_journal
from tests.cli.conftest import Run
from tests.support.programs import script

DESCRIPTION = (Path(__file__).parent / "solver.xml").read_text(encoding="utf-8")
# The best configuration has 8 threads, the cache and level 3; log does nothing, and 16 threads with the cache fail.
# Microseconds are integers, so that a shell can compute them: a process of it takes a tenth of one of Python.
CODE = """
cache=$1 log=$2 threads=$3 level=$4
if [ $threads = 16 ] && [ $cache = 1 ]; then echo "out of memory" >&2; exit 1; fi
time=$(( (10000000 / threads + 160000 * threads) * (cache ? 7 : 10) / 10 ))
time=$(( time * (20 + (level > 3 ? level - 3 : 3 - level)) / 20 ))
echo "time: ${time}e-6"
echo "size: $(( 20 - 2 * level ))"
"""
SHELL = "/bin/sh"
COMMAND = "./program {cache} {log} {threads} {level}"
TIME = ("--property", r"time=regex:time: (\S+)")
TUNE = ("tune", "--command", COMMAND, *TIME, "--budget", "30", "--default", "threads=1,level=9")
FEW = (*TUNE[:5], "--budget", "12", "--verify", "3", *TUNE[7:])


def value(cache: int, threads: int, level: int) -> float:
    """Return the time of the program."""
    time = (10_000_000 // threads + 160_000 * threads) * (7 if cache else 10) // 10
    return time * (20 + abs(level - 3)) // 20 / 1e6


def prepare(folder: Path) -> None:
    """Write the system and its program."""
    (folder / "system.xml").write_text(DESCRIPTION, encoding="utf-8")
    script(folder, CODE, SHELL)


@cache
def finished(*arguments: str) -> tuple[Result, dict[str, bytes]]:
    """Return what a tuning run in a folder of its own prints, and its files."""
    with TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder))
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result, {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.fixture
def solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a system and its program, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


def restored(solver: Path, *arguments: str) -> Path:
    """Let the folder be that after a tuning run, and return the journal."""
    for name, content in finished(*arguments)[1].items():
        (solver / name).write_bytes(content)
    return solver / "measurements.journal"


def runs_of(journal: Path) -> list[tuple[Any, ...]]:
    """Return the runs of a journal without their times."""
    return [
        (record["trial"], record["row"], record["repetition"], str(record["configuration"]), str(record["values"]))
        for record in read_journal(journal)
        if record["kind"] == "run"
    ]


@pytest.mark.parametrize("kept", [4, 17, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 2, 3, 7, 33))])
def test_resumed_after_any_record(run: Run, solver: Path, kept: int) -> None:
    """Whatever record a journal ends with, and be it incomplete, the resumed run is the same as an undisturbed one."""
    journal = restored(solver, *FEW)
    whole, expected = journal.read_bytes(), runs_of(journal)
    lines = whole.splitlines(keepends=True)
    table = (solver / "measurements.csv").read_bytes()
    journal.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
    result = run(*FEW, "--resume", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["resumed"] == sum(b'"kind":"run"' in line for line in lines[:kept])
    assert runs_of(journal) == expected
    assert (solver / "measurements.csv").read_bytes() == table


@pytest.mark.parametrize("kept", [5, *(pytest.param(each, marks=pytest.mark.slow) for each in (4, 9, 20))])
def test_simultaneous_runs(run: Run, solver: Path, kept: int) -> None:
    """Workers run simultaneously, no configuration is run twice, and a run resumes after any record of the journal."""
    meeting = """
mkdir -p at; touch at/$$; set -- at/*; tries=0
while [ $# -lt 2 ] && [ $tries -lt 60 ]; do sleep 0.05; set -- at/*; tries=$(( tries + 1 )); done
echo "met: $#"
sleep 0.05; rm at/$$
"""
    script(solver, CODE + meeting, SHELL)
    both = (*TUNE[:5], "--property", r"met=regex:met: (\d)")
    arguments = (*both, "--limit", "met >= 0", "--budget", "8", "--workers", "2")
    assert run(*arguments).exit_code == 0
    journal = solver / "measurements.journal"
    values = [record["values"].get("met") for record in read_journal(journal) if record["kind"] == "run"]
    assert values.count(2) >= 4
    searched = [each["configuration"] for each in read_journal(journal) if each.get("why") in ("cover", "search")]
    assert len({str(each) for each in searched}) == len(searched)
    script(solver, f"{CODE}echo met: 1", SHELL)
    whole = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(whole[:kept]))
    assert run(*arguments, "--resume", "-q").exit_code == 0
    assert sorted(number for number, *_ in runs_of(journal)) == [*range(1, 9)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock of a tuning run take 0.1 s."""
    looks = count()
    monkeypatch.setattr("splc.tuning.session.time", SimpleNamespace(monotonic=lambda: next(looks) / 10))


@pytest.mark.parametrize(("seconds", "verify"), [("2s", "40"), ("4s", "2")])
def test_a_time_instead_of_a_budget(run: Run, solver: Path, clock: None, seconds: str, verify: str) -> None:
    """With --for a session ends before or after all runs that verify; resumed, nothing is left but with more time."""
    timed = (*TUNE[:5], "--verify", verify, "--for", seconds)
    result = run(*timed, "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["budget"]) == (0, None)
    journal = solver / "measurements.journal"
    before = runs_of(journal)
    assert found["runs"] == len(before)
    for _ in range(2):
        assert run(*timed, "--resume").exit_code == 0
    assert runs_of(journal) == before
    if verify == "2":
        [end] = [each for each in read_journal(journal) if each["kind"] == "verify"]
        assert 0 < end["seconds"] < 4
        assert (found["out_of_time"], found["best"]["runs"]) == (False, 2)
        assert run(*timed[:-1], "6s", "--resume").exit_code == 0
        after = runs_of(journal)
        assert after[: len(before)] == before
        assert len(after) > len(before)


def test_runs_are_ended_early(run: Run, solver: Path) -> None:
    """With --race runs of the search end at a factor times the best time; they did not fail, and are no best one."""
    script(solver, CODE.replace('echo "time', 'sleep "$(( time / 100 ))e-5"; echo "time'), SHELL)
    arguments = ("tune", "--command", COMMAND, "--property", "t=time", "--budget", "14", "--race", "1.3")
    found = json.loads(run(*arguments, "--keep-going", "--json").stdout)
    ended = [step for step in found["trajectory"] if step["failure"] and "time limit" in step["failure"]]
    assert found["ended_early"] == len(ended) > 0
    assert found["best"]["configuration"] not in [step["configuration"] for step in ended]
    assert all(step["why"] in ("cover", "search") for step in ended)
    again = json.loads(run(*arguments, "--keep-going", "--resume", "--json").stdout)
    assert again["ended_early"] == found["ended_early"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_replay_is_a_run(run: Run, solver: Path, fails: bool) -> None:
    """A replay has the values of a run whose command looks them up; configurations that failed fail in it, too."""
    if not fails:
        script(solver, CODE.replace("exit 1", ":"), SHELL)
    grid = product((0, 1), (0, 1), (1, 2, 4, 8, 16), range(1, 10))
    rows = [f"{c},{g},{t},{n},{'failed' if fails and c and t == 16 else value(c, t, n)}" for c, g, t, n in grid]
    (solver / "all.csv").write_text("\n".join(["cache,log,threads,level,time", *rows, ""]), encoding="utf-8")
    more = ("--budget", "20" if fails else "16", *TUNE[7:], "--seed", "3", "--json")
    live = json.loads(run(*TUNE[:5], *more).stdout)
    result = run("tune", "--replay", "all.csv", "--property", "time", *more)
    found = json.loads(result.stdout)
    [replay] = found["replays"]
    assert replay["values"] == [step["value"] for step in live["trajectory"]]
    assert (found["configurations"], replay["seed"], replay["rank_percent"], replay["regret"]) == (180, 3, 0, 0)
    assert (None in replay["values"], "failed: runs of them fail in replays, too" in result.stderr) == (fails, fails)


@pytest.mark.parametrize("schema", ["cache", "T4"])
def test_a_replay_of_kernel_tuner(run: Run, solver: Path, schema: str) -> None:
    """Its cache file and its results in the schema T4 are replayed as they are, with their objective."""
    names = ("cache", "log", "threads", "level")
    rows = [dict(zip(names, row, strict=True)) for row in product((0, 1), (0, 1), (1, 2, 4, 8), range(1, 10))]
    times = [value(row["cache"], row["threads"], row["level"]) for row in rows]
    both = list(zip(rows, times, strict=True))
    failed = {"cache": 1, "log": 1, "threads": 16, "level": 1}
    if schema == "cache":
        trials: list[dict[str, Any]] = [{**row, "time": time, "GFLOP/s": 1 / time} for row, time in both]
        trials.append({**failed, "time": "RuntimeFailedConfig"})
        cached = {",".join(str(trial[name]) for name in names): trial for trial in trials}
        content: dict[str, Any] = {"tune_params_keys": names, "objective": "time", "cache": cached}
    else:
        content = {
            "results": [
                {"configuration": row, "invalidity": "correct", "measurements": [{"name": "time", "value": time}]}
                for row, time in both
            ]
            + [{"configuration": failed, "invalidity": "runtime", "measurements": []}]
        }
    (solver / "kernel.json").write_text(json.dumps(content), encoding="utf-8")
    result = run("tune", "--replay", "kernel.json", "--budget", "24", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    [replay] = found["replays"]
    assert (found["nfp"], found["optimum"], replay["rank_percent"]) == ("time", min(times), 0)


MORE = (*FEW[:6], "18", *FEW[7:])


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


def test_a_report_of_the_runs_so_far(run: Run, solver: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is written again after every five runs; the last one is not reloaded, and the search is the same."""
    pages: list[str] = []
    monkeypatch.setattr("splc.report.report.write_whole", lambda file, text: pages.append(text))
    expected = runs_of(restored(solver, *FEW))
    result = run(*FEW, "-o", "other.csv", "--report", "page.html")
    assert result.exit_code == 0, result.output
    assert runs_of(solver / "other.journal") == expected
    assert ['http-equiv="refresh"' in page for page in pages] == [True, True, False]
    assert ["(running)" in page for page in pages] == [True, True, False]
    assert "after 5 runs" in pages[0]
    assert "after 12 runs" in pages[2]
