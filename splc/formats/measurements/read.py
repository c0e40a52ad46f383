"""Reading measurements; content tells the format of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import Problem, SpecError
from splc.formats import registry
from splc.formats.measurements.rows import Policy
from splc.io.files import read_source
from splc.system.variability import VariabilityModel
from splc.types import Aggregate, Array, Duplicates, Invalid


def read_measurements(
    path: str | Path,
    model: VariabilityModel,
    *,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
    decimal_delimiter: str | None = None,
    separator: str | None = None,
    nfp: str | None = None,
    check: Callable[[Configurations], Array] | None = None,
    explain: Callable[[Configurations, int], list[str]] | None = None,
) -> Measurements:
    """Read measurements; whether a file is XML or CSV, its content says.

    Args:
        path: the file, also compressed (`.gz`); `-` is standard input.
        model: the system that was measured.
        invalid: rows whose configuration is unknown or fails `check`: 'error', or 'drop' (listed in the report).
        duplicates: a configuration measured in several rows of an XML file (or of a CSV file without header; in a
            table such rows are repetitions): 'error', 'first' row counts, or 'mean': further repetitions.
        aggregate: how repetitions become the value used: 'mean', 'median' or 'min'.
        decimal_delimiter: the decimal delimiter, if not the one that the file states or a point.
        separator: between repetitions (XML) or fields (CSV), if not the one that the file states or shows.
        nfp: the name of the property in a CSV file without header, 'Performance' by default.
        check: says which configurations are valid (`sampling.Space(model).check`); None accepts all.
        explain: says what the configuration in one row violates (`sampling.Space(model).violations`).

    Raises:
        InputError: if the file cannot be read, or a column is missing.
        MeasurementError: if rows cannot be taken as they are and the policy says 'error', or none is left.
        SpecError: if a policy is not known, or the decimal delimiter is no character.
    """
    if decimal_delimiter is not None and (len(decimal_delimiter) != 1 or decimal_delimiter.isalnum()):
        problem = Problem("the decimal delimiter must be a single character", text=decimal_delimiter)
        raise SpecError(problem)
    policy = Policy(invalid, duplicates, aggregate, check, explain)
    source = read_source(path)
    form = registry.format_of("measurements", source)
    assert form is not None
    found: Measurements = form.read(source, model, policy, decimal_delimiter, separator, nfp)
    return found
