"""Systems with the constraints that all rows of a table satisfy, as structure where that is exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from splc.formats.measurements.roles import Roles
from splc.io.cells import distinct_texts
from splc.models.terms import quoted
from splc.system.constraints import OptionLiteral
from splc.system.definition import constraints_of_texts
from splc.system.mining import MinedConstraint, MinedConstraints, OptionRows, mined_constraints
from splc.system.options import BinaryOption
from splc.system.variability import ENABLED, VariabilityModel
from splc.types import Array


def option_table(system: VariabilityModel, columns: Mapping[str, Sequence[str]], roles: Roles) -> OptionRows:
    """Return the values of the options of a system in the rows of a table; rows that lack one are left out.

    Args:
        system: the inferred system.
        columns: name → cells.
        roles: the roles of the columns.
    """
    text = frozenset(roles.text)
    selected: dict[str, Array] = {}
    numbers: dict[str, Array] = {}
    usable = np.ones(len(next(iter(columns.values()))), dtype=bool)
    cells = {name: distinct_texts(columns[name]) for name in roles.text}

    def rows_with(name: str, wanted: str | None) -> Array:
        """Return the rows with a text in a column of text."""
        distinct, codes = cells[name]
        return np.array([text.strip() == wanted for text in distinct], dtype=bool)[codes]

    for option in system.binary_options:
        if option.parent in text:
            selected[option.name] = rows_with(option.parent, option.presentation.output_string)
        elif option.name not in text:
            selected[option.name] = roles.numbers[option.name] == 1
            usable &= ~np.isnan(roles.numbers[option.name])
    for name in cells:
        usable &= ~rows_with(name, "")
    for numeric in system.numeric_options:
        values = roles.numbers[numeric.name]
        numbers[numeric.name] = values
        if not numeric.optional:
            usable &= ~np.isnan(values)
        elif (switch := ENABLED + numeric.name) in system.switches:
            selected[switch] = ~np.isnan(values)
    groups = [(members, system.option(members[0]).parent) for members in system.alternative_groups]
    above = [(members, None if parent in text else parent) for members, parent in groups]
    table = np.stack([*selected.values()], axis=1) if selected else np.zeros((len(usable), 0), dtype=bool)
    levels = {name: values[usable] for name, values in numbers.items()}
    return OptionRows.of([*selected], table[usable], levels, above)


def with_mined_constraints(system: VariabilityModel, table: OptionRows) -> tuple[VariabilityModel, MinedConstraints]:
    """Return a system with the constraints that all rows of a table satisfy by far more than chance, and these.

    Implications become parents, and sets of options groups and exclusions, unless the options have other ones already.
    """
    mined = mined_constraints(table)
    structure = _Structure(system)
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
        match constraint.kind:
            case "exactly one":
                assert premise is not None
                for name in names:
                    excluded = tuple((other,) for other in names if other != name)
                    self.options[name] = BinaryOption(name, premise.name, optional=False, excluded=excluded)
            case "at most one":
                for at, name in enumerate(names):
                    for other in names[at + 1 :]:
                        yield from self._exclusion(name, other)
            case "excludes":
                assert premise is not None
                yield from self._exclusion(premise.name, names[0])
            case "identical":
                assert premise is not None
                (name,) = names
                if premise.positive and self._becomes_child(name, premise.name, optional=False):
                    return
                yield _clause(_opposite(premise), OptionLiteral(name, True))
                yield _clause(premise, OptionLiteral(name, False))
            case "implies":
                assert premise is not None
                if not self._becomes_child(premise.name, names[0], optional=True):
                    yield _clause(_opposite(premise), OptionLiteral(names[0], True))
            case "values":
                yield from _comparisons(constraint)
            case _:
                above = () if premise is None else (premise if constraint.kind == "either" else _opposite(premise),)
                yield _clause(*above, *(OptionLiteral(name, True) for name in names))

    def _becomes_child(self, name: str, parent: str, *, optional: bool) -> bool:
        """Make an option a child of another one if it has no parent yet, and return whether it is one now."""
        option, above = self.options.get(name), self.options.get(parent)
        if not isinstance(option, BinaryOption) or not isinstance(above, BinaryOption):
            return False
        if option.parent is not None or not option.optional or (option.excluded and not optional):
            return False
        ancestor: str | None = parent
        while ancestor is not None:
            if ancestor == name:
                return False
            ancestor = self.options[ancestor].parent
        self.options[name] = replace(option, parent=parent, optional=optional)
        return True

    def _exclusion(self, name: str, other: str) -> Iterator[str]:
        """Exclude two options from each other; members of groups cannot have further exclusions."""
        first, second = self.options.get(name), self.options.get(other)
        if isinstance(first, BinaryOption) and isinstance(second, BinaryOption) and first.optional and second.optional:
            self.options[name] = replace(first, excluded=(*first.excluded, (other,)))
        else:
            yield _clause(OptionLiteral(name, False), OptionLiteral(other, False))


def _opposite(literal: OptionLiteral) -> OptionLiteral:
    return OptionLiteral(literal.name, not literal.positive)


def _clause(*literals: OptionLiteral) -> str:
    return " | ".join(("" if literal.positive else "!") + quoted(literal.name) for literal in literals)


def _comparisons(constraint: MinedConstraint) -> Iterator[str]:
    """Yield the comparisons that state the values of a numeric option where a literal holds."""
    assert constraint.premise is not None
    premise, name = quoted(constraint.premise.name), quoted(constraint.options[0])
    guard = premise if constraint.premise.positive else f"(1 - {premise})"
    values = [f"{value:.15g}" for value in constraint.values]
    match constraint.bounds:
        case "=" | ">=":
            yield f"{guard} * ({name} - {_number(values[0])}) {constraint.bounds} 0"
        case "<=":
            yield f"{guard} * ({name} - {_number(values[-1])}) <= 0"
        case _:
            product = " * ".join(f"({name} - {_number(value)})" for value in values)
            yield f"{guard} * {product} = 0"


def _number(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
