"""A random sample of changed lines, made by cosmic-ray's operators and by some of our own."""

from __future__ import annotations

import ast
import difflib
import hashlib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators import (
    binary_operator_replacement,
    boolean_replacer,
    break_continue,
    comparison_operator_replacement,
    exception_replacer,
    number_replacer,
    unary_operator_replacement,
    zero_iteration_for_loop,
)
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


# Decorators are left alone: without one, code fails at once, or is only slower.
FAMILIES: dict[str, tuple[Any, ...]] = {
    "binary operator": tuple(binary_operator_replacement.operators()),
    "comparison": (*comparison_operator_replacement.operators(), MembershipReplacer),
    "unary operator": tuple(unary_operator_replacement.operators()),
    "condition": (boolean_replacer.AddNot, boolean_replacer.ReplaceAndWithOr, boolean_replacer.ReplaceOrWithAnd),
    "truth value": (boolean_replacer.ReplaceTrueWithFalse, boolean_replacer.ReplaceFalseWithTrue),
    "number": (number_replacer.NumberReplacer,),
    "loop": (
        break_continue.ReplaceBreakWithContinue,
        break_continue.ReplaceContinueWithBreak,
        zero_iteration_for_loop.ZeroIterationForLoop,
    ),
    "exception": (exception_replacer.ExceptionReplacer,),
    "removal": (StatementRemover, ArgumentRemover),
}
# What the nodes of a family are, as operators are slow to ask.
NODES = {
    "binary operator": {"operator"},
    "comparison": {"comparison"},
    "unary operator": {"factor", "not_test"},
    "condition": {"keyword", "if_stmt", "while_stmt", "test"},
    "truth value": {"keyword"},
    "number": {"number"},
    "loop": {"keyword", "for_stmt"},
    "exception": {"except_clause"},
    "removal": {"simple_stmt", "arglist"},
}
# Calls whose arguments are types, or the length of a text in a message.
CALLS = {"TypeVar", "NewType", "cast", "ParamSpec", "shorten"}
# Parents of `*` and `/` that separate parameters, which cosmic-ray takes for products and quotients.
PARAMETERS = {"parameters", "lambdef"}

Position = tuple[int, int]


@dataclass(frozen=True)
class Mutation:
    """A changed file: the operator, the change, and the whole text with it."""

    file: str
    line: int
    operator: str
    change: str
    text: str


@dataclass(frozen=True)
class _Place:
    """A position in a file that operators can change, as (operator, occurrence) pairs."""

    file: Path
    family: str
    begin: Position
    ways: tuple[tuple[Any, int], ...]
    key: str


def sample(root: Path, files: Iterable[Path], number: int, seed: int) -> list[Mutation]:
    """Return mutations of random lines, fewer where fewer lines can be changed.

    Lines, and the changes made there, are drawn by hashes of the seed and the text of the line, so that a change
    elsewhere does not alter the sample. A file is parsed when the first of its lines is drawn.
    """
    places: dict[Path, list[_Place]] = {}
    found: list[Mutation] = []
    for _, file, line in sorted(chain.from_iterable(_lines(root, file, seed) for file in files)):
        if len(found) >= number:
            break
        if file not in places:
            places[file] = sorted(_places(root, file, seed), key=lambda place: place.key)
        changes = (_mutation(root, place, seed) for place in places[file] if place.begin[0] == line)
        found += [each for each in changes if each is not None][:1]
    return found


def _lines(root: Path, file: Path, seed: int) -> Iterator[tuple[str, Path, int]]:
    """Yield the lines of a file with their hashes, but those without code."""
    same: Counter[str] = Counter()
    text = file.read_text(encoding="utf-8")
    code = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr | ast.stmt)}
    for number, line in enumerate(text.splitlines(), 1):
        if number in code:
            same[line] += 1
            yield _hash(seed, file.relative_to(root).as_posix(), line.strip(), same[line]), file, number


def _places(root: Path, file: Path, seed: int) -> Iterator[_Place]:
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    excluded = list(_excluded(ast.parse(text), lines))
    counts: Counter[Any] = Counter()
    ways: dict[tuple[str, Position], list[tuple[Any, int]]] = {}
    for node in ast_nodes(get_ast(text)):
        separates = node.type == "operator" and node.parent.type in PARAMETERS
        for family, operators in FAMILIES.items():
            if node.type not in NODES[family]:
                continue
            for operator in operators:
                for begin, _ in operator().mutation_positions(node):
                    if not (separates or any(first <= begin < last for first, last in excluded)):
                        ways.setdefault((family, begin), []).append((operator, counts[operator]))
                    counts[operator] += 1
    same: Counter[tuple[str, str, int]] = Counter()
    for (family, begin), found in ways.items():
        where = (family, lines[begin[0] - 1].strip(), begin[1])
        same[where] += 1
        key = _hash(seed, file.relative_to(root).as_posix(), *where, same[where])
        yield _Place(file, family, begin, tuple(found), key)


def _hash(*values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()


def _mutation(root: Path, place: _Place, seed: int) -> Mutation | None:
    """Return the first mutation of a place that Python accepts without a warning and that changes the program."""
    text = place.file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    # By the operator and its number among those of the place: what it does elsewhere in the file does not matter.
    ways = enumerate(place.ways)
    for _, (operator, occurrence) in sorted(ways, key=lambda way: _hash(seed, place.key, way[1][0].__name__, way[0])):
        try:
            changed = mutate_code(text, operator(), occurrence)
        except AttributeError:
            # cosmic-ray cannot replace the exception of `except package.Error`.
            continue
        if changed is None or not _accepted(changed) or ast.dump(ast.parse(changed)) == ast.dump(tree):
            continue
        diff = difflib.unified_diff(text.splitlines(), changed.splitlines(), n=0, lineterm="")
        change = "\n".join(line for line in diff if not line.startswith(("---", "+++", "@@")))
        file = place.file.relative_to(root).as_posix()
        return Mutation(file, place.begin[0], operator.__name__, change, changed)
    return None


def _accepted(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            compile(text, "mutant", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def _excluded(tree: ast.Module, lines: list[str]) -> Iterator[tuple[Position, Position]]:
    """Return the ranges of `strict` in calls, annotations, decorators, imports, types, type aliases and `__all__`."""
    excluded: list[ast.AST | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=annotation):
                excluded.append(annotation)
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                excluded += [returns, *node.decorator_list]
            case ast.ClassDef():
                excluded += node.decorator_list
            case ast.AnnAssign(annotation=annotation):
                excluded.append(annotation)
            case ast.keyword(arg="strict"):
                excluded.append(node)
            case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
                excluded.append(node)
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                excluded += node.args[1:] if name == "shorten" else node.args[:1] if name == "cast" else [node]
            case _:
                pass
    for node in tree.body:
        match node:
            case ast.Assign(value=ast.BinOp(op=ast.BitOr()) | ast.Subscript()):
                excluded.append(node)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                excluded.append(node)
            case _:
                pass
    for each in excluded:
        if isinstance(each, ast.expr | ast.stmt | ast.keyword):
            yield (
                _position(lines, each.lineno, each.col_offset),
                _position(lines, each.end_lineno or each.lineno, each.end_col_offset or 0),
            )


def _position(lines: list[str], line: int, byte: int) -> Position:
    """Return a position in characters; ast counts bytes."""
    return line, len(lines[line - 1].encode()[:byte].decode(errors="ignore"))
