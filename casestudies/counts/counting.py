"""The counts of hypre's solvers: messages, bytes, iterations and levels. No clock is needed for them.

One `mpirun` for each topology counts all its grids, once each. More ranks than cores are as good as fewer: what is sent
depends on neither load nor clock.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from splc.io.files import write_whole

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "drivers" / "build"
MPIRUN = ("mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n")
COUNTS = ("iterations", "messages", "bytes", "rank_messages", "rank_bytes")
# Column of the driver's table of levels → its name in models.
LEVEL_COUNTS = {"C": "C", "nnz": "nnz", "nnzP": "nnzP", "p": "p", "n": "n", "phat": "ph", "nhat": "nh"}
# The number of ranks along each axis from which on a rank has neighbours on both sides, as the formulas assume.
INNER = 4

Configuration = Mapping[str, int]


@dataclass(frozen=True)
class Plan:
    """Configurations to count with a driver."""

    program: str  # the driver
    configurations: tuple[Configuration, ...]  # those of one topology one after the other
    leveled: bool = False  # whether levels are counted, too


def ranks_of(configuration: Configuration) -> int:
    """Return the number of ranks of a configuration."""
    return configuration["px"] * configuration.get("py", 1) * configuration.get("pz", 1)


def plans() -> dict[str, Plan]:
    """Return table → what it counts."""
    cells = (*(2**power for power in range(6, 17)), 100, 300, 700, 1500, 3000, 7000, 15_000, 30_000)
    line = ({"px": 2**power, "nx": count} for power in range(7) for count in cells)
    topologies = ((1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1))
    cubes = ({"px": px, "py": py, "pz": pz, "nx": count} for px, py, pz in topologies for count in range(20, 51))
    return {"smg-1d": Plan("smg", tuple(line)), "boomeramg": Plan("amg", tuple(cubes), leveled=True)}


def environment() -> dict[str, str]:
    """Return the environment of MPI programs, which do not start as root unless they are told to."""
    own = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        own |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return own


def count(plan: Plan, programs: Path = PROGRAMS) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the counts of configurations, and of their levels."""
    rows: list[dict[str, str]] = []
    levels: list[dict[str, str]] = []
    for ranks, own in groupby(plan.configurations, key=lambda each: [each[name] for name in each if name[0] == "p"]):
        configurations = list(own)
        options = list(configurations[0])
        table = text([options, *([str(each[name]) for name in options] for each in configurations)])
        number = ranks_of(configurations[0])
        command = [*MPIRUN, str(number), str(programs / plan.program), "--warmup", "0", "--min-seconds", "0"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "levels.csv"
            extra = ["--levels", str(file)] if plan.leveled else []
            done = subprocess.run(
                [*command, *extra], input=table, capture_output=True, text=True, check=False, env=environment()
            )
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)} on {ranks} ranks: {done.stderr}")
            rows += [
                {name: row[name] for name in (*options, *COUNTS)} for row in csv.DictReader(io.StringIO(done.stdout))
            ]
            if plan.leveled:
                kept = {**dict(zip(options, options, strict=True)), "level": "level", **LEVEL_COUNTS}
                found = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8")))
                levels += [{new: row[name] for name, new in kept.items()} for row in found]
    return rows, levels


def text(table: Iterable[Iterable[str]]) -> str:
    """Return a table as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(table)
    return stream.getvalue()


def write_counts(folder: Path = HERE, programs: Path = PROGRAMS) -> None:
    """Count everything, and write a table for each plan, with another one of the levels."""
    for name, plan in plans().items():
        rows, levels = count(plan, programs)
        for file, found in ((f"{name}.csv", rows), (f"{name}-levels.csv.gz", levels)):
            if found:
                write_whole(folder / file, text([found[0], *(row.values() for row in found)]))
