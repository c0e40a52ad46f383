"""The note about options that a model does not use, such as all options of a constant."""

from __future__ import annotations

from collections.abc import Sequence

from splc.errors import listed
from splc.workflows.note import Note


def unused_note(free: Sequence[str], models: int = 1) -> Note:
    """Return the note about options without influence on the predictions of a model, or of several models."""
    return Note(
        f"not used by the model{'s' * (models > 1)}: {listed(free)}",
        details=("any values of these options that are valid with the others give the same prediction",),
    )
