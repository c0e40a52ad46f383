"""Configuration options: binary options, and numeric options with a finite, ordered list of values."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar

from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError, Problems, VariabilityError, require_kind
from splc.system.constraints import Constraint, parse_arithmetic, parse_boolean

MAX_VALUES = 1_000_000
NO_OUTPUT = "noOutput"  # the output string that prints nothing; no other has an effect for a numeric option


@dataclass(frozen=True)
class Presentation:
    """The format of an option's value on a command line (see `splc sample --command-lines`), and in tables."""

    output_string: str | None = None  # the text on a command line
    prefix: str = ""  # the text before it
    postfix: str = ""  # the text after it
    words: tuple[str, str] | None = None  # texts where it is deselected and selected, as `no` and `yes`; None: 0, 1


@dataclass(frozen=True)
class BinaryOption:
    """An option that is selected or not."""

    name: str  # the name
    parent: str | None = None  # the binary option it requires; None is the root, which is always selected
    optional: bool = True  # whether it may be deselected if its parent is selected
    implied: tuple[tuple[str, ...], ...] = ()  # groups of names, of each of which one must be selected with this option
    # groups of names; the only name of a group cannot be selected with this option (larger groups have no effect, as in
    # SPL Conqueror)
    excluded: tuple[tuple[str, ...], ...] = ()
    presentation: Presentation = Presentation()  # its format on a command line
    line: int | None = field(default=None, compare=False)  # its line in the file, if known
    size: ClassVar[int] = 2  # the number of values: 0 (not selected) and 1 (selected)


@dataclass(frozen=True)
class NumericOption:
    """An option with one value of a finite, ordered list."""

    name: str  # the name
    values: tuple[float, ...]  # the values, ascending
    parent: str | None = None  # the parent in the description; it has no effect on the option's values
    step: str | None = None  # the text of the step function that gave the values, None for a list of values
    maximum: float | None = None  # the maxValue of the description, if it is above the last value
    deselected_flag: float | None = None  # the number that means "deselected" in files; None: it always has a value
    presentation: Presentation = Presentation()  # its format on a command line
    line: int | None = field(default=None, compare=False)  # its line in the file, if known

    @property
    def optional(self) -> bool:
        """True if it can be deselected."""
        return self.deselected_flag is not None

    @property
    def size(self) -> int:
        """The number of values, including "deselected" (the last index)."""
        return len(self.values) + self.optional

    @property
    def center(self) -> float:
        """The value with index N//2 of N values."""
        return self.values[len(self.values) // 2]

    def nearest(self, value: float) -> int:
        """Return the index of the value nearest to `value`, of two equally near values that of the smaller."""
        above = bisect_left(self.values, value)
        if above in (0, len(self.values)):
            return max(above - 1, 0)
        return above if self.values[above] - value < value - self.values[above - 1] else above - 1

    def level(self, level: int, levels: int) -> int:
        """Return the index of level `level` of `levels`: round-half-even(level·(N-1)/(levels-1))."""
        return round(level * (len(self.values) - 1) / (levels - 1))


Option = BinaryOption | NumericOption


def step_values(name: str, minimum: float, maximum: float, step: str) -> tuple[float, ...]:
    """Return the values of a step function from `minimum` up to at most `maximum`.

    As in SPL Conqueror, values are rounded to 3 decimals, unless that changes a value by more than one part in 1000
    or a twentieth of the step. Steps that add a constant, such as 0.0625 or 0.0001, are not rounded.
    """
    if minimum > maximum:
        raise VariabilityError(f"{name}: minValue {minimum:g} lies above maxValue {maximum:g}")
    names = NameTable({"n": name, name: name, "".join(c for c in name if c.isalnum() or c == "_"): name})
    try:
        tree = parse(step, names, associate="right")
    except ExpressionError as error:
        hint = f"write the next value in terms of {name} or n, such as 'n + 2' or 'n * 2'"
        raise VariabilityError(f"{name}: step function {step!r}: {error.problems[0].message}", hint=hint) from None

    def after(current: float) -> float:
        return float(evaluate(tree, lambda _: current, zero_safe=True))

    message = f"{name}: the step function {step!r} gives more than {MAX_VALUES:,} values"
    too_many = VariabilityError(message, hint="use a larger step")
    second = after(minimum)
    additive = math.isclose(after(second) - second, second - minimum, rel_tol=1e-6)
    if additive and 0 < (second - minimum) * MAX_VALUES < maximum - minimum:
        raise too_many
    values = [float(minimum)]
    while len(values) <= MAX_VALUES:
        current = values[-1]
        following = after(current)
        if math.isfinite(following):
            rounded = round(following, 3)
            harmless = min(1e-3 * abs(following), 0.05 * (following - current))
            if additive or abs(rounded - following) > harmless:
                # 14 digits of the larger of both values; rounding errors of floats are smaller.
                magnitude = max(abs(following), abs(current), 1e-300)
                rounded = round(following, max(14 - math.ceil(math.log10(magnitude)), 0))
            following = rounded
        if not following > current:
            if current >= maximum and len(values) > 1:
                return tuple(values)
            message = f"{name}: the step function {step!r} leads from {current:g} to {following:g}; it must increase"
            raise VariabilityError(message, hint="use a positive step, or list the values in <values>")
        if following > maximum:
            return tuple(values)
        values.append(following)
    raise too_many


_QUOTED = re.compile(r"`[^`]*`")
_COMPARISON = re.compile(r"[<>=]|!=")


def options_of_values(definition: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the options with these values, binary options first."""
    require_kind(definition, Mapping, "for example {'threads': [1, 2, 4], 'cache': bool}")
    problems = Problems()
    options: list[Option] = []
    names = set(definition)
    for name, values in definition.items():
        is_list = isinstance(values, Iterable) and not isinstance(values, str | Mapping)
        several: list[Any] = list(values) if is_list else [None]
        # Also the bool of numpy.
        truths = {type(value).__name__ in {"bool", "bool_"} for value in several}
        if isinstance(values, BinaryOption | NumericOption):
            if values.name != name:
                problems.add(f"{name}: the option has another name, {values.name!r}")
            options.append(values)
        elif several and all(isinstance(value, str) and value.strip() for value in several):
            options += (children := list(alternative_options(name, several, names)))
            names.update(option.name for option in children)
        elif values is bool or truths == {True}:
            options.append(BinaryOption(name))
        elif truths == {False} and all(isinstance(value, Real) for value in several):
            options.append(NumericOption(name, tuple(sorted({float(value) for value in several}))))
        else:
            hint = "give bool, a list of numbers, or a list of texts"
            problems.add(f"{name}: {values!r:.60} are not values of an option", hint=hint)
    problems.raise_if_any(VariabilityError)
    return tuple(sorted(options, key=lambda option: isinstance(option, NumericOption)))


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


def with_alternatives(options: Sequence[Option], name: str, texts: Iterable[str]) -> tuple[Option, ...]:
    """Return options with one more alternative group, such as a context, after the binary ones."""
    group = alternative_options(name, texts, {option.name for option in options})
    return tuple(sorted((*options, *group), key=lambda option: isinstance(option, NumericOption)))


def constraints_of_texts(
    texts: Iterable[str | Constraint], names: NameTable, binary: Iterable[str]
) -> tuple[Constraint, ...]:
    """Return constraints such as `!a | b`, `a & b` or `x * y <= 16`, in which a selected binary option is 1, else 0."""
    problems = Problems()
    selectable = set(binary)
    constraints: list[Constraint] = []
    for text in texts:
        try:
            if not isinstance(text, str):
                constraints.append(text)
            elif not _COMPARISON.search(_QUOTED.sub("", text)):
                constraints.append(parse_boolean(text, names))
            else:
                constraint = parse_arithmetic(text, names)
                is_mixed = not selectable.isdisjoint(constraint.names)
                constraints.append(replace(constraint, kind="mixed", requires="none") if is_mixed else constraint)
        except ExpressionError as error:
            problems.include(error)
    problems.raise_if_any(VariabilityError)
    return tuple(constraints)
