"""Variability models: the options of a system and the constraints among them.

Models that are derived from others are at the end: with more values of options, with the values of several models, and
with options that are fixed.
"""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from splc.arithmetic.tokens import NameTable
from splc.arithmetic.tree import Name, Number, Product
from splc.errors import ConfigurationError, Problems, VariabilityError, listed, plural, unknown_name_hint
from splc.io.presentation import page
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import BinaryOption, NumericOption, Option, constraints_of_texts, options_of_values

ROOT = "root"
ENABLED = "Enabled"
DISABLED = "Disabled"
_SHOWN_VALUES = 8


def plain_name(name: str) -> str:
    """Return a name as in SPL Conqueror: only its letters, digits and underscores."""
    return re.sub(r"[^\w]", "", name)


@dataclass(frozen=True)
class VariabilityModel:
    """The options of a system (binary options first, each kind in file order) and its constraints.

    The root is implicit and not an option. For an optional numeric option `x`, constraints and terms may also use the
    names `Enabledx` and `Disabledx`, which are 1 where it has a value and where it is deselected.

    Raises:
        VariabilityError: with all problems at once, if names repeat, a parent, an implied or an excluded option is
            unknown, an option is its own ancestor, or the values of a numeric option are not ascending.

    Examples:
        >>> splc.VariabilityModel.of({"tls": bool, "level": range(1, 10)}, ["level * tls <= 6"])
        <VariabilityModel: system, 1 binary option, 1 numeric option, 1 constraint>
    """

    name: str  # the name of the system
    options: tuple[Option, ...]  # binary options, then numeric options
    constraints: tuple[Constraint, ...] = ()  # the constraints beyond the hierarchy, in file order
    source: str | None = field(default=None, compare=False)  # the file it was read from
    notes: tuple[str, ...] = field(default=(), compare=False)  # remarks of its reader that are not errors
    # names of observed variables, which performance models may use, but configurations do not contain
    # (`splc.data.configurations`)
    observed: tuple[str, ...] = field(default=(), compare=False)
    inferred: bool = field(default=False, compare=False)  # whether values are a table's: models predict others, too

    def __post_init__(self) -> None:
        problems = Problems(self.source)
        seen: dict[str, Option] = {}
        for option in self.options:
            if not option.name.strip():
                problems.add("an option without a name", option.line)
            elif option.name == ROOT:
                problems.add(f"the name {ROOT!r} is reserved for the root", option.line)
            elif option.name in seen:
                first = seen[option.name].line
                hint = f"first used in line {first}" if first else None
                problems.add(f"the name {option.name!r} is used twice", option.line, hint=hint)
            seen.setdefault(option.name, option)
            if isinstance(option, NumericOption):
                values = option.values
                if not values:
                    problems.add(f"{option.name} has no values", option.line)
                elif not all(map(operator.lt, (-math.inf, *values), (*values, math.inf))):
                    problems.add(f"the values of {option.name} are not finite numbers in ascending order", option.line)
        _check_references(self, problems)
        for index, name in enumerate(self.observed):
            if not name.strip() or name in self.spellings or name in self.observed[:index]:
                message = "is also the name of an option" if name in self.spellings else "is empty or a duplicate"
                problems.add(f"the observed variable {name!r} {message}", hint="rename it")
        problems.raise_if_any(VariabilityError)

    def __repr__(self) -> str:
        binary = plural(len(self.binary_options), "binary option", "binary options")
        numeric = plural(len(self.numeric_options), "numeric option", "numeric options")
        counts = (binary, numeric, plural(len(self.constraints), "constraint", "constraints"))
        return f"<{type(self).__name__}: {self.name}, {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        return page(f"{self!r}", self.to_columns())

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the options as a dict of columns: names, kinds, parents and values."""
        group = {name for members in self.alternative_groups for name in members}
        texts = {each.name: listed([f"{v:g}" for v in each.values], _SHOWN_VALUES) for each in self.numeric_options}
        kinds = ["numeric" if name in texts else "alternative" if name in group else "binary" for name in self.names]
        parents, values = [each.parent or "" for each in self.options], [texts.get(name, "") for name in self.names]
        return {"option": list(self.names), "kind": kinds, "parent": parents, "values": values}

    @classmethod
    def of(
        cls, options: Mapping[str, Any], constraints: Iterable[str | Constraint] = (), name: str = "system"
    ) -> VariabilityModel:
        """Return the system with these options.

        Args:
            options: name → its values: `bool` for a binary option, numbers for a numeric option, texts for an
                alternative group of one binary option per text, or an option of that name.
            constraints: `!a | b`, `a & b`, or comparisons such as `x * y <= 16`, in which a binary option is 1 where it
                is selected and 0 elsewhere. The binary option of the text `t` of `x` is `x_t`.
            name: the name of the system.

        Raises:
            VariabilityError: with all problems at once, if an option has no possible values, a constraint cannot be
                read, or names repeat.
        """
        system = cls(name, options_of_values(options))
        read = constraints_of_texts(constraints, system.name_table, (option.name for option in system.binary_options))
        return replace(system, constraints=read)

    @cached_property
    def binary_options(self) -> tuple[BinaryOption, ...]:
        """The binary options, in file order."""
        return tuple(option for option in self.options if isinstance(option, BinaryOption))

    @cached_property
    def numeric_options(self) -> tuple[NumericOption, ...]:
        """The numeric options, in file order."""
        return tuple(option for option in self.options if isinstance(option, NumericOption))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the options, in model order."""
        return tuple(option.name for option in self.options)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Name → position in model order."""
        return {option.name: position for position, option in enumerate(self.options)}

    @cached_property
    def switches(self) -> dict[str, tuple[int, bool]]:
        """`Enabledx`, `Disabledx` of optional numeric options → (the option's position, whether it is `Enabledx`)."""
        return {
            state + option.name: (self.positions[option.name], state == ENABLED)
            for option in self.numeric_options
            for state in (ENABLED, DISABLED)
            if option.optional and state + option.name not in self.positions
        }

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Accepted spelling → name: names, their spelling in SPL Conqueror, switches, and the root."""
        spellings = {name: name for name in (*self.names, *self.switches, ROOT)}
        plain = {plain_name(name): name for name in spellings}
        shared = Counter(map(plain_name, spellings))
        free = {text: name for text, name in plain.items() if text and text not in spellings and shared[text] == 1}
        return spellings | free

    @cached_property
    def name_table(self) -> NameTable:
        """All accepted spellings, for the parsers of constraints and model text."""
        return NameTable(self.spellings)

    @cached_property
    def term_names(self) -> dict[str, str]:
        """Accepted spelling → name for terms: `spellings` and the observed variables."""
        return {**self.spellings, **{name: name for name in self.observed}}

    @cached_property
    def term_table(self) -> NameTable:
        """The spellings of `term_names`, for the parser of terms in logs."""
        return NameTable(self.term_names)

    @cached_property
    def term_order(self) -> tuple[str, ...]:
        """The order of names in terms: options, switches, observed variables."""
        return (*self.names, *self.switches, *self.observed)

    def unknown(self, name: str) -> ConfigurationError:
        """Return the error for a name in a term that is not an option."""
        if name in self.observed:
            hint = "observed variables are known for measured configurations only; they cannot be chosen"
            return ConfigurationError(f"{name!r} is an observed variable, not an option", hint=hint)
        return ConfigurationError(f"unknown option {name!r}", hint=unknown_name_hint(name, list(self.term_order)))

    def option(self, name: str) -> Option:
        """Return the option with this name, in any of its spellings."""
        known = self.spellings.get(name)
        if known is None or known not in self.positions:
            raise ConfigurationError(f"unknown option {name!r}", hint=unknown_name_hint(name, list(self.names)))
        return self.options[self.positions[known]]

    @cached_property
    def exclusions(self) -> dict[str, tuple[str, ...]]:
        """Binary option → options that it excludes or that exclude it, in model order."""
        partners: dict[str, set[str]] = {option.name: set() for option in self.binary_options}
        for option in self.binary_options:
            for group in option.excluded:
                if len(group) == 1 and group[0] in partners and group[0] != option.name:
                    partners[option.name].add(group[0])
                    partners[group[0]].add(option.name)
        return {name: tuple(sorted(excluded, key=self.positions.__getitem__)) for name, excluded in partners.items()}

    def alternatives(self, option: BinaryOption) -> tuple[str, ...]:
        """Return the other members of an option's alternative group: non-optional siblings that it excludes."""
        if option.optional:
            return ()
        excluded = (self.options[self.positions[name]] for name in self.exclusions[option.name])
        siblings = (other for other in excluded if isinstance(other, BinaryOption) and not other.optional)
        return tuple(sibling.name for sibling in siblings if sibling.parent == option.parent)

    @cached_property
    def alternative_groups(self) -> tuple[tuple[str, ...], ...]:
        """The alternative groups, each in model order; if the parent is selected, exactly one member is."""
        every = ((option.name, *self.alternatives(option)) for option in self.binary_options)
        groups = (tuple(sorted(names, key=self.positions.__getitem__)) for names in every if len(names) > 1)
        return tuple(dict.fromkeys(groups))

    @cached_property
    def child_groups(self) -> dict[str, tuple[BinaryOption, ...]]:
        """Parent → its children, if exactly one of these is selected wherever the parent is."""
        children: dict[str, list[BinaryOption]] = {}
        for option in self.binary_options:
            if option.parent is not None:
                children.setdefault(option.parent, []).append(option)
        return {
            parent: tuple(members)
            for parent, members in children.items()
            if all(not child.optional and len(self.alternatives(child)) == len(members) - 1 for child in members)
        }

    @cached_property
    def mandatory(self) -> frozenset[str]:
        """The binary options that the hierarchy always selects: no ancestor is optional or excluded, nor they."""
        by_name = {option.name: option for option in self.binary_options}

        def always(name: str | None) -> bool:
            while name is not None and not (by_name[name].optional or self.exclusions[name]):
                name = by_name[name].parent
            return name is None

        return frozenset(filter(always, by_name))

    @cached_property
    def base_option(self) -> str:
        """The option that denotes the constant in SPL Conqueror's logs: the first mandatory top-level one, or root."""
        return next((o.name for o in self.binary_options if o.parent is None and o.name in self.mandatory), ROOT)

    @property
    def arithmetic_constraints(self) -> tuple[ArithmeticConstraint, ...]:
        """The non-boolean and mixed constraints, in file order."""
        return tuple(c for c in self.constraints if isinstance(c, ArithmeticConstraint))


def _check_references(system: VariabilityModel, problems: Problems) -> None:
    """Add problems for references to unknown or numeric options, and for options that are their own ancestors."""
    binary = {option.name: option for option in system.options if isinstance(option, BinaryOption)}
    numeric = {option.name for option in system.options if isinstance(option, NumericOption)}
    for option in system.options:
        references = [] if option.parent is None else [("parent", option.parent)]
        if isinstance(option, BinaryOption):
            references += [("impliedOptions", name) for group in option.implied for name in group]
            references += [("excludedOptions", name) for group in option.excluded for name in group]
        for element, name in references:
            if name in numeric:
                hint = "only binary options can be named here"
                problems.add(f"{option.name}: {element} names the numeric option {name!r}", option.line, hint=hint)
            elif name not in binary and not (name == ROOT and element == "impliedOptions"):
                # The search among thousands of names is slow; problems that are not shown need no hint.
                near = unknown_name_hint(name, list(binary)) if len(problems) < problems.limit else None
                problems.add(f"{option.name}: {element} names the unknown option {name!r}", option.line, hint=near)
    settled: set[str] = set()
    for option in binary.values():
        path: dict[str, None] = {}
        ancestor: str | None = option.name
        while ancestor in binary and ancestor not in path and ancestor not in settled:
            path[ancestor] = None
            ancestor = binary[ancestor].parent
        if ancestor is not None and ancestor in path:
            names = list(path)
            text = " → ".join([*names[names.index(ancestor) :], ancestor])
            problems.add(f"{ancestor} is its own ancestor", binary[ancestor].line, text=text)
        settled.update(path)


def extended(system: VariabilityModel, values: Mapping[str, Sequence[float]]) -> VariabilityModel:
    """Return a system with additional values of options; its constraints are those of the system.

    Those that were inferred from a table say nothing about further values of their options.
    """

    def with_values(option: Option) -> Option:
        if not len(added := values.get(option.name, ())):
            return option
        if isinstance(option, NumericOption):
            return replace(option, values=tuple(sorted({*option.values, *added})))
        return NumericOption(option.name, tuple(sorted({0.0, 1.0, *added})))

    ordered = sorted(map(with_values, system.options), key=lambda option: isinstance(option, NumericOption))
    rules = (rule for rule in system.constraints if not (system.inferred and values.keys() & set(rule.names)))
    return replace(system, options=tuple(ordered), constraints=tuple(rules))


def open_options(system: VariabilityModel) -> tuple[Option, ...]:
    """Return the options that can have further values: the numeric ones, of a table also columns of zeros and ones."""
    parents = {option.parent for option in system.options}
    plain = (
        option
        for option in system.binary_options
        if option.parent is None and option.name not in parents and not (option.excluded or option.implied)
    )
    return (*(plain if system.inferred else ()), *system.numeric_options)


def joint_system(systems: Sequence[VariabilityModel]) -> VariabilityModel | None:
    """Return a system that has the configurations of several ones; None if their options differ in more than values.

    It has the constraints that all have: descriptions inferred from different rows of a table differ in values.
    """
    first, *further = systems
    if all(system == first for system in further):
        return first

    def plain(system: VariabilityModel) -> list[Option]:
        numeric = (replace(option, values=(0.0,), step=None, maximum=None) for option in system.numeric_options)
        return sorted((*system.binary_options, *numeric), key=lambda option: option.name)

    if any(plain(system) != plain(first) for system in further):
        return None
    shared = tuple(rule for rule in first.constraints if all(rule in other.constraints for other in further))
    for system in further:
        first = extended(first, {option.name: option.values for option in system.numeric_options})
    return replace(first, constraints=shared)


def restricted(system: VariabilityModel, values: Mapping[str, int]) -> VariabilityModel:
    """Return a system whose valid configurations are those that have certain values of options, given by index."""
    stated: list[Constraint] = []
    for name, index in values.items():
        option = system.option(name)
        literal = OptionLiteral(name, index == 1)
        if isinstance(option, NumericOption):
            literal = OptionLiteral((DISABLED if index == len(option.values) else ENABLED) + name, True)
        if isinstance(option, BinaryOption) or option.optional:
            text = literal.name if literal.positive else f"!{literal.name}"
            stated.append(BooleanConstraint((literal,), False, text))
        if isinstance(option, NumericOption) and index < len(option.values):
            # Comparisons tolerate differences of 1e-9 from values below 1: small values are compared as multiples.
            unit = min((abs(number) for number in option.values if number), default=1.0)
            value, left = option.values[index], Product(((1, Name(option.name)), (-1, Number(unit))))
            text = f"{option.name} = {value:g}"
            stated.append(ArithmeticConstraint(left, "=", Number(value / unit), "non-boolean", "all", False, text))
    return replace(system, constraints=(*system.constraints, *stated))
