"""Tests in which a path has no assertion: such a test cannot fail there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

# What fails, or ends a test, besides `assert`.
PYTEST = {"raises", "warns", "deprecated_call", "fail", "skip", "xfail"}
# How a path without an assertion leaves statements.
END, RETURN = {"end"}, {"return"}
CHECKS: dict[tuple[Path, str], bool] = {}


def hollow_tests(file: Path) -> list[str]:
    """Return the tests of a file with a path without an assertion, or whose last line assigns what nothing reads."""
    named = ((name, each) for name, found in read(file)[0].items() for each in found if name.startswith("test_"))
    return [name for name, each in named if leaves(each.body, file) or isinstance(each.body[-1], ast.Assign)]


@cache
def read(file: Path) -> tuple[dict[str, list[ast.FunctionDef]], dict[str, Path]]:
    """Return the functions of a file by name, and where it imports names from."""
    functions: dict[str, list[ast.FunctionDef]] = {}
    origins: dict[str, Path] = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if file.is_file() else ():
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("tests."):
            origin = ROOT.joinpath(*str(node.module).split(".")).with_suffix(".py")
            origins |= dict.fromkeys((alias.name for alias in node.names), origin)
    return functions, origins


def is_check(name: str, file: Path) -> bool:
    """Return whether a name is a function that asserts something on every path, and is not called for its value."""
    if (file, name) not in CHECKS:
        # A function that calls itself has to assert something itself.
        CHECKS[file, name] = False
        fixtures = (folder / "conftest.py" for folder in file.parents)
        places = [place for place in (file, read(file)[1].get(name, file), *fixtures) if name in read(place)[0]]
        CHECKS[file, name] = (
            not any(leaves(each.body, places[0]) or returns(each) for each in read(places[0])[0][name])
            if places
            # A parameter, or a function of a library.
            else name.startswith(("check", "assert", "reject"))
        )
    return CHECKS[file, name]


def returns(function: ast.FunctionDef) -> bool:
    """Return whether a function returns a value: it is called for that, not for what it asserts."""
    functions = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef) and each is not function]
    inner = {node for each in functions for node in ast.walk(each)}
    returned = (node for node in ast.walk(function) if isinstance(node, ast.Return) and node not in inner)
    return any(node.value is not None for node in returned)


def asserts(node: ast.AST, file: Path) -> bool:
    """Return whether an expression or a plain statement asserts something."""
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(id="pytest"), attr=name) if name in PYTEST:
                return True
            case ast.Attribute(attr=name) if name.startswith(("assert_", "test_")):
                return True
            case ast.Attribute(value=ast.Name(id="self"), attr=name) | ast.Name(id=name) if is_check(name, file):
                return True
            case ast.keyword(arg="check", value=ast.Constant(value=True)):
                return True
    return False


def leaves(body: Sequence[ast.stmt], file: Path) -> set[str]:
    """Return how paths without an assertion leave statements: loops run, and what is in `try` may raise."""
    found = END
    for statement in body:
        if found & END:
            found = found - END | left(statement, file)
    return found


def left(statement: ast.stmt, file: Path) -> set[str]:
    """Return how paths without an assertion leave a statement."""
    heads: list[ast.expr] = []
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            return END
        case ast.If(test=head, body=body, orelse=other):
            heads, bodies = [head], [body, other]
        case ast.For(iter=head, body=body) | ast.While(test=head, body=body):
            heads, bodies = [head], [body]
        case ast.Match(cases=cases):
            bodies = [[], *(case.body for case in cases)]
        case ast.With(items=items, body=body):
            heads = [item.context_expr for item in items]
            bodies = [body, []] if any("suppress(" in ast.unparse(head) for head in heads) else [body]
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
            bodies = [[*body, *other, *last], *([*handler.body, *last] for handler in handlers)]
        case _ if isinstance(statement, ast.Assert) or asserts(statement, file):
            return set()
        case _:
            return RETURN if isinstance(statement, ast.Return | ast.Raise) else END
    if any(asserts(head, file) for head in heads):
        return set()
    return set().union(*(leaves(body, file) for body in bodies))
