"""The constants of the default learner are those in the tables of its decisions, and its prior is the stated one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from splc.learning.projection import constants
from splc.learning.projection.fit import penalty
from tests.support.paths import ROOT

PAGES = ("0009-default-learner.md", "0010-printed-model.md")
ROW = re.compile(r'^\| `(?:(\w+)\.)?([A-Z_]+)(?:\["(\w+)"\])?` \| ([^|]+) \| .*\w.* \|$', re.MULTILINE)


@cache
def stated() -> dict[tuple[str, str, str], tuple[float, ...]]:
    """Return file, name and key → the numbers in the tables of the decisions."""
    text = "".join((ROOT / "docs" / "decisions" / page).read_text(encoding="utf-8") for page in PAGES)
    rows = [match.groups(default="") for match in ROW.finditer(text)]
    assert len(rows) == len(re.findall(r"^\| `", text, re.MULTILINE))
    return {(file or "constants", name, key): tuple(map(_number, value.split(", "))) for file, name, key, value in rows}


def _number(text: str) -> float:
    return math.log(float(text[3:])) if text.startswith("ln ") else float(text)


def test_constants_are_those_of_the_decisions() -> None:
    """The constants are what the tables of the decisions state."""
    for (file, name, key), expected in stated().items():
        value: Any = getattr(import_module(f"splc.learning.projection.{file}"), name)
        assert np.atleast_1d(value[key] if key else value) == pytest.approx(expected, rel=1e-12), (file, name, key)


def test_every_constant_of_the_full_model_is_stated() -> None:
    """The tables have all constants of the full model, each once."""
    values = {name: value for name, value in vars(constants).items() if name.isupper()}
    names = {(name, key) for name, value in values.items() for key in (value if isinstance(value, Mapping) else [""])}
    assert names == {(name, key) for file, name, key in stated() if file == "constants"}


def test_prior_is_that_of_the_decision() -> None:
    """The negative logarithm of the prior is the formula of the decision."""
    x = np.random.default_rng(0).normal(-2, 2, 7)
    relevances, (rho, a, w, noise) = x[:3], x[3:]
    expected = sum(math.log1p(math.exp(each) / 0.3**2) + ((each - math.log(0.05)) / 4) ** 2 / 2 for each in relevances)
    expected += ((rho - math.log(0.5)) ** 2 + (a - math.log(0.1)) ** 2 + w**2) / 2
    expected += ((noise - math.log(0.01)) / 2) ** 2 / 2
    assert penalty(x)[0] == pytest.approx(expected, rel=1e-12)
