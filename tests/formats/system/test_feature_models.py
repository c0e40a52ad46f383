"""Feature models of the field, each in several formats: the same features and the same valid configurations."""

from __future__ import annotations

import csv
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
# In UVL, DIMACS and the XML of FeatureIDE.
MODELS = (
    "BusyBox-Pett2021-2008-07-15_22-01-49",
    "FRSCS-Mendonca2009",
    "Fiasco-Pett2023-2018-08-20_14-36-18",
    "Tankwar-Schulze2012",
    "ToyBox-Oh2020-0_7_5",
    "XSEngine-Knueppel2017",
    "adder-Knueppel2017",
    "automotive01-Kowal2016",
    "automotive2-Knueppel2017-2_1",
    "bank-AlHajjaji2019",
    "berkeleydb-Hierons2020",
    "cnn-architecture-Ghamizi2019-light",
    "decisional-Mendonca2009",
    "decisionmaking-AlHajjaji2019",
    "e_agribusiness-Pereira2016",
    "e_shop-Lau2006",
    "pc-richmond-Sprey2020",
    "printer-Mendonca2009",
    "routefinding-Mendonca2009",
    "uClibc-Pett2023-2013-01-10_10-56-19",
)
# The XML of these is SXFM, which is not read.
SXFM = (
    "FRSCS-Mendonca2009",
    "berkeleydb-Hierons2020",
    "cnn-architecture-Ghamizi2019-light",
    "decisional-Mendonca2009",
    "e_agribusiness-Pereira2016",
    "e_shop-Lau2006",
    "printer-Mendonca2009",
    "routefinding-Mendonca2009",
)
ABSENT = {
    "ToyBox-Oh2020-0_7_5.dimacs",
    "ToyBox-Oh2020-0_7_5.xml",
    "automotive2-Knueppel2017-2_1.dimacs",
    *(f"{name}.xml" for name in SXFM),
}
LARGE = ("automotive", "cnn-", "XSEngine", "adder", "e_agri", "Fiasco", "uClibc", "BusyBox", "ToyBox")
# The features that published files lack: a dot is not allowed in names of UVL.
LACKING = {("pc-richmond-Sprey2020", "dimacs"), ("pc-richmond-Sprey2020", "xml")}
# Also: the features `true` and `false` have other names.
DIFFERENT = {*(f"{name}.{suffix}" for name, suffix in LACKING), "routefinding-Mendonca2009.dimacs"}

pytestmark = pytest.mark.real_data


def models(*suffixes: str) -> list[Any]:
    """Return the parameters of tests: a model and a suffix, large models marked as slow."""
    return [
        pytest.param(name, suffix, marks=pytest.mark.slow if name.startswith(LARGE) else (), id=f"{name}.{suffix}")
        for name in MODELS
        for suffix in suffixes
        if f"{name}.{suffix}" not in ABSENT
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
    assert published()[name]["log10 of the valid configurations (rounded down)"] == str(digits)
    assert len(str(Space(system(name, suffix)).count)) == digits
