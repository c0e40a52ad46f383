"""Models that several tests of sampling need, and the table of recorded samples."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
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
from tests.support.systems import group, renamed


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
    copies = (renamed(model, {name: f"{name}_{copy}" for name in model.names}) for copy, model in enumerate(models))
    return VariabilityModel("joined", tuple(option for copy in copies for option in copy.options))


@cache
def rows() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with (Path(__file__).parent / "recorded_samples.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def recorded(system: str) -> list[str]:
    """Return the specs of which there are samples of a system."""
    return [row["spec"] for row in rows() if row["system"] == system]


def mixed() -> VariabilityModel:
    """Return a system with a group, optional options, and numeric options, one of which can be deselected."""
    base, engine = (BinaryOption(name, optional=False) for name in ("base", "engine"))
    others = (BinaryOption("cache"), BinaryOption("lru", parent="cache"), BinaryOption("log", excluded=(("tiny",),)))
    size = NumericOption("size", (1.0, 2.0, 4.0, 8.0, 16.0))
    threads = NumericOption("threads", (1.0, 2.0, 3.0, 4.0), deselected_flag=-1.0)
    own = group("fast", "safe", "tiny", parent="engine")
    return VariabilityModel("mixed", (base, engine, *own, *others, size, threads))


def levels() -> VariabilityModel:
    """Return a system of three numeric options with 5, 7 and 12 values."""
    return VariabilityModel.of({"x0": range(5), "x1": range(7), "x2": range(12)})


MADE_UP = {"mixed": mixed(), "levels": levels()}
