"""Configuration options: binary ones, and numeric ones with their finite, ordered list of values."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field

from splc.arithmetic.evaluation import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError, VariabilityError

MAX_VALUES = 1_000_000


@dataclass(frozen=True)
class Presentation:
    """How an option's value is written on a command line (used by `splc sample --command`)."""

    output_string: str | None = None
    prefix: str = ""
    postfix: str = ""


@dataclass(frozen=True)
class BinaryOption:
    """An option that is selected or not.

    Attributes:
        name: its name, with all its characters.
        parent: the binary option it needs; None is the root, which is always selected.
        optional: whether it may be left out where its parent is selected.
        implied: groups of names; selecting this option selects at least one of each group.
        excluded: groups of names; a group of one name cannot be selected together with this option
            (a larger group has no effect, as in SPL Conqueror).
    """

    name: str
    parent: str | None = None
    optional: bool = True
    implied: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    presentation: Presentation = Presentation()
    line: int | None = field(default=None, compare=False)

    @property
    def size(self) -> int:
        """The number of values: 2 (0 not selected, 1 selected)."""
        return 2


@dataclass(frozen=True)
class NumericOption:
    """An option with one value out of a finite, ordered list.

    Attributes:
        name: its name, with all its characters.
        values: its values, ascending.
        parent: named in the description; it has no effect on the option's values.
        step: the text of the step function the values came from, None for a list of values.
        maximum: the maxValue of the description, where it lies above the last value.
        deselected_flag: the number that stands for "deselected"; None: the option always has a value.
    """

    name: str
    values: tuple[float, ...]
    parent: str | None = None
    step: str | None = None
    maximum: float | None = None
    deselected_flag: float | None = None
    presentation: Presentation = Presentation()
    line: int | None = field(default=None, compare=False)

    @property
    def optional(self) -> bool:
        """Whether it can be deselected."""
        return self.deselected_flag is not None

    @property
    def size(self) -> int:
        """The number of values, "deselected" (the last index) included."""
        return len(self.values) + self.optional

    @property
    def center(self) -> float:
        """The value with index N//2 of N values."""
        return self.values[len(self.values) // 2]

    def nearest(self, value: float) -> int:
        """Return the index of the value nearest to `value`; of two equally near ones the smaller."""
        above = bisect_left(self.values, value)
        if above in (0, len(self.values)):
            return max(above - 1, 0)
        return above if self.values[above] - value < value - self.values[above - 1] else above - 1

    def level(self, level: int, levels: int) -> int:
        """Return the index of level `level` of `levels`: round-half-even(level·(N-1)/(levels-1))."""
        return round(level * (len(self.values) - 1) / (levels - 1))


Option = BinaryOption | NumericOption


def step_values(name: str, minimum: float, maximum: float, step: str) -> tuple[float, ...]:
    """Return the values that a step function gives from `minimum` on, none above `maximum`.

    As in SPL Conqueror each value is rounded to 3 decimals, except where that would change it by more than one
    part in 1000 or a twentieth of the step. Adding a constant is exact: steps of 0.0625 or 0.0001 stay what they are.

    Args:
        name: the option's name; the step function names the current value by it, or by `n`.
        minimum: first value.
        maximum: no value lies above it.
        step: expression for the next value.

    Raises:
        VariabilityError: if min > max, the step does not increase the value, or there are too many values.
    """
    if minimum > maximum:
        raise VariabilityError(f"{name}: minValue {minimum:g} lies above maxValue {maximum:g}")
    names = NameTable({"n": name, name: name, "".join(c for c in name if c.isalnum() or c == "_"): name})
    try:
        tree = parse(step, names, associate="right")
    except ExpressionError as error:
        raise VariabilityError(
            f"{name}: step function {step!r}: {error.problems[0].message}",
            hint=f"write the next value in terms of {name} or n, such as 'n + 2' or 'n * 2'",
        ) from None

    def after(current: float) -> float:
        return float(evaluate(tree, lambda _: current, zero_safe=True))

    too_many = VariabilityError(
        f"{name}: the step function {step!r} gives more than {MAX_VALUES:,} values", hint="use a larger step"
    )
    second = after(minimum)
    additive = math.isclose(after(second) - second, second - minimum, rel_tol=1e-6)
    if additive and 0 < (second - minimum) * MAX_VALUES < maximum - minimum:
        raise too_many
    values = [float(minimum)]
    while True:
        current = values[-1]
        following = after(current)
        if math.isfinite(following):
            rounded = round(following, 3)
            harmless = min(1e-3 * abs(following), 0.05 * (following - current))
            if additive or abs(rounded - following) > harmless:
                # 14 digits of the larger of both: what floats add to a decimal number lies beyond.
                magnitude = max(abs(following), abs(current), 1e-300)
                rounded = round(following, max(14 - math.ceil(math.log10(magnitude)), 0))
            following = rounded
        if not following > current:
            if current >= maximum and len(values) > 1:
                return tuple(values)
            raise VariabilityError(
                f"{name}: the step function {step!r} leads from {current:g} to {following:g}, it must increase",
                hint="use a positive step, or list the values in <values>",
            )
        if following > maximum:
            return tuple(values)
        values.append(following)
        if len(values) > MAX_VALUES:
            raise too_many
