"""Orders and draws of configurations and variables by content: not by names, nor by the order of rows or options.

Each option has a constant. It is made of the option's kind, its described values, its constraints, and the
configurations where it has each value; constraints and configurations are known by the constants of the other options
(colour refinement, Weisfeiler and Leman 1968). Measured values tell options apart that configurations do not, as in a
full factorial design. The name decides only between options that all of this does not tell apart.

In: configurations. Out: constants (`option_constants`), orders by them (`hash_order`, `canonical_order`), and the valid
configurations at which the printed model follows the full one (`space_of`, `unmeasured`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sampling.draws import generator
from sampling.space.space import Space
from splc.data.configurations import Configurations, value_table
from splc.errors import SpaceError
from splc.learning.learner import LearningProblem
from splc.learning.projection.basis import Variable
from splc.learning.projection.constants import UNMEASURED
from splc.system.clauses import clauses
from splc.system.options import NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
# Kinds of options.
_BINARY, _NUMERIC, _OBSERVED = range(3)
_EQUAL = 1e-12  # measured values that differ by less, relative to the largest, are equal: rounding depends on the unit
_BLOCK = 2**20  # elements of tables that are looked up at a time, which bounds the memory

# Option or observed variable → the constant that its values are mixed with.
Constants = Mapping[str, np.uint64]
ENUMERATED = 20_000  # smaller spaces are enumerated: then the selection does not depend on the order of options
DRAWN = 2000  # configurations that are drawn from larger spaces


def hashes(configurations: Configurations, constants: Constants) -> Array:
    """Return a hash of each configuration, (n,): mixed sums of values mixed with the constants of options that vary."""
    table = _Table.of(configurations, names=constants)
    return splitmix(table.sums(np.array([constants[name] for name in table.names], dtype=np.uint64)))


def hash_order(configurations: Configurations, constants: Constants | None = None) -> Array:
    """Return the positions of configurations in the order of their hashes; `constants`: None is their own."""
    constants = option_constants(configurations) if constants is None else constants
    return np.argsort(hashes(configurations, constants), kind="stable")


def option_constants(configurations: Configurations, y: Array | None = None, observed: Sequence[str] = ()) -> Constants:
    """Return the constants of all options with more than one value; `y`: the measured values, where there are any."""
    table = _Table.of(configurations, observed=observed)
    links = _links(configurations.system, table.names)
    colours = table.refined(table.kinds, links, np.zeros(len(configurations), dtype=np.uint64))
    if y is not None:
        _, inverse, counts = np.unique(colours, return_inverse=True, return_counts=True)
        if (tied := counts[inverse] > 1).any():
            by_value, ranks = np.argsort(y, kind="stable"), np.zeros(len(y), dtype=np.uint64)
            ranks[by_value[1:]] = np.cumsum(np.diff(y[by_value]) > _EQUAL * np.abs(y).max(initial=0.0))
            colours = np.where(tied, table.refined(colours, links, splitmix(ranks)), colours)
    # Options that are still equal get consecutive constants in the order of their names.
    order = sorted(range(len(colours)), key=lambda at: (int(colours[at]), table.names[at]))
    sorted_colours = colours[order]
    indices = np.arange(len(order))
    begins = np.append(True, sorted_colours[1:] != sorted_colours[:-1])[: len(order)]
    sorted_colours = sorted_colours + (indices - np.maximum.accumulate(np.where(begins, indices, 0))).astype(np.uint64)
    return {table.names[at]: constant for at, constant in zip(order, sorted_colours, strict=True)}


def canonical_order(variables: Iterable[Variable], constants: Constants) -> tuple[Variable, ...]:
    """Return variables, and members of groups, in the order of their constants; groups come last."""

    def constant_of(name: str) -> int:
        return int(constants.get(name, 0))

    ordered = (v.with_members(sorted(v.members, key=lambda name: (constant_of(name), name))) for v in variables)
    keyed = ((each.kind == "group", [*map(constant_of, each.members)], each) for each in ordered)
    return tuple(variable for _, _, variable in sorted(keyed, key=lambda entry: entry[:2]))


@dataclass(frozen=True, eq=False)
class _Table:
    """The values of options in configurations, as positions in a list of all values of all options."""

    names: tuple[str, ...]  # the names of the p options
    positions: Array  # the position of each configuration's values, shape (n, p), without `offsets`
    offsets: Array  # the position of the first value of each option, shape (p,)
    values: Array  # the bits of the values, of all options one after the other
    owners: Array  # the option of each value, a position in `names`
    kinds: Array  # the kind of each option, shape (p,)

    @classmethod
    def of(
        cls, configurations: Configurations, names: Container[str] | None = None, observed: Sequence[str] = ()
    ) -> _Table:
        """Return the table of options with several values; `names`: those to take, None: all."""
        system = configurations.system
        varied = (each for each in system.options if each.name not in system.mandatory and each.size > 1)
        options = [option for option in varied if names is None or option.name in names]
        kinds = [_NUMERIC if isinstance(option, NumericOption) else _BINARY for option in options]
        value_tables = [value_table(option) for option in options]
        positions = configurations.indices[:, [system.positions[option.name] for option in options]]
        for name in observed:
            values, value_indices = np.unique(configurations.column(name), return_inverse=True)
            value_tables.append(values)
            positions = np.column_stack([positions, value_indices])
            kinds.append(_OBSERVED)
        table_names = (*(option.name for option in options), *observed)
        counts = np.array([len(values) for values in value_tables], dtype=int)
        # + 0.0 turns -0.0 into 0.0; deselected options are NaN, of which there are several.
        value_bits = np.nan_to_num(np.concatenate([*value_tables, np.zeros(0)]) + 0.0, nan=-1.5e300).view(np.uint64)
        owners, offsets = np.repeat(np.arange(len(table_names)), counts), np.cumsum(counts) - counts
        return cls(table_names, positions, offsets, value_bits, owners, np.array(kinds, dtype=np.uint64))

    def sums(self, constants: Array) -> Array:
        """Return the sums of values mixed with the constants of their options, shape (n,)."""
        mixed = splitmix(self.values ^ constants[self.owners])
        sums = [mixed[block].sum(axis=1, dtype=np.uint64) for _, block in self._blocks()]
        return np.concatenate([*sums, np.zeros(0, dtype=np.uint64)])

    def refined(self, constants: Array, links: Array, row_hashes: Array) -> Array:
        """Return constants that tell options apart by constraints (`_links`) and the rows with each value, too."""
        constraints, option_indices, roles = links.T
        roles = splitmix(roles.astype(np.uint64))
        while True:
            rows = splitmix(self.sums(constants) + row_hashes)
            sums = np.zeros(len(self.values), dtype=np.uint64)
            for block_rows, block in self._blocks():
                np.add.at(sums, block, rows[block_rows, None])
            finer = constants.copy()
            np.add.at(finer, self.owners, splitmix(splitmix(self.values) ^ sums))
            of_constraint = np.zeros(int(constraints.max(initial=-1)) + 1, dtype=np.uint64)
            np.add.at(of_constraint, constraints, splitmix(finer[option_indices] ^ roles))
            np.add.at(finer, option_indices, splitmix(of_constraint[constraints] ^ roles))
            finer = splitmix(finer)
            # Not np.unique, which imports the masked arrays.
            if len(set(finer.tolist())) <= len(set(constants.tolist())):
                return finer
            constants = finer

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of configurations, and the positions of their values."""
        rows = max(_BLOCK // max(len(self.names), 1), 1)
        for start in range(0, len(self.positions), rows):
            block_rows = slice(start, start + rows)
            yield block_rows, self.positions[block_rows] + self.offsets


def _links(system: VariabilityModel, names: Sequence[str]) -> Array:
    """Return the literals of constraints: number of a constraint, position of the option in names, and role there."""
    index_of = {system.positions[name]: at for at, name in enumerate(names) if name in system.positions}
    literals = [
        (number, index_of[position], 2 * sum(allowed) + allowed[-1])
        for number, clause in enumerate(clauses(system))
        for position, allowed in clause.literals
        if position in index_of
    ]
    first = len(literals)
    literals += [
        (first + number, index_of[position], 0)
        for number, constraint in enumerate(system.arithmetic_constraints)
        for position in (system.positions[name] for name in constraint.names if name in system.positions)
        if position in index_of
    ]
    return np.array(literals, dtype=int).reshape(len(literals), 3)


def splitmix(values: Array) -> Array:
    """Return values whose bits depend on all bits of the input (the finaliser of splitmix64)."""
    mixed = (values ^ (values >> np.uint64(30))) * _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[1]
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def space_of(problem: LearningProblem, own: Constants, *, observed: bool) -> Configurations:
    """Return all valid configurations, or a draw; measured ones for observed variables, or if none can be drawn."""
    measured = problem.everything
    if observed:
        return measured if measured.observed is None else measured[measured.observed.known]
    try:
        return valid_configurations(problem.configurations.system, DRAWN, own=own)
    except SpaceError:
        # They cannot be counted.
        return measured


def unmeasured(problem: LearningProblem, space: Configurations, own: Constants) -> Configurations:
    """Return up to 500 configurations outside of the learning set, uniformly selected, in hash order."""
    pool = space[problem.configurations.find(space) < 0]
    return pool[hash_order(pool, own)[:UNMEASURED]]


def valid_configurations(
    system: VariabilityModel, most: int, seed: int = 0, own: Constants | None = None
) -> Configurations:
    """Return all valid configurations up to 20,000, else a uniform draw that no order and no name changes."""
    constants = {name: int(value) for name, value in (own or {}).items()}
    groups = {name: group for group in system.alternative_groups for name in group}

    def canonical_key(option: Option) -> tuple[bool, list[int], int, str]:
        group = sorted(constants.get(name, 0) for name in groups.get(option.name, ()))
        return option in system.numeric_options, group, constants.get(option.name, 0), option.name

    options = tuple(sorted(system.options, key=canonical_key))
    space = Space(replace(system, options=options))
    configurations = space.enumerate() if space.count <= ENUMERATED else space.draw(most, generator(seed, "whole"))
    positions = [space.system.positions[option.name] for option in system.options]
    return Configurations(system, np.ascontiguousarray(configurations.indices[:, positions]))
