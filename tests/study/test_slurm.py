"""The script of docs/howto/cluster.md with SLURM's `sbatch` replaced by one that starts the job here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.study.conftest import Studied
from tests.support.paths import ROOT
from tests.support.results import contents

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
