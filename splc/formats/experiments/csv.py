"""Experiments as plain CSV tables with columns of parameters, of metrics, and optionally of call paths.

A row is one measurement at one point; rows of equal points are repetitions. The column `callpath` (or `region`) names
the call path. A metric has a column of its own, or all share the column `value`, with their names in the column
`metric`. The caller names the columns of parameters, or they follow from their place:

1. with a column `value`: those before it;
2. with a column of call paths that is neither the first nor the last one: those before it; metrics follow it;
3. otherwise: those before the first metric that the caller names, or all but the last one, which is the metric. It is
   an error if one of them may be a metric as well: its values differ between most rows, or follow from the columns
   before it.

Columns `repetition` and `rep` number the repetitions and are ignored. Names of special columns may be in any case. An
empty cell in the column of a metric is a missing value. Columns of text are contexts (version, machine).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Experiment
from splc.errors import InputError, Problem, Problems, listed, unknown_name_hint
from splc.formats.column_choice import ColumnChoice, columns_of
from splc.formats.experiments.rows import ExperimentRows, note_no_number, shown
from splc.formats.measurements.read import require_constant, selected, separated, with_notes
from splc.formats.measurements.rows import MeasurementRows
from splc.formats.table import split_table
from splc.io.csv_rows import check_header, header_names, is_not_blank
from splc.io.files import Source
from splc.io.numbers import number_text, parse_column, parse_number
from splc.types import Array

# Kind of special column → its names.
_SPECIAL = {
    "callpath": ("callpath", "region"),
    "metric": ("metric",),
    "value": ("value",),
    "repetition": ("repetition", "rep"),
}


@dataclass(frozen=True)
class _Columns:
    """The positions of each kind of column of a table."""

    parameters: tuple[int, ...]
    values: tuple[int, ...]
    callpath: int | None
    metric: int | None
    notes: tuple[str, ...]
    # Whether parameters follow from their place, and whether the first metric is named.
    guessed: bool = False
    named: bool = False


def parse_experiments_csv(
    source: Source,
    parameters: Sequence[str] | None = None,
    choice: ColumnChoice | None = None,
    metrics: Sequence[str] = (),
    added: Mapping[str, float] | None = None,
) -> tuple[Experiment, ...]:
    """Return the experiments of a CSV table, one per value of the contexts in `choice.by`.

    `parameters`: the names of the columns that are parameters; None is by their place (see above). `metrics`: names or
    patterns of columns that are metrics. `added`: parameters without a column → their value in all rows.
    """
    choice = choice or ColumnChoice()
    table = split_table(source, decimal=".")
    rows = [(cells, line) for cells, line in zip(table.rows, table.lines, strict=True) if is_not_blank(cells)]
    if not rows:
        raise InputError(Problem("the file is empty", source.name))
    header, first = header_names(rows[0][0]), rows[0][1]
    problems = Problems(source.name)
    body: list[list[str]] = []
    line_numbers: list[int] = []
    constants = [number_text(value) for value in (added or {}).values()]
    for cells, line in rows[1:]:
        if len(cells) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            problems.add(f"{len(cells)} fields, but the header has {len(header)}", line)
        else:
            body.append([*constants, *cells])
            line_numbers.append(line)
    header = [*(added or ()), *header]
    if len(set(header)) < len(header) or not all(header):
        # Raises the error about the names.
        _columns(source.name, header, first, parameters, metrics)
    special = {name for name in header if any(name.casefold() in names for names in _SPECIAL.values())}
    reserved = {*special, *(parameters or ())}
    columns_of_body = list(zip(*body, strict=False)) or [()] * len(header)
    texts_of = dict(zip(header, columns_of_body, strict=False))
    free = {name: texts for name, texts in texts_of.items() if name not in reserved}
    _, contexts = columns_of(free, choice, source.name, options=reserved)
    every_row = MeasurementRows(np.arange(len(body)), np.zeros((len(body), 0), dtype=int), {}, contexts=contexts)
    parts = separated(selected(every_row, choice, source.name), choice.by)
    require_constant(parts, source.name)
    dropped = {*contexts, *choice.among(header).ignore}
    names = [name for name in header if name not in dropped]
    # Problems of rows and of columns are reported together.
    columns = _columns(source.name, names, first, parameters, metrics)
    experiments = []
    for part in (with_notes(part, choice) for part in parts):
        rows_of_part = part.lines.tolist()
        texts = [[texts_of[name][row].strip() for row in rows_of_part] for name in names]
        lines = [line_numbers[row] for row in rows_of_part]
        experiment = _experiment(source, names, texts, lines, columns, problems)
        report = replace(experiment.report, notes=(*experiment.report.notes, *part.notes))
        experiments.append(replace(experiment, report=report, contexts=part.values_of_contexts))
    return tuple(experiments)


def _experiment(
    source: Source,
    header: Sequence[str],
    texts: Sequence[Sequence[str]],
    line_numbers: Sequence[int],
    columns: _Columns,
    problems: Problems,
) -> Experiment:
    """Return the experiment in the columns of a table; `problems` are those that were found already."""
    numbers = {at: parse_column(texts[at]).tolist() for at in (*columns.parameters, *columns.values)}
    for at, column in numbers.items():
        for text, number, line in zip(texts[at], column, line_numbers, strict=True):
            if math.isnan(number) and text:
                note_no_number(text, problems, line, header[at])
            elif math.isnan(number) and at in columns.parameters:
                problems.add(f"{header[at]} has no value", line)
    for special_column in (columns.callpath, columns.metric):
        if special_column is not None:
            for text, line in zip(texts[special_column], line_numbers, strict=True):
                if not text:
                    problems.add(f"{header[special_column]} is empty", line)
    problems.raise_if_any(InputError)
    if columns.guessed and line_numbers:
        _require_parameters(source.name, header, columns, np.array([numbers[at] for at in columns.parameters]))
    rows = ExperimentRows(source, [header[at] for at in columns.parameters])
    callpaths = texts[columns.callpath] if columns.callpath is not None else [ROOT_CALLPATH] * len(line_numbers)
    points = list(zip(*(numbers[at] for at in columns.parameters), strict=True))
    for at in columns.values:
        value_name = DEFAULT_METRIC if header[at].casefold() == "value" else header[at]
        metrics = texts[columns.metric] if columns.metric is not None else [value_name] * len(line_numbers)
        for point, callpath, metric, value in zip(points, callpaths, metrics, numbers[at], strict=True):
            rows.add(rows.point(point), callpath, metric, [] if math.isnan(value) else [value])
    return rows.experiment(columns.notes)


def _require_parameters(file: str, header: Sequence[str], columns: _Columns, values: Array) -> None:
    """Raise an error if columns that were taken as parameters by their place may be metrics.

    `values`: shape (parameters, rows).
    """
    doubtful = []
    points = 1
    for count, column_values in enumerate(values, 1):
        distinct = np.unique(values[:count], axis=1).shape[1]
        singletons = int((np.unique(column_values, return_counts=True)[1] == 1).sum())
        doubt = distinct == points or 2 * singletons > len(column_values)
        # With a named metric, columns of whole numbers before it are parameters.
        is_integer = columns.named and (column_values == column_values.round()).all()
        if count > 1 and doubt and not is_integer and (column_values != column_values[0]).any():
            doubtful.append(columns.parameters[count - 1])
        points = distinct
    if doubtful:
        ambiguous = [header[at] for at in (*doubtful, *columns.values)]
        # Columns from the first named metric on are metrics; those before it must be whole to be parameters.
        first_doubtful = columns.parameters.index(doubtful[0])
        broken = (at for at, factor in zip(columns.parameters, values, strict=True) if (factor != factor.round()).any())
        metric = next((at for at in broken if at in doubtful), columns.values[0])
        certain_names = ",".join(header[at] for at in columns.parameters[:first_doubtful])
        hint = f"name the parameters (--coordinates {certain_names} or more)"
        if not columns.named:
            hint += f", or the first metric (--metric {header[metric]})"
        message = f"the metric is not clear: {listed(ambiguous)} may be metrics or parameters"
        raise InputError(Problem(message, file, 1, hint=hint))


def _columns(
    file: str, header: Sequence[str], line: int, parameters: Sequence[str] | None, metrics: Sequence[str]
) -> _Columns:
    """Return the kinds of the columns."""
    problems = Problems(file)
    check_header(header, line, problems)
    if not any(math.isnan(parse_number(name)) for name in header):
        problems.add("the first line must name the columns", line, text=",".join(header)[:200])
    special = {
        kind: [at for at, name in enumerate(header) if name.casefold() in names and name not in (parameters or ())]
        for kind, names in _SPECIAL.items()
    }
    for kind, same_kind in special.items():
        # Duplicate names are reported already.
        if kind != "repetition" and len({header[at] for at in same_kind}) > 1:
            problems.add(f"{listed([header[at] for at in same_kind])}: there can be only one column of this kind", line)
    if special["metric"] and not special["value"]:
        problems.add("there is a column 'metric', but no column 'value'", line)
    for name in dict.fromkeys(parameters or ()):
        if name not in header:
            problems.add(f"there is no column {shown(name)}", line, hint=unknown_name_hint(name, header))
    problems.raise_if_any(InputError)
    callpath, metric, value = (next(iter(special[kind]), None) for kind in ("callpath", "metric", "value"))
    special_columns = {at for same_kind in special.values() for at in same_kind}
    unassigned = [at for at in range(len(header)) if at not in special_columns]
    ignored = special["repetition"]
    guessed = by_place = is_named = False
    if parameters is not None:
        position = {name: at for at, name in enumerate(header)}
        parameter_columns = [position[name] for name in dict.fromkeys(parameters)]
        values = sorted(set(unassigned) - set(parameter_columns))
        if value is not None and metric is not None:
            # The column `metric` names all metrics, so that further columns are no metrics.
            values, ignored = [], ignored + values
        values += [] if value is None else [value]
    elif value is not None:
        parameter_columns, values = [at for at in unassigned if at < value], [value]
        ignored = ignored + [at for at in unassigned if at > value]
    else:
        between = callpath is not None and min(unassigned, default=callpath) < callpath < max(
            unassigned, default=callpath
        )
        end = callpath if between and callpath is not None else max(unassigned, default=0)
        if not between:
            metric_columns = [at for at in unassigned if any(fnmatchcase(header[at], pattern) for pattern in metrics)]
            end, is_named = min(metric_columns, default=end), bool(metric_columns)
        parameter_columns, values = [at for at in unassigned if at < end], [at for at in unassigned if at >= end]
        guessed = not between
        by_place = True
    if not parameter_columns or not values:
        hint = "columns of parameters come first, then those of metrics, or 'value'"
        missing_kind = "parameter" if not parameter_columns else "metric"
        raise InputError(Problem(f"no column is a {missing_kind}", file, line, text=",".join(header)[:200], hint=hint))
    notes = [f"not used: {listed([header[at] for at in sorted(ignored)])}"] if ignored else []
    if by_place:
        names = [listed([header[at] for at in columns_of_role]) for columns_of_role in (parameter_columns, values)]
        notes.append(f"taken as parameters: {names[0]}; as metrics: {names[1]}")
    return _Columns(tuple(parameter_columns), tuple(values), callpath, metric, tuple(notes), guessed, is_named)
