"""Generated systems whose true models are hard to print, in ten kinds.

*Options*: the binary options b0, b1, … and mostly one or two numeric options x, y of 5 to 64 values. Up to eight binary
options have no influence, in the kind `many` 10 to 150. Alternative groups (kind `groups`) have 2 to 12 members.

*True model*: a sum of a constant, two to four binary options, at most one product of two of these, and

| kind | its terms |
|---|---|
| falling | `-x`, in half of the systems with an interaction of x and a binary option |
| saturating | `min(x, c)`, c an inner value |
| stepped | `[x >= c]`, in half of the systems with an interaction |
| three-way | products of three binary options, and of x and two of them, without their parts |
| groups | up to half of the members of one or two alternative groups, and `1 / x` |
| many | x |
| outliers | x and x^2; 3 to 6 % of the values are 2 to 5 times as large |
| uneven | x; the noise is 2 to 6 times as large where b0 is selected |
| constrained | x; a third as many constraints as binary options |
| mixed | `-x`, `min(y, c)` and a product of three binary options |

The largest contribution of a term is 0.1 to 0.6 times the constant; the constant is raised where values fall below a
fifth of it.

*Noise*: a measured value is the true one times 1 + s * z, z standard normal but within ±3, s from 0.5 to 5 %.

*Learning set*: 20 rows and 8 for each term, 40 to 110, and 70 to 110 for `many`; the test set is up to 300 others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from casestudies.accuracy.generator import NFP, TEST_ROWS, Truth
from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.text import parse_model
from splc.models.influence import InfluenceModel
from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array

SEED = 20261123
KINDS = (
    "falling", "saturating", "stepped", "three-way", "groups", "many", "outliers", "uneven", "constrained", "mixed",
)  # fmt: skip
MIN_ROWS, MAX_ROWS = 40, 110
MIN_VALUE = 0.2


def difficult(index: int) -> Truth:
    """Return the system of a number; the kinds alternate."""
    rng = np.random.default_rng([SEED, index])
    kind = KINDS[index % len(KINDS)]
    numeric = [] if kind == "many" and rng.random() < 0.5 else [_numeric(rng, "x")]
    numeric += [_numeric(rng, "y")] if kind == "mixed" or rng.random() < 0.3 else []
    needed = int(rng.integers(2, 5)) + (3 if kind in {"three-way", "mixed"} else 0)
    unneeded = _log_uniform(rng, 10, 150) if kind == "many" else int(rng.integers(2, 9))
    members, groups = _groups(rng) if kind == "groups" else ([], {})
    binary = [BinaryOption(f"b{place}") for place in range(needed + unneeded)]
    system = VariabilityModel("generated", (*members, *binary, *numeric))
    texts = _constraints(rng, len(binary)) if kind == "constrained" else []
    constraints = tuple(parse_boolean(text, system.name_table) for text in texts)
    system = VariabilityModel("generated", system.options, constraints)
    terms = [*_usual(rng, needed), *_special(rng, kind, numeric, needed, groups)]
    rows = int(np.clip(20 + 8 * len(terms), MIN_ROWS, MAX_ROWS))
    if kind == "many":
        rows = int(rng.integers(70, MAX_ROWS + 1))
    space = Space(system)
    rows = int(min(rows, space.count // 2))
    configurations = space.draw(min(space.count, rows + TEST_ROWS), rng)
    model = _weighted(rng, terms, configurations)
    noise = float(math.exp(rng.uniform(math.log(0.005), math.log(0.05))))
    errors = noise * np.clip(rng.standard_normal(len(configurations)), -3, 3)
    if kind == "uneven":
        errors *= np.where(configurations.column("b0") == 1, rng.uniform(2, 6), 1)
    values = model.predict(configurations) * (1 + errors)
    if kind == "outliers":
        values *= np.where(rng.random(len(values)) < rng.uniform(0.03, 0.06), rng.uniform(2, 5), 1)
    return Truth("additive", kind, model, noise, Measurements(configurations, {NFP: values}), rows, groups)


def _log_uniform(rng: np.random.Generator, low: int, high: int) -> int:
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def _numeric(rng: np.random.Generator, name: str) -> NumericOption:
    """Return a numeric option of 5 to 64 values: equal steps, or up to 12 powers of 2."""
    if rng.random() < 0.25:
        return NumericOption(name, tuple(2.0**place for place in range(int(rng.integers(5, 9)))))
    step = float(rng.choice([1, 2, 5, 10]))
    return NumericOption(name, tuple(step * (place + 1) for place in range(_log_uniform(rng, 5, 64))))


def _groups(rng: np.random.Generator) -> tuple[list[BinaryOption], dict[str, str]]:
    """Return the members of one or two alternative groups, and member → group."""
    options: list[BinaryOption] = []
    groups: dict[str, str] = {}
    for name in ("g", "h")[: int(rng.integers(1, 3))]:
        members = [f"{name}_{'abcdefghijkl'[each]}" for each in range(_log_uniform(rng, 2, 12))]
        options.append(BinaryOption(name, optional=False))
        for member in members:
            others = tuple((other,) for other in members if other != member)
            options.append(BinaryOption(member, name, optional=False, excluded=others))
            groups[member] = name
    return options, groups


def _constraints(rng: np.random.Generator, binary: int) -> list[str]:
    """Return implications and exclusions of binary options, each of other options."""
    order = rng.permutation(binary)
    pairs = order[: 2 * (binary // 3)].reshape(-1, 2) if binary >= 3 else ()
    return [f"b{first} | !b{second}" if rng.random() < 0.5 else f"!b{first} | !b{second}" for first, second in pairs]


def _usual(rng: np.random.Generator, needed: int) -> list[str]:
    """Return two to four binary options, and in half of the systems a product of two of them."""
    names = [f"b{place}" for place in range(min(needed, 4))]
    product = [" * ".join(rng.choice(names, size=2, replace=False))] if rng.random() < 0.5 else []
    return [*names[: max(2, len(names))], *product]


def _special(
    rng: np.random.Generator, kind: str, numeric: Sequence[Option], needed: int, groups: dict[str, str]
) -> list[str]:
    """Return the terms of a kind; those that begin with a minus fall."""
    x = numeric[0].name if numeric else ""
    with_option = [f"b{int(rng.integers(needed))} * "] if rng.random() < 0.5 else []
    triple = " * ".join(f"b{needed - place}" for place in (1, 2, 3))
    if kind == "falling":
        return [f"-{x}", *(f"{each}{x}" for each in with_option)]
    if kind == "saturating":
        return [_saturation(rng, numeric[0])]
    if kind == "stepped":
        step = _step(rng, numeric[0])
        return [step, *(f"{each}{step}" for each in with_option)]
    if kind == "three-way":
        return [triple, f"{x} * b{needed - 1} * b{needed - 3}"]
    if kind == "groups":
        return [*_members(rng, groups), f"1 / {x}"]
    if kind == "outliers":
        return [x, f"{x}^2"]
    if kind == "mixed":
        return [f"-{x}", _saturation(rng, numeric[1]), triple]
    return [x] if x else []


def _inner(rng: np.random.Generator, option: Option) -> float:
    """Return a value of an option that is neither among the smallest nor among the largest."""
    values = option.values if isinstance(option, NumericOption) else ()
    return float(values[int(rng.integers(max(1, len(values) // 4), max(2, 3 * len(values) // 4)))])


def _saturation(rng: np.random.Generator, option: Option) -> str:
    return f"min({option.name}, {_inner(rng, option):g})"


def _step(rng: np.random.Generator, option: Option) -> str:
    """Return what is 1 from an inner value on, and 0 below it."""
    return f"[{option.name} >= {_inner(rng, option):g}]"


def _members(rng: np.random.Generator, groups: dict[str, str]) -> list[str]:
    """Return one to four members of each group, at most half of them, never the first one."""
    terms = []
    for name in dict.fromkeys(groups.values()):
        members = [member for member, group in groups.items() if group == name][1:]
        chosen = rng.permutation(members)[: max(1, len(members) // 2)].tolist()
        terms += chosen[:4]
    return terms


def _weighted(rng: np.random.Generator, terms: Sequence[str], configurations: Configurations) -> InfluenceModel:
    """Return the terms with influences as a model whose values are positive."""
    system = configurations.system
    base = 10 ** rng.uniform(-1, 3)
    found: list[tuple[str, float]] = []
    total: Array = np.ones(len(configurations))
    for text in terms:
        falls, name = text.startswith("-"), text.removeprefix("-")
        column = parse_model(name, system).predict(configurations)
        size = math.exp(rng.uniform(math.log(0.1), math.log(0.6))) / max(float(abs(column).max()), 1e-12)
        sign = -1.0 if falls or rng.random() < 0.2 else 1.0
        found.append((name, base * sign * size))
        total = total + sign * size * column
    constant = base * (1 + max(0.0, MIN_VALUE - float(total.min())))
    texts = [f"{constant:.17g}", *(f"({influence:.17g}) * {name}" for name, influence in found)]
    return parse_model(" + ".join(texts), system)
