"""UVL, the universal variability language: writing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, tree_text
from splc.errors import OutputError, Problem, Problems
from splc.formats.system.assembly import FeatureNode, Group, constant_of
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
VALUE = "value"  # the attribute of features that stand for 1 in comparisons
MAX_FACTORS = 8  # the highest power that is written as a product


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
            comparisons.append(_comparison(constraint, system, names))
        except OutputError as error:
            problems.include(error, constraint.line)
    problems.raise_if_any(OutputError)
    lines = [f"namespace {_quoted(system.name)}", "", "features"]
    compared = {name for constraint in system.arithmetic_constraints for name in constraint.names}
    valued = (option.name for option in system.binary_options if option.name in compared)
    shown = names | {name: f"{names[name]} {{{VALUE} 1}}" for name in valued}
    lines += _tree(structure.root, system, shown, added=structure.added)
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


def _comparison(constraint: ArithmeticConstraint, system: VariabilityModel, names: Mapping[str, str]) -> str:
    """Return an arithmetic constraint in UVL, in which a binary option is its attribute: 1, or 0 without the option."""
    numbers, guards = {ROOT: "1"}, list[str]()
    for name in (name for name in constraint.names if name != ROOT):
        if name not in system.positions:
            raise _inexpressible(constraint, f"UVL has no {name} in comparisons")
        option = system.option(name)
        is_binary = isinstance(option, BinaryOption)
        numbers[option.name] = f"{names[option.name]}.{VALUE}" if is_binary else names[option.name]
        # The constraint says nothing without the option.
        if constraint.requires == "all" if is_binary else option.optional:
            guards.append(f"!{names[option.name]}")
    comparison: Any = NumericAtom(constraint.left, constraint.comparison, constraint.right)
    comparison = opposite(comparison) if constraint.negated else comparison
    sign = "==" if comparison.comparison == "=" else comparison.comparison
    sides = (_in_uvl(side, constraint, system) for side in (comparison.left, comparison.right))
    texts = (tree_text(side, numbers.__getitem__, _number) for side in sides)
    return " | ".join((*guards, f" {sign} ".join(texts)))


def _inexpressible(constraint: ArithmeticConstraint, message: str) -> OutputError:
    return OutputError(Problem(message, line=constraint.line, text=constraint.text.strip()))


def _in_uvl(node: Node, constraint: ArithmeticConstraint, system: VariabilityModel) -> Node:
    """Return a tree with products instead of powers of small numbers, and of divisions by binary options."""

    def inner(part: Node) -> Node:
        return _in_uvl(part, constraint, system)

    match node:
        case Number() | Name():
            return node
        case Sum(addends):
            return Sum(tuple((sign, inner(addend)) for sign, addend in addends))
        case Product(factors):
            parts = [(side, inner(factor)) for side, factor in factors]
            # What is divided by 0 is 0: a division by an option that is 0 or 1 is a product with it.
            if any(side < 0 and constant_of(part) == 0 for side, part in parts):
                return Number(0)
            truths = {ROOT, *(option.name for option in system.binary_options)}
            sides = [1 if isinstance(part, Name) and part.name in truths else side for side, part in parts]
            nonzero = {option.name for option in system.numeric_options if 0 not in option.values}
            for side, (_, part) in zip(sides, parts, strict=True):
                if side < 0 and constant_of(part) is None and not (isinstance(part, Name) and part.name in nonzero):
                    raise _inexpressible(constraint, "UVL does not say what a division by 0 is")
            return Product(tuple(zip(sides, (part for _, part in parts), strict=True)))
        case Power(base, Number(exponent)) if exponent in range(1, MAX_FACTORS + 1):
            return Product(((1, inner(base)),) * int(exponent))
        case Call("floor" | "ceil" as function, arguments):
            return Call(function, tuple(map(inner, arguments)))
    lacking = f"the function {node.function}" if isinstance(node, Call) else "powers"
    raise _inexpressible(constraint, f"UVL does not have {lacking}")


def _number(value: float) -> str:
    """Return a number without an exponent, which UVL lacks."""
    text = number_text(value)
    return format(Decimal(text), "f") if "e" in text else text
