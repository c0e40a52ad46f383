"""Metamorphic laws of `splc scale`: what does not change the measurements changes no model by more than 1e-9."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run

TOLERANCE = 1e-9
METHODS = ("default", "basic", "refinement", "extrap")


@dataclass(frozen=True)
class Profile:
    """A profile of the same measurements, told in another way."""

    shuffled: bool = False  # whether rows are in random order; the repetitions of a point keep theirs
    columns: tuple[int, ...] = (0, 1, 2, 3)  # the order of the columns
    names: tuple[str, str] = ("p", "n")  # the names of the parameters
    unit: float = 1.0  # what values are multiplied by
    context: bool = False  # whether rows of another context are in the same file
    others: bool = True  # whether there are other call paths


CHANGED = (
    Profile(shuffled=True),
    Profile(columns=(3, 2, 1, 0)),
    Profile(names=("workers", "length")),
    Profile(unit=1000.0),
    Profile(unit=1e-9),
    Profile(context=True),
    Profile(others=False),
)


def written(path: Path, profile: Profile) -> None:
    """Write a profile as CSV."""
    rng = np.random.default_rng(1)
    rows = []
    for p in (2, 4, 8, 16, 32):
        for n in (10, 20, 30, 40, 50):
            values = {"main": 3 + 0.1 * n * p**0.5, "main->f": 1 + 0.02 * n**2}
            for path_, value in values.items():
                measured = value * rng.normal(1, 0.03, 3) * profile.unit
                if path_ == "main" or profile.others:
                    rows += [[str(p), str(n), path_, f"{each:.17g}"] for each in measured]
    if profile.shuffled:
        rng.shuffle(rows)
    header = [*profile.names, "callpath", "time"]
    rows = [[row[at] for at in profile.columns] for row in [header, *rows]]
    if profile.context:
        others = [[*row, "b"] for row in rows[1:]]
        rows = [[*rows[0], "version"], *others, *([*row, "a"] for row in rows[1:])]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


def model(run: Run, folder: Path, profile: Profile, method: str) -> dict[str, Any]:
    """Return the numbers of the model of a call path, in the unit of the first profile."""
    written(folder / "profile.csv", profile)
    first, second = profile.names
    where = ("--where", "version=a") if profile.context else ()
    point = ("--predict-at", f"{first}=64,{second}=60", "--coordinates", f"{first},{second}")
    chosen = ("--callpath", "main", "--set", f"method={method}", "-o", str(folder / "m.json"))
    done = run("scale", str(folder / "profile.csv"), *point, *chosen, *where, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    terms = found["model"]["terms"]
    powers = [
        {("p", "n")[profile.names.index(each["option"])]: (each["power"], each["log10"]) for each in term["factors"]}
        for term in terms
    ]
    (predicted,) = found["predictions"]
    values = [predicted[name] for name in ("predicted", "lower", "upper")]
    return {
        "powers": powers,
        "influences": [each["influence"] / profile.unit for each in terms],
        "predictions": [value / profile.unit for value in values if value is not None],
        "errors": [found["learning_error"], found["scaling"]["smape"], found["scaling"]["adjusted_r2"]],
    }


@pytest.mark.parametrize("method", METHODS)
def test_laws(run: Run, tmp_path: Path, method: str) -> None:
    """Models follow the order of rows and columns, names, units, and a split of contexts and call paths."""
    expected = model(run, tmp_path, Profile(), method)
    for changed in CHANGED:
        found = model(run, tmp_path, changed, method)
        assert found["powers"] == expected["powers"], changed
        for key in ("influences", "predictions", "errors"):
            np.testing.assert_allclose(found[key], expected[key], rtol=TOLERANCE, err_msg=f"{key} of {changed}")
