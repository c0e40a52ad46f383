"""Warnings about negative predictions of a property whose measured values are not negative."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from sampling import Space
from splc.errors import SplcError
from splc.learning.plausibility import negative_predictions
from splc.learning.projection import Ensemble
from splc.learning.result import Predictor
from splc.project import Project
from splc.types import Array
from splc.workflows.note import Note


def negative_notes(
    predicted: Array,
    nfp: str | None,
    project: Project | None,
    space: Space,
    full: Predictor | None,
    given: Array | None = None,
) -> tuple[Note, ...]:
    """Return a warning about negative predictions, unless a measured value is negative, too.

    `predicted`: the predictions, shape (n,). `given`: further measured values, shape (m,).
    """
    if not (predicted < 0).any():
        return ()
    values = learned_values(full) if given is None else np.concatenate([learned_values(full), given])
    if project is not None and project.has_measurements:
        with suppress(SplcError):
            measured = project.measurements(space.system, space, invalid="drop", duplicates="mean", aggregate="mean")
            nfp = nfp or project.resolve_property(measured)
            # Logs hold names with single spaces.
            names = [name for name in measured.properties if name.split() == nfp.split()]
            values = np.concatenate([values, *(measured.column(name) for name in names)])
    return tuple(Note(text, warning=True) for text in negative_predictions(predicted, values, nfp or "the property"))


def learned_values(full: Predictor | None) -> Array:
    """Return the measured values that a full model was learned from, shape (m,); empty if it does not have them."""
    return full.measured if isinstance(full, Ensemble) else np.zeros(0)
