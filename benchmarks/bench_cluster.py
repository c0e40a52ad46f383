"""Cost of a study on dask by its number of runs: CPU of all processes, and peak memory of the one that is started.

Run by `make bench`. The yardstick of the same run is the study in one process.
`RUNS=300,3000,10000` in the environment measures other sizes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

CASE = Path(__file__).parents[1] / "casestudies" / "smg2000" / "2d"
RUNS = [int(size) for size in os.environ.get("RUNS", "100,300,1000").split(",")]
LEARNER = '[learners.small]\nlearner = "stepwise"\npreset = "splconqueror"\nnumberOfRounds = 2\n'


def cost(folder: Path, runs: int, *backend: str) -> tuple[float, float]:
    """Return the CPU seconds of a study and its workers, and the peak memory in MB."""
    folder.mkdir()
    for name in ("system.xml", "measurements.csv"):
        (folder / name).write_bytes((CASE / name).read_bytes())
    seeds = ", ".join(map(str, range(runs)))
    text = f'nfp = "solve_seconds"\nsamplings = ["random:6"]\nseeds = [{seeds}]\n{LEARNER}'
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code = (
        "import sys; from splc.cli import main\n"
        "try: main()\n"
        "finally: print(*[line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line], file=sys.stderr)"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code, "study", "--no-pictures", "--jobs", "1", *backend]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, int(done.stderr.split()[-1]) / 1024


def test_cost_grows_with_the_runs(tmp_path: Path) -> None:
    """Each further run costs as much as the ones before, and on dask at most 2.5 times as much as in one process."""
    print()
    here: list[float] = []
    there: list[float] = []
    for runs in RUNS:
        for name, found, backend in (("here", here, ()), ("dask", there, ("--backend", "dask"))):
            seconds, memory = cost(tmp_path / f"{name}-{runs}", runs, *backend)
            found.append(seconds)
            each = 1000 * seconds / runs
            print(f"{runs:,} runs, {name}: {seconds:.1f} s of CPU, {each:.1f} ms per run, {memory:.0f} MB")
    for found in (here, there):
        further = [(b - a) / (n - m) for a, b, m, n in zip(found, found[1:], RUNS, RUNS[1:], strict=False)]
        assert max(further) < 2 * min(further)
    assert there[-1] - there[0] < 2.5 * (here[-1] - here[0])
