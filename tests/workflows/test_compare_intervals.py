"""Intervals of compared models: parameters that are not determined give none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from comparison.compare import compared_model
from splc.data.configurations import Configurations
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.parameters import Parameters, Quantity
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.compare.compare import with_intervals
from splc.workflows.compare.models import Basis
from splc.workflows.note import Note


@pytest.mark.parametrize(
    ("unknown", "text"), [("a", "a is not determined"), ("ab", "a, b are not determined")], ids=["one", "two"]
)
def test_parameters_that_are_not_determined(unknown: str, text: str) -> None:
    """A model with parameters that the measurements do not determine has no intervals and is not exact."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)), NumericOption("y", (1.0, 2.0))))
    everything = Configurations(system, np.array(list(itertools.product((0, 1), (0, 1))), dtype=np.uint8))
    values = {n: Quantity.undetermined(2.0) if n in unknown else Quantity(2.0, 1.0, 3.0, 0.9) for n in "ab"}
    model = parse_model_text(Source("m", b"a * x + b * y"), system, Parameters(values))
    notes: list[Note] = []
    (found,) = with_intervals([compared_model("m", model)], Basis(everything), 0.9, notes)
    assert (found.intervals, found.exact) == (None, False)
    assert [note.text for note in notes] == [f"m has no intervals: {text} (see splc calibrate)"]
