"""Candidates: products of units of distinct variables, as columns of unit norm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain, combinations, starmap
from itertools import product as cartesian
from math import log10

import numpy as np

from splc.learning.projection.units import Unit
from splc.types import Array

# All products of 1, 2, 3, … units are candidates up to this number (docs/decisions/0010-printed-model.md).
MAX_ENUMERATED = 6_000
# Heirs of selected terms are added while there are at most this number of candidates, for memory and time.
MAX_CANDIDATES = 18_000
# With so many units only simple ones extend selected terms.
MANY_UNITS = 60
# Every further factor of a term must be worth a tenth of its score.
PENALTY = 0.9
# A column is constant if so little of its squared norm is left around the constant.
CONSTANT_SHARE = 1e-4
# A column can be told from selected ones if more than this is left of its squared norm, of that around the constant
# and in all.
LEFT_AROUND, LEFT_IN_ALL = 1e-3, 1e-5
# Elements of columns that are computed at a time, so that they stay in the processor's cache.
_BLOCK = 2**16
# A term whose influence would be beyond these powers of 10 cannot be printed.
LARGEST_EXPONENT, LARGEST_INFLUENCE = 290, 306
# The position of the constant.
CONSTANT_PLACE = 0

Product = tuple[int, ...]


class Candidates:
    """The products of units that terms can be; the first one, the empty product, is the constant.

    Products are tuples of positions of units, ascending. Candidates are in canonical order: all products of few units,
    then heirs in the order in which they were added.

    Args:
        units: the units, in canonical order.
        values: their values, shape (units, m).
        weights: what columns are multiplied by, shape (m,).
        order: the largest number of units in a product.
        unit: the unit of the target, which influences must be expressible in.
        signed: whether influences of the constant, and of products without a free unit, must not be negative.
        most_numeric: the largest number of units of numeric options in a product.
        names: the order of options in texts; by default units have their own order.
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
        self._size = 1
        self._enumerate()

    def __len__(self) -> int:
        return self._size

    @property
    def columns(self) -> Array:
        """The columns, shape (candidates, m)."""
        return np.asarray(self._columns[: self._size])

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
            option_indices = (self._name_order.get(name, last) for name in unit.atom.term.options)
            return min(option_indices, default=last)

        units = sorted((self.units[unit_index] for unit_index in self.products[position]), key=first_option)
        return " * ".join(unit.text for unit in units) or "1"

    def only(self, places: Array) -> Candidates:
        """Return some of the candidates, which get no heirs.

        `places`: their positions, ascending; the constant must be among them.
        """
        subset = copy(self)
        subset.order = 0
        subset.products = [self.products[position] for position in places.tolist()]
        subset._columns, subset._size = self.columns[places], len(places)
        subset.norms, subset.limits, subset.factors = self.norms[places], self.limits[places], self.factors[places]
        subset.penalties, subset.free = self.penalties[places], self.free[places]
        return subset

    def add_heirs(self, positions: Iterable[int]) -> None:
        """Add the heirs of candidates: products with one more unit of another variable."""
        free_slots = MAX_CANDIDATES - len(self)
        if free_slots <= 0:
            return
        products: set[Product] = set()
        for position in positions:
            product = self.products[position]
            if product and len(product) < self.order:
                used_variables = {self._variable[unit] for unit in product}
                additional_units = (unit for unit in self._heirs if self._variable[unit] not in used_variables)
                products.update(tuple(sorted((*product, unit))) for unit in additional_units)
        self._add(sorted(products - self._seen, key=lambda heir: (len(heir), heir))[:free_slots])

    def _enumerate(self) -> None:
        """Add all products of 1, 2, 3, … units."""
        groups: dict[int, list[int]] = {}
        for unit, variable in enumerate(self._variable.tolist()):
            groups.setdefault(variable, []).append(unit)
        total = 0
        for order in range(1, self.order + 1):
            total += _count([len(group) for group in groups.values()], order)
            if order > 1 and total > MAX_ENUMERATED:
                break
            self._add(chain.from_iterable(starmap(cartesian, combinations(groups.values(), order))))

    def _add(self, products: Iterable[Product]) -> None:
        """Add products whose columns are not constant."""
        by_order: dict[int, list[Product]] = {}
        for product in products:
            self._seen.add(product)
            by_order.setdefault(len(product), []).append(product)
        for order, same_order in by_order.items():
            index = np.array(same_order, dtype=int).reshape(len(same_order), order)
            if self._most_numeric is not None:
                index = index[self._numeric[index].sum(axis=1) <= self._most_numeric]
            rows = max(_BLOCK // len(self.weights), 1)
            for start in range(0, len(index), rows):
                block = index[start : start + rows]
                columns = self.weights * self._values[block[:, 0]]
                for factor_index in range(1, order):
                    columns *= self._values[block[:, factor_index]]
                self._append(block, columns)

    def _append(self, index: Array, columns: Array) -> None:
        """Append products, shape (q, order), with their columns, unless these are constant or cannot be printed."""
        norms = np.sqrt(np.einsum("ij,ij->i", columns, columns))
        exponents = np.log10(self._scales[index]).sum(axis=1)
        # Exponents of influences are about those of the unit over those of the columns.
        sizes = self._unit - exponents
        fine = (norms > 0) & (np.abs(sizes) < LARGEST_INFLUENCE) & (exponents < LARGEST_EXPONENT)
        columns /= np.where(fine, norms, 1.0)[:, None]
        centred_norms = 1 - (columns @ self._columns[0]) ** 2
        fine &= centred_norms > CONSTANT_SHARE
        if not fine.all():
            index, columns, norms, centred_norms = index[fine], columns[fine], norms[fine], centred_norms[fine]
        start, end = self._size, self._size + len(index)
        if end > len(self._columns):
            # Double the capacity, so that columns are copied rarely.
            grown_columns = np.empty((max(end, 2 * len(self._columns)), columns.shape[1]))
            grown_columns[:start] = self.columns
            self._columns = grown_columns
        self._columns[start:end] = columns
        self._size = end
        factors = self._counts[index].sum(axis=1)
        self.products += [tuple(product) for product in index.tolist()]
        self.norms = np.append(self.norms, norms)
        self.limits = np.append(self.limits, np.maximum(LEFT_AROUND * centred_norms, LEFT_IN_ALL))
        self.factors = np.append(self.factors, factors)
        self.penalties = np.append(self.penalties, PENALTY ** (factors - 1))
        is_free = self._free[index].any(axis=1) if self.signed else np.ones(len(index), dtype=bool)
        self.free = np.append(self.free, is_free)


def _count(sizes: Sequence[int], order: int) -> int:
    """Return the number of products of one element each of so many of the groups of these sizes."""
    sums = [1] + [0] * order
    for size in sizes:
        for k in range(order, 0, -1):
            sums[k] += sums[k - 1] * size
    return sums[order]
