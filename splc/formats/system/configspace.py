"""ConfigSpace's JSON of parameter spaces: parameters as options, conditions and what is forbidden as constraints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from splc.arithmetic.tree import Name, Number
from splc.errors import InputError, OutputError, Problems, nearest
from splc.formats.system.assembly import Assembly
from splc.formats.system.feature_models import literals_of, notes_of_presentations, violations
from splc.io.files import Source, write_whole
from splc.io.json import declared, parse_json
from splc.io.numbers import number_text
from splc.system.clauses import Formula, Junction, NumericAtom, clauses, equivalence, implication, joined, negation
from splc.system.constraints import OptionLiteral
from splc.system.options import BinaryOption, NumericOption, Option, alternative_options
from splc.system.variability import VariabilityModel

RANGES = ("uniform_int", "normal_int", "beta_int", "uniform_float", "normal_float", "beta_float")
LISTS = {"categorical": "choices", "ordinal": "sequence"}
MAX_VALUES, LEVELS = 100_000, 10  # the most values of a range, and the number of levels of a range that has more


@dataclass(frozen=True)
class SpaceParameter:
    """A parameter."""

    kind: Literal["truth", "number", "text"]  # what its values are
    options: tuple[Option, ...]  # its option; for texts the option that it has a value, then those of the texts
    values: tuple[Any, ...]  # its values, in their order

    def position(self, value: Any) -> int:
        """Return the position of a value."""
        # True equals 1.
        for at, known in enumerate(self.values):
            if type(known) is type(value) and known == value:
                return at
        raise InputError(f"{self.options[0].name} is never {shown(value)}")


def _values(entry: Mapping[str, Any], notes: list[str], stated: Collection[Any]) -> tuple[Any, ...]:
    name, kind = entry["name"], entry.get("type")
    if kind in RANGES:
        return _range(name, entry, notes, stated)
    if kind == "constant" and not isinstance(entry.get("value"), dict | list):
        return (entry.get("value"),)
    if kind not in LISTS:
        known_types = (*RANGES, *LISTS, "constant")
        hint = nearest(str(kind), known_types) or f"known are: {', '.join(known_types)}"
        raise InputError(f"{name} has the unknown type {kind!r}", hint=hint)
    listed = tuple(declared(list, entry.get(LISTS[kind]), ()))
    if not listed or any(isinstance(item, dict | list) for item in listed):
        raise InputError(f"{name} has no list of values in {LISTS[kind]!r}")
    if len({(type(value), value) for value in listed}) < len(listed):
        raise InputError(f"{name} has a value twice")
    return listed


def _parameter(
    name: str, values: tuple[Any, ...], line: int | None, taken: Container[str], *, conditional: bool
) -> SpaceParameter:
    if set(map(type, values)) == {bool} and True in values:
        option = BinaryOption(name, optional=(conditional or len(values) > 1), line=line)
        return SpaceParameter("truth", (option,), values)
    if all(isinstance(value, float) and np.isfinite(value) for value in values):
        numbers = tuple(sorted(values))
        flag = min(-1.0, numbers[0] - 1) if conditional else None
        return SpaceParameter("number", (NumericOption(name, numbers, deselected_flag=flag, line=line),), values)
    if len(texts := [*map(shown, values)]) > len({*texts}):
        raise InputError(f"{name} has values that are the same text")
    parent, *members = alternative_options(name, texts, taken)
    return SpaceParameter("text", (replace(parent, optional=conditional, line=line), *members), values)


def _range(name: str, entry: Mapping[str, Any], notes: list[str], stated: Collection[Any]) -> tuple[float, ...]:
    """Return the values of a range; one of any real number, or of very many, has levels."""
    lower, upper, step = (entry.get(key) for key in ("lower", "upper", "q"))
    is_integer = str(entry["type"]).endswith("_int")
    if not (isinstance(lower, float) and isinstance(upper, float) and np.isfinite(upper - lower)):
        raise InputError(f"{name} has no bounds: 'lower' and 'upper' are not two numbers")
    if upper < lower:
        raise InputError(f"{name} has no values: {number_text(lower)} is above {number_text(upper)}")
    step = 1.0 if step is None and is_integer else step
    if isinstance(step, float) and step > 0 and (upper - lower) / step < MAX_VALUES:
        return tuple(float(f"{lower + at * step:.14g}") for at in range(int((upper - lower) / step + 1e-9) + 1))
    is_log = entry.get("log") is True and lower > 0
    spaced = (np.geomspace if is_log else np.linspace)(lower, upper, LEVELS)
    levels = {float(f"{value:.6g}") for value in spaced[1:-1].tolist()}
    levels = {float(round(value)) for value in levels} if is_integer else levels
    default = entry.get("default", entry.get("default_value"))
    known = {value for value in (default, *stated) if isinstance(value, float) and lower <= value <= upper}
    kind, values = "whole" if is_integer else "real", tuple(sorted({lower, upper, *levels, *known}))
    notes.append(
        f"{name} is any {kind} number from {number_text(lower)} to {number_text(upper)}: it has {len(values)} levels"
        f"{' on a logarithmic scale' if is_log else ''}{', and values that the file states' if known else ''}; an "
        "ordinal parameter lists others"
    )
    return values


def shown(value: Any) -> str:
    """Return a value as text."""
    return number_text(value) if isinstance(value, float) else str(value)


_NAMED = re.compile(r'"name"\s*:\s*("(?:[^"\\]|\\.)*+")')
MAX_DEPTH = 50  # conditions in conditions beyond this depth are refused
_RELATIONS = {"RELATION_LT": "<", "RELATION_GT": ">", "RELATION_EQ": "=", "LESS": "<", "GREATER": ">", "EQUALS": "="}


class _ConfigSpaceReader(Assembly):
    """Reads one file."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.name)
        self.content = declared(dict, parse_json(source.text(), file=source.name), {})
        self.name = _text(self.content, "name").strip() or self.default_name
        # None is a parameter that has a problem: constraints about it have no further one.
        self.parameters = dict[str, SpaceParameter | None]()
        # Parameter → the formula of where it is active; None while the formula is computed.
        self.active = dict[str, Formula | None]()
        self.conditions, self.lines = dict[str, list[Any]](), dict[str, int]()
        text, number, at = source.text(), 1, 0
        for match in _NAMED.finditer(text):
            number, at = number + text.count("\n", at, match.start()), match.start()
            with suppress(ValueError):
                self.lines.setdefault(json.loads(match[1]), number)

    def entries(self, key: str) -> list[dict[str, Any]]:
        """Return the objects in a list of the file; other entries are problems."""
        entries: list[dict[str, Any]] | None = declared([dict], self.content.get(key, []))
        if entries is None:
            self.problems.add(f"{key!r} is not a list of objects")
        return entries or []

    def state(self, name: str, formula: Callable[[Any], Formula], stated: Any, what: str = "condition") -> None:
        """Add the constraint that is stated; `name` is a parameter in it."""
        line = self.lines.get(name)
        try:
            self.require(formula(stated), line, f"{what}: {name}")
        except InputError as error:
            self.problems.include(error, line)

    def parameter(self, name: str) -> SpaceParameter:
        """Return a parameter."""
        if name not in self.parameters:
            known = [each for each, parameter in self.parameters.items() if parameter is not None]
            raise InputError(f"unknown parameter {name!r}", hint=nearest(name, known))
        if (parameter := self.parameters[name]) is None:
            raise InputError([])
        return parameter

    def condition(self, name: str) -> Formula:
        """Return the formula of where a parameter is active."""
        if name not in self.conditions:
            return Junction(True, ())
        if (formula := self.active.get(name)) is None:
            self.active[name] = None
            try:
                formulas = [self.formula(condition, "parent") for condition in self.conditions[name]]
            finally:
                del self.active[name]
            formula = self.active[name] = joined(formulas, conjunction=True)
        return formula

    def activity(self, name: str) -> Formula:
        """Return the constraint of the conditions of a parameter."""
        # An inactive Boolean parameter is not selected, like a false one.
        relation = implication if self.parameter(name).kind == "truth" else equivalence
        return relation(OptionLiteral(name, True), self.condition(name))

    def formula(self, clause: Any, key: str, depth: int = 0) -> Formula:
        """Return the formula of a condition or of what is forbidden; `key`: that of the parameter in it."""
        kind, is_condition = _text(clause, "type"), key == "parent"
        if kind == "AND" or (kind == "OR" and is_condition):
            parts = _parts(clause, "conditions" if is_condition else "clauses", depth)
            return joined((self.formula(part, key, depth + 1) for part in parts), conjunction=kind == "AND")
        if kind == "IN":
            return self.one_of(_text(clause, key), _parts(clause, "values"))
        if kind == ("EQ" if is_condition else "EQUALS"):
            return self.one_of(_text(clause, key), [clause.get("value")])
        return self.compared(clause, kind) if is_condition else self.related(clause, kind)

    def compared(self, condition: Any, kind: str) -> Formula:
        """Return the formula of a condition on the place of a value in the order of all."""
        name = _text(condition, "parent")
        parameter = self.parameter(name)
        values, bound = parameter.values, condition.get("value")
        if kind not in {"NEQ", "LT", "GT"}:
            raise InputError(f"unknown type of condition {kind!r}")
        if kind != "NEQ" and parameter.kind == "number" and isinstance(bound, float):
            # A range may have levels without this one.
            return self.one_of(name, [value for value in values if (value < bound if kind == "LT" else value > bound)])
        at = parameter.position(bound)
        return self.one_of(name, (*(values[:at] if kind != "GT" else ()), *(values[at + 1 :] if kind != "LT" else ())))

    def related(self, clause: Any, kind: str) -> Formula:
        """Return the formula of a relation of two parameters."""
        if (sign := _RELATIONS.get(_text(clause, "lambda") if kind == "RELATION" else kind)) is None:
            raise InputError(f"unknown type of forbidden clause {kind!r}")
        sides = [_text(clause, side) for side in ("left", "right")]
        first, second = map(self.parameter, sides)
        numbers = [each.kind == "number" for each in (first, second)]
        if all(numbers):
            selected = (OptionLiteral(name, True) for name in sides if name in self.optional)
            return joined((*selected, NumericAtom(Name(sides[0]), sign, Name(sides[1]))), conjunction=True)
        if sign != "=" or any(numbers):
            raise InputError(f"{' and '.join(sides)} are not two numbers: they cannot be compared")
        common = (value for value in first.values if value in second.values)
        equal = (joined((self.one_of(side, [value]) for side in sides), conjunction=True) for value in common)
        return joined(equal, conjunction=False)

    def one_of(self, name: str, values: Sequence[Any]) -> Formula:
        """Return the formula that a parameter is active and has one of these values."""
        parameter = self.parameter(name)
        if self.active.get(name, True) is None:
            raise InputError(f"the conditions of {name} depend on it")
        positions, selected = [parameter.position(value) for value in values], OptionLiteral(name, True)
        alternatives: list[Formula]
        if parameter.kind == "truth":
            alternatives = [selected] if True in values else []
            if False in values:
                alternatives.append(joined((self.condition(name), negation(selected)), conjunction=True))
        elif parameter.kind == "number":
            alternatives = [NumericAtom(Name(name), "=", Number(value)) for value in values]
        else:
            alternatives = [OptionLiteral(parameter.options[1 + at].name, True) for at in positions]
        one = joined(alternatives, conjunction=False)
        if name not in self.optional:
            return one
        # A comparison holds if the option has no value.
        return joined((selected, joined((negation(selected), one), conjunction=False)), conjunction=True)


def parse_configspace(source: Source) -> VariabilityModel:
    """Return the system of a parameter space of ConfigSpace; options of inactive parameters are not selected."""
    reader = _ConfigSpaceReader(source)
    for condition in reader.entries("conditions"):
        reader.conditions.setdefault(_text(condition, "child"), []).append(condition)
    entries, stated, options = reader.entries("hyperparameters"), dict[str, list[Any]](), list[Option]()
    _collect([reader.content.get("conditions"), reader.content.get("forbiddens")], stated)
    used_names = {_text(entry, "name") for entry in entries}
    for entry in entries:
        line = reader.lines.get(name := _text(entry, "name"))
        try:
            if not name.strip() or reader.parameters.get(name) is not None:
                raise InputError(f"the name {name!r} is used twice" if name.strip() else "a parameter has no name")
            values = _values(entry, reader.notes, stated.get(name, ()))
            parameter = _parameter(name, values, line, used_names, conditional=name in reader.conditions)
        except InputError as error:
            reader.parameters.setdefault(name, None)
            reader.problems.include(error, line)
            continue
        reader.parameters[name] = parameter
        used_names.update(option.name for option in parameter.options)
        options += parameter.options
    numeric = [option for option in options if isinstance(option, NumericOption)]
    reader.values = {option.name: option.values for option in numeric}
    reader.optional = {option.name for option in numeric if option.optional}
    for name in reader.conditions:
        reader.state(name, reader.activity, name)
    for forbidden in reader.entries("forbiddens"):
        parts = declared(list, forbidden.get("clauses"), []) or [forbidden]
        subject = _text(parts[0], "name") or _text(parts[0], "left")
        reader.state(subject, lambda clause: negation(reader.formula(clause, "name")), forbidden, "forbidden")
    if not options and not len(reader.problems):
        reader.problems.add("the space has no parameters")
    return reader.system(reader.name, sorted(options, key=lambda option: isinstance(option, NumericOption)))


def _collect(clause: Any, stated: dict[str, list[Any]], depth: int = 0) -> None:
    """Add the values that a clause, or one in it, states about parameters."""
    if isinstance(clause, list):
        for part in clause if depth <= 2 * MAX_DEPTH else ():
            _collect(part, stated, depth + 1)
    elif isinstance(clause, dict):
        name = _text(clause, "parent") or _text(clause, "name")
        stated.setdefault(name, []).extend([clause.get("value"), *declared(list, clause.get("values"), [])])
        _collect([clause.get("conditions"), clause.get("clauses")], stated, depth)


def _text(entry: Any, key: str) -> str:
    """Return a text of an object, empty where it has none."""
    text: str = declared(str, declared(dict, entry, {}).get(key), "")
    return text


def _parts(entry: dict[str, Any], key: str, depth: int = 0) -> list[Any]:
    """Return a list of an object: values, or the parts of a conjunction or disjunction."""
    if depth > MAX_DEPTH:
        raise InputError("conditions are nested too deeply")
    parts: list[Any] | None = declared(list, entry.get(key))
    if parts is None:
        raise InputError(f"{key!r} is not a list")
    return parts


def write_configspace(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as a parameter space of ConfigSpace: the values of options, and forbidden combinations."""
    from sampling import Space

    problems = Problems(system.source)
    literals_list = [literals_of(clause, system) for clause in clauses(system)]
    # The numeric options that can be deselected, each with the binary option that selects it.
    switches, clause_sets = dict[str, str](), set(map(frozenset, literals_list))
    for option in (each for each in system.numeric_options if each.optional):
        of_option = [dict(literals) for literals in literals_list if option.name in dict(literals)]
        positive = [name for literals in of_option for name in literals if literals[name] and name != option.name]
        partners = [name for name in positive if {(name, False), (option.name, True)} in clause_sets]
        if len(of_option) == 2 and len(partners) == 1:
            switches[option.name] = partners[0]
        else:
            hint = "a constraint can say so: the option is selected where a binary option is, and nowhere else"
            problems.add(f"ConfigSpace does not say where {option.name} is deselected", option.line, hint=hint)
    free = (literals for literals in literals_list if not any(name in switches for name, _ in literals))
    excluded: list[list[tuple[str, Any]]] = [[(name, not positive) for name, positive in each] for each in free]
    rows = violations(system, "ConfigSpace", problems)
    excluded += [[(each.name, _value(each, value)) for each, value in row] for row in rows]
    forbidden = [[{"name": name, "type": "EQUALS", "value": value} for name, value in row] for row in excluded]
    problems.raise_if_any(OutputError)
    default = Space(system).draw(1, np.random.default_rng(0)).assignment(0)
    conditions = [{"child": name, "parent": parent, "type": "EQ", "value": True} for name, parent in switches.items()]
    content = {
        "name": system.name,
        "hyperparameters": [_entry(option, default[option.name]) for option in system.options],
        "conditions": conditions,
        "forbiddens": [terms[0] if len(terms) == 1 else {"type": "AND", "clauses": terms} for terms in forbidden],
        "format_version": 0.4,
    }
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return notes_of_presentations(system)


def _entry(option: Option, default: float) -> dict[str, Any]:
    """Return the parameter of an option."""
    if isinstance(option, BinaryOption):
        choices = {"choices": [True, False], "weights": None}
        return {"type": "categorical", "name": option.name, **choices, "default_value": default == 1}
    values = [_value(option, value) for value in option.values]
    first = values[0] if np.isnan(default) else _value(option, default)
    if len(values) > 2 and values == list(range(int(values[0]), int(values[0]) + len(values))):
        bounds = {"lower": values[0], "upper": values[-1], "log": False}
        return {"type": "uniform_int", "name": option.name, **bounds, "default_value": first}
    return {"type": "ordinal", "name": option.name, "sequence": values, "default_value": first}


def _value(option: Option, value: float) -> int | float:
    """Return a value of an option in JSON: true or false of a binary one."""
    return value == 1 if isinstance(option, BinaryOption) else int(value) if value.is_integer() else value
