"""Metamorphic laws of whole commands: what does not change what was measured changes no result by more than 1e-9."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run

# Relative to the value, or to the largest one of its kind.
TOLERANCE = 1e-9
GROUP = ("fast", "small", "exact")
LEARNERS = {
    "default": (),
    "readable": ("--readable",),
    "product": ("--form", "product"),
    "splconqueror": ("--preset", "splconqueror"),
    "2019": ("--preset", "splconqueror-2019"),
}
# Products are stored as logarithms with six digits; another unit is added to one of them, whose digits change.
ROUNDED = {("product", "unit"), ("product", "small unit"), ("product", "all")}


@dataclass(frozen=True)
class Variant:
    """A project of the same measurements, told in another way."""

    rows: tuple[int, ...] = ()  # the order of the rows
    columns: tuple[int, ...] = ()  # the order of the columns
    names: tuple[tuple[str, str], ...] = ()  # option → its name
    unit: float = 1.0  # what values are multiplied by
    constant: bool = False  # whether there is a further option, which all configurations have
    context: bool = False  # whether rows of another context are in the same table
    described: bool = True  # whether there is a description

    def name(self, option: str) -> str:
        """Return the name of an option."""
        return dict(self.names).get(option, option)


def measured() -> list[dict[str, float]]:
    """Return the measurements: 60 configurations, some of them with repetitions."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(60):
        row: dict[str, float] = {name: float(rng.integers(2)) for name in ("cache", "tls")}
        row |= dict.fromkeys(GROUP, 0) | {GROUP[rng.integers(3)]: 1}
        row |= {"threads": float(rng.choice((1, 2, 4, 8))), "size": float(rng.choice((10, 20, 30, 40, 50)))}
        value = (
            20
            + 3 * row["size"] / row["threads"]
            + 15 * row["cache"]
            + 8 * row["exact"]
            + 0.2 * row["size"] * row["tls"]
        )
        rows += [row | {"time": value * noise} for noise in rng.normal(1, 0.03, rng.integers(1, 3)).tolist()]
    return rows


ROWS = measured()
OPTIONS = ("cache", "tls", *GROUP, "threads", "size")


def written(folder: Path, variant: Variant) -> None:
    """Write the project of a variant."""
    folder.mkdir()
    table = [{variant.name(name): value for name, value in row.items()} for row in ROWS]
    table = [{**row, "time": row["time"] * variant.unit} for row in table]
    if variant.constant:
        table = [{"always": 1.0, **row} for row in table]
    table = [table[at] for at in variant.rows or range(len(table))]
    names = list(table[0])
    names = [names[at] for at in variant.columns or range(len(names))]
    lines: list[list[str]] = [[f"{row[name]:.17g}" for name in names] for row in table]
    if variant.context:
        other = [[*line[:-1], f"{7 * float(line[-1]):.17g}", "b"] for line in lines]
        lines = [line for pair in zip(other, [[*line, "a"] for line in lines], strict=True) for line in pair]
        names.append("version")
    with (folder / "measurements.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([names, *lines])
    if variant.described:
        (folder / "system.xml").write_text(description(variant), encoding="utf-8")


def description(variant: Variant) -> str:
    """Return the description of the system in a variant."""
    group = [variant.name(name) for name in GROUP]
    binary = [f"<name>{variant.name(name)}</name><optional>True</optional>" for name in ("cache", "tls")]
    binary += ["<name>always</name><optional>False</optional>"] if variant.constant else []
    for name in group:
        others = "".join(f"<options>{other}</options>" for other in group if other != name)
        binary.append(f"<name>{name}</name><excludedOptions>{others}</excludedOptions><optional>False</optional>")
    numeric = [f"<name>{variant.name('threads')}</name><values>1;2;4;8</values>"]
    numeric.append(f"<name>{variant.name('size')}</name><values>10;20;30;40;50</values>")
    parts = [
        "".join(f"<configurationOption>{each}</configurationOption>" for each in kind) for kind in (binary, numeric)
    ]
    return f'<vm name="app"><binaryOptions>{parts[0]}</binaryOptions><numericOptions>{parts[1]}</numericOptions></vm>'


def results(run: Run, folder: Path, variant: Variant, learner: str, sampling: tuple[str, ...] = ()) -> dict[str, Any]:
    """Learn, predict and optimize; return what the commands answer, in the unit and the names of the first variant."""
    written(folder, variant)
    where = ("--where", "version=a") if variant.context else ()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        learned = run("learn", *LEARNERS[learner], *sampling, *where, "--json", "-o", "model.json")
        assert learned.exit_code == 0, learned.stderr
        found = json.loads(learned.stdout)
        same = [dict(row) for row in {tuple(row[name] for name in OPTIONS): row for row in ROWS}.values()]
        names = [variant.name(name) for name in OPTIONS] + (["always"] if variant.constant else [])
        configurations = [[f"{row[name]:g}" for name in OPTIONS] + (["1"] if variant.constant else []) for row in same]
        with Path("configurations.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([names, *configurations])
        predicted = run("predict", "model.json", "configurations.csv", *where)
        assert predicted.exit_code == 0, predicted.stderr
        best = run("optimize", "model.json", *where, "--json")
        assert best.exit_code == 0, best.stderr
        answer = json.loads(best.stdout)
    back = {variant.name(name): name for name in OPTIONS}
    values = [float(row["predicted"]) / variant.unit for row in csv.DictReader(predicted.stdout.splitlines())]
    errors = {name: found[name] for name in ("learning_error", "error", "error_all")}
    errors |= found["cross_validated"] or {}
    chosen = {back[name]: value for name, value in answer["configuration"].items() if name in back}
    # The logarithm of a unit is added to the constant of a product.
    linear = found["model"]["link"] == "identity"
    influences = [each["influence"] / variant.unit for each in found["model"]["terms"]] if linear else []
    return {
        "predictions": values,
        "errors": {name: value for name, value in errors.items() if value is not None},
        "influences": sorted(influences),
        "terms": len(found["model"]["terms"]),
        "configurations": found["learning_configurations"],
        "optimum": chosen,
        "least": answer["predicted"] / variant.unit,
    }


def permutation(seed: int, count: int) -> tuple[int, ...]:
    """Return the numbers below a count in random order."""
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    return tuple(numbers)


OTHER_NAMES = tuple(zip(OPTIONS, ("buffer", "crypt", "quick", "tiny", "precise", "workers", "length"), strict=True))
VARIANTS: dict[str, Callable[[Variant], Variant]] = {
    "rows": lambda first: replace(first, rows=permutation(1, len(ROWS))),
    "columns": lambda first: replace(first, columns=(*permutation(1, len(OPTIONS)), len(OPTIONS))),
    "names": lambda first: replace(first, names=OTHER_NAMES),
    "unit": lambda first: replace(first, unit=1000.0),
    "small unit": lambda first: replace(first, unit=1e-9),
    "constant option": lambda first: replace(first, constant=True),
    "context": lambda first: replace(first, context=True),
    "all but units": lambda first: replace(
        first,
        rows=permutation(1, len(ROWS)),
        columns=(*permutation(1, len(OPTIONS) + 1), len(OPTIONS) + 1),
        names=OTHER_NAMES,
        constant=True,
        context=True,
    ),
    "all": lambda first: replace(VARIANTS["all but units"](first), unit=1000.0),
}


def variants(learner: str) -> list[str]:
    """Return the names of the variants for a learner; SPL Conqueror of 2019 leaves out values below 1 in any unit."""
    return [name for name in VARIANTS if (learner, name) != ("2019", "small unit")]


SLOW_SINGLY = pytest.mark.parametrize("singly", [False, pytest.param(True, marks=pytest.mark.slow)])


@SLOW_SINGLY
@pytest.mark.parametrize(
    ("learner", "described"),
    [("default", True), ("readable", False), ("product", True)]
    + [(learner, described) for learner in ("splconqueror", "2019") for described in (True, False)],
)
def test_laws(run: Run, tmp_path: Path, learner: str, *, described: bool, singly: bool) -> None:
    """Results follow permuted rows and columns, other names and units, a constant option, and a split of contexts."""
    first = Variant(described=described)
    expected = results(run, tmp_path / "first", first, learner)
    for name in variants(learner) if singly else ["all but units" if learner == "product" else "all"]:
        found = results(run, tmp_path / name, VARIANTS[name](first), learner)
        # Among equal predictions the order of the options decides, which is that of the columns of a table.
        if name in {"columns", "all but units", "all"} and not described:
            found["optimum"] = expected["optimum"]
        assert_same(found, expected, name, 1e-4 if (learner, name) in ROUNDED else TOLERANCE)


@SLOW_SINGLY
@pytest.mark.parametrize("learner", ["splconqueror", "2019"])
def test_laws_of_samples(run: Run, tmp_path: Path, learner: str, *, singly: bool) -> None:
    """The same configurations are drawn from the same measurements, however they are told."""
    sampling = ("--sampling", "measured:20")
    expected = results(run, tmp_path / "first", Variant(), learner, sampling)
    assert expected["configurations"] == 20
    for name in variants(learner) if singly else ["all"]:
        variant = replace(VARIANTS[name](Variant()), rows=())
        assert_same(results(run, tmp_path / name, variant, learner, sampling), expected, name)


def assert_same(found: dict[str, Any], expected: dict[str, Any], name: str, tolerance: float = TOLERANCE) -> None:
    """Compare two results; numbers may differ by the tolerance."""
    for key, value in expected.items():
        if key in {"terms", "configurations", "optimum"}:
            assert found[key] == value, (name, key)
            continue
        one, two = (np.array(list(each.values()) if isinstance(each, dict) else each) for each in (found[key], value))
        assert np.isfinite(two).all(), (name, key)
        np.testing.assert_allclose(
            one, two, rtol=tolerance, atol=tolerance * np.abs(two).max(initial=0.0), err_msg=f"{name}, {key}"
        )
