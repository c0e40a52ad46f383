"""Learning with 50 binary options: CPU time and memory of the default learner beside others.

Run by `make bench`. Each case runs in a process of its own with one thread, where its clock starts after the imports;
the others (SPL Conqueror's algorithm, a random forest of scikit-learn) learn the same rows in processes of the same
run, so that ratios hardly depend on the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.yardstick import PEAK, check, cpu
from tests.support.paths import SMG2000

ROWS = (100, 300, 1000, 10_000)
MEGABYTES = 1200

# Thirty influences of single options and of pairs, 5 % noise.
LEARN = """
import sys, time
import numpy as np
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel

name, rows = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
system = VariabilityModel("fifty", tuple(BinaryOption(f"b{i}") for i in range(50)))
bits = np.unique(rng.integers(0, 2, (2 * rows, 50)), axis=0)
bits = bits[rng.permutation(len(bits))[:rows]]
pairs = rng.integers(0, 50, (30, 2))
values = 100 + (bits[:, pairs[:, 0]] * bits[:, pairs[:, 1]]) @ rng.uniform(5, 50, 30)
values = values * (1 + 0.05 * rng.standard_normal(rows))
measured = Measurements(Configurations(system, bits.astype(np.uint8)), {"seconds": values})
learn(measured[:20], learner=name)
before = time.process_time()
result = learn(measured, learner=name, learning_set=np.arange(rows))
seconds = time.process_time() - before
numbers = rng.random(10_000_000)
before = time.process_time()
np.sort(numbers)
print(seconds, PEAK, time.process_time() - before)
""".replace("PEAK", PEAK)


def environment() -> dict[str, str]:
    """Return the environment of a process with one thread."""
    return {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")}


@cache
def measure(learner: str, rows: int) -> tuple[float, float, float]:
    """Return CPU seconds and megabytes of a learner, and CPU seconds of the yardstick."""
    call = [sys.executable, "-c", LEARN, learner, str(rows)]
    done = subprocess.run(call, capture_output=True, text=True, check=True, env=environment())
    seconds, megabytes, yardstick = map(float, done.stdout.split())
    return seconds, megabytes, yardstick


@pytest.mark.parametrize("rows", ROWS)
def test_fifty_binary_options(rows: int) -> None:
    """The default learner keeps its ratios of time, and its limit of memory."""
    seconds, megabytes, yardstick = measure("projection", rows)
    others = {name: measure(name, rows)[0] for name in ("stepwise", "forest")}
    ratios = ", ".join(f"{seconds / other:.1f} times {name}'s ({other:.2f} s)" for name, other in others.items())
    check(f"learning from {rows:,} rows of 50 options", seconds, sorting=yardstick)
    print(f"{ratios}, {megabytes:.0f} MB at most")
    assert megabytes <= MEGABYTES


def test_learn_command_of_a_case_study(tmp_path: Path) -> None:
    """`splc learn` on nine configurations of SMG2000 3-D keeps its ratios of time."""
    code = """
import resource, subprocess, sys
before = resource.getrusage(resource.RUSAGE_CHILDREN)
subprocess.run(sys.argv[1:], check=True, capture_output=True)
after = resource.getrusage(resource.RUSAGE_CHILDREN)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
"""
    output = f"{tmp_path}/learned.log"

    def seconds(*arguments: str) -> float:
        call = [sys.executable, "-c", code, sys.executable, *arguments]
        runs = [
            subprocess.run(call, cwd=SMG2000 / "3d", capture_output=True, text=True, check=True, env=environment())
            for _ in range(3)
        ]
        return min(float(run.stdout) for run in runs)

    learn = ("-m", "splc", "learn", "--sampling", "pb:9,3", "-o", output)
    ours, other = seconds(*learn), seconds(*learn, "--learner", "stepwise")
    numbers = np.random.default_rng(0).random(10_000_000)
    yardstick = cpu(lambda: np.sort(numbers))
    check("splc learn of SMG2000 3-D, pb:9,3", ours, sorting=yardstick, stepwise=other)
