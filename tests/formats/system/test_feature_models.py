"""Feature models of the field, each in several formats: the same features and the same valid configurations."""

from __future__ import annotations

import csv
import re
from functools import cache
from typing import Any

import pytest

from sampling import Space
from splc.formats import detect
from splc.formats.detect import read_variability_model
from splc.formats.system.feature_models import literals_of
from splc.io.files import read_source
from splc.system.clauses import clauses
from splc.system.mining.mined_constraint import ClauseSet
from splc.system.variability import VariabilityModel
from tests.support.real_data import DATA

FOLDER = DATA / "feature_models"
FILES = sorted(file.name.removesuffix(".gz") for file in FOLDER.glob("*.gz"))
# These are SXFM, which is not read.
SXFM = re.compile(r"(?:FRSCS|berkeleydb|cnn|decisional-|e_|printer|routefinding).*\.xml")
LARGE = ("automotive", "cnn-", "XSEngine", "adder", "e_agri", "Fiasco", "uClibc", "BusyBox", "ToyBox")
# The features that published files lack: a dot is not allowed in names of UVL.
LACKING = {("pc-richmond-Sprey2020", "dimacs"), ("pc-richmond-Sprey2020", "xml")}
# Also: the features `true` and `false` have other names.
DIFFERENT = {*(f"{name}.{suffix}" for name, suffix in LACKING), "routefinding-Mendonca2009.dimacs"}

pytestmark = pytest.mark.real_data


def models(*suffixes: str) -> list[Any]:
    """Return the parameters of tests: a model and a suffix, large models marked as slow."""
    split = (name.rsplit(".", 1) for name in FILES if not SXFM.match(name))
    return [
        pytest.param(name, suffix, marks=pytest.mark.slow if name.startswith(LARGE) else (), id=f"{name}.{suffix}")
        for name, suffix in split
        if suffix in suffixes
    ]


@cache
def system(name: str, suffix: str) -> VariabilityModel:
    """Return a model."""
    return read_variability_model(FOLDER / f"{name}.{suffix}.gz")


@cache
def published() -> dict[str, dict[str, str]]:
    """Return what was published about the models."""
    with (FOLDER / "published.csv").open(encoding="utf-8", newline="") as stream:
        return {row["file"]: row for row in csv.DictReader(stream)}


@pytest.mark.parametrize(("name", "suffix"), models("uvl", "dimacs", "xml"))
def test_features(name: str, suffix: str) -> None:
    """Every file is told by its content, and has the published number of features."""
    source = read_source(FOLDER / f"{name}.{suffix}.gz")
    assert detect.kind_of(source) == "system"
    count = float(published()[name]["features"])
    assert (len(system(name, suffix).options) == count) != ((name, suffix) in LACKING)


def uvl_name(name: str) -> str:
    """Return a name as those who converted the models to UVL wrote it."""
    changed = name.replace(" ", "").replace("-", "_")
    return f"a{changed}" if changed[0].isdigit() else changed


@pytest.mark.parametrize(("name", "suffix"), [each for each in models("dimacs", "xml") if each.id not in DIFFERENT])
def test_equivalence(name: str, suffix: str) -> None:
    """The clauses of every format follow from those of UVL, and the other way round, as far as the files agree."""
    numbers: dict[str, int] = {}
    stated, given = (
        {
            tuple(
                numbers.setdefault(uvl_name(option), len(numbers)) ^ (0 if positive else -1)
                for option, positive in sorted(literals_of(clause, found))
            )
            for clause in clauses(found)
        }
        for found in (system(name, suffix), system(name, "uvl"))
    )
    for known, asked in ((given, stated), (stated, given)):
        proofs, units = ClauseSet(), [clause[0] for clause in known if len(clause) == 1]
        proofs.add(known)
        negations = ([*units, *(~literal for literal in clause)] for clause in asked - known)
        assert all(proofs.consequences(negation) is None for negation in negations)


@pytest.mark.parametrize(
    ("name", "suffix", "digits"),
    [
        ("Tankwar-Schulze2012", "uvl", 19),
        ("bank-AlHajjaji2019", "xml", 32),
        ("FRSCS-Mendonca2009", "uvl", 15),
        ("routefinding-Mendonca2009", "uvl", 13),
    ],
)
def test_counts(name: str, suffix: str, digits: int) -> None:
    """The number of valid configurations has the published number of digits: the logarithm, rounded up."""
    assert len(models("uvl", "dimacs", "xml")) == 49
    assert published()[name]["log10 of the valid configurations (rounded down)"] == str(digits)
    assert len(str(Space(system(name, suffix)).count)) == digits
