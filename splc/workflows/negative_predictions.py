"""Warnings about negative predictions of a property whose measured values are not negative."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from sampling import Space
from splc.errors import SplcError
from splc.learning.plausibility import negative_predictions
from splc.project import Project
from splc.types import Array
from splc.workflows.note import Note


def negative_notes(
    predicted: Array, nfp: str | None, project: Project, space: Space, given: Array | None = None
) -> tuple[Note, ...]:
    """Return a warning about negative predictions, unless a measured value is negative, too.

    Args:
        predicted: the predictions, shape (n,).
        nfp: the property; None is that of the project.
        project: the project, whose measurements are read if a prediction is negative; without some, or where they
            cannot be read, only `given` are known.
        space: the valid configurations of its system.
        given: further measured values, shape (m,).
    """
    if not (predicted < 0).any():
        return ()
    known = np.zeros(0) if given is None else given
    if project.has_measurements:
        with suppress(SplcError):
            measured = project.measurements(space.system, space, invalid="drop", duplicates="mean", aggregate="mean")
            nfp = nfp or project.resolve_property(measured)
            # Logs hold names with single spaces.
            names = [name for name in measured.properties if name.split() == nfp.split()]
            known = np.concatenate([known, *(measured.column(name) for name in names)])
    return tuple(Note(text, warning=True) for text in negative_predictions(predicted, known, nfp or "the property"))
