"""Constraints that rows show: those that all rows of a table satisfy, and those that exclude what always failed.

The latter are of failed runs: rows without a value, those that the file of a model states, and the table
`NAME.failures.csv` that `splc measure` and `splc tune` write beside `NAME.csv`: a row per run, and why it failed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from splc.arithmetic.tree import Name, Node, Number, Product, Sum
from splc.data.configurations import Configurations, unlisted_values
from splc.data.measurements import FailureRule, Failures, Measurements
from splc.errors import InputError, Problem, SplcError, plural
from splc.formats.measurements.csv import read_option_table
from splc.formats.measurements.selections import assignment_text
from splc.formats.roles import Roles
from splc.formats.system.assembly import comparison_of, disjunction
from splc.formats.table import TableSource, split_table
from splc.io.csv_rows import distinct_texts, rows_with
from splc.io.files import STANDARD, Source, read_source
from splc.io.json import plain_values
from splc.io.numbers import parse_column
from splc.system.constraints import OptionLiteral
from splc.system.groups import child_texts
from splc.system.mining import MinedConstraint, MinedConstraints, OptionRows, failing_combinations, mined_constraints
from splc.system.options import BinaryOption, NumericOption, constraints_of_texts
from splc.system.variability import ENABLED, VariabilityModel
from splc.types import Array


def option_table(system: VariabilityModel, columns: Mapping[str, Sequence[str]], roles: Roles) -> OptionRows:
    """Return the values of the options of a system in the rows of a table; rows that lack one are left out."""
    text, selected, numbers = frozenset(roles.text), dict[str, Array](), dict[str, Array]()
    usable = np.ones(len(next(iter(columns.values()))), dtype=bool)
    cells = {name: distinct_texts(columns[name]) for name in roles.text}

    def having(name: str, wanted: str | None) -> Array:
        """Return the rows with a text in a column of text."""
        distinct, codes = cells[name]
        return np.array([text.strip() == wanted for text in distinct], dtype=bool)[codes]

    for option in system.binary_options:
        if option.parent in text:
            selected[option.name] = having(option.parent, option.presentation.output_string)
        elif option.name not in text:
            selected[option.name] = roles.numbers[option.name] == 1
            usable &= ~np.isnan(roles.numbers[option.name])
        elif option.optional:
            # Rows with an empty cell select none of its texts.
            selected[option.name] = ~having(option.name, "")
    for numeric in system.numeric_options:
        values = numbers[numeric.name] = roles.numbers[numeric.name]
        if not numeric.optional:
            usable &= ~np.isnan(values)
        elif (switch := ENABLED + numeric.name) in system.switches:
            selected[switch] = ~np.isnan(values)
    groups = [(members, system.option(members[0]).parent) for members in system.alternative_groups]
    above = tuple((members, parent if parent in selected else None) for members, parent in groups)
    table = np.stack([*selected.values()]).T if selected else np.zeros((len(usable), 0), dtype=bool)
    levels = {name: values[usable] for name, values in numbers.items()}
    return OptionRows(tuple(selected), table[usable], levels, above).distinct()


def with_mined_constraints(system: VariabilityModel, table: OptionRows) -> tuple[VariabilityModel, MinedConstraints]:
    """Return a system with the constraints that all rows of a table satisfy by far more than chance, and these.

    Implications become parents, and sets of options groups and exclusions, unless the options have other ones already.
    """
    mined, structure = mined_constraints(table), _Structure(system)
    texts = [text for constraint in mined.constraints for text in structure.stated(constraint)]
    changed = replace(system, options=tuple(structure.options.values()))
    constraints = constraints_of_texts(texts, changed.name_table, [option.name for option in changed.binary_options])
    return replace(changed, constraints=(*system.constraints, *constraints)), mined


def pair_text(constraint: MinedConstraint) -> str:
    """Return a constraint between two options (`excludes`, `implies`, `either`) as text: `!a | b`."""
    premise, (name,) = constraint.premise, constraint.options
    assert premise is not None
    above = premise if constraint.kind == "either" else _opposite(premise)
    return _clause(above, OptionLiteral(name, constraint.kind != "excludes"))


class _Structure:
    """The options of a system, to which constraints are added one after another."""

    def __init__(self, system: VariabilityModel) -> None:
        self.options = {option.name: option for option in system.options}

    def stated(self, constraint: MinedConstraint) -> Iterator[str]:
        """Add a constraint to the options, and yield the texts of what these cannot say."""
        names, premise = constraint.options, constraint.premise
        if constraint.kind == "at most one":
            for first, second in combinations(names, 2):
                yield from self._exclusion(first, second)
            return
        selected = [OptionLiteral(name, True) for name in names]
        if premise is None:
            yield _clause(*selected)
            return
        match constraint.kind:
            case "exactly one":
                for name in names:
                    excluded = tuple((other,) for other in names if other != name)
                    self.options[name] = BinaryOption(name, premise.name, optional=False, excluded=excluded)
            case "excludes":
                yield from self._exclusion(premise.name, names[0])
            case "identical":
                if not premise.positive or not self._becomes_child(names[0], premise.name, optional=False):
                    yield _clause(_opposite(premise), *selected)
                    yield _clause(premise, OptionLiteral(names[0], False))
            case "implies":
                if not self._becomes_child(premise.name, names[0], optional=True):
                    yield _clause(_opposite(premise), *selected)
            case "values":
                yield _comparison(premise, names[0], constraint)
            case _:
                yield _clause(premise if constraint.kind == "either" else _opposite(premise), *selected)

    def _becomes_child(self, name: str, parent: str, *, optional: bool) -> bool:
        """Make an option a child of another one if it has no parent yet, and return whether it is one now."""
        option, above = self.options.get(name), self.options.get(parent)
        if not isinstance(option, BinaryOption) or not isinstance(above, BinaryOption):
            return False
        if option.parent is not None or not option.optional or (option.excluded and not optional):
            return False
        ancestor: str | None = parent
        while ancestor is not None and ancestor != name:
            ancestor = self.options[ancestor].parent
        if ancestor is None:
            self.options[name] = replace(option, parent=parent, optional=optional)
        return ancestor is None

    def _exclusion(self, name: str, other: str) -> Iterator[str]:
        """Exclude two options from each other; members of groups cannot have further exclusions."""
        first, second = self.options.get(name), self.options.get(other)
        if isinstance(first, BinaryOption) and isinstance(second, BinaryOption) and first.optional and second.optional:
            self.options[name] = replace(first, excluded=(*first.excluded, (other,)))
        else:
            yield _clause(OptionLiteral(name, False), OptionLiteral(other, False))


def _opposite(literal: OptionLiteral) -> OptionLiteral:
    return literal._replace(positive=not literal.positive)


def _clause(*literals: OptionLiteral) -> str:
    return disjunction(literals).text


def _difference(name: str, value: float, side: int = 1) -> Node:
    """Return an option minus a value, or for the other side, -1, the value minus the option."""
    first, second = (Name(name), Number(value))[::side]
    return Sum(((1, first), (-1, second)))


def _product(premises: Iterable[OptionLiteral], factors: Iterable[Node], gaps: Iterable[float] = ()) -> Node:
    """Return a product that is 0 where a premise does not hold.

    Products of small differences, `gaps`, would be 0 within the tolerance of comparisons: they have another factor.
    """
    scale = 10 ** math.ceil(-sum(math.log10(min(gap, 1.0)) for gap in gaps))
    guards = (Name(name) if positive else Sum(((1, Number(1)), (-1, Name(name)))) for name, positive in premises)
    return Product(tuple((1, factor) for factor in (*[Number(scale)] * (scale > 1), *guards, *factors)))


def _comparison(premise: OptionLiteral, name: str, constraint: MinedConstraint) -> str:
    """Return the comparison that states the values of a numeric option where a literal holds."""
    values, sign = constraint.values, constraint.bounds
    if sign not in ("=", ">=", "<="):
        return _one_of([premise], {name: values})
    factor = _difference(name, values[-1 if sign == "<=" else 0])
    return comparison_of(_product([premise], [factor]), sign, Number(0)).text


def _one_of(premises: Iterable[OptionLiteral], allowed: Mapping[str, Sequence[float]]) -> str:
    """Return the comparison that one of some numeric options has an allowed value where all literals hold."""
    factors = [_difference(name, value) for name, values in allowed.items() for value in values]
    gaps = (gap for values in allowed.values() for gap in [np.diff(values).min(initial=1.0)] * len(values))
    return comparison_of(_product(premises, factors, gaps), "=", Number(0)).text


def outside_range(
    premises: Sequence[OptionLiteral], name: str, ends: tuple[float, float], values: Sequence[float]
) -> str:
    """Return the comparison that an option, also with further values, is outside of a range where all literals hold."""
    sides = [_difference(name, end, side) for end, side in zip(ends, (1, -1), strict=True) if math.isfinite(end)]
    holds = Sum(((1, Number(1)), (-1, _product(premises, ())))) if premises else Number(0)
    return comparison_of(_product(premises, sides, [np.diff(values).min(initial=1.0)] * 2), "<", holds).text


SUFFIX = ".failures.csv"


def failures_file(measurements: str) -> str:
    """Return the table of failed runs that belongs to a table of measurements."""
    path = Path(measurements.removesuffix(".gz"))
    return f"{path.parent / path.stem}{SUFFIX}"


def read_failed_runs(
    source: Source, system: VariabilityModel, contexts: Mapping[str, str]
) -> tuple[Configurations, tuple[FailureRule, ...], int]:
    """Return the configurations of failed runs of the stated contexts, one per run.

    Further results: a rule for each value that an inferred system lacks, and the number of other runs outside of it.
    """
    hint = f"it belongs to the measurements beside it; if it is of another system, move or remove {source.name}"
    try:
        table = split_table(source, system.spellings)
        rows = read_option_table(table, system)
        if not system.inferred:
            rows.problems(source.name).raise_if_any(InputError)
    except SplcError as error:
        raise InputError([*error.problems, Problem("the failed runs cannot be read", source.name, hint=hint)]) from None
    kept = np.isin(np.arange(len(rows)), rows_with(rows.others, contexts)) if rows.others else np.ones(len(rows), bool)
    inside = (rows.indices >= 0).all(axis=1)
    rules, explained = _value_rules(table, system, kept & ~inside)
    return Configurations(system, rows.indices[kept & inside]), rules, int((kept & ~inside & ~explained).sum())


def _value_rules(table: TableSource, system: VariabilityModel, outside: Array) -> tuple[tuple[FailureRule, ...], Array]:
    """Return a rule for each value that the system lacks in these rows, and which rows have one."""
    titles, columns, _ = table.body
    cells = [np.array([cell.strip() for cell in column]) for column in columns]
    options = [(system.spellings[title], at) for at, title in enumerate(titles) if title in system.spellings]
    groups, rules, explained = system.child_groups, list[FailureRule](), np.zeros(len(outside), dtype=bool)
    for name, at in options:
        values: dict[str, tuple[Array, str]] = {}
        if name in groups:
            further = {*cells[at][outside].tolist()} - {"", *child_texts(name, groups[name])}
            values = {f"{name}={text}": (cells[at] == text, "") for text in sorted(further)}
        elif name in system.positions:
            option, numbers = system.option(name), parse_column(cells[at].tolist())
            for value in unlisted_values(option, numbers[outside]):
                levels = (*option.values, value) if isinstance(option, NumericOption) else ()
                constraint = outside_range((), name, (value, value), sorted(levels)) if levels else ""
                values[f"{name}={value:g}"] = numbers == value, constraint
        for condition, (having, constraint) in values.items():
            rows = np.flatnonzero(having & outside)
            count = len({tuple(cells[place][row] for _, place in options) for row in rows})
            rules.append(FailureRule(condition, constraint, len(rows), count))
            explained[rows] = True
    return tuple(rules), explained


_ZEROS = 5  # the fewest rows with 0 beside a missing value that are failed runs


def with_failures(
    measured: Measurements, files: Sequence[str], check: Callable[[Configurations], Array] | None
) -> Measurements:
    """Return measurements with the failures beside them: rows without any value, and the tables of failed runs.

    `check`: returns which configurations are valid, others are no failures; None accepts all.
    """
    system = measured.system
    missing = np.stack([np.isnan(values).all(axis=1) for values in measured.values.values()])
    nothing = np.stack([(np.nan_to_num(values) == 0).all(axis=1) for values in measured.values.values()]).all(axis=0)
    known: Array = np.asarray(~missing.all(axis=0))
    # In several rows, 0 wherever another value is missing is what failed runs report: 0 operations per second.
    if (nothing & known & missing.any(axis=0)).sum() >= _ZEROS and (nothing | ~missing.any(axis=0)).all():
        known &= ~(nothing & missing.any(axis=0))
        values = {name: np.where(known[:, None], each, np.nan) for name, each in measured.values.items()}
        measured = replace(measured, values=values)
    # One row for each run.
    runs_of = np.maximum(np.bincount(measured.report.groups, minlength=len(known))[: len(known)], 1)[~known]
    failing = np.repeat(measured.configurations.indices[~known], runs_of, axis=0)
    parts = [Configurations(system, failing)]
    never: tuple[FailureRule, ...] = ()
    for file in dict.fromkeys(failures_file(file) for file in files if file != STANDARD):
        if Path(file).is_file():
            part, rules, outside = read_failed_runs(read_source(file), system, measured.contexts)
            never += rules
            parts.append(part)
            if outside:
                verb = plural(outside, "failed run has", "failed runs have")
                notes = (*measured.report.notes, f"{verb} no values that can be read, and left out ({file})")
                measured = replace(measured, report=replace(measured.report, notes=notes))
    runs = Configurations(system, np.concatenate([part.indices for part in parts]))
    runs = runs if check is None else runs[check(runs)]
    failures = failures_of(runs, measured.configurations[known]) if len(runs) else None
    if never:
        none = np.zeros(0, dtype=int)
        failures = failures or Failures(runs[none], none, (), none.astype(bool))
        failures = replace(failures, rules=(*never, *failures.rules))
    return replace(measured, failures=failures)


def failures_of(runs: Configurations, succeeded: Configurations) -> Failures | None:
    """Return the failures among runs that failed, None if each of their configurations has succeeded in another run."""
    system, (first, group) = runs.system, runs.groups()
    worked = Configurations(system, succeeded.indices)
    if not (never := worked.find(runs[first]) < 0).any():
        return None
    counts = np.bincount(group, minlength=len(first))[never]
    failed = Configurations(system, runs.indices[first[never]])
    every = Configurations.concatenate([failed, worked])
    names = [option.name for option in system.binary_options]
    columns = every.indices[:, [system.positions[name] for name in names]] == 1
    numbers = {option.name: every.value(option.name) for option in system.numeric_options}
    table = OptionRows(tuple(names), columns, numbers, tuple((group, None) for group in system.alternative_groups))
    rules, explained = [], np.zeros(len(failed), dtype=bool)
    for combination, having in failing_combinations(table, np.arange(len(every)) < len(failed)):
        rows = having[: len(failed)]
        explained |= rows
        ranges = {name: ends for name, ends in combination.items() if name in numbers}
        selected = [OptionLiteral(name, own[0] > 0) for name, own in combination.items() if name not in ranges]
        condition = [assignment_text({literal.name: int(literal.positive)}, system) for literal in selected]
        allowed: dict[str, tuple[float, ...]] = {}
        for name, (low, high, divisor) in ranges.items():
            text = f"{low:g}<={name}<={high:g}".removeprefix("-inf<=").removesuffix("<=inf")
            text = f"{name}>={low:g}" if high == math.inf else f"{name}={low:g}" if low == high else text
            condition += [text] * (low > -math.inf or high < math.inf)
            condition += [f"{name} a multiple of {divisor}"] * (divisor > 1)
            levels = next(option.values for option in system.numeric_options if option.name == name)
            allowed[name] = tuple(v for v in levels if not low <= v <= high or (divisor > 1 and v % divisor))
        if len(ranges) == 1 and divisor == 1:
            ((name, (low, high, _)),) = ranges.items()
            constraint = outside_range(selected, name, (low, high), levels)
        else:
            constraint = _one_of(selected, allowed) if allowed else _clause(*map(_opposite, selected))
        rules.append(FailureRule(" and ".join(condition), constraint, int(counts[rows].sum()), int(rows.sum())))
    return Failures(failed, counts, tuple(rules), explained)


def failures_object(failures: Failures) -> dict[str, Any]:
    """Return failures in JSON's types, as the file of a model keeps them."""
    columns = {name: values.tolist() for name, values in failures.configurations.to_columns().items()}
    runs = {"runs": failures.runs.tolist(), "explained": failures.explained.tolist()}
    return {"configurations": columns, **runs, "rules": plain_values(failures.rules)}


def failures_of_object(content: Any, system: VariabilityModel) -> Failures | None:
    """Return the failures that the file of a model states; None if it states none, or damaged ones."""
    with suppress(SplcError, KeyError, TypeError, ValueError, AttributeError):
        columns = {name: np.array(values, dtype=float) for name, values in content["configurations"].items()}
        failed = Configurations.from_columns(system, columns)
        rules = tuple(FailureRule(**rule) for rule in content["rules"])
        runs, explained = np.array(content["runs"], dtype=int), np.array(content["explained"], dtype=bool)
        failures = Failures(failed, runs, rules, explained)
        # Constraints that cannot be read are damaged, too.
        return failures if len(runs) == len(explained) == len(failed) and failures.constraints is not None else None
    return None
