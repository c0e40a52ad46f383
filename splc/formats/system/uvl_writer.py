"""UVL, the universal variability language: writing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product
from pathlib import Path

import numpy as np

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, children, names_in, tree_text
from splc.errors import OutputError, Problem, Problems, plural
from splc.formats.system.assembly import FeatureNode, Group, comparison_of, constant_of
from splc.formats.system.feature_models import structure_of
from splc.formats.system.uvl import GROUPS, TYPES
from splc.io.files import write_whole
from splc.io.numbers import number_text
from splc.system.clauses import NumericAtom, opposite
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel

_PLAIN = re.compile(r"[A-Za-z]\w*", re.ASCII)
_RESERVED = {*GROUPS, *TYPES, "namespace", "include", "imports", "features", "constraints", "constraint", "cardinality"}
_RESERVED |= {"as", "sum", "avg", "len", "floor", "ceil", "true", "false", "Type", "Arithmetic"}
# The most binary options of a comparison: it is written for each of their selections.
MAX_OPTIONS = 10
# The highest power that is written as a product.
MAX_FACTORS = 8


def write_uvl(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as a feature model in UVL; a constraint states the values of a feature that is a number."""
    problems = Problems(system.source)
    structure = structure_of(system, several=True)
    names = {name: _quoted(name) for name in (structure.root.name, *system.names)}
    if len(set(names.values())) < len(names):
        problems.add("names that differ in their quotes only cannot be written in UVL", hint="rename them")
    comparisons: list[str] = []
    for constraint in system.arithmetic_constraints:
        try:
            comparisons += _comparisons(constraint, system, names)
        except OutputError as error:
            problems.include(error, constraint.line)
    problems.raise_if_any(OutputError)
    lines = [f"namespace {_quoted(system.name)}", "", "features"]
    lines += _tree(structure.root, system, names, added=structure.added)
    constraints = [
        *(_domain(option, names[option.name]) for option in system.numeric_options),
        *(" | ".join(("" if positive else "!") + names[name] for name, positive in each) for each in structure.clauses),
        *comparisons,
    ]
    if constraints:
        lines += ["", "constraints", *(f"\t{text}" for text in constraints)]
    write_whole(path, "\n".join(lines) + "\n")
    renamed = [f"{name} → {names[name]}" for name in names if '"' in name]
    notes = [f"UVL has no double quotes in names: {', '.join(renamed)}"] if renamed else []
    if any("." in name for name in names):
        notes.append("some programs do not read names with a point")
    return (*structure.notes(system), *notes)


def _quoted(name: str) -> str:
    """Return a name in UVL, which has no double quotes in names."""
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    return '"' + name.replace('"', "'") + '"'


def _tree(root: FeatureNode, system: VariabilityModel, names: Mapping[str, str], *, added: bool) -> Iterator[str]:
    """Yield the lines of the features, numeric options below the root."""
    yield f"\t{names[root.name]}{' {abstract}' if added else ''}"
    for kind in ("mandatory", "optional"):
        if options := [option for option in system.numeric_options if option.optional == (kind == "optional")]:
            yield f"\t\t{kind}"
            yield from (f"\t\t\t{_type(option)} {names[option.name]}" for option in options)
    pending: list[tuple[int, FeatureNode | Group]] = [(2, group) for group in reversed(root.groups)]
    while pending:
        depth, node = pending.pop()
        if isinstance(node, Group):
            bounds = (node.lower, node.upper)
            yield "\t" * depth + next(kind for kind, of in GROUPS.items() if of(len(node.members)) == bounds)
            pending += [(depth + 1, member) for member in reversed(node.members)]
        else:
            yield "\t" * depth + names[node.name]
            pending += [(depth + 1, group) for group in reversed(node.groups)]


def _type(option: NumericOption) -> str:
    return "Integer" if all(value.is_integer() for value in option.values) else "Real"


def _domain(option: NumericOption, name: str) -> str:
    """Return the constraint that states the values of a numeric option."""
    values = option.values
    if _type(option) == "Integer" and len(values) == values[-1] - values[0] + 1 and len(values) > 2:
        return f"{name} >= {_number(values[0])} & {name} <= {_number(values[-1])}"
    return " | ".join(f"{name} == {_number(value)}" for value in values)


def _comparisons(constraint: ArithmeticConstraint, system: VariabilityModel, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the constraints that state an arithmetic constraint, one for each selection of its binary options."""
    names_of_options = [name for name in constraint.names if name != ROOT]
    if unknown := [name for name in names_of_options if name not in system.positions]:
        raise _inexpressible(constraint, f"UVL has no {unknown[0]} in comparisons")
    options = [system.option(name) for name in names_of_options]
    binary = [option.name for option in options if isinstance(option, BinaryOption)]
    optional = [option.name for option in options if isinstance(option, NumericOption) and option.optional]
    if len(binary) > MAX_OPTIONS:
        count = plural(len(binary), "binary option", "binary options")
        raise _inexpressible(constraint, f"UVL compares numbers, and this constraint has {count}")
    comparison = NumericAtom(constraint.left, constraint.comparison, constraint.right)
    if constraint.negated:
        comparison = opposite(comparison)  # type: ignore[assignment]
    for selection in product((0.0, 1.0) if constraint.requires == "none" else (1.0,), repeat=len(binary)):
        values = dict(zip(binary, selection, strict=True))
        guards = [("!" if value else "") + names[name] for name, value in values.items()]
        guards += [f"!{names[name]}" for name in optional]
        values[ROOT] = 1.0
        operands = (_with_values(comparison.left, values), _with_values(comparison.right, values))
        if not names_in(operands[0]) + names_in(operands[1]):
            holds = comparison_of(operands[0], comparison.comparison, operands[1]).holds(lambda _: np.zeros(1))
            if not np.all(holds):
                yield " | ".join(guards or [f"!{next(iter(names.values()))}"])
            continue
        sign = "==" if comparison.comparison == "=" else comparison.comparison
        yield " | ".join((*guards, f" {sign} ".join(_text(operand, constraint, system, names) for operand in operands)))


def _inexpressible(constraint: ArithmeticConstraint, message: str) -> OutputError:
    return OutputError(Problem(message, line=constraint.line, text=constraint.text.strip()))


def _with_values(node: Node, values: Mapping[str, float]) -> Node:
    """Return a tree with numbers instead of some names, and products instead of powers."""
    match node:
        case Name(name) if name in values:
            return Number(values[name])
        case Sum(parts) | Product(parts):
            inner = [(sign, _with_values(part, values)) for sign, part in parts]
            return _sum(inner) if isinstance(node, Sum) else _product(inner)
        case Power(base, Number(exponent)) if exponent in range(1, MAX_FACTORS + 1):
            return Product(((1, _with_values(base, values)),) * int(exponent))
        case Call(function, arguments):
            return Call(function, tuple(_with_values(argument, values) for argument in arguments))
    return node


def _sum(parts: Sequence[tuple[int, Node]]) -> Node:
    """Return a sum without zeros, a number where all parts are numbers."""
    nonzero = [addend for addend in parts if addend[1] != Number(0)]
    if all(isinstance(part, Number) for _, part in nonzero):
        return Number(sum(sign * part.value for sign, part in nonzero if isinstance(part, Number)))
    return nonzero[0][1] if len(nonzero) == 1 and nonzero[0][0] > 0 else Sum(tuple(nonzero))


def _product(parts: Sequence[tuple[int, Node]]) -> Node:
    """Return a product without factors that are 1; 0 where a factor is 0, also if it is divided by 0, as in splc."""
    if (1, Number(0)) in parts:
        return Number(0)
    if not (factors := [factor for factor in parts if factor[1] != Number(1)]):
        return Number(1)
    return factors[0][1] if len(factors) == 1 and factors[0][0] > 0 else Product(tuple(factors))


def _text(node: Node, constraint: ArithmeticConstraint, system: VariabilityModel, names: Mapping[str, str]) -> str:
    """Return one side of a comparison."""
    pending = [node]
    while pending:
        subtree = pending.pop()
        pending += children(subtree)
        if isinstance(subtree, Power) or (isinstance(subtree, Call) and subtree.function not in {"floor", "ceil"}):
            missing_part = "powers" if isinstance(subtree, Power) else f"the function {subtree.function}"
            raise _inexpressible(constraint, f"UVL does not have {missing_part}")
        divisors = [factor for side, factor in subtree.factors if side < 0] if isinstance(subtree, Product) else []
        if any(_may_be_zero(divisor, system) for divisor in divisors):
            raise _inexpressible(constraint, "UVL does not say what a division by 0 is")
    return tree_text(node, names.__getitem__, _number)


def _may_be_zero(node: Node, system: VariabilityModel) -> bool:
    if (value := constant_of(node)) is not None:
        return value == 0
    option = system.option(node.name) if isinstance(node, Name) else None
    return not isinstance(option, NumericOption) or 0 in option.values


def _number(value: float) -> str:
    """Return a number without an exponent, which UVL lacks."""
    text = number_text(value)
    return format(Decimal(text), "f") if "e" in text else text
