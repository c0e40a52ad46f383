"""The functions of the evaluation of suggestions for a target.

*Points*: the grid of `sparse_functions` for the first parameters. *Target*: four times the largest value
of the first parameter, twice that of the others: 256, 100, 10000, 20.

*Functions*: every parameter has one term x^i · log2(x)^j, (i, j) uniform in `EXPONENTS`. With probability 1/3 each the
function is a sum of the terms, a product of them, or a sum of the terms and their product; a constant is added. At the
geometric centre of the grid the constant and the terms have shares of the value, uniform on the simplex, so that
effects may be invisible at cheap points. Functions are left out whose value at the target changes by less than a tenth
if one parameter has its smallest value.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from casestudies.scaling_evaluation.sparse_functions import AXES
from splc.scaling.exponents import Exponents, column
from splc.types import Array

TARGET = (256.0, 100.0, 10000.0, 20.0)
EXPONENTS = tuple(
    (Fraction(power), log)
    for power, log in (
        ("0", 1), ("0", 2), ("1/3", 0), ("1/2", 0), ("1/2", 1), ("2/3", 0), ("3/4", 0), ("1", 0), ("1", 1), ("1", 2),
        ("4/3", 0), ("3/2", 0), ("3/2", 1), ("2", 0), ("2", 1), ("5/2", 0), ("3", 0),
    )
)  # fmt: skip
LEAST = 0.1


@dataclass(frozen=True, eq=False)
class TargetFunctions:
    """Synthetic functions."""

    points: Array  # all points, shape (n, parameters)
    values: Array  # shape (functions, n)
    at_target: Array  # shape (functions,)
    kinds: tuple[str, ...]  # 'sum', 'product' or 'both' of each function


def target_functions(parameters: int, number: int, rng: np.random.Generator) -> TargetFunctions:
    """Draw functions of one to four parameters."""
    axes = AXES[:parameters]
    points = np.array(list(itertools.product(*axes)))
    target = np.array(TARGET[:parameters])
    center = np.array([float(np.exp(np.mean(np.log(axis)))) for axis in axes])
    # The target with the smallest value of one parameter at a time.
    without = np.where(np.eye(parameters, dtype=bool), points.min(axis=0), target)
    x = np.vstack([center, target, without, points])
    found: list[Array] = []
    kinds: list[str] = []
    while len(found) < number:
        kind = ("sum", "product", "both")[int(rng.integers(3))]
        chosen = [EXPONENTS[int(each)] for each in rng.integers(len(EXPONENTS), size=parameters)]
        terms = [column(Exponents(power, Fraction(log)), x[:, at]) for at, (power, log) in enumerate(chosen)]
        product = [np.prod(terms, axis=0)]
        parts = np.array({"sum": terms, "product": product, "both": [*terms, *product]}[kind])
        shares = rng.dirichlet(np.ones(1 + len(parts)))
        values = shares[0] + (shares[1:, None] * parts / parts[:, :1]).sum(axis=0)
        if (1 - values[2 : 2 + parameters] / values[1] >= LEAST).all():
            found.append(values)
            kinds.append(kind)
    every = np.array(found)
    return TargetFunctions(points, every[:, 2 + parameters :], every[:, 1], tuple(kinds))
