"""Circuits: all solutions of one component as a deterministic decomposable negation normal form (d-DNNF).

A node is a conjunction or a disjunction of edges; an edge carries literals and leads to another node. The edges of a
conjunction share no variable, the edges of a disjunction have no common solution. A variable that an edge of a
disjunction does not mention, but another one does, is free below it. Darwiche, Marquis: "A knowledge compilation map",
JAIR 17 (2002).

Nodes are in layers: those of one kind whose children are all in earlier layers, so that a pass over the circuit is a
few array operations per layer.

Clauses are compiled by D4, a program of the extra `solver` (package `d4solver`; Lagniez, Marquis: "An improved
decision-DNNF compiler", IJCAI 2017). It runs in a separate process, because it prints to the standard output, cannot be
interrupted, and has no limit of time or memory.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from splc.types import Array

# Seconds of CPU, and bytes of address space: D4 reserves about 2 GiB more than it uses, and fails below that.
SECONDS = 30
MEMORY = 3 << 30

# The first page of D4's cache, of 4 GiB by default, would be larger than the limit of memory.
_PROGRAM = """
import json, sys
try:
    import resource
    for limit, most in ((resource.RLIMIT_CPU, int(sys.argv[3])), (resource.RLIMIT_AS, int(sys.argv[4]))):
        resource.setrlimit(limit, (most, most))
except (ImportError, ValueError, OSError):
    pass
import py_d4
solver = py_d4.Solver(sys.argv[1])
options = json.loads(py_d4.dump_options_to_json(solver.getOptions()))
options["cache"]["bucket"].update(sizeFirstPage=str(1 << 27), sizeAdditionalPage=str(1 << 26))
solver.setOptions(py_d4.load_options_from_json(json.dumps(options)))
text = solver.compile().getNNFString()
with open(sys.argv[2], "w", encoding="ascii") as file:
    for start in range(0, len(text), 1 << 20):
        file.write(text[start : start + (1 << 20)])
"""
_KINDS = {b"o": -1, b"a": -2, b"t": -3, b"f": -4}  # kinds of nodes in the text of a circuit, as negative numbers
_OR, _TRUE, _FALSE = -1, -3, -4
NEVER = np.int32(2**28)  # a sum of costs that no solution has
_CHUNK = 2**25  # the number of values of edges that a pass over the circuit keeps at a time


@dataclass(frozen=True)
class CircuitLayer:
    """Consecutive nodes of one kind, and their edges."""

    nodes: slice  # the nodes
    edges: slice  # their edges
    starts: Array  # the first edge of each node, counted from the first edge of the layer
    disjunction: bool  # whether the nodes are disjunctions


@dataclass(frozen=True, eq=False)
class Circuit:
    """All solutions of a component of binary variables."""

    variables: tuple[int, ...]  # ascending. Literals count them from 1; that of a deselected option is negative.
    layers: tuple[CircuitLayer, ...]  # the layers of inner nodes, children first. The last node is the root.
    leaves: Array  # the truth of each leaf; the leaves are the first nodes
    targets: Array  # the node that each edge leads to
    edges_of: Array  # the edge of each literal, ascending
    literals: Array  # the literals of all edges

    @property
    def _nodes(self) -> int:
        return self.layers[-1].nodes.stop if self.layers else len(self.leaves)

    @cached_property
    def _parents(self) -> Array:
        """The node of each edge."""
        starts = np.zeros(len(self.targets), dtype=np.int32)
        for layer in self.layers:
            starts[layer.starts + layer.edges.start] = 1
        # Inner nodes, and so their edges, are in order.
        return np.cumsum(starts, dtype=np.int32) - 1 + len(self.leaves)

    @cached_property
    def _mentioned(self) -> Array:
        """The variables that each node mentions, as bits, shape (nodes, bytes)."""
        width = -(-len(self.variables) // 8)
        mentioned = np.zeros((self._nodes, width), dtype=np.uint8)
        for layer in self.layers:
            mentioned[layer.nodes] = np.bitwise_or.reduceat(self._bits(layer.edges, mentioned), layer.starts, axis=0)
        return mentioned

    def _bits(self, edges: slice, mentioned: Array) -> Array:
        """Return the variables that edges and the nodes below them mention, as bits, shape (edges, bytes)."""
        bits = mentioned[self.targets[edges]]
        first, last = np.searchsorted(self.edges_of, [edges.start, edges.stop])
        variables: Array = np.abs(self.literals[first:last]) - 1
        rows = self.edges_of[first:last] - edges.start
        np.bitwise_or.at(bits, (rows, variables >> 3), (128 >> (variables & 7)).astype(np.uint8))
        return bits

    @cached_property
    def _free(self) -> Array:
        """The number of free variables of each edge of a disjunction, 0 for other edges."""
        sizes = np.bitwise_count(self._mentioned).sum(axis=1, dtype=np.int32)
        used = np.bincount(self.edges_of, minlength=len(self.targets)).astype(np.int32) + sizes[self.targets]
        free = np.zeros(len(self.targets), dtype=np.int32)
        for layer in self.layers:
            if layer.disjunction:
                free[layer.edges] = sizes[self._parents[layer.edges]] - used[layer.edges]
        return free

    @cached_property
    def _root_free(self) -> Array:
        """The positions of the variables that no node mentions."""
        return np.flatnonzero(np.unpackbits(self._mentioned[-1], count=len(self.variables)) == 0)

    @cached_property
    def _powers(self) -> Array:
        """The number of values of the free variables of each edge."""
        return np.array([1 << exponent for exponent in range(len(self.variables) + 1)], dtype=object)[self._free]

    @cached_property
    def _below(self) -> Array:
        """The number of solutions of each node over the variables that it mentions, exact integers, shape (nodes,)."""
        counts = np.concatenate(
            [self.leaves.astype(object) * 1, np.zeros(self._nodes - len(self.leaves), dtype=object)]
        )
        for layer in self.layers:
            edges = counts[self.targets[layer.edges]] * self._powers[layer.edges]
            counts[layer.nodes] = (np.add if layer.disjunction else np.multiply).reduceat(edges, layer.starts)
        return counts

    @cached_property
    def count(self) -> int:
        """The exact number of solutions."""
        return int(self._below[-1]) << len(self._root_free)

    @property
    def empty(self) -> bool:
        """True if there is no solution."""
        return self.count == 0

    def marginals(self, sizes: Sequence[int]) -> dict[int, list[int]]:
        """Return variable → the number of solutions with each of its values (`sizes`: values per variable)."""
        del sizes
        above = np.zeros(self._nodes, dtype=object)
        above[-1] = 1
        counts = np.zeros(2 * len(self.variables) + 1, dtype=object)
        for layer in reversed(self.layers):
            edges, below = layer.edges, self._below[self.targets[layer.edges]]
            nodes = self._parents[edges]
            if layer.disjunction:
                weights = above[nodes] * self._powers[edges]
            else:
                # The other edges of a conjunction; 1 in place of 0, for such a node has no solution.
                weights = above[nodes] * self._below[nodes] // np.where(below == 0, 1, below)
            np.add.at(above, self.targets[edges], weights)
            first, last = np.searchsorted(self.edges_of, [edges.start, edges.stop])
            through = (weights * below)[self.edges_of[first:last] - edges.start]
            np.add.at(counts, self.literals[first:last] + len(self.variables), through)
        marginals = {}
        for position, variable in enumerate(self.variables, 1):
            on, off = (int(counts[len(self.variables) + sign * position]) << len(self._root_free) for sign in (1, -1))
            # The rest of the solutions has either value.
            marginals[variable] = [(self.count + off - on) // 2, (self.count + on - off) // 2]
        return marginals

    def unrank(self, ranks: Array) -> Array:
        """Return the solutions with these ranks (0 … count - 1), shape (n, variables)."""
        result = np.zeros((len(ranks), len(self.variables)), dtype=np.uint8)

        def fill(rows: Array, positions: Array, ranks: Array) -> Array:
            """Set free variables to the last bits of ranks; return the remaining bits."""
            for position in positions.tolist():
                result[rows, position] = (ranks & 1).astype(np.uint8)
                ranks = ranks >> 1
            return ranks

        def choose(node: int, edges: Array, rows: Array, ranks: Array) -> Iterator[tuple[int, Array, Array]]:
            below = self._below[self.targets[edges]] * self._powers[edges]
            start = 0
            for edge, size in zip(edges.tolist(), below.tolist(), strict=True):
                taking = np.flatnonzero((ranks >= start) & (ranks < start + size))
                yield edge, taking, fill(rows[taking], self._missing(node, edge), ranks[taking] - start)
                start += size

        def split(edges: Array, ranks: Array) -> Iterator[tuple[int, Array]]:
            for edge in edges.tolist():
                size = int(self._below[self.targets[edge]])
                yield edge, ranks % size
                ranks = ranks // size

        every = np.array([int(rank) for rank in ranks], dtype=object)
        self._descend(result, fill(np.arange(len(ranks)), self._root_free, every), choose, split)
        return result

    def _descend(
        self,
        result: Array,
        states: Array,
        choose: Callable[[int, Array, Array, Array], Iterator[tuple[int, Array, Array]]],
        split: Callable[[Array, Array], Iterator[tuple[int, Array]]],
    ) -> None:
        """Set the literals of the edges that each row takes, down to the leaves; `states`: such as the rank of each."""
        literal_starts = np.searchsorted(self.edges_of, np.arange(len(self.targets) + 1))
        waiting: dict[int, list[tuple[Array, Array]]] = {self._nodes - 1: [(np.arange(len(result)), states)]}

        def follow(edge: int, rows: Array, states: Array) -> None:
            edge_literals = self.literals[literal_starts[edge] : literal_starts[edge + 1]]
            result[rows[:, None], np.abs(edge_literals) - 1] = edge_literals > 0
            if self.targets[edge] >= len(self.leaves):
                waiting.setdefault(int(self.targets[edge]), []).append((rows, states))

        for layer in reversed(self.layers):
            ends = [*layer.starts.tolist(), layer.edges.stop - layer.edges.start]
            for node in [node for node in waiting if layer.nodes.start <= node < layer.nodes.stop]:
                parts = waiting.pop(node)
                rows, states = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
                position = node - layer.nodes.start
                edges = np.arange(ends[position], ends[position + 1]) + layer.edges.start
                if layer.disjunction:
                    for edge, members, states_below in choose(node, edges, rows, states):
                        if len(members):
                            follow(edge, rows[members], states_below)
                else:
                    for edge, states_below in split(edges, states):
                        follow(edge, rows, states_below)

    def _missing(self, node: int, edge: int) -> Array:
        """Return the positions of the free variables of an edge of a disjunction."""
        if not self._free[edge]:
            return np.zeros(0, dtype=np.int64)
        bits = self._bits(slice(edge, edge + 1), self._mentioned)[0]
        return np.flatnonzero(np.unpackbits(self._mentioned[node] & ~bits, count=len(self.variables)))

    def expand(self) -> Array:
        """Return all solutions, shape (count, variables)."""
        return self.unrank(np.arange(self.count))

    def cheapest(self, costs: Array, demands: Array) -> tuple[Array, Array]:
        """Return the cheapest solution that meets each demand, shape (n, variables), and which can be met, shape (n,).

        Of several, the result is the one by the earliest edges of the circuit. `costs`: small integers, shape
        (variables, 2). `demands`: literals of different variables, shape (n, literals).
        """
        solutions = np.zeros((len(demands), len(self.variables)), dtype=np.uint8)
        met = np.zeros(len(demands), dtype=bool)
        step = max(1, _CHUNK // max(self._nodes, 1))
        for start in range(0, len(demands), step):
            chunk = slice(start, start + step)
            solutions[chunk], met[chunk] = self._cheapest(costs, demands[chunk])
        return solutions, met

    def _cheapest(self, costs: Array, demands: Array) -> tuple[Array, Array]:
        least = costs.min(axis=1)
        # Literals cost what they cost more than the other value; free variables take the cheaper value.
        extra = np.concatenate([(costs[::-1, 0] - least[::-1]), [0], costs[:, 1] - least]).astype(np.int32)
        count = len(self.variables)
        weights = np.bincount(self.edges_of, extra[self.literals + count], len(self.targets)).astype(np.int32)
        by_literal = np.argsort(self.literals, kind="stable")
        ordered = self.literals[by_literal]

        def edges_with(literal: int) -> Array:
            first, last = np.searchsorted(ordered, [literal, literal + 1])
            return self.edges_of[by_literal[first:last]]

        # What each demand changes: a demanded literal has no cost anywhere, also where it is free; its opposite never
        # holds.
        changes = [np.zeros((3, 0), dtype=np.int64)]
        for column, demand in enumerate(demands.tolist()):
            for literal in demand:
                for edges, amount in ((edges_with(literal), -extra[literal + count]), (edges_with(-literal), NEVER)):
                    changes.append(np.stack([edges, np.full(len(edges), column), np.full(len(edges), amount)]))
        edge, owner, amounts = np.concatenate(changes, axis=1)
        order = np.argsort(edge, kind="stable")
        edge, owner, amounts = edge[order], owner[order], amounts[order].astype(np.int32)
        best = np.zeros((self._nodes, len(demands)), dtype=np.int32)
        best[: len(self.leaves)] = np.where(self.leaves, 0, NEVER)[:, None]

        def price(edges: slice) -> Array:
            """Return the cost of the best solution through edges, shape (edges, demands)."""
            total = best[self.targets[edges]] + weights[edges][:, None]
            first, last = np.searchsorted(edge, [edges.start, edges.stop])
            np.add.at(total, (edge[first:last] - edges.start, owner[first:last]), amounts[first:last])
            return np.asarray(np.minimum(total, NEVER))

        for layer in self.layers:
            reduce = np.minimum if layer.disjunction else np.add
            total = reduce.reduceat(price(layer.edges), layer.starts, axis=0, dtype=np.int64)
            best[layer.nodes] = np.minimum(total, NEVER)
        met = best[-1] < NEVER
        result = np.repeat((costs[:, 1] < costs[:, 0]).astype(np.uint8)[None], len(demands), axis=0)
        for row, demand in enumerate(demands.tolist()):
            for literal in demand:
                result[row, abs(literal) - 1] = literal > 0

        def choose(node: int, edges: Array, rows: Array, states: Array) -> Iterator[tuple[int, Array, Array]]:
            del node, rows
            prices = price(slice(int(edges[0]), int(edges[-1]) + 1))[:, states.astype(np.int64)]
            best_edges = prices.argmin(axis=0)
            for position, edge_number in enumerate(edges.tolist()):
                members = np.flatnonzero(best_edges == position)
                yield edge_number, members, states[members]

        rows = np.flatnonzero(met)
        chosen = result[rows]
        self._descend(chosen, rows, choose, lambda edges, states: ((edge, states) for edge in edges.tolist()))
        result[rows] = chosen
        return result, met


@cache
def d4_is_installed() -> bool:
    """Return whether D4 is installed."""
    return find_spec("py_d4") is not None


@lru_cache(maxsize=1)
def d4_circuit(variables: tuple[int, ...], clauses: tuple[tuple[int, ...], ...]) -> Circuit | None:
    """Return the circuit of clauses, whose literals count variables from 1; None if D4 exceeds its limits.

    The last circuit is kept: the spaces of one command are often of equal systems, and D4 takes seconds.
    """
    with tempfile.TemporaryDirectory(prefix="splc-") as folder:
        source, target = Path(folder, "clauses.cnf"), Path(folder, "circuit.nnf")
        lines = [f"p cnf {len(variables)} {len(clauses)}", *(" ".join(map(str, (*clause, 0))) for clause in clauses)]
        source.write_text("\n".join(lines) + "\n", encoding="ascii")
        command = [sys.executable, "-c", _PROGRAM, str(source), str(target), str(SECONDS), str(MEMORY)]
        try:
            # The limit of time counts the process's CPU; this one is for a process that waits.
            done = subprocess.run(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=10 * SECONDS
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode or not target.exists():
            return None
        text = target.read_bytes()
    return circuit_of(variables, text)


def circuit_of(variables: tuple[int, ...], text: bytes) -> Circuit:
    """Return the circuit of a text: lines `o 1 0` (or `a`, `t`, `f`: a node), and `1 2 -3 0` (edge, literals)."""
    for letter, number in _KINDS.items():
        text = text.replace(letter + b" ", b"%d " % number)
    numbers = np.fromstring(text, dtype=np.int32, sep=" ")
    del text
    ends = np.flatnonzero(numbers == 0)
    starts = np.concatenate([[0], ends[:-1] + 1])
    first = numbers[starts]
    nodes, edges = starts[first < 0], starts[first > 0]
    names = numbers[nodes + 1]
    kinds = np.zeros(int(names.max()) + 1, dtype=np.int32)
    kinds[names] = numbers[nodes]
    parents, targets = numbers[edges], numbers[edges + 1]
    counts = ends[first > 0] - edges - 2
    level = _levels(len(kinds), parents, targets)
    # The root is node 1. Nodes that it does not lead to are kept: they change nothing.
    level[1] = level.max() + 1
    inner = np.bincount(parents, minlength=len(kinds)) > 0
    node_order = np.lexsort((kinds, level))
    node_order = node_order[kinds[node_order] != 0]
    node_order = np.concatenate([node_order[~inner[node_order]], node_order[inner[node_order]]])
    leaves = kinds[node_order[: len(node_order) - int(inner.sum())]] == _TRUE
    rank = np.zeros(len(kinds), dtype=np.int64)
    rank[node_order] = np.arange(len(node_order))
    order = np.argsort(rank[parents], kind="stable")
    sizes = counts[order]
    begins = (edges + 2)[order]
    literals = numbers[np.repeat(begins - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())]
    edge_starts = np.searchsorted(rank[parents][order], np.arange(len(node_order) + 1))
    # Layers are inner nodes of one level and one kind.
    first_inner, levels, ordered_kinds = len(leaves), level[node_order], kinds[node_order]
    changes = (np.diff(levels[first_inner:]) != 0) | (np.diff(ordered_kinds[first_inner:]) != 0)
    bounds = [first_inner, *(np.flatnonzero(changes) + 1 + first_inner).tolist(), len(levels)]
    layers = tuple(
        CircuitLayer(
            nodes=slice(start, stop),
            edges=slice(int(edge_starts[start]), int(edge_starts[stop])),
            starts=edge_starts[start:stop] - edge_starts[start],
            disjunction=bool(ordered_kinds[start] == _OR),
        )
        for start, stop in itertools.pairwise(bounds)
        if stop > start
    )
    edges_of = np.repeat(np.arange(len(order), dtype=np.int32), sizes)
    return Circuit(
        variables, layers, leaves, rank[targets][order].astype(np.int32), edges_of, literals.astype(np.int32)
    )


def _levels(count: int, parents: Array, targets: Array) -> Array:
    """Return the length of the longest path from each node to a leaf, shape (count,)."""
    level = np.zeros(count, dtype=np.int64)
    open_children = np.bincount(parents, minlength=count)
    by_target = np.argsort(targets, kind="stable")
    starts = np.searchsorted(targets[by_target], np.arange(count + 1))
    ready = np.flatnonzero(open_children == 0)
    depth = 0
    while len(ready):
        level[ready] = depth
        lengths = starts[ready + 1] - starts[ready]
        shift = np.repeat(starts[ready] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        above = parents[by_target[shift + np.arange(lengths.sum())]]
        np.subtract.at(open_children, above, 1)
        ready = np.unique(above[open_children[above] == 0])
        depth += 1
    return level
