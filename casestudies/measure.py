"""`python -m casestudies.measure CASE`: measure a case study again with its driver.

Everything is written next to the committed files, under names with `.new` in them; the same command continues after an
interruption. Further options are those of `splc measure`, as `--sampling pb:9,3 --dry-run`.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from casestudies.drivers import level_columns
from splc.io.files import write_whole

HERE = Path(__file__).parent
REPETITIONS = 3
# Runs between two of the reference configuration.
BLOCK = 20
# Seconds that one process may take; the largest configurations of a topology together take minutes.
LIMIT = 3600
MPIRUN = "mpirun --oversubscribe --mca mpi_yield_when_idle 1 -n {{= {ranks} }} "
COMMON = ("solve_seconds", "setup_seconds", "solve_compute_seconds", "messages", "bytes", "iterations", "residual")
LOAD = "load_average"
OPTIONS = ("px", "py", "pz", "nx", "ny", "nz")


@dataclass(frozen=True)
class CaseMeasurement:
    """The measurement of a case study."""

    topology: tuple[str, ...]  # the options whose values one process cannot change
    program: str  # the command after `mpirun`, from the folder of the case
    leveled: bool = False  # whether levels are observed, too
    blocks: bool = False  # whether each run is an `mpirun` of its own, in blocks of random order

    @property
    def properties(self) -> tuple[str, ...]:
        """The columns to record."""
        if not self.leveled:
            return (*COMMON, LOAD)
        levels = [name for level in range(level_columns.LEVELS) for name in level_columns.columns(level)]
        return (*COMMON, "levels", *levels, LOAD)

    @property
    def command(self) -> str:
        """The command for `splc measure`."""
        text = MPIRUN.format(ranks=" * ".join(self.topology)) + self.program
        if self.blocks:
            names = [*self.topology, "nx"]
            values = ",".join(f"{{{name}}}" for name in names)
            return f"sh -c 'printf \"{','.join(names)}\\n{values}\\n\" | {text}'"
        return f"{sys.executable} ../drivers/level_columns.py {text}" if self.leveled else text

    @property
    def output(self) -> str:
        """The file that `splc measure` writes."""
        return "measured.new.csv" if self.leveled else "measurements.new.csv"


SMG = "../../drivers/build/smg"
CASES = {
    "smg2000/1d": CaseMeasurement(("px",), SMG),
    "smg2000/2d": CaseMeasurement(("px", "py"), SMG),
    "smg2000/3d": CaseMeasurement(("px", "py", "pz"), SMG),
    "boomeramg": CaseMeasurement(("px", "py", "pz"), "../drivers/build/amg", leveled=True),
    "two_cores/1d": CaseMeasurement(("px",), SMG, blocks=True),
    "two_cores/2d": CaseMeasurement(("px", "py"), SMG, blocks=True),
    "two_cores/3d": CaseMeasurement(("px", "py", "pz"), SMG, blocks=True),
    "two_cores/boomeramg": CaseMeasurement(("px", "py", "pz"), "../../drivers/build/amg", blocks=True),
}


def arguments(case: CaseMeasurement, folder: Path, further: Sequence[str]) -> list[str]:
    """Return the arguments of `splc measure`."""
    chosen = {option.partition("=")[0] for option in further}
    ways = ["--block", str(BLOCK)] if case.blocks else ["--batch", ",".join(case.topology)]
    found = ["measure", *ways, "--command", case.command, "--output", case.output]
    found += [f"--property={name}=csv:{name}" if case.blocks else f"--property={name}" for name in case.properties]
    found += ["--env", "OPENBLAS_NUM_THREADS=1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Open MPI does not start as root unless it is told to, as in a container.
        found += ["--env", "OMPI_ALLOW_RUN_AS_ROOT=1", "--env", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
    if not chosen & {"--sampling", "--configurations"}:
        found += ["--sampling", "ff"]
    if "--repeat" not in chosen:
        found += ["--repeat", str(REPETITIONS)]
    if "--timeout" not in chosen:
        found += ["--timeout", str(LIMIT)]
    if (folder / case.output.replace(".csv", ".journal")).exists() and "--resume" not in chosen:
        found.append("--resume")
    return [*found, *further]


def split(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return file name → content: the measurements, and what was observed of configurations and their levels."""
    levels = range(max(int(row["levels"]) for row in rows))
    observed_of_level = [name for name in level_columns.columns(0) if not name.startswith("level_")]
    variables = [name.removesuffix("_0") for name in observed_of_level]
    measured = [*OPTIONS, *COMMON, *(f"level_{level}_compute_seconds" for level in levels), LOAD]
    whole, observed, by_level = [measured], [[*OPTIONS, "iterations"]], [[*OPTIONS, "level", *variables]]
    seen: dict[tuple[str, ...], list[list[str]]] = {}
    for row in rows:
        options = [row[name] for name in OPTIONS]
        whole.append([row[name] for name in measured])
        count = int(row["levels"])
        found = [[row["iterations"]], *([row[f"{name}_{level}"] for name in variables] for level in range(count))]
        if (before := seen.setdefault(tuple(options), found)) is not found:
            if before != found:
                raise ValueError(f"the levels or iterations of {options} differ between repetitions")
            continue
        observed.append([*options, *found[0]])
        # The coarsest level has no interpolation: what belongs to it is missing there.
        for level, values in enumerate(found[1:]):
            known = [
                "" if level == count - 1 and name in ("sh", "ph", "nh") else value
                for name, value in zip(variables, values, strict=True)
            ]
            by_level.append([*options, str(level), *known])
    return {"measurements": text(whole), "observed": text(observed), "levels": text(by_level)}


def text(table: Sequence[Sequence[str]]) -> str:
    """Return a table as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(table)
    return stream.getvalue()


def main(given: Sequence[str]) -> int:
    """Measure; the exit code is that of `splc measure`."""
    if not given or given[0] not in CASES:
        print(f"error: no case study to measure: name one of {', '.join(CASES)}", file=sys.stderr)
        return 2
    case, folder = CASES[given[0]], HERE / given[0]
    called = [sys.executable, "-m", "splc", *arguments(case, folder, given[1:])]
    # Ctrl-C reaches both; splc measure waits for the run in flight, and this process for it.
    process = subprocess.Popen(called, cwd=folder)
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            continue
    if case.leveled and code in (0, 1, 130) and (folder / case.output).exists():
        with (folder / case.output).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if rows:
            tables = split(rows)
            write_whole(folder / "measurements.new.csv", tables["measurements"])
            write_whole(folder / "observed.new.csv", tables["observed"])
            write_whole(folder / "levels.new.csv.gz", tables["levels"])
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
