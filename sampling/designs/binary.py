"""Designs of binary parts: options and sets of options with few others, options left out, the order of a solver."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from sampling.designs.coverage import covering
from sampling.designs.design import Amount, Arguments, Design, DrawnDesign
from sampling.designs.distance import Scope
from sampling.draws import generator
from sampling.space.diagram import Diagram, completions_below, literal, optimal
from sampling.space.parts import Parts, minimal_bits, option_minima, subset_minima, unpacked
from sampling.space.rows import contained, without_repeats
from sampling.space.satisfiability import Satisfiability
from sampling.space.solutions import MAX_DIAGRAM, Solutions, combined
from splc.errors import SpaceError
from splc.types import Array

# Where an option is left out, SPL Conqueror rewards an option that is kept by 1000 and punishes one that is added by
# 10000; only the ratio matters.
_KEPT, _ADDED = -1, 10
MAX_LARGEST = 100_000
_GROWTH = 8
_CHUNK = 2**22


@dataclass(frozen=True)
class TWise:
    """`twise:T`: for each set of T options the smallest valid configuration that selects all of them.

    Sets in which one option is an ancestor of another or implies it are left out as in SPL Conqueror, and so are sets
    that no valid configuration selects. `twise:2` is `pairwise`, and `twise:1` is `optionwise` with the smallest valid
    configuration before the others. Siegmund et al.: "Predicting performance via automated feature-interaction
    detection", ICSE 2012 (feature-wise). SPL Conqueror selects the mandatory top-level options and the option if that
    is valid, otherwise the smallest valid superset: the same, because options that are always selected add nothing.

    Systems of more than 100 binary options would have up to hundreds of thousands of rows. There, few configurations
    cover all combinations of T selected or deselected options (see `sampling.designs.coverage`), if the extra
    `solver` is installed.
    """

    text: str
    size: int

    @classmethod
    def parse(cls, arguments: Arguments) -> TWise:
        """Read its argument."""
        arguments.expect(1, 1)
        size = arguments.whole_number(arguments.positional[0], "the number of options in a set", 1)
        return cls(arguments.text, size)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows, in order of the sets (the seed has no effect)."""
        if self.size == 1:
            rows, never = option_minima(parts)
            return Design(rows, (f"never selected in a valid configuration: {', '.join(never)}",) if never else ())
        solver = parts.solver
        if solver is None and len(parts.selectable) > MAX_DIAGRAM:
            solver = Satisfiability.of(parts.problem, 2)
        if solver is not None:
            rows = covering(solver, len(parts.selectable), self.size, parts.covered, generator(seed, "binary"))
            covered = f"all valid combinations of {self.size} options, selected or not, in few configurations"
            return Design(rows, (f"{self.text} covers {covered}: the system is large",))
        rows, impossible = subset_minima(parts, self.size)
        kind = "pairs of" if self.size == 2 else f"sets of {self.size}"
        notes = (f"{impossible:,} {kind} options cannot be selected together",) if impossible else ()
        return Design(rows, notes)


@dataclass(frozen=True)
class NegativeOptionWise:
    """`negoptionwise[:first]`: the largest valid configurations, and for each option the closest one without it.

    The largest configurations are all that select the most options (with `first`, only the first of them), and for each
    option that these do not select the largest one that does. For each optional option without alternatives the first
    of them that selects it is changed as little as possible to a valid configuration that does not.
    """

    text: str
    first: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> NegativeOptionWise:
        """Read its argument."""
        arguments.expect(0, 1)
        if arguments.positional not in ((), ("first",)):
            raise arguments.error(f"{arguments.positional[0]!r} is unknown")
        return cls(arguments.text, bool(arguments.positional))

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows: the largest configurations, then those without an option (the seed has no effect)."""
        parts.space.require_valid()
        # The configurations with the most options have the least sum of these weights.
        most = dict.fromkeys(range(len(parts.selectable)), (0, -1))
        if self.first:
            bits, possible = minimal_bits(parts, np.zeros((1, 0), dtype=np.int64), most)
            largest = unpacked(parts, bits[possible])
        else:
            best = [optimal(diagram, {v: most[v] for v in diagram.variables}) for diagram in parts.binary.diagrams]
            if (count := math.prod(diagram.count for diagram in best)) > MAX_LARGEST:
                raise SpaceError(
                    f"{self.text}: {count:,} configurations select the most options (the limit is {MAX_LARGEST:,})",
                    hint="take only one of them, negoptionwise:first",
                )
            # Of two, the one with an earlier option is first.
            rows = combined(best, len(parts.selectable), np.dtype(np.uint8))
            largest = rows[np.lexsort(1 - rows.T[::-1])] if rows.size else rows
        uncovered = np.flatnonzero(~largest.any(axis=0))
        bits, possible = minimal_bits(parts, literal(0, 1) + 2 * uncovered[:, None], most)
        largest = without_repeats(np.concatenate([largest, unpacked(parts, bits[possible])]))
        # For each option that can be left out, the first of the largest configurations that selects it.
        # Switches are optional; members of alternative groups are not.
        optional = np.ones(len(parts.selectable), dtype=bool)
        optional[: len(parts.binary_names)] = [option.optional for option in parts.system.binary_options]
        options = np.flatnonzero(optional & largest.any(axis=0))
        bases = largest[:, options].argmax(axis=0)
        rows = np.zeros((len(options), largest.shape[1]), dtype=np.uint8)
        possible = np.zeros(len(options), dtype=bool)
        for base in np.unique(bases).tolist():
            members = np.flatnonzero(bases == base)
            weights = {i: (0, _KEPT if selected else _ADDED) for i, selected in enumerate(largest[base].tolist())}
            bits, possible[members] = minimal_bits(parts, literal(0, 0) + 2 * options[members, None], weights)
            rows[members] = unpacked(parts, bits)
        always = [parts.selectable[position] for position in options[~possible].tolist()]
        notes = (f"selected in every valid configuration: {', '.join(always)}",) if always else ()
        return Design(without_repeats(np.concatenate([largest, rows[possible]])), notes)


@dataclass(frozen=True)
class SolverOrder:
    """`solver:N[,seed=S]`: the first N valid selections that a backtracking solver finds.

    The solver decides the options in the order of the description, first deselects each of them, and continues from
    the last decision: lexicographic order. With a seed, the order of the options and the value that is tried first are
    drawn once for each option. Consecutive selections differ in few options, so that samples are not representative.
    """

    text: str
    amount: Amount
    order_seed: int | None = None  # the seed of the order; None for the order of the description

    @classmethod
    def parse(cls, arguments: Arguments) -> SolverOrder:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows in the order of the solver (only a seed of its own has an effect)."""
        scope = Scope.of(parts, "binary")
        n = scope.size(self.text, self.amount, parts)
        options = len(parts.selectable)
        order, preferred = np.arange(options)[None], np.zeros((1, options), dtype=np.int64)
        if self.order_seed is not None:
            order, preferred = random_orders(1, options, generator(self.order_seed, "binary"))
        rows, _ = first_solutions(scope.solutions, order, preferred, np.array([n + len(scope.existing)]))
        return Design(rows[~contained(rows, scope.existing)][:n])


@dataclass(frozen=True)
class Henard(DrawnDesign):
    """`henard:N[,seed=S]`: N distinct valid selections of a randomised solver.

    Henard, Papadakis, Harman, Le Traon: "Combining multi-objective search and constraint solving for configuring large
    software product lines", ICSE 2015. For each selection, the order of the options and the value that is tried first
    are drawn for each option; the selection is the first one in this order that is not in the sample. Selections are
    not equally probable.
    """

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows in drawing order."""
        scope = Scope.of(parts, "binary")
        n = scope.size(self.text, self.amount, parts)
        rng = self.rng(seed, "binary")
        orders, preferred = random_orders(n, len(parts.selectable), rng)
        selections = np.zeros((n, len(parts.selectable)), dtype=np.uint8)
        used = {row.tobytes() for row in scope.existing.astype(np.uint8)}
        pending = np.arange(n)
        quota = 1
        while len(pending):
            quotas = np.full(len(pending), min(quota, scope.solutions.count))
            rows, numbers = first_solutions(scope.solutions, orders[pending], preferred[pending], quotas)
            resolved = np.zeros(len(pending), dtype=bool)
            for row, number in zip(rows.astype(np.uint8), numbers.tolist(), strict=True):
                if not resolved[number] and row.tobytes() not in used:
                    used.add(row.tobytes())
                    selections[pending[number]], resolved[number] = row, True
            # Draws whose first selections are all in the sample look further in their order.
            pending = pending[~resolved]
            quota *= _GROWTH
        return Design(selections)


def first_solutions(solutions: Solutions, orders: Array, preferred: Array, quotas: Array) -> tuple[Array, Array]:
    """Return the first solutions in several orders, as a solver that always tries the preferred value first finds them.

    `orders`: permutations of the positions of the variables, the first to be decided first, shape (n, variables).
    `preferred`: the value that is tried first, for each variable, shape (n, variables). `quotas`: the number of
    solutions in each order, shape (n,), at most that of all solutions. Returns: The solutions, shape (sum of quotas,
    variables), and the number of the order of each.
    """
    columns = {variable: position for position, variable in enumerate(solutions.variables)}
    diagrams = [diagram for diagram in solutions.diagrams if diagram.variables]
    positions = [[columns[variable] for variable in diagram.variables] for diagram in diagrams]
    owner = np.zeros(len(columns), dtype=np.int64)
    for number, members in enumerate(positions):
        owner[members] = number
    most = int(quotas.max(initial=1))
    numbers = np.arange(len(orders))
    rows = np.full((len(orders), len(columns)), -1, dtype=np.int64)
    # The number of completions of each component, at most `most`.
    counts = np.stack([_completions(d, rows[:, m], most) for d, m in zip(diagrams, positions, strict=True)], axis=1)

    def decided(rows: Array, counts: Array, variables: Array, values: Array) -> tuple[Array, Array]:
        """Return rows in which one variable each has a value, and the numbers of their completions."""
        rows, counts = rows.copy(), counts.copy()
        rows[np.arange(len(rows)), variables] = values
        for number in np.unique(owner[variables]).tolist():
            members = np.flatnonzero(owner[variables] == number)
            counts[members, number] = _completions(diagrams[number], rows[np.ix_(members, positions[number])], most)
        return rows, counts

    for depth in range(len(columns)):
        variables = orders[numbers, depth]
        values = preferred[numbers, variables]
        tried, tried_counts = decided(rows, counts, variables, values)
        products = functools.reduce(lambda some, more: np.minimum(some * more, most), tried_counts.T)
        taken = np.minimum(products, quotas)
        # The rest of a quota has the other value.
        first, other = np.flatnonzero(taken > 0), np.flatnonzero(quotas > taken)
        rest, rest_counts = decided(rows[other], counts[other], variables[other], 1 - values[other])
        # Solutions with the preferred value come first, after those that share fewer decisions.
        order = np.argsort(np.concatenate([2 * first, 2 * other + 1]))
        rows = np.concatenate([tried[first], rest])[order]
        counts = np.concatenate([tried_counts[first], rest_counts])[order]
        quotas = np.concatenate([taken[first], (quotas - taken)[other]])[order]
        numbers = np.concatenate([numbers[first], numbers[other]])[order]
    return rows, numbers


def _completions(diagram: Diagram, rows: Array, most: int) -> Array:
    """Return the number of a component's solutions with the values of each row (-1: any), at most `most`."""
    size = max(1, _CHUNK // max(layer.children.size for layer in diagram.layers))
    blocks = [rows[start : start + size] for start in range(0, len(rows), size)]
    counts = [completions_below(diagram, block, most)[0][:, 0] for block in blocks]
    return np.concatenate([np.zeros(0, dtype=np.int64), *counts])


def random_orders(n: int, variables: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return n random permutations of variables and n random values (0 or 1) of each, shape (n, variables)."""
    keys = np.frombuffer(rng.bytes(8 * n * variables), dtype="<u8").reshape(n, variables)
    return np.argsort(keys, axis=1, kind="stable"), (keys & 1).astype(np.int64)
