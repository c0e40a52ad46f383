"""Constraints of a variability model: boolean, non-boolean and mixed ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse_comparison
from splc.arithmetic.tokens import NameTable, is_word, problem_at, unknown_name, unquoted
from splc.arithmetic.tree import Node, is_ambiguous, names_in
from splc.types import Array

TOLERANCE = 1e-9  # sides that differ by less, relative to the larger and 1, are equal: 0.1 + 0.2 = 0.3, in any order


class OptionLiteral(NamedTuple):
    """An option that is selected (`positive`) or not."""

    name: str
    positive: bool


@dataclass(frozen=True)
class BooleanConstraint:
    """A disjunction (`conjunction` false) or a conjunction of literals."""

    literals: tuple[OptionLiteral, ...]
    conjunction: bool
    text: str
    line: int | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The options it names."""
        return tuple(dict.fromkeys(literal.name for literal in self.literals))


@dataclass(frozen=True)
class ArithmeticConstraint:
    """`left comparison right` over numeric and binary options.

    A configuration in which a named option is deselected satisfies it, regardless of `negated`; with
    `requires == 'none'` (mixed constraints only) a deselected binary option has the value 0 instead.
    """

    left: Node  # the expression on the left
    comparison: str  # one of >= <= != = < >
    right: Node  # the expression on the right
    kind: Literal["non-boolean", "mixed"]  # the section of the description, 'non-boolean' or 'mixed'
    requires: Literal["all", "none"]  # 'all' or 'none', the attribute `req` of a mixed constraint
    negated: bool  # whether the comparison must not hold (`exprKind="neg"` of a mixed constraint)
    text: str  # the text as written
    line: int | None = field(default=None, compare=False)  # its line in the file, if known

    @property
    def names(self) -> tuple[str, ...]:
        """The options it names."""
        return tuple(dict.fromkeys(names_in(self.left) + names_in(self.right)))

    @property
    def ambiguous(self) -> bool:
        """True if its value depends on SPL Conqueror's right-associative `*` and `/`."""
        return is_ambiguous(self.left) or is_ambiguous(self.right)

    def compare(self, difference: Array, scale: Array) -> Array:
        """Return where the (possibly negated) comparison holds, given left - right and the magnitude of both sides."""
        # The tolerance of an infinite side would be infinite, too.
        near = np.abs(difference) <= TOLERANCE * np.maximum(np.where(np.isfinite(scale), scale, 1.0), 1.0)
        holds: Array = near
        with np.errstate(invalid="ignore"):
            if self.comparison[0] in "<>":
                beyond = difference > 0 if self.comparison[0] == ">" else difference < 0
                holds = beyond | near if self.comparison[1:] else beyond & ~near
        return ~holds if self.negated != (self.comparison == "!=") else holds

    def holds(self, value_of: Callable[[str], Array]) -> Array:
        """Return where the comparison holds for columns without deselected options (shape (n,), bool)."""
        left = np.asarray(evaluate(self.left, value_of, zero_safe=True), dtype=float)
        right = np.asarray(evaluate(self.right, value_of, zero_safe=True), dtype=float)
        with np.errstate(invalid="ignore", over="ignore"):
            # The difference of two equal infinities is 0 here, not NaN.
            difference = np.where(left == right, 0.0, left - right)
        return self.compare(difference, np.maximum(np.abs(left), np.abs(right)))


Constraint = BooleanConstraint | ArithmeticConstraint


def parse_boolean(text: str, names: NameTable, line: int | None = None) -> BooleanConstraint:
    """Parse `a | !b | -c` or `a & !b`; backticks quote any name."""
    literals: list[OptionLiteral] = []
    operators: set[str] = set()
    at, positive, expect_name = 0, True, True
    while at < len(text):
        character = text[at]
        if character.isspace():
            at += 1
        elif expect_name and character in "!-":
            positive = not positive
            at += 1
        elif expect_name:
            name, at = _name_at(text, at, names)
            literals.append(OptionLiteral(name, positive))
            positive, expect_name = True, False
        elif character in "|&":
            operators.add(character)
            while at < len(text) and text[at] == character:
                at += 1
            expect_name = True
        else:
            raise problem_at(text, at, f"{character!r} is not expected here", "options are joined by | or &")
    if expect_name:
        raise problem_at(text, at, "the constraint ends too early" if literals else "the constraint is empty")
    if len(operators) > 1:
        raise problem_at(text, 0, "the constraint mixes | and &", "write two constraints, each with one operator")
    return BooleanConstraint(tuple(literals), "&" in operators, text, line)


def _name_at(text: str, at: int, names: NameTable) -> tuple[str, int]:
    """Return the option whose name starts at `at`, with or without backticks, and the offset of the name's end."""
    if text[at] == "`":
        spelling, end = unquoted(text, at)
        if spelling not in names.names:
            raise unknown_name(text, at, spelling, names)
        return names.names[spelling], end
    spelling_at = names.match(text, at)
    if spelling_at is not None:
        return names.names[spelling_at], at + len(spelling_at)
    end = at
    while end < len(text) and is_word(text[end]):
        end += 1
    if end == at:
        raise problem_at(text, at, f"{text[at]!r} is not expected here", "a constraint is 'a | !b' or 'a & !b'")
    raise unknown_name(text, at, text[at:end], names)


def parse_arithmetic(
    text: str,
    names: NameTable,
    kind: Literal["non-boolean", "mixed"] = "non-boolean",
    requires: Literal["all", "none"] = "all",
    negated: bool = False,
    line: int | None = None,
) -> ArithmeticConstraint:
    """Parse `expression CMP expression` as SPL Conqueror does (right-associative `*` and `/`)."""
    left, comparison, right = parse_comparison(text, names, associate="right")
    return ArithmeticConstraint(left, comparison, right, kind, requires, negated, text, line)
