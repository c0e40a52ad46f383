"""Models as programs: Python, and JSON for other languages."""

from __future__ import annotations

from splc.formats.models.programs.program import program_of
from splc.formats.models.stored_model import StoredModel


def python_text(stored: StoredModel, base: str = "") -> str:
    """Return a model as a Python module without dependencies."""
    del base
    from splc.formats.models.programs.python_program import python_program

    return python_program(program_of(stored))


def json_text(stored: StoredModel, base: str = "") -> str:
    """Return a model as the JSON of its program."""
    del base
    from splc.formats.models.programs.program_text import program_text

    return program_text(program_of(stored))
