"""Inference from tables that tests write as text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import Inference, inference_of
from splc.io.files import Source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel


def table(text: str) -> Source:
    """Return a table as a file."""
    return Source("table.csv", text.encode())


def inferred(text: str, options: tuple[str, ...] = (), **settings: Any) -> Inference:
    """Return what is inferred from a table."""
    return inference_of(table(text), **{"choice": ColumnChoice(options=options), **settings})


def rows(header: str, cells: Sequence[Sequence[object]]) -> str:
    """Return a table as text."""
    return "\n".join([header, *(",".join(map(str, row)) for row in cells)]) + "\n"


def kinds(system: VariabilityModel) -> dict[str, object]:
    """Return option → its values, None for binary options."""
    return {option.name: option.values if isinstance(option, NumericOption) else None for option in system.options}


def grid(*values: Sequence[Any]) -> list[list[Any]]:
    """Return all combinations with a made-up time each."""
    rng = np.random.default_rng(1)
    return [[*row, f"{rng.uniform(1, 2):.9f}"] for row in itertools.product(*values)]
