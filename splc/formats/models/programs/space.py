"""The valid configurations of a system as plain data, which programs of its models check."""

from __future__ import annotations

import math
from typing import Any

from splc.arithmetic.functions import FUNCTION
from splc.arithmetic.tree import Call, Extremum, Name, Node, Number, Power, Product, Sum, Threshold
from splc.data.configurations import value_table
from splc.system.clauses import clauses
from splc.system.constraints import ArithmeticConstraint
from splc.system.variability import VariabilityModel


def space_object(system: VariabilityModel) -> dict[str, Any]:
    """Return the options and the constraints of a system in JSON's types.

    A clause holds if the value of one of its options is marked in its text of 0 and 1; a comparison has both sides as
    trees of lists: the kind of a node, and its parts.
    """
    options = [
        {"name": option.name, "values": [None if math.isnan(v) else v for v in value_table(option).tolist()]}
        for option in system.options
    ]
    disjunctions = [
        {
            "literals": [[at, "".join("01"[flag] for flag in allowed)] for at, allowed in clause.literals],
            "text": clause.reason,
        }
        for clause in clauses(system)
    ]
    comparisons = [_comparison(constraint, system) for constraint in system.arithmetic_constraints]
    return {"options": options, "clauses": disjunctions, "comparisons": comparisons}


def _comparison(constraint: ArithmeticConstraint, system: VariabilityModel) -> dict[str, Any]:
    switches = {name: system.switches[name] for name in constraint.names if name in system.switches}
    numeric = {option.name for option in system.numeric_options}
    return {
        "left": _tree(constraint.left),
        "right": _tree(constraint.right),
        "comparison": constraint.comparison,
        "negated": constraint.negated,
        "requires": constraint.requires,
        "names": list(constraint.names),
        "selected": [name for name in constraint.names if name not in numeric],
        "switches": {name: [system.names[at], bool(enabled)] for name, (at, enabled) in switches.items()},
        "text": constraint.text.strip(),
    }


def _tree(node: Node) -> list[Any]:
    """Return a syntax tree as lists."""
    match node:
        case Number(value):
            return ["number", value]
        case Name(name):
            return ["name", name]
        case Sum(addends):
            return ["sum", *([sign, _tree(child)] for sign, child in addends)]
        case Product(factors):
            return ["product", *([side, _tree(child)] for side, child in factors)]
        case Power(base, exponent):
            return ["power", _tree(base), _tree(exponent)]
        case Call(function, argument):
            if FUNCTION[function].base is not None:
                return ["logarithm", function, _tree(argument)]
            return [function, _tree(argument)]
        case Extremum(function, arguments):
            return [function, *map(_tree, arguments)]
        case Threshold(comparison, left, right):
            return ["threshold", comparison, _tree(left), _tree(right)]
