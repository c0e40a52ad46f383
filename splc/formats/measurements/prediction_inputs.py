"""What is to be predicted: configurations out of a table of configurations or out of measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, ReadingReport
from splc.errors import ConfigurationError, InputError, Problem, Problems, unknown_name_hint
from splc.formats.measurements.csv_table import read_option_table, read_raw
from splc.formats.measurements.read import is_xml
from splc.formats.measurements.rows import UNSATISFIED, Policy
from splc.io.files import Source, read_source
from splc.io.numbers import parse_column
from splc.system.variability import VariabilityModel
from splc.types import Array


@dataclass(frozen=True, eq=False)
class ToPredict:
    """Configurations to predict.

    Attributes:
        configurations: n configurations.
        nfp: the property that was measured, None where none was.
        measured: its values, shape (n,), NaN where one is missing; None where none was measured.
        properties: all properties that the file has values of.
        report: what the reader left out.
        lines: the (first) line of each configuration, shape (n,).
    """

    configurations: Configurations
    nfp: str | None
    measured: Array | None
    properties: tuple[str, ...]
    report: ReadingReport
    lines: Array


def read_to_predict(
    path: str | Path, model: VariabilityModel, policy: Policy, nfp: str | None = None, expected: str | None = None
) -> ToPredict:
    """Read configurations, with the measured values of a property where the file has them.

    A file with measured values is read as measurements: one row per distinct configuration, repetitions aggregated.
    Any other is a table whose rows are kept as they are.

    Args:
        path: the file: measurements in any format, or a CSV table of configurations; `-` is standard input.
        model: the system.
        policy: what happens to rows that cannot be taken as they are.
        nfp: the property, which must be there.
        expected: the property to take if it is there, and no other. Without both it is the only one of the file.

    Raises:
        InputError: if the file cannot be read, a column is missing, or rows cannot be taken as they are.
    """
    source = read_source(path)
    lines: list[Array] = []
    placing = replace(policy, placed=lines.append)
    if is_xml(source):
        from splc.formats.measurements.splconqueror_xml import read_measurements_xml

        return _measured(read_measurements_xml(source, model, placing), lines, nfp, expected)
    raw = read_raw(source, model)
    if not set(model.spellings) & {cell.strip() for cell in raw.rows[0]} or _headerless(source, model):
        from splc.formats.measurements.csv import read_measurements_csv

        return _measured(read_measurements_csv(source, model, placing, nfp=nfp or expected), lines, nfp, expected)
    table = read_option_table(source, model, raw)
    columns = {name: parse_column(texts) for name, texts in table.others.items()}
    if nfp is not None and nfp not in columns:
        hint = unknown_name_hint(nfp, list(columns)) if columns else "it has columns of options only"
        raise InputError(Problem(f"there is no column of the property {nfp!r}", source.name, hint=hint))
    numeric = tuple(name for name, values in columns.items() if not np.isnan(values).all())
    wanted = _wanted(nfp, expected, numeric)
    if wanted is not None and not np.isnan(columns[wanted]).all():
        from splc.formats.measurements.csv import read_measurements_csv

        return _measured(read_measurements_csv(source, model, placing), lines, wanted, None, numeric)
    reasons = dict(table.reasons)
    fine = np.array([row not in reasons for row in range(len(table.lines))], dtype=bool)
    if policy.check is not None and fine.any():
        kept = np.flatnonzero(fine)
        candidates = Configurations(model, table.indices[kept])
        for row, position in zip(*_violating(candidates, kept, policy), strict=True):
            found = policy.explain(candidates, position) if policy.explain else []
            reasons[row] = [f"{UNSATISFIED}: {'; '.join(found)}" if found else UNSATISFIED]
    listed = tuple((int(table.lines[row]), "; ".join(reasons[row])) for row in sorted(reasons))
    if listed and policy.invalid == "error":
        problems = Problems(source.name)
        for line, reason in listed:
            problems.add(reason, line)
        problems.raise_if_any(ConfigurationError)
    kept = np.array([row for row in range(len(table.lines)) if row not in reasons], dtype=np.int64)
    report = ReadingReport(source.name, source.sha256, len(table.lines), listed)
    return ToPredict(Configurations(model, table.indices[kept]), None, None, numeric, report, table.lines[kept])


def _wanted(nfp: str | None, expected: str | None, properties: Sequence[str]) -> str | None:
    """Return the property to take, None for none."""
    if nfp is not None:
        return nfp
    if expected is None:
        return properties[0] if len(properties) == 1 else None
    # A log keeps one blank where a name has several.
    return next((name for name in properties if name.split() == expected.split()), None)


def _violating(candidates: Configurations, kept: Array, policy: Policy) -> tuple[list[int], list[int]]:
    """Return the rows (and their positions among the candidates) whose configurations are not valid."""
    assert policy.check is not None
    positions = np.flatnonzero(~policy.check(candidates)).tolist()
    return kept[positions].tolist(), positions


def _headerless(source: Source, model: VariabilityModel) -> bool:
    """Whether the rows are SPL Conqueror's without a header: names of selected options, then the value."""
    first = next((line for line in source.text().splitlines() if line.strip()), "")
    cells = [cell.strip() for cell in first.strip().strip(";").split(";")]
    return len(cells) > 1 and not np.isnan(parse_column(cells[-1:])[0]) and cells[0] in model.spellings


def _measured(
    measurements: Measurements,
    lines: Sequence[Array],
    nfp: str | None,
    expected: str | None,
    properties: tuple[str, ...] | None = None,
) -> ToPredict:
    found = measurements.properties if properties is None else properties
    name = _wanted(nfp, expected, found)
    if name is None:
        return ToPredict(measurements.configurations, None, None, found, measurements.report, lines[0])
    return ToPredict(measurements.configurations, name, measurements[name], found, measurements.report, lines[0])
