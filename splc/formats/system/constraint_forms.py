"""Clauses over options and comparisons as constraints of a variability model."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import numpy as np

from splc.arithmetic.evaluation import evaluate
from splc.arithmetic.printing import tree_text
from splc.arithmetic.tree import Name, Node, Number, Product, Sum, names_in
from splc.errors import InputError, Problem, listed
from splc.io.numbers import number_text
from splc.models.terms import quoted
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.propositions import Atom, Formula, Junction, NumericAtom, joined, opposite
from splc.system.variability import ENABLED

# The most values that a numeric option loses to one constraint.
_MAX_VALUES = 512


def disjunction(literals: Iterable[tuple[str, bool]], line: int | None = None) -> BooleanConstraint:
    """Return the constraint that at least one literal holds."""
    parts = tuple(OptionLiteral(*literal) for literal in literals)
    text = " | ".join(("" if positive else "!") + quoted(name) for name, positive in parts)
    return BooleanConstraint(parts, False, text, line)


def comparison_of(left: Node, sign: str, right: Node, line: int | None = None) -> ArithmeticConstraint:
    """Return the constraint that a comparison holds, in which options that are not selected are 0."""
    first, second = (tree_text(node, quoted, number_text) for node in (left, right))
    text = f"{first} {sign} {second}"
    return ArithmeticConstraint(left, sign, right, "mixed", "none", False, text, line)


def selection(formula: Formula, optional: Container[str], line: int | None) -> ArithmeticConstraint:
    """Return a formula over options as one comparison: a product for a conjunction, a sum for a disjunction.

    `optional`: the numeric options in it, which may have no value.
    """
    return comparison_of(_value(formula, optional), ">=", Number(1), line)


def _value(formula: Formula, optional: Container[str]) -> Node:
    """Return an expression that is at least 1 where a formula holds, and 0 elsewhere."""
    if isinstance(formula, OptionLiteral):
        # The name of a numeric option is its value.
        name = Name(ENABLED + formula.name if formula.name in optional else formula.name)
        return name if formula.positive else Sum(((1, Number(1)), (-1, name)))
    assert isinstance(formula, Junction)
    parts = tuple((1, _value(part, optional)) for part in formula.parts)
    return Product(parts) if formula.conjunction else Sum(parts)


def constraints_of(
    atoms: Sequence[Atom], values: Mapping[str, Sequence[float]], optional: Container[str], line: int | None
) -> Iterator[Constraint]:
    """Yield the constraints that a disjunction of atoms holds.

    `atoms`: literals, and comparisons; a literal says that the disjunction holds where an option that is compared has
    no value.
    """
    literals = [atom for atom in atoms if isinstance(atom, OptionLiteral)]
    always = [literal for literal in literals if literal.name in values and literal.name not in optional]
    if any(literal.positive for literal in always):
        return
    literals = [literal for literal in literals if literal not in always]
    comparisons = [atom for atom in atoms if isinstance(atom, NumericAtom)]
    constant = [comparison for comparison in comparisons if not names_in(comparison.left) + names_in(comparison.right)]
    if any(_holds(comparison, "", 0.0) for comparison in constant):
        return
    comparisons = [comparison for comparison in comparisons if comparison not in constant]
    names = {name for comparison in comparisons for name in names_in(comparison.left) + names_in(comparison.right)}
    unselected = [name for name in sorted(names) if name in optional and OptionLiteral(name, False) not in literals]
    if unselected:
        message = f"the constraint compares {listed(unselected)}, which may not be selected"
        hint = f"say when it holds, too: !{unselected[0]} | …"
        raise InputError(Problem(message, line=line, hint=hint))
    # A comparison holds where its options have no value.
    literals = [literal for literal in literals if literal.positive or literal.name not in names]
    if not literals and not comparisons:
        raise InputError(Problem("the constraint never holds", line=line))
    if not comparisons:
        yield disjunction(literals, line)
    elif len(comparisons) == 1:
        yield _guarded_comparison(literals, comparisons[0], optional, line)
    elif all(comparison.comparison == "=" for comparison in comparisons):
        factors = tuple((1, _difference(comparison)) for comparison in comparisons)
        yield _guarded_comparison(literals, NumericAtom(Product(factors), "=", Number(0)), optional, line)
    elif len(names) == 1 and names <= values.keys():
        (name,) = names
        excluded = [
            value for value in values[name] if not any(_holds(comparison, name, value) for comparison in comparisons)
        ]
        if len(excluded) > _MAX_VALUES:
            raise InputError(Problem(f"the constraint excludes {len(excluded):,} values of {name}", line=line))
        for value in excluded:
            yield _guarded_comparison(literals, NumericAtom(Name(name), "!=", Number(value)), optional, line)
    else:
        hint = "write several constraints, each with one comparison"
        message = "alternatives among comparisons of several features are not supported"
        raise InputError(Problem(message, line=line, hint=hint))


def _holds(comparison: NumericAtom, name: str, value: float) -> bool:
    """Return whether a comparison over one option holds where it has this value."""
    constraint = comparison_of(comparison.left, comparison.comparison, comparison.right)
    return bool(np.all(constraint.holds(lambda _: np.array([value]))))


def constant_of(node: Node) -> float | None:
    """Return the number of an expression without names, None for others."""
    return None if names_in(node) else float(evaluate(node, lambda _: 0.0, zero_safe=True))


def _difference(comparison: NumericAtom) -> Node:
    if comparison.right == Number(0):
        return comparison.left
    return Sum(((1, comparison.left), (-1, comparison.right)))


def _guarded_comparison(
    literals: Sequence[OptionLiteral], comparison: NumericAtom, optional: Container[str], line: int | None
) -> Constraint:
    """Return the constraint that a comparison holds where none of the literals does.

    With g = 1 if no literal holds, else 0, g·(left - right) is compared with 0. If 0 does not satisfy the comparison,
    the number of literals that hold is added, or subtracted.
    """
    sign = comparison.comparison
    if not literals:
        return comparison_of(comparison.left, sign, comparison.right, line)
    guards = tuple((1, _value(opposite(literal), optional)) for literal in literals)
    product: Node = Product((*guards, (1, _difference(comparison))))
    if sign in {">", "<", "!="}:
        product = Sum(((1, product), (-1 if sign == "<" else 1, _value(joined(literals, conjunction=False), optional))))
    return comparison_of(product, sign, Number(0), line)
