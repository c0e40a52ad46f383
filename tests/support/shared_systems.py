"""Small tables of every real system: a few of its measured configurations, with a made-up context."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from splc import read_measurements, read_variability_model
from splc.io.files import read_source
from tests.support.real_data import real

ROWS = 40
VERSIONS = ("1.9", "1.10")


@dataclass(frozen=True)
class SharedSystem:
    """A system with its files."""

    measurements: str  # the measurements, from the folder of the data
    nfp: str  # the property
    description: str | None = None  # the description; None is inferred from the table
    context: str | None = None  # the column of contexts, whose first value is used


DESCRIBED = {
    "x264": SharedSystem("x264/measurements.xml", "Performance", "x264/FeatureModel.xml"),
    "LLVM": SharedSystem("LLVM/measurements.xml", "Performance", "LLVM/FeatureModel.xml"),
    "Dune": SharedSystem("Dune/measurements.xml", "Performance", "Dune/FeatureModel.xml"),
    "exastencils": SharedSystem("exastencils/SS-X.csv.gz", "Fixed-compile-cpu-", "exastencils/FeatureModel.xml"),
    "splc_examples": SharedSystem(
        "splc_examples/measurements.xml", "Performance", "splc_examples/VariabilityModel.xml"
    ),
}
TABLES = {
    f"contexts-{name}": SharedSystem(f"contexts/{name}.csv.gz", nfp, context="environment")
    for name, nfp in (("deeparch", "inference_time"), ("imagemagick", "time"), ("sqlite", ""), ("x264", ""))
}
TABLES |= {f"tuning-{name}": SharedSystem(f"tuning/{name}.csv.gz", "") for name in ("HSQLDB", "dconvert", "deeparch")}
HYPRE = ("smg1d", "smg2d", "smg3d", "smg1d_few_ranks", "smg2d_few_ranks", "smg3d_few_ranks", "amg7")
TABLES |= {f"hypre-{name}": SharedSystem(f"hypre/{name}.csv", "solve_s") for name in HYPRE}
SYSTEMS = DESCRIBED | TABLES


def small_table(name: str, folder: Path, *, versions: bool, seed: int | None = None) -> str:
    """Write `measurements.csv` with some rows of a system, and `system.xml` if it has one; return the property.

    `seed`: of 40 to 100 random rows; None: even rows. `versions`: whether there is a column of versions. The first
    option that differs is new in the second version, and doubles the property: it has its least value in all rows of
    the first version.
    """
    system = SYSTEMS[name]
    header, rows = _described_rows(system, folder, seed) if system.description else _table_rows(system, seed)
    nfp = system.nfp or header[-1]
    if versions:
        at = next(at for at in range(len(header)) if len({row[at] for row in rows}) > 1)
        least = min(row[at] for row in rows)
        place = header.index(nfp)
        others = iter(range(len(rows)))
        for row in rows:
            new = row[at] != least
            row[place] = f"{float(row[place] or 'nan') * (1 + new):.17g}"
            row.append(VERSIONS[new or next(others) % 2])
        header = [*header, "version"]
    with (folder / "measurements.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return nfp


def _places(count: int, seed: int | None) -> list[int]:
    """Return the positions of the rows that are used."""
    if seed is None:
        return list(map(int, np.linspace(0, count - 1, min(ROWS, count))))
    rng = np.random.default_rng(seed)
    return list(map(int, rng.permutation(count)[: rng.integers(40, 101)]))


def _described_rows(system: SharedSystem, folder: Path, seed: int | None) -> tuple[list[str], list[list[str]]]:
    source = real(system.description or "")
    (folder / "system.xml").write_bytes(source.read_bytes())
    described = read_variability_model(source)
    measured = read_measurements(real(system.measurements), described, invalid="drop", duplicates="first")
    known = np.flatnonzero(np.isfinite(measured[system.nfp]))
    measured = measured[known[_places(len(known), seed)]]
    columns = [np.nan_to_num(measured.configurations.value(option.name), nan=0.0) for option in described.options]
    columns.append(np.asarray(measured[system.nfp]))
    rows = [[f"{value:.17g}" for value in row] for row in zip(*columns, strict=True)]
    return [*(option.name for option in described.options), system.nfp], rows


def _table_rows(system: SharedSystem, seed: int | None) -> tuple[list[str], list[list[str]]]:
    header, *rows = csv.reader(read_source(real(system.measurements)).text().splitlines())
    if system.context is not None:
        at = header.index(system.context)
        rows = [_without(row, at) for row in rows if row[at] == rows[0][at]]
        header = _without(header, at)
    return header, [rows[at] for at in _places(len(rows), seed)]


def _without(cells: Sequence[str], at: int) -> list[str]:
    return [*cells[:at], *cells[at + 1 :]]
