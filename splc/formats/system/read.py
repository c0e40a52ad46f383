"""System descriptions in any format, told by their content."""

from __future__ import annotations

from pathlib import Path

from splc.formats import detect
from splc.io.files import Source, read_source
from splc.system.variability import VariabilityModel


def read_variability_model(path: str | Path) -> VariabilityModel:
    """Read the description of a system.

    Args:
        path: a variability model of SPL Conqueror, or a feature model (UVL, FeatureIDE, DIMACS), also compressed
            (`.gz`); `-` is standard input.

    Returns:
        The options and constraints. `notes` of the model has remarks on elements without effect.

    Raises:
        InputError: if the file cannot be read, or is in none of the formats.
        VariabilityError: with all problems of the description and their lines.
    """
    return parse_system(read_source(path))


def parse_system(source: Source) -> VariabilityModel:
    """Return the system of a description, as `read_variability_model`."""
    form = detect.format_of("system", source)
    # The reader of XML has messages for other kinds of XML files.
    system_format = detect.format_named("system", "xml") if form is None else form
    model: VariabilityModel = system_format.read(source)
    return model
