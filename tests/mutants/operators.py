"""Operators that cosmic-ray does not have: membership, statements and keyword arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import parso
from cosmic_ray.operators.operator import Operator

Positions = Iterator[tuple[tuple[int, int], tuple[int, int]]]


class _Simple(Operator):
    """An operator without stored examples."""

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class MembershipReplacer(_Simple):
    """Replace `in` by `not in`, and the other way around."""

    def mutation_positions(self, node: Any) -> Positions:
        """Return the positions of changes of a node."""
        for child in self._operators(node):
            yield child.start_pos, child.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Return a changed node."""
        child = list(self._operators(node))[index]
        replaced = " not in" if child.get_code().strip() == "in" else " in"
        node.children[node.children.index(child)] = parso.parse(replaced)
        return node

    @staticmethod
    def _operators(node: Any) -> Iterator[Any]:
        if node.type == "comparison":
            yield from (child for child in node.children[1::2] if child.get_code().split() in (["in"], ["not", "in"]))


class StatementRemover(_Simple):
    """Replace a call, an exception that is raised, or an assignment such as `x += 1` by `pass`."""

    def mutation_positions(self, node: Any) -> Positions:
        """Return the positions of changes of a node."""
        if node.type == "simple_stmt":
            first = node.children[0]
            called = first.type == "atom_expr" and first.children[-1].type == "trailer"
            raised = first.type == "raise_stmt"
            added = first.type == "expr_stmt" and first.children[1].get_code().strip() in {
                "+=",
                "-=",
                "*=",
                "/=",
                "|=",
                "&=",
            }
            if called or raised or added:
                yield first.start_pos, first.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Return a changed node."""
        del index
        first = node.children[0]
        node.children[0] = parso.parse(first.get_first_leaf().prefix + "pass")
        return node


class ArgumentRemover(_Simple):
    """Remove a keyword argument of a call that has other arguments."""

    def mutation_positions(self, node: Any) -> Positions:
        """Return the positions of changes of a node."""
        for child in self._keywords(node):
            yield child.start_pos, child.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Return a changed node."""
        removed = list(self._keywords(node))[index]
        at = node.children.index(removed)
        # With the comma before it, or the one after the first argument.
        del node.children[max(at - 1, 0) : at + 1 if at else 2]
        return node

    @staticmethod
    def _keywords(node: Any) -> Iterator[Any]:
        if node.type == "arglist":
            yield from (c for c in node.children if c.type == "argument" and c.children[1].get_code().strip() == "=")
