"""Readers of measurements; the content of a file determines its format."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.table import names_of
from splc.errors import InputError, MeasurementError, Problem, Problems, nearest, require_kind
from splc.formats import detect, labels
from splc.formats.column_choice import ColumnChoice, Context, shown_value, shown_values
from splc.formats.measurements.constraints import with_failures
from splc.formats.measurements.rows import MeasurementRows, Policy, assemble
from splc.formats.measurements.tables import read_table
from splc.formats.table import table_of
from splc.io.csv_rows import CodedTexts
from splc.io.files import Source
from splc.io.numbers import unit_of
from splc.system.variability import VariabilityModel
from splc.types import Aggregate, Array, Duplicates, Invalid


def read_measurements(
    path: Any,
    system: VariabilityModel,
    *,
    contexts: str | Collection[str] = (),
    where: Mapping[str, str | float] | None = None,
    ignore: str | Collection[str] = (),
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
    decimal_delimiter: str | None = None,
    separator: str | None = None,
    nfp: str | None = None,
    check: Callable[[Configurations], Array] | None = None,
    explain: Callable[[Configurations, int], list[str]] | None = None,
) -> Measurements:
    """Read measurements of a system. The format (XML or CSV) of a file is detected from the content.

    Args:
        path: the file, also compressed (`.gz`), `-` is standard input; or a data frame (pandas, polars, …), or a dict
            of columns.
        system: the system that was measured.
        contexts: columns that are contexts although their values are numbers; columns of text are contexts anyway.
        where: context → the value of the rows to read, with a context of several values.
        ignore: columns that are not read.
        invalid: the treatment of rows whose configuration is unknown or fails `check`: 'error', or 'drop' (they are
            listed in the report).
        duplicates: the treatment of rows that measure a configuration again in XML, or in CSV without a header:
            'error', 'first' (only the first row is used), or 'mean' (they are repetitions, as in CSV tables).
        aggregate: the aggregation of repetitions, 'mean', 'median' or 'min'.
        decimal_delimiter: the decimal delimiter; by default the one that the file states or its numbers show (a comma
            in tables with `;` or tabs that have no points), or a point.
        separator: the separator of repetitions (XML) or fields (CSV); by default it is detected.
        nfp: the name of the property in a CSV file without a header, 'Performance' by default.
        check: returns which configurations are valid, such as `sampling.Space(system).check`; None accepts all.
        explain: returns what the configuration in one row violates, such as `sampling.Space(system).violations`.

    Returns:
        n distinct configurations with the values of all properties, in the units of the file. Values that cannot be
        read are NaN and counted in `report`, which also lists dropped rows. `failures` are those of rows without a
        value, and of the table of failed runs beside the file (`NAME.failures.csv`).

    Raises:
        InputError: if the file cannot be read, or a column is missing.
        MeasurementError: if rows are invalid or repeated and the policy is 'error', or no row is valid.
        SpecError: if a policy is unknown, or the decimal delimiter is not a single character.

    Examples:
        >>> splc.read_measurements(table, system)["time"][:2].round()
        array([105.,  55.])
    """
    columns = column_choice(contexts, where, ignore)
    policy = Policy(invalid, duplicates, aggregate, columns, check, explain, {}, decimal_delimiter, separator, nfp)
    (measurements,) = _parts_with_failures(path, system, policy)
    return measurements


def _parts_with_failures(path: Any, system: VariabilityModel, policy: Policy) -> list[Measurements]:
    files = [str(path)] if isinstance(path, str | Path) else []
    return [with_failures(part, files, policy.check) for part in read_parts(path, system, policy)]


def read_measurements_by(
    path: Any,
    system: VariabilityModel,
    by: str,
    *,
    contexts: str | Collection[str] = (),
    where: Mapping[str, str | float] | None = None,
    ignore: str | Collection[str] = (),
    **settings: Any,
) -> dict[str, Measurements]:
    """Read the measurements of each value of a context (version, workload, machine), in natural order.

    Args:
        path: the file or table, as in `read_measurements`.
        system: the system that was measured.
        by: the context; a column of numbers is one if it is named here.
        contexts: as in `read_measurements`, likewise `where` and `ignore`.
        where: other contexts → the value of the rows to read.
        ignore: see `contexts`.
        settings: the other arguments of `read_measurements`.

    Returns:
        Value of the context → its measurements.

    Raises:
        InputError: as `read_measurements`, or if there is no such context.
        MeasurementError: as `read_measurements`.
        SpecError: as `read_measurements`.

    Examples:
        >>> [*splc.read_measurements_by(versions, system, "version")]
        ['1', '2']
    """
    choice = replace(column_choice(contexts, where, ignore), by=(by,))
    decimal = settings.pop("decimal_delimiter", None)
    policy = Policy(**settings, columns=choice, decimal=decimal)
    return {part.contexts[by]: part for part in _parts_with_failures(path, system, policy)}


Parts = tuple[Measurements, ...]  # the measurements of each value of a context


def read_parts(path: Any, system: VariabilityModel, policy: Policy) -> Parts:
    """Read measurements, separately for each value of the contexts that `policy.columns.by` names."""
    require_kind(system, VariabilityModel, "splc.infer_system(table), splc.read_variability_model(path)")
    source, rows, policy = read_rows(path, system, policy)
    return measurements_in(system, rows, policy, source)


def read_every_part(path: Any, system: VariabilityModel, policy: Policy) -> Parts:
    """Read measurements, separately for each combination of values of contexts, but for ids, dates and the like."""
    source, rows, policy = read_rows(path, system, policy)
    rows = selected(rows, policy.columns, source.name)
    kept = {name: context for name, context in rows.contexts.items() if not differs_in_most(context.values, len(rows))}
    columns = replace(policy.columns, where={}, by=tuple(kept))
    return measurements_in(system, replace(rows, contexts=kept), replace(policy, columns=columns), source)


def read_rows(path: Any, system: VariabilityModel, policy: Policy) -> tuple[Source, MeasurementRows, Policy]:
    """Return the source, its rows, and the policy with the contexts and units that the format of the file states."""
    source = read_table(path)
    table = table_of(source)
    columns = policy.columns.with_contexts(table.texts if table.stated is None else table.stated.contexts, system)
    nfp = table.own_names.get(policy.nfp or "", policy.nfp)
    policy = replace(policy, columns=columns, units={**table.units, **policy.units}, nfp=nfp)
    form = detect.format_of("measurements", source)
    assert form is not None
    return source, _without_failed_runs(form.read(source, system, policy), columns), policy


def column_choice(
    contexts: str | Collection[str] = (),
    where: Mapping[str, Any] | None = None,
    ignore: str | Collection[str] = (),
    options: str | Collection[str] = (),
) -> ColumnChoice:
    """Return roles of columns; the arguments are those of `read_measurements` and `infer_system`."""
    texts = {name: value if isinstance(value, str) else f"{value:.15g}" for name, value in (where or {}).items()}
    return ColumnChoice(names_of(contexts), names_of(ignore), texts, options=names_of(options))


# A text column with more values than these, in more than half of the rows another one, is an id, a date or a comment.
_MANY = 20
_WIDEST = 60


def measurements_in(system: VariabilityModel, rows: MeasurementRows, policy: Policy, source: Source) -> Parts:
    """Return the measurements in the rows that the policy selects: all, or those of each value of its `by`."""
    rows = _without_labels(selected(rows, policy.columns, source.name), policy.columns)
    parts = separated(rows, policy.columns.by)
    require_constant(parts, source.name, policy.columns)
    return tuple(assemble(system, with_notes(part, policy.columns), policy, source) for part in parts)


def with_notes(rows: MeasurementRows, choice: ColumnChoice) -> MeasurementRows:
    """Return rows with a note for each context that was not chosen and has the same value in all of them."""
    chosen = {*choice.where, *choice.by}
    notes = (
        f"the context {name!r} is {shown_value(value)}"
        for name, value in rows.values_of_contexts.items()
        if name not in chosen and choice.usual.get(name) != value
    )
    return replace(rows, notes=(*rows.notes, *notes))


def _without_failed_runs(rows: MeasurementRows, choice: ColumnChoice) -> MeasurementRows:
    """Return rows without the values of failed runs, and without the columns that say so, unless these are named.

    Words for failures in the cells of the property say so, too.
    """
    named = {*choice.contexts, *choice.by, *choice.where, *({rows.nfp} - rows.others.keys())}
    for name in [name for name in (*rows.contexts, *rows.values) if name not in named]:
        others = {other: values for other, values in rows.values.items() if other != name}
        contexts = {other: each for other, each in rows.contexts.items() if other != name}
        worked, notes = _succeeded(name, rows, others) if others else np.ones(len(rows), dtype=bool), rows.notes
        if worked.any() and not worked.all():
            failed = f"{(~worked).sum():,} of {len(rows):,} runs did not succeed, as {name!r} says"
            text = f"{failed}: their values are not used (--ignore {shlex.quote(name)} uses them)"
            if name == rows.nfp:
                others, text = {**rows.values}, f"{failed}: no value of them is used"
            values = {other: np.where(worked[:, None], each, np.nan) for other, each in others.items()}
            # Values that were left out are not missing.
            missing = {other: np.where(worked, rows.missing[other], 0) for other in others}
            said = (*rows.unsuccessful, text)
            rows = replace(rows, values=values, missing=missing, contexts=contexts, unsuccessful=said)
        elif name in rows.contexts and (verdicts := labels.verdicts(name, rows.contexts[name].values)):
            worked_text = next(value for value in rows.contexts[name].values if value not in verdicts)
            other = f"--where {shlex.quote(f'{name}={worked_text}')} leaves them out"
            text = f"runs of which {name!r} says {shown_values(verdicts)} have values, which are used ({other})"
            rows = replace(rows, contexts=contexts, unsuccessful=(*rows.unsuccessful, text))
        elif name in rows.contexts and others and _says_why(rows.contexts[name], others):
            text = f"left out: {name}, which says why runs failed"
            rows = replace(rows, contexts=contexts, notes=(*notes, text))
    return rows


def _succeeded(name: str, rows: MeasurementRows, others: dict[str, Array]) -> Array:
    """Return which runs succeeded as a column says, shape (n,), none or all if it does not say so.

    Columns that do are exit codes, counts of failures, and texts such as `ok` and `timeout`, of a usual name or all of
    them known. `others`: the other properties.
    """
    if name == rows.nfp:
        return ~(labels.say_failed(rows.others[name]) & np.isnan(rows.values[name]).all(axis=1))
    # Zeros among positive amounts are those of failed runs if a column says so.
    used = others.get(rows.nfp or "", np.ones((len(rows), 1)))
    lost: Array = np.all(labels.without_result(rows.nfp or "", used), axis=1)
    lost &= 2 * lost.sum() < len(rows)
    if (context := rows.contexts.get(name)) is None:
        codes = rows.values[name][:, 0]
        if labels.is_exit_code(name, codes):
            return np.asarray(codes == 0)
        is_flag = labels.is_success_flag(name, codes)
        return ~(codes == 0) if is_flag else ~labels.nothing_worked(name, codes, rows.others)
    if name.casefold() in labels.EXIT_CODES or labels.is_status(name, context.values):
        known = [value.casefold() in labels.WORKED | labels.SOLVED for value in context.values]
        worked = np.array(known, dtype=bool)[context.codes]
        # `SLO missed` is no failure of runs with results.
        verdicts = labels.verdicts(name, context.values)
        said = np.array([value in verdicts for value in context.values], dtype=bool)[context.codes]
        worked |= said & ~np.isin(context.codes, np.unique(context.codes[lost]))
        # Other words: those of runs without a result.
        tells = labels.tells_failures(CodedTexts(context.values, context.codes), lost)
        return ~lost if tells and not worked.any() else worked
    filled = context.has_text
    return ~filled if lost[filled].all() and not _says_why(context, others) else np.ones(len(rows), dtype=bool)


def _says_why(context: Context, others: Mapping[str, Array]) -> bool:
    """Return whether a context has texts in a part of the rows only, in which values are missing."""
    without = np.any([np.isnan(values).all(axis=1) for values in others.values()], axis=0)
    return bool(0 < context.has_text.sum() < len(without) and without[context.has_text].all())


def selected(rows: MeasurementRows, choice: ColumnChoice, file: str) -> MeasurementRows:
    """Return the rows with the values of contexts that `choice.where` states, else usual ones, and malformed rows."""
    problems, notes = Problems(file), list(rows.notes)
    mask = np.ones(len(rows), dtype=bool)
    unchosen = rows.contexts.keys() - choice.where.keys() - set(choice.by)
    stated = {name: value for name, value in choice.usual.items() if value and name in unchosen}
    usual = {name: value for name, value in stated.items() if rows.contexts[name].matching(value)}
    where = {**choice.where, **usual}
    for name, value in where.items():
        if name not in rows.contexts:
            notes.append(f"there is no column {name!r}, so that {name} = {shown_value(value)} selects no rows")
            continue
        context = rows.contexts[name]
        if not (codes := context.matching(value)):
            hint = nearest(value, context.values) or f"its values are {shown_values(context.values)}"
            problems.add(f"the context {name!r} does not have the value {shown_value(value)}", hint=hint)
        mask &= np.isin(context.codes, codes)
    problems.raise_if_any(InputError)
    if not mask.all():
        condition = ", ".join(f"{name} = {shown_value(value)}" for name, value in where.items())
        reason = ", like those that the model was learned from (--where selects others)" if usual else ""
        notes.append(f"{int(mask.sum()):,} of {len(rows):,} rows have {condition}{reason}")
        if not mask.any():
            raise InputError(Problem(f"no row has {condition}", file))
        mask[list(rows.malformed)] = True
        rows = rows.take(np.flatnonzero(mask))
    return replace(rows, notes=tuple(notes))


def _without_labels(rows: MeasurementRows, choice: ColumnChoice) -> MeasurementRows:
    """Return rows without contexts that are not named and say when or which, not where, a run was, and a note."""
    named = {*choice.named, *choice.usual}
    texts = {name: each for name, each in rows.contexts.items() if name not in named and len(each.values) > 1}
    label_reasons = labels.left_out({name: CodedTexts(each.values, each.codes) for name, each in texts.items()}, ())
    most = {name: "its text differs in most rows" for name in texts if differs_in_most(texts[name].values, len(rows))}
    if not (label_reasons := {**most, **label_reasons}):
        return rows
    left = "; ".join(f"{name}, {reason}" for name, reason in label_reasons.items())
    notes = (*rows.notes, f"left out: {left} (--where or --by use such a column)")
    kept = {name: context for name, context in rows.contexts.items() if name not in label_reasons}
    return replace(rows, contexts=kept, notes=notes)


def separated(rows: MeasurementRows, by: Sequence[str]) -> tuple[MeasurementRows, ...]:
    """Return the rows of each combination of values of some contexts, in natural order; malformed rows are in all."""
    names = [name for name in by if name in rows.contexts]
    valid = rows.known
    if not names or not len(valid):
        return (rows,)
    codes = np.stack([rows.contexts[name].codes[valid] for name in names], axis=1)
    _, group = np.unique(codes, axis=0, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(group.reshape(-1)))
    malformed = np.array(sorted(rows.malformed), dtype=np.int64)
    return tuple(rows.take(np.union1d(valid[part], malformed)) for part in np.split(order, ends[:-1]) if len(part))


def require_constant(parts: Sequence[MeasurementRows], file: str, choice: ColumnChoice | None = None) -> None:
    """Refuse contexts with several values in one part."""
    several: dict[str, Counter[str]] = {}
    for part in parts:
        for name, context in part.contexts.items():
            counts = np.bincount(context.codes[part.known], minlength=len(context.values))
            if np.count_nonzero(counts) > 1:
                several.setdefault(name, Counter()).update(dict(zip(context.values, counts.tolist(), strict=True)))
    problems, choice = Problems(file), choice or ColumnChoice()
    for name, counted in several.items():
        rows = {value: count for value, count in counted.items() if count}
        message = f"the context {name!r} has {len(rows):,} values: {shown_values(list(rows))}"
        together = len(several) > 1 and name == [*several][-1]
        problems.add(
            message, hint=_advice(name, rows, choice) + (_for_all(parts, several, choice.by) if together else "")
        )
    problems.raise_if_any(MeasurementError)


def _for_all(parts: Sequence[MeasurementRows], several: Mapping[str, Mapping[str, int]], given: Sequence[str]) -> str:
    """Return what separates the values of a context, a given one, and selects the most frequent ones of the others."""
    by, *others = (*given[:1], *sorted(several, key=lambda name: len(several[name])))
    part = max(parts, key=lambda part: len(part.known))
    rows = zip(*(part.contexts[name].codes[part.known].tolist() for name in others), strict=True)
    [(codes, _)] = Counter(rows).most_common(1)
    chosen = {name: part.contexts[name].values[code] for name, code in zip(others, codes, strict=True)}
    where = " ".join(f"--where {shlex.quote(f'{name}={value}')}" for name, value in chosen.items())
    return f"; for all of them together: --by {shlex.quote(by)} {where}"


def differs_in_most(values: Sequence[str], rows: int) -> bool:
    """Return whether there are more values than half of the rows, as of an id, a date or a comment."""
    return len(values) > _MANY and len(values) > rows / 2


_PYTHON = "(in Python the argument where, read_measurements_by, the argument ignore)"


def _advice(name: str, rows: Mapping[str, int], choice: ColumnChoice) -> str:
    """Return what to do about a context with several values. `rows`: value → its number of rows."""
    unit = unit_of(list(rows))
    numbers = f"if it is a property or an option, write numbers without the unit {unit!r}; else " if unit else ""
    # The value of most rows: another one may stand for failed runs.
    readable = (value for value in rows if value and value.isprintable() and len(value) < _WIDEST)
    example = max(readable, key=lambda value: rows[value], default="VALUE")
    select = f"--where {shlex.quote(f'{name}={example}')}"
    split = f"--by {shlex.quote(name)} (splc learn, study, scale)"
    options = shlex.quote(",".join((*choice.options, name)))
    option = f"name it with --options {options} if it is an option, " if choice.inferred else ""
    return (
        f"{numbers}{option}choose one with {select}, use each separately with {split}, "
        f"or leave the column out with --ignore {shlex.quote(name)} {_PYTHON}"
    )
