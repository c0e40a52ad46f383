"""Feature models of the field, each in several formats: the same features and the same valid configurations."""

from __future__ import annotations

import csv
import itertools
import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.errors import VariabilityError
from splc.formats import detect
from splc.formats.system.configspace import parse_configspace
from splc.formats.system.read import read_variability_model
from splc.io.files import Source, read_source
from splc.system.variability import VariabilityModel
from tests.support.real_data import DATA
from tests.support.unit_propagation import named_clauses, without_proof

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
    stated, given = (
        {frozenset((uvl_name(option), positive) for option, positive in clause) for clause in named_clauses(found)}
        for found in (system(name, suffix), system(name, "uvl"))
    )
    assert without_proof(stated, given) == []
    assert without_proof(given, stated) == []


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


# Written by ConfigSpace 1.2.2, which says the same of each of the combinations of values.
WRITTEN = """{"name": "svm", "hyperparameters": [
{"type": "ordinal", "name": "cache", "sequence": [64, 128, 256], "default_value": 64, "meta": null},
{"type": "categorical", "name": "kernel", "choices": ["rbf", "linear", "poly"], "weights": null, "default_value": "rbf",
 "meta": null},
{"type": "constant", "name": "seed", "value": 7, "meta": null},
{"type": "categorical", "name": "shrinking", "choices": [true, false], "weights": null, "default_value": true,
 "meta": null},
{"type": "uniform_int", "name": "x", "lower": 1, "upper": 9, "default_value": 3, "log": true, "meta": null},
{"type": "uniform_int", "name": "y", "lower": 1, "upper": 4, "default_value": 2, "log": false, "meta": null},
{"type": "uniform_int", "name": "degree", "lower": 2, "upper": 5, "default_value": 3, "log": false, "meta": null},
{"type": "ordinal", "name": "size", "sequence": ["small", "big"], "default_value": "small", "meta": null}],
"conditions": [{"type": "EQ", "child": "degree", "parent": "kernel", "value": "poly"},
{"type": "AND", "child": "size", "conditions": [
 {"type": "IN", "child": "size", "parent": "kernel", "values": ["rbf", "linear"]},
 {"type": "GT", "child": "size", "parent": "cache", "value": 64}]}],
"forbiddens": [{"type": "AND", "clauses": [{"type": "EQUALS", "name": "kernel", "value": "linear"},
 {"type": "IN", "name": "cache", "values": [64, 128]}]},
{"type": "RELATION_GT", "left": "y", "right": "x"}, {"type": "EQUALS", "name": "degree", "value": 5}],
"python_module_version": "1.2.0", "format_version": 0.4}"""


def read(content: Any) -> VariabilityModel:
    """Read a space, given as JSON or as its text."""
    text = content if isinstance(content, str) else json.dumps(content)
    return parse_configspace(Source("f.json", text.encode()))


def test_a_written_space() -> None:
    """The valid configurations are those of ConfigSpace, and parameters that are not active are not selected."""
    system = read(WRITTEN)
    expected = {
        (cache, kernel, shrinking, x, y, degree, size)
        for cache, kernel, shrinking, x, y, degree, size in itertools.product(
            (64, 128, 256),
            ("rbf", "linear", "poly"),
            (0, 1),
            range(1, 10),
            range(1, 5),
            (None, 2, 3, 4),
            ("", "s", "b"),
        )
        if (degree is not None) == (kernel == "poly")
        and (size != "") == (kernel != "poly" and cache > 64)
        and not (kernel == "linear" and cache < 256)
        and y <= x
    }
    assert len(expected) == 960
    assert Space(system).count == len(expected)
    assert system.alternative_groups[0] == ("kernel_rbf", "kernel_linear", "kernel_poly")


TRUTH = {"type": "categorical", "name": "t", "choices": [True, False]}
TEXTS = {"type": "ordinal", "name": "o", "sequence": ["a", "b", "c"]}
IS_TRUE = {"type": "EQ", "parent": "t", "value": True}


@pytest.mark.parametrize(
    ("condition", "others", "count"),
    [
        (IS_TRUE, [], 3 + 1),
        ({"type": "NEQ", "parent": "t", "value": True}, [], 1 + 3),
        ({"type": "IN", "parent": "t", "values": [True, False]}, [], 3 + 3),
        ({"type": "LT", "parent": "o", "value": "c"}, [TEXTS], 2 * (3 + 3 + 1)),
        ({"type": "OR", "conditions": [IS_TRUE, {"type": "EQ", "parent": "o", "value": "a"}]}, [TEXTS], 9 + 5),
        ({"type": "AND", "conditions": [IS_TRUE, {"type": "NEQ", "parent": "o", "value": "a"}]}, [TEXTS], 7 + 3),
    ],
)
def test_conditions(condition: dict[str, Any], others: list[Any], count: int) -> None:
    """A parameter of three values has one exactly where its condition holds."""
    number = {"type": "uniform_int", "name": "n", "lower": 1, "upper": 3}
    system = read({"hyperparameters": [TRUTH, number, *others], "conditions": [{"child": "n", **condition}]})
    assert Space(system).count == count


def test_conditions_on_conditional_parameters() -> None:
    """A condition on a parameter that is not active does not hold, whatever it says."""
    system = read(
        {
            "hyperparameters": [
                {"type": "categorical", "name": "a", "choices": [True, False]},
                {"type": "categorical", "name": "b", "choices": [True, False]},
                {"type": "uniform_int", "name": "n", "lower": 1, "upper": 2},
                {"type": "uniform_int", "name": "m", "lower": 1, "upper": 3},
            ],
            "conditions": [
                {"type": "EQ", "child": "b", "parent": "a", "value": True},
                {"type": "EQ", "child": "n", "parent": "b", "value": False},
                {"type": "NEQ", "child": "m", "parent": "n", "value": 2},
            ],
        }
    )
    # a false; a and b; a without b and n = 2, or n = 1 and any m.
    assert Space(system).count == 1 + 1 + 1 + 3


REAL = {"type": "uniform_float", "name": "r", "lower": 0, "upper": 1}


def test_steps() -> None:
    """A range of real numbers with a step, as older versions write it, is a list of values."""
    system = read({"hyperparameters": [{**REAL, "q": 0.25}]})
    assert system.numeric_options[0].values == (0, 0.25, 0.5, 0.75, 1)


def test_ranges_that_are_too_fine_have_levels() -> None:
    """Ranges of real or very many numbers have levels with their bounds, the default, and values in clauses."""
    space = {
        "hyperparameters": [
            {"type": "categorical", "name": "solver", "choices": ["fast", "exact"]},
            {"type": "uniform_float", "name": "rate", "lower": 1e-4, "upper": 0.1, "log": True, "default": 0.002},
            {"type": "uniform_float", "name": "share", "lower": 0, "upper": 1, "default_value": 0.25},
            {"type": "uniform_int", "name": "size", "lower": 1, "upper": 10_000_000},
        ],
        "conditions": [{"type": "GT", "parent": "share", "value": 0.7, "child": "rate"}],
        "forbiddens": [{"type": "EQUALS", "name": "share", "value": 0.3}],
    }
    system = parse_configspace(Source("f.json", json.dumps(space).encode()))
    values = {option.name: option.values for option in system.numeric_options}
    rates = np.array(values["rate"])
    assert (rates[0], rates[-1], len(rates)) == (1e-4, 0.1, 11)
    assert 0.002 in rates
    assert np.diff(np.log(rates[rates != 0.002])) == pytest.approx(np.log(1000) / 9, rel=1e-3)
    assert {0.0, 0.25, 0.3, 0.7, 1.0} <= {*values["share"]}
    assert all(value == int(value) for value in values["size"])
    assert len(system.notes) == 3
    indices = Space(system).enumerate().indices
    share = np.array(values["share"])[indices[:, system.positions["share"]]]
    has_rate = indices[:, system.positions["rate"]] < len(rates)
    assert ((share > 0.7) == has_rate).all()
    assert 0.3 not in share


def test_a_problem_of_a_parameter_is_stated_once() -> None:
    """Conditions and clauses about a parameter that cannot be read have no problem of their own."""
    space = {
        "hyperparameters": [
            {"type": "categorical", "name": "a", "choices": [True, False]},
            {"type": "normal_float", "name": "b", "mu": 0, "sigma": 1},
        ],
        "conditions": [{"type": "EQ", "parent": "a", "value": True, "child": "b"}],
        "forbiddens": [{"type": "EQUALS", "name": "b", "value": 1.5}],
    }
    with pytest.raises(VariabilityError) as caught:
        parse_configspace(Source("f.json", json.dumps(space).encode()))
    assert [problem.message for problem in caught.value.problems] == [
        "b has no bounds: 'lower' and 'upper' are not two numbers"
    ]
