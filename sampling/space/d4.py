"""Compilation of clauses to a circuit by D4, a program of the extra `solver` (package `d4solver`).

Lagniez, Marquis: "An improved decision-DNNF compiler", IJCAI 2017. It runs in a separate process, because it prints
to the standard output, cannot be interrupted, and has no limit of time or memory.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from sampling.space.circuit import Circuit, CircuitLayer
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
# Kinds of nodes in the text of a circuit, as negative numbers.
_KINDS = {b"o": -1, b"a": -2, b"t": -3, b"f": -4}
_OR, _TRUE, _FALSE = -1, -3, -4


@cache
def is_installed() -> bool:
    """Return whether D4 is installed."""
    return find_spec("py_d4") is not None


def compiled(variables: Sequence[int], clauses: Sequence[Sequence[int]]) -> Circuit | None:
    """Return the circuit of clauses, None if D4 exceeds its limits of time or memory.

    The last circuit is kept: the spaces of one command are often of equal systems, and D4 takes seconds.

    `variables`: the variables; literals count them from 1.
    """
    return _compiled(tuple(variables), tuple(map(tuple, clauses)))


@lru_cache(maxsize=1)
def _compiled(variables: tuple[int, ...], clauses: tuple[tuple[int, ...], ...]) -> Circuit | None:
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
    layers = _layers(len(leaves), level[node_order], kinds[node_order], edge_starts)
    return Circuit(
        variables=variables,
        layers=layers,
        leaves=leaves,
        targets=rank[targets][order].astype(np.int32),
        edges_of=np.repeat(np.arange(len(order), dtype=np.int32), sizes),
        literals=literals.astype(np.int32),
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


def _layers(leaves: int, level: Array, kinds: Array, edge_starts: Array) -> tuple[CircuitLayer, ...]:
    """Return the layers of the inner nodes, which are in order of their levels and kinds."""
    changes = np.flatnonzero((np.diff(level[leaves:]) != 0) | (np.diff(kinds[leaves:]) != 0)) + 1 + leaves
    bounds = [leaves, *changes.tolist(), len(level)]
    return tuple(
        CircuitLayer(
            nodes=slice(start, stop),
            edges=slice(int(edge_starts[start]), int(edge_starts[stop])),
            starts=edge_starts[start:stop] - edge_starts[start],
            disjunction=bool(kinds[start] == _OR),
        )
        for start, stop in itertools.pairwise(bounds)
        if stop > start
    )
