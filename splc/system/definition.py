"""Options and constraints from Python values: lists of numbers, `bool`, lists of texts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError, Problems, VariabilityError
from splc.system.constraints import Constraint, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option, Presentation

_QUOTED = re.compile(r"`[^`]*`")
_COMPARISON = re.compile(r"[<>=]|!=")


def options_of_values(definition: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the options with these values, binary options first."""
    problems = Problems()
    options: list[Option] = []
    names = set(definition)
    for name, values in definition.items():
        if isinstance(values, BinaryOption | NumericOption):
            if values.name != name:
                problems.add(f"{name}: the option has another name, {values.name!r}")
            options.append(values)
        elif values is bool:
            options.append(BinaryOption(name))
        else:
            several = list(values) if isinstance(values, Iterable) and not isinstance(values, str | Mapping) else []
            if several and all(isinstance(value, str) and value.strip() for value in several):
                children = list(alternative_options(name, several, names))
                names.update(option.name for option in children)
                options += children
            elif several and all(_is_truth(value) for value in several):
                options.append(BinaryOption(name))
            elif several and all(isinstance(value, Real) and not _is_truth(value) for value in several):
                options.append(NumericOption(name, tuple(sorted({float(value) for value in several}))))
            else:
                hint = "give bool, a list of numbers, or a list of texts"
                problems.add(f"{name}: {values!r:.60} are not values of an option", hint=hint)
    problems.raise_if_any(VariabilityError)
    return tuple(sorted(options, key=lambda option: isinstance(option, NumericOption)))


def _is_truth(value: object) -> bool:
    """Return whether a value is a bool of Python or numpy."""
    return type(value).__name__ in {"bool", "bool_"}


def alternative_options(
    name: str, texts: Iterable[str], taken: Container[str], *, optional: bool = False
) -> Iterator[BinaryOption]:
    """Yield an option and a child for each text, of which exactly one is selected where the option is."""
    children: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        child = base = child_name(name, text)
        number = 2
        while child in taken or child in children:
            child, number = f"{base}_{number}", number + 1
        children[child] = text
    yield BinaryOption(name, optional=optional)
    for child, text in children.items():
        excluded = tuple((other,) for other in children if other != child)
        yield BinaryOption(child, name, optional=False, excluded=excluded, presentation=Presentation(text))


def child_name(name: str, text: str) -> str:
    """Return the name of the child of an option that stands for one of its texts."""
    plain = re.sub(r"[^\w]+", "_", text).strip("_")
    return f"{name}_{plain}"


def with_alternatives(options: Iterable[Option], name: str, texts: Iterable[str]) -> tuple[Option, ...]:
    """Return options with one more alternative group, such as a context, after the binary ones."""
    options = tuple(options)
    group = tuple(alternative_options(name, texts, {option.name for option in options}))
    numeric = tuple(option for option in options if isinstance(option, NumericOption))
    return (*(option for option in options if not isinstance(option, NumericOption)), *group, *numeric)


def constraints_of_texts(
    texts: Iterable[str | Constraint], names: NameTable, binary: Iterable[str]
) -> tuple[Constraint, ...]:
    """Return constraints such as `!a | b`, `a & b` or `x * y <= 16`.

    In a comparison, a binary option is 1 where it is selected, and 0 elsewhere.
    """
    problems = Problems()
    selectable = set(binary)
    constraints: list[Constraint] = []
    for text in texts:
        if not isinstance(text, str):
            constraints.append(text)
            continue
        try:
            if not _COMPARISON.search(_QUOTED.sub("", text)):
                constraints.append(parse_boolean(text, names))
                continue
            constraint = parse_arithmetic(text, names)
            if selectable & set(constraint.names):
                constraint = parse_arithmetic(text, names, "mixed", "none")
            constraints.append(constraint)
        except ExpressionError as error:
            problems.include(error)
    problems.raise_if_any(VariabilityError)
    return tuple(constraints)
