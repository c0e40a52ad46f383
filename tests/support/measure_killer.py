"""Kill `splc measure` at random moments and resume it; print the number of lost and repeated runs, which must be 0.

Run as `python measure_killer.py KILLS REPETITIONS` in the folder of a system.

Sessions are forked from this process, which has imported everything already: a kill then hits the measurement, not
the start of Python.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from splc.cli import main
from splc.measuring.journal import read_journal

# What a run is goes into a log, with the session that it belongs to.
COMMAND = (
    'awk \'BEGIN {{ print ENVIRON["SESSION"], "{x}-{cache}-{left}-{repetition}" >> "log"; '
    'print "time:", {x} * {repetition} + {cache} }}\''
)


def session(number: int, repeat: int, output: str, *more: str) -> int:
    """Fork a session of the measurement, and return its process id."""
    process = os.fork()
    if process == 0:
        os.environ["SESSION"] = str(number)
        os.dup2(os.open("messages", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
        os.dup2(2, 1)
        sys.argv = [
            *("splc", "measure", "--command", COMMAND, "--sampling", "all+ff", "-o", output),
            *("--property", "time=regex:time: (.*)", "--repeat", str(repeat), "--warmup", "1", *more),
        ]
        code = 1
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        finally:
            os._exit(code)
    return process


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


def wait_for_runs(process: int, count: int) -> None:
    """Wait until the journal has more runs than that, or the session has ended."""
    while len(recorded()) <= count:
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return
        threading.Event().wait(0.001)


def kill_and_resume(kills: int, repeat: int) -> dict[str, object]:
    """Kill a measurement several times after it has recorded runs, let it end, and measure the same undisturbed.

    Every fourth further session is killed at any moment, also before its first run.
    """
    random_moments = random.Random(7)
    lost, done_again, beyond = list[str](), list[str](), list[str]()
    before = set[str]()
    killed = early = number = 0
    while True:
        number += 1
        process = session(number, repeat, "killed.csv", "--resume")
        anywhere = number % 5 == 0
        if killed < kills:
            if not anywhere:
                wait_for_runs(process, len(before))
            threading.Event().wait(random_moments.uniform(0, 0.06 if anywhere else 0.02))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        ended = os.waitstatus_to_exitcode(status)
        if ended not in {0, -signal.SIGKILL}:
            raise SystemExit(Path("messages").read_text(encoding="utf-8"))
        now = recorded()
        if ended and len(now) > len(before):
            killed += 1
        elif ended:
            early += 1
        lost += sorted(before - now)
        # A run in flight when its session is killed may still write its line: it ran once, and is not recorded.
        ran = logged(number)
        done_again += sorted(run for run in ran if run in before or ran[run] > 1)
        if len(ran.keys() - now) > 1:
            beyond += sorted(ran.keys() - now)
        before = now
        if not ended:
            break
    undisturbed = session(number + 1, repeat, "undisturbed.csv")
    os.waitpid(undisturbed, 0)
    return {
        "killed": killed,
        "killed_early": early,
        "lost": lost,
        "done_again": done_again,
        "unrecorded_beyond_one": beyond,
        "recorded": len(before),
        "same": results("killed") == results("undisturbed"),
    }


if __name__ == "__main__":
    # Imports what a session needs, once: a dry run in here, and what only a real run uses.
    import splc.formats.measurements.csv

    del splc
    before_all = (os.dup(1), sys.argv)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv = ["splc", "measure", "--command", "true", "--sampling", "all+ff", "--dry-run"]
    with suppress(SystemExit):
        main()
    sys.stdout.flush()
    os.dup2(before_all[0], 1)
    print(json.dumps(kill_and_resume(int(before_all[1][1]), int(before_all[1][2]))))
