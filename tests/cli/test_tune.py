"""`splc tune`: from a command to its best configuration."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc.measuring.journal import read_journal
from tests.cli.conftest import Run
from tests.support.programs import script
from tests.support.schemas import schema_errors
from tests.support.tracing import untraced

Refused = Callable[..., str]
DESCRIPTION = """<vm name="solver"><binaryOptions>
<configurationOption><name>cache</name><optional>True</optional></configurationOption>
<configurationOption><name>log</name><optional>True</optional></configurationOption>
</binaryOptions><numericOptions>
<configurationOption><name>threads</name><minValue>1</minValue><maxValue>16</maxValue>
<stepFunction>threads * 2</stepFunction></configurationOption>
<configurationOption><name>level</name><minValue>1</minValue><maxValue>9</maxValue>
<stepFunction>level + 1</stepFunction></configurationOption>
</numericOptions></vm>
"""
# The best configuration has 8 threads, the cache and level 3; log does nothing, and 16 threads with the cache fail.
CODE = """
import sys
cache, log, threads, level = map(int, sys.argv[1:5])
if threads == 16 and cache: sys.exit("out of memory")
time = (10 / threads + 0.16 * threads) * (0.7 if cache else 1) * (1 + 0.05 * abs(level - 3))
print(f"time: {time}")
print(f"size: {20 - 2 * level}")
"""
COMMAND = "./program {cache} {log} {threads} {level}"
TIME = ("--property", r"time=regex:time: (\S+)")
TUNE = ("tune", "--command", COMMAND, *TIME, "--budget", "30", "--default", "threads=1,level=9")


@pytest.fixture
def solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a system and its program, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(DESCRIPTION, encoding="utf-8")
    script(tmp_path, CODE)
    return tmp_path


def runs_of(journal: Path) -> list[tuple[Any, ...]]:
    """Return the runs of a journal without their times."""
    return [
        (record["trial"], record["row"], record["repetition"], str(record["configuration"]), str(record["values"]))
        for record in read_journal(journal)
        if record["kind"] == "run"
    ]


def test_from_a_command_to_the_best_configuration(run: Run, solver: Path) -> None:
    """The best configuration is found, verified, compared with the default, explained and written, with a model."""
    result = run(*TUNE, "--json")
    assert result.exit_code == 0
    assert schema_errors(result.stdout) == []
    found = json.loads(result.stdout)
    best = found["best"]["configuration"]
    assert (best["cache"], best["threads"], best["level"], best["log"]) == (1, 8, 3, 0)
    assert found["best"]["value"] == pytest.approx(0.7 * (10 / 8 + 0.16 * 8))
    assert found["gain"]["percent"] == pytest.approx(100 * (1 - found["best"]["value"] / found["default"]["value"]))
    assert [change["option"] for change in found["changes"]] == ["threads", "cache", "level"]
    assert (found["changes"][0]["from"], found["changes"][0]["to"]) == (1, 8)
    assert found["indifferent"] == ["log"]
    assert len(found["trajectory"]) == found["runs"] == 30
    assert found["trajectory"][0]["why"] == "default"
    assert found["model"]["output"] == "learned.json"
    assert {path.name for path in solver.iterdir()} >= {"best.csv", "learned.json", "measurements.csv"}
    assert run("predict", "learned.json", "best.csv").exit_code == 0


def test_lines_about_runs(run: Run, solver: Path) -> None:
    """Standard error has a line per run, standard output what was found; -q has the second only."""
    result = run(*TUNE)
    lines = result.stderr.splitlines()
    assert lines[0] == "least time of 180 valid configurations; 30 runs, of them 9 to verify"
    assert len([line for line in lines if line.split()[:1] and line.split()[0].isdecimal()]) == 30
    assert any("out of memory" in line for line in lines) == ("failed" in result.stdout)
    assert [line.split()[0] for line in result.stdout.splitlines()][:4] == ["best", "default", "gain", "changes"]
    for name in ("measurements.csv", "measurements.journal"):
        (solver / name).unlink()
    quiet = run(*TUNE, "-q")
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")


def test_resumed_after_any_record(run: Run, solver: Path) -> None:
    """Whatever record a journal ends with, and be it incomplete, the resumed run is the same as an undisturbed one."""
    assert run(*TUNE).exit_code == 0
    journal = solver / "measurements.journal"
    whole, expected = journal.read_bytes(), runs_of(journal)
    lines = whole.splitlines(keepends=True)
    table = (solver / "measurements.csv").read_bytes()
    for kept in (1, 2, 3, 4, 7, 33, 62, 90):
        journal.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
        result = run(*TUNE, "--resume", "-q")
        assert result.exit_code == 0, result.output
        assert runs_of(journal) == expected
        assert (solver / "measurements.csv").read_bytes() == table


def test_killed(run: Run, solver: Path) -> None:
    """A killed tuning run is continued: no run is lost or repeated."""
    slow = [*TUNE]
    slow[2] = f"{COMMAND} slow"
    script(solver, CODE + "if sys.argv[5:]:\n    import time as clock\n    clock.sleep(0.05)\n")
    killed = subprocess.Popen(
        [sys.executable, "-m", "splc", *slow],
        cwd=solver,
        env=untraced(),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    journal = solver / "measurements.journal"
    while not (journal.exists() and len(runs_of(journal)) > 5):
        assert killed.poll() is None
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = runs_of(journal)
    result = run(*slow, "--resume", "--json")
    assert result.exit_code == 0, result.output
    after = runs_of(journal)
    assert after[: len(before)] == before
    assert [number for number, *_ in after] == [*range(1, 31)]
    assert json.loads(result.stdout)["resumed"] == len(before)


def test_simultaneous_runs(run: Run, solver: Path) -> None:
    """Workers run simultaneously, no configuration is run twice, and a run resumes after any record of the journal."""
    meeting = """
import os, pathlib, time as clock
place = pathlib.Path("at", str(os.getpid()))
place.parent.mkdir(exist_ok=True)
place.touch()
end = clock.monotonic() + 3
while len(list(place.parent.iterdir())) < 2 and clock.monotonic() < end: clock.sleep(0.005)
print("met:", len(list(place.parent.iterdir())))
clock.sleep(0.05)
place.unlink()
"""
    script(solver, CODE + meeting)
    both = (*TUNE[:5], "--property", r"met=regex:met: (\d)")
    arguments = (*both, "--limit", "met >= 0", "--budget", "16", "--workers", "2")
    assert run(*arguments).exit_code == 0
    journal = solver / "measurements.journal"
    values = [record["values"].get("met") for record in read_journal(journal) if record["kind"] == "run"]
    assert values.count(2) >= 8
    searched = [each["configuration"] for each in read_journal(journal) if each.get("why") in ("cover", "search")]
    assert len({str(each) for each in searched}) == len(searched)
    whole = journal.read_bytes().splitlines(keepends=True)
    for kept in (4, 5, 9, 20):
        journal.write_bytes(b"".join(whole[:kept]))
        assert run(*arguments, "--resume", "-q").exit_code == 0
        assert sorted(number for number, *_ in runs_of(journal)) == [*range(1, 17)]


def test_a_time_instead_of_a_budget(run: Run, solver: Path) -> None:
    """With --for the search ends so that there is time to verify; resumed, nothing is left to run."""
    script(solver, CODE + "import time as clock\nclock.sleep(0.02)\n")
    arguments = (*TUNE[:5], "--for", "4s")
    result = run(*arguments, "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["budget"]) == (0, None)
    journal = solver / "measurements.journal"
    [end] = [each for each in read_journal(journal) if each["kind"] == "verify"]
    assert 0 < end["seconds"] < 4
    runs = runs_of(journal)
    assert found["runs"] == len(runs)
    assert found["out_of_time"] or found["best"]["runs"] > 0
    if not found["out_of_time"]:
        assert run(*arguments, "--resume").exit_code == 0
        assert runs_of(journal) == runs


def test_runs_are_ended_early(run: Run, solver: Path) -> None:
    """With --race runs of the search end at a factor times the best time; they did not fail, and are no best one."""
    script(solver, CODE.replace('print(f"time', 'import time as clock; clock.sleep(time / 10)\nprint(f"time'))
    arguments = ("tune", "--command", COMMAND, "--property", "t=time", "--budget", "14", "--race", "1.3")
    found = json.loads(run(*arguments, "--keep-going", "--json").stdout)
    ended = [step for step in found["trajectory"] if step["failure"] and "time limit" in step["failure"]]
    assert found["ended_early"] == len(ended) > 0
    assert found["best"]["configuration"] not in [step["configuration"] for step in ended]
    assert all(step["why"] in ("cover", "search") for step in ended)
    again = json.loads(run(*arguments, "--keep-going", "--resume", "--json").stdout)
    assert again["ended_early"] == found["ended_early"]


def test_earlier_measurements(run: Run, solver: Path) -> None:
    """--from: what earlier runs measured is not measured again, and is needed to continue."""
    assert run(*TUNE).exit_code == 0
    earlier = {path.name: path.read_bytes() for path in solver.iterdir() if path.name.startswith("measurements.")}
    for name, content in earlier.items():
        (solver / name.replace("measurements", "earlier")).write_bytes(content)
        (solver / name).unlink()
    for file in ("earlier.csv", "earlier.journal"):
        arguments = (*TUNE[:5], "--budget", "5", "--from", file, "-o", f"{file}.tuned.csv")
        found = json.loads(run(*arguments, "--json").stdout)
        assert {step["why"] for step in found["trajectory"][-5:]} <= {"search", "repeat"}
        assert found["runs"] == 5
        assert found["earlier_runs"] + 5 == len(found["trajectory"])
    text = run(*TUNE[:5], "--budget", "5", "-o", f"{file}.tuned.csv", "--resume").stderr
    assert "the earlier measurements differ" in text


def test_a_picture_and_a_page(run: Run, solver: Path) -> None:
    """--plot draws the runs; the JSON of a tuning run has a report with its value, its changes and its failures."""
    result = run(*TUNE, "--json", "--plot", "progress.svg")
    assert "best so far" in (solver / "progress.svg").read_text(encoding="utf-8")
    (solver / "tuned.json").write_text(result.stdout, encoding="utf-8")
    assert run("report", "tuned.json").exit_code == 0
    page = (solver / "report.html").read_text(encoding="utf-8")
    assert "Best time: 1.771" in page
    assert page.count("out of memory") == json.loads(result.stdout)["failed"]
    assert "Where it searched" in page
    assert run("report", "tuned.json", "--picture", "tuning-tried").exit_code == 0
    both = (*TUNE[:5], "--property", r"size=regex:size: (\S+)", "--budget", "36", "-o", "both.csv", "--json")
    (solver / "both.json").write_text(run(*both).stdout, encoding="utf-8")
    assert run("report", "both.json", "-o", "both.html").exit_code == 0
    assert "The Pareto front" in (solver / "both.html").read_text(encoding="utf-8")


def test_not_the_json_of_a_tuning_run(run: Run, refused: Refused, solver: Path) -> None:
    """A file that was changed is refused."""
    (solver / "tuned.json").write_text('{"schema": "splc.tune/1", "best": {}}', encoding="utf-8")
    assert "this is not what splc tune --json writes" in refused("report", "tuned.json")


def test_dry_run(run: Run, solver: Path) -> None:
    """--dry-run prints the first commands, which a run has, and writes nothing."""
    before = {path.name for path in solver.iterdir()}
    result = run(*TUNE, "--dry-run", "--json")
    assert schema_errors(result.stdout) == []
    found = json.loads(result.stdout)
    assert run(*TUNE, "--dry-run").stdout.splitlines()[1].strip() == found["commands"][0] == "./program 0 0 1 9"
    assert {path.name for path in solver.iterdir()} == before
    assert run(*TUNE).exit_code == 0
    first = [each["configuration"] for each in read_journal(solver / "measurements.journal") if each["kind"] == "tune"]
    lines = [f"./program {each['cache']} {each['log']} {each['threads']} {each['level']}" for each in first]
    assert lines[:5] == found["commands"]


def test_another_tuning_run(run: Run, refused: Refused, solver: Path) -> None:
    """A journal is continued with its own options only, and is not overwritten."""
    run(*TUNE)
    text = refused(*TUNE, "--resume", "--maximize")
    assert "whether large values are good differs: False there, True now" in text
    assert "exists already" in refused(*TUNE)
    assert "the journal is of another measurement" in refused(
        "measure", "--command", COMMAND, *TIME, "--sampling", "all+ff", "--resume"
    )


def test_limits_and_fixed_values(run: Run, solver: Path) -> None:
    """The best configuration is within a limit of another property, and has the fixed values."""
    size = ("--property", r"size=regex:size: (\S+)", "--limit", "size <= 8", "--fix", "log")
    found = json.loads(run(*TUNE, *size, "--json").stdout)
    best = found["best"]["configuration"]
    assert (best["log"], best["level"], best["threads"]) == (1, 6, 8)
    assert all(step["configuration"]["log"] == 1 for step in found["trajectory"])


def test_a_table_of_configurations_is_resumed(run: Run, solver: Path) -> None:
    """A tuning run whose system is a table of configurations is resumed beside its own measurements."""
    rows = [f"{log},{threads},{level}" for log in (0, 1) for threads in (1, 2, 4, 8) for level in (1, 3, 5)]
    (solver / "configurations.csv").write_text("\n".join(["log,threads,level", *rows]) + "\n", encoding="utf-8")
    (solver / "system.xml").unlink()
    command = ("tune", "--system", "configurations.csv", "--command", "./program 0 {log} {threads} {level}", *TIME)
    assert run(*command, "--budget", "6").exit_code == 0
    resumed = run(*command, "--budget", "6", "--resume")
    assert resumed.exit_code == 0, resumed.stderr
    assert "6 runs are recorded already" in resumed.stderr
    # Another column of the earlier table keeps the result of the runs.
    text = (solver / "measurements.csv").read_text(encoding="utf-8").splitlines()
    further = [f"{line},{number or 'note'}" for number, line in enumerate(text)]
    (solver / "earlier.csv").write_text("\n".join(further) + "\n", encoding="utf-8")
    more = run(*command, "--budget", "4", "--from", "earlier.csv", "-o", "more.csv")
    assert more.exit_code == 0, more.stderr
    assert more.stdout.startswith("best")


def test_no_best_configuration_is_written_beyond_the_limits(run: Run, solver: Path) -> None:
    """A configuration that breaks the limits is no best one: exit code 1, and no file of it."""
    result = run(*TUNE, "--property", r"size=regex:size: (\S+)", "--limit", "size <= 1")
    assert result.exit_code == 1
    assert "no run is within the limits" in result.stderr
    assert not (solver / "best.csv").exists()


def test_the_front_of_two_properties(run: Run, solver: Path) -> None:
    """Two properties have a Pareto front: each configuration is verified, printed and written."""
    arguments = (*TUNE[:5], "--property", r"size=regex:size: (\S+)", "--budget", "40")
    found = json.loads(run(*arguments, "--json").stdout)
    front = found["front"]
    assert len(front) > 2
    assert (found["best"], found["gain"]) == (None, None)
    assert all(each["fresh"] and each["properties"]["size"]["runs"] >= 2 for each in front)
    assert len((solver / "best.csv").read_text().splitlines()) == len(front) + 1
    printed = run(*arguments, "--resume", "-q").stdout.splitlines()
    assert [line.split()[0] for line in printed[:2]] == ["time", f"{front[0]['properties']['time']['value']:.4g}"]
    assert any(line.startswith(f"front  {len(front)} configurations") for line in printed)


def test_no_solution(run: Run, solver: Path) -> None:
    """A limit that no run keeps is no solution: exit code 1, and a warning."""
    result = run(*TUNE, "--property", r"size=regex:size: (\S+)", "--limit", "size <= 1")
    assert result.exit_code == 1
    assert "no run is within the limits (size <= 1)" in result.stderr


def test_a_replay_is_a_run(run: Run, solver: Path) -> None:
    """A replay of all configurations that work has the values of a run whose command looks them up."""
    (solver / "program").write_text((solver / "program").read_text().replace("if threads", "if 0 and threads"))
    assert run("measure", "--command", COMMAND, *TIME, "--sampling", "all+ff", "-o", "all.csv").exit_code == 0
    live = json.loads(run(*TUNE, "--json", "--seed", "3").stdout)
    more = ("--property", "time", "--budget", "30", "--default", "threads=1,level=9", "--seed", "3", "--json")
    result = run("tune", "--replay", "all.csv", *more)
    assert schema_errors(result.stdout) == []
    [replay] = json.loads(result.stdout)["replays"]
    assert replay["values"] == [step["value"] for step in live["trajectory"]]
    assert (replay["seed"], replay["rank_percent"], replay["regret"]) == (3, 0, 0)


def test_budgets_of_replays(run: Run, solver: Path) -> None:
    """Several budgets and seeds give a row per budget, and JSON has every replay."""
    (solver / "program").write_text((solver / "program").read_text().replace("if threads", "if 0 and threads"))
    run("measure", "--command", COMMAND, *TIME, "--sampling", "all+ff", "-o", "all.csv")
    arguments = ("tune", "--replay", "all.csv", "--property", "time", "--budget", "12,30", "--seeds", "2")
    lines = run(*arguments).stdout.splitlines()
    assert lines[0] == "best time of 180 configurations: 1.771"
    assert [line.split()[0] for line in lines[1:]] == ["runs", "12", "30"]
    found = json.loads(run(*arguments, "--json").stdout)
    assert [(each["budget"], each["seed"]) for each in found["replays"]] == [(12, 0), (12, 1), (30, 0), (30, 1)]
    assert [len(each["values"]) for each in found["replays"]] == [12, 12, 30, 30]


def test_a_wrong_command(run: Run, solver: Path) -> None:
    """If the first three runs fail for the same reason, the rest is left; --keep-going continues."""
    wrong = ("tune", "--command", "./program {cache}", "--budget", "12")
    result = run(*wrong)
    assert result.exit_code == 1
    assert len(runs_of(solver / "measurements.journal")) == 3
    assert "the first runs failed for the same reason" in result.stderr
    again = run(*wrong, "--keep-going")
    assert again.exit_code == 1
    assert len(runs_of(solver / "measurements.journal")) == 12
    assert "nothing is known of any configuration" in again.stderr
