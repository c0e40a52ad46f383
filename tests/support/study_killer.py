"""Run a study, kill it at random moments (SIGKILL) and resume it, many times: the driver of `test_kills.py`.

Run as `python -m tests.support.study_killer STUDY FOLDER KILLS`; prints a JSON object.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

from splc.study import Study, read_study, run_study


def begun(study: Study, folder: Path) -> int:
    """Do the study in a process of its own; everything is imported there already."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            run_study(study, folder, pictures=False)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def finished_tasks(folder: Path) -> dict[str, int]:
    """Return the finished tasks, each with the time of its file."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "tasks").glob("*.json")}


def wait_for_tasks(pid: int, folder: Path, count: int) -> None:
    """Wait until more tasks than that are finished, or the study has ended."""
    while len(finished_tasks(folder)) <= count and not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        time.sleep(0.001)


def main(file: str, output: str, kills: int) -> None:
    """Kill studies after they have finished tasks; every fifth session is killed at any moment."""
    study, place = read_study(file), Path(output)
    started = time.monotonic()
    run_study(study, place / "undisturbed", pictures=False)
    duration = time.monotonic() - started
    chance = random.Random(0)
    killed = early = folders = again = sessions = 0
    while killed < kills:
        folders += 1
        folder = place / f"disturbed{folders}"
        done: dict[str, int] = {}
        while True:
            sessions += 1
            pid = begun(study, folder)
            if killed < kills:
                if sessions % 5:
                    wait_for_tasks(pid, folder, len(done))
                time.sleep(chance.uniform(0, duration / (20 if sessions % 5 else 1)))
                os.kill(pid, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            now = finished_tasks(folder)
            again += sum(now.get(name) != written for name, written in done.items())
            grown, done = len(now) > len(done), now
            if status == 0:
                break
            if status != -signal.SIGKILL:
                sys.exit(f"ended with {status}")
            killed += grown
            early += not grown
    print(json.dumps({"killed": killed, "killed_early": early, "folders": folders, "again": again}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
