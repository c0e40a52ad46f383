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
    """Read measurements of a system. The format (XML or CSV) is detected from the content.

    Args:
        path: the file, also compressed (`.gz`); `-` is standard input.
        model: the system that was measured.
        invalid: the treatment of rows whose configuration is unknown or fails `check`: 'error', or 'drop' (they are
            listed in the report).
        duplicates: the treatment of rows that measure a configuration again in XML, or in CSV without a header:
            'error', 'first' (only the first row is used), or 'mean' (they are repetitions, as in CSV tables).
        aggregate: the aggregation of repetitions, 'mean', 'median' or 'min'.
        decimal_delimiter: the decimal delimiter; by default the one that the file states, or a point.
        separator: the separator of repetitions (XML) or fields (CSV); by default it is detected.
        nfp: the name of the property in a CSV file without a header, 'Performance' by default.
        check: returns which configurations are valid, such as `sampling.Space(model).check`; None accepts all.
        explain: returns what the configuration in one row violates, such as `sampling.Space(model).violations`.

    Returns:
        n distinct configurations with the values of all properties, in the units of the file. Values that cannot be
        read are NaN and counted in `report`, which also lists dropped rows.

    Raises:
        InputError: if the file cannot be read, or a column is missing.
        MeasurementError: if rows are invalid or repeated and the policy is 'error', or no row is valid.
        SpecError: if a policy is unknown, or the decimal delimiter is not a single character.
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
