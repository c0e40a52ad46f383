"""Generated systems whose true models are known.

*Options*: a system is binary, numeric (3 to 6 options) or mixed (60 % binary options, 25 % numeric options, 15 %
alternative groups of 3 to 5 members); up to 40 options, log-uniform, a group counting as one. Up to a quarter as many
constraints as options: `a | !b` or `!a | !b`. Systems with fewer than 60 valid configurations are drawn again.

*Learning set*: 2, 3 or 5 rows per option, 20 to 120, at most half of the space; the test set is up to 300 others.
Both are drawn uniformly.

*True model*: 2 to 15 terms, at most a third as many as rows, of one (60 %), two or three (10 %) options: an option, a
member of a group, or x, x^2, log10(x), x*log10(x) of a numeric option. Of two terms neither is nearly a linear function
of the other ones. Additive systems are sums in y: the largest contribution of a term is 0.1 to 1 times (log-uniform)
the constant; terms with a binary option are negative with probability 0.3, as far as all values stay above a fifth of
the constant. Multiplicative systems are sums in ln y with contributions up to ±0.1 to ±1.

*Noise*: a measured value is the true one times 1 + s*z, z standard normal but within ±3, s = 0, 1, 2, 5 or 10 %.

*Pure noise*: systems of the same kind whose values are 100*(1 + 0.1*z) for every configuration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.models.influence import InfluenceModel
from splc.models.terms import Term, log_term, option_term
from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array, Link

SEED = 20261122
NFP = "seconds"
STYLES = ("binary", "numeric", "mixed")
NOISE = (0.0, 0.01, 0.02, 0.05, 0.1)
MIN_SPACE, MIN_ROWS, MAX_ROWS, TEST_ROWS = 60, 20, 120, 300
MIN_TERMS, MAX_TERMS = 2, 15
# The share of a term's variance that no sum of the other terms has.
DISTINCT = 0.05
# The terms that are tried; a system may have fewer terms than wanted.
ATTEMPTS = 400
VALUES: tuple[tuple[float, ...], ...] = (
    (1, 2, 4, 8, 16, 32),
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    (10, 20, 30, 40, 50, 60, 70, 80),
    (0, 1, 2, 3, 4, 5),
    (50, 100, 200, 400),
    (16, 64),
)
# A term up to its coefficient, with alternative groups in place of their members.
Key = frozenset[tuple[str, object, object]]


@dataclass(frozen=True, eq=False)
class Truth:
    """A system with its true model."""

    # whether the true model is a sum in y or in ln y; 'noise' for values without any influence
    kind: Literal["additive", "multiplicative", "noise"]
    style: str  # the kinds of its options
    model: InfluenceModel  # the true model
    noise: float  # the relative standard deviation of a measurement
    measurements: Measurements  # the measured configurations; the first ones are the learning set
    rows: int  # the size of the learning set
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def true_values(self) -> Array:
        """The values of the true model at all measured configurations."""
        return self.model.predict(self.measurements.configurations)

    def key(self, term: Term) -> Key:
        """Return a term with groups in place of their members."""
        return key_of(term, self.groups)

    def keys(self, model: InfluenceModel) -> frozenset[Key]:
        """Return the distinct terms of a model without the constant."""
        return frozenset(self.key(term) for term, _ in model.terms) - {frozenset()}

    def sets(self, model: InfluenceModel) -> frozenset[frozenset[str]]:
        """Return the distinct sets of options of the terms of a model."""
        found = (model.options_of(term) for term, _ in model.terms)
        return frozenset(frozenset(self.groups.get(name, name) for name in each) for each in found) - {frozenset()}


def key_of(term: Term, groups: Mapping[str, str]) -> Key:
    """Return a term with groups in place of their members."""
    return frozenset((groups.get(each.option, each.option), each.power, each.log) for each in term.factors)


def truth(index: int) -> Truth:
    """Return the system of a number; additive and multiplicative ones alternate."""
    rng = np.random.default_rng([SEED, index])
    style = STYLES[index // 2 % len(STYLES)]
    kind: Literal["additive", "multiplicative"] = "multiplicative" if index % 2 else "additive"
    noise = NOISE[index // (2 * len(STYLES)) % len(NOISE)]
    groups, rows, configurations = _drawn(rng, style)
    terms = _terms(rng, configurations, groups, rows, kind)
    model = _weighted(rng, terms, configurations, kind)
    z = np.clip(rng.standard_normal(len(configurations)), -3, 3)
    measured = Measurements(configurations, {NFP: model.predict(configurations) * (1 + noise * z)})
    return Truth(kind, style, model, noise, measured, rows, groups)


def pure_noise(index: int) -> Truth:
    """Return a system without influences."""
    rng = np.random.default_rng([SEED, 1, index])
    style = STYLES[index % len(STYLES)]
    groups, rows, configurations = _drawn(rng, style)
    model = InfluenceModel.of_system([(Term(), 100.0)], configurations.system)
    values = 100 * (1 + 0.1 * rng.standard_normal(len(configurations)))
    return Truth("noise", style, model, 0.1, Measurements(configurations, {NFP: values}), rows, groups)


def _drawn(rng: np.random.Generator, style: str) -> tuple[dict[str, str], int, Configurations]:
    """Return member → group, the number of rows to learn from, and configurations of a new system."""
    while True:
        system, groups = _system(rng, style)
        space = Space(system)
        if space.count >= MIN_SPACE:
            break
    options = len(system.options) - len(groups) + len(set(groups.values())) - len(system.mandatory)
    wanted = np.clip(options * int(rng.choice([2, 3, 5])), MIN_ROWS, MAX_ROWS)
    rows = int(min(wanted, space.count // 2))
    return groups, rows, space.draw(min(space.count, rows + TEST_ROWS), rng)


def _system(rng: np.random.Generator, style: str) -> tuple[VariabilityModel, dict[str, str]]:
    """Return a system and member → group."""
    number = int(rng.integers(3, 7)) if style == "numeric" else round(math.exp(rng.uniform(math.log(3), math.log(40))))
    chosen = rng.choice(STYLES_OF[style][0], size=number, p=STYLES_OF[style][1])
    binary: list[BinaryOption] = []
    numeric: list[Option] = []
    groups: dict[str, str] = {}
    for place, kind in enumerate(chosen):
        if kind == "numeric":
            numeric.append(NumericOption(f"n{place}", VALUES[int(rng.integers(len(VALUES)))]))
        elif kind == "binary":
            binary.append(BinaryOption(f"b{place}"))
        else:
            members = [f"g{place}_{'abcde'[each]}" for each in range(int(rng.integers(3, 6)))]
            binary.append(BinaryOption(f"g{place}", optional=False))
            for name in members:
                others = tuple((other,) for other in members if other != name)
                binary.append(BinaryOption(name, f"g{place}", optional=False, excluded=others))
                groups[name] = f"g{place}"
    system = VariabilityModel("generated", (*binary, *numeric))
    free = [option.name for option in binary if option.optional]
    texts = []
    for _ in range(int(rng.integers(0, number // 4 + 1)) if len(free) > 2 else 0):
        first, second = rng.choice(free, size=2, replace=False)
        texts.append(f"{first} | !{second}" if rng.random() < 0.5 else f"!{first} | !{second}")
    constraints = tuple(parse_boolean(text, system.name_table) for text in texts)
    return VariabilityModel("generated", system.options, constraints), groups


STYLES_OF: Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "binary": (("binary",), (1.0,)),
    "numeric": (("numeric",), (1.0,)),
    "mixed": (("binary", "numeric", "group"), (0.6, 0.25, 0.15)),
}


def _terms(
    rng: np.random.Generator, configurations: Configurations, groups: Mapping[str, str], rows: int, kind: str
) -> list[Term]:
    """Return distinct terms none of which is nearly a linear function of the others on the learning set."""
    system = configurations.system
    variables: dict[str, list[Option]] = {}
    for option in system.options:
        if option.name not in system.mandatory:
            variables.setdefault(groups.get(option.name, option.name), []).append(option)
    wanted = int(rng.integers(MIN_TERMS, min(MAX_TERMS, rows // 3) + 1))
    found: list[Term] = []
    columns: list[Array] = []
    used: set[Key] = set()
    for _ in range(ATTEMPTS):
        if len(found) == wanted:
            break
        order = min(int(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1])), len(variables))
        term = Term()
        for name in rng.choice(sorted(variables), size=order, replace=False):
            members = variables[name]
            term *= _unit(rng, members[int(rng.integers(len(members)))], kind)
        key = key_of(term, groups)
        column = term.evaluate(configurations[:rows].column)
        if key not in used and column.std() > 0 and _distinct([*columns, column]):
            found.append(term)
            columns.append(column)
            used.add(key)
    return found


def _distinct(columns: Sequence[Array]) -> bool:
    """Return whether a regression of each column on the others leaves a share of its variance."""
    correlations = np.corrcoef(columns).reshape(len(columns), -1)
    inverse = np.linalg.inv(correlations + 1e-9 * np.eye(len(columns)))
    return bool((1 / np.diag(inverse) > DISTINCT).all())


def _unit(rng: np.random.Generator, option: Option, kind: str) -> Term:
    """Return an option as a factor of a term."""
    if isinstance(option, BinaryOption):
        return option_term(option.name)
    x, log = option_term(option.name), log_term(option.name)
    if option.values[0] <= 0:
        units = [x, x**2] if kind == "additive" else [x]
    else:
        units = [x, x**2, log, x * log] if kind == "additive" else [x, log]
    return units[int(rng.integers(len(units)))]


def _weighted(rng: np.random.Generator, terms: list[Term], configurations: Configurations, kind: str) -> InfluenceModel:
    """Return terms with influences as a model."""
    system = configurations.system
    base = 10 ** rng.uniform(-2, 3)
    columns = np.column_stack([term.evaluate(configurations.column) for term in terms])
    sizes = np.exp(rng.uniform(math.log(0.1), 0, len(terms))) / abs(columns).max(axis=0)
    link: Link = "log" if kind == "multiplicative" else "identity"
    if link == "log":
        sizes *= np.where(rng.random(len(terms)) < 0.5, 1, -1)
        influences, constant = sizes, math.log(base)
    else:
        binary = {option.name for option in system.binary_options}
        free = np.array([bool(term.options & binary) for term in terms])
        signs = np.where(free & (rng.random(len(terms)) < 0.3), -1.0, 1.0)
        while (1 + columns @ (sizes * signs)).min() < 0.2:
            signs[int(np.argmin(np.where(signs < 0, columns.max(axis=0) * sizes * signs, 0)))] = 1.0
        influences, constant = base * sizes * signs, base
    pairs = [(Term(), constant), *zip(terms, map(float, influences), strict=True)]
    return InfluenceModel.of_system(pairs, system, link)
