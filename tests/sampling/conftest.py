"""Models that several tests of sampling need."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from sampling import Sample, draw_sample, sample
from splc.errors import SplcError
from splc.formats.detect import read_variability_model
from splc.models.influence import InfluenceModel
from splc.models.text.reader import expand_model
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from tests.support.real_data import real
from tests.support.shared_systems import DESCRIBED


@pytest.fixture
def real_model() -> Callable[[str], VariabilityModel]:
    """Return the reader of real systems' descriptions."""

    def read(name: str) -> VariabilityModel:
        return read_variability_model(real(DESCRIBED[name].description or ""))

    return read


A = NumericOption("A", (1.0, 2.0, 3.0, 4.0, 5.0))
B = NumericOption("B", (2.0, 4.0, 6.0, 8.0, 10.0))


@pytest.fixture
def plane() -> VariabilityModel:
    """Return the two numeric options of the thesis' figures 2.2 and 2.4."""
    return VariabilityModel("plane", (A, B))


# Two numeric options of which the second can be deselected.
PLANE = VariabilityModel("optional plane", (A, dataclasses.replace(B, deselected_flag=-1.0)))


def three_options() -> VariabilityModel:
    """Return the three options of the program's verified example; the values of z do not meet maxValue."""
    x = NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0), step="x * 2")
    y = NumericOption("y", (1.0, 3.0, 5.0, 9.0, 20.0))
    return VariabilityModel("three", (x, y, NumericOption("z", (0.0, 4.0, 8.0), step="z + 4", maximum=10.0)))


def selected(system: VariabilityModel, spec: str, *names: str, seed: int = 0, **more: Any) -> str:
    """Return the number of configurations in a sample, and the distinct value indices of options, else of all."""
    found = sample(system, spec, seed, **more).indices
    rows = found[:, [system.positions[name] for name in names or system.names]].tolist()
    return ", ".join([f"{len(found)}", *dict.fromkeys(" ".join(map(str, row)) for row in rows)])


def stated(options: Iterable[Option], *constraints: str) -> VariabilityModel:
    """Return the system of these options and constraints, in which deselected binary options count as 0."""
    return VariabilityModel.of({option.name: option for option in options}, constraints, "stated")


def model_of(text: str, system: VariabilityModel) -> InfluenceModel:
    """Return the performance-influence model of a text."""
    found = expand_model(text, system.spellings)
    return InfluenceModel.from_terms(found.expansion, system.names, derived=found.derived)


def attempt(model: VariabilityModel, spec: str, seed: int = 0) -> Sample | str:
    """Return a sample, or the message why there is none."""
    try:
        return draw_sample(model, spec, seed)
    except SplcError as error:
        return str(error)


def joined(models: list[VariabilityModel]) -> VariabilityModel:
    """Return one system made of disjoint copies of purely binary ones without stated constraints."""
    options: list[BinaryOption] = []
    for copy, model in enumerate(models):

        def new(name: str, copy: int = copy) -> str:
            return f"{name}_{copy}"

        options += [
            dataclasses.replace(
                option,
                name=new(option.name),
                parent=None if option.parent is None else new(option.parent),
                implied=tuple(tuple(map(new, group)) for group in option.implied),
                excluded=tuple(tuple(map(new, group)) for group in option.excluded),
            )
            for option in model.binary_options
        ]
    return VariabilityModel("joined", tuple(options))
