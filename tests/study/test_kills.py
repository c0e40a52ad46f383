"""Studies that are killed, and the script of docs/howto/cluster.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.study.conftest import Studied, manifest_of
from tests.support.paths import ROOT
from tests.support.results import contents

ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1"}


@pytest.mark.parametrize(("kills", "seeds"), [(2, 3), pytest.param(50, 40, marks=pytest.mark.slow)])
def test_killed_at_random_moments(study_file: Path, tmp_path: Path, kills: int, seeds: int) -> None:
    """After kills, each with new runs finished, a study loses and repeats none, and gives the same folder."""
    names = ", ".join(map(str, range(seeds)))
    study_file.write_text(f'samplings = ["pb:9,3", "random:6"]\nseeds = [{names}]\n', encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "tests.support.killers",
            "study",
            str(study_file),
            str(tmp_path),
            str(kills),
        ],
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


pytest.importorskip("dask_jobqueue", reason="needs the extra cluster")

# Keeps the job script, runs it in the background, and prints what sbatch does.
SBATCH = """#!/bin/sh
cp "$1" "$STUB/job-$$.sh"
sh "$STUB/job-$$.sh" > "$STUB/job-$$.log" 2>&1 &
echo $! > "$STUB/job-$$.pid"
echo "Submitted batch job $$"
"""
SCANCEL = """#!/bin/sh
for job; do kill "$(cat "$STUB/job-$job.pid")" 2>> "$STUB/scancel.log"; echo "$job" >> "$STUB/cancelled"; done
"""


@pytest.mark.slow
def test_the_script_of_the_page(studied: Studied, study_file: Path, tmp_path: Path) -> None:
    """The script submits two jobs with the resources it names, runs a study on them, and cancels them."""
    page = (ROOT / "docs" / "howto" / "cluster.md").read_text(encoding="utf-8")
    script = tmp_path / "on_slurm.py"
    found = re.search(r"```py\n(.*?)```", page, re.DOTALL)
    assert found is not None
    script.write_text(found[1], encoding="utf-8")
    stub = tmp_path / "stub"
    stub.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (stub / name).write_text(text, encoding="utf-8")
        (stub / name).chmod(0o755)
    environment = {**os.environ, "STUB": str(stub), "PATH": f"{stub}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    output = study_file.parent / "there"
    done = subprocess.run(
        [sys.executable, str(script), "study", str(study_file), "--no-pictures", "-o", str(output)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    jobs = sorted(stub.glob("job-*.sh"))
    assert len(jobs) == 2
    for job in jobs:
        directives = re.findall(r"^#SBATCH (.*)$", job.read_text(encoding="utf-8"), re.MULTILINE)
        assert {"--cpus-per-task=1", "--mem=4G", "-t 02:00:00", "--exclusive", "-n 1"} <= set(directives)
    assert len(set((stub / "cancelled").read_text(encoding="ascii").split())) == 2
    assert contents(output) == contents(studied("here").folder)
