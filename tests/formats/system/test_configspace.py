"""ConfigSpace's JSON: parameters, conditions, and what is forbidden."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.errors import VariabilityError
from splc.formats.system.configspace import parse_configspace
from splc.io.files import Source
from splc.system.variability import VariabilityModel

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
