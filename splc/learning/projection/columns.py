"""The columns of the printed model: units of variables, and their products (docs/decisions/0010-printed-model.md).

In: variables, configurations, and the language of the model. Out: the functions of one variable that terms multiply
(`units_of`), products of units of distinct variables as columns of unit norm (`Candidates`), and those that the
learning set does not distinguish (`aliases_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain, combinations, groupby, islice, starmap
from itertools import product as cartesian
from math import log10, sqrt
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.learning.projection.basis import Variable, stem_of
from splc.models.basis.atom import Atom, call, log_above, power, saturation, threshold
from splc.models.influence import BLOCK
from splc.models.subexpressions import Operation
from splc.models.terms import log_term, option_term, quoted
from splc.system.variability import ENABLED
from splc.types import Array

# The languages of printed models: sums in which numeric options are costs, sums with thresholds, saturations and free
# signs, and products of factors (docs/decisions/0010-printed-model.md).
Language = Literal["sum", "shapes", "product"]

# Larger or smaller values would leave the range of floating-point numbers in products.
LARGEST, SMALLEST = 1e90, 1e-90
# Thresholds per option: more of them cost time and bring terms that the data cannot distinguish.
MAX_THRESHOLDS, MIN_VALUES = 7, 3
MAX_FACTORS = 2  # units of "shapes" count as at most so many factors
MAX_ENUMERATED = 6_000  # all products of 1, 2, 3, … units are candidates up to this number (docs/decisions/0010)
MAX_CANDIDATES = 18_000  # heirs of selected terms are added up to this number of candidates, for memory and time
MANY_UNITS = 60  # with so many units only simple ones extend selected terms
PENALTY = 0.9  # every further factor of a term must be worth a tenth of its score
CONSTANT_SHARE = 1e-4  # a column is constant if so little of its squared norm is left around the constant
# A column can be told from selected ones if more than this is left of its squared norm, of that around the constant
# and in all.
LEFT_AROUND, LEFT_IN_ALL = 1e-3, 1e-5
_BLOCK = 2**16  # elements of columns that are computed at a time, so that they stay in the processor's cache
# A term whose influence would be beyond these powers of 10 cannot be printed.
LARGEST_EXPONENT, LARGEST_INFLUENCE = 290, 306
CONSTANT_PLACE = 0  # the position of the constant
_CONSTANT = 1e-14  # rows with so little of their squared norm around the mean are constant
MOST = 3  # aliases that are reported for a term


@dataclass(frozen=True)
class Unit:
    """A function of one variable: x, x^2, log10(x), 1/x, min(x, c), [x >= c], a member or the number of a group."""

    variable: str  # the name of the variable
    atom: Atom  # the function
    name: str = ""  # its text if not that of its term: of a group's number the members' stem, and of log10(x + 1)
    factors: int = 1  # the number of factors that it counts as
    free: bool = False  # whether influences of products with it may be negative
    numeric: bool = True  # whether it is a function of a numeric option
    simple: bool = False  # whether it extends selected terms where there are many units

    @property
    def text(self) -> str:
        """The unit as text, such as `nx^2`."""
        return self.name or self.atom.term.text()


def units_of(
    variables: Sequence[Variable], configurations: Configurations, language: Language, functions: Sequence[str] = ()
) -> tuple[tuple[Unit, ...], Array]:
    """Return the units of variables that have finite values everywhere, in their order, and these, shape (units, n)."""
    term_names = frozenset(configurations.system.term_names.values())
    units: list[Unit] = []
    values: list[Array] = []
    for variable in variables:
        for unit in _units(variable, term_names, language, functions):
            try:
                column = unit.atom.values(configurations)
            except SplcError:
                continue
            if SMALLEST < np.abs(column).max(initial=0.0) < LARGEST:
                units.append(unit)
                values.append(column)
    return tuple(units), np.array(values).reshape(len(units), len(configurations))


def _units(
    variable: Variable, term_names: frozenset[str], language: Language, functions: Sequence[str]
) -> Iterator[Unit]:
    if variable.kind == "binary":
        yield _member(variable, variable.name)
    elif variable.kind == "group":
        yield from (unit for unit in _group_units(variable) if language != "shapes" or unit.factors <= MAX_FACTORS)
    else:
        for atom, factors in _powers(variable, language):
            simple = atom.term in (option_term(variable.name), log_term(variable.name))
            yield Unit(variable.name, atom, factors=factors, simple=simple)
        if variable.values[0] == 0:
            yield Unit(variable.name, log_above(variable.name), f"log10({quoted(variable.name)} + 1)", simple=True)
        yield from (Unit(variable.name, call(function, variable.name)) for function in functions)
        if language != "sum" and len(variable.values) >= MIN_VALUES:
            yield from _thresholds(variable)
        if variable.optional and ENABLED + variable.name in term_names:
            # A free sign, like a binary option.
            yield Unit(variable.name, power(ENABLED + variable.name, 1), free=True, simple=True)


def _member(variable: Variable, name: str) -> Unit:
    return Unit(variable.name, power(name, 1), free=True, numeric=False, simple=True)


def _powers(variable: Variable, language: Language) -> Iterator[tuple[Atom, int]]:
    """Yield powers and logarithms of a numeric option, and the number of factors that each counts as."""
    name, low, count = variable.name, variable.values[0], len(variable.values)
    most = 3 if language == "sum" and low >= 0 else 2
    if low <= 0:
        yield from ((power(name, exponent), exponent) for exponent in range(1, min(most, count - 1) + 1))
        return
    for exponent, log in ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1), (3, 0), (2, 1), (-1, 0)):
        factors, plain = max(exponent + log, 1), exponent >= 0 and 0 in (exponent, log)
        if factors <= (most if count > 2 else 1) and (plain or language != "product"):
            yield power(name, exponent, log), factors


def _thresholds(variable: Variable) -> Iterator[Unit]:
    """Yield min(x, c) and [x >= c]: what falling, saturating and stepped options need."""
    name, last = variable.name, len(variable.values) - 1
    for value_index in np.rint(np.linspace(1, last, min(last, MAX_THRESHOLDS))).astype(int).tolist():
        if value_index < last:
            # At the largest value it is the option itself.
            yield Unit(name, saturation(name, variable.values[value_index]))
        yield Unit(name, threshold(name, variable.values[value_index]))


def _group_units(variable: Variable) -> Iterator[Unit]:
    yield from (_member(variable, name) for name in variable.members)
    if not variable.values:
        return
    # Of the members at most one is selected, so that the largest product is its number: one term, not one per member.
    pairs = zip(variable.members, variable.values, strict=True)
    number = Operation.of("max", *(((option_term(name), value),) for name, value in pairs if value != 0))
    stem = quoted(stem_of(variable.members))
    positive = min(variable.values) > 0 and not variable.optional
    logarithm = Atom(log_term(number.name), (number,)) if positive else log_above(number.name, number)
    for atom, text, factors in (
        (Atom(option_term(number.name), (number,)), stem, 1),
        (Atom(option_term(number.name, 2), (number,)), f"{stem}^2", 2),
        (logarithm, f"log10({stem})" if positive else f"log10({stem} + 1)", 1),
    ):
        yield Unit(variable.name, atom, text, factors, free=True, numeric=False, simple=factors == 1)


Product = tuple[int, ...]


class Candidates:
    """The products of units that terms can be; the first one, the empty product, is the constant.

    Products are ascending positions of units. First are all products of few units, then heirs as they were added.
    `unit`: that of the target, which influences must be expressible in. `signed`: whether influences of the constant,
    and of products without a free unit, must not be negative. `names`: the order of options in texts.
    """

    def __init__(
        self,
        units: Sequence[Unit],
        values: Array,
        weights: Array,
        *,
        order: int,
        unit: float = 1.0,
        signed: bool = True,
        most_numeric: int | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.units = tuple(units)
        self._name_order = {name: name_index for name_index, name in enumerate(names)}
        self.weights = weights
        self.order = order
        self.signed = signed
        self._most_numeric = most_numeric
        self._scales = np.abs(values).max(axis=1, initial=0.0)
        self._values = values / self._scales[:, None]
        self._unit = log10(unit)
        variables = sorted({item.variable for item in units})
        self._variable = np.array([variables.index(item.variable) for item in units], dtype=int)
        self._counts = np.array([item.factors for item in units], dtype=int)
        self._numeric = np.array([item.numeric for item in units], dtype=int)
        self._free = np.array([item.free for item in units], dtype=bool)
        is_large = len(self.units) >= MANY_UNITS
        self._heirs = [unit_index for unit_index, item in enumerate(units) if item.simple or not is_large]
        self.products: list[Product] = [()]
        # Pages of memory that are not used yet are not allocated.
        self._columns = np.empty((MAX_CANDIDATES, len(weights)))
        self._columns[0] = weights / np.linalg.norm(weights)
        self.norms = np.array([np.linalg.norm(weights)])
        self.limits = np.full(1, LEFT_IN_ALL)
        self.factors = np.zeros(1, dtype=int)
        self.penalties = np.ones(1)
        self.free = np.array([not signed])
        self._seen: set[Product] = {()}
        # All products of 1, 2, 3, … units.
        groups: dict[int, list[int]] = {}
        for position, variable in enumerate(self._variable.tolist()):
            groups.setdefault(variable, []).append(position)
        total = 0
        for length in range(1, order + 1):
            products = chain.from_iterable(starmap(cartesian, combinations(groups.values(), length)))
            found = list(products if length == 1 else islice(products, max(MAX_ENUMERATED + 1 - total, 0)))
            total += len(found)
            if length > 1 and total > MAX_ENUMERATED:
                break
            self._add(found)

    def __len__(self) -> int:
        return len(self.products)

    @property
    def columns(self) -> Array:
        """The columns, shape (candidates, m)."""
        return np.asarray(self._columns[: len(self)])

    def name(self, position: int) -> tuple[int, int, Product]:
        """Return the key of a candidate in the canonical order of terms: simpler ones first."""
        return int(self.factors[position]), len(self.products[position]), self.products[position]

    def variables(self, position: int) -> frozenset[str]:
        """Return the variables of a candidate."""
        return frozenset(self.units[unit].variable for unit in self.products[position])

    def scales(self, chosen: Sequence[int]) -> Array:
        """Return what coefficients of columns are divided by to be influences in the unit of the target, (terms,)."""
        return np.array([self.norms[j] * float(np.prod(self._scales[list(self.products[j])])) for j in chosen])

    def text(self, position: int) -> str:
        """Return a candidate as text, such as `log10(px) * ref`."""
        last = len(self._name_order)

        def first_option(unit: Unit) -> int:
            return min((self._name_order.get(name, last) for name in unit.atom.term.options), default=last)

        units = sorted((self.units[unit_index] for unit_index in self.products[position]), key=first_option)
        return " * ".join(unit.text for unit in units) or "1"

    def only(self, places: Array) -> Candidates:
        """Return the candidates at some positions, ascending and with the constant's, which get no heirs."""
        subset = copy(self)
        subset.order, subset.products = 0, [self.products[position] for position in places.tolist()]
        subset._columns = self.columns[places]
        for name in ("norms", "limits", "factors", "penalties", "free"):
            setattr(subset, name, getattr(self, name)[places])
        return subset

    def add_heirs(self, positions: Iterable[int]) -> None:
        """Add the heirs of candidates: products with one more unit of another variable."""
        products: set[Product] = set()
        for product in (self.products[position] for position in positions):
            if product and len(product) < self.order:
                used = {self._variable[unit] for unit in product}
                others = (unit for unit in self._heirs if self._variable[unit] not in used)
                products.update(tuple(sorted((*product, unit))) for unit in others)
        free_slots = max(MAX_CANDIDATES - len(self), 0)
        self._add(sorted(products - self._seen, key=lambda heir: (len(heir), heir))[:free_slots])

    def _add(self, products: Iterable[Product]) -> None:
        """Add products, those of fewer units first, whose columns are not constant."""
        for _, of_length in groupby(products, key=len):
            same_length = [*of_length]
            self._seen.update(same_length)
            index = np.array(same_length, dtype=int)
            if self._most_numeric is not None:
                index = index[self._numeric[index].sum(axis=1) <= self._most_numeric]
            rows = max(_BLOCK // len(self.weights), 1)
            for start in range(0, len(index), rows):
                block = index[start : start + rows]
                columns = self.weights * self._values[block[:, 0]]
                for units in block[:, 1:].T:
                    columns *= self._values[units]
                self._append(block, columns)

    def _append(self, index: Array, columns: Array) -> None:
        """Append products, shape (q, order), with their columns, unless these are constant or cannot be printed."""
        norms = np.sqrt(np.einsum("ij,ij->i", columns, columns))
        exponents = np.log10(self._scales[index]).sum(axis=1)
        # Exponents of influences are about those of the unit over those of the columns.
        fine = (norms > 0) & (np.abs(self._unit - exponents) < LARGEST_INFLUENCE) & (exponents < LARGEST_EXPONENT)
        columns /= np.where(fine, norms, 1.0)[:, None]
        centred_norms = 1 - (columns @ self._columns[0]) ** 2
        fine &= centred_norms > CONSTANT_SHARE
        if not fine.all():
            index, columns, norms, centred_norms = index[fine], columns[fine], norms[fine], centred_norms[fine]
        start, end = len(self), len(self) + len(index)
        if end > len(self._columns):
            # Double the capacity, so that columns are copied rarely.
            grown_columns = np.empty((max(end, 2 * len(self._columns)), columns.shape[1]))
            grown_columns[:start] = self.columns
            self._columns = grown_columns
        self._columns[start:end] = columns
        factors = self._counts[index].sum(axis=1)
        self.products += [tuple(product) for product in index.tolist()]
        self.norms = np.append(self.norms, norms)
        self.limits = np.append(self.limits, np.maximum(LEFT_AROUND * centred_norms, LEFT_IN_ALL))
        self.factors = np.append(self.factors, factors)
        self.penalties = np.append(self.penalties, PENALTY ** (factors - 1))
        is_free = self._free[index].any(axis=1) if self.signed else np.ones(len(index), dtype=bool)
        self.free = np.append(self.free, is_free)


def aliases_of(candidates: Candidates, chosen: Sequence[int], learned: int) -> tuple[tuple[str, str], ...]:
    """Return pairs of texts: a term, and another one that is a linear function of it, but on the learning set only.

    At most `MOST` are returned for each term, of the fewest factors. A pair of printed terms is named once.
    """
    terms = sorted((candidate for candidate in chosen if candidate != CONSTANT_PLACE), key=candidates.name)
    if not terms or learned == 0:
        return ()
    # Only candidates with at most as many factors as the printed terms are aliases.
    simple = np.flatnonzero(candidates.factors <= candidates.factors[terms].max())
    blocks = (simple[start : start + BLOCK] for start in range(0, len(simple), BLOCK))
    alike = np.vstack([_correlations(candidates, block, terms, slice(learned)) for block in blocks]) >= 1 - LEFT_AROUND
    pairs: list[tuple[str, str]] = []
    for at, term in enumerate(terms):
        found = simple[alike[:, at] & (candidates.factors[simple] <= candidates.factors[term])]
        others = found[~np.isin(found, [CONSTANT_PLACE, *terms[at:]])]
        others = others[_correlations(candidates, others, [term])[:, 0] < 1 - LEFT_AROUND]
        ranked = sorted(others.tolist(), key=lambda other: (candidates.factors[other], candidates.name(other)))
        pairs += [(candidates.text(term), candidates.text(other)) for other in ranked[:MOST]]
    return tuple(pairs)


def _correlations(candidates: Candidates, first: Array, second: Sequence[int], rows: slice = slice(None)) -> Array:
    """Return the squared correlations of two sets of candidates at some rows, shape (first, second); 0 of constants."""
    standardised = []
    for columns in (candidates.columns[list(at), rows] / candidates.weights[rows] for at in (first, second)):
        centred = columns - columns.mean(axis=1, keepdims=True)
        norms = np.linalg.norm(centred, axis=1, keepdims=True)
        varies = norms > sqrt(_CONSTANT) * np.linalg.norm(columns, axis=1, keepdims=True)
        standardised.append(np.divide(centred, norms, out=np.zeros_like(centred), where=varies))
    return np.asarray((standardised[0] @ standardised[1].T) ** 2)
