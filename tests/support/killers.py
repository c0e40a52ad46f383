"""Kill `splc measure`, or a study, at random moments and resume it; print what was lost or repeated, as a JSON object.

Run as `python -m tests.support.killers measure KILLS REPETITIONS` in the folder of a system, or with `study STUDY
FOLDER KILLS`. A session is killed after it has recorded something; every fifth one at any moment, also before its first
run. Sessions are forked from this process, which has imported everything already: a kill then hits the work, not the
start of Python.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sized
from contextlib import suppress
from functools import partial
from pathlib import Path

from splc.cli import main
from splc.measuring.journal import read_journal
from splc.study import read_study, run_study

# What a run is goes into a log, with the session that it belongs to.
COMMAND = (
    'awk \'BEGIN {{ print ENVIRON["SESSION"], "{x}-{cache}-{left}-{repetition}" >> "log"; '
    'print "time:", {x} * {repetition} + {cache} }}\''
)


def forked(work: Callable[[], object]) -> int:
    """Do some work in a process of its own, and return its id."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return process


def exit_code(process: int, done: Callable[[], Sized] | None, least: int, pause: float) -> int:
    """Wait for a process, which is killed a moment after more than `least` is done, and return its exit code.

    `done`: what is done so far; None: it is not killed.
    """
    if done is not None:
        while len(done()) <= least and not os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            time.sleep(0.001)
        time.sleep(pause)
        os.kill(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def measure(number: int, repeat: int, output: str, *more: str) -> None:
    """Do a session of a measurement."""
    os.environ["SESSION"] = str(number)
    os.dup2(os.open("messages", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    os.dup2(2, 1)
    sys.argv = [
        *("splc", "measure", "--command", COMMAND, "--sampling", "all+ff", "-o", output),
        *("--property", "time=regex:time: (.*)", "--repeat", str(repeat), "--warmup", "1", *more),
    ]
    main()


def results(name: str) -> list[tuple[object, ...]]:
    """Return the runs of a journal in order, each without its times."""
    return [
        (record["row"], record["repetition"], str(record["configuration"]), str(record["values"]))
        for record in read_journal(f"{name}.journal")
        if record["kind"] == "run"
    ]


def recorded() -> set[str]:
    """Return the runs that the journal has."""
    found = set()
    for record in read_journal("killed.journal"):
        if record["kind"] == "run":
            values = {name: int(value) for name, value in record["configuration"].items()}
            repetition = max(record["repetition"] + 1, 0)
            found.add(f"{values['x']}-{values['cache']}-{values['left']}-{repetition}")
    return found


def logged(number: int) -> Counter[str]:
    """Return the runs that a session has started."""
    lines = Path("log").read_text(encoding="ascii").splitlines() if Path("log").exists() else []
    return Counter(run for at, run in (line.split() for line in lines) if at == str(number))


def killed_measurement(kills: int, repeat: int) -> dict[str, object]:
    """Kill a measurement several times, let it end, and measure the same undisturbed."""
    moments = random.Random(7)
    lost, done_again, beyond = list[str](), list[str](), list[str]()
    before = set[str]()
    killed = early = number = 0
    ended = -signal.SIGKILL
    while ended:
        number += 1
        anywhere = number % 5 == 0
        process = forked(partial(measure, number, repeat, "killed.csv", "--resume"))
        pause = moments.uniform(0, 0.06 if anywhere else 0.02)
        ended = exit_code(process, recorded if killed < kills else None, -1 if anywhere else len(before), pause)
        if ended not in {0, -signal.SIGKILL}:
            raise SystemExit(Path("messages").read_text(encoding="utf-8"))
        now = recorded()
        killed += bool(ended) and len(now) > len(before)
        early += bool(ended) and len(now) == len(before)
        lost += sorted(before - now)
        # A run in flight when its session is killed may still write its line: it ran once, and is not recorded.
        ran = logged(number)
        done_again += sorted(run for run in ran if run in before or ran[run] > 1)
        if len(ran.keys() - now) > 1:
            beyond += sorted(ran.keys() - now)
        before = now
    exit_code(forked(partial(measure, number + 1, repeat, "undisturbed.csv")), None, 0, 0.0)
    lists = {"lost": lost, "done_again": done_again, "unrecorded_beyond_one": beyond}
    same = results("killed") == results("undisturbed")
    return {"killed": killed, "killed_early": early, **lists, "recorded": len(before), "same": same}


def finished_tasks(folder: Path) -> dict[str, int]:
    """Return the finished tasks, each with the time of its file."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "tasks").glob("*.json")}


def killed_study(file: str, output: str, kills: int) -> dict[str, object]:
    """Do a study undisturbed, and in as many folders as give so many kills."""
    study, place = read_study(file), Path(output)
    started = time.monotonic()
    run_study(study, place / "undisturbed", pictures=False)
    duration = time.monotonic() - started
    moments = random.Random(0)
    killed = early = folders = again = sessions = 0
    while killed < kills:
        folders += 1
        folder = place / f"disturbed{folders}"
        done: dict[str, int] = {}
        ended = -signal.SIGKILL
        while ended:
            sessions += 1
            anywhere = sessions % 5 == 0
            process = forked(partial(run_study, study, folder, pictures=False))
            pause = moments.uniform(0, duration / (1 if anywhere else 20))
            finished = partial(finished_tasks, folder) if killed < kills else None
            ended = exit_code(process, finished, -1 if anywhere else len(done), pause)
            if ended not in {0, -signal.SIGKILL}:
                sys.exit(f"ended with {ended}")
            now = finished_tasks(folder)
            again += sum(now.get(name) != written for name, written in done.items())
            killed += bool(ended) and len(now) > len(done)
            early += bool(ended) and len(now) == len(done)
            done = now
    return {"killed": killed, "killed_early": early, "folders": folders, "again": again}


def imported() -> None:
    """Import what a session needs: by a dry run, and what only a real one uses."""
    import splc.formats.measurements.csv

    del splc
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv = ["splc", "measure", "--command", "true", "--sampling", "all+ff", "--dry-run"]
    with suppress(SystemExit):
        main()
    sys.stdout.flush()
    os.dup2(output, 1)


def killed(what: str, *arguments: str) -> dict[str, object]:
    """Kill what is named."""
    if what == "study":
        file, output, kills = arguments
        return killed_study(file, output, int(kills))
    imported()
    return killed_measurement(*map(int, arguments))


if __name__ == "__main__":
    print(json.dumps(killed(*sys.argv[1:])))
