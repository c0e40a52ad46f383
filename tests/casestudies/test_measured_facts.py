"""Facts that the measurements of the case studies state: parts of the time, counts of messages, shared noise."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from casestudies.report import communication
from casestudies.report.noise import Noise
from casestudies.report.studies import HERE, KINDS, Case
from splc.study import read_study
from splc.study.results import Results
from splc.study.tasks import load
from splc.types import Array

FOLDERS = [kind.folder for kind in KINDS]


@cache
def case_of(folder: str) -> Case:
    """Return a case without its studies."""
    kind = next(kind for kind in KINDS if kind.folder == folder)
    study = read_study(HERE / folder / "study.toml")
    return Case(kind, study, load(study), Results(()), None)


@cache
def means_of(folder: str) -> dict[str, Array]:
    """Return the columns of a table of measurements, means over the repetitions, by the csv module alone."""
    with (HERE / folder / "measurements.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    options = names.index("solve_seconds")
    groups: dict[tuple[str, ...], list[list[float]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[:options])].append([float(each) for each in row])
    means = np.array([np.mean(each, axis=0) for each in groups.values()])
    return dict(zip(names, means.T, strict=True))


def columns_of(folder: str) -> Array:
    """Return work, messages and bytes of one rank, shape (configurations, 3)."""
    table = means_of(folder)
    grid = {"1d": ("nx",), "2d": ("nx",) * 2, "3d": ("nx",) * 3}.get(folder[-2:], ("nx", "ny", "nz"))
    ranks = np.prod([table[name] for name in ("px", "py", "pz") if name in table], axis=0)
    work = np.prod([table[name] for name in grid], axis=0) * table["iterations"]
    return np.column_stack([work, table["messages"] / ranks, table["bytes"] / ranks])


@pytest.mark.parametrize("folder", FOLDERS)
def test_parts_are_a_non_negative_least_squares_fit(folder: str) -> None:
    """The errors and times of sums of parts are those of scipy's non-negative least squares of relative errors."""
    from scipy.optimize import nnls

    rows = communication.parts([case_of(folder)]).rows
    columns, measured = columns_of(folder), means_of(folder)["solve_compute_seconds"]
    for row, parts in zip(rows, (1, 2, 3), strict=False):
        relative = columns[:, :parts] / measured[:, None]
        sizes = np.linalg.norm(relative, axis=0)
        times = nnls(relative / sizes, np.ones(len(measured)))[0] / sizes
        error = 100 * np.abs(relative @ times - 1).mean()
        assert float(str(row[2])) == pytest.approx(error, abs=0.051)
        for cell, time, scale in zip(row[3:], times, (1e9, 1e6, 1e9), strict=False):
            assert float(str(cell).split(" ")[0]) == pytest.approx(scale * time, rel=6e-3, abs=1e-9)
        shares = 100 * times * columns[:, :parts].sum(axis=0) / (columns[:, :parts] @ times).sum()
        assert [float(str(cell)) for cell in row[6 : 6 + parts]] == pytest.approx(list(shares), abs=0.51)


def test_counts_beside_the_formula() -> None:
    """Counted and predicted messages and doubles in 3-D are those of the table and of the published formula."""
    table, case = means_of("smg2000/3d"), case_of("smg2000/3d")
    ranks = table["px"] * table["py"] * table["pz"]
    lx, ly, lz = (np.log2(table[name] * table["nx"]) for name in ("px", "py", "pz"))
    wanted = {
        "alpha": (table["messages"], 4 * lz * (1 + 2 * ly * (lx + 1))),
        "beta": (table["bytes"] / 8, 4 * table["nx"] ** 2 * (lz + 2 * lx + 2 * ly)),
    }
    for parameter, (sent, formula) in wanted.items():
        counted, predicted = communication.counted_and_predicted(case, parameter)
        assert counted == pytest.approx(sent / ranks / table["iterations"])
        assert predicted == pytest.approx(formula)


@pytest.mark.parametrize(("shared", "deviation"), [(0.0, 0.1), (0.5, 0.2), (0.9, 0.3)])
def test_noise_of_known_parts(shared: float, deviation: float) -> None:
    """The part of the noise that an `mpirun` shares, and the deviation of a row, are found where they are known."""
    rng = np.random.default_rng(3)
    size = 300, 8, 3
    rows = deviation * (
        np.sqrt(shared) * rng.standard_normal((size[0], 1, size[2])) + np.sqrt(1 - shared) * rng.standard_normal(size)
    )
    found = Noise(rows - rows.mean(axis=2, keepdims=True))
    assert found.deviation == pytest.approx(deviation, rel=0.05)
    assert found.shared == pytest.approx(shared, abs=0.03)
    # Without a drift along the grids, neighbours are as alike as any two.
    assert found.neighbours == pytest.approx(shared, abs=0.06)
