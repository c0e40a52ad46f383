"""Studies that are killed, interrupted, or done twice at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc.errors import OutputError
from splc.io.files import write_whole
from splc.study import folder as folder_module
from tests.study.conftest import Studied, manifest_of
from tests.support.paths import ROOT
from tests.support.results import contents
from tests.support.watches import Ending

ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1"}


@pytest.mark.parametrize(("kills", "seeds"), [(2, 3), pytest.param(50, 40, marks=pytest.mark.slow)])
def test_killed_at_random_moments(study_file: Path, tmp_path: Path, kills: int, seeds: int) -> None:
    """After kills, each with new runs finished, a study loses and repeats none, and gives the same folder."""
    names = ", ".join(map(str, range(seeds)))
    study_file.write_text(f'samplings = ["pb:9,3", "random:6"]\nseeds = [{names}]\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.support.study_killer", str(study_file), str(tmp_path), str(kills)],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["killed"] == kills
    assert found["again"] == 0
    expected = contents(tmp_path / "undisturbed")
    assert len([name for name in expected if name.startswith("tasks/")]) == 1 + seeds
    for number in range(1, found["folders"] + 1):
        folder = tmp_path / f"disturbed{number}"
        assert contents(folder) == expected
        assert None not in manifest_of(folder)["times"]["tasks"].values()


@pytest.mark.slow
def test_a_small_disk(studied: Studied, tmp_path: Path) -> None:
    """On a disk that is full, with each size between nothing and enough, a study continues once there is space."""
    expected = contents(studied(str(tmp_path / "other" / "results")).folder)
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        messages = list[str]()
        for pages in range(1, 60):
            subprocess.run(["mount", "-o", f"remount,size={4 * pages}k", disk], check=True)
            try:
                studied(str(disk / "results"))
            except OutputError as error:
                messages.append(str(error))
            else:
                break
        assert len(messages) > 3
        assert all("No space left on device" in message for message in messages)
        assert contents(disk / "results") == expected
    finally:
        subprocess.run(["umount", disk], check=True)


class Crash(BaseException):
    """The process ends here."""


@pytest.mark.slow
def test_crash_at_every_step(study_file: Path, studied: Studied, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash at any step on files, the study continues to the folder of an undisturbed one."""
    study_file.write_text('samplings = ["pb:9,3", "random:100"]\n', encoding="utf-8")
    left = [10**9]

    def limited(function: Callable[..., Any]) -> Callable[..., Any]:
        def does(*arguments: Any, **settings: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Crash
            return function(*arguments, **settings)

        return does

    monkeypatch.setattr(folder_module, "write_whole", limited(write_whole))
    for name in ("mkdir", "unlink", "rmdir"):
        monkeypatch.setattr(Path, name, limited(getattr(Path, name)))
    expected = contents(studied("undisturbed").folder)
    steps = 10**9 - left[0]
    assert steps > 15
    for step in range(steps):
        left[0] = step
        with pytest.raises(Crash):
            studied(f"crashed{step}")
        left[0] = 10**9
        (study_file.parent / f"crashed{step}").mkdir(exist_ok=True)
        (study_file.parent / f"crashed{step}" / f".{step:016x}.tmp").write_text("half", encoding="utf-8")
        assert contents(studied(f"crashed{step}").folder) == expected, step


@pytest.mark.slow
def test_killed_with_processes(study_file: Path) -> None:
    """The command, killed while its processes learn, continues to the folder of a run with one process."""
    command = [sys.executable, "-m", "splc", "study", str(study_file), "-o"]
    folder = study_file.parent / "killed"
    running = subprocess.Popen([*command, str(folder), "--jobs", "2"], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    while not list(folder.glob("tasks/*.json")) and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    # On a busy machine it may have ended before anybody looked.
    assert running.wait() in {-signal.SIGKILL, 0}
    for name, jobs in (("killed", "2"), ("whole", "1")):
        place = str(study_file.parent / name)
        done = subprocess.run([*command, place, "--jobs", jobs], env=ENVIRONMENT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert contents(folder) == contents(study_file.parent / "whole")
    assert {"pictures/predictions.svg", "pictures/unscaled.svg", "pictures/terms.svg"} <= set(contents(folder))


@pytest.mark.slow
def test_terminated_in_the_background(study_file: Path) -> None:
    """If Ctrl-C is ignored, as in background jobs, SIGTERM ends a study with 130 and keeps finished runs."""
    study_file.write_text(
        'samplings = ["random:6"]\nseeds = [' + ", ".join(map(str, range(400))) + "]\n", encoding="utf-8"
    )
    folder = study_file.parent / "ended"
    splc = f"{sys.executable} -m splc study {study_file} -o {folder} --jobs 2"
    running = subprocess.Popen(
        ["/bin/sh", "-c", f"trap '' INT; exec {splc}"], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    while not list(folder.glob("tasks/*.json")) and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGTERM)
    _, messages = running.communicate(timeout=60)
    assert running.returncode == 130, messages
    done = len(list(folder.glob("tasks/*.json")))
    assert 0 < done < 400
    assert f"{done} of 400 runs are done and kept" in messages


def test_stopped(studied: Studied) -> None:
    """A study that is asked to stop keeps finished runs, writes no tables, and continues where it stopped."""
    first = studied("stopped", watch=Ending(3))
    assert (first.interrupted, first.done, first.tasks) == (True, 3, 8)
    assert not (first.folder / "table.csv").exists()
    second = studied("stopped")
    assert (second.interrupted, second.found, second.done) == (False, 3, 8)
    assert contents(second.folder) == contents(studied("whole").folder)


def test_what_is_done_again(studied: Studied) -> None:
    """A study that is done again changes no file; a task whose record is not as it was written is done again."""
    folder = studied().folder
    expected = contents(folder)
    files = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.rglob("*") if path.is_file()}
    assert studied().found == 8
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files} == files
    path = next(path for path in sorted(folder.glob("tasks/*.json")) if b'"reason": null' in path.read_bytes())
    path.write_bytes(path.read_bytes().replace(b'"rounds": ', b'"rounds": 1'))
    assert studied().found == 7
    assert contents(folder) == expected
