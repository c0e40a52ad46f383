"""Run `amg`, and print its observations of each level in the row of the configuration, for `splc measure`.

    python3 level_columns.py mpirun -n 2 build/amg < configurations.csv

A row has the columns of `amg`, and for every level i the columns C_i, s_i, sh_i, p_i, n_i, ph_i, nh_i and
level_i_compute_seconds, all of them 0 where there is no such level.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

# No grid of these studies has more levels.
LEVELS = 10
# Column of the table of levels → what it is called in models.
VARIABLES = {"C": "C", "s": "s", "shat": "sh", "p": "p", "n": "n", "phat": "ph", "nhat": "nh"}
WORKS = ("smoothing", "residual", "restriction", "interpolation")


def columns(level: int) -> list[str]:
    """Return the names of the columns of a level."""
    return [*(f"{name}_{level}" for name in VARIABLES.values()), f"level_{level}_compute_seconds"]


def cells(level: Mapping[str, str]) -> list[str]:
    """Return the cells of a level: its variables and the computing time of its work."""
    seconds = sum(float(level[f"{work}_compute_seconds"]) for work in WORKS)
    return [*(level[name] for name in VARIABLES), f"{seconds:.9f}"]


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of the table of levels, which grows meanwhile."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def joined(printed: IO[str], levels: Path) -> Iterator[list[str]]:
    """Yield the rows of `amg` (first its header), each with its levels.

    A row is held back until the next one comes or all are there: only then is what was observed of it on disk.
    """
    header: list[str] = []
    waiting: list[str] = []
    known: Iterator[dict[str, str]] = iter(())
    for row in csv.reader(printed):
        if not header:
            header = row
            yield [*header, *(name for level in range(LEVELS) for name in columns(level))]
            continue
        if waiting:
            yield row_with_levels(dict(zip(header, waiting, strict=True)), known)
        else:
            known = rows(levels)
        waiting = row
    if waiting:
        yield row_with_levels(dict(zip(header, waiting, strict=True)), known)


def row_with_levels(row: dict[str, str], known: Iterator[dict[str, str]]) -> list[str]:
    """Return a row with its levels, the next ones of all.

    Raises:
        ValueError: if it has more levels than there are columns for, or they are not there.
    """
    count = int(row["levels"])
    if count > LEVELS:
        raise ValueError(f"{count} levels, but there are columns for {LEVELS} only")
    found = [next(known, None) for _ in range(count)]
    extra: list[str] = []
    for number, level in enumerate(found):
        if level is None or int(level["level"]) != number or any(level[name] != row[name] for name in ("px", "nx")):
            raise ValueError(f"level {number} of {row} was not observed")
        extra += cells(level)
    return [*row.values(), *extra, *["0"] * (len(columns(0)) * (LEVELS - count))]


def main() -> int:
    """Run the command; its exit code is that of this program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "levels.csv"
        process = subprocess.Popen([*sys.argv[1:], "--levels", str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        writer = csv.writer(sys.stdout, lineterminator="\n")
        try:
            for row in joined(process.stdout, path):
                writer.writerow(row)
                sys.stdout.flush()
        except ValueError as error:
            print(f"level_columns: {error}", file=sys.stderr)
            process.terminate()
            process.wait()
            return 3
        return process.wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
    sys.exit(130)
