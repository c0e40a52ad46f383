"""UVL as the parser of its authors reads it, which is generated from the grammar: an oracle of reader and writer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from antlr4 import CommonTokenStream, InputStream
from antlr4.error.ErrorListener import ErrorListener
from hypothesis import event, given, reject
from hypothesis import strategies as st
from uvl.UVLCustomLexer import UVLCustomLexer
from uvl.UVLPythonParser import UVLPythonParser

from splc.errors import OutputError, SplcError
from splc.formats.system.uvl import parse_uvl
from splc.formats.system.uvl_writer import write_uvl
from splc.io.files import Source
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models

FEATURES = ("A", "B", '"C d"', "A {x 1, y 'z'}", "B {c [1, true]}", *"DEFGHIJKLMNO")
GROUPS = ("mandatory", "optional", "or", "[1..2]", "alternative")
CONSTRAINTS = ("A => B", "!(A & B) | A", "(A", "A &", "A <=> B & !A", "A B", "=> A", '"C d" | A', "A | | B", "!!B")


class Errors(ErrorListener):  # type: ignore[misc]
    """Collects the syntax errors of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []

    def syntaxError(self, recognizer: Any, symbol: Any, line: int, column: int, message: str, error: Any) -> None:  # noqa: N802
        """Add an error."""
        self.lines.append(line)


def tree_of(text: str) -> tuple[Any, list[int]]:
    """Return the syntax tree of a text, and the lines of its errors."""
    errors = Errors()
    lexer = UVLCustomLexer(InputStream(text))
    parser = UVLPythonParser(CommonTokenStream(lexer))
    for each in (lexer, parser):
        each.removeErrorListeners()
        each.addErrorListener(errors)
    return parser.featureModel(), errors.lines


def features(tree: Any) -> Iterator[str]:
    """Yield the names of the features in a syntax tree, in their order."""
    if isinstance(tree, UVLPythonParser.FeatureContext):
        yield tree.reference().getText().strip('"')
    for child in getattr(tree, "children", None) or ():
        yield from features(child)


@examples(20)
@given(models(binary=5, numeric=1, most_constraints=2))
def test_written_models(system: VariabilityModel) -> None:
    """Written models have no syntax errors, and the features of the system."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.uvl"
        try:
            write_uvl(system, path)
        except OutputError:
            reject()
        tree, errors = tree_of(path.read_text(encoding="utf-8"))
    assert errors == []
    assert set(system.names) <= set(features(tree))


def messages(text: str) -> list[str]:
    """Return what our reader says against a text."""
    try:
        parse_uvl(Source("f.uvl", text.encode()))
    except SplcError as error:
        return [problem.message for problem in error.problems]
    return []


def subtrees(depth: int) -> st.SearchStrategy[str]:
    """Lines of a feature and of all below it."""
    names = st.sampled_from(FEATURES if depth > 1 else ["R"]).map(lambda name: "\t" * depth + f"{name}\n")
    if depth > 4:
        return names
    keywords = st.sampled_from(GROUPS).map(lambda keyword: "\t" * (depth + 1) + f"{keyword}\n")
    members = st.lists(subtrees(depth + 2), min_size=1, max_size=2).map("".join)
    groups = st.tuples(keywords, members).map("".join)
    return st.tuples(names, st.lists(groups, max_size=2).map("".join)).map("".join)


@given(subtrees(1))
def test_features(tree_text: str) -> None:
    """Every feature tree of UVL is read, unless a name is used twice or a group cannot be fulfilled."""
    text = f"features\n{tree_text}"
    tree, errors = tree_of(text)
    assert errors == []
    found = messages(text)
    event("refused" if found else "read")
    if found:
        # A feature that is used twice may be below itself.
        reasons = ("used twice", "can never be fulfilled", "is its own ancestor")
        assert all(any(reason in message for reason in reasons) for message in found)
    else:
        assert set(parse_uvl(Source("f.uvl", text.encode())).names) == set(features(tree))


@pytest.mark.parametrize("text", CONSTRAINTS)
def test_constraints(text: str) -> None:
    """A constraint is one for both readers or for neither."""
    model = f'features\n\tR\n\t\toptional\n\t\t\tA\n\t\t\tB\n\t\t\t"C d"\nconstraints\n\t{text}\n'
    _, errors = tree_of(model)
    assert bool(errors) == bool(messages(model))
