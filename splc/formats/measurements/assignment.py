"""Values of options as text: `cache,x=4,codec=zlib`. An option without a value is selected."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from splc.data.configurations import Configurations, value_indices, wrong_value
from splc.data.fixed_values import with_fixed_values
from splc.data.value_texts import TRUTH, text_values
from splc.errors import ConfigurationError, Problem, listed, unknown_name_hint
from splc.formats.measurements.selections import only_index
from splc.io.numbers import not_a_number, parse_number
from splc.system.groups import child_groups, child_texts, wrong_child
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import ROOT, VariabilityModel

DESELECTED = "deselected"


def parse_assignments(texts: Iterable[str], system: VariabilityModel) -> dict[str, int]:
    """Return option → value index of texts `NAME=VALUE`, or `NAME` for a binary option that is selected.

    `PARENT=CHILD` selects a child of an alternative group, which is named as in a table (`splc.system.groups`).
    `deselected` is a value of optional numeric options.
    """
    indices: dict[str, int] = {}
    problems: list[Problem] = []
    for text in (text.strip() for text in texts):
        try:
            if text:
                _assign(text, system, indices)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return indices


def with_assigned_values(texts: Iterable[str], system: VariabilityModel) -> VariabilityModel:
    """Return a system that has the numbers in texts `NAME=VALUE`, if its values were not described."""
    pairs = (text.rpartition("=") for text in texts)
    numbers = {name.strip(): parse_number(value.strip()) for name, _, value in pairs}
    return with_fixed_values(system, {name: number for name, number in numbers.items() if not math.isnan(number)})


def parse_configuration(text: str, system: VariabilityModel) -> Configurations:
    """Return the configuration `NAME=VALUE,NAME,…`, which may be invalid, of a system that has its values.

    Options that are not named are not selected, but for those that every configuration has and the parents of named
    ones. Numeric options of several values must be named unless they are optional.
    """
    parts = _parts(text, system)
    system = with_assigned_values(parts, system)
    assigned = parse_assignments(parts, system)
    indices = {option.name: _unnamed(option, system) for option in system.options} | assigned
    for name, index in assigned.items():
        option = system.option(name)
        above = option.parent if index and isinstance(option, BinaryOption) else None
        while above is not None:
            indices[above] = assigned.get(above, 1)
            parent = system.option(above)
            above = parent.parent
    missing = [name for name, index in indices.items() if index is None]
    if missing:
        example = f"{missing[0]}={_example(system.option(missing[0]))}"
        raise ConfigurationError(f"no value for {listed(missing)}", hint=f"add for example {example}")
    return Configurations(system, np.array([[indices[name] for name in system.names]], dtype=np.int64))


def assignment_text(values: Mapping[str, int], system: VariabilityModel) -> str:
    """Return assignments as text: `cache, tls=0, x=4`."""
    parts, texts = [], text_values(system)
    for name, index in values.items():
        option = system.option(name)
        if index and name in texts:
            parts.append("=".join(texts[name]))
        elif isinstance(option, BinaryOption):
            words = option.presentation.words
            parts.append(f"{name}={words[index]}" if words else name if index else f"{name}=0")
        else:
            parts.append(f"{name}={DESELECTED if index == len(option.values) else f'{option.values[index]:g}'}")
    return ", ".join(parts)


def _parts(text: str, system: VariabilityModel) -> list[str]:
    """Return the assignments of a configuration: the longest ones, as names and words may contain commas."""
    names = [*system.spellings, *(name for group in child_groups(system).items() for name in child_texts(*group))]
    # A name and its value may have commas.
    most = 1 + 2 * max(name.count(",") for name in names)
    pieces, parts, start = text.split(","), list[str](), 0
    if most == 1:
        return pieces
    while start < len(pieces):
        ends = range(min(start + most, len(pieces)), start, -1)
        parts.append(next((part for end in ends if _known(part := ",".join(pieces[start:end]), system)), pieces[start]))
        start += parts[-1].count(",") + 1
    return parts


def _known(text: str, system: VariabilityModel) -> bool:
    """Return whether a text is an assignment."""
    try:
        _assign(text.strip(), system, {})
    except ConfigurationError:
        return False
    return True


def _assign(text: str, system: VariabilityModel, indices: dict[str, int]) -> None:
    """Add the value that one text gives an option."""
    spelling = system.spellings.get(text)
    # A name may contain an equals sign.
    name, equals, value = (text, "", "") if spelling in system.positions else text.rpartition("=")
    name = (name if equals or spelling in system.positions else text).strip()
    spelled = system.spellings.get(name)
    if spelled == ROOT or spelled is None or spelled not in system.positions:
        child = next(filter(None, (child_texts(*group).get(name) for group in child_groups(system).items())), None)
        # A group of columns without a parent: `tool=gcc` is `tool_gcc`.
        child = child or next(
            (candidate for mark in "_-." if (candidate := f"{name}{mark}{value.strip()}") in system.positions), None
        )
        hint = f"did you mean {child!r}?" if child else unknown_name_hint(name, list(system.names))
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 1 and all(part.rpartition("=")[0] in system.spellings for part in parts):
            hint = f"give each value by itself: {listed(parts)}"
        raise ConfigurationError(f"unknown option {name!r}", hint=hint)
    option = system.option(spelled)
    children = child_groups(system).get(spelled, []) if equals else []
    if child := child_texts(spelled, children).get(value.strip()):
        if any(indices.get(other.name) for other in children if other.name != child):
            raise ConfigurationError(f"{spelled} has two values", hint="name each option once")
        spelled, index = child, 1
    elif children and value.strip().casefold() not in TRUTH:
        raise ConfigurationError(wrong_child(spelled, children, value.strip()))
    else:
        index = _index(option, value.strip() if equals else None)
    if indices.setdefault(spelled, index) != index:
        raise ConfigurationError(f"{spelled} has two values", hint="name each option once")


def _index(option: Option, text: str | None) -> int:
    """Return the value index of a text, None for an option without a value."""
    if isinstance(option, BinaryOption):
        index = 1 if text is None else TRUTH.get(text.casefold())
        if index is None:
            raise ConfigurationError(f"{option.name}: {text!r} is neither 0 nor 1", hint="it is a binary option")
        return index
    if text is None:
        hint = f"write for example {option.name}={_example(option)}"
        raise ConfigurationError(f"the numeric option {option.name!r} needs a value", hint=hint)
    if option.optional and text.casefold() in (DESELECTED, "nan"):
        return len(option.values)
    value = parse_number(text)
    if math.isnan(value):
        raise ConfigurationError(f"{option.name}: {text!r} {not_a_number(text)}")
    index = int(value_indices(option, np.array([value]))[0])
    if index < 0:
        raise ConfigurationError(wrong_value(option, value))
    return index


def _unnamed(option: Option, system: VariabilityModel) -> int | None:
    """Return the value index of an option that is not named, None if it must be named."""
    if isinstance(option, NumericOption):
        return len(option.values) if option.optional else only_index(option, system.mandatory)
    return int(option.name in system.mandatory)


def _example(option: Option) -> str:
    return f"{option.values[0]:g}" if isinstance(option, NumericOption) else "1"
